"""Copies of variables without a value, in the reference semantics: they have the same one later."""

from __future__ import annotations

import pytest

from support.samples.handmade_programs import (
    assign,
    local,
    main,
    program,
    rules,
    state,
    step,
    text,
    variable,
)
from support.samples.handmade_programs import procedure as made
from tepui.program.expressions import (
    Binary,
    BinaryOperator,
    Choice,
    Conditional,
    Constant,
    Convert,
    Read,
    ReadElement,
    Variable,
)
from tepui.program.layout import SameAs, in_normal_form, numbered
from tepui.program.program import Assignment, Call, Element, Fork, Program, Receive, Return, Step
from tepui.program.semantics.meaning import Meaning
from tepui.program.types import Array, Bounded, Enumeration

DIGIT = Bounded(0, 2)
X, Y, Z = (variable(name, DIGIT, None) for name in "xyz")
P, Q = local("p", DIGIT, None), local("q", DIGIT, None)
B, C = variable("b", initial=None), variable("c", initial=None)
A = variable("a", Array(DIGIT, 3), None)
R = local("r", DIGIT, None, "f")
WIDER = variable("w", Bounded(0, 3), None)
"""A variable of a type with other values."""


def test_a_copy_has_the_same_value() -> None:
    one = main(step(0, 1, assign(Y, Read(X))), shared=(X, Y))
    assert rules(one, "x=- y=1 | main:0") == {"x=- y==x | main:1"}
    assert rules(one, "x=2 y=- | main:0") == {"x=2 y=2 | main:1"}


def test_the_first_of_those_with_the_same_value_is_named() -> None:
    one = main(step(0, 1, assign(X, Read(Z))), shared=(X, Y, Z))
    assert rules(one, "x=1 y=- z==y | main:0") == {"x=- y==x z==x | main:1"}
    again = main(step(0, 1, assign(X, 1)), shared=(X, Y, Z))
    assert rules(again, "x=- y==x z==x | main:0") == {"x=1 y=- z==y | main:1"}


def test_a_copy_leaves_those_with_which_it_was_the_same() -> None:
    one = main(step(0, 1, assign(Y, Read(Z))), shared=(X, Y, Z))
    assert rules(one, "x=- y==x z=- | main:0") == {"x=- y=- z==y | main:1"}


def test_what_is_chosen_anew_is_another_value() -> None:
    one = main(step(0, 1, assign(X, Choice(DIGIT))), shared=(X, Y))
    assert rules(one, "x=- y==x | main:0") == {"x=- y=- | main:1"}


def test_reading_one_decides_all() -> None:
    one = main(Step(0, 1, Binary("=", Read(Z), Constant(2))), shared=(X, Y, Z))
    assert rules(one, "x=- y==x z==x | main:0") == {"x=2 y=2 z=2 | main:1"}
    assert rules(one, "x=- y==x z=- | main:0") == {"x=- y==x z=2 | main:1"}


def test_a_swap_exchanges_values_that_are_not_known() -> None:
    swap = step(0, 1, assign(X, Read(Y)), assign(Y, Read(X)))
    one = main(swap, shared=(X, Y, Z))
    assert rules(one, "x=- y=- z==x | main:0") == {"x=- y=- z==y | main:1"}
    assert rules(one, "x=- y=1 z==x | main:0") == {"x=1 y=- z==y | main:1"}
    assert rules(one, "x=- y==x z=0 | main:0") == {"x=- y==x z=0 | main:1"}


def test_what_is_read_after_it_was_copied_is_decided_in_the_copy() -> None:
    more = Convert(Binary("+", Read(X), Constant(1)), DIGIT)
    one = main(step(0, 1, assign(Y, Read(X)), assign(Z, more)), shared=(X, Y, Z))
    expected = {f"x={n} y={n} z={(n + 1) % 3} | main:1" for n in range(3)}
    assert rules(one, "x=- y=0 z=0 | main:0") == expected
    gone = main(step(0, 1, assign(Y, Read(X)), assign(X, more)), shared=(X, Y, Z))
    expected = {f"x={(n + 1) % 3} y={n} z={n} | main:1" for n in range(3)}
    assert rules(gone, "x=- y=0 z==x | main:0") == expected


def test_a_constraint_that_reads_a_copy_decides_its_source() -> None:
    small = Binary("<", Read(Y, after=True), Constant(1))
    one = main(step(0, 1, assign(Y, Read(X)), constraint=small), shared=(X, Y))
    assert rules(one, "x=- y=2 | main:0") == {"x=0 y=0 | main:1"}
    before = Binary("<", Read(X), Constant(1))
    one = main(step(0, 1, assign(Y, Read(X)), assign(X, 2), constraint=before), shared=(X, Y))
    assert rules(one, "x=- y=2 | main:0") == {"x=2 y=0 | main:1"}


