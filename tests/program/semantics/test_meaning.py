"""The reference semantics, construct by construct: calls, creation, assertions, lock, deciding."""

from __future__ import annotations

from support.samples.handmade_programs import (
    assign,
    equal,
    local,
    main,
    procedure,
    program,
    rules,
    state,
    step,
    text,
    variable,
)
from tepui.program.expressions import ANY, FALSE, TRUE, Binary, Constant, Read
from tepui.program.layout import Frame
from tepui.program.program import Assert, Call, Create, Element, End, Receive, Return, Step, Thread
from tepui.program.semantics.meaning import Meaning
from tepui.program.types import BOOLEAN, Array, Bounded, Enumeration

X, Y = variable("x"), variable("y")
U, V = variable("u", initial=None), variable("v", initial=None)
COLOUR = Enumeration(("red", "green", "blue"))
DIGIT = Bounded(0, 9)


ARRAY = variable("a", Array(DIGIT, 2))
INDEX = variable("i", Bounded(0, 3))


# Calls and results


def test_a_call_pushes_the_callee_above_the_caller_at_the_target() -> None:
    a, b = local("a", procedure="f"), local("b", procedure="f", initial=1)
    free = local("c", procedure="f", initial=None)
    kept = local("k", initial=None)
    one = program(
        procedure(
            "main", Call(0, 1, "f", (Read(U),)), Step(1, None, Read(kept)), variables=(kept,)
        ),
        procedure("f", Return(0), variables=(a, b, free), parameters=1),
        shared=(U,),
    )
    assert rules(one, "u=- | main:0(k=1)", liveness=False) == {
        "u=0 | f:0(a=0 b=1 c=-) / main:1(k=1)",
        "u=1 | f:0(a=1 b=1 c=-) / main:1(k=1)",
    }


def test_arguments_are_evaluated_from_left_to_right_in_the_caller() -> None:
    n, m = local("n", DIGIT, procedure="f"), local("m", procedure="f")
    callee = procedure("f", Return(0), variables=(n, m), parameters=2)
    decided = local("t", initial=None)
    one = program(
        procedure(
            "main",
            Call(0, 1, "f", (Constant(12), Read(decided))),
            Step(1, None, Read(decided)),
            variables=(decided,),
        ),
        callee,
    )
    assert rules(one, "() | main:0(t=-)", liveness=False) == {
        "() | f:0(n=2 m=0) / main:1(t=0)",
        "() | f:0(n=2 m=1) / main:1(t=1)",
    }


def test_an_argument_that_does_not_fit_blocks_and_a_choice_stays_open() -> None:
    flag = local("flag", procedure="f")
    callee = procedure("f", Step(0, None, Read(flag)), variables=(flag,), parameters=1)
    one = program(
        procedure("main", Call(0, 1, "f", (Constant(2),)), Call(0, 1, "f", (ANY,)), Return(1)),
        callee,
    )
    assert rules(one, "() | main:0") == {"() | f:0(flag=-) / main:1"}


def test_a_call_starts_at_the_entry_of_the_callee() -> None:
    callee = procedure("f", Return(0), Return(1))
    callee = type(callee)(callee.name, callee.locations, callee.edges, entry=1)
    one = program(procedure("main", Call(0, 1, "f"), Return(1)), callee)
    assert rules(one, "() | main:0") == {"() | f:1 / main:1"}


def test_falling_off_the_end_return_and_end_pop() -> None:
    one = main(step(0, None, assign(X, 1)), Return(0), End(0, Read(X)), shared=(X,))
    assert rules(one, "x=0 | main:0") == {"x=1 | -", "x=0 | -"}
    assert rules(main(End(0, Read(U)), shared=(U,)), "u=- | main:0") == {"u=1 | -"}


R, S = local("r"), local("s", Bounded(0, 2, "saturate"))
RESULTS = program(
    procedure("main", Call(0, 1, "f"), Receive(1, 2, (R, S)), Return(2), variables=(R, S)),
    procedure("f", Return(0, (ANY, Constant(11))), results=(BOOLEAN, DIGIT)),
    procedure("g", Return(0, (Constant(3),)), results=(DIGIT,)),
    procedure("h", Step(0, 0), Step(0, None), step(0, 1)),
    threads=(Thread("main", "main"), Thread("h", "h"), Thread("late", "h", created=True)),
)


def test_results_are_stored_by_their_types_and_never_left_open() -> None:
    assert rules(RESULTS, "() | f:0") == {
        "full=1 result_1=1 | -",
        "full=1 result_0=1 result_1=1 | -",
    }


