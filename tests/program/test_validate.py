"""Validation: every promise of the contract for front ends, broken once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from support.generators.programs import random_program
from support.samples.handmade_programs import (
    assign,
    local,
    main,
    procedure,
    program,
    step,
    variable,
)
from tepui.errors import ModelError
from tepui.program.expressions import (
    ANY,
    TRUE,
    Binary,
    Choice,
    Constant,
    Convert,
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
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    Thread,
)
from tepui.program.types import BOOLEAN, INTEGER, THREAD, Array, Bounded, Enumeration
from tepui.program.validate import validate

X = variable("x")
ARRAY = variable("a", Array(BOOLEAN, 2))
P, Q = local("p", procedure="f"), local("q", procedure="f")
W = local("k", procedure="work")
LOCK = variable("lock")

GOOD = program(
    procedure(
        "main",
        Call(0, 1, "f", (Read(X),)),
        Receive(1, 2, (X, None)),
        step(2, 3, assign(X, ANY), constraint=Read(X, after=True)),
        Create(3, 4, (1, 2), ((TRUE,), ())),
        Assert(4, 5, ReadElement(ARRAY, Read(X))),
        End(5),
        atomic={3},
    ),
    procedure("f", Return(0, (Read(P), TRUE)), variables=(P, Q), parameters=1,
              results=(BOOLEAN, BOOLEAN)),
    procedure("work", step(0, None), step(1, 0), variables=(W,)),
    shared=(X, ARRAY),
    threads=(
        Thread("main", "main"),
        Thread("w", "work", 2, created=True, start=1, inherited=(W,)),
        Thread("v", "work", created=True),
    ),
)  # fmt: skip


def with_procedure(number: int, **changes: Any) -> Program:
    procedures = list(GOOD.procedures)
    procedures[number] = replace(procedures[number], **changes)
    return replace(GOOD, procedures=tuple(procedures))


def with_edge(number: int, edge: Edge) -> Program:
    """The good program with another edge in the place of one of main."""
    edges = list(GOOD.procedures[0].edges)
    edges[number] = edge
    return with_procedure(0, edges=tuple(edges))


def with_guard(guard: Expression) -> Program:
    return with_edge(5, End(5, guard))


def with_thread(number: int, **changes: Any) -> Program:
    threads = list(GOOD.threads)
    threads[number] = replace(threads[number], **changes)
    return replace(GOOD, threads=tuple(threads))


def atomic_at(procedure: Procedure, number: int) -> dict[str, Any]:
    places = list(procedure.locations)
    places[number] = replace(places[number], atomic=True)
    return {"locations": tuple(places)}


def test_a_program_that_keeps_its_promises_is_accepted() -> None:
    validate(GOOD)
    validate(replace(with_thread(1, count=1), globals=(X, ARRAY, LOCK), lock=LOCK))
    validate(main(Create(0, None, (), ()), shared=(variable("z", Array(BOOLEAN, 1)),)))
    validate(main(step(0, 0), shared=(variable("main"), variable("q", Bounded(3, 3), 3))))


def test_every_random_program_is_accepted(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 5):
        validate(random_program(Random(seed)))


def test_edges_without_a_target_are_accepted_where_there_are_no_results() -> None:
    validate(with_edge(1, Receive(1, None, (X, None))))
    validate(with_edge(2, step(2, None)))
    validate(with_edge(3, Create(3, None, (1, 2), ((TRUE,), ()))))
    validate(with_edge(4, Assert(4, None, TRUE)))


BROKEN: dict[str, tuple[Callable[[], Program], str]] = {
    # Procedures and their variables
    "two procedures": (
        lambda: replace(GOOD, procedures=(*GOOD.procedures, GOOD.procedures[2])),
        "two procedures have the name work",
    ),
    "two globals": (
        lambda: replace(GOOD, globals=(X, ARRAY, variable("x", Bounded(0, 1)))),
        "two variables of the program have the name x",
    ),
    "two locals": (
        lambda: with_procedure(1, variables=(P, Q, local("q", procedure="f"))),
        "two variables of procedure f have the name q",
    ),
    "global of a procedure": (
        lambda: replace(GOOD, globals=(X, ARRAY, local("z"))),
        "the variable z says that it belongs to main",
    ),
    "local of no one": (
        lambda: with_procedure(1, variables=(P, Q, variable("z"))),
        "procedure f: the variable z says that it belongs to no one",
    ),
    "local of another": (
        lambda: with_procedure(1, variables=(P, Q, local("z"))),
        "the variable z says that it belongs to main",
    ),
    "initial value": (
        lambda: replace(GOOD, globals=(X, ARRAY, variable("n", Bounded(1, 3), 0))),
        "the variable n starts with 0, but is int 1..3",
    ),
    "initial value above": (
        lambda: replace(GOOD, globals=(X, ARRAY, variable("n", Array(Bounded(1, 3), 2), 4))),
        "the variable n starts with 4",
    ),
    "no values": (
        lambda: replace(GOOD, globals=(X, ARRAY, variable("n", Bounded(1, 0), None))),
        "the variable n has a type without values, int 1..0",
    ),
    "no members": (
        lambda: replace(GOOD, globals=(X, ARRAY, variable("n", Enumeration(()), None))),
        "type without values",
    ),
    "equal members": (
        lambda: replace(GOOD, globals=(X, ARRAY, variable("n", Enumeration(("a", "a"))))),
        "two members of an enumeration",
    ),
    "overflow": (
        lambda: replace(GOOD, globals=(X, ARRAY, variable("n", Bounded(0, 1, "burst")))),  # type: ignore[arg-type]
        "there is no overflow 'burst'",
    ),
    "empty array": (
        lambda: replace(GOOD, globals=(X, ARRAY, variable("n", Array(BOOLEAN, 0)))),
        "the variable n is an array of 0 elements",
    ),
    "array of arrays": (
        lambda: replace(GOOD, globals=(X, ARRAY, variable("n", Array(ARRAY.type, 2), None))),  # type: ignore[arg-type]
        "has an array where only a scalar can be",
    ),
    "array as parameter": (
        lambda: with_procedure(1, variables=(Variable("p", Array(BOOLEAN, 2), "f"), Q), edges=()),
        "procedure f: the parameter p is an array",
    ),
    "array as result": (
        lambda: with_procedure(1, results=(ARRAY.type, BOOLEAN)),
        "has an array where only a scalar can be",
    ),
    "more parameters than variables": (
        lambda: with_procedure(1, parameters=3),
        "has fewer variables than parameters",
    ),
    "fewer than no parameters": (
        lambda: with_procedure(1, parameters=-1),
        "has fewer variables than parameters",
    ),
    "entry": (lambda: with_procedure(1, entry=1), "its entry is not one of its locations"),
    "no locations": (
        lambda: with_procedure(1, locations=(), edges=()),
        "its entry is not one of its locations",
    ),
    "atomic entry": (
        lambda: with_procedure(2, **atomic_at(GOOD.procedures[2], 0)),
        "procedure work: its entry is atomic",
    ),
    # Edges
    "source": (lambda: with_edge(2, step(7, 3)), "a Step leaves the location 7"),
    "negative source": (lambda: with_edge(2, step(-1, 3)), "a Step leaves the location -1"),
    "target": (lambda: with_edge(2, step(2, 6)), "line 2: a Step leads to the location 6"),
    "negative target": (lambda: with_edge(2, step(2, -1)), "a Step leads to the location -1"),
    "call without target": (
        lambda: with_edge(0, Call(0, None, "f", (TRUE,))),  # type: ignore[arg-type]
        "a Call has no target",
    ),
    "no results on the way out": (
        lambda: with_procedure(1, edges=(step(0, None),)),
        "procedure f, location 0: a Step returns without the results of the procedure",
    ),
    "too few results": (
        lambda: with_procedure(1, edges=(Return(0, (TRUE,)),)),
        "returns 1 values, the procedure has 2",
    ),
    "results of none": (
        lambda: with_procedure(2, edges=(Return(0, (TRUE,)), step(1, 0))),
        "returns 1 values, the procedure has 0",
    ),
    "unknown procedure": (
        lambda: with_edge(0, Call(0, 1, "g", (TRUE,))),
        "there is no procedure g to call",
    ),
    "arity": (
        lambda: with_edge(0, Call(0, 1, "f")),
        "passes 0 values, f has parameters: 1",
    ),
    "nobody receives": (
        lambda: with_edge(0, Call(0, 2, "f", (TRUE,))),
        "the call does not lead to a location that only receives them",
    ),
    "nothing after a call": (
        lambda: with_procedure(0, edges=(Call(0, 5, "f", (TRUE,)), *GOOD.procedures[0].edges[2:5])),
        "the call does not lead to a location that only receives them",
    ),
    "not only receives": (
        lambda: with_procedure(0, edges=(*GOOD.procedures[0].edges, step(1, 2))),
        "the call does not lead to a location that only receives them",
    ),
    "receives too few": (
        lambda: with_edge(1, Receive(1, 2, (X,))),
        "receives 1 results, f has 2",
    ),
    "step to a receipt": (
        lambda: with_edge(5, step(5, 1)),
        "a Step without results leads to a location that receives some",
    ),
    "call without results to a receipt": (
        lambda: with_edge(2, Call(2, 1, "work")),
        "a Call without results leads to a location that receives some",
    ),
    "entry receives": (
        lambda: with_procedure(2, edges=(Receive(0, None, ()), step(1, 1))),
        "procedure work: its entry receives results of no call",
    ),
    "end in a called procedure": (
        lambda: with_procedure(1, edges=(End(0),)),
        "a thread ends in a procedure that is called",
    ),
    "end in a procedure with results": (
        lambda: with_procedure(2, edges=(End(0),), results=(BOOLEAN,)),
        "a thread ends in a procedure with results",
    ),
    # Expressions and targets
    "undeclared variable": (
        lambda: with_guard(Read(variable("y"))),
        "line 5: the variable y is not declared as it is used",
    ),
    "variable of another procedure": (
        lambda: with_guard(Read(P)),
        "the variable p is not declared as it is used",
    ),
    "variable of another type": (
        lambda: with_guard(Read(variable("x", Bounded(0, 1)))),
        "the variable x is not declared as it is used",
    ),
    "array read as a scalar": (
        lambda: with_guard(Read(ARRAY)),
        "the variable a is an array used as a scalar",
    ),
    "scalar read as an array": (
        lambda: with_guard(Unary("not", ReadElement(X, TRUE))),
        "the variable x is a scalar used as an array",
    ),
    "index": (
        lambda: with_guard(ReadElement(ARRAY, Read(P))),
        "the variable p is not declared",
    ),
    "assigned array": (
        lambda: with_edge(2, step(2, 3, assign(ARRAY, TRUE))),
        "the variable a is an array used as a scalar",
    ),
    "assigned element of a scalar": (
        lambda: with_edge(2, Step(2, 3, assignments=(Assignment(Element(X, TRUE), TRUE),))),
        "the variable x is a scalar used as an array",
    ),
    "index of a target": (
        lambda: with_edge(2, Step(2, 3, assignments=(Assignment(Element(ARRAY, Read(P)), TRUE),))),
        "the variable p is not declared",
    ),
    "assigned value": (
        lambda: with_edge(2, step(2, 3, assign(X, Read(P)))),
        "the variable p is not declared",
    ),
    "received into": (
        lambda: with_edge(1, Receive(1, 2, (P, None))),
        "the variable p is not declared",
    ),
    "passed": (
        lambda: with_edge(0, Call(0, 1, "f", (Read(P),))),
        "the variable p is not declared",
    ),
    "returned": (
        lambda: with_procedure(1, edges=(Return(0, (TRUE, Read(W))),)),
        "the variable k is not declared",
    ),
    "asserted": (
        lambda: with_edge(4, Assert(4, 5, Read(P))),
        "the variable p is not declared",
    ),
    "constraint": (
        lambda: with_edge(2, step(2, 3, constraint=Read(P))),
        "the variable p is not declared",
    ),
    "new value in a guard": (
        lambda: with_guard(Binary("or", TRUE, Read(X, after=True))),
        "reads 'x outside a constraint",
    ),
    "new value in an assignment": (
        lambda: with_edge(2, step(2, 3, assign(X, Read(X, after=True)))),
        "reads 'x outside a constraint",
    ),
    "operator": (
        lambda: with_guard(Binary("nand", TRUE, TRUE)),  # type: ignore[arg-type]
        "there is no operator 'nand' on two operands",
    ),
    "operator on one": (
        lambda: with_guard(Unary("+", TRUE)),  # type: ignore[arg-type]
        "there is no operator '+' on one operand",
    ),
    "conversion to nothing": (
        lambda: with_guard(Convert(TRUE, Bounded(1, 0))),
        "has a type without values",
    ),
    "conversion to all integers": (
        lambda: with_guard(Convert(TRUE, INTEGER)),
        "converts to int, which has no range",
    ),
    "conversion to a thread": (
        lambda: with_guard(Convert(TRUE, THREAD)),
        "converts to thread, which has no range",
    ),
    "kind of violation": (
        lambda: with_edge(2, Assert(2, 3, TRUE, kind="fault")),  # type: ignore[arg-type]
        "there is no kind of violation 'fault'",
    ),
    "choice of nothing": (
        lambda: with_guard(Choice(Bounded(1, 0))),
        "has a type without values",
    ),
    "constant of an array": (
        lambda: with_guard(Constant(0, ARRAY.type)),  # type: ignore[arg-type]
        "has an array where only a scalar can be",
    ),
    # Creation
    "created twice": (
        lambda: with_edge(3, Create(3, 4, (2, 2))),
        "a Create names a thread twice",
    ),
    "unknown thread": (
        lambda: with_edge(3, Create(3, 4, (3,))),
        "a Create names the thread 3, which does not exist",
    ),
    "running thread": (
        lambda: with_edge(3, Create(3, 4, (0,))),
        "a Create names main, which is not to be created",
    ),
    "lists of values": (
        lambda: with_edge(3, Create(3, 4, (1, 2), ((TRUE,),))),
        "a Create does not have one list of values for each thread",
    ),
    "no values to inherit": (
        lambda: with_edge(3, Create(3, 4, (1, 2))),
        "gives 0 values, w inherits 1",
    ),
    "values for none": (
        lambda: with_edge(3, Create(3, 4, (2,), ((TRUE,),))),
        "gives 1 values, v inherits 0",
    ),
    "created value": (
        lambda: with_edge(3, Create(3, 4, (1, 2), ((Read(P),), ()))),
        "the variable p is not declared",
    ),
    # Threads and the lock
    "no threads": (lambda: program(*main(step(0, 0)).procedures, threads=()), "has no threads"),
    "two threads": (lambda: with_thread(2, name="w"), "two threads have the name w"),
    "a name that a number gives": (
        lambda: with_thread(2, name="w.2"),
        "two threads have the name w.2",
    ),
    "hidden names": (
        lambda: replace(
            GOOD,
            threads=(
                *GOOD.threads[:2],
                replace(GOOD.threads[2], name="gets k"),
                Thread("created", "work", created=True, inherited=(W,)),
            ),
        ),
        "two hidden variables have the name created gets k",
    ),
    "too many threads": (lambda: with_thread(1, count=10_000), "at most 10,000 threads"),
    "count": (lambda: with_thread(1, count=0), "thread w: the count is 0"),
    "procedure of a thread": (
        lambda: with_thread(2, procedure="g"),
        "thread v: there is no procedure g to run",
    ),
    "results of a thread": (
        lambda: with_thread(2, procedure="f"),
        "thread v: nobody receives the results of f",
    ),
    "start": (lambda: with_thread(2, start=2), "the start 2 is not a location of work"),
    "negative start": (lambda: with_thread(2, start=-1), "the start -1 is not a location of work"),
    "atomic start": (
        lambda: replace(
            with_procedure(2, **atomic_at(GOOD.procedures[2], 1)), threads=GOOD.threads
        ),
        "thread w: the start is atomic",
    ),
    "start at a receipt": (
        lambda: with_thread(0, start=1),
        "thread main: the start receives results of no call",
    ),
    "inherited without creation": (
        lambda: replace(
            with_edge(3, Create(3, 4, (2,))),
            threads=(GOOD.threads[0], replace(GOOD.threads[1], created=False), GOOD.threads[2]),
        ),
        "thread w: it inherits values, but is not created",
    ),
    "inherited twice": (
        lambda: replace(
            with_edge(3, Create(3, 4, (2,))),
            threads=(GOOD.threads[0], replace(GOOD.threads[1], inherited=(W, W)), GOOD.threads[2]),
        ),
        "it inherits a variable twice",
    ),
    "inherited from another": (
        lambda: with_thread(1, inherited=(P,)),
        "the inherited variable p is not one of work",
    ),
    "inherited array": (
        lambda: replace(
            with_procedure(2, variables=(W, local("z", Array(BOOLEAN, 2), procedure="work"))),
            threads=(
                GOOD.threads[0],
                replace(
                    GOOD.threads[1], inherited=(local("z", Array(BOOLEAN, 2), procedure="work"),)
                ),
                GOOD.threads[2],
            ),
        ),
        "the inherited variable z is an array",
    ),
    "undeclared lock": (lambda: replace(GOOD, lock=LOCK), "lock is not a global Boolean"),
    "lock that is no Boolean": (
        lambda: replace(GOOD, lock=ARRAY),
        "the scheduler lock a is not a global Boolean variable",
    ),
    "local lock": (
        lambda: replace(GOOD, lock=P),
        "the scheduler lock p is not a global Boolean variable",
    ),
    "lock and equal threads": (
        lambda: replace(GOOD, lock=X),
        "thread w: the program has a scheduler lock, so the count must be 1, not 2",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_promise_is_refused_by_name(name: str) -> None:
    make, words = BROKEN[name]
    with pytest.raises(ModelError) as caught:
        validate(make())
    assert words in str(caught.value)
