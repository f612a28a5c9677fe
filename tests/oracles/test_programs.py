"""Pins the oracle for programs itself: every construct, worked out on paper.

Lowering, checker and engines are tested against this oracle, so it must not be tested against them.
"""

from __future__ import annotations

import pytest

from support.oracles.program_interpreter import Interpreter, Store, TooLargeError, evaluate
from support.oracles.programs import explore
from support.samples.small_programs import (
    alone,
    final_scalars,
    final_values,
    found,
    place,
    plus,
    procedure,
    put,
    running,
    scalars,
    top,
    valid,
)
from tepui.program.expressions import (
    ANY,
    FALSE,
    TRUE,
    Binary,
    BinaryOperator,
    Choice,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Unary,
    Variable,
)
from tepui.program.program import (
    Assert,
    Assignment,
    Call,
    Create,
    Edge,
    Element,
    End,
    Program,
    Receive,
    Return,
    Step,
    Thread,
)
from tepui.program.types import BOOLEAN, Array, Bounded, Enumeration, Scalar

X = Variable("x", initial=0)
Y = Variable("y", initial=0)
N = Variable("n", Bounded(0, 3), initial=0)
A = Variable("a", Array(BOOLEAN, 2), initial=0)
COLOUR = Enumeration(("red", "green", "blue"))


# Rounds and contexts


def test_each_round_adds_what_one_more_thread_can_do_alone() -> None:
    once = procedure("p", Step(0, None))
    findings = found(Program((once,), (Thread("p", "p", 2),)))
    assert [len(states) for states in findings.rounds] == [1, 3, 4, 4]
    assert findings.collapsed
    assert findings.exact is None


def test_a_context_is_any_number_of_steps_of_one_thread() -> None:
    findings = found(alone(Step(0, 1), Step(1, 2), Step(2, 3), Assert(3, None, FALSE)))
    assert findings.first("unsafe") == 1


def test_a_handshake_takes_one_context_for_each_side_and_turn() -> None:
    asks = procedure("asks", put(0, 1, X, TRUE), Step(1, 2, Read(Y)), Assert(2, None, FALSE))
    answers = procedure("answers", Step(0, 1, Read(X)), put(1, None, Y, TRUE))
    findings = found(running(asks, answers, globals=(X, Y)))
    assert findings.first("unsafe") == 3
    assert findings.first("covered", ("answers", "answers", 1)) == 2
    assert findings.first("covered", ("asks", "asks", 2)) == 3


def test_exploration_that_stops_early_is_exact_only_so_far() -> None:
    counts = procedure("p", put(0, 0, N, plus(Read(N), 1)))
    program = Program((counts,), (Thread("p", "p"),), (N,))
    assert explore(program, contexts=1).exact == 1
    assert explore(program, contexts=2).exact is None


def test_too_many_states_are_refused() -> None:
    wide = Variable("w", Bounded(0, 99))
    with pytest.raises(TooLargeError):
        explore(alone(globals=(wide,)), most=50)
    wider = Variable("v", Array(BOOLEAN, 40))
    for unset in ((wider,), (Variable("u", Bounded(0, 9)), Variable("v", Bounded(0, 9)))):
        with pytest.raises(TooLargeError):
            explore(alone(globals=unset), most=50)
    counter = Variable("c", Bounded(0, 99), initial=0)
    grows = alone(put(0, 0, counter, plus(Read(counter), 1)), globals=(counter,))
    with pytest.raises(TooLargeError):
        explore(grows, most=50)
    assert len(explore(grows, most=100).rounds[-1]) == 100


def test_a_local_variable_for_each_of_several_threads_can_be_too_much() -> None:
    local = Variable("i", Bounded(0, 9), "p")
    p = procedure("p", Step(0, None, FALSE), variables=(local,))
    with pytest.raises(TooLargeError):
        explore(Program((p,), (Thread("p", "p", 2),)), most=99)
    assert len(explore(Program((p,), (Thread("p", "p", 2),)), most=100).rounds[0]) == 100


# Values


