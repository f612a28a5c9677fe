"""Pins the oracle for programs: atomic sections, what counts as a fact, and comparison.

Every program here was worked out on paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from support.oracles.program_interpreter import Interpreter, TooLargeError
from support.oracles.programs import Answers, Fact, Findings, compare, explore
from support.samples.small_programs import (
    alone,
    final_scalars,
    found,
    place,
    plus,
    procedure,
    put,
    running,
    scalars,
    valid,
)
from tepui.program.expressions import ANY, FALSE, TRUE, Binary, Constant, Read, Unary, Variable
from tepui.program.program import Assert, Call, Create, End, Program, Receive, Return, Step, Thread
from tepui.program.types import BOOLEAN, Bounded

X = Variable("x", initial=0)
Y = Variable("y", initial=0)
N = Variable("n", Bounded(0, 3), initial=0)


# Atomic sections


def test_nobody_rests_inside_a_section_but_it_is_covered() -> None:
    program = alone(put(0, 1, X, TRUE), put(1, 2, Y, TRUE), Step(2, 2), atomic=(1,), globals=(X, Y))
    findings = found(program)
    assert {(place(program, s), scalars(s)) for s in findings.rounds[-1]} == {
        (("t", 0), (0, 0)),
        (("t", 2), (1, 1)),
    }
    assert covered(findings) == {0: 0, 1: 1, 2: 1}


def test_others_do_not_see_what_happens_inside() -> None:
    writer = procedure("w", put(0, 1, X, TRUE), put(1, 0, X, FALSE), atomic=(1,))
    reader = procedure("r", Assert(0, 0, Unary("not", Read(X))))
    assert found(running(writer, reader, globals=(X,))).first("unsafe") is None


def test_a_path_that_blocks_inside_does_not_exist() -> None:
    findings = found(alone(put(0, 1, X, TRUE), Step(1, 2, FALSE), atomic=(1,), globals=(X,)))
    assert len(findings.rounds[-1]) == 1
    assert covered(findings) == {0: 0}
    assert findings.blocked
    assert findings.first("deadlock") == 0


def test_a_path_that_goes_round_for_ever_inside_does_not_exist() -> None:
    findings = found(alone(Step(0, 1), Step(1, 2), Step(2, 1), atomic=(1, 2)))
    assert covered(findings) == {0: 0}
    assert findings.blocked
    assert findings.first("deadlock") == 0


def test_a_loop_inside_may_go_round_before_it_leaves() -> None:
    program = alone(
        Step(0, 1),
        put(1, 1, N, plus(Read(N), 1)),
        Step(1, None, Binary("=", Read(N), Constant(2))),
        atomic=(1,),
        globals=(N,),
    )
    assert final_scalars(program) == {(2,)}
    assert not found(program).blocked


def test_only_locations_on_complete_paths_are_covered() -> None:
    edges = (Step(0, 1), Step(1, 2), Step(1, 3), Step(2, 4, FALSE), Step(3, 4), Step(4, 4))
    findings = found(alone(*edges, atomic=(1, 2, 3)))
    assert covered(findings) == {0: 0, 1: 1, 3: 1, 4: 1}
    assert findings.blocked


def test_a_section_can_return_or_end() -> None:
    assert final_scalars(alone(Step(0, 1), put(1, None, X, TRUE), atomic=(1,), globals=(X,))) == {
        (1,)
    }
    findings = found(alone(Step(0, 1), End(1), atomic=(1,)))
    assert covered(findings) == {0: 0, 1: 1}
    assert len(findings.rounds[-1]) == 2


def test_a_section_that_leads_back_to_the_same_state_is_a_step() -> None:
    findings = found(alone(Step(0, 1), Step(1, 0), atomic=(1,)))
    assert len(findings.rounds[-1]) == 1
    assert findings.first("deadlock") is None
    assert covered(findings) == {0: 0, 1: 1}


def test_a_violation_inside_counts_whatever_comes_after() -> None:
    edges = (Step(0, 1), Step(1, 2), Assert(2, 3, ANY), Step(3, None, FALSE))
    findings = found(alone(*edges, atomic=(1, 2, 3)))
    assert findings.first("violated", 0) == 1
    assert covered(findings) == {0: 0, 1: 1, 2: 1}


def test_a_call_with_an_atomic_target_runs_inside() -> None:
    callee = procedure("f", put(0, 1, X, TRUE), Step(1, None))
    caller = procedure("t", Step(0, 1), Call(1, 2, "f"), Step(2, 3), Step(3, 3), atomic=(1, 2))
    program = running(caller, others=(callee,), globals=(X,))
    findings = found(program)
    assert {place(program, state) for state in findings.rounds[-1]} == {("t", 0), ("t", 3)}
    assert covered(findings) == {0: 0, 1: 1, 2: 1, 3: 1}
    assert covered(findings, "f") == {0: 1, 1: 1}


def test_a_call_from_outside_with_an_atomic_target_runs_inside_too() -> None:
    callee = procedure("f", put(0, None, X, TRUE))
    caller = procedure("t", Call(0, 1, "f"), Step(1, 2, Read(X)), Step(2, 2), atomic=(1,))
    program = running(caller, others=(callee,), globals=(X,))
    assert {place(program, state) for state in found(program).rounds[-1]} == {("t", 0), ("t", 2)}


def test_a_call_with_another_target_ends_the_section() -> None:
    callee = procedure("f", Step(0, 1), Step(1, None))
    caller = procedure("t", Step(0, 1), Call(1, 2, "f"), Step(2, 2), atomic=(1,))
    program = running(caller, others=(callee,))
    places = {place(program, state) for state in found(program).rounds[-1]}
    assert places == {("t", 0), ("f", 0), ("f", 1), ("t", 2)}


def test_whatever_a_call_inside_does_is_inside() -> None:
    inner = procedure("g", put(0, None, X, TRUE))
    callee = procedure("f", Call(0, 1, "g"), Step(1, 2), Step(2, None), atomic=(2,))
    caller = procedure("t", Call(0, 1, "f"), Step(1, 2), Step(2, 2), atomic=(1,))
    program = running(caller, others=(callee, inner), globals=(X,))
    findings = found(program)
    assert {place(program, state) for state in findings.rounds[-1]} == {("t", 0), ("t", 2)}
    assert covered(findings, "f") == {0: 1, 1: 1, 2: 1}
    assert covered(findings, "g") == {0: 1}


def test_results_are_passed_inside_without_being_seen() -> None:
    callee = procedure("f", Return(0, (ANY,)), results=(BOOLEAN,))
    caller = procedure("t", Call(0, 1, "f"), Receive(1, 2, (X,)), Step(2, 2), atomic=(1,))
    program = running(caller, others=(callee,), globals=(X,))
    states = found(program).rounds[-1]
    assert {state.results for state in states} == {None}
    assert {(place(program, state), scalars(state)) for state in states} == {
        (("t", 0), (0,)),
        (("t", 2), (0,)),
        (("t", 2), (1,)),
    }


def test_a_section_of_a_callee_ends_when_the_callee_returns() -> None:
    callee = procedure("f", Step(0, 1), Return(1, (TRUE,)), atomic=(1,), results=(BOOLEAN,))
    caller = procedure("t", Call(0, 1, "f"), Receive(1, None, (X,)))
    program = running(caller, others=(callee,), globals=(X,))
    places = {(place(program, s), s.results) for s in found(program).rounds[-1]}
    assert places == {(("t", 0), None), (("f", 0), None), (("t", 1), (1,)), (None, None)}


def test_threads_can_be_created_inside() -> None:
    main = procedure("m", Step(0, 1), Create(1, 2, (1,)), Step(2, 2), atomic=(1,))
    child = procedure("c", Step(0, None))
    threads = (Thread("m", "m"), Thread("c", "c", created=True))
    findings = found(valid(Program((main, child), threads)))
    assert findings.first("covered", ("c", "c", 0)) == 2


def test_the_lock_is_looked_at_only_before_and_after_a_section() -> None:
    takes = put(0, 1, X, TRUE), Step(1, 2), put(2, 3, X, FALSE), Step(3, 3)
    p = procedure("p", *takes, atomic=(1, 2))
    program = valid(Program((p,), (Thread("p", "p"),), (X,), lock=X))
    states = found(program).rounds[-1]
    assert {(place(program, state), state.holder) for state in states} == {
        (("p", 0), None),
        (("p", 3), None),
    }


def test_recursion_inside_is_followed_to_its_end() -> None:
    left = Variable("left", Bounded(0, 2), "f")
    more = Binary(">", Read(left), Constant(0))
    callee = procedure(
        "f",
        Call(0, 1, "f", (plus(Read(left), -1),), more),
        Step(0, 1, Unary("not", more)),
        put(1, None, N, plus(Read(N), 1)),
        variables=(left,),
        parameters=1,
    )
    caller = procedure("t", Call(0, 1, "f", (Constant(2),)), Step(1, None), atomic=(1,))
    program = running(caller, others=(callee,), globals=(N,))
    assert final_scalars(program) == {(3,)}
    assert len(found(program).rounds[-1]) == 2


def test_recursion_without_end_inside_leaves_open_whether_there_is_more() -> None:
    callee = procedure("f", Call(0, 1, "f"), Step(1, None))
    caller = procedure("t", Call(0, 1, "f"), Step(1, None), atomic=(1,))
    findings = explore(running(caller, others=(callee,)))
    assert findings.exact == -1
    assert findings.first("deadlock") is None
    assert not findings.blocked
    leaving = replace(caller, edges=(*caller.edges, Step(0, 0)))
    assert explore(running(leaving, others=(callee,))).exact == 0


def test_too_many_states_inside_a_section_are_refused() -> None:
    n = Variable("n", Bounded(0, 999), initial=0)
    leaves = Step(1, None, Binary("=", Read(n), Constant(999)))
    program = alone(Step(0, 1), put(1, 1, n, plus(Read(n), 1)), leaves, atomic=(1,), globals=(n,))
    assert len(explore(program, most=51).rounds[-1]) == 2
    with pytest.raises(TooLargeError):
        explore(program, most=49)


# Facts


def test_a_label_is_reached_where_one_of_its_locations_is() -> None:
    findings = found(alone(Step(0, 1), Step(1, 2), Step(2, 3, FALSE), atomic=(1,)))
    assert [findings.first("label", f"t{number}") for number in range(4)] == [0, 1, 1, None]


def test_two_threads_are_together_where_both_rest() -> None:
    p = procedure("p", Step(0, 1), Step(1, 1))
    findings = found(Program((p,), (Thread("p", "p", 2),)))
    here, there = ("p", "p", 0), ("p", "p", 1)
    assert findings.first("covered", there) == 1
    assert findings.first("together", here, here) == 0
    assert findings.first("together", here, there) == 1
    assert findings.first("together", there, there) == 2


def test_one_who_passes_is_together_with_those_who_rest() -> None:
    p = procedure("p", Step(0, 1), Step(1, 2), Step(2, 2), atomic=(1,))
    findings = found(Program((p,), (Thread("p", "p", 2),)))
    first, inside, last = (("p", "p", number) for number in range(3))
    assert findings.first("together", first, inside) == 1
    assert findings.first("together", inside, last) == 2
    assert findings.first("together", inside, inside) is None
    single = found(Program((p,), (Thread("p", "p"),)))
    assert single.first("covered", inside) == 1
    assert not any(fact.kind == "together" for fact in single.found)


def test_a_location_in_a_call_made_inside_is_passed_too_but_no_receipt() -> None:
    callee = procedure("f", Return(0, (ANY,)), results=(BOOLEAN,))
    caller = procedure("t", Call(0, 1, "f"), Receive(1, 2, (X,)), Step(2, 2), atomic=(1,))
    other = procedure("u", Step(0, 0))
    findings = found(running(caller, other, others=(callee,), globals=(X,)))
    assert findings.first("label", "f0") == 1
    assert findings.first("together", ("t", "f", 0), ("u", "u", 0)) == 1
    assert findings.first("label", "t1") == 1
    assert findings.first("together", ("t", "t", 1), ("u", "u", 0)) is None


def test_a_deadlock_needs_someone_who_is_not_over() -> None:
    assert found(alone(Step(0, None))).first("deadlock") is None
    assert found(alone(Step(0, 1))).first("deadlock") == 1
    assert found(alone(Step(0, 0))).first("deadlock") is None


def test_one_thread_that_can_move_is_enough_against_deadlock() -> None:
    stuck, busy = procedure("s", Step(0, None, FALSE)), procedure("b", Step(0, 0))
    assert found(running(stuck, busy)).first("deadlock") is None


def test_one_who_is_over_may_have_chosen_to_keep_the_lock() -> None:
    keeps, other = procedure("p", put(0, None, X, ANY)), procedure("q", Step(0, 0))
    threads = (Thread("p", "p"), Thread("q", "q"))
    findings = found(valid(Program((keeps, other), threads, (X,), lock=X)))
    assert findings.first("deadlock") == 1


def test_a_receipt_may_block_because_of_what_was_chosen_before_the_return() -> None:
    callee = procedure("f", put(0, 1, X, ANY), Return(1, (TRUE,)), atomic=(1,), results=(BOOLEAN,))
    caller = procedure("t", Call(0, 1, "f"), Receive(1, 2, (None,), Read(X)), Step(2, 2))
    findings = found(running(caller, others=(callee,), globals=(X,)))
    assert findings.first("deadlock") == 1
    assert findings.first("covered", ("t", "t", 2)) == 1


def test_the_interpreter_says_what_one_step_leads_to() -> None:
    program = alone(Step(0, 1), Step(1, 2), Step(1, 0), Assert(1, 2, FALSE), atomic=(1,))
    interpreter = Interpreter(program)
    (start,) = interpreter.initial_states()
    outcome = interpreter.step(start, 0)
    assert {place(program, state) for state in outcome.after} == {("t", 0), ("t", 2)}
    assert outcome.violated == {0}
    assert outcome.passed == {(0, 1)}


# Comparison

HANDSHAKE = running(
    procedure("asks", put(0, 1, X, TRUE), Step(1, 2, Read(Y)), Assert(2, None, FALSE)),
    procedure("answers", Step(0, 1, Read(X)), put(1, None, Y, TRUE)),
    globals=(X, Y),
)
UNSAFE = Fact("unsafe")


def test_equal_answers_do_not_differ() -> None:
    findings = found(HANDSHAKE)
    kinds = {fact.kind for fact in findings.found}
    assert kinds == {"unsafe", "violated", "covered", "label", "together"}
    assert compare(HANDSHAKE, Answers(kinds, findings.found)) == []
    assert compare(HANDSHAKE, Answers({"unsafe"}, {UNSAFE: None})) == []


def test_a_violation_that_is_not_found_is_a_difference() -> None:
    assert differences({}) == [f"{UNSAFE}: found with 3 contexts, but claimed to be unreachable"]
    assert differences({}, contexts=3) != []
    assert differences({}, contexts=2) == []


def test_a_wrong_number_of_contexts_is_a_difference() -> None:
    assert differences({UNSAFE: 4}) == [f"{UNSAFE}: found with 3 contexts, but claimed to need 4"]
    assert differences({UNSAFE: 2}) == [
        f"{UNSAFE}: claimed to be reachable with 2 contexts, but found only with 3 contexts"
    ]


def test_a_false_alarm_is_a_difference() -> None:
    wrong = Fact("deadlock")
    claims = {UNSAFE: 3, wrong: 2}
    assert differences(claims) == [
        f"{wrong}: claimed to be reachable with 2 contexts, but found never"
    ]
    assert differences({UNSAFE: 3, wrong: None}) != []


def test_what_was_not_asked_for_is_not_missed() -> None:
    assert compare(HANDSHAKE, Answers({"deadlock"}, {})) == []
    assert compare(HANDSHAKE, Answers({Fact("violated", (0,))}, {})) != []


def test_beyond_what_brute_force_knows_nothing_is_a_false_alarm() -> None:
    short = Findings(found={Fact("unsafe"): 5}, exact=2)
    assert compare(HANDSHAKE, Answers({"unsafe"}, {UNSAFE: 3}), short) == []
    assert compare(HANDSHAKE, Answers({"unsafe"}, {UNSAFE: 2}), short) != []
    assert compare(HANDSHAKE, Answers({"unsafe"}, {UNSAFE: 6}), short) != []
    assert compare(HANDSHAKE, Answers({"deadlock"}, {Fact("deadlock"): 3}), short) == []
    assert compare(HANDSHAKE, Answers({"deadlock"}, {Fact("deadlock"): None}), short) == []


def test_choices_cost_no_contexts_before_a_deadlock() -> None:
    unset = Variable("u")
    local = Variable("i", procedure="p")
    stuck = procedure("p", Step(0, None, FALSE), variables=(local,))
    program = valid(Program((stuck,), (Thread("p", "p", 2),), (unset,)))
    assert found(program).first("deadlock") == 0
    assert compare(program, Answers({"deadlock"}, {Fact("deadlock"): 1})) != []
    assert compare(program, Answers({"deadlock"}, {}, contexts=0)) != []


def test_a_global_choice_left_open_by_one_who_is_over_waits_for_nobody() -> None:
    leaves = procedure("p", put(0, None, X, ANY))
    stuck = procedure("q", Step(0, None, FALSE))
    program = running(leaves, stuck, globals=(X,))
    assert found(program).first("deadlock") == 1
    assert compare(program, Answers({"deadlock"}, {Fact("deadlock"): 2})) != []


def test_threads_that_are_created_make_their_choices_when_they_start() -> None:
    local = Variable("i", procedure="c")
    child = procedure("c", Step(0, None, FALSE), variables=(local,))
    main = procedure("m", Create(0, None, (1,)))
    threads = (Thread("m", "m"), Thread("c", "c", created=True))
    program = valid(Program((main, child), threads))
    assert found(program).first("deadlock") == 2
    assert compare(program, Answers({"deadlock"}, {Fact("deadlock"): 3})) != []


def differences(claims: Mapping[Fact, int | None], contexts: int | None = None) -> list[str]:
    return compare(HANDSHAKE, Answers({"unsafe"}, claims, contexts))


def covered(findings: Findings, name: str = "t") -> dict[int, int]:
    """For each covered location of a procedure, run by the thread `t`, with how many contexts."""
    return {
        what[0][2]: k
        for (kind, what), k in sorted(findings.found.items(), key=str)
        if kind == "covered" and isinstance(what[0], tuple) and what[0][:2] == ("t", name)
    }
