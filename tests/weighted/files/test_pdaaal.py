"""Files of the public PDAAAL tool: what they mean, and what is wrong with some."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tepui.errors import InputError, ModelError, UsageError
from tepui.weighted import Configurations, Inner, WeightedRule
from tepui.weighted.files.documents import Document
from tepui.weighted.files.pdaaal import is_pdaaal, pdaaal_of
from tepui.weighted.files.pdaaal_text import StackText
from tepui.weighted.files.systems import Given, WeightedFile, weighted_of, written
from tepui.weighted.weighing import load_weighted, saturated, weigh

STATES = ("p", "q")
LABELS = ("A", "B", "C")
STACKS = [stack for size in range(5) for stack in product(LABELS, repeat=size)]


def read(content: Any, start: str | None = None, target: str | None = None) -> WeightedFile:
    document = Document.of_text(content if isinstance(content, str) else json.dumps(content), "f")
    given = [None if text is None else Given(text, "set") for text in (start, target)]
    return pdaaal_of(document, *given)


def pda(states: Any, **more: Any) -> dict[str, Any]:
    return {"pda": {"states": states}, **more}


def rules(content: Any, **sets: str) -> Sequence[WeightedRule[Any]]:
    return read(content, **sets).threads[0].system.rules


def instance(kind: dict[str, Any], states: Any, initial: Any, final: Any) -> dict[str, Any]:
    return {"instance": [kind, {"states": states}, initial, final]}


# Rules


def test_a_rule_pops_swaps_or_pushes_onto_what_was_there() -> None:
    found = rules(
        pda(
            {
                "p": {
                    "A": [{"to": "p", "pop": ""}, {"to": "q", "swap": "B"}],
                    "B": {"to": "p", "push": "A"},
                }
            }
        )
    )
    assert found == (
        WeightedRule("p", "A", "p", (), True),
        WeightedRule("p", "A", "q", ("B",), True),
        WeightedRule("p", "B", "p", ("A", "B"), True),
    )


def test_states_may_be_numbered() -> None:
    file = read(pda([{"A": {"to": 1, "pop": ""}}, {}, {"B": {"to": 7, "swap": "A"}}]))
    assert file.threads[0].alphabet.states == ("0", "1", "2", "7")
    assert file.threads[0].system.rules[1] == WeightedRule("2", "B", "7", ("A",), True)


def test_the_label_star_is_every_label_of_the_file_and_of_its_sets() -> None:
    content = pda(
        {
            "p": {
                "*": [{"to": "q", "swap": "*"}, {"to": "p", "push": "B"}],
                "A": {"to": "p", "pop": ""},
            }
        }
    )
    found = rules(content, start="< p, [C] >")
    assert [rule.symbol for rule in found] == ["B", "A", "C", "B", "A", "C", "A"]
    assert [rule.word for rule in found[:3]] == [("B",), ("A",), ("C",)]
    assert [rule.word for rule in found[3:6]] == [("B", "B"), ("B", "A"), ("B", "C")]


def test_weights_are_costs_unless_there_are_none_or_negative_ones() -> None:
    def form(*weights: int | None) -> str:
        given = [{} if weight is None else {"weight": weight} for weight in weights]
        return read(pda({"p": {"A": [{"to": "p", "pop": "", **each} for each in given]}})).form.name

    assert [form(None), form(0, 3), form(2, -3), form()] == [
        "boolean",
        "min-path",
        "integers",
        "boolean",
    ]


# Sets as texts


def test_random_texts_mean_what_the_same_regular_expressions_mean() -> None:
    rng = Random(3)
    for _ in range(300):
        text, same = _expression(rng, 3)
        found = StackText.of(f"< [p] , {text} >", "t").configurations(STATES, LABELS)
        for stack in STACKS:
            expected = re.fullmatch(same, "".join(stack)) is not None
            assert (("p", stack) in found) is expected, text
            assert ("q", stack) not in found


def _expression(rng: Random, depth: int) -> tuple[str, str]:
    """An expression of PDAAAL, and the same one for Python."""
    kind = rng.random() if depth else 0.0
    if kind < 0.4:
        labels = rng.sample(LABELS, rng.randint(1, 2))
        others = rng.choice(["", "", "^"])
        text = f"[{others}{rng.choice([',', ' , ']).join(labels)}]"
        same = f"[{others}{''.join(labels)}]"
        return rng.choice([(text, same), (text, same), (".", ".")])
    if kind < 0.6:
        inside, same = _expression(rng, depth - 1)
        sign = rng.choice("*+?")
        return f"({inside}){sign}", f"(?:{same}){sign}"
    first, second = _expression(rng, depth - 1), _expression(rng, depth - 1)
    if kind < 0.8:
        return f"({first[0]}) {second[0]}", f"(?:{first[1]})(?:{second[1]})"
    return f"({first[0]} | {second[0]})", f"(?:{first[1]}|{second[1]})"


def test_a_text_has_parts_comments_and_quoted_states() -> None:
    text = '< ["a b", q] , > # the empty stack\n| < "\\"" , [A] # and\n [B] >'
    found = StackText.of(text, "t").configurations(("a b", "q", '"'), LABELS)
    inside = [("a b", ()), ("q", ()), ('"', ("A", "B"))]
    assert all(each in found for each in inside)
    assert ("q", ("A", "B")) not in found


def test_any_label_is_any_that_file_and_sets_name() -> None:
    thread = read(pda({"p": {"A": {"to": "p", "pop": ""}}}), "< p, [B] >", "< p, . >").threads[0]
    assert thread.target is not None
    assert ("p", ("B",)) in thread.target
    assert ("p", ("C",)) not in thread.target


TEXTS: list[tuple[str, int, str]] = [
    ("", 1, "expected '<', found the end of the text"),
    ("< p >", 5, "expected ',', found '>'"),
    ("< p, A >", 6, "expected a set of labels such as '[A]', '.' or '(', found 'A'"),
    ("< p, [] >", 7, "expected a label"),
    ("< p, [A >", 9, "expected ']', found '>'"),
    ("< p, ([A] >", 11, "expected ')'"),
    ("< p, [A] > <", 12, "expected '|' or the end of the text"),
    ("< [p, x], [A] >", 7, "there is no state 'x'"),
    ("< p, [A]; >", 9, "';' cannot stand here"),
    ("< p, [A]** >", 10, "expected '>', found '*'"),
    (f"< p, {'(' * 101}[A]{')' * 101} >", 106, "more than 100 parentheses"),
    (f"< p, {'[A]' * 1001} >", 3006, "at most 1,000 sets of labels"),
]


@pytest.mark.parametrize(("text", "column", "message"), TEXTS)
def test_a_text_that_is_wrong_is_pointed_at(text: str, column: int, message: str) -> None:
    with pytest.raises(InputError) as refused:
        read(pda({"p": {}}), text)
    assert message in refused.value.message
    assert (refused.value.line, refused.value.column) == (1, column)


def test_a_text_inside_a_file_is_pointed_at_in_the_file() -> None:
    content = json.dumps(pda({"p": {}}, initial="< p, [A] ; >", final=None))
    with pytest.raises(InputError) as refused:
        read(content)
    assert content[refused.value.column - 1] == ";"
    unknown = json.dumps(pda({"p": {}}, initial=None, final='< "zz", [A] >'))
    with pytest.raises(InputError) as refused:
        read(unknown)
    assert unknown[refused.value.column - 1 :].startswith('\\"zz')


# Sets as automata

KIND = {"state-names": True, "weight-type": "none"}
NOTHING: dict[str, list[Any]] = {"accepting": [], "edges": []}


def _start(initial: Any, named: bool = True) -> Configurations:
    states: Any = {"p": {"A": {"to": "q", "pop": ""}}, "q": {}}
    if not named:
        states = [{"A": {"to": 1, "pop": ""}}, {}]
    kind = {**KIND, "state-names": named}
    start = read(instance(kind, states, initial, NOTHING)).threads[0].start
    assert start is not None
    return start


def test_numbers_are_nodes_where_states_have_names() -> None:
    edges = [["p", "A", 1], [1, "B", 2], [2, "", 1]]
    found = _start({"accepting": [2, "q"], "edges": edges})
    accepted = [(s, w) for s in STATES for w in STACKS if (s, w) in found]
    assert accepted == [*(("p", ("A", *"B" * n)) for n in (1, 2, 3)), ("q", ())]
    sources = {source for source, _, _ in found.transitions if not isinstance(source, Inner)}
    assert sources == {"p"}


def test_a_number_is_no_state_of_that_name() -> None:
    automaton = {"accepting": [1], "edges": [["1", "A", 1], [1, "B", 1]]}
    start = read(instance(KIND, {"1": {}}, automaton, NOTHING)).threads[0].start
    assert start is not None
    assert ("1", ("A", "B")) in start
    assert ("1", ("B",)) not in start
    assert ("1", ()) not in start


def test_numbers_are_states_where_states_have_none() -> None:
    found = _start({"accepting": [1, 5], "edges": [[0, "A", 5]], "initial": [0]}, named=False)
    assert ("0", ("A",)) in found
    assert ("1", ()) in found
    assert ("5", ()) not in found


def test_edges_may_lead_to_states() -> None:
    found = _start(
        {"accepting": ["q"], "edges": [["p", "A", "p"], ["p", "B", "q"], ["q", "C", "p"]]}
    )
    for state, stack in product(STATES, STACKS):
        pattern = {"p": "A*B(CA*B)*", "q": "(CA*B)*"}[state]
        expected = re.fullmatch(pattern, "".join(stack)) is not None
        assert ((state, stack) in found) is expected


def test_the_older_form_of_automata_is_read() -> None:
    states = {
        "p": {"edges": [{"label": "A", "to": "3"}], "initial": True},
        "3": {"edges": [], "accepting": True},
    }
    for title in ("P-automaton", "initial_p_automaton"):
        for form in ({"states": states}, {title: {"states": states}}):
            found = _start(form)
            assert [(s, w) for s in STATES for w in STACKS if (s, w) in found] == [("p", ("A",))]
    listed = [
        {"edges": [{"label": "A", "to": 1}], "initial": True},
        {"edges": [{"label": "A", "to": 2}]},
        {"edges": [], "accepting": True},
    ]
    found = _start({"states": listed}, named=False)
    assert [(s, w) for s in "01" for w in STACKS if (s, w) in found] == [
        ("0", ("A", "A")),
        ("1", ("A",)),
    ]


def test_an_automaton_may_be_given_from_outside() -> None:
    automaton = json.dumps({"P-automaton": {"accepting": [1], "edges": [["p", "A", 1]]}})
    start = read(pda({"p": {}}), automaton).threads[0].start
    assert start is not None
    assert ("p", ("A",)) in start


# What is wrong

FINE = {"A": {"to": "p", "pop": ""}}
WRONG: list[tuple[Any, str, str]] = [
    ({"pda": {}}, "{}", "expected the key 'states'"),
    ({"pda": []}, "[]", "expected a pushdown automaton, which is an object"),
    (pda(7), "7", "which is a list, found 7"),
    (pda({"p": []}), "[]", "expected the rules of a state, which is an object"),
    (pda({"p": {"": []}}), '""', "expected a label, found an empty name"),
    (pda({"p": {"A": {"to": "p"}}}), '{"to"', "expected one of the keys 'pop', 'swap' and 'push'"),
    (pda({"p": {"A": {"pop": ""}}}), '{"pop"', "expected the key 'to' in a rule"),
    (pda({"p": {"A": {"to": "p", "pop": "", "push": "A"}}}), '{"to"', "expected one of the keys"),
    (pda({"p": {"A": {"to": "p", "pop": "A"}}}), '"A"}', "after 'pop', found 'A'"),
    (pda({"p": {"A": {"to": "p", "push": ""}}}), '""}', "expected a label after 'push'"),
    (pda({"p": {"A": {"to": 1, "pop": ""}}}), "1,", "expected a state, which is a string"),
    (pda([{"A": {"to": "p", "pop": ""}}]), '"p"', "expected the number of a state"),
    (pda([{"A": {"to": -1, "pop": ""}}]), "-1", "at least 0"),
    (pda({"p": {"A": {"to": "p", "pop": "", "wait": 1}}}), '"wait"', "found 'wait'"),
    (
        pda({"p": {"A": [{"to": "p", "pop": "", "weight": 1}, {"to": "p", "pop": ""}]}}),
        '{"to": "p", "pop": ""}]',
        "expected the key 'weight'",
    ),
    (
        pda({"p": {"A": [{"to": "p", "pop": ""}, {"to": "p", "pop": "", "weight": 1}]}}),
        '"weight"',
        "rules have no weights here",
    ),
    (pda({"p": {"A": {"to": "p", "pop": "", "weight": 0.5}}}), "0.5", "which is an integer"),
    (pda({"p": {"A": {"to": "p", "pop": "", "weight": 2**64}}}), str(2**64), "expected a weight"),
    ({"instance": []}, "[]", "expected an instance of length 4, found 0 items"),
    (instance({}, {}, NOTHING, NOTHING), "{}", "expected the key 'state-names'"),
    (
        instance({"state-names": True, "weight-type": ["uint", 2]}, {}, NOTHING, NOTHING),
        '["uint"',
        "vectors of weights are not read",
    ),
    (
        instance({"state-names": True, "weight-type": "float"}, {}, NOTHING, NOTHING),
        '"float"',
        "expected a weight type",
    ),
    (
        instance(
            {"state-names": True, "weight-type": "uint"},
            {"p": {"A": {"to": "p", "pop": "", "weight": -1}}},
            NOTHING,
            NOTHING,
        ),
        "-1",
        "expected a weight, which is between 0 and",
    ),
    (instance({**KIND, "state-names": False}, {"p": FINE}, NOTHING, NOTHING), '{"p"', "a list"),
    (
        instance(KIND, [FINE], NOTHING, NOTHING),
        "[{",
        "the states by their names, which is an object",
    ),
    (instance(KIND, {"p": FINE}, {"accepting": []}, NOTHING), '{"acc', "expected the key 'edges'"),
    (
        instance(KIND, {"p": FINE}, {"accepting": ["x"], "edges": []}, NOTHING),
        '"x"',
        "no state 'x'",
    ),
    (
        instance(KIND, {"p": FINE}, {"accepting": [], "edges": [["x", "A", 1]]}, NOTHING),
        '"x"',
        "there is no state 'x', and no edge leads there",
    ),
    (
        instance(KIND, {"p": FINE}, {"accepting": [], "edges": [["p", "A"]]}, NOTHING),
        '["p"',
        "of length 3, found 2 items",
    ),
    (pda({"p": {}}, initial=7), "7", "expected a set of configurations, which is a string"),
    (pda({"p": {}}, optimise=7), "7", "expected what to optimise"),
]


@pytest.mark.parametrize(("content", "at", "message"), WRONG, ids=[each[2] for each in WRONG])
def test_what_is_wrong_in_a_file_is_pointed_at(content: Any, at: str, message: str) -> None:
    text = json.dumps(content)
    with pytest.raises(InputError) as refused:
        read(text)
    assert message in refused.value.message
    assert text[refused.value.column - 1 :].startswith(at), text[refused.value.column - 1 :]


def test_other_keys_beside_the_automaton_are_ignored() -> None:
    assert rules(pda({"p": FINE}, expected={"x": 1.5}, note="", version=None))
    assert is_pdaaal(Document.of_text('{"pda": 1}'))
    assert not is_pdaaal(Document.of_text('["pda"]'))


# Questions


def test_a_file_is_asked_between_its_own_sets_or_others(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    weighted = {"A": {"to": "q", "push": "B", "weight": 2}}
    path.write_text(json.dumps(pda({"p": weighted}, initial="< p, [A]+ >", final="< q, [B] .* >")))
    assert weigh(load_weighted(path)).weight == 2
    assert weigh(pdaaal_of(Document.of_file(path))).run is not None
    elsewhere = load_weighted(path, target=[Given("< q, [A] .* >", "--to")])
    assert weigh(elsewhere).is_zero
    with pytest.raises(UsageError, match="takes one set"):
        load_weighted(path, [Given("< p, >", ""), Given("< q, >", "")])


def test_longest_runs_are_refused_only_if_there_are_runs() -> None:
    content = pda({"p": FINE}, initial="< p, [A] >", final="< p, >", optimise="longest (max)")
    with pytest.raises(UsageError, match="the target is reachable, but longest runs are asked for"):
        weigh(read(content))
    assert weigh(read({**content, "final": "< p, [A] [A] >"})).is_zero


def test_a_file_without_negative_costs_can_be_written_in_our_form() -> None:
    file = read(pda({"p": {"A": {"to": "q", "push": "B", "weight": 2}}}), "< p, [A] >", "< q, .* >")
    back = weighted_of(Document.of_text(written(file)))
    assert weigh(back).weight == weigh(file).weight == 2
    negative = read(pda({"p": {"A": {"to": "q", "pop": "", "weight": -2}}}))
    with pytest.raises(ModelError, match="no domain that files can name"):
        written(negative)


def test_negative_costs_have_no_automata() -> None:
    content = pda({"p": {"A": {"to": "p", "pop": "", "weight": -1}}}, initial="< p, [A] >")
    with pytest.raises(UsageError, match="no bounded idempotent semiring"):
        saturated(read(content), backwards=False)