STORE: Store = {X: (0,), Y: (1,), N: (2,), A: (0, 1)}
OUTSIDE = ReadElement(A, Constant(2))


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        (Constant(7), {7}),
        (Read(N), {2}),
        (ReadElement(A, Read(Y)), {1}),
        (OUTSIDE, set()),
        (ReadElement(A, Constant(-1)), set()),
        (ReadElement(A, Choice(Bounded(0, 5))), {0, 1}),
        (ANY, {0, 1}),
        (Choice(Bounded(-1, 1)), {-1, 0, 1}),
        (Choice(COLOUR), {0, 1, 2}),
        (Unary("not", Read(X)), {1}),
        (Unary("not", Read(N)), {0}),
        (Unary("minus", Read(N)), {-2}),
        (Conditional(Read(Y), Constant(5), OUTSIDE), {5}),
        (Conditional(Read(X), OUTSIDE, Constant(6)), {6}),
        (Conditional(ANY, Constant(5), Constant(6)), {5, 6}),
        (Binary("and", Read(X), OUTSIDE), {0}),
        (Binary("and", Read(Y), OUTSIDE), set()),
        (Binary("and", ANY, OUTSIDE), {0}),
        (Binary("or", Read(Y), OUTSIDE), {1}),
        (Binary("or", Read(X), OUTSIDE), set()),
        (Binary("implies", Read(X), OUTSIDE), {1}),
        (Binary("implies", Read(Y), OUTSIDE), set()),
        (Binary("xor", Read(Y), OUTSIDE), set()),
        (Binary("=", Read(N), Read(N)), {1}),
        (Binary("=", ANY, ANY), {0, 1}),
        (Binary("+", Read(N), Constant(40)), {42}),
        (Binary("-", Read(X), Read(N)), {-2}),
        (Binary("*", Read(N), Constant(-3)), {-6}),
    ],
)
def test_an_expression_has_all_values_that_its_choices_give(
    expression: Expression, values: set[int]
) -> None:
    assert evaluate(expression, STORE) == values


@pytest.mark.parametrize(
    ("operator", "table"),
    [
        ("and", [0, 0, 0, 1]),
        ("or", [0, 1, 1, 1]),
        ("implies", [1, 1, 0, 1]),
        ("xor", [0, 1, 1, 0]),
        ("=", [1, 0, 0, 1]),
        ("!=", [0, 1, 1, 0]),
        ("<", [0, 1, 0, 0]),
        ("<=", [1, 1, 0, 1]),
        (">", [0, 0, 1, 0]),
        (">=", [1, 0, 1, 1]),
    ],
)
def test_the_truth_tables(operator: BinaryOperator, table: list[int]) -> None:
    sides = [(0, 0), (0, 1), (1, 0), (1, 1)]
    values = [
        evaluate(Binary(operator, Constant(left), Constant(right)), {}) for left, right in sides
    ]
    assert values == [{value} for value in table]


def test_only_a_read_after_the_step_sees_the_new_store() -> None:
    after: Store = {**STORE, X: (1,), A: (1, 1)}
    assert evaluate(Read(X), STORE, after) == {0}
    assert evaluate(Read(X, after=True), STORE, after) == {1}
    assert evaluate(ReadElement(A, Read(X, after=True)), STORE, after) == {1}
    assert evaluate(ReadElement(A, Constant(0)), STORE, after) == {0}


def test_what_starts_with_any_value_is_chosen_at_the_start() -> None:
    x, a = Variable("x"), Variable("a", Array(Bounded(0, 2), 2))
    inner = Variable("i", Bounded(-1, 0), "t")
    findings = found(alone(variables=(inner,), globals=(x, a)))
    assert len(findings.rounds[0]) == 2 * 9 * 2


def test_an_array_starts_with_its_initial_value_everywhere() -> None:
    a = Variable("a", Array(BOOLEAN, 3), initial=1)
    assert final_values(alone(Step(0, None), globals=(a,))) == {((1, 1, 1),)}


# Steps