def test_a_constraint_compares_a_copy_with_its_source() -> None:
    same = Binary("=", Read(Y, after=True), Read(X))
    one = main(step(0, 1, assign(Y, Read(X)), constraint=same), shared=(X, Y))
    assert rules(one, "x=- y=2 | main:0") == {"x=- y==x | main:1"}
    new = step(0, 1, assign(Y, Read(X)), assign(X, Choice(DIGIT)), constraint=same)
    assert rules(main(new, shared=(X, Y)), "x=- y=2 | main:0") == {"x=- y=- | main:1"}
    both = Binary("=", Read(Y, after=True), Read(X, after=True))
    one = main(
        step(0, 1, assign(Y, Read(X)), assign(X, Choice(DIGIT)), constraint=both), shared=(X, Y)
    )
    assert rules(one, "x=- y=2 | main:0") == {f"x={n} y={n} | main:1" for n in range(3)}
    itself = Binary("=", Read(X, after=True), Read(X, after=True))
    one = main(step(0, 1, assign(X, Choice(DIGIT)), constraint=itself), shared=(X,))
    assert rules(one, "x=- | main:0") == {"x=- | main:1"}


@pytest.mark.parametrize(
    ("operator", "holds"),
    [("=", True), ("<=", True), (">=", True), ("!=", False), ("<", False), (">", False)],
)
def test_a_comparison_of_one_value_with_itself_reads_nothing(
    operator: BinaryOperator, holds: bool
) -> None:
    one = main(Step(0, 1, Binary(operator, Read(X), Read(Y))), shared=(X, Y))
    assert rules(one, "x=- y==x | main:0") == ({"x=- y==x | main:1"} if holds else set())
    decided = rules(one, "x=- y=- | main:0")
    assert all("-" not in rule for rule in decided)
    assert len(decided) == {"=": 3, "!=": 6}.get(operator, 6 if holds else 3)
    itself = main(Step(0, 1, Binary(operator, Read(X), Read(X))), shared=(X, Y))
    assert rules(itself, "x=- y=- | main:0") == ({"x=- y=- | main:1"} if holds else set())


def test_both_sides_of_a_comparison_may_be_chosen_or_have_an_index() -> None:
    chosen = Conditional(Read(B), Read(X), Read(Y))
    one = main(Step(0, 1, Binary("=", chosen, Read(X))), shared=(B, X, Y))
    assert rules(one, "b=- x=- y==x | main:0") == {"b=0 x=- y==x | main:1", "b=1 x=- y==x | main:1"}
    element = ReadElement(A, Read(X))
    one = main(Step(0, 1, Binary("=", Read(X), element)), shared=(X, A))
    found = rules(one, "x=- a[0]=- a[1]=- a[2]==a[1] | main:0")
    assert found == {
        "x=0 a[0]=0 a[1]=- a[2]==a[1] | main:1",
        "x=1 a[0]=- a[1]=1 a[2]=1 | main:1",
        "x=2 a[0]=- a[1]=2 a[2]=2 | main:1",
    }


def test_elements_are_copied_by_their_index() -> None:
    copy = Assignment(Element(A, Constant(2)), ReadElement(A, Read(X)))
    one = main(Step(0, 1, assignments=(copy,)), shared=(X, A))
    found = rules(one, "x=1 a[0]=- a[1]==a[0] a[2]=0 | main:0")
    assert found == {"x=1 a[0]=- a[1]==a[0] a[2]==a[0] | main:1"}
    found = rules(one, "x=- a[0]=- a[1]=1 a[2]=0 | main:0")
    assert found == {
        "x=0 a[0]=- a[1]=1 a[2]==a[0] | main:1",
        "x=1 a[0]=- a[1]=1 a[2]=1 | main:1",
        "x=2 a[0]=- a[1]=1 a[2]=0 | main:1",
    }


def test_a_conditional_copies_what_it_chooses() -> None:
    chosen = Conditional(Read(B), Read(X), Read(Y))
    one = main(step(0, 1, assign(Z, chosen)), shared=(B, X, Y, Z))
    assert rules(one, "b=- x=- y=1 z=0 | main:0") == {
        "b=0 x=- y=1 z=1 | main:1",
        "b=1 x=- y=1 z==x | main:1",
    }


def test_enumerations_with_as_many_members_are_the_same_values() -> None:
    colour = variable("k", Enumeration(("red", "green", "blue")), None)
    one = main(step(0, 1, assign(colour, Read(X))), shared=(X, colour))
    assert rules(one, "x=- k=red | main:0") == {"x=- k==x | main:1"}


@pytest.mark.parametrize(
    ("source", "target"),
    [(B, C), (WIDER, X), (X, WIDER), (X, P), (P, X)],
    ids=["Boolean", "from other values", "to other values", "from shared", "to shared"],
)
def test_other_copies_read(source: Variable, target: Variable) -> None:
    """Booleans, other types, and from one side to the other: shared state and frame."""
    both = [source, target]
    one = main(
        step(0, 1, assign(target, Read(source))),
        shared=tuple(each for each in both if each != P),
        variables=(P,),
    )
    meaning = Meaning(one, liveness=False)
    (frame,) = meaning.initial_stack(0)
    found = meaning.rules(0, meaning.initial_shared(), frame)
    assert len(found) == source.scalar.size
    for shared, (top,) in found:
        assert None not in shared
        assert P not in both or None not in top.values


