"""Weighted systems and automata as JSON: what is written reads back, and what is wrong is shown."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from support.places import ROOT
from support.samples.weighted import CASES, random_sample
from support.samples.weighted_documents import FINE, THREADS, read
from support.schemas import schema
from tepui.errors import InputError, ModelError
from tepui.weighted import (
    Boolean,
    Configurations,
    MinPath,
    Relations,
    Sets,
    ShortestPath,
    Transformer,
    WeightedRule,
    WeightedSystem,
)
from tepui.weighted.files.automata import automaton_of, written_automaton
from tepui.weighted.files.documents import Document
from tepui.weighted.files.pdaaal import pdaaal_of
from tepui.weighted.files.systems import WeightedFile, read_weighted, written
from tepui.weighted.saturation import post_star, pre_star
from tepui.weighted.weighing import weigh

SCHEMA = schema("weighted")
VALIDATOR = Draft202012Validator(SCHEMA)

IN_FILES = [name for name in CASES if not name.startswith(("two-way", "shuffles"))]


def with_weight(domain: Any, weight: Any) -> Any:
    """The weight of a rule, as a domain reads it."""
    rule = {"from": ["p", "a"], "to": ["q"], "weight": weight}
    return read({**FINE, "domain": domain, "rules": [rule], "target": "<q, ->"}).threads[0].system


# What is written reads back


@pytest.mark.parametrize("name", IN_FILES)
def test_a_system_that_is_written_reads_back(name: str) -> None:
    for seed in range(40):
        sample = random_sample(CASES[name], Random(seed))
        file = WeightedFile.of(sample.system, sample.start, sample.target, "random")
        text = written(file)
        VALIDATOR.validate(json.loads(text))
        back = read(text)
        assert written(back) == text
        (thread,) = back.threads
        assert thread.system.rules == sample.system.rules
        assert thread.start is not None
        assert thread.target is not None
        alphabet = thread.alphabet
        for size, state in product(range(4), alphabet.states):
            for stack in product(alphabet.symbols, repeat=size):
                assert ((state, stack) in thread.start) is ((state, stack) in sample.start)
                assert ((state, stack) in thread.target) is ((state, stack) in sample.target)


@pytest.mark.parametrize("name", IN_FILES)
def test_a_saturated_automaton_that_is_written_reads_back(name: str) -> None:
    for seed in range(10):
        sample = random_sample(CASES[name], Random(seed))
        form = WeightedFile.of(sample.system).form
        post, pre = post_star(sample.system, sample.start), pre_star(sample.system, sample.target)
        for automaton in (post, pre):
            text = written_automaton(form, automaton)
            VALIDATOR.validate(json.loads(text))
            own, back = automaton_of(Document.of_text(text))
            assert written_automaton(own, back) == text
            for size, state in product(range(3), sample.system.states):
                for stack in product(sample.system.symbols, repeat=size):
                    assert back.weight(state, stack) == automaton.weight(state, stack)


@pytest.mark.parametrize("name", sorted(set(CASES) - set(IN_FILES)))
def test_a_domain_that_files_cannot_name_is_refused(name: str) -> None:
    sample = random_sample(CASES[name], Random(0))
    with pytest.raises(ModelError, match="is no domain that files can name"):
        WeightedFile.of(sample.system)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples").glob("wpds-*.json")), ids=lambda p: p.stem
)
def test_an_example_fits_the_schema_and_reads_back(path: Path, tmp_path: Path) -> None:
    VALIDATOR.validate(json.loads(path.read_text(encoding="utf-8")))
    file = read_weighted(path)
    (tmp_path / path.name).write_text(written(file), encoding="utf-8")
    back = read_weighted(tmp_path / path.name)
    assert written(back) == written(file)
    assert [thread.system.rules for thread in back.threads] == [
        thread.system.rules for thread in file.threads
    ]
    assert back.contexts == file.contexts


def test_the_schema_is_a_schema_with_closed_objects_and_described_fields() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    waiting: list[Any] = [SCHEMA["$defs"]]
    objects = 0
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            waiting += found.values()
            if found.get("type") == "object" and "properties" in found:
                objects += 1
                assert found["additionalProperties"] is False
                for name, field in found["properties"].items():
                    assert "description" in field, name
        elif isinstance(found, list):
            waiting += found
    assert objects > 10


def test_names_that_are_no_strings_cannot_be_written() -> None:
    for state, symbol in (((1, 2), "a"), ("p", 7), ("", "a"), ("p", "")):
        rule: WeightedRule[int | None] = WeightedRule(state, symbol, "p", (), 0)
        system = WeightedSystem.of(MinPath(), [rule])
        with pytest.raises(ModelError, match="in a file every"):
            WeightedFile.of(system)


def test_names_may_have_any_characters() -> None:
    rule: WeightedRule[int | None] = WeightedRule('p"\\', "⟨a\n", "∞", ("-", "*"), 1)
    system = WeightedSystem.of(MinPath(), [rule])
    start = Configurations.of(('p"\\', ("⟨a\n",)))
    file = read(written(WeightedFile.of(system, start)))
    assert file.threads[0].system.rules == system.rules
    assert file.threads[0].start is not None
    assert ('p"\\', ("⟨a\n",)) in file.threads[0].start


# What is in a file


def test_a_rule_without_a_weight_does_nothing() -> None:
    rules = [{"from": ["p", "a"], "to": ["q"]}, {"from": ["q", "a"], "to": ["p"]}]
    domains: list[tuple[Any, list[Any]]] = [
        ("boolean", [True, True]),
        ("min-path", [0, 0]),
        ({"name": "relations", "states": 2}, [(1, 2), (1, 2)]),
        ("shortest-path", [(0, 1, (0,)), (0, 1, (1,))]),
        ({"name": "pairs", "first": "min-path", "second": "shortest-path"}, [(0, (0, 1, (0,)))]),
        (
            {"name": "matrices", "order": 2, "entries": "shortest-path"},
            [(((0, 1, (0,)), None), (None, (0, 1, (0,))))],
        ),
        (
            {"name": "weighted-relations", "states": 2, "weights": "shortest-path"},
            [((0, 0, (0, 1, (0,))), (1, 1, (0, 1, (0,))))],
        ),
    ]
    for domain, weights in domains:
        file = read({**FINE, "domain": domain, "rules": rules, "target": "<q, ->"})
        found = [rule.weight for rule in file.threads[0].system.rules]
        assert found[: len(weights)] == weights


def test_the_rules_of_shortest_paths_are_numbered_through_all_threads() -> None:
    rule = {"from": ["p", "a"], "to": ["p"], "weight": 4}
    threads = [{"name": name, "rules": [rule, rule]} for name in ("one", "two")]
    head = {key: FINE[key] for key in ("format", "version")}
    file = read({**head, "domain": "shortest-path", "threads": threads})
    numbers = [rule.weight.rules for thread in file.threads for rule in thread.system.rules]
    assert numbers == [(0,), (1,), (2,), (3,)]
    assert '"weight": 4' in written(file)
    assert '"cost"' not in written(file)


def test_facts_and_variables_may_have_names_or_numbers() -> None:
    named = with_weight({"name": "sets", "facts": ["x", "y"]}, {"kill": ["x"], "gen": ["y"]})
    counted = with_weight({"name": "sets", "facts": 2}, {"kill": [0], "gen": [1]})
    assert named.rules == counted.rules
    assert named.rules[0].weight == Transformer(0, 2)
    x = {"name": "affine", "variables": ["x"], "modulus": 8}
    one = {"name": "affine", "variables": 1, "modulus": 8}
    first, second = (
        with_weight(domain, {"assign": {variable: [9, 3]}})
        for domain, variable in ((x, "x"), (one, "x1"))
    )
    assert first.rules[0].weight == second.rules[0].weight == ((1, 1, 0, 3),)


def test_the_domains_have_their_parameters() -> None:
    assert with_weight({"name": "sets", "facts": 3, "meet": "intersection"}, None).domain == Sets(
        3, "intersection"
    )
    local = {"name": "relations", "states": 6, "local_states": 3}
    assert with_weight(local, []).domain == Relations(6, 3)
    assert type(with_weight({"name": "shortest-path"}, 1).domain) is ShortestPath
    assert type(with_weight({"name": "boolean"}, False).domain) is Boolean


def test_listed_names_are_all_that_patterns_stand_for() -> None:
    file = read({**FINE, "states": ["p", "q", "r"], "symbols": ["a", "b", "c", "d"]})
    assert file.threads[0].alphabet.symbols == ("a", "b", "c", "d")
    wide = read(
        {**FINE, "states": ["p", "q", "r"], "symbols": ["a", "b", "c", "d"], "start": "*, ."}
    )
    start = wide.threads[0].start
    assert start is not None
    assert ("r", ("d",)) in start
    assert ("r", ("e",)) not in start


def test_a_set_is_a_pattern_or_several_or_an_automaton() -> None:
    automaton = {"transitions": [["p", "a", 1], [1, "b", 1], [1, None, 2]], "accepting": [2, "q"]}
    for given in ("<p, a b*> ", ["<p, a>", "<p, a b+>", "<q, ->"], automaton):
        start = read({**FINE, "start": given}).threads[0].start
        assert start is not None
        assert ("p", ("a", "b", "b")) in start
        assert ("p", ("b",)) not in start
        assert (("q", ()) in start) is (not isinstance(given, str))


def test_patterns_of_a_list_do_not_mix() -> None:
    start = read({**FINE, "start": ["<p, a a>", "<p, b b>"]}).threads[0].start
    assert start is not None
    words = product("abc", repeat=2)
    assert [word for word in words if ("p", word) in start] == [("a", "a"), ("b", "b")]


def test_there_may_be_thousands_of_patterns() -> None:
    start = read({**FINE, "start": ["<p, a>"] * 5000}).threads[0].start
    assert start is not None
    assert ("p", ("a",)) in start


def test_a_transition_of_an_automaton_is_there_once() -> None:
    text = '{"format": "tepui-weighted-automaton", "version": 1, "domain": "min-path", "direction":'
    text += ' "forward", "transitions": [["p", "a", 1, 3], ["p", "a", 1, 4]], "accepting": [1]}'
    with pytest.raises(InputError, match="this transition is there already"):
        automaton_of(Document.of_text(text))


def test_weights_are_told_to_people() -> None:
    told: list[tuple[Any, Any, list[str]]] = [
        ("boolean", True, []),
        ("min-path", 7, ["7"]),
        ("min-path", None, ["∞"]),
        ("shortest-path", 5, ["5, by the rules 0"]),
        ("shortest-path", None, ["there is no path"]),
        ({"name": "relations", "states": 3}, [[0, 1], [2, 2]], ["0 → 1, 2 → 2"]),
        ({"name": "relations", "states": 3}, [], ["no pair"]),
        (
            {"name": "weighted-relations", "states": 2, "weights": "min-path"},
            [[0, 1, 4], [1, 1, 0]],
            ["0 → 1: 4", "1 → 1: 0"],
        ),
        ({"name": "sets", "facts": ["x", "y"]}, {"gen": ["y"]}, ["kill {}", "gen {y}"]),
        ({"name": "sets", "facts": ["x", "y"]}, None, ["there is no path"]),
        (
            {"name": "affine", "variables": ["x", "y"]},
            {"assign": {"x": [3, 0, 0], "y": [-1, 0, 0]}},
            ["x - 3 = 0", "y + 1 = 0"],
        ),
        (
            {"name": "affine", "variables": 1, "modulus": 8},
            {"assign": {"x1": [0, 4]}},
            ["2 x1 = 0 (mod 8)"],
        ),
        ({"name": "affine", "variables": 1}, {"assign": {}}, ["nothing holds"]),
        ({"name": "affine", "variables": 1}, {"span": []}, ["there is no path"]),
        (
            {"name": "pairs", "first": "min-path", "second": "min-path"},
            [1, 2],
            ["first: 1", "second: 2"],
        ),
        (
            {"name": "matrices", "order": 2, "entries": "min-path"},
            [[1, 2], [3, None]],
            ["1, 2", "3, ∞"],
        ),
    ]
    for domain, weight, expected in told:
        rule = {"from": ["p", "a"], "to": ["q"], "weight": weight}
        file = read({**FINE, "domain": domain, "rules": [rule], "target": "<q, ->"})
        assert file.form.lines(file.threads[0].system.rules[0].weight) == expected


# Threads


def test_threads_share_their_states_and_have_symbols_of_their_own() -> None:
    file = read({**THREADS, "start": "p | a, b", "target": "* | -, *"})
    assert [thread.alphabet.states for thread in file.threads] == [("p", "q", "r")] * 2
    assert [thread.alphabet.symbols for thread in file.threads] == [("a",), ("b",)]
    first, second = file.threads
    assert first.start is not None
    assert second.target is not None
    assert ("p", ("a",)) in first.start
    assert ("q", ("a",)) not in first.start
    assert ("r", ("b", "b")) in second.target
    assert ("r", ()) in second.target
    assert read(written(file)).contexts == 2


def test_each_thread_may_have_sets_of_its_own() -> None:
    threads = [{**thread, "start": "<p, .*>"} for thread in THREADS["threads"]]
    file = read({**THREADS, "threads": threads})
    assert all(t.start is not None and ("p", ()) in t.start for t in file.threads)


# The page

PAGE = (ROOT / "docs" / "weighted.md").read_text(encoding="utf-8")


def test_the_page_shows_files_that_can_be_read() -> None:
    system, automaton, instance = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    VALIDATOR.validate(json.loads(system))
    assert len(read(system).threads[0].system.rules) == 2
    start = json.loads(automaton)
    assert read({**FINE, "start": start}).threads[0].start is not None
    assert weigh(pdaaal_of(Document.of_text(instance))).weight == 4


def test_the_weights_of_the_page_are_weights_of_their_domains() -> None:
    rows = re.findall(r"^\| `(\"[a-z-]+\"|\{.*?\})` \| (.*) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 9
    for text, told in rows:
        domain = json.loads(re.sub(r"\b[DE]\b", '"boolean"', text))
        for example in re.findall(r"`([\[{].*?[\]}])`", told):
            if "…" not in example and "cost" not in example:
                with_weight(domain, json.loads(example))


def test_every_domain_and_every_size_of_the_page_is_there() -> None:
    names = set(re.findall(r"^\| `(?:\{\"name\": )?\"([a-z-]+)\"", PAGE, re.MULTILINE))
    with pytest.raises(InputError) as refused:
        read({**FINE, "domain": "none"})
    assert names == set(
        re.findall(r"[a-z]+(?:-[a-z]+)?", refused.value.message.split("(")[1].split(")")[0])
    )
    assert "4,096 states, 100,000 facts, 100 variables and matrices of order 256" in PAGE