def test_unused_places_for_results_are_0() -> None:
    assert rules(RESULTS, "result_1=4 | g:0") == {"full=1 result_0=3 | -"}


def test_a_result_that_does_not_fit_blocks() -> None:
    one = program(
        procedure("main", Call(0, 1, "f"), Receive(1, None, (None,))),
        procedure("f", Return(0, (Constant(2),)), Return(0, (Constant(1),)), results=(BOOLEAN,)),
    )
    assert rules(one, "() | f:0") == {"full=1 result_0=1 | -"}


def test_a_receipt_takes_the_results_and_empties_their_place() -> None:
    assert rules(RESULTS, "full=1 result_0=1 result_1=9 | main:1(r=0 s=0)", liveness=False) == {
        "() | main:2(r=1 s=2)"
    }


def test_results_can_be_ignored_or_stored_in_elements() -> None:
    target = Element(ARRAY, Read(INDEX))
    one = program(
        procedure(
            "main",
            Call(0, 1, "f"),
            Receive(1, 2, (None, target)),
            Receive(1, 3, (target, INDEX)),
        ),
        procedure("f", Return(0, (TRUE, TRUE)), results=(DIGIT, DIGIT)),
        shared=(ARRAY, INDEX),
    )
    assert rules(one, "a[0]=0 a[1]=0 i=1 full=1 result_0=5 result_1=6 | main:1") == {
        "a[0]=0 a[1]=6 i=1 | main:2",
        "a[0]=0 a[1]=5 i=2 | main:3",
    }
    assert rules(one, "a[0]=0 a[1]=0 i=2 full=1 result_0=5 result_1=6 | main:1") == set()


def test_the_guard_of_a_receipt_is_looked_at_first() -> None:
    one = program(
        procedure("main", Call(0, 1, "f"), Receive(1, 2, (X,), Read(U))),
        procedure("f", Return(0, (TRUE,)), results=(BOOLEAN,)),
        shared=(X, U),
    )
    assert rules(one, "x=0 u=- full=1 result_0=1 | main:1") == {"x=1 u=1 | main:2"}


def test_between_return_and_receipt_nothing_else_happens() -> None:
    full = "full=1 result_0=1 result_1=1"
    assert rules(RESULTS, f"{full} | h:0", thread=1) == set()
    assert rules(RESULTS, f"{full} | main:0(r=0 s=0)") == set()
    assert rules(RESULTS, f"{full} created_late=1 | waiting", thread=2) == set()
    assert rules(RESULTS, "created_late=1 | waiting", thread=2) == {"created_late=1 | h:0"}


def test_nothing_is_received_where_nothing_was_returned() -> None:
    assert rules(RESULTS, "() | main:1(r=0 s=0)") == set()


# Creation


N = local("n", DIGIT, procedure="work")
OTHER = local("o", initial=None, procedure="work")
CREATION = program(
    procedure("main", Create(0, 1, (1, 2), ((Constant(13),), ()), Read(U)), Return(1)),
    procedure(
        "work",
        Step(0, 1),
        step(1, 1, guard=Binary("and", equal(N, 3), Read(OTHER))),
        variables=(N, OTHER),
    ),
    shared=(U,),
    threads=(
        Thread("main", "main"),
        Thread("worker", "work", 2, created=True, start=1, inherited=(N,)),
        Thread("plain", "work", created=True),
    ),
)


def test_creation_lets_threads_start_and_hands_them_their_values() -> None:
    assert rules(CREATION, "u=- | main:0") == {
        "u=1 created_worker=1 worker_gets_n=3 created_plain=1 | main:1"
    }


def test_a_thread_waits_for_its_creation_and_starts_with_what_it_inherits() -> None:
    created = "u=1 created_worker=1 worker_gets_n=3"
    assert rules(CREATION, f"{created} | waiting", thread=1) == {f"{created} | work:1(n=3 o=-)"}
    assert rules(CREATION, f"{created} | waiting", thread=3) == set()
    plain = "u=1 created_plain=1"
    assert rules(CREATION, f"{plain} | waiting", thread=3) == {f"{plain} | work:0(n=0 o=-)"}


def test_values_that_are_inherited_are_chosen_at_once() -> None:
    flag = local("flag", procedure="work")
    one = program(
        procedure("main", Create(0, None, (1,), ((ANY,),))),
        procedure("work", Step(0, 0, Read(flag)), variables=(flag,)),
        threads=(Thread("main", "main"), Thread("w", "work", created=True, inherited=(flag,))),
    )
    assert rules(one, "() | main:0") == {"created_w=1 | -", "created_w=1 w_gets_flag=1 | -"}


