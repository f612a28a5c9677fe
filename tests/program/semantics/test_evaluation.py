"""Steps in the reference semantics: guards, values, assignments and constraints."""

from __future__ import annotations

import pytest

from support.samples.handmade_programs import assign, equal, main, rules, step, variable
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
)
from tepui.program.program import Assignment, Element, Step
from tepui.program.types import BOOLEAN, Array, Bounded, Enumeration

X, Y = variable("x"), variable("y")
U, V = variable("u", initial=None), variable("v", initial=None)
COLOUR = Enumeration(("red", "green", "blue"))
DIGIT = Bounded(0, 9)


# Guards and the values of expressions


def test_an_edge_is_taken_only_if_its_guard_can_be_true() -> None:
    one = main(Step(0, 1, Read(X)), Step(0, 2, Unary("not", Read(X))), shared=(X,))
    assert rules(one, "x=1 | main:0") == {"x=1 | main:1"}
    assert rules(one, "x=0 | main:0") == {"x=0 | main:2"}


def test_a_location_without_an_enabled_edge_waits() -> None:
    assert rules(main(Step(0, 1, FALSE)), "() | main:0") == set()


def test_an_edge_back_to_where_it_starts_is_a_rule() -> None:
    assert rules(main(step(0, 0)), "() | main:0") == {"() | main:0"}


def test_every_edge_is_evaluated_from_the_same_state() -> None:
    one = main(Step(0, 1, Read(U)), Step(0, 2, TRUE), shared=(U,))
    assert rules(one, "u=- | main:0") == {"u=1 | main:1", "u=- | main:2"}


def test_reading_a_variable_without_a_value_decides_it() -> None:
    one = main(step(0, 1, assign(X, Read(U))), shared=(X, U))
    assert rules(one, "x=0 u=- | main:0") == {"x=0 u=0 | main:1", "x=1 u=1 | main:1"}


def test_a_value_once_decided_stays_so_within_the_step() -> None:
    both = Binary("and", Read(U), Unary("not", Read(U)))
    one = main(Step(0, 1, both), step(0, 2, assign(X, Read(U)), guard=Read(U)), shared=(X, U))
    assert rules(one, "x=0 u=- | main:0") == {"x=1 u=1 | main:2"}


def test_a_variable_that_is_assigned_keeps_what_was_assigned_not_what_was_decided() -> None:
    one = main(step(0, 1, assign(U, Unary("not", Read(U)))), shared=(U,))
    assert rules(one, "u=- | main:0") == {"u=0 | main:1", "u=1 | main:1"}
    set_to_0 = main(step(0, 1, assign(U, 0), guard=Read(U)), shared=(U,))
    assert rules(set_to_0, "u=- | main:0") == {"u=0 | main:1"}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Binary("and", Read(X), Read(U)), set()),
        (Binary("or", Read(Y), Read(U)), {"x=0 y=1 u=-"}),
        (Binary("implies", Read(X), Read(U)), {"x=0 y=1 u=-"}),
        (Conditional(Read(Y), TRUE, Read(U)), {"x=0 y=1 u=-"}),
        (Conditional(Read(X), Read(U), TRUE), {"x=0 y=1 u=-"}),
        (Binary("and", Read(Y), Read(U)), {"x=0 y=1 u=1"}),
        (Binary("or", Read(X), Read(U)), {"x=0 y=1 u=1"}),
        (Binary("implies", Read(Y), Read(U)), {"x=0 y=1 u=1"}),
        (Binary("xor", Read(Y), Read(U)), {"x=0 y=1 u=0"}),
        (Binary(">=", Read(Y), Read(U)), {"x=0 y=1 u=0", "x=0 y=1 u=1"}),
    ],
)
def test_logic_reads_only_what_it_needs_and_everything_else_reads_all(
    condition: Expression, expected: set[str]
) -> None:
    one = main(Step(0, 1, condition), shared=(X, Y, U))
    assert rules(one, "x=0 y=1 u=- | main:0") == {f"{shared} | main:1" for shared in expected}


@pytest.mark.parametrize(
    ("operator", "left", "right", "value"),
    [
        ("and", 2, 1, 1),
        ("and", 1, 0, 0),
        ("or", 0, 3, 1),
        ("or", 0, 0, 0),
        ("implies", 5, 0, 0),
        ("implies", 5, 7, 1),
        ("xor", 2, 3, 0),
        ("xor", 2, 0, 1),
        ("=", 3, 3, 1),
        ("!=", 3, 3, 0),
        ("<", 3, 3, 0),
        ("<=", 3, 3, 1),
        (">", 4, 3, 1),
        (">", 3, 3, 0),
        (">=", 2, 3, 0),
        ("+", 4, 3, 7),
        ("-", 4, 3, 1),
        ("*", 4, 2, 8),
    ],
)
def test_operators_mean_what_they_look_like(
    operator: BinaryOperator, left: int, right: int, value: int
) -> None:
    digit = variable("n", DIGIT)
    operation = Binary(operator, Constant(left), Constant(right))
    one = main(step(0, 1, assign(digit, operation)), shared=(digit,))
    assert rules(one, "n=0 | main:0") == {f"n={value} | main:1"}


