"""What edges read and write, and when a thread is next to it."""

from __future__ import annotations

import pytest

from tepui.program.accesses import accesses_of, is_certain
from tepui.program.expressions import (
    TRUE,
    Binary,
    Choice,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Unary,
    Variable,
)
from tepui.program.printer import expression_text
from tepui.program.program import (
    NOWHERE,
    Assert,
    Assignment,
    Edge,
    Element,
    Location,
    Procedure,
    Program,
    Step,
    Thread,
)
from tepui.program.types import Array, Bounded

SMALL = Bounded(0, 1, "block")
X, Y, FLAG = Variable("x"), Variable("y"), Variable("flag", volatile=True)
N = Variable("n", SMALL)
A = Variable("a", Array(SMALL, 2))
LOCAL = Variable("l", SMALL, procedure="p")


def step(*assignments: tuple[Variable | Element, Expression], guard: Expression = TRUE) -> Step:
    given = tuple(Assignment(target, value) for target, value in assignments)
    return Step(0, None, guard, given)


def described(edge: Edge) -> dict[str, str]:
    """Each access, with its condition, or «certain»."""
    program = Program(
        (Procedure("p", (Location(NOWHERE),), (edge,), (LOCAL,)),),
        (Thread("p", "p"),),
        (X, Y, FLAG, N, A),
    )
    return {
        access.words: "certain"
        if is_certain(program, edge, access)
        else expression_text(access.guard)
        for access in accesses_of(edge)
    }


BOTH = Binary("and", Read(X), Read(Y))
OF_LOCAL = ReadElement(A, Read(LOCAL))


@pytest.mark.parametrize(
    ("edge", "expected"),
    [
        (step((X, Read(Y))), {"read y": "certain", "write x": "certain"}),
        (step((X, Read(FLAG))), {"write x": "certain"}),
        (step((LOCAL, Read(N))), {"read n": "certain"}),
        (step((X, TRUE), guard=Read(Y)), {"read y": "certain", "write x": "y"}),
        (step((LOCAL, BOTH)), {"read x": "certain", "read y": "x"}),
        (step(guard=Binary("or", Read(X), Read(Y))), {"read x": "certain", "read y": "!x"}),
        (
            step((LOCAL, Conditional(Read(X), Read(Y), Read(N)))),
            {"read x": "certain", "read y": "x", "read n": "!x"},
        ),
        (step((Element(A, Constant(1)), TRUE)), {"write a[1]": "certain"}),
        (step((Element(A, Constant(2)), TRUE)), {}),
        (step((X, TRUE), (Element(A, Constant(2)), TRUE)), {"write x": "1"}),
        (step((LOCAL, OF_LOCAL)), {"read a[0]": "l = 0", "read a[1]": "l = 1"}),
        (
            step((LOCAL, Binary("+", OF_LOCAL, Read(X)))),
            {"read a[0]": "l = 0", "read a[1]": "l = 1", "read x": "a[l] = a[l]"},
        ),
        (step((N, Binary("+", Read(LOCAL), TRUE))), {"write n": "1"}),
        (step((N, Choice(SMALL))), {"write n": "certain"}),
        (Assert(0, None, Unary("not", Read(X))), {"read x": "certain"}),
        (
            Step(0, None, TRUE, (Assignment(X, TRUE),), Binary("=", Read(X, True), Read(Y, True))),
            {"read y": "certain", "write x": "1"},
        ),
    ],
)
def test_accesses_and_their_conditions(edge: Edge, expected: dict[str, str]) -> None:
    assert described(edge) == expected
