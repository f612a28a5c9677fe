"""Marks on the lines of a program while a run goes on, as jMoped shows them (section 4).

A line is `reached` as soon as a run of the program gets to one of its statements, `violated` when
an assertion in it is violated, and `unreached` when it is certain that no run gets there, however
long it is. That is known only at the end, and about all that is left nothing is said. Who asks for
markers hears of each line once, and once more if it is violated.

How it is found out: `deciding.marking`.
"""

from __future__ import annotations

from typing import Literal

from tepui.program.program import NOWHERE, Location, Program
from tepui.records import record

Mark = Literal["reached", "violated", "unreached"]

Line = tuple[str, int]
"""A file, and the number of a line in it."""


@record
class Marker:
    """A mark on a line. `Options.markers` is called with one as soon as it is known.

    >>> seen = []
    >>> program = tepui.load("examples/bluetooth1.bp")
    >>> result = tepui.verify(program, options=tepui.Options(markers=seen.append))
    >>> [(marker.mark, marker.line) for marker in seen][-2:]
    [('reached', 49), ('violated', 40)]
    """

    mark: Mark
    file: str
    line: int
    engine: str | None = None
    """The engine that has reached the line; None at the end, when all that was found is asked."""
    round: int | None = None
    """The round of this engine after which the line was known to be reached."""
    contexts: int | None = None
    """This many contexts are enough to get there, if the engine counts them; fewer may be, too."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.mark}"


def lines_of(program: Program) -> list[Line]:
    """The lines of a program that have statements, in the order of its source."""
    positions = (
        location.position
        for procedure in program.procedures
        for location in procedure.locations
        if is_statement(location, program)
    )
    lines = dict.fromkeys((position.file, position.line) for position in positions)
    files = list(dict.fromkeys(file for file, _ in lines))
    return sorted(lines, key=lambda line: (files.index(line[0]), line[1]))


def is_statement(location: Location, program: Program) -> bool:
    """Whether a location stands for a statement that its user has written."""
    position, own = location.position, program.as_written.own_files
    if not location.text or position == NOWHERE:
        return False
    return not own or (position.line > 0 and position.file in own)
