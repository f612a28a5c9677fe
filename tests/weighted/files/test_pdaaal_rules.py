"""Rules that the kernel reads from files of PDAAAL: the same as those that are read one by one."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from support.growth import calls
from support.sizes import sized
from tepui.errors import InputError, TepuiError
from tepui.languages.source import Source
from tepui.weighted import WeightedRule
from tepui.weighted.files.documents import Document
from tepui.weighted.files.pdaaal import is_pdaaal, pdaaal_of, read_pdaaal
from tepui.weighted.files.systems import Given, WeightedFile
from tepui.weighted.system import PackedRules
from tepui.weighted.weighing import load_weighted, weigh

NAMES = ["p", "q", "r s", "é", 'a"b', "\\", "", "\u2028", "0", "1"]
LABELS = ["A", "B", "C", "é", "\t", "*"]
KINDS = ["uint", "int", "none", "void", "bool"]


def random_rule(rng: Random, *, named: bool, weighted: bool) -> dict[str, Any]:
    operation = rng.choice(["pop", "swap", "push"])
    operand = "" if operation == "pop" else rng.choice(LABELS)
    target: Any = rng.choice(NAMES) if named else rng.randrange(6)
    rule = {"to": target, operation: operand}
    if weighted:
        rule["weight"] = rng.choice([0, 1, 2, 7, 2**63 - 1])
    shuffled = list(rule.items())
    rng.shuffle(shuffled)
    return dict(shuffled)


def random_document(rng: Random) -> dict[str, Any]:
    """A file that is correct most of the time."""
    named, weighted = rng.random() < 0.7, rng.random() < 0.7

    def block() -> dict[str, Any]:
        chosen = rng.sample(LABELS, rng.randrange(4))
        lists = {label: [rule() for _ in range(rng.randrange(1, 4))] for label in chosen}
        return {label: one[0] if rng.random() < 0.5 else one for label, one in lists.items()}

    def rule() -> dict[str, Any]:
        return random_rule(rng, named=named, weighted=weighted)

    count = rng.randrange(5)
    states = {name: block() for name in rng.sample(NAMES, count)} if named else None
    automaton = {"comment": ["{", 1.5], "states": states or [block() for _ in range(count)]}
    if named and not states:
        automaton["states"] = {}
    kind = rng.choice(KINDS[:2] if weighted else KINDS[2:])
    if rng.random() < 0.1:
        kind, named = rng.choice(KINDS), not named
    edges = {"accepting": [7], "edges": [[next(iter(states or "0")), rng.choice("ABZ"), 7]]}
    if rng.random() < 0.5:
        kinds = {"state-names": named, "weight-type": kind}
        return {"instance": [kinds, automaton, edges, rng.choice([None, edges])]}
    sets = {"initial": edges, "final": rng.choice(["< p, [A] .* >", None, edges])}
    return {
        "expected": [],
        "pda": automaton,
        **sets,
        "optimise": rng.choice(["shortest", "longest"]),
    }


def damaged(rng: Random, text: str) -> str:
    """The text with some characters replaced, or with parts of it elsewhere."""
    at = rng.randrange(len(text))
    if rng.random() < 0.3:
        start = rng.randrange(len(text))
        return text[:at] + text[start : start + rng.randrange(40)] + text[at:]
    return text[:at] + rng.choice('{}[]",:0-1.eA*\\\n\x00é ') + text[at + rng.randint(0, 3) :]


def carefully(source: Source) -> WeightedFile | None:
    document = Document.of_source(source)
    return pdaaal_of(document) if is_pdaaal(document) else None


def outcome(read: Any, source: Source) -> Any:
    """All that can be seen of what is read, or of the error."""
    try:
        file = read(source)
    except TepuiError as error:
        return str(error)
    if file is None:
        return None
    (thread,) = file.threads
    system = thread.system
    names = (system.states, system.symbols, thread.alphabet, file.name)
    return tuple(system.rules), names, file.form.name, thread.start, thread.target, file.longest


@pytest.mark.fuzz
def test_random_and_damaged_files_are_read_quickly_as_they_are_read_carefully() -> None:
    rng = Random(29)
    quick, refused = 0, 0
    for _ in range(sized(6000)):
        text = json.dumps(
            random_document(rng), indent=rng.choice([None, 1]), ensure_ascii=rng.random() < 0.5
        )
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            text = damaged(rng, text)
        source = Source.of_text(text, "f.json")
        expected = outcome(carefully, source)
        found = outcome(read_pdaaal, source)
        assert found in (None, expected), text
        quick += found is not None
        refused += isinstance(expected, str)
        if expected is not None:
            assert outcome(load_weighted, source) == expected, text
    assert quick > sized(6000) // 4
    assert refused > sized(6000) // 4


def large(rules: int, **more: Any) -> Source:
    """A file with few states and labels, and this many rules."""
    rng = Random(7)
    states: dict[str, Any] = {}
    for _ in range(rules):
        source, target, label = (rng.choice("pqr"), rng.choice("pqr"), rng.choice("ABC"))
        rule = {"to": target, "swap": rng.choice("ABC"), "weight": rng.randrange(9)}
        states.setdefault(source, {}).setdefault(label, []).append(rule)
    asked = {"initial": "< p, [A] >", "final": "< q, [B] >"}
    return Source.of_text(json.dumps({"pda": {"states": states}, **asked, **more}), "large.json")


def test_no_rule_of_a_large_file_is_looked_at_by_itself() -> None:
    few, many = large(500), large(5000)
    load_weighted(few)
    assert calls(lambda: load_weighted(many)) < calls(lambda: load_weighted(few)) + 100


def test_a_mistake_outside_of_a_large_file_is_found_as_quickly() -> None:
    def refused(source: Source) -> None:
        with pytest.raises(InputError, match="--from:1:3: there is no state 'x'"):
            load_weighted(source, [Given("< x, [A] >", "--from")])

    few, many = large(500), large(5000)
    refused(few)
    assert calls(lambda: refused(many)) < calls(lambda: refused(few)) + 100


@pytest.mark.parametrize(
    "text",
    [
        '{"pda": {"states": {}}, "instance": [{}, {"states": {}}, null, null]}',
        '{"pda": {"states": {}, "states": {}}}',
        '{"pda": {"states": {}}, "pda": {"states": {}}}',
        '{"pda": {"states": {}}',
        '{"pda": {"states": {}}} 1',
        '{"note": NaN, "pda": {"states": {}}}',
        '{"pda": {"states": {}}, "optimise": 7}',
    ],
)
def test_what_is_wrong_around_the_rules_is_left_to_the_careful_reader(text: str) -> None:
    assert read_pdaaal(Source.of_text(text, "f.json")) is None


def test_half_a_surrogate_pair_is_left_to_the_careful_reader() -> None:
    for text in ('{"pda": {"states": {"\ud800": {}}}}', '{"pda": {"states": {"\\ud800": {}}}}'):
        source = Source.of_text(text, "f.json")
        assert read_pdaaal(source) is None
        assert load_weighted(source).threads[0].alphabet.states == ("\ud800",)


def test_a_run_of_a_file_that_is_read_quickly_shows_its_rules() -> None:
    file = load_weighted(large(50))
    assert isinstance(file.threads[0].system.rules, PackedRules)
    answer = weigh(file)
    assert answer.run is not None
    costs = [file.threads[0].system.rules[number].weight for number in answer.run.rules]
    assert sum(costs) == answer.weight
    *_, last = answer.run.configurations(file.threads[0].system)
    assert last == ("q", ("B",))


def test_negative_costs_are_looked_at_one_by_one() -> None:
    states = {"p": {"A": {"to": "q", "pop": "", "weight": -3}}}
    text = json.dumps({"pda": {"states": states}, "initial": "< p, [A] >", "final": "< q, >"})
    file = read_pdaaal(Source.of_text(text, "f.json"))
    assert file is not None
    assert file.threads[0].system.rules == (WeightedRule("p", "A", "q", (), -3),)
    assert weigh(file).weight == -3
