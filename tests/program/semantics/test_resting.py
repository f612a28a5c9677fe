"""Liveness in the reference semantics: which values a frame at rest still has."""

from __future__ import annotations

import pytest

from support.samples.handmade_programs import (
    assign,
    equal,
    local,
    main,
    procedure,
    program,
    rules,
    step,
    variable,
)
from tepui.program.expressions import ANY, TRUE, Binary, Constant, Read, ReadElement
from tepui.program.program import (
    Assert,
    Assignment,
    Call,
    Create,
    Element,
    End,
    Receive,
    Return,
    Step,
    Thread,
)
from tepui.program.types import BOOLEAN, Array, Bounded, Enumeration

X, Y = variable("x"), variable("y")
U, V = variable("u", initial=None), variable("v", initial=None)
COLOUR = Enumeration(("red", "green", "blue"))
DIGIT = Bounded(0, 9)


ARRAY = variable("a", Array(DIGIT, 2))
INDEX = variable("i", Bounded(0, 3))


R = local("r")


def test_values_that_nobody_will_read_are_forgotten() -> None:
    a, b = local("a"), local("b")
    one = main(
        step(0, 1, assign(a, 1), assign(b, 1)),
        Step(1, 2, Read(a)),
        step(2, 3, assign(b, 0)),
        Step(3, None, Read(b)),
        variables=(a, b),
    )
    assert rules(one, "() | main:0(a=0 b=0)") == {"() | main:1(a=1 b=-)"}
    assert rules(one, "() | main:1(a=1 b=-)") == {"() | main:2(a=- b=-)"}
    assert rules(one, "() | main:2(a=- b=-)") == {"() | main:3(a=- b=0)"}
    assert rules(one, "() | main:0(a=0 b=0)", liveness=False) == {"() | main:1(a=1 b=1)"}


@pytest.mark.parametrize(
    ("edge", "is_read"),
    [
        (Step(1, None, Read(R)), True),
        (step(1, None, assign(X, Read(R))), True),
        (step(1, None, assign(R, 1)), False),
        (step(1, None, assign(R, Read(R))), True),
        (Step(1, None, constraint=Read(R)), True),
        (Step(1, None, constraint=Read(R, after=True)), True),
        (step(1, None, assign(R, ANY), constraint=Read(R, after=True)), False),
        (step(1, None, assign(R, ANY), constraint=Read(R)), True),
        (Step(1, None, assignments=(Assignment(Element(ARRAY, Read(R)), TRUE),)), True),
        (step(1, None, assign(X, equal(ReadElement(ARRAY, Read(R)), 1))), True),
        (Call(1, 2, "f", (Read(R),)), True),
        (Call(1, 2, "f", (TRUE,)), False),
        (Assert(1, None, Read(R)), True),
        (Create(1, None, (1,), ((Read(R),),)), True),
        (End(1, Read(R)), True),
        (End(1), False),
    ],
)
def test_what_counts_as_reading_a_local_variable(edge: Step, is_read: bool) -> None:
    p = local("p", procedure="f")
    one = program(
        procedure("main", step(0, 1, assign(R, 1)), edge, Return(2), variables=(R,)),
        procedure("f", Return(0), variables=(p,), parameters=1),
        shared=(X, ARRAY),
        threads=(Thread("main", "main"), Thread("t", "f", created=True, inherited=(p,))),
    )
    kept = "1" if is_read else "-"
    assert rules(one, "x=0 a[0]=0 a[1]=0 | main:0(r=0)") == {
        f"x=0 a[0]=0 a[1]=0 | main:1(r={kept})"
    }


def test_an_array_is_forgotten_as_a_whole_and_never_by_an_assignment_to_an_element() -> None:
    bits = local("b", Array(BOOLEAN, 2))
    element = Assignment(Element(bits, Constant(0)), TRUE)
    one = main(
        step(0, 1),
        Step(1, 2, assignments=(element,)),
        Step(2, 3, ReadElement(bits, Constant(1))),
        step(3, 3),
        variables=(bits,),
    )
    assert rules(one, "() | main:0(b[0]=0 b[1]=1)") == {"() | main:1(b[0]=0 b[1]=1)"}
    assert rules(one, "() | main:2(b[0]=0 b[1]=1)") == {"() | main:3(b[0]=- b[1]=-)"}


def test_the_caller_keeps_what_it_reads_after_the_call_and_a_receipt_assigns() -> None:
    a, b = local("a"), local("b")
    one = program(
        procedure(
            "main",
            Call(0, 1, "f", (Read(b),)),
            Receive(1, 2, (b,)),
            Step(2, None, Binary("and", Read(a), Read(b))),
            variables=(a, b),
        ),
        procedure(
            "f",
            Return(0, (TRUE,)),
            variables=(local("p", procedure="f"),),
            parameters=1,
            results=(BOOLEAN,),
        ),
    )
    assert rules(one, "() | main:0(a=1 b=1)") == {"() | f:0(p=-) / main:1(a=1 b=-)"}


def test_a_returned_value_is_read() -> None:
    a = local("a", procedure="f")
    one = program(
        procedure("main", Call(0, 1, "f"), Receive(1, None, (None,))),
        procedure(
            "f", step(0, 1, assign(a, 1)), Return(1, (Read(a),)), variables=(a,), results=(BOOLEAN,)
        ),
    )
    assert rules(one, "() | f:0(a=-)") == {"() | f:1(a=1)"}


def test_liveness_goes_round_loops() -> None:
    a = local("a")
    one = main(
        step(0, 1, assign(a, 1)),
        step(1, 2),
        step(2, 1),
        Step(2, 3, Read(a)),
        step(3, 3),
        variables=(a,),
    )
    assert rules(one, "() | main:0(a=0)") == {"() | main:1(a=1)"}
    assert rules(one, "() | main:1(a=1)") == {"() | main:2(a=1)"}


def test_a_global_variable_is_not_mistaken_for_a_local_one_of_its_name() -> None:
    own = local("x")
    edges = {
        step(1, None, assign(X, 1)): "-",
        Step(1, None, Read(X)): "-",
        Step(1, None, constraint=Read(X)): "-",
        step(1, 2, assign(X, 1)): "1",
    }
    for edge, kept in edges.items():
        one = main(
            step(0, 1, assign(own, 1)), edge, Step(2, None, Read(own)), shared=(X,),
            variables=(own,),
        )  # fmt: skip
        assert rules(one, "x=0 | main:0(x=0)") == {f"x=0 | main:1(x={kept})"}


def test_a_constraint_that_reads_an_element_keeps_the_array() -> None:
    bits = local("b", Array(BOOLEAN, 1))
    one = main(
        step(0, 1), Step(1, None, constraint=ReadElement(bits, Constant(0))), variables=(bits,)
    )
    assert rules(one, "() | main:0(b[0]=1)") == {"() | main:1(b[0]=1)"}


def test_the_order_of_edges_does_not_matter() -> None:
    edges = [step(0, 1, assign(R, 1)), step(1, 2), step(2, 3), Step(3, None, Read(R))]
    for listed in (edges, edges[::-1]):
        one = main(*listed, variables=(R,))
        assert rules(one, "() | main:0(r=0)") == {"() | main:1(r=1)"}
