"""Which statements of a program can be reached, and by which threads (as jMoped marks them).

How certain that is depends on the answer. Where everything reachable was seen, it is exact. An
over-approximation only shows what cannot be reached; an exploration that ended early, at a
violation or a limit, only shows what can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tepui.kernels.lowered import LoweredSystem
from tepui.program.passes.slots import Slotted
from tepui.program.program import NOWHERE, Location, Position, Procedure, Program
from tepui.program.questions import Question
from tepui.result import Certainty, Result


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, and the thread types that reach it."""

    procedure: str
    position: Position
    text: str
    labels: tuple[str, ...]
    reached_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """All statements of a program, in its order."""

    certain: Certainty
    statements: tuple[Statement, ...]

    @property
    def unreached(self) -> tuple[Statement, ...]:
        return tuple(statement for statement in self.statements if not statement.reached_by)


def coverage(result: Result) -> Coverage | None:
    """The statements of a program and who reaches them; None if the result is about no program."""
    system = result.system
    if not isinstance(system, LoweredSystem) or result.make_points is None:
        return None
    reached = [frozenset(points) for points in result.make_points()]
    return Coverage(result.certainty, tuple(_statements(system, reached)))


def is_never_reached(result: Result, question: Question) -> bool:
    """Whether a question is about an assertion that holds because no thread ever comes to it."""
    system = result.system
    if question.kind != "assertion" or question.point is None or result.verdict != "safe":
        return False
    if not isinstance(system, LoweredSystem) or result.make_points is None:
        return False
    layout = system.layout
    assertion = layout.assertions[question.point - layout.violation(0)]
    point = layout.point(assertion.procedure, assertion.edge.source)
    return not any(point in points for points in result.make_points())


def _statements(system: LoweredSystem, reached: list[frozenset[int]]) -> Iterator[Statement]:
    """Every statement of the source once, also where there are copies of its procedure."""
    program = system.program
    found: dict[tuple[object, ...], Statement] = {}
    for index, procedure in enumerate(program.procedures):
        owner = _first_copy(program, procedure)
        met: Counter[Location] = Counter()
        for number, location in enumerate(procedure.locations):
            if location.text:
                met[location] += 1
                key = (owner.name, location, met[location])
                by = _reached_by(program, reached, system.layout.point(index, number))
                if key in found:
                    by = tuple(dict.fromkeys([*found[key].reached_by, *by]))
                found[key] = Statement(
                    owner.name, location.position, location.text, location.labels, by
                )
    yield from found.values()


def _first_copy(program: Program, procedure: Procedure) -> Procedure:
    """The first procedure that comes from the same place in the source."""
    copies = (each for each in program.procedures if each.position == procedure.position)
    return procedure if procedure.position == NOWHERE else next(copies)


def _reached_by(program: Program, reached: list[frozenset[int]], point: int) -> tuple[str, ...]:
    names = [thread.name for thread in program.threads]
    if isinstance(program, Slotted):
        names[program.first_slot :] = ["forked threads"] * (len(names) - program.first_slot)
    threads = zip(names, reached, strict=True)
    return tuple(dict.fromkeys(name for name, points in threads if point in points))