def test_initial_stacks_are_start_frames_or_wait() -> None:
    meaning = Meaning(CREATION)
    layout = meaning.layout
    stacks = [text(layout, meaning.initial_shared(), meaning.initial_stack(t)) for t in range(4)]
    assert stacks == ["u=- | main:0", *["u=- | waiting"] * 3]
    begun = program(
        procedure("main", Step(0, 1), step(1, 1, guard=Read(R)), variables=(R, local("d"))),
        threads=(Thread("main", "main", start=1),),
    )
    meaning = Meaning(begun)
    assert text(meaning.layout, (), meaning.initial_stack(0)) == "() | main:1(r=0 d=-)"


# Assertions


ASSERTION = program(
    procedure("main", Assert(0, 1, Read(U), Read(V)), Assert(1, None, Read(X)), step(1, 2)),
    procedure("other", step(0, 0)),
    shared=(X, U, V),
    threads=(
        Thread("main", "main"),
        Thread("other", "other"),
        Thread("late", "other", created=True),
    ),
)


def test_an_assertion_goes_on_where_it_can_be_true_and_halts_where_it_can_be_false() -> None:
    assert rules(ASSERTION, "x=0 u=- v=- | main:0") == {
        "x=0 u=1 v=1 | main:1",
        "x=0 u=0 v=1 halted=1 | main:0!",
    }
    assert rules(ASSERTION, "x=0 u=1 v=0 | main:0") == set()
    assert rules(ASSERTION, "x=1 u=1 v=1 | main:1") == {"x=1 u=1 v=1 | -", "x=1 u=1 v=1 | main:2"}
    assert rules(ASSERTION, "x=0 u=1 v=1 | main:1") == {
        "x=0 u=1 v=1 halted=1 | main:1!",
        "x=0 u=1 v=1 | main:2",
    }


def test_a_halted_program_does_nothing_but_stay() -> None:
    halted = "x=0 u=0 v=1 halted=1 created_late=1"
    assert rules(ASSERTION, f"{halted} | main:0!") == {f"{halted} | main:0!"}
    assert rules(ASSERTION, f"{halted} | main:1") == set()
    assert rules(ASSERTION, f"{halted} | other:0", thread=1) == set()
    assert rules(ASSERTION, f"{halted} | waiting", thread=2) == set()


def test_equal_assertions_have_violations_of_their_own() -> None:
    assertion = Assert(0, 0, FALSE)
    one = main(assertion, assertion)
    assert rules(one, "() | main:0") == {"halted=1 | main:0!", "halted=1 | main:0!2"}


# The scheduler lock


LOCK = variable("lock")
LOCKED = program(
    procedure(
        "main",
        step(0, 1, assign(LOCK, 1)),
        step(1, 2, assign(LOCK, ANY)),
        step(2, 3, assign(LOCK, 0)),
        step(0, 4),
    ),
    procedure("other", step(0, 1)),
    shared=(LOCK,),
    threads=(
        Thread("main", "main"),
        Thread("other", "other"),
        Thread("late", "other", created=True),
    ),
    lock=LOCK,
)


def test_who_closes_the_lock_holds_it() -> None:
    assert rules(LOCKED, "lock=0 | main:0") == {"lock=1 holder=1 | main:1", "lock=0 | main:4"}
    assert rules(LOCKED, "lock=0 | other:0", thread=1) == {"lock=0 | other:1"}


def test_while_the_lock_is_closed_only_its_holder_moves() -> None:
    assert rules(LOCKED, "lock=1 holder=1 | other:0", thread=1) == set()
    assert rules(LOCKED, "lock=1 holder=1 created_late=1 | waiting", thread=2) == set()
    assert rules(LOCKED, "lock=1 holder=1 | main:1") == {"lock=- holder=1 | main:2"}
    assert rules(LOCKED, "lock=1 | main:1") == set()


def test_a_lock_that_is_left_open_is_open_for_others_and_undecided_for_its_holder() -> None:
    assert rules(LOCKED, "lock=- holder=1 | other:0", thread=1) == {"lock=0 | other:1"}
    assert rules(LOCKED, "lock=- holder=1 | main:0") == {
        "lock=1 holder=1 | main:1",
        "lock=- holder=1 | main:4",
    }
    assert rules(LOCKED, "lock=- | main:0") == {"lock=1 holder=1 | main:1", "lock=0 | main:4"}
    assert rules(LOCKED, "lock=- holder=1 created_late=1 | waiting", thread=2) == {
        "lock=0 created_late=1 | other:0"
    }


