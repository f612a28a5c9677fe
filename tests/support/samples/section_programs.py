"""Programs with atomic sections that call, recur and violate, for several tests."""

from __future__ import annotations

from support.samples.handmade_programs import (
    assign,
    equal,
    local,
    procedure,
    program,
    step,
    variable,
)
from tepui.program.expressions import FALSE, Binary, Constant, Read, Unary
from tepui.program.program import Assert, Call, Receive, Return, Step
from tepui.program.types import BOOLEAN, Bounded

X, Y, U = variable("x"), variable("y"), variable("u", initial=None)
N = variable("n", Bounded(0, 5))
LESS = Binary("-", Read(N), Constant(1))

CALLS = program(
    procedure(
        "main",
        step(0, 1),
        Call(1, 2, "f", (Read(X),)),
        Receive(2, 3, (Y,)),
        step(3, 4),
        atomic={1, 2, 3},
    ),
    procedure(
        "f",
        Call(0, 1, "g"),
        Return(1, (Read(local("p", procedure="f")),)),
        variables=(local("p", procedure="f"),),
        parameters=1,
        results=(BOOLEAN,),
    ),
    procedure("g", step(0, 1, assign(X, 0)), step(1, None)),
    shared=(X, Y),
)

RECURSIVE = program(
    procedure("main", Call(0, 1, "f"), step(1, 2), atomic={1}),
    procedure(
        "f",
        Step(0, None, equal(N, 0)),
        step(0, 1, assign(N, LESS), guard=Unary("not", equal(N, 0))),
        Call(1, 2, "f"),
        Call(1, 1, "f"),
        step(2, None, assign(X, Unary("not", Read(X)))),
    ),
    shared=(N, X),
)

VIOLATION = program(
    procedure("main", step(0, 1, assign(X, 1)), Call(1, 2, "f"), Step(2, 3, FALSE), atomic={1, 2}),
    procedure("f", Assert(0, 1, Read(U)), Return(1)),
    shared=(X, U),
)