def test_assignments_of_a_step_happen_at_once() -> None:
    n, m = Variable("n", Bounded(0, 3), initial=1), Variable("m", Bounded(0, 3), initial=2)
    swap = Step(0, None, TRUE, (Assignment(n, Read(m)), Assignment(m, Read(n))))
    assert final_scalars(alone(swap, globals=(n, m))) == {(2, 1)}


def test_of_several_assignments_the_last_counts() -> None:
    twice = Step(0, None, TRUE, (Assignment(N, Constant(1)), Assignment(N, Constant(2))))
    assert final_scalars(alone(twice, globals=(N,))) == {(2,)}


def test_a_step_needs_a_guard_that_can_be_true() -> None:
    assert final_scalars(alone(Step(0, None, FALSE), globals=(X,))) == set()
    assert final_scalars(alone(Step(0, None, ANY), globals=(X,))) == {(0,)}
    assert final_scalars(alone(Step(0, None, Constant(2)), globals=(X,))) == {(0,)}


def test_a_constraint_keeps_the_results_that_satisfy_it() -> None:
    differ = Binary("!=", Read(X, after=True), Read(Y, after=True))
    chosen = (Assignment(X, ANY), Assignment(Y, ANY))
    assert final_scalars(alone(Step(0, None, TRUE, chosen, differ), globals=(X, Y))) == {
        (0, 1),
        (1, 0),
    }


def test_a_constraint_can_compare_before_and_after() -> None:
    n = Variable("n", Bounded(0, 3), initial=1)
    rises = Binary(">", Read(n, after=True), Read(n))
    step = Step(0, None, TRUE, (Assignment(n, Choice(Bounded(0, 3))),), rises)
    assert final_scalars(alone(step, globals=(n,))) == {(2,), (3,)}


@pytest.mark.parametrize(
    ("kind", "value", "stored"),
    [
        (Bounded(-1, 2, "wrap"), 3, {-1}),
        (Bounded(-1, 2, "wrap"), -2, {2}),
        (Bounded(-1, 2, "wrap"), 9, {1}),
        (Bounded(-1, 2, "saturate"), 9, {2}),
        (Bounded(-1, 2, "saturate"), -9, {-1}),
        (Bounded(-1, 2, "block"), 3, set()),
        (Bounded(-1, 2, "block"), 2, {2}),
        (BOOLEAN, 2, set()),
        (BOOLEAN, -1, set()),
        (COLOUR, 2, {2}),
        (COLOUR, 3, set()),
    ],
)
def test_a_value_outside_the_range_does_what_the_type_says(
    kind: Scalar, value: int, stored: set[int]
) -> None:
    v = Variable("v", kind, initial=0)
    step = put(0, None, v, Constant(value))
    assert final_scalars(alone(step, globals=(v,))) == {(value,) for value in stored}


def test_a_choice_of_another_type_is_stored_like_any_value() -> None:
    v = Variable("v", Bounded(1, 2, "saturate"), initial=1)
    assert final_scalars(alone(put(0, None, v, ANY), globals=(v,))) == {(1,)}
    chosen = put(0, None, v, Choice(Bounded(1, 3)))
    assert final_scalars(alone(chosen, globals=(v,))) == {(1,), (2,)}


def test_elements_are_written_where_the_index_points() -> None:
    step = put(0, None, Element(A, Choice(Bounded(0, 7))), TRUE)
    assert final_values(alone(step, globals=(A,))) == {((1, 0),), ((0, 1),)}
    for outside in (-1, 2):
        missed = put(0, None, Element(A, Constant(outside)), TRUE)
        assert final_values(alone(missed, globals=(A,))) == set()


# Calls


def test_arguments_are_stored_in_the_parameters() -> None:
    p = Variable("p", Bounded(0, 1, "saturate"), "f")
    callee = procedure("f", put(0, None, N, Read(p)), variables=(p,), parameters=1)
    caller = procedure("t", Call(0, 1, "f", (Constant(9),)), Step(1, None))
    assert final_scalars(running(caller, others=(callee,), globals=(N,))) == {(1,)}