def test_who_opens_the_lock_holds_it_no_more() -> None:
    assert rules(LOCKED, "lock=1 holder=1 | main:2") == {"lock=0 | main:3"}


# Deciding first


def test_variables_are_decided_first_globals_before_locals_in_order() -> None:
    a, b, dead = local("a"), local("b"), local("d")
    one = main(
        Step(0, 1, Binary("and", Read(a), Read(b))),
        step(1, 1),
        shared=(X, U, V),
        variables=(dead, a, b),
    )
    decide = {"decide_first": True}
    assert rules(one, "x=0 u=- v=- | main:0(d=- a=- b=-)", **decide) == {
        "x=0 u=0 v=- | main:0(d=- a=- b=-)",
        "x=0 u=1 v=- | main:0(d=- a=- b=-)",
    }
    assert rules(one, "x=0 u=0 v=1 | main:0(d=- a=1 b=-)", **decide) == {
        "x=0 u=0 v=1 | main:0(d=- a=1 b=0)",
        "x=0 u=0 v=1 | main:0(d=- a=1 b=1)",
    }
    assert rules(one, "x=0 u=0 v=1 | main:0(d=- a=1 b=1)", **decide) == {
        "x=0 u=0 v=1 | main:1(d=- a=- b=-)"
    }
    assert rules(one, "x=0 u=0 v=1 | main:0(d=- a=1 b=1)", **decide, liveness=False) == {
        "x=0 u=0 v=1 | main:0(d=0 a=1 b=1)",
        "x=0 u=0 v=1 | main:0(d=1 a=1 b=1)",
    }


def test_a_waiting_thread_decides_globals_but_neither_full_nor_halted_programs_do() -> None:
    decide = {"decide_first": True}
    assert rules(CREATION, "u=- created_plain=1 | waiting", thread=3, **decide) == {
        "u=0 created_plain=1 | waiting",
        "u=1 created_plain=1 | waiting",
    }
    assert rules(CREATION, "u=1 created_plain=1 | waiting", thread=3, **decide) == {
        "u=1 created_plain=1 | work:0(n=0 o=-)"
    }
    assert rules(ASSERTION, "x=0 u=- v=1 halted=1 | main:0!", **decide) == {
        "x=0 u=- v=1 halted=1 | main:0!"
    }
    one = program(
        procedure("main", Call(0, 1, "f"), Receive(1, 2, (X,))),
        procedure("f", Return(0, (TRUE,)), results=(BOOLEAN,)),
        shared=(X, U),
    )
    assert rules(one, "x=0 u=- full=1 result_0=1 | main:1", **decide) == {"x=1 u=- | main:2"}


def test_where_variables_are_decided_first_assigned_and_passed_choices_are_made_at_once() -> None:
    p = local("p", procedure="f")
    one = program(
        procedure("main", step(0, 1, assign(X, ANY)), Call(1, 2, "f", (ANY,)), step(2, 2)),
        procedure("f", Step(0, None, Read(p)), variables=(p,), parameters=1),
        shared=(X,),
    )
    assert rules(one, "x=0 | main:0", decide_first=True) == {"x=0 | main:1", "x=1 | main:1"}
    assert rules(one, "x=0 | main:1", decide_first=True) == {
        "x=0 | f:0(p=0) / main:2",
        "x=0 | f:0(p=1) / main:2",
    }


def test_deciding_obeys_the_lock_and_counts_as_a_step() -> None:
    decide = {"decide_first": True}
    one = program(
        procedure("main", step(0, 0)),
        procedure("other", step(0, 0)),
        shared=(U, LOCK),
        lock=LOCK,
        threads=(Thread("main", "main"), Thread("other", "other")),
    )
    assert rules(one, "u=- lock=1 holder=1 | other:0", thread=1, **decide) == set()
    assert rules(one, "u=1 lock=- holder=1 | main:0", **decide) == {
        "u=1 lock=0 | main:0",
        "u=1 lock=1 holder=1 | main:0",
    }
    assert rules(one, "u=- lock=- | main:0", **decide) == {
        "u=0 lock=0 | main:0",
        "u=1 lock=0 | main:0",
    }


def test_frames_that_cannot_be_there_do_nothing() -> None:
    assert rules(ASSERTION, "x=0 u=0 v=0 | main:0!", decide_first=True) == set()
    one = main(step(0, 1), step(1, 2), atomic={1})
    assert rules(one, "() | main:1") == set()
    frame = Frame(Meaning(one).layout.waiting)
    assert Meaning(one).covered(0, *state(Meaning(one).layout, "() | main:1")) == frozenset()
    assert Meaning(one).rules(0, (0,), frame) == frozenset()
