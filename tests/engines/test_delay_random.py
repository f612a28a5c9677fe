"""The delay engine against Definition 1 of DrUBA, on random systems.

Finite systems and pushdown systems take turns. `make fuzz` runs the same comparisons on ten
thousand systems and more.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.generators.programs import random_program
from support.generators.systems import Sizes, random_system, systems
from support.oracles.delays import (
    Cost,
    algorithm_1,
    everything,
    fewest_delays,
    reachable,
    schedules,
    successors,
    within,
)
from support.oracles.systems import (
    State,
    TooManyStatesError,
    initial_state,
    is_bad,
    visible,
    visible_states,
)
from support.samples.delays import SIZES, cost_of_trace, details, explored, grow
from tepui.checker import Schedule, check
from tepui.engines.delay import DelayEngine
from tepui.engines.engine import Violation
from tepui.engines.explicit import ExplicitEngine
from tepui.engines.finite_context import finite_contexts
from tepui.kernels.door import KernelLimits
from tepui.kernels.lowered_system import lower
from tepui.model import Pattern, Property, Reach, StackSet, System
from tepui.model.system import VisibleState, Word
from tepui.program.program import Program

FINITE = Sizes(shared=3, symbols=3, rules=6, word=1, stack=1, states=300)

KINDS = [(FINITE, 5, 4), (SIZES, 3, 4), (FINITE, 7, 2), (Sizes(), 3, 3)]
"""Sizes of random systems, and rounds and delays up to which Definition 1 is enumerated."""

PATHS = 40_000
"""Systems with more paths than these, up to what makes a difference, are left out."""

MANY = 200
"""More rounds and delays than any finite system here needs."""

A_LITTLE: KernelLimits = {"states": None, "bytes": None, "seconds": None, "pause": 1}


@pytest.mark.fuzz
def test_every_step_of_a_random_walk_is_definition_1(fuzz_systems: int) -> None:
    compared = grown = 0
    for seed in range(fuzz_systems):
        rng = Random(seed)
        sizes, most_rounds, most_delays = KINDS[seed % 4]
        system = random_system(rng, sizes)
        try:
            costs = schedules(system, most_rounds, most_delays, PATHS)
        except TooManyStatesError:
            continue
        bounds = ["r"] * most_rounds + ["d"] * most_delays
        rng.shuffle(bounds)
        tops = rng.randint(1, 3)
        exploration = explored(system, "".join(bounds), tops)
        for seen in exploration.observations:
            r, d = details(seen).rounds, details(seen).delays
            assert (r, d) == (bounds[: seen.k].count("r"), bounds[: seen.k].count("d"))
            expected = within(costs, r, d)
            assert set(seen.list_states()) == expected, (seed, r, d)
            assert seen.states == len(seen.list_states()) == len(expected), (seed, r, d)
            shown = visible_states(expected)
            assert set(seen.list_visible()) == shown, (seed, r, d)
            assert seen.visible == len(seen.list_visible()) == len(shown), (seed, r, d)
            words = {(q, *(stack[:tops] for stack in stacks)) for q, stacks in expected}
            assert details(seen).top_words == len(words), (seed, r, d, tops)
        compared += 1
        grown += len(costs) > 10
    assert compared > fuzz_systems * 0.97
    assert grown > fuzz_systems / 2


@pytest.mark.fuzz
def test_successors_are_computed_once_for_each_cost_that_no_other_undercuts(
    fuzz_systems: int,
) -> None:
    """However rounds and delays came about, none are computed twice and none in vain."""
    several = 0
    for seed in range(fuzz_systems // 4):
        rng = Random(seed)
        system = random_system(rng, KINDS[seed % 4][0])
        exploration = explored(system, _shuffled(rng, "rrrdd"))
        costs = _scheduled(system, rounds=3, delays=2)
        assert exploration.scheduled == len(costs), seed
        cheapest = [cost for pairs in costs.values() for cost in _not_undercut(pairs)]
        expanded = [cost for cost in cheapest if cost[0] < 3 * len(system.threads)]
        assert exploration.images == len(expanded), seed
        several += len(cheapest) > len(costs)
    assert several > fuzz_systems / 20


@pytest.mark.fuzz
def test_pauses_and_changes_of_mind_on_the_way_change_nothing(fuzz_systems: int) -> None:
    """Whatever is asked for next: what was begun is ended first, and says which R(r, d) it is."""
    for seed in range(fuzz_systems // 4):
        rng = Random(seed)
        system = random_system(rng, KINDS[seed % 4][0])
        costs = schedules(system, 3, 3)
        exploration = DelayEngine(system)
        while exploration.rounds < 3 and exploration.delays < 3:
            grow(exploration, rng.choice("rd"), rng.choice([A_LITTLE, None]))
        order = [details(seen) for seen in exploration.observations]
        for seen in exploration.observations:
            expected = within(costs, details(seen).rounds, details(seen).delays)
            assert set(seen.list_states()) == expected, (seed, seen.k)
        whole = DelayEngine(system)
        for before, after in pairwise(order):
            grow(whole, "r" if before.rounds < after.rounds else "d")
        assert [details(seen) for seen in whole.observations] == order
        assert whole.last.list_states() == exploration.last.list_states()


@pytest.mark.fuzz
def test_traces_replay_with_the_fewest_delays_in_their_rounds(fuzz_systems: int) -> None:
    delayed = 0
    for seed in range(fuzz_systems // 2):
        rng = Random(seed)
        system = random_system(rng, KINDS[seed % 4][0])
        exploration = explored(system, _shuffled(rng, "rrrddd"))
        shown = exploration.list_visible(exploration.last.k)
        bad = Property((_just_this(rng.choice(shown)),))
        delayed += _check_found(exploration, bad) > 0
        bad = Property(reaches=(_just_these(rng.choice(exploration.last.list_states())),))
        delayed += _check_found(exploration, bad) > 0
    assert delayed > fuzz_systems / 4


@pytest.mark.fuzz
def test_bad_states_are_found_as_soon_as_definition_1_reaches_one(fuzz_systems: int) -> None:
    """Those of patterns and deadlocks, as they are written: equal threads are not equal here."""
    violated = 0
    for seed in range(fuzz_systems // 2):
        rng = Random(seed)
        system = random_system(rng, KINDS[seed % 4][0])
        costs = schedules(system, 3, 3)
        exploration = DelayEngine(system)
        violation = exploration.first_new_bad(system.property)
        for bound in _shuffled(rng, "rrrddd"):
            reached = within(costs, exploration.rounds, exploration.delays)
            assert (violation is not None) == _has_bad(system, reached), seed
            if violation is not None:
                _check_trace(exploration, violation, system.property)
                violated += 1
                break
            grow(exploration, bound)
            violation = exploration.first_new_bad(system.property)
    assert violated > fuzz_systems / 10


@pytest.mark.fuzz
def test_a_plateau_of_whole_states_is_everything_there_is(fuzz_systems: int) -> None:
    """Theorem 7, by the engine's walk on finite systems; the printed algorithm finds no more."""
    for seed in range(fuzz_systems // 2):
        system = random_system(Random(seed), FINITE)
        exploration = DelayEngine(system)
        while not exploration.at_plateau:
            assert exploration.advance() == "done"
            assert exploration.last.k < MANY, seed
        reached = everything(system)
        assert set(exploration.last.list_states()) == reached, seed
        assert algorithm_1(system, visible)[0] <= reached, seed
        if exploration.has_collapsed:
            check(system, Property(), exploration.certificate())


@pytest.mark.fuzz
def test_a_collapse_is_final_however_it_was_reached(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 4):
        rng = Random(seed)
        system = random_system(rng, FINITE)
        exploration = DelayEngine(system)
        while not exploration.has_collapsed:
            grow(exploration, rng.choice("rrd"))
            assert exploration.last.k < MANY, seed
        assert set(exploration.last.list_states()) == everything(system), seed


@pytest.mark.fuzz
def test_within_bounds_an_exploration_is_complete_when_it_has_all_that_they_allow(
    fuzz_systems: int,
) -> None:
    early = 0
    for seed in range(fuzz_systems // 4):
        rng = Random(seed)
        system = random_system(rng, KINDS[seed % 4][0])
        most_rounds, most_delays = rng.randint(0, 4), rng.randint(0, 4)
        exploration = DelayEngine(system, rounds=most_rounds, delays=most_delays)
        while not exploration.is_complete:
            assert exploration.advance() == "done"
            assert exploration.rounds <= most_rounds, seed
            assert exploration.delays <= most_delays, seed
            assert exploration.last.k < MANY, seed
        expected = set(schedules(system, most_rounds, most_delays))
        assert set(exploration.last.list_states()) == expected, seed
        early += (exploration.rounds, exploration.delays) != (most_rounds, most_delays)
    assert early


@pytest.mark.fuzz
def test_programs_are_explored_as_well(fuzz_systems: int) -> None:
    """Brute force knows the rules of a program that exploration by contexts has met."""
    compared = 0
    for seed in range(fuzz_systems // 12):
        program = random_program(Random(seed))
        known = _explored_by_contexts(program)
        if known is None:
            continue
        try:
            costs = schedules(known, 3, 3, PATHS)
        except TooManyStatesError:
            continue
        exploration = explored(lower(program), _shuffled(Random(seed), "rrrddd"))
        for seen in exploration.observations:
            listed = {exploration.system.state_text(*state) for state in seen.list_states()}
            expected = within(costs, details(seen).rounds, details(seen).delays)
            assert listed == {known.state_text(*state) for state in expected}, (seed, seen.k)
        compared += 1
    assert compared > fuzz_systems / 48


@given(systems(SIZES), st.text("rd", max_size=5))
def test_any_walk_ends_in_definition_1(system: System, bounds: str) -> None:
    """Once more with hypothesis, which makes small systems of those that fail."""
    expected = reachable(system, bounds.count("r"), bounds.count("d"))
    assert set(explored(system, bounds).last.list_states()) == expected


def _scheduled(system: System, rounds: int, delays: int) -> dict[tuple[State, int], set[Cost]]:
    """For each state and the thread whose turn is next, the slots and delays before it."""
    count = len(system.threads)
    costs: dict[tuple[State, int], set[Cost]] = {}
    here = {(initial_state(system), 0)}
    for slot in range(rounds * count + 1):
        thread = slot % count
        for state, spent in here:
            costs.setdefault((state, thread), set()).add((slot, spent))
        moved = {(after, d) for state, d in here for after in successors(system, state, thread)}
        here = moved | {(state, spent + 1) for state, spent in here if spent < delays}
    return costs


def _not_undercut(costs: set[Cost]) -> list[Cost]:
    return [
        (slots, delays)
        for slots, delays in costs
        if not any(s <= slots and d <= delays for s, d in costs - {(slots, delays)})
    ]


def _explored_by_contexts(program: Program) -> System | None:
    """A program with all its rules, if it is small."""
    system = lower(program)
    if not all(finite_contexts(system)):
        return None
    exploration = ExplicitEngine(system, symmetry=False)
    seen = exploration.observations
    while len(seen) < 2 or seen[-1].mark != seen[-2].mark:
        exploration.advance()
        if (seen[-1].states or 0) > 1_000:
            return None
    return exploration.system


def _check_found(exploration: DelayEngine, bad: Property) -> int:
    """What is bad is found where it first occurs; how many delays its trace has."""
    violation = exploration.first_new_bad(bad)
    assert violation is not None
    found = [
        seen.k
        for seen in exploration.observations
        if any(_is_bad(exploration.system, bad, state) for state in seen.list_states())
    ]
    assert violation.k == found[0]
    return _check_trace(exploration, violation, bad)


def _check_trace(exploration: DelayEngine, violation: Violation, bad: Property) -> int:
    """The checker accepts the trace, and there is none with fewer delays; how many it has."""
    system = exploration.system
    trace = violation.trace(bad)
    check(system, bad, trace)
    taken, delays = cost_of_trace(system, trace)
    assert (taken, delays) == (violation.rounds, violation.bound)
    assert trace.schedule == Schedule(taken, delays)
    allowed = details(exploration.observations[violation.k])
    assert taken <= allowed.rounds
    fewest = fewest_delays(system, allowed.rounds, lambda state: _is_bad(system, bad, state))
    assert delays == fewest
    return delays


def _has_bad(system: System, states: set[State]) -> bool:
    return any(_is_bad(system, system.property, state) for state in states)


def _is_bad(system: System, bad: Property, state: State) -> bool:
    shared, stacks = state
    return is_bad(system, bad, visible(state)) or any(
        reach.shared in (None, shared)
        and all(
            wanted is None or wanted.accepts(stack)
            for wanted, stack in zip(reach.stacks, stacks, strict=True)
        )
        for reach in bad.reaches
    )


def _just_this(seen: VisibleState) -> Pattern:
    return Pattern(seen[0], seen[1:])


def _just_these(state: State) -> Reach:
    """The set of one state."""
    shared, stacks = state
    return Reach(shared, tuple(map(_just, stacks)))


def _just(stack: Word) -> StackSet:
    """The set of one stack."""
    edges = tuple(((symbol, place + 1),) for place, symbol in enumerate(stack))
    return StackSet((*(False for _ in stack), True), (*edges, ()))


def _shuffled(rng: Random, bounds: str) -> str:
    return "".join(rng.sample(bounds, len(bounds)))