def test_an_argument_that_does_not_fit_blocks_the_call() -> None:
    p = Variable("p", Bounded(0, 1, "block"), "f")
    callee = procedure("f", Step(0, None), variables=(p,), parameters=1)
    caller = procedure("t", Call(0, 1, "f", (Choice(Bounded(1, 2)),)), Step(1, None))
    program = running(caller, others=(callee,))
    entered = [state for state in found(program).rounds[1] if place(program, state) == ("f", 0)]
    assert [activation.values for activation in map(top, entered) if activation] == [((1,),)]


def test_local_variables_start_anew_in_every_call() -> None:
    open_local = Variable("i", procedure="f")
    set_local = Variable("j", initial=1, procedure="f")
    both = Binary("=", Read(open_local), Read(set_local))
    spoil = Step(0, 1, TRUE, (Assignment(X, both), Assignment(set_local, FALSE)))
    callee = procedure("f", spoil, Step(1, None), variables=(open_local, set_local))
    caller = procedure("t", Call(0, 1, "f"), Call(1, 2, "f"), Step(2, None))
    assert final_scalars(running(caller, others=(callee,), globals=(X,))) == {(0,), (1,)}


def test_the_caller_rests_below_and_is_not_on_top() -> None:
    callee = procedure("f", Step(0, 0))
    caller = procedure("t", Call(0, 1, "f"), Step(1, None))
    findings = found(running(caller, others=(callee,)))
    assert findings.first("covered", ("t", "f", 0)) == 1
    assert findings.first("covered", ("t", "t", 1)) is None


def test_the_frames_below_keep_their_values() -> None:
    i = Variable("i", initial=1, procedure="t")
    callee = procedure("f", Step(0, None))
    caller = procedure("t", Call(0, 1, "f"), put(1, None, X, Read(i)), variables=(i,))
    assert final_scalars(running(caller, others=(callee,), globals=(X,))) == {(1,)}


def test_results_are_stored_with_the_type_of_the_procedure_and_then_of_the_target() -> None:
    wrapping = Bounded(0, 2, "wrap")
    v = Variable("v", Bounded(0, 1, "saturate"), initial=0)
    callee = procedure("f", Return(0, (Constant(5), Constant(1))), results=(wrapping, BOOLEAN))
    caller = procedure("t", Call(0, 1, "f"), Receive(1, 2, (v, None)), Step(2, None))
    program = running(caller, others=(callee,), globals=(v,))
    assert final_scalars(program) == {(1,)}
    assert {state.results for state in found(program).rounds[-1]} == {None, (2, 1)}


def test_a_result_that_does_not_fit_blocks_the_return() -> None:
    callee = procedure("f", Return(0, (Choice(Bounded(0, 2)),)), results=(BOOLEAN,))
    caller = procedure("t", Call(0, 1, "f"), Receive(1, None, (X,)))
    assert final_scalars(running(caller, others=(callee,), globals=(X,))) == {(0,), (1,)}


def test_nothing_happens_between_return_and_receipt() -> None:
    callee = procedure("f", Return(0, (TRUE,)), results=(BOOLEAN,))
    caller = procedure("t", Call(0, 1, "f"), Receive(1, None, (X,)))
    other = procedure("u", Step(0, 0))
    program = running(caller, other, others=(callee,), globals=(X,))
    between = [state for state in found(program).rounds[-1] if state.results is not None]
    assert [place(program, state) for state in between] == [("t", 1)]
    interpreter = Interpreter(program)
    assert interpreter.step(between[0], 1).after == frozenset()
    assert len(interpreter.step(between[0], 0).after) == 1


def test_a_receipt_that_blocks_stops_everything() -> None:
    callee = procedure("f", Return(0, (TRUE,)), results=(BOOLEAN,))
    caller = procedure("t", Call(0, 1, "f"), Receive(1, None, (X,), FALSE))
    other = procedure("u", Step(0, 0))
    assert found(running(caller, other, others=(callee,), globals=(X,))).first("deadlock") == 1


