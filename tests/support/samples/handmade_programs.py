"""Programs written by hand, location by location, and their rules as text.

Location N of a procedure stands on line N, so that `main:2` is location 2 of main.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from tepui.program.expressions import Binary, Constant, Expression, Read, Variable
from tepui.program.layout import Frame, Layout, SharedState
from tepui.program.program import (
    Assignment,
    Edge,
    End,
    Location,
    Position,
    Procedure,
    Program,
    Return,
    Step,
    Thread,
)
from tepui.program.semantics.meaning import Meaning
from tepui.program.state_names import frame_text, parse_frame, parse_shared, shared_text
from tepui.program.types import BOOLEAN, Scalar, Type


def variable(name: str, kind: Type = BOOLEAN, initial: int | None = 0) -> Variable:
    """A global variable."""
    return Variable(name, kind, None, initial)


def local(
    name: str, kind: Type = BOOLEAN, initial: int | None = 0, procedure: str = "main"
) -> Variable:
    return Variable(name, kind, procedure, initial)


def assign(target: Variable, value: Expression | int) -> Assignment:
    return Assignment(target, Constant(value) if isinstance(value, int) else value)


def step(source: int, target: int | None, *assignments: Assignment, **more: Any) -> Step:
    return Step(source, target, assignments=assignments, **more)


def equal(left: Variable | Expression, right: int) -> Binary:
    return Binary("=", Read(left) if isinstance(left, Variable) else left, Constant(right))


def procedure(
    name: str,
    *edges: Edge,
    variables: tuple[Variable, ...] = (),
    parameters: int = 0,
    results: tuple[Scalar, ...] = (),
    atomic: Collection[int] = (),
    labels: dict[int, str] | None = None,
) -> Procedure:
    """A procedure with as many locations as its edges name."""
    ends = [edge.source for edge in edges]
    ends += [
        edge.target
        for edge in edges
        if not isinstance(edge, Return | End) and edge.target is not None
    ]
    locations = tuple(
        Location(
            Position("p.bp", number, 1),
            f"{name} {number}",
            ((labels or {})[number],) if number in (labels or {}) else (),
            number in atomic,
        )
        for number in range(max([*ends, *atomic, 0]) + 1)
    )
    return Procedure(name, locations, edges, variables, parameters, results)


def program(
    *procedures: Procedure,
    shared: tuple[Variable, ...] = (),
    threads: tuple[Thread, ...] = (Thread("main", "main"),),
    lock: Variable | None = None,
) -> Program:
    return Program(procedures, threads, shared, lock, name="sample")


def main(
    *edges: Edge,
    shared: tuple[Variable, ...] = (),
    variables: tuple[Variable, ...] = (),
    atomic: Collection[int] = (),
) -> Program:
    """A program with one thread, which runs one procedure."""
    return program(procedure("main", *edges, variables=variables, atomic=atomic), shared=shared)


def state(layout: Layout, text: str) -> tuple[SharedState, Frame]:
    """`x=1 | main:2(a=0)`, a shared state and a frame."""
    shared, frame = text.split(" | ")
    return parse_shared(layout, shared), parse_frame(layout, frame)


def text(layout: Layout, shared: SharedState, word: Iterable[Frame]) -> str:
    """A shared state and frames, top first; `-` where there are none."""
    frames = " / ".join(frame_text(layout, frame) for frame in word)
    return f"{shared_text(layout, shared)} | {frames or '-'}"


def rules(meant: Program, source: str, thread: int = 0, **options: Any) -> set[str]:
    """Where a thread can go from a shared state and a frame, as text."""
    meaning = Meaning(meant, **options)
    found = meaning.rules(thread, *state(meaning.layout, source))
    return {text(meaning.layout, shared, word) for shared, word in found}
