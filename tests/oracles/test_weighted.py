"""Pins the oracle for weighted engines: by hand, and by runs one by one."""

from __future__ import annotations

from random import Random

import pytest

from support.oracles.weighted import (
    TooMuchWorkError,
    Walk,
    enumerated,
    exact,
    run_value,
    runs,
    solved,
)
from support.oracles.weighted_contexts import Question, concurrent, interleaved, solved_contexts
from support.samples.weighted import CASES, Shuffles, random_question, random_sample
from tepui.weighted import (
    Affine,
    Configurations,
    MinPath,
    Path,
    Relations,
    ShortestPath,
    WeightedRule,
    WeightedSystem,
    combine_all,
    is_below,
)

FIGURE_7: WeightedSystem[int | None] = WeightedSystem.of(
    MinPath(),
    [WeightedRule("p1", "a", "p2", ("b", "b"), 2), WeightedRule("p2", "b", "p2", ("b", "b"), 1)],
)


@pytest.mark.parametrize("height", [2, 3, 4])
def test_a_stack_of_figure_7_costs_its_height(height: int) -> None:
    start, target = (Configurations.of(c) for c in (("p1", ("a",)), ("p2", ("b",) * height)))
    assert exact(FIGURE_7, start, target, 6).weight == height


def test_a_stack_that_is_too_high_is_known_to_be_missing() -> None:
    start = Configurations.of(("p1", ("a",)))
    target = Configurations.of(("p2", ("b",) * 9))
    bounded = enumerated(FIGURE_7, start, target, 5)
    assert (bounded.weight, bounded.complete) == (None, False)
    assert solved(FIGURE_7, start, target) == 9


CALLER = [
    WeightedRule("p", "m", "p", ("f", "n"), frozenset({(1, 0, 2)}), merges=True),
    WeightedRule("p", "f", "p", ("g",), frozenset({(0, 2, 1)})),
    WeightedRule("p", "g", "p", (), frozenset({(1, 2, 0)})),
]


def test_only_a_call_that_has_returned_is_merged() -> None:
    domain = Shuffles()
    system = WeightedSystem.of(domain, CALLER)
    call, body, back = (rule.weight for rule in CALLER)
    inside = domain.extend(call, body)
    start = Configurations.of(("p", ("m",)))
    for word, expected in [
        (("f", "n"), call),
        (("g", "n"), inside),
        (("n",), domain.merge(domain.extend(inside, back))),
    ]:
        target = Configurations.of(("p", word))
        assert enumerated(system, start, target, 5).weight == expected
        assert solved(system, start, target) == expected


def test_a_pop_below_the_start_is_no_return() -> None:
    system = WeightedSystem.of(Shuffles(), CALLER)
    start, target = Configurations.of(("p", ("g", "n"))), Configurations.of(("p", ("n",)))
    assert exact(system, start, target, 5).weight == CALLER[2].weight


def test_a_value_can_be_asked_for_by_the_caller() -> None:
    """Figure 4 in small: bar copies x to y, called from two sites with x = 0 and with x = 1."""
    domain = Relations(4)
    copy = domain.relation((x * 2 + y, x * 2 + x) for x in range(2) for y in range(2))
    first, second = (domain.relation((old, x * 2 + old % 2) for old in range(4)) for x in range(2))
    system = WeightedSystem.of(
        domain,
        [
            WeightedRule("p", "n1", "p", ("n3",), first),
            WeightedRule("p", "n1", "p", ("n2",), second),
            WeightedRule("p", "n3", "p", ("n7", "n4"), domain.one),
            WeightedRule("p", "n2", "p", ("n7", "n5"), domain.one),
            WeightedRule("p", "n7", "p", ("n8",), copy),
            WeightedRule("p", "n8", "p", (), domain.one),
        ],
    )
    start = Configurations.of(("p", ("n1",)))
    symbols = system.symbols
    for tops, values in [([["n8"]], [0, 3]), ([["n8"], ["n4"]], [0]), ([["n8"], ["n5"]], [3])]:
        target = Configurations.topped(["p"], tops, symbols)
        assert domain.image(exact(system, start, target, 5).weight) == values


