"""What is decided about random predicates of random programs, against all states listed one by one.

For a fixed number of threads, respect and closure are compared exactly. For any number, what is
said must be so for each of the first few.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from support.oracles.predicates import (
    Circle,
    State,
    Watch,
    random_circle,
    random_predicate,
)
from support.sizes import sized
from tepui.api import loads
from tepui.checker.invariants.invariant import Stack
from tepui.checker.invariants.solver import Solver
from tepui.checker.invariants.terms import Terms
from tepui.checker.invariants.thread_paths import Paths
from tepui.engines.sequences import Direction
from tepui.program.places import places
from tepui.program.program import Program
from tepui.watching.predicates.closure_queries import ClosureQueries
from tepui.watching.predicates.concrete_steps import ConcreteSteps
from tepui.watching.predicates.picture_queries import PictureQueries
from tepui.watching.predicates.predicate_result import PredicateResult
from tepui.watching.predicates.predicate_terms import PredicateTerms
from tepui.watching.predicates.predicate_text import read_predicate
from tepui.watching.predicates.round_robin import RoundRobin
from tepui.watching.predicates.watch_predicates import watch_predicates

pytest.importorskip("cvc5")

Seen = tuple[int, tuple[bool, ...]]


def _case(seed: int, count: str) -> tuple[Circle, list[Watch], PredicateResult]:
    random = Random(seed)
    circle = random_circle(random)
    places = len(circle.statements)
    predicates = [random_predicate(random, places) for _ in range(random.randint(1, 2))]
    program = loads(circle.text(count), "bp")
    assert isinstance(program, Program)
    found = watch_predicates(program, [each.text for each in predicates], [])
    return circle, predicates, found


def _sees(predicates: list[Watch], state: State, watched: int) -> Seen:
    values = tuple(bool(each.value(state, watched)) for each in predicates)
    return state[2][watched][0], values


def _set(found: PredicateResult) -> set[Seen]:
    return {
        (int(row.place.rpartition("(L")[2].rstrip(")")), tuple(map(bool, row.values)))
        for row in found.abstract_states
    }


def _is_closed(
    circle: Circle, predicates: list[Watch], states: set[Seen], count: int, by: str, pc: int
) -> tuple[bool, bool, bool]:
    """Whether a set is closed under a statement by Definition 6, whether it is so as all threads
    see it, and whether the statement respects the predicates."""
    by_definition = as_all_see_it = True
    after_of: dict[Seen, Seen] = {}
    respects = True
    for state in circle.all_states(count):
        mover = 0 if by == "watched" else 1
        if state[2][mover][0] != pc:
            continue
        after = circle.step(state, mover)
        if after is None:
            continue
        before, then = _sees(predicates, state, 0), _sees(predicates, after, 0)
        respects &= after_of.setdefault(before, then) == then
        if before in states and then not in states:
            by_definition = False
            if all(_sees(predicates, state, each) in states for each in range(count)):
                as_all_see_it = False
    return by_definition, as_all_see_it, respects


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(sized(48)))
def test_respect_and_closure_for_a_fixed_number_of_threads(seed: int) -> None:
    count = 2 + seed % 2
    circle, predicates, found = _case(seed, str(count))
    states = _set(found)
    assert states <= {_sees(predicates, s, 0) for s in circle.reachable(count)}
    for each in found.statements:
        pc = int(each.place.rpartition("(L")[2].rstrip(")"))
        by_definition, by_all, respects = _is_closed(circle, predicates, states, count, each.by, pc)
        assert each.respects == ("yes" if respects else "no")
        assert each.closed == ("yes" if by_all else "no")
        assert (each.after is None) == by_definition
        if each.before is not None and each.after is not None:
            assert each.after not in found.abstract_states
            assert each.before in found.abstract_states
    if found.verdict == "closed":
        assert states == {_sees(predicates, s, 0) for s in circle.reachable(count)}


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(sized(48)))
def test_closure_for_any_number_of_threads_holds_for_the_first_few(seed: int) -> None:
    circle, predicates, found = _case(seed, "*")
    states = _set(found)
    counts = range(1, 4)
    reachable = {_sees(predicates, s, 0) for n in counts for s in circle.reachable(n)}
    if found.verdict == "closed":
        assert reachable == states
    for each in found.statements:
        pc = int(each.place.rpartition("(L")[2].rstrip(")"))
        for count in counts if each.by == "watched" else counts[1:]:
            by_definition, by_all, respects = _is_closed(
                circle, predicates, states, count, each.by, pc
            )
            assert by_definition or each.after is not None or each.closed == "unknown"
            assert by_all or each.closed != "yes"
            assert respects or each.respects != "yes"


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(sized(24)))
def test_closure_of_a_random_set_holds_for_the_first_few_numbers_of_threads(seed: int) -> None:
    """Sets that nobody has reached have more ways to be closed or not."""
    random = Random(1000 + seed)
    circle = random_circle(random)
    predicates = [random_predicate(random, circle.last) for _ in range(random.randint(1, 2))]
    counts = range(1, 4)
    every = sorted(
        {_sees(predicates, s, w) for n in counts for s in circle.all_states(n) for w in range(n)}
    )
    states = set(random.sample(every, random.randint(1, len(every))))
    paths = Paths(_read(circle, "*"), (), Terms())
    about = PredicateTerms(paths)
    texts = [read_predicate(each.text) for each in predicates]
    stacks = {place: _stack(paths, place) for place in range(circle.last + 1)}
    with Solver(lambda: True, seconds=2) as solver:
        queries = PictureQueries(about, texts, 0, solver)
        closure = ClosureQueries(queries, [(stacks[pc], values) for pc, values in sorted(states)])
        for action in queries.actions():
            found = closure.under(action)
            pc = next(place for place, stack in stacks.items() if stack == action.stack)
            for count in counts if action.by == "watched" else counts[1:]:
                by_definition, by_all, _ = _is_closed(
                    circle, predicates, states, count, action.by, pc
                )
                assert by_definition or found.escape is not None or found.decided == "unknown"
                assert by_all or found.decided != "yes"


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(sized(160)))
def test_rounds_and_delays_are_those_of_definition_1(seed: int) -> None:
    random = Random(seed)
    circle, count = random_circle(random), random.randint(1, 3)
    program = _read(circle, str(count))
    paths = Paths(program, (), Terms())
    steps = ConcreteSteps(paths)
    turns = RoundRobin(steps, steps.starts([0] * count), lambda: None)
    for _ in range(9):
        direction: Direction = random.choice(("rounds", "delays"))
        turns.raised(direction)
        found = {_state(circle, steps, paths, each) for each in turns.states}
        assert found == _scheduled(circle, count, turns.rounds, turns.delays)
        ahead = {
            after
            for state in found
            for thread in range(count)
            if (after := circle.step(state, thread)) is not None
        }
        assert {_state(circle, steps, paths, each) for each in turns.ahead} == ahead - found


def _scheduled(circle: Circle, count: int, rounds: int, delays: int) -> set[State]:
    """R(r, d): all paths, turn by turn, with the delays that they have taken."""
    start: State = (0, 0, ((0, 0),) * count)
    level, found = {(start, 0)}, {start}
    for turn in range(rounds * count):
        following = set()
        for state, delayed in level:
            after = circle.step(state, turn % count)
            following.add((state if after is None else after, delayed))
            if after is not None and delayed < delays:
                following.add((state, delayed + 1))
        level = following
        found |= {state for state, _ in level}
    return found


def _read(circle: Circle, count: str) -> Program:
    program = loads(circle.text(count), "bp")
    assert isinstance(program, Program)
    return program


def _stack(paths: Paths, place: int) -> Stack:
    (point,) = places(paths.program, f"L{place}")
    return (point,)


def _state(circle: Circle, steps: ConcreteSteps, paths: Paths, state: Any) -> State:
    numbers = {_stack(paths, place): place for place in range(circle.last + 1)}
    (x, y), threads = state
    return x, y, tuple((numbers[steps.stack(where)], own[0]) for where, own in threads)