def test_not_maps_all_but_0_to_0_and_minus_negates() -> None:
    digit = variable("n", Bounded(-9, 9))
    for value, expression in ((0, Unary("not", Constant(4))), (-4, Unary("minus", Constant(4)))):
        one = main(step(0, 1, assign(digit, expression)), shared=(digit,))
        assert rules(one, "n=1 | main:0") == {f"n={value} | main:1"}


def test_a_choice_is_made_anew_at_every_evaluation() -> None:
    one = main(Step(0, 1, Binary("and", ANY, Unary("not", ANY))))
    assert rules(one, "() | main:0") == {"() | main:1"}


# Assignment


def test_assignments_of_one_step_happen_at_once() -> None:
    one = main(step(0, 1, assign(X, Read(Y)), assign(Y, Read(X))), shared=(X, Y))
    assert rules(one, "x=0 y=1 | main:0") == {"x=1 y=0 | main:1"}


def test_of_several_assignments_to_one_scalar_the_last_counts() -> None:
    one = main(step(0, 1, assign(X, 1), assign(X, Read(X))), shared=(X,))
    assert rules(one, "x=0 | main:0") == {"x=0 | main:1"}


def test_an_assigned_choice_is_left_open() -> None:
    colour = variable("c", COLOUR)
    one = main(step(0, 1, assign(X, ANY), assign(colour, Choice(COLOUR))), shared=(X, colour))
    assert rules(one, "x=1 c=red | main:0") == {"x=- c=- | main:1"}


def test_a_choice_of_another_range_or_inside_an_expression_is_made() -> None:
    number = variable("n", Bounded(0, 2))
    one = main(
        step(0, 1, assign(number, ANY)),
        step(0, 2, assign(X, Unary("not", ANY))),
        step(0, 3, assign(number, Choice(Bounded(2, 4)))),
        shared=(X, number),
    )
    assert rules(one, "x=0 n=2 | main:0") == {
        "x=0 n=0 | main:1",
        "x=0 n=1 | main:1",
        "x=0 n=2 | main:2",
        "x=1 n=2 | main:2",
        "x=0 n=2 | main:3",
        "x=0 n=0 | main:3",
        "x=0 n=1 | main:3",
    }


def test_a_choice_of_the_same_range_under_another_name_is_left_open() -> None:
    number = variable("n", Bounded(0, 1, "block"))
    one = main(step(0, 1, assign(number, ANY)), shared=(number,))
    assert rules(one, "n=0 | main:0") == {"n=- | main:1"}


@pytest.mark.parametrize(
    ("kind", "value", "kept"),
    [
        (Bounded(-1, 2, "wrap"), 3, "-1"),
        (Bounded(-1, 2, "wrap"), -2, "2"),
        (Bounded(-1, 2, "wrap"), -6, "2"),
        (Bounded(-1, 2, "saturate"), 9, "2"),
        (Bounded(-1, 2, "saturate"), -9, "-1"),
        (Bounded(-1, 2, "block"), 3, None),
        (Bounded(-1, 2, "block"), -2, None),
        (Bounded(-1, 2, "block"), 2, "2"),
        (BOOLEAN, 2, None),
        (BOOLEAN, -1, None),
        (COLOUR, 3, None),
        (COLOUR, 2, "blue"),
    ],
)
def test_a_value_outside_the_range_wraps_saturates_or_blocks(
    kind: Bounded, value: int, kept: str | None
) -> None:
    target = variable("n", kind)
    one = main(step(0, 1, assign(target, value)), shared=(target,))
    source = f"n={kind.text(0)} | main:0"
    assert rules(one, source) == (set() if kept is None else {f"n={kept} | main:1"})


ARRAY = variable("a", Array(DIGIT, 2))
INDEX = variable("i", Bounded(0, 3))


def test_an_element_is_read_and_written_by_its_index() -> None:
    element = Element(ARRAY, Read(INDEX))
    one = main(
        Step(0, 1, assignments=(Assignment(element, Constant(7)),)),
        step(0, 2, assign(INDEX, ReadElement(ARRAY, Read(INDEX)))),
        shared=(ARRAY, INDEX),
    )
    assert rules(one, "a[0]=2 a[1]=3 i=1 | main:0") == {
        "a[0]=2 a[1]=7 i=1 | main:1",
        "a[0]=2 a[1]=3 i=3 | main:2",
    }


def test_an_index_outside_the_array_blocks() -> None:
    below = Element(ARRAY, Binary("-", Read(INDEX), Constant(2)))
    one = main(
        Step(0, 1, assignments=(Assignment(Element(ARRAY, Read(INDEX)), Constant(7)),)),
        Step(0, 2, Binary("or", TRUE, ReadElement(ARRAY, Read(INDEX)))),
        Step(0, 3, Binary(">=", ReadElement(ARRAY, Read(INDEX)), Constant(0))),
        Step(0, 4, assignments=(Assignment(below, Constant(7)),)),
        shared=(ARRAY, INDEX),
    )
    assert rules(one, "a[0]=0 a[1]=0 i=2 | main:0") == {
        "a[0]=0 a[1]=0 i=2 | main:2",
        "a[0]=7 a[1]=0 i=2 | main:4",
    }
    assert "a[0]=0 a[1]=0 i=1 | main:3" in rules(one, "a[0]=0 a[1]=0 i=1 | main:0")
    assert not any("main:4" in rule for rule in rules(one, "a[0]=0 a[1]=0 i=1 | main:0"))