@pytest.mark.parametrize("name", CASES)
def test_what_is_found_is_below_every_run_and_equal_if_there_are_no_others(name: str) -> None:
    domain = CASES[name].domain
    finite = 0
    for seed in range(40):
        sample = random_sample(CASES[name], Random(seed))
        walk = Walk(sample.system, 5)
        found = [
            (start, rules, end)
            for start in walk.members(sample.start)
            for rules, end in runs(sample.system, start, 5)
        ]
        hits = (
            run_value(sample.system, s, rules) for s, rules, end in found if end in sample.target
        )
        total = combine_all(domain, hits)
        weight = solved(sample.system, sample.start, sample.target)
        assert is_below(domain, weight, total), seed
        if not walk.cut and all(len(rules) < 5 for _, rules, _ in found):
            finite += 1
            assert weight == total, seed
            assert enumerated(sample.system, sample.start, sample.target, 9).weight == total, seed
    assert finite > 5


@pytest.mark.parametrize("name", CASES)
def test_equations_are_equal_to_paths_where_no_stack_is_too_high(name: str) -> None:
    complete = 0
    for seed in range(60):
        sample = random_sample(CASES[name], Random(seed))
        bounded = enumerated(sample.system, sample.start, sample.target, 5)
        if bounded.complete:
            complete += 1
            assert solved(sample.system, sample.start, sample.target) == bounded.weight, seed
    assert complete > 15


def test_a_switch_is_what_lets_another_thread_in() -> None:
    """Thread 1 does 0 and then, once thread 2 has changed the state by 1, 2 and 3."""
    domain = ShortestPath()
    first: WeightedSystem[Path | None] = WeightedSystem.of(
        domain,
        [
            WeightedRule("p", "a", "p", ("b", "c"), domain.step(0)),
            WeightedRule("q", "b", "q", (), domain.step(2)),
            WeightedRule("q", "c", "q", (), domain.step(3)),
        ],
    )
    second: WeightedSystem[Path | None] = WeightedSystem.of(
        domain, [WeightedRule("p", "a", "q", ("a",), domain.step(1))]
    )
    start = tuple(Configurations.of(("p", ("a",))) for _ in range(2))
    target = Configurations.of(("q", ())), Configurations.of(("q", ("a",)))
    for contexts, expected in [(1, None), (2, None), (3, (0, 1, 2, 3))]:
        question = Question((first, second), start, target, contexts)
        weight = interleaved(question, 5).weight
        assert weight == solved_contexts(question)
        assert (weight and weight.rules) == expected
    held = Question((first, second), start, target, 3, frozenset("p"))
    assert interleaved(held, 5).weight is solved_contexts(held) is None


def test_recursion_is_more_than_enumerated_interleavings_see() -> None:
    """Each level of recursion adds one to x, so no relation is left but those of all maps."""
    domain = Affine(1, 4)
    increment = domain.statement({1: (1, 1)})
    deep = WeightedSystem.of(
        domain,
        [
            WeightedRule("p", "a", "p", ("a", "b"), increment),
            WeightedRule("p", "a", "p", (), domain.one),
        ],
    )
    start = Configurations.of(("p", ("a",)))
    target = Configurations.topped(["p"], [["b"], ["b"], ["b"], ["b"], ["b"]], ["b"])
    question = Question((deep, deep), (start, start), (target, target), 2)
    assert interleaved(question, 5).weight == domain.zero
    assert concurrent(question, 5, 10**4).weight == domain.combine(domain.one, increment)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.merges])
def test_equations_of_threads_are_equal_to_interleavings_where_no_stack_is_too_high(
    name: str,
) -> None:
    complete = 0
    for seed in range(20):
        question = random_question(CASES[name], Random(seed))
        try:
            bounded = interleaved(question, 4, 500)
            if bounded.complete:
                assert solved_contexts(question, 200) == bounded.weight, seed
                complete += 1
        except TooMuchWorkError:
            continue
    assert complete > 3
