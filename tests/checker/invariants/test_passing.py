"""Which points may be passed."""

from __future__ import annotations

import pytest

from support.samples.handmade_invariants import at, loaded
from tepui.checker.invariants.passing import check_passed
from tepui.errors import EvidenceError
from tepui.program.expressions import (
    Binary,
    Choice,
    Constant,
    Read,
    ReadElement,
    Unary,
    Variable,
)
from tepui.program.program import (
    Assignment,
    Element,
    Location,
    Position,
    Procedure,
    Program,
    Step,
    Thread,
)
from tepui.program.types import BOOLEAN, Array, Bounded
from tepui.program.validate import validate

PROGRAM = loaded(
    """
    decl shared: int 0..3 := 0;
    int 0..3 same(n: int 0..3) { inside: return n; }
    bool fits(b) { given: return b; }
    void nothing() { empty: skip; }
    void worker() {
        decl x: int 0..3 := 0;
        decl b := 0;
        decl a: int 0..3[2];
        start: skip;
        good: x := x + 1;
        chosen: b := *;
        branch: if (b) { left: skip; } else { right: skip; }
        may: if (*) { yes: skip; } else { no: skip; }
        reads: x := shared;
        writes: shared := x;
        element: a[x] := 1;
        looks: x := a[x];
        divides: x := 3 / x;
        waits: wait(b);
        asserts: assert(b);
        calls: x := same(x);
        stores: shared := same(x);
        runs: nothing();
        section: atomic { x := x; shared := x; }
        before: skip;
        loop: while (b) { again: skip; }
        goes: goto goes;
        last: b := fits(b);
    }
    void main() { thread_create(worker, *); }
    """,
    "passing",
)


@pytest.mark.parametrize(
    "name", ["good", "chosen", "branch", "left", "right", "may", "calls", "runs", "empty", "before"]
)
def test_local_steps_may_be_passed(name: str) -> None:
    check_passed(PROGRAM, [at(PROGRAM, name)], ())


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("start", "threads worker begin there"),
        ("reads", "reads a global variable"),
        ("writes", "something else than a local variable"),
        ("element", "of the kind Assert"),
        ("looks", "of the kind Assert"),
        ("divides", "of the kind Assert"),
        ("waits", "no edge that can always be taken"),
        ("asserts", "of the kind Assert"),
        ("section", "leads into an atomic section"),
        ("inside", "received in another way"),
    ],
)
def test_other_points_may_not(name: str, problem: str) -> None:
    with pytest.raises(EvidenceError) as error:
        check_passed(PROGRAM, [at(PROGRAM, name)], ())
    assert problem in str(error.value)


def test_a_return_may_be_passed_whose_results_go_to_local_variables() -> None:
    check_passed(PROGRAM, [at(PROGRAM, "given")], ())


def test_a_point_that_is_asked_about_may_not_be_passed() -> None:
    point = at(PROGRAM, "good")
    with pytest.raises(EvidenceError, match="it is asked about"):
        check_passed(PROGRAM, [point], [point])


def test_no_cycle_may_be_passed() -> None:
    loop, again = at(PROGRAM, "loop"), at(PROGRAM, "again")
    check_passed(PROGRAM, [loop], ())
    check_passed(PROGRAM, [again], ())
    with pytest.raises(EvidenceError, match="form a cycle"):
        check_passed(PROGRAM, [loop, again], ())


@pytest.mark.parametrize("point", [-1, PROGRAM.layout.waiting, 10_000])
def test_what_is_no_location_may_not_be_passed(point: int) -> None:
    with pytest.raises(EvidenceError, match="no location"):
        check_passed(PROGRAM, [point], ())


X = Variable("x", Bounded(0, 3), "f", 0)
SMALL = Variable("small", Bounded(0, 3, "block"), "f", 0)
FLAG = Variable("flag", BOOLEAN, "f", 0)
MANY = Variable("many", Array(Bounded(0, 3), 2), "f", 0)


def with_step(*edges: Step, atomic: bool = False) -> Program:
    """The point 1 has these edges, which lead to 2."""
    places = [
        Location(Position("f", line, 1), "l", atomic=atomic and line == 2) for line in (0, 1, 2)
    ]
    procedure = Procedure("f", tuple(places), (Step(0, 1), *edges), (X, SMALL, FLAG, MANY))
    return Program((procedure,), (Thread("f", "f", None),), ())


@pytest.mark.parametrize(
    ("edges", "problem"),
    [
        ([Step(1, 2, assignments=(Assignment(SMALL, Read(X)),))], None),
        ([Step(1, 2, assignments=(Assignment(X, Binary("+", Read(X), Read(X))),))], None),
        ([Step(1, 2, assignments=(Assignment(FLAG, Binary("<", Read(X), Read(X))),))], None),
        ([Step(1, 2, assignments=(Assignment(SMALL, Constant(4)),))], "may not fit its type"),
        (
            [Step(1, 2, assignments=(Assignment(SMALL, Binary("+", Read(X), Read(X))),))],
            "may not fit its type",
        ),
        ([Step(1, 2, assignments=(Assignment(FLAG, Read(X)),))], "may not fit its type"),
        (
            [Step(1, 2, assignments=(Assignment(Element(MANY, Read(X)), Read(X)),))],
            "something else than a local variable",
        ),
        (
            [Step(1, 2, assignments=(Assignment(X, ReadElement(MANY, Read(X))),))],
            "may block",
        ),
        ([Step(1, 2, constraint=Binary("=", Read(X, after=True), Read(X)))], "a constraint"),
        ([Step(1, 2, Read(FLAG)), Step(1, 2, Unary("not", Read(FLAG)))], None),
        ([Step(1, 2, Read(FLAG)), Step(1, 2, Unary("not", Read(X)))], "always be taken"),
        ([Step(1, 2, Choice()), Step(1, 2, Unary("not", Choice()))], "always be taken"),
        ([Step(1, 2, Read(FLAG)), Step(1, 2)], None),
        ([Step(1, None)], None),
        ([Step(1, 1)], "form a cycle"),
        ([], "always be taken"),
    ],
)
def test_steps_that_cannot_block(edges: list[Step], problem: str | None) -> None:
    program = with_step(*edges)
    validate(program)
    if problem is None:
        check_passed(program, [1], ())
        with pytest.raises(EvidenceError, match="no edge that can always be taken"):
            check_passed(program, [2], ())
    else:
        with pytest.raises(EvidenceError, match=problem):
            check_passed(program, [1], ())


def test_no_step_into_an_atomic_section_may_be_passed() -> None:
    with pytest.raises(EvidenceError, match="into an atomic section"):
        check_passed(with_step(Step(1, 2), atomic=True), [1], ())
    with pytest.raises(EvidenceError, match="inside an atomic section"):
        check_passed(with_step(Step(1, 2), atomic=True), [2], ())
