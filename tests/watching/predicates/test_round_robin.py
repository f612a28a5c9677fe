"""Rounds and delays, on cases by hand; random ones are in `test_against_brute_force`."""

from __future__ import annotations

from tepui.api import loads
from tepui.checker.invariants.terms import Terms
from tepui.checker.invariants.thread_paths import Paths
from tepui.program.program import Program
from tepui.watching.predicates.concrete_steps import ConcreteSteps
from tepui.watching.predicates.round_robin import RoundRobin

WAITING = """
decl flag := 0; decl x := 0;
void waits() { wait(flag); x := 1; }
void sets() { flag := 1; }
void main() { thread_create(waits, 1); thread_create(sets, 1); }
"""


def _turns(text: str, types: list[int]) -> RoundRobin:
    program = loads(text, "bp")
    assert isinstance(program, Program)
    steps = ConcreteSteps(Paths(program, (), Terms()))
    return RoundRobin(steps, steps.starts(types), lambda: None)


def test_a_turn_of_a_thread_that_cannot_move_is_no_delay() -> None:
    turns = _turns(WAITING, [0, 1])
    found = []
    for _ in range(4):
        found.append({shared for shared, _ in turns.states})
        turns.raised("rounds")
    assert found == [{(0, 0)}, {(0, 0), (1, 0)}, {(0, 0), (1, 0)}, {(0, 0), (1, 0), (1, 1)}]
    assert turns.delays == 0
    assert turns.is_closed


def test_a_thread_that_can_move_stays_only_by_a_delay() -> None:
    turns = _turns("decl x: int 0..9 := 0; void main() { x := 1; x := 2; }", [0])
    turns.raised("rounds")
    assert [shared for shared, _ in turns.states] == [(0,), (1,)]
    assert [shared for shared, _ in turns.ahead] == [(2,)]


def test_the_way_to_a_state_begins_at_the_start() -> None:
    turns = _turns(WAITING, [0, 1])
    for _ in range(3):
        turns.raised("rounds")
    (state,) = [each for each in turns.states if each[0] == (1, 1)]
    assert [came.thread for came in turns.way_to(state)][:3] == [1, 0, 0]
