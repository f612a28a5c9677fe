"""Weighted post* and pre*, meet over all paths, and runs: by hand, and native against callback."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from random import Random
from typing import Any

import pytest

from tepui.errors import ModelError, Stopped, UsageError
from tepui.limits import Limits
from tepui.weighted import (
    Affine,
    Boolean,
    Configurations,
    Inner,
    Merging,
    MinPath,
    Relations,
    Sets,
    WeightedRelations,
    WeightedRule,
    WeightedSystem,
)
from tepui.weighted.domains.relations import Relation
from tepui.weighted.paths import Run, meet_over_all_paths, run_for, shortest_run, weight_of
from tepui.weighted.saturation import post_star, pre_star
from tepui.weighted.system import Configuration

VALUES = 8
FIGURE_4 = Relations(VALUES * VALUES)
"""Data states are valuations of x and y: the number of (x, y) is 8 x + y."""


def assigned(x: int | None = None, y: str | None = None) -> Relation:
    """`x := c`, or `y := x`."""
    return FIGURE_4.relation(
        (VALUES * old_x + old_y, VALUES * new_x + (new_x if y == "x" else old_y))
        for old_x, old_y in product(range(VALUES), repeat=2)
        for new_x in [old_x if x is None else x]
    )


def figure_4() -> WeightedSystem[Relation]:
    """The program of Figure 4, in which bar copies x to y, and is called with 3 and with 7."""
    one = FIGURE_4.one
    return WeightedSystem.of(
        FIGURE_4,
        [
            WeightedRule("p", "n1", "p", ("n2",), assigned(x=7)),
            WeightedRule("p", "n1", "p", ("n3",), assigned(x=3)),
            WeightedRule("p", "n2", "p", ("n7", "n5"), one),
            WeightedRule("p", "n3", "p", ("n7", "n4"), one),
            WeightedRule("p", "n4", "p", ("n6",), one),
            WeightedRule("p", "n5", "p", ("n6",), one),
            WeightedRule("p", "n7", "p", ("n8",), assigned(y="x")),
            WeightedRule("p", "n8", "p", (), one),
        ],
    )


def costs(*rules: WeightedRule[int | None]) -> WeightedSystem[int | None]:
    return WeightedSystem.of(MinPath(), rules)


START = Configurations.of(("p", ("n1",)))
BOTH = [True, False]
"""Natively and through callbacks."""


@pytest.mark.parametrize("native", BOTH)
@pytest.mark.parametrize(
    ("stack", "reached"),
    [
        (("n6",), [(3, 3), (7, 7)]),
        (("n8", "n4"), [(3, 3)]),
        (("n8", "n5"), [(7, 7)]),
        (("n4",), [(3, 3)]),
        (("n8",), []),
        ((), []),
    ],
)
def test_figure_4_knows_the_calling_context(
    stack: tuple[str, ...], reached: list[tuple[int, int]], native: bool
) -> None:
    system = figure_4()
    forwards = post_star(system, START, native=native).weight("p", stack)
    assert _valuations(forwards) == reached
    target = Configurations.of(("p", stack))
    assert pre_star(system, target, native=native).weight("p", ("n1",)) == forwards
    assert meet_over_all_paths(system, START, target, native=native) == forwards


def test_a_set_weighs_what_its_configurations_weigh_together() -> None:
    system = figure_4()
    at_n8 = Configurations.topped(["p"], [["n8"]], system.symbols)
    called_from_n3 = Configurations.topped(["p"], [["n8"], ["n4"]], system.symbols)
    automaton = post_star(system, START)
    assert _valuations(weight_of(automaton, at_n8)) == [(3, 3), (7, 7)]
    assert _valuations(weight_of(automaton, called_from_n3)) == [(3, 3)]
    assert _valuations(meet_over_all_paths(system, START, at_n8)) == [(3, 3), (7, 7)]
    assert weight_of(pre_star(system, called_from_n3), START) == weight_of(
        automaton, called_from_n3
    )


@pytest.mark.parametrize("native", BOTH)
def test_figure_7_weighs_each_stack_of_infinitely_many(native: bool) -> None:
    system = costs(
        WeightedRule("p1", "a", "p2", ("b", "b"), 2), WeightedRule("p2", "b", "p2", ("b", "b"), 1)
    )
    start = Configurations.of(("p1", ("a",)))
    automaton = post_star(system, start, native=native)
    weights = [automaton.weight("p2", ("b",) * height) for height in range(8)]
    assert weights == [None, None, 2, 3, 4, 5, 6, 7]
    at_least_five = Configurations.topped(["p2"], [["b"]] * 5, ["b"])
    assert weight_of(automaton, at_least_five, native=native) == 5
    assert pre_star(system, at_least_five, native=native).weight("p1", ("a",)) == 5


LOCALS = Relations(states=4, local_states=2)
"""The data state 2 g + l is a global and a local bit."""


def calling(merges: bool) -> WeightedSystem[Relation]:
    """A caller that sets its local bit, and a callee that sets all bits to 1 and returns."""
    set_local = LOCALS.relation((state, state | 1) for state in range(4))
    clear_local = LOCALS.relation((state, state & 2) for state in range(4))
    set_all = LOCALS.relation((state, 3) for state in range(4))
    return WeightedSystem.of(
        LOCALS,
        [
            WeightedRule("p", "start", "p", ("call",), clear_local),
            WeightedRule("p", "call", "p", ("entry", "after"), set_local, merges=merges),
            WeightedRule("p", "entry", "p", ("exit",), set_all),
            WeightedRule("p", "exit", "p", (), LOCALS.one),
        ],
    )


@pytest.mark.parametrize("native", BOTH)
def test_a_caller_has_its_locals_back_after_a_call_that_merges(native: bool) -> None:
    start = Configurations.of(("p", ("start",)))
    after = Configurations.of(("p", ("after",)))
    inside = Configurations.of(("p", ("exit", "after")))
    for merges, expected in ((True, [2]), (False, [3])):
        system = calling(merges)
        for weight in (
            post_star(system, start, native=native).weight("p", ("after",)),
            pre_star(system, after, native=native).weight("p", ("start",)),
            meet_over_all_paths(system, start, after, native=native),
        ):
            assert LOCALS.image(weight) == expected
        unfinished = pre_star(system, inside, native=native).weight("p", ("start",))
        assert unfinished == post_star(system, start, native=native).weight("p", ("exit", "after"))
        assert LOCALS.image(unfinished) == [3]


@pytest.mark.parametrize("native", BOTH)
def test_words_of_any_length_are_one_step(native: bool) -> None:
    system = costs(
        WeightedRule("p", "a", "p", ("b", "c", "b", "d"), 1),
        WeightedRule("p", "b", "q", (), 10),
        WeightedRule("q", "c", "q", (), 100),
        WeightedRule("q", "b", "p", ("b",), 1000),
    )
    start = Configurations.of(("p", ("a", "e")))
    found = post_star(system, start, native=native)
    assert found.weight("p", ("b", "c", "b", "d", "e")) == 1
    assert found.weight("q", ("c", "b", "d", "e")) == 11
    assert found.weight("q", ("d", "e")) == 1121
    target = Configurations.of(("q", ("d", "e")))
    assert pre_star(system, target, native=native).weight("p", ("a", "e")) == 1121


@pytest.mark.parametrize("native", BOTH)
def test_empty_stacks_are_reached_and_left_alone(native: bool) -> None:
    system = costs(WeightedRule("p", "a", "q", (), 4))
    start = Configurations.of(("p", ("a",)), ("q", ()))
    found = post_star(system, start, native=native)
    assert found.weight("q", ()) == 0
    assert found.weight("p", ()) is None
    only_a = post_star(system, Configurations.of(("p", ("a",))), native=native)
    assert only_a.weight("q", ()) == 4
    empty = Configurations.of(("q", ()))
    assert pre_star(system, empty, native=native).weight("p", ("a",)) == 4
    assert meet_over_all_paths(system, empty, empty, native=native) == 0


@pytest.mark.parametrize("native", BOTH)
def test_sets_may_have_epsilon(native: bool) -> None:
    system = costs(WeightedRule("p", "a", "p", (), 1))
    middle, end = Inner("middle"), Inner("end")
    some = Configurations(
        frozenset({("p", None, middle), (middle, "a", middle), (middle, None, end)}),
        frozenset({end}),
    )
    assert post_star(system, some, native=native).weight("p", ()) == 0
    assert pre_star(system, some, native=native).weight("p", ("a",) * 3) == 0
    one = Configurations.of(("p", ("a", "a", "b")))
    assert meet_over_all_paths(system, one, some, native=native) is None
    twice = Configurations.of(("p", ("a", "a")))
    assert meet_over_all_paths(system, twice, Configurations.of(("p", ())), native=native) == 2


def test_rules_without_a_path_are_as_good_as_none() -> None:
    system = costs(
        WeightedRule("p", "a", "p", ("b", "c"), None), WeightedRule("p", "b", "p", (), 1)
    )
    start = Configurations.of(("p", ("a",)))
    for native in BOTH:
        assert len(post_star(system, start, native=native).transitions) == 1


# What goes wrong.


@pytest.mark.parametrize(
    ("domain", "weight", "expected"),
    [
        (MinPath(), -1, "a natural number"),
        (MinPath(), 1.5, "a natural number"),
        (MinPath(), True, "a natural number"),
        (Boolean(), 1, "True or False"),
        (Relations(2), (1,), "2 rows"),
        (Relations(2), (1, 4), r"2 \*\* 2"),
        (Sets(2), (1, 1), "a Transformer"),
        (Sets(2), Sets(3).one, "2 facts"),
        (WeightedRelations(2, MinPath()), ((0, 2, 1),), "below 2"),
        (WeightedRelations(2, MinPath()), ((0, 1, -1),), "source, target, cost"),
    ],
)
def test_a_weight_that_is_none_is_refused_with_the_rule(
    domain: Any, weight: object, expected: str
) -> None:
    system = WeightedSystem.of(domain, [WeightedRule("p", "a", "q", ("b", "c"), weight)])
    for ask in (post_star, pre_star):
        with pytest.raises(ModelError, match=rf"<p, a> -> <q, b c> has the weight .*{expected}"):
            ask(system, START)


class Broken(MinPath):
    """A domain that gives up."""

    def extend(self, a: int | None, b: int | None) -> int | None:
        raise LookupError("no such sum")


def test_what_a_domain_raises_comes_out_as_it_is() -> None:
    rule: WeightedRule[int | None] = WeightedRule("p", "a", "p", ("b",), 1)
    system = WeightedSystem.of(Broken(), [rule])
    start, target = Configurations.of(("p", ("a",))), Configurations.of(("p", ("b",)))
    for ask in (
        lambda: post_star(system, start),
        lambda: pre_star(system, target),
        lambda: meet_over_all_paths(system, start, target),
    ):
        with pytest.raises(LookupError, match="no such sum"):
            ask()


def test_costs_have_no_bounds() -> None:
    most = 2**64 - 2
    for first, second in ((most, 0), (most, 1), (2**63, 2**63), (2**64 - 1, 0), (2**70, 2**80)):
        system = costs(
            WeightedRule("p", "a", "p", ("b",), first), WeightedRule("p", "b", "p", ("c",), second)
        )
        start, target = Configurations.of(("p", ("a",))), Configurations.of(("p", ("c",)))
        automaton = post_star(system, start)
        assert automaton.weight("p", ("c",)) == first + second
        assert weight_of(automaton, target) == first + second
        assert weight_of(pre_star(system, target), start) == first + second
        assert meet_over_all_paths(system, start, target) == first + second


def test_large_coefficients_on_the_way_are_no_trouble() -> None:
    domain = Affine(2)

    def span(*matrix: int) -> Any:
        return domain.span([matrix])

    system = WeightedSystem.of(
        domain,
        [
            WeightedRule("p", "b", "q", ("a",), domain.one),
            WeightedRule("p", "b", "p", ("b", "b"), span(1, 0, -2, 1, 1, 2, 0, 1, -1)),
            WeightedRule("q", "a", "p", (), span(1, 0, 1, 0, 1, 1, 0, 0, -2)),
        ],
    )
    start, target = Configurations.of(("q", ("a", "b"))), Configurations.of(("p", ()))
    exact = meet_over_all_paths(system, start, target, native=False)
    assert meet_over_all_paths(system, start, target) == exact


# Limits and interruptions.


SLOW = Relations(4000)


def slow() -> WeightedSystem[Relation]:
    """Thousands of steps, each of which multiplies large matrices."""
    step = SLOW.relation((state, (state + 1) % SLOW.states) for state in range(SLOW.states))
    return WeightedSystem.of(
        SLOW, [WeightedRule("p", "a", "p", ("a",), SLOW.combine(SLOW.one, step))]
    )


class Endless(MinPath):
    """No semiring: a loop never ends."""

    def combine(self, a: int | None, b: int | None) -> int | None:
        return (a or 0) + (b or 0) + 1


def endless() -> WeightedSystem[int | None]:
    return WeightedSystem.of(Endless(), [WeightedRule("p", "a", "p", ("a",), 1)])


@pytest.mark.parametrize("make", [slow, endless])
@pytest.mark.parametrize("ask", [post_star, pre_star])
def test_a_saturation_stops_when_its_time_is_over(
    make: Callable[[], WeightedSystem[Any]], ask: Callable[..., object]
) -> None:
    with pytest.raises(Stopped, match="stopped at a limit: time"):
        ask(make(), Configurations.of(("p", ("a",))), Limits(timeout=0.2))


def test_a_saturation_stops_when_its_memory_is_used_up() -> None:
    rules: list[WeightedRule[int | None]] = [
        WeightedRule("p", i, "p", (i + 1,), 1) for i in range(20_000)
    ]
    system = costs(*rules)
    with pytest.raises(Stopped, match="stopped at a limit: memory"):
        post_star(system, Configurations.of(("p", (0,))), Limits(memory=1))


@pytest.mark.parametrize("make", [slow, endless])
@pytest.mark.parametrize("ask", [post_star, pre_star])
def test_a_saturation_can_be_interrupted(
    make: Callable[[], WeightedSystem[Any]], ask: Callable[..., object]
) -> None:
    system = make()
    with _interrupted_after(0.2), pytest.raises(KeyboardInterrupt):
        ask(system, Configurations.of(("p", ("a",))), Limits(timeout=20))


# Runs.


def test_a_cheapest_run_is_replayed() -> None:
    system = costs(
        WeightedRule("p", "a", "p", ("f", "b"), 1),
        WeightedRule("p", "f", "p", (), 9),
        WeightedRule("p", "f", "p", ("g", "g"), 1),
        WeightedRule("p", "g", "p", (), 2),
    )
    start, target = Configurations.of(("p", ("a",))), Configurations.of(("p", ("b",)))
    run = shortest_run(system, start, target)
    assert run == Run(("p", ("a",)), (0, 2, 3, 3))
    assert list(run.configurations(system))[-1] == ("p", ("b",))
    assert shortest_run(system, target, start) is None
    assert shortest_run(system, start, target, most=4) == run
    with pytest.raises(UsageError, match="more than 3 rules"):
        shortest_run(system, start, target, most=3)


def test_a_run_without_steps_has_no_rules() -> None:
    system = costs()
    for configuration in (("p", ()), ("p", ("a", "b"))):
        both = Configurations.of(configuration)
        assert shortest_run(system, both, both) == Run(configuration, ())


def test_runs_are_found_for_costs_within_machine_words_only() -> None:
    system = costs(WeightedRule("p", "a", "p", (), 2**64))
    with pytest.raises(ModelError, match="costs below"):
        shortest_run(system, Configurations.of(("p", ("a",))), Configurations.of(("p", ())))
    with pytest.raises(UsageError, match="Relations"):
        shortest_run(figure_4(), START, START)  # type: ignore[arg-type]


@pytest.mark.fuzz
def test_random_cheapest_runs_cost_what_all_runs_together_weigh(fuzz_systems: int) -> None:
    rng = Random(1)
    found = 0
    for _ in range(fuzz_systems):
        system = _random_system(rng, MinPath(), lambda: rng.choice([0, 0, 1, 5, None]))
        starts = _some_configurations(rng)
        start = Configurations.of(*starts)
        target = Configurations.topped(["p", "q"], [[rng.choice("abc")]], "abc")
        weight = meet_over_all_paths(system, start, target)
        run = shortest_run(system, start, target)
        assert (run is None) == (weight is None)
        if run is not None:
            found += bool(run.rules)
            assert run.start in starts
            assert _replayed(system, run) in target
            assert sum(system.rules[rule].weight or 0 for rule in run.rules) == weight
    assert found > fuzz_systems // 10


def test_a_run_shows_how_data_come_about() -> None:
    system = figure_4()
    target = Configurations.of(("p", ("n6",)))
    run = run_for(system, START, target, before=0, after=VALUES * 3 + 3)
    assert run == Run(("p", ("n1",)), (1, 3, 6, 7, 4))
    assert _replayed(system, run) == ("p", ("n6",))
    assert run_for(system, START, target, before=0, after=VALUES * 3 + 7) is None


@pytest.mark.fuzz
def test_there_is_a_run_for_just_the_pairs_of_the_weight(fuzz_systems: int) -> None:
    rng = Random(2)
    domain = Relations(3)
    pairs = [(before, after) for before in range(3) for after in range(3)]
    for _ in range(fuzz_systems // 10):
        system = _random_system(
            rng, domain, lambda: domain.relation(rng.sample(pairs, rng.randint(1, 4)))
        )
        starts, ends = _some_configurations(rng), _some_configurations(rng)
        start, target = Configurations.of(*starts), Configurations.of(*ends)
        related = {*domain.pairs(meet_over_all_paths(system, start, target))}
        for before, after in pairs:
            run = run_for(system, start, target, before, after)
            assert (run is not None) == ((before, after) in related)
            if run is not None:
                weight = domain.one
                for rule in run.rules:
                    weight = domain.extend(weight, system.rules[rule].weight)
                assert (before, after) in domain.pairs(weight)
                assert run.start in starts
                assert _replayed(system, run) in ends


def test_runs_are_refused_where_rules_merge_or_weights_are_no_relations() -> None:
    start = Configurations.of(("p", ("start",)))
    with pytest.raises(UsageError, match="merges"):
        run_for(calling(merges=True), start, start, 0, 0)
    with pytest.raises(ModelError, match="below 4"):
        run_for(calling(merges=False), start, start, 0, 4)
    with pytest.raises(UsageError, match="no relations, but Endless"):
        run_for(endless(), start, start, 0, 0)  # type: ignore[arg-type]


# Natively and through callbacks.


def _native_domains() -> dict[str, tuple[Any, Callable[[Random], object]]]:
    small, large = Relations(4, 2), Relations(70, 7)
    union, intersection = Sets(3), Sets(67, "intersection")
    costs = WeightedRelations(4, MinPath(), 2)
    affine = Affine(1)

    def relation(domain: Relations, most: int) -> Callable[[Random], object]:
        def weight(rng: Random) -> object:
            count = rng.randint(0, most)
            states = range(domain.states)
            return domain.relation((rng.choice(states), rng.choice(states)) for _ in range(count))

        return weight

    def transformer(domain: Sets) -> Callable[[Random], object]:
        top = 1 << domain.facts
        return lambda rng: domain.transformer(rng.randrange(top), rng.randrange(top))

    def entries(rng: Random) -> object:
        return costs.relation(
            (rng.randrange(4), rng.randrange(4), rng.randrange(5)) for _ in range(rng.randint(0, 5))
        )

    def statement(rng: Random) -> object:
        return affine.statement({1: rng.choice([None, (1, 1), (0, 2), (3, 0)])})

    return {
        "Boolean": (Boolean(), lambda rng: rng.random() < 0.9),
        "MinPath": (MinPath(), lambda rng: rng.choice([0, 1, 2, 5, None])),
        "Relations": (small, relation(small, 5)),
        "large Relations": (large, relation(large, 400)),
        "Sets, union": (union, transformer(union)),
        "Sets, intersection": (intersection, transformer(intersection)),
        "WeightedRelations": (costs, entries),
        "Affine": (affine, statement),
    }


@pytest.mark.fuzz
@pytest.mark.parametrize("name", _native_domains())
def test_native_weights_are_those_of_python(name: str, fuzz_systems: int) -> None:
    rng = Random(name)
    domain, weight = _native_domains()[name]
    for _ in range(fuzz_systems // 20):
        system = _random_system(rng, domain, lambda: weight(rng))
        start = Configurations.of(*_some_configurations(rng))
        target = Configurations.topped(["p", "q"], [[rng.choice("abc")]], "abc")
        found = post_star(system, start)
        assert found == post_star(system, start, native=False)
        back = pre_star(system, target)
        assert back == pre_star(system, target, native=False)
        weights = [
            meet_over_all_paths(system, start, target),
            meet_over_all_paths(system, start, target, native=False),
            weight_of(found, target),
            weight_of(back, start, native=False),
        ]
        assert weights == [weights[0]] * 4
        assert {type(each) for each in weights} == {type(weights[0])}


# Helpers.


def _valuations(weight: Relation) -> list[tuple[int, int]]:
    return [divmod(state, VALUES) for state in FIGURE_4.image(weight)]


def _random_system(rng: Random, domain: Any, weight: Callable[[], object]) -> WeightedSystem[Any]:
    """Up to six rules of all kinds; pushes of domains that can merge do so mostly."""
    rules = []
    for _ in range(rng.randint(2, 6)):
        word = tuple(rng.choice("abc") for _ in range(rng.choice([0, 0, 1, 1, 2, 2, 3])))
        merges = isinstance(domain, Merging) and len(word) == 2 and rng.random() < 0.7
        if type(domain) is Relations and domain.local_states == 1:
            merges = False
        state, target = rng.choice("pq"), rng.choice("pq")
        rules.append(WeightedRule(state, rng.choice("abc"), target, word, weight(), merges))
    return WeightedSystem.of(domain, rules)


def _some_configurations(rng: Random) -> list[Configuration]:
    return [
        (rng.choice("pq"), tuple(rng.choice("abc") for _ in range(rng.randint(0, 3))))
        for _ in range(rng.randint(1, 3))
    ]


def _replayed(system: WeightedSystem[Any], run: Run) -> Configuration:
    """Where a run ends, if each of its rules can be taken."""
    state, stack = run.start
    for number in run.rules:
        rule = system.rules[number]
        assert (rule.state, rule.symbol) == (state, stack[0])
        state, stack = rule.target, rule.word + stack[1:]
    return state, stack


@contextmanager
def _interrupted_after(seconds: float) -> Iterator[None]:
    """Ctrl-C, after a while."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
