"""Pins the oracle of delay-bounded scheduling: DrUBA's own examples, cases by hand, its theorems.

The delay engine is tested against this oracle, so the oracle must not be tested against the engine:
every number here was worked out on paper, and every law is checked on random systems by brute force
alone.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.generators.systems import systems
from support.oracles.delays import (
    algorithm_1,
    cost_of_run,
    fewest_delays,
    reachable,
    schedules,
    successors,
    within,
)
from support.oracles.systems import State, TooManyStatesError, initial_state, steps, visible
from support.samples.delays import EXAMPLE_8, LOST_STATE, SIZES, TABLE_1, read
from tepui.model import Block, Description, NamedRule, System, build

SCHEDULE = [0, 1, 3, 0, 1, 2, 1, 2, 3]
"""The second schedule of section 2.3: three rounds of four threads, and three delays."""


@pytest.mark.parametrize("rounds", TABLE_1)
@pytest.mark.parametrize("delays", range(5))
def test_example_8_has_the_shared_states_of_table_1(rounds: int, delays: int) -> None:
    found = {shared for shared, _ in reachable(read(EXAMPLE_8), rounds, delays)}
    assert found == set(map(int, TABLE_1[rounds][delays]))


def test_the_schedule_of_section_2_3_takes_three_rounds_and_three_delays() -> None:
    """Every other step leads astray, so that this schedule is the only one to the end."""
    system = _forced(SCHEDULE, stray=True)
    end = (len(SCHEDULE), system.initial_stacks())
    assert schedules(system, 3, 3)[end] == {(3, 3)}
    assert end not in reachable(system, 3, 2)
    assert end not in reachable(system, 2, 3)


def test_threads_with_nothing_enabled_are_passed_over_without_a_delay() -> None:
    """In the same schedule without ways astray the delayed threads have their turns and stay."""
    system = _forced(SCHEDULE, stray=False)
    end = (len(SCHEDULE), system.initial_stacks())
    assert end in reachable(system, 3, 0)
    assert end not in reachable(system, 2, 12)


def test_a_thread_that_is_enabled_and_not_delayed_must_move() -> None:
    system = build(
        Description(
            "q",
            [
                Block("eager", ("a",), [NamedRule("q", "a", "spoilt", ("a",))]),
                Block("late", ("a",), [NamedRule("q", "a", "p", ("a",))]),
            ],
        )
    )
    assert _texts(system, reachable(system, 5, 0)) == {"q | a, a", "spoilt | a, a"}
    assert _texts(system, reachable(system, 1, 1)) == {"q | a, a", "spoilt | a, a", "p | a, a"}


def test_all_rules_of_a_scheduled_thread_are_tried_in_turn() -> None:
    rules = [NamedRule("q", "a", "q", ("b", "a")), NamedRule("q", "a", "p", ())]
    system = build(Description("q", [Block("one", ("a",), rules)]))
    assert _texts(system, reachable(system, 1, 0)) == {"q | a", "q | b a", "p | -"}


@pytest.mark.parametrize("delays", [0, 3])
def test_without_rounds_there_is_only_the_initial_state(delays: int) -> None:
    system = read(LOST_STATE)
    assert reachable(system, 0, delays) == {initial_state(system)}


def test_one_thread_takes_a_step_in_each_round_and_has_no_use_for_delays() -> None:
    rules = [NamedRule("q", str(n), "q", (str(n + 1),)) for n in range(5)]
    system = build(Description("q", [Block("one", ("0",), rules)]))
    for rounds in range(7):
        expected = {f"q | {n}" for n in range(min(rounds, 5) + 1)}
        assert _texts(system, reachable(system, rounds, 0)) == expected
        assert _texts(system, reachable(system, rounds, 4)) == expected


def test_the_first_thread_to_run_is_the_first_of_the_system() -> None:
    """Thread i is the first to move after i delays, which count as turns of round 1."""
    rules = [NamedRule("q", "a", "q", ("b",))]
    system = build(Description("q", [Block("one", ("a",), rules, count=3)]))
    first = [
        {_texts(system, {state}).pop() for state in reachable(system, 1, delays)}
        for delays in range(3)
    ]
    assert first[0] == {"q | a, a, a", "q | b, a, a", "q | b, b, a", "q | b, b, b"}
    assert first[1] - first[0] == {"q | a, b, a", "q | a, b, b", "q | b, a, b"}
    assert first[2] - first[1] == {"q | a, a, b"}


def test_the_fewest_delays_depend_on_the_rounds() -> None:
    system = read(LOST_STATE)
    asked = [
        fewest_delays(system, rounds, lambda s: system.state_text(*s) == "q2 | a, b, a")
        for rounds in range(8)
    ]
    assert asked == [None, None, None, 2, 2, 2, 1, 1]


def test_the_cost_of_a_run_counts_only_threads_that_could_have_moved() -> None:
    for stray, expected in ((True, (3, 3)), (False, (3, 0))):
        system = _forced(SCHEDULE, stray)
        stacks = system.initial_stacks()
        run = [(thread, (place + 1, stacks)) for place, thread in enumerate(SCHEDULE)]
        assert cost_of_run(system, run) == expected
        assert cost_of_run(system, []) == (0, 0)


def test_a_limit_on_paths_is_kept() -> None:
    with pytest.raises(TooManyStatesError):
        schedules(read(LOST_STATE), 5, 5, limit=10)


def test_algorithm_1_ends_at_3_4_on_example_8() -> None:
    reached, bounds = algorithm_1(read(EXAMPLE_8), visible)
    assert bounds == (3, 4)
    assert {shared for shared, _ in reached} == {0, 1, 2}


def test_algorithm_1_restarts_when_a_delay_shows_something_new() -> None:
    """At (2, 1) the second thread moves for the first time, then p0 to p3 take rounds up to 4."""
    first = [NamedRule("q", "a", "spoilt", ("a",))]
    first += [NamedRule(f"p{n}", "a", f"p{n + 1}", ("a",)) for n in range(3)]
    second = [NamedRule("q", "b", "p0", ("b",))]
    system = build(Description("q", [Block("A", ("a",), first), Block("B", ("b",), second)]))
    reached, bounds = algorithm_1(system, visible)
    names = {system.shared[shared] for shared, _ in reached}
    assert names == {"q", "spoilt", "p0", "p1", "p2", "p3"}
    assert bounds == (5, 2)


@given(systems(SIZES))
def test_smaller_bounds_are_read_off_the_costs_of_larger_ones(system: System) -> None:
    costs = schedules(system, 2, 2)
    for rounds, delays in ((1, 0), (1, 2), (2, 1)):
        assert within(costs, rounds, delays) == reachable(system, rounds, delays)


@given(systems(SIZES))
def test_definition_1_is_taking_turns_in_slots(system: System) -> None:
    """Cell p is the turn of thread p mod n, which runs or is delayed; r rounds are r · n slots."""
    costs = schedules(system, 3, 2)
    count = len(system.threads)
    here = {(initial_state(system), 0)}
    found = set(here)
    for slot in range(3 * count):
        moved = {(s, d) for state, d in here for s in successors(system, state, slot % count)}
        here = moved | {(state, d + 1) for state, d in here if d < 2}
        found |= here
        if slot % count == count - 1:
            for delays in range(3):
                expected = {state for state, spent in found if spent <= delays}
                assert within(costs, slot // count + 1, delays) == expected


@given(systems(SIZES), st.integers(0, 2**32))
def test_every_run_is_a_schedule_of_its_cost(system: System, seed: int) -> None:
    """Theorem 2, for runs that are short enough."""
    rng = Random(seed)
    costs = schedules(system, 3, 4)
    state = initial_state(system)
    run: list[tuple[int, State]] = []
    while options := steps(system, state):
        thread, _, state = rng.choice(options)
        run.append((thread, state))
        rounds, delays = cost_of_run(system, run)
        if rounds > 3 or delays > 4:
            break
        assert state in within(costs, rounds, delays)


@given(systems(SIZES))
def test_a_plateau_of_one_round_and_n_minus_1_delays_is_everything(system: System) -> None:
    """Theorem 7, for whole states, which all actions respect."""
    count = len(system.threads)
    small = reachable(system, 2, 1)
    if small == reachable(system, 3, count):
        assert {after for state in small for _, _, after in steps(system, state)} <= small


def _forced(schedule: list[int], stray: bool) -> System:
    """Threads that lead from one shared state to the next in this order only; all other steps, if
    there are any, lead astray."""
    end = len(schedule)
    return build(
        Description(
            "0",
            [
                Block(
                    f"T{thread}",
                    ("l",),
                    [
                        NamedRule(str(place), "l", str(place + 1) if runs else "stray", ("l",))
                        for place, scheduled in enumerate(schedule)
                        for runs in [scheduled == thread]
                        if runs or stray
                    ],
                )
                for thread in range(max(schedule) + 1)
            ],
            shared=[*map(str, range(end + 1))],
        )
    )


def _texts(system: System, states: set[State]) -> set[str]:
    return {system.state_text(*state) for state in states}