def test_results_are_received_in_elements_too() -> None:
    callee = procedure("f", Return(0, (TRUE, FALSE)), results=(BOOLEAN, BOOLEAN))
    take = Receive(1, None, (Element(A, Constant(1)), None))
    caller = procedure("t", Call(0, 1, "f"), take)
    assert final_values(running(caller, others=(callee,), globals=(A,))) == {((0, 1),)}


def test_recursion_that_ends_is_followed_to_its_end() -> None:
    left = Variable("left", Bounded(0, 3), "f")
    more = Binary(">", Read(left), Constant(0))
    callee = procedure(
        "f",
        Call(0, 1, "f", (plus(Read(left), -1),), more),
        Step(0, 1, Unary("not", more)),
        put(1, None, N, plus(Read(N), 1)),
        variables=(left,),
        parameters=1,
    )
    caller = procedure("t", Call(0, 1, "f", (Constant(2),)), Step(1, None))
    program = running(caller, others=(callee,), globals=(N,))
    assert final_scalars(program) == {(3,)}
    assert found(program).exact is None
    assert max(len(state.stacks[0] or ()) for state in found(program).rounds[-1]) == 4


def test_recursion_without_end_is_cut_and_said_to_be() -> None:
    forever = procedure("t", Call(0, 1, "t"), Assert(0, None, FALSE))
    findings = explore(Program((forever,), (Thread("t", "t"),)), depth=4)
    assert max(len(state.stacks[0] or ()) for state in findings.rounds[-1]) == 4
    assert findings.exact == 0
    assert findings.first("unsafe") == 1
    assert findings.first("deadlock") is None


def test_an_end_leaves_nothing() -> None:
    assert final_scalars(alone(End(0), globals=(X,))) == {(0,)}
    assert final_scalars(alone(End(0, FALSE), globals=(X,))) == set()


# Assertions


def test_an_assertion_that_can_be_either_is_violated_and_goes_on() -> None:
    findings = found(alone(Assert(0, 1, ANY), Step(1, None)))
    assert findings.first("violated", 0) == 1
    assert findings.first("covered", ("t", "t", 1)) == 1


def test_an_assertion_behind_a_closed_guard_is_not_looked_at() -> None:
    assert found(alone(Assert(0, 0, FALSE, FALSE))).first("unsafe") is None


def test_a_violated_assertion_goes_no_further() -> None:
    findings = found(alone(Assert(0, 1, FALSE), Step(1, None)))
    assert findings.first("covered", ("t", "t", 1)) is None
    assert findings.first("deadlock") is None


def test_assertions_are_counted_through_all_procedures() -> None:
    first = procedure("p", Assert(0, None, TRUE), Assert(0, None, TRUE))
    second = procedure("q", Step(0, None), Assert(0, None, TRUE), Assert(0, None, FALSE))
    findings = found(running(first, second))
    assert [fact.what for fact in findings.found if fact.kind == "violated"] == [(3,)]


# Creation


OPEN = Variable("open", procedure="c")
GIVEN = Variable("given", initial=1, procedure="c")


def creating(*main: Edge, count: int = 1, inherited: tuple[Variable, ...] = ()) -> Program:
    """A main `m` that may create threads `c`, which copy their variables to x and y."""
    copy = Step(0, 1, TRUE, (Assignment(X, Read(OPEN)), Assignment(Y, Read(GIVEN))))
    child = procedure("c", copy, Step(1, 1), variables=(OPEN, GIVEN))
    threads = (Thread("m", "m"), Thread("c", "c", count, created=True, inherited=inherited))
    return valid(Program((procedure("m", *main), child), threads, (X, Y)))


def copied(program: Program) -> set[tuple[int, ...]]:
    """What x and y are when all the threads `c` have copied."""
    threads = range(1, 1 + program.threads[1].size)
    return {
        scalars(state)
        for state in found(program).rounds[-1]
        if all(place(program, state, thread) == ("c", 1) for thread in threads)
    }


def test_threads_wait_until_they_are_created() -> None:
    findings = found(creating(Step(0, 1), Create(1, None, (1,))))
    assert findings.first("covered", ("c", "c", 0)) == 2
    assert found(creating(Step(0, 0))).first("covered", ("c", "c", 0)) is None


