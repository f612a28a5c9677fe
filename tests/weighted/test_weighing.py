"""Questions about files: the answers for both forms, and the runs that come with them."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from support.oracles.weighted_saturation import meet_over_all_paths
from support.samples.weighted import CASES, random_question, random_sample
from tepui.errors import UsageError
from tepui.weighted import Boolean, Configurations, Inner, MinPath, WeightedRule, WeightedSystem
from tepui.weighted.contexts import Threads, context_bounded
from tepui.weighted.files.documents import Document
from tepui.weighted.files.patterns import Alphabet
from tepui.weighted.files.pdaaal import pdaaal_of
from tepui.weighted.files.systems import FileThread, WeightedFile, weighted_of, written
from tepui.weighted.system import Configuration
from tepui.weighted.weighing import Weighing, weigh


@pytest.mark.parametrize("name", ["Boolean", "min-path"])
def test_a_run_leads_from_the_start_to_the_target_with_the_weight(
    name: str, fuzz_systems: int
) -> None:
    reached = 0
    for seed in range(fuzz_systems // 4):
        sample = random_sample(CASES[name], Random(seed))
        weighed = weigh(WeightedFile.of(sample.system, sample.start, sample.target))
        expected = meet_over_all_paths(sample.system, sample.start, sample.target)
        assert weighed.weight == expected
        assert weighed.is_zero is (expected == sample.system.domain.zero)
        if weighed.is_zero:
            assert weighed.run is None
        else:
            reached += 1
            _check_run(sample.system, sample.start, sample.target, weighed)
            if name == "Boolean":
                assert weighed.run is not None
                steps = (
                    replace(rule, weight=int(rule.weight) or None) for rule in sample.system.rules
                )
                counted: WeightedSystem[int | None] = WeightedSystem.of(MinPath(), steps)
                shortest = meet_over_all_paths(counted, sample.start, sample.target)
                assert len(weighed.run.rules) == shortest
    assert reached > fuzz_systems // 16


def _check_run(
    system: WeightedSystem[Any], start: Configurations, target: Configurations, weighed: Weighing
) -> None:
    assert weighed.run is not None
    visited: list[Configuration] = list(weighed.run.configurations(system))
    assert visited[0] in start
    assert visited[-1] in target
    value = system.domain.one
    for number, (state, stack) in zip(weighed.run.rules, visited, strict=False):
        rule = system.rules[number]
        assert (rule.state, rule.symbol) == (state, stack[0])
        value = system.domain.extend(value, rule.weight)
    assert value == weighed.weight


@pytest.mark.parametrize("domain", [Boolean(), MinPath()])
def test_a_file_of_pdaaal_has_the_weight_of_the_same_system(domain: Any) -> None:
    for seed in range(150):
        rng = Random(seed)
        system, states = _pda(rng, isinstance(domain, MinPath))
        initial, final = (_automaton(rng) for _ in range(2))
        kind = {"state-names": True, "weight-type": "uint" if domain.one == 0 else "none"}
        text = json.dumps({"instance": [kind, {"states": states}, initial, final]})
        weighed = weigh(pdaaal_of(Document.of_text(text)))
        sets = (_set(automaton) for automaton in (initial, final))
        assert weighed.weight == meet_over_all_paths(WeightedSystem.of(domain, system), *sets)


def _pda(rng: Random, weighted: bool) -> tuple[list[WeightedRule[Any]], dict[str, Any]]:
    """Rules, and the same rules as a file has them."""
    rules: list[WeightedRule[Any]] = []
    states: dict[str, Any] = {"p": {}, "q": {}}
    for _ in range(rng.randint(1, 7)):
        state, label, to, other = (rng.choice(each) for each in ("pq", "AB", "pq", "AB"))
        kind = rng.choice(["pop", "swap", "push"])
        word = {"pop": (), "swap": (other,), "push": (other, label)}[kind]
        weight = rng.randint(0, 5) if weighted else True
        rules.append(WeightedRule(state, label, to, word, weight))
        operand = "" if kind == "pop" else other
        given = {"to": to, kind: operand, **({"weight": weight} if weighted else {})}
        states[state].setdefault(label, []).append(given)
    return rules, states


def _automaton(rng: Random) -> dict[str, Any]:
    edges = [["p", "A", 1], ["q", "B", 1]]
    nodes: list[str | int] = ["p", "q", 1, 2]
    for _ in range(rng.randint(0, 3)):
        edges.append([rng.choice(nodes[:3]), rng.choice(["A", "B", ""]), rng.choice([1, 2])])
    entered = {edge[2] for edge in edges}
    accepting = [node for node in nodes if rng.random() < 0.4 and (node != 2 or node in entered)]
    return {"accepting": accepting, "edges": edges}


def _set(automaton: dict[str, Any]) -> Configurations:
    def node(name: str | int) -> Any:
        return Inner(name) if isinstance(name, int) else name

    return Configurations(
        frozenset((node(s), label or None, node(t)) for s, label, t in automaton["edges"]),
        frozenset(map(node, automaton["accepting"])),
    )


def test_a_file_of_threads_has_the_weight_of_the_same_threads() -> None:
    for seed in range(60):
        question = random_question(CASES["min-path"], Random(seed))
        threads = Threads(question.systems)
        expected = context_bounded(threads, question.start, question.target, question.contexts)
        file = _file_of(question)
        assert weigh(file).weight == expected
        assert weigh(weighted_of(Document.of_text(written(file)))).weight == expected


def _file_of(question: Any) -> WeightedFile:
    parts = [
        WeightedFile.of(system, start, target, f"thread {number}")
        for number, (system, start, target) in enumerate(
            zip(question.systems, question.start, question.target, strict=True)
        )
    ]
    states = tuple(
        dict.fromkeys(state for part in parts for state in part.threads[0].alphabet.states)
    )

    def shared(thread: FileThread) -> FileThread:
        alphabet = Alphabet(thread.name, states, thread.alphabet.symbols)
        return replace(thread, alphabet=alphabet)

    together = tuple(shared(part.threads[0]) for part in parts)
    return replace(parts[0], threads=together, contexts=question.contexts)


def test_without_weights_a_shortest_run_is_found_that_takes_no_forbidden_rule() -> None:
    rules = [
        WeightedRule("p", "a", "p", ("b", "b"), True),
        WeightedRule("p", "b", "p", (), True),
        WeightedRule("p", "a", "p", ("c",), True),
        WeightedRule("p", "c", "p", (), True),
        WeightedRule("p", "a", "p", (), False),
    ]
    system = WeightedSystem.of(Boolean(), rules)
    ends = (Configurations.of(("p", ("a",))), Configurations.of(("p", ())))
    run = weigh(WeightedFile.of(system, *ends)).run
    assert run is not None
    assert run.rules == (2, 3)


def test_what_is_not_asked_cannot_be_answered() -> None:
    system = WeightedSystem.of(Boolean(), [WeightedRule("p", "a", "p", (), True)])
    with pytest.raises(UsageError, match="the file has no start"):
        weigh(WeightedFile.of(system))