def test_arguments_and_results_read() -> None:
    one = program(
        made("main", Call(0, 1, "f", (Read(P),)), Receive(1, 2, (Q,)), variables=(P, Q)),
        made("f", Return(0, (Read(R),)), variables=(R,), parameters=1, results=(DIGIT,)),
    )
    assert len(rules(one, "() | main:0(p=- q=-)", liveness=False)) == 3
    assert len(rules(one, "() | f:0(r=-)")) == 3


def test_where_variables_are_decided_first_nothing_is_left_open() -> None:
    one = main(step(0, 1, assign(Y, Read(X))), shared=(X, Y))
    found = rules(one, "x=- y=1 | main:0", decide_first=True)
    assert found == {f"x={n} y=1 | main:0" for n in range(3)}


def test_programs_that_fork_read_what_they_copy() -> None:
    edges = step(0, 1, assign(Y, Read(X))), Fork(1, 2, "f")
    one = program(made("main", *edges), made("f", step(0, None)), shared=(X, Y))
    found = rules(one, "x=- y=1 | main:0")
    assert found == {f"x={n} y={n} | main:1" for n in range(3)}


def test_local_variables_lose_what_no_longer_matters() -> None:
    one = main(
        step(0, 1, assign(Q, Read(P))),
        Step(1, 2, Binary("=", Read(Q), Constant(1))),
        variables=(P, Q),
    )
    assert rules(one, "() | main:0(p=- q=0)") == {"() | main:1(p=- q=-)"}
    assert rules(one, "() | main:0(p=- q=0)", liveness=False) == {"() | main:1(p=- q==p)"}
    assert rules(one, "() | main:1(p=- q==p)", liveness=False) == {"() | main:2(p=1 q=1)"}


def test_copies_in_an_atomic_section_are_the_same_after_it() -> None:
    one = main(
        step(0, 1, assign(X, Choice(DIGIT))),
        step(1, 2, assign(Y, Read(X))),
        step(2, 3, assign(X, Read(Z)), assign(Z, Read(Y))),
        shared=(X, Y, Z),
        atomic=(1, 2),
    )
    assert rules(one, "x=0 y=0 z=1 | main:0") == {"x=1 y=- z==y | main:3"}
    assert rules(one, "x=0 y=0 z=- | main:0") == {"x=- y=- z==y | main:3"}


def stuck(meant: Program, source: str) -> set[str]:
    meaning = Meaning(meant)
    found = meaning.stuck(0, *state(meaning.layout, source))
    return {text(meaning.layout, shared, (frame,)) for shared, frame in found}


def test_a_copy_never_blocks() -> None:
    one = main(step(0, 1, assign(Y, Read(X))), shared=(X, Y))
    assert stuck(one, "x=- y=- | main:0") == set()


def test_a_thread_is_stuck_for_some_of_the_values_that_are_the_same() -> None:
    one = main(Step(0, 1, Binary("<", Read(Y), Constant(2))), shared=(X, Y, Z))
    assert stuck(one, "x=- y==x z==x | main:0") == {"x=2 y=2 z=2 | main:0"}
    assert stuck(one, "x=- y=- z==x | main:0") == {"x=- y=2 z==x | main:0"}
    never = main(Step(0, 1, Binary("!=", Read(X), Read(Y))), shared=(X, Y, Z))
    assert stuck(never, "x=- y==x z==x | main:0") == {"x=- y==x z==x | main:0"}


def test_in_a_section_a_thread_is_stuck_by_what_was_copied() -> None:
    one = main(
        step(0, 1, assign(Y, Read(X)), assign(X, 0)),
        step(1, 2, assign(P, Read(Q)), assign(Q, 1)),
        Step(2, 3, Binary("and", Binary("<", Read(Y), Constant(2)), Read(P))),
        shared=(X, Y),
        variables=(P, Q),
        atomic=(1, 2),
    )
    assert stuck(one, "x=- y=1 | main:0(p=- q=-)") == {
        "x=2 y=1 | main:0(p=- q=-)",
        "x=0 y=1 | main:0(p=- q=0)",
        "x=1 y=1 | main:0(p=- q=0)",
    }


def test_the_normal_form_names_the_first() -> None:
    values = (5, None, SameAs(1), None, SameAs(3), SameAs(1))
    assert in_normal_form(numbered(values)) == values
    assert in_normal_form(numbered(values, first=100)) == values
    assert in_normal_form((SameAs(9), None, SameAs(9), SameAs(7))) == (None, None, SameAs(0), None)


def test_a_frame_and_a_shared_state_have_numbers_of_their_own() -> None:
    one = main(
        step(0, 1, assign(Y, Read(X)), assign(Q, Read(P))),
        step(1, 0),
        shared=(X, Y),
        variables=(P, Q),
    )
    found = rules(one, "x=- y=0 | main:0(p=- q=0)", liveness=False)
    assert found == {"x=- y==x | main:1(p=- q==p)"}