def test_an_index_without_a_value_is_decided_and_then_blocks_where_it_is_outside() -> None:
    one = main(
        step(0, 1, assign(X, equal(ReadElement(ARRAY, Read(INDEX)), 3))),
        shared=(X, ARRAY, INDEX),
    )
    assert rules(one, "x=0 a[0]=3 a[1]=0 i=- | main:0") == {
        "x=1 a[0]=3 a[1]=0 i=0 | main:1",
        "x=0 a[0]=3 a[1]=0 i=1 | main:1",
    }


def test_only_the_element_that_is_read_is_decided() -> None:
    bits = variable("b", Array(BOOLEAN, 2))
    one = main(Step(0, 1, ReadElement(bits, Constant(1))), shared=(bits,))
    assert rules(one, "b[0]=- b[1]=- | main:0") == {"b[0]=- b[1]=1 | main:1"}


def test_an_assigned_choice_leaves_an_element_open() -> None:
    element = Element(ARRAY, Constant(1))
    one = main(Step(0, 1, assignments=(Assignment(element, Choice(DIGIT)),)), shared=(ARRAY,))
    assert rules(one, "a[0]=1 a[1]=2 | main:0") == {"a[0]=1 a[1]=- | main:1"}


def test_two_assignments_to_the_same_element_leave_the_last() -> None:
    assignments = (
        Assignment(Element(ARRAY, Constant(1)), Constant(4)),
        Assignment(Element(ARRAY, Read(INDEX)), Constant(5)),
    )
    one = main(Step(0, 1, assignments=assignments), shared=(ARRAY, INDEX))
    assert rules(one, "a[0]=0 a[1]=0 i=1 | main:0") == {"a[0]=0 a[1]=5 i=1 | main:1"}


# Constraints


def new(target: Expression | None = None, of: str = "x") -> Read:
    return Read({"x": X, "y": Y, "u": U}[of], after=True)


def test_a_constraint_sees_the_values_before_and_after() -> None:
    one = main(
        step(0, 1, assign(X, ANY), constraint=Binary("!=", new(), Read(X))),
        shared=(X,),
    )
    assert rules(one, "x=0 | main:0") == {"x=1 | main:1"}
    assert rules(one, "x=1 | main:0") == {"x=0 | main:1"}


def test_reading_a_new_value_that_is_open_decides_the_new_value_only() -> None:
    one = main(step(0, 1, assign(X, ANY), constraint=Binary("or", new(), TRUE)), shared=(X,))
    assert rules(one, "x=0 | main:0") == {"x=0 | main:1", "x=1 | main:1"}
    unread = main(step(0, 1, assign(X, ANY), constraint=Binary("or", TRUE, new())), shared=(X,))
    assert rules(unread, "x=0 | main:0") == {"x=- | main:1"}


def test_old_and_new_value_of_an_open_variable_are_decided_apart() -> None:
    one = main(
        step(
            0, 1, assign(U, ANY), assign(X, Read(U)), constraint=Binary("!=", new(of="u"), Read(U))
        ),
        shared=(X, U),
    )
    assert rules(one, "x=0 u=- | main:0") == {"x=0 u=1 | main:1", "x=1 u=0 | main:1"}


def test_a_new_value_that_was_decided_stays_so() -> None:
    differs = Binary("xor", new(), new())
    one = main(step(0, 1, assign(X, ANY), constraint=differs), shared=(X,))
    assert rules(one, "x=0 | main:0") == set()


def test_the_new_value_is_the_last_one_assigned() -> None:
    one = main(step(0, 1, assign(X, 0), assign(X, 1), constraint=new()), shared=(X,))
    assert rules(one, "x=0 | main:0") == {"x=1 | main:1"}


def test_a_variable_that_is_not_assigned_has_one_value_before_and_after() -> None:
    differs = Binary("!=", new(of="u"), Read(U))
    one = main(step(0, 1, constraint=differs), step(0, 2, constraint=new(of="u")), shared=(U,))
    assert rules(one, "u=- | main:0") == {"u=1 | main:2"}


def test_a_constraint_reads_elements_as_they_were() -> None:
    element = Assignment(Element(ARRAY, Constant(0)), Constant(5))
    one = main(
        Step(0, 1, assignments=(element,), constraint=equal(ReadElement(ARRAY, Constant(0)), 5)),
        Step(0, 2, assignments=(element,), constraint=equal(ReadElement(ARRAY, Constant(0)), 4)),
        shared=(ARRAY,),
    )
    assert rules(one, "a[0]=4 a[1]=0 | main:0") == {"a[0]=5 a[1]=0 | main:2"}
