"""Which statements of a program can be reached, and by which threads (as jMoped marks them).

How certain that is depends on the answer. Where everything reachable was seen, it is exact. An
over-approximation only shows what cannot be reached; an exploration that ended early, at a
violation or a limit, only shows what can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from tepui.kernels.lowered_system import LoweredSystem
from tepui.program.program import NOWHERE, Location, Position, Procedure
from tepui.program.questions import Question
from tepui.records import record
from tepui.subject.derivations import Description

Certainty = Literal["all", "reached", "unreached"]
"""What can be relied on: everything, only that something is reached, or only that it is not."""


@record
class Statement:
    """A statement, and the thread types that reach it."""

    procedure: str
    position: Position
    text: str
    labels: tuple[str, ...]
    reached_by: tuple[str, ...]


@record
class Coverage:
    """The statements of a program, in its order, with the threads that reach each of them.

    >>> program = tepui.load("examples/bluetooth1.bp")
    >>> coverage = tepui.explore(program).coverage
    >>> coverage.statements[0].text, coverage.statements[0].reached_by
    ('if (stoppingFlag)', ('add',))
    >>> coverage.unreached
    ()
    """

    certain: Certainty
    statements: tuple[Statement, ...]

    @property
    def unreached(self) -> tuple[Statement, ...]:
        return tuple(statement for statement in self.statements if not statement.reached_by)


def program_coverage(
    system: LoweredSystem,
    description: Description,
    points: Sequence[Sequence[int]],
    certain: Certainty,
) -> Coverage:
    """The statements of a program and the threads that reach them, by the points that the threads
    of each template reach."""
    reached = [frozenset[int]() for _ in system.program.threads]
    for (thread_type, _), some in zip(system.layout.templates, points, strict=True):
        reached[thread_type] |= frozenset(some)
    return Coverage(certain, tuple(_statements(system, description, reached)))


def is_never_reached(
    system: LoweredSystem, question: Question, points: Sequence[Sequence[int]]
) -> bool:
    """Whether no thread ever comes to the assertion that a question is about."""
    if question.point is None:
        return False
    layout = system.layout
    assertion = layout.assertions[question.point - layout.violation(0)]
    point = layout.point(assertion.procedure, assertion.edge.source)
    return not any(point in some for some in points)


def _statements(
    system: LoweredSystem, description: Description, reached: list[frozenset[int]]
) -> Iterator[Statement]:
    """Every statement of the source once, even if there are copies of its procedure; those of its
    user only, if others come from libraries."""
    program = system.program
    files = program.as_written.own_files
    found: dict[tuple[object, ...], Statement] = {}
    first: dict[Position, Procedure] = {}
    for index, procedure in enumerate(program.procedures):
        # Copies come from the same place in the source.
        is_written = procedure.position != NOWHERE
        owner = first.setdefault(procedure.position, procedure) if is_written else procedure
        met: Counter[Location] = Counter()
        for number, location in enumerate(procedure.locations):
            at = location.position
            if location.text and (not files or (at.file in files and at.line > 0)):
                met[location] += 1
                key = (owner.name, location, met[location])
                by = _reached_by(description, reached, system.layout.point(index, number))
                if key in found:
                    by = tuple(dict.fromkeys([*found[key].reached_by, *by]))
                found[key] = Statement(
                    owner.name, location.position, location.text, location.labels, by
                )
    yield from found.values()


def _reached_by(
    description: Description, reached: list[frozenset[int]], point: int
) -> tuple[str, ...]:
    types = (number for number, points in enumerate(reached) if point in points)
    return tuple(dict.fromkeys(map(description.type_name, types)))
