"""Context-bounded analysis with weights: R(S, T) of WPDS, section 4.4."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice, pairwise, product
from random import Random
from typing import Any

import pytest

from support.generators.weighted import KINDS, ONE_WAY, costly, random_bounded_rules
from tepui.errors import ModelError, TepuiError, UsageError
from tepui.limits import Limits
from tepui.weighted import (
    Affine,
    Configurations,
    MinPath,
    Relations,
    Sets,
    WeightedRule,
    WeightedSystem,
    combine_all,
)
from tepui.weighted.contexts import Threads, context_bounded, context_bounds
from tepui.weighted.paths import meet_over_all_paths

State = tuple[str, tuple[tuple[str, ...], ...]]
"""A shared state and all stacks."""


def test_two_copies_of_figure_4_can_have_all_combinations_of_the_values() -> None:
    threads, start = _figure_4()
    target = [
        Configurations.of(("p", ("n6",))),
        Configurations.topped(["p"], [], threads.systems[1].symbols),
    ]
    domain = Relations(64)
    seen = [
        [divmod(value, 8) for value in domain.image(context_bounded(threads, start, target, k))]
        for k in (0, 1, 2, 3, 4)
    ]
    assert seen[0] == []
    assert seen[1] == [(3, 3), (7, 7)]
    assert seen[2] == seen[3] == seen[4] == [(3, 3), (3, 7), (7, 3), (7, 7)]


@pytest.mark.parametrize("name", [*KINDS, *ONE_WAY])
def test_what_is_found_is_what_all_interleavings_do(name: str) -> None:
    kind = (KINDS | ONE_WAY)[name]
    met = 0
    for seed in range(40):
        rng = Random(seed)
        question = _random_question(rng, kind)
        threads, stacks, states, target = question
        start = [
            Configurations.of(*((state, stack) for state in states for stack in each))
            for each in stacks
        ]
        begin = [(state, each) for state in states for each in product(*stacks)]
        for contexts in range(5):
            expected = _naive(threads, begin, target, contexts)
            assert context_bounded(threads, start, target, contexts) == expected, (seed, contexts)
        met += expected != kind[0].zero
    assert met > 12


def test_more_and_more_contexts_are_added_one_by_one() -> None:
    threads, start = _figure_4()
    target = [Configurations.topped(["p"], [], each.symbols) for each in threads.systems]
    found = list(islice(context_bounds(threads, start, target), 5))
    assert found == [(k, context_bounded(threads, start, target, k)) for k in range(1, 6)]
    assert list(context_bounds(threads, start, target, Limits(max_contexts=2))) == found[:2]


def test_it_takes_a_context_for_every_turn_of_a_game() -> None:
    """Each thread waits for the other one; the shared state says whose turn it is."""
    ping = costly(WeightedRule("ping", "a", "pong", ("a", "a"), 1))
    pong = costly(WeightedRule("pong", "b", "ping", ("b", "b"), 1))
    threads = Threads((ping, pong))
    start = [Configurations.of(("ping", ("a",))), Configurations.of(("ping", ("b",)))]
    target = [Configurations.of(("ping", ("a",) * 4)), Configurations.of(("ping", ("b",) * 4))]
    found = [context_bounded(threads, start, target, contexts) for contexts in range(8)]
    assert found == [None] * 6 + [6, 6]


def test_equal_threads_are_still_different_threads() -> None:
    step = costly(WeightedRule("p", "a", "q", ("b",), 1), WeightedRule("q", "a", "p", ("c",), 1))
    threads = Threads((step, step, step))
    start = [Configurations.of(("p", ("a",)))] * 3
    for tops in [("b", "b", "c"), ("b", "c", "b"), ("c", "b", "b")]:
        target = [Configurations.of(("q", (top,))) for top in tops]
        found = [context_bounded(threads, start, target, contexts) for contexts in (2, 3)]
        assert found == [None, 3]
    target = [Configurations.of(("q", ("b",)))] * 3
    assert context_bounded(threads, start, target, 6) is None


def test_equal_threads_take_turns() -> None:
    """One thread makes the first and the last step, another one that in the middle."""
    system = costly(
        WeightedRule(0, "a", 1, ("b",), 1),
        WeightedRule(1, "a", 2, ("c",), 1),
        WeightedRule(2, "b", 3, ("c",), 1),
    )
    threads = Threads((system, system))
    start, target = [Configurations.of((0, ("a",)))] * 2, [Configurations.of((3, ("c",)))] * 2
    assert [context_bounded(threads, start, target, k) for k in (2, 3)] == [None, 3]


def test_others_may_change_the_state_several_times_before_a_thread_goes_on() -> None:
    waits = costly(WeightedRule(0, "a", 1, ("b",), 1), WeightedRule(3, "b", 4, ("c",), 1))
    works = costly(WeightedRule(1, "a", 2, ("a",), 1), WeightedRule(2, "a", 3, ("a",), 1))
    start = [Configurations.of((0, ("a",)))] * 2
    target = [Configurations.of((4, ("c",))), Configurations.of((4, ("a",)))]
    found = [context_bounded(Threads((waits, works)), start, target, k) for k in (2, 3)]
    assert found == [None, 4]


def test_nobody_else_runs_while_a_section_is_held() -> None:
    section = [
        WeightedRule("free", "a", "held", ("b",), 1),
        WeightedRule("held", "b", "free", ("c",), 1),
    ]
    spy = [
        WeightedRule("held", "s", "held", ("t",), 1),
        WeightedRule("free", "s", "free", ("u",), 1),
    ]
    systems = costly(*section), costly(*spy)
    start = [Configurations.of(("free", ("a",))), Configurations.of(("free", ("s",)))]

    def found(threads: Threads[Any], state: str, first: str, second: str) -> Any:
        target = [Configurations.of((state, (first,))), Configurations.of((state, (second,)))]
        return context_bounded(threads, start, target, 3)

    anywhere, atomic = Threads(systems), Threads(systems, frozenset(["free"]))
    assert found(anywhere, "free", "c", "t") == 3
    assert found(anywhere, "held", "b", "t") == 2
    assert found(atomic, "held", "b", "t") is None
    assert found(atomic, "free", "c", "t") is None
    assert found(atomic, "free", "c", "u") == 3
    assert found(atomic, "held", "b", "u") == 2
    assert found(atomic, "held", "b", "s") == 1


def test_a_thread_that_is_done_lets_others_go_on() -> None:
    ends = costly(WeightedRule("p", "a", "q", (), 1))
    waits = costly(WeightedRule("q", "b", "r", (), 1))
    threads = Threads((ends, waits))
    start = [Configurations.of(("p", ("a",))), Configurations.of(("p", ("b",)))]
    target = [Configurations.of(("r", ())), Configurations.of(("r", ()))]
    assert [context_bounded(threads, start, target, k) for k in (1, 2)] == [None, 2]


def test_affine_loops_in_several_contexts_come_to_an_end() -> None:
    domain = Affine(2)
    up = WeightedSystem.of(
        domain,
        [
            WeightedRule("p", "a", "p", ("b", "a"), domain.statement({1: (1, 1, 0)})),
            WeightedRule("p", "b", "p", (), domain.statement({2: (1, 0, 1)})),
        ],
    )
    threads = Threads((up, up))
    start = [Configurations.of(("p", ("a",)))] * 2
    for contexts, relations in [(1, ((0, 1, -1),)), (2, ((0, 1, -1),)), (4, ((0, 1, -1),))]:
        weight = context_bounded(threads, start, start, contexts)
        assert domain.holding(weight, start=[0, 0]) == relations
    late = [Configurations.of(("p", ("b", "a"))), Configurations.of(("p", ("a",)))]
    assert domain.holding(context_bounded(threads, start, late, 3), [0, 0]) == ((-1, 1, -1),)


def test_calls_that_merge_may_not_be_interrupted() -> None:
    domain = Relations(4, local_states=2)
    flip = domain.relation((g * 2 + local, (1 - g) * 2 + 1) for g in (0, 1) for local in (0, 1))
    system = WeightedSystem.of(
        domain,
        [
            WeightedRule("p", "main", "p", ("callee", "after"), domain.one, merges=True),
            WeightedRule("p", "callee", "p", (), flip),
        ],
    )
    threads = Threads((system, system))
    start = [Configurations.of(("p", ("main",)))] * 2
    target = [Configurations.of(("p", ("after",)))] * 2
    alone = meet_over_all_paths(system, start[0], target[0])
    assert alone == domain.relation(
        (g * 2 + local, (1 - g) * 2 + local) for g in (0, 1) for local in (0, 1)
    )
    assert context_bounded(threads, start, target, 2) == domain.extend(alone, alone)
    single = Threads((system,))
    assert context_bounded(single, start[:1], target[:1], 9) == alone
    with pytest.raises(UsageError, match=r"<p, main> -> <p, callee after> merges"):
        context_bounded(threads, start, target, 3)


def test_wrong_questions_are_refused() -> None:
    threads, start = _figure_4()
    with pytest.raises(UsageError, match="the target has 1 sets of configurations; expected 2"):
        context_bounded(threads, start, start[:1], 2)
    with pytest.raises(UsageError, match="contexts is -1"):
        context_bounded(threads, start, start, -1)
    with pytest.raises(ModelError, match="there is no thread"):
        Threads[Any](())
    empty: list[WeightedSystem[Any]] = [
        WeightedSystem.of(domain, [])
        for domain in (MinPath(), MinPath(), Relations(2), Sets(2), Sets(2, "intersection"))
    ]
    Threads(tuple(empty[:2]))
    for pair in pairwise(empty[1:]):
        with pytest.raises(ModelError, match="of one domain"):
            Threads(pair)


def test_a_limit_of_time_stops_the_analysis() -> None:
    threads, start = _figure_4()
    with pytest.raises(TepuiError, match="stopped at a limit"):
        context_bounded(threads, start, start, 40, Limits(timeout=0))


def _figure_4() -> tuple[Threads[Any], list[Configurations]]:
    """Two copies of it. A valuation of x and y is the number 8 x + y."""
    domain = Relations(64)

    def assigned(after: Callable[[int, int], tuple[int, int]]) -> Any:
        values = list(product(range(8), repeat=2))
        moved = (after(x, y) for x, y in values)
        return domain.relation(
            (8 * x + y, 8 * x2 + y2) for (x, y), (x2, y2) in zip(values, moved, strict=True)
        )

    def edge(node: str, word: str, weight: Any = domain.one) -> WeightedRule[Any]:
        return WeightedRule("p", node, "p", tuple(word.split()), weight)

    system = WeightedSystem.of(
        domain,
        [
            edge("n1", "n3", assigned(lambda x, y: (3, y))),
            edge("n1", "n2", assigned(lambda x, y: (7, y))),
            edge("n3", "n7 n4"),
            edge("n2", "n7 n5"),
            edge("n4", "n6"),
            edge("n5", "n6"),
            edge("n7", "n8", assigned(lambda x, y: (x, x))),
            edge("n8", ""),
        ],
    )
    return Threads((system, system)), [Configurations.of(("p", ("n1",)))] * 2


def _random_question(rng: Random, kind: Any) -> Any:
    """Threads, equal ones among them, initial stacks and states, and a target."""
    states = ["p", "q", "r"][: rng.choice([1, 1, 2, 3])]
    number = rng.choice([1, 2, 2, 3])
    symbols = ["a", "b", "c", "d"]
    drafts = [random_bounded_rules(rng, kind, states, symbols, most=5) for _ in range(number)]
    all_stacks = [
        [tuple(rng.choices(symbols[-2:], k=rng.choice([0, 1, 1, 2]))) for _ in range(2)]
        for _ in range(number)
    ]
    tops = [rng.choice([[], [rng.sample(symbols, 2)]]) for _ in range(number)]
    chosen = [rng.randrange(number) if rng.random() < 0.4 else i for i in range(number)]
    target = [
        Configurations.topped(rng.sample(states, rng.randint(1, len(states))), each, symbols)
        for each in tops
    ]
    switches = None if rng.random() < 0.5 else frozenset(rng.sample(states, 1))
    threads = Threads(tuple(drafts[i] for i in chosen), switches)
    initial = rng.sample(states, rng.randint(1, len(states)))
    return threads, [all_stacks[i] for i in chosen], initial, [target[i] for i in chosen]


def _naive(
    threads: Threads[Any],
    begin: Iterable[State],
    target: Sequence[Configurations],
    contexts: int,
) -> Any:
    """One round of contexts after another, on whole states."""
    domain = threads.domain
    weights = dict.fromkeys(begin, domain.one)
    for done in range(contexts):
        free = {
            state: weight
            for state, weight in weights.items()
            if not done or threads.switches is None or state[0] in threads.switches
        }
        after = dict(weights)
        for thread in range(len(threads.systems)):
            for state, weight in _closed(threads, free, thread).items():
                after[state] = domain.combine(after.get(state, domain.zero), weight)
        weights = after
    return combine_all(
        domain,
        (
            weight
            for (shared, stacks), weight in weights.items()
            if all((shared, stack) in each for stack, each in zip(stacks, target, strict=True))
        ),
    )


def _closed(threads: Threads[Any], begin: dict[State, Any], thread: int) -> dict[State, Any]:
    """What one thread makes of some states, by itself."""
    domain = threads.domain
    weights = dict(begin)
    waiting = list(weights)
    while waiting:
        shared, stacks = here = waiting.pop()
        stack = stacks[thread]
        for rule in threads.systems[thread].rules:
            if stack and (rule.state, rule.symbol) == (shared, stack[0]):
                word = rule.word + stack[1:]
                there: Any = (rule.target, (*stacks[:thread], word, *stacks[thread + 1 :]))
                old = weights.get(there, domain.zero)
                weights[there] = domain.combine(old, domain.extend(weights[here], rule.weight))
                if weights[there] != old:
                    waiting.append(there)
    return weights


def test_a_domain_with_other_parameters_is_another_one() -> None:
    class AtMost(MinPath):
        def __init__(self, most: int) -> None:
            self.most = most

    def system(most: int) -> WeightedSystem[int | None]:
        return WeightedSystem.of(AtMost(most), [WeightedRule("p", "a", "p", ("b",), 1)])

    Threads((system(3), system(3)))
    with pytest.raises(ModelError, match="of one domain"):
        Threads((system(3), system(5)))