def test_created_threads_do_not_start_between_return_and_receipt() -> None:
    f = procedure("f", Return(0, (TRUE,)), results=(BOOLEAN,))
    main = procedure("m", Create(0, 1, (1,)), Call(1, 2, "f"), Receive(2, None, (X,)))
    threads = (Thread("m", "m"), Thread("c", "c", created=True))
    program = valid(Program((main, procedure("c", Step(0, 0)), f), threads, (X,)))
    states = [state for state in found(program).rounds[-1] if state.results is not None]
    assert any(state.stacks[1] is None for state in states)
    assert not any(Interpreter(program).step(state, 1).after for state in states)


def test_what_is_not_inherited_starts_with_its_initial_value() -> None:
    assert copied(creating(Create(0, None, (1,)))) == {(0, 1), (1, 1)}


def test_created_threads_inherit_values() -> None:
    create = Create(0, None, (1,), ((ANY, FALSE),))
    assert copied(creating(create, inherited=(OPEN, GIVEN))) == {(0, 0), (1, 0)}


def test_equal_threads_inherit_the_same_and_choose_apart() -> None:
    def different(program: Program) -> bool:
        states = found(program).rounds[-1]
        pairs = [(top(state, 1), top(state, 2)) for state in states]
        return any(one and two and one.values != two.values for one, two in pairs)

    create = Create(0, None, (1,), ((ANY,),))
    assert not different(creating(create, count=2, inherited=(OPEN,)))
    assert different(creating(Create(0, None, (1,)), count=2))


def test_an_inherited_value_that_does_not_fit_blocks_the_creation() -> None:
    create = Create(0, None, (1,), ((Constant(2),),))
    assert found(creating(create, inherited=(OPEN,))).first("deadlock") == 0


def test_a_thread_can_start_in_the_midst_of_its_procedure() -> None:
    p = procedure("p", put(0, 1, X, TRUE), Step(1, None))
    program = Program((p,), (Thread("p", "p", start=1),), (X,))
    assert final_scalars(valid(program)) == {(0,)}


def test_a_thread_that_waits_in_vain_is_no_deadlock_but_does_not_help_either() -> None:
    assert found(creating(Step(0, None))).first("deadlock") is None
    assert found(creating(Step(0, 1))).first("deadlock") == 1


# The lock


def test_while_the_lock_is_taken_only_its_holder_runs() -> None:
    lock = Variable("lock", initial=0)
    takes = procedure("p", put(0, 1, lock, TRUE), Step(1, 2), put(2, 3, lock, FALSE), Step(3, None))
    other = procedure("q", Step(0, None))
    program = valid(
        Program((takes, other), (Thread("p", "p"), Thread("q", "q")), (lock,), lock=lock)
    )
    interpreter = Interpreter(program)
    held = [state for state in found(program).rounds[-1] if scalars(state) == (1,)]
    assert {place(program, state) for state in held} == {("p", 1), ("p", 2)}
    assert {state.holder for state in held} == {0}
    assert not any(interpreter.step(state, 1).moves for state in held)
    assert all(interpreter.step(state, 0).moves for state in held)
    free = [state for state in found(program).rounds[-1] if scalars(state) == (0,)]
    assert {state.holder for state in free} == {None}


def test_a_lock_that_is_taken_at_the_start_has_no_holder() -> None:
    lock = Variable("lock", initial=1)
    p = procedure("p", Step(0, None))
    program = Program((p,), (Thread("p", "p"),), (lock,), lock=lock)
    assert found(valid(program)).first("deadlock") == 0


def test_a_lock_without_a_value_is_not_taken_at_the_start() -> None:
    lock = Variable("lock")
    p = procedure("p", Step(0, None, Read(lock)), Step(0, 0, Unary("not", Read(lock))))
    program = Program((p,), (Thread("p", "p"),), (lock,), lock=lock)
    assert {scalars(state) for state in found(program).rounds[-1]} == {(0,)}
    assert found(program).first("deadlock") is None
