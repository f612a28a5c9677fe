"""Places of a program as a user names them, and what to say about names that fit nothing.

A place is a label, `PROCEDURE:LABEL`, the number of a line, `PROCEDURE:LINE` or `FILE:LINE`; it
stands for every statement that fits. `PROCEDURE()` is where a procedure begins, statement or not.
Procedures with the same position in the source are copies of one, and the name of any of them
stands for all.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from tepui.errors import UsageError
from tepui.program.program import NOWHERE, Location, Procedure, Program
from tepui.words import did_you_mean, listed


def places(program: Program, place: str) -> list[int]:
    """The points that a user names."""
    copies = [_copies(program, procedure) for procedure in program.procedures]
    found = [
        point
        for point, (index, number) in enumerate(program.layout.locations)
        if place in _names(program.procedures[index], number, copies[index])
    ]
    if not found:
        raise UsageError(_no_such_place(program, place))
    return found


def place_name(place: str) -> str:
    """A place that a user named, in a sentence."""
    return f"line {place}" if _is_line(place) else place


def labels_of(program: Program) -> set[str]:
    """All labels of a program."""
    return {label for _, location in _statements(program) for label in location.labels}


def _copies(program: Program, procedure: Procedure) -> list[str]:
    """The names of all procedures that come from where this one does in the source."""
    if procedure.position == NOWHERE:
        return [procedure.name]
    return [each.name for each in program.procedures if each.position == procedure.position]


def _names(procedure: Procedure, number: int, copies: Iterable[str]) -> set[str]:
    """All names of a location."""
    location = procedure.locations[number]
    begins = {f"{copy}()" for copy in copies} if number == procedure.entry else set()
    if not location.text:
        return begins
    line, file = str(location.position.line), location.position.file
    own = {*location.labels, line}
    files = {f"{file}:{line}", f"{PurePath(file).name}:{line}"}
    return own | files | begins | {f"{copy}:{name}" for copy in copies for name in own}


def _no_such_place(program: Program, place: str) -> str:
    """What is wrong with a name that fits no statement, and which names would fit."""
    before, colon, last = place.rpartition(":")
    if not place:
        return f"expected a label or a line of {program.name}, found nothing"
    if place.endswith("()"):
        return _no_such_procedure(program, place.removesuffix("()"))
    if not colon:
        if _is_line(place):
            return f"{program.name} has no statement on line {place}{_near(program, place)}"
        if place in program.by_name:
            return (
                f"{program.name} has no label {place}; it has a procedure of this name: name a "
                f"place in it, such as {_example(program, place)}, or {place}(), where it begins"
            )
        return f"{program.name} has no label {place}{_other_labels(program, place)}"
    if before in program.by_name:
        kind = f"statement on line {last}" if _is_line(last) else f"label {last}"
        return f"{before} has no {kind}{_inside(program, before, last)}"
    files = {PurePath(procedure.position.file).name for procedure in program.procedures}
    if PurePath(before).name in files and _is_line(last):
        return f"{before} has no statement on line {last}{_near(program, last)}"
    if "." in before and _is_line(last):
        origins = listed(sorted(files))
        return f"{program.name} has nothing from a file {before}; it comes from {origins}"
    return _no_such_procedure(program, before)


def _no_such_procedure(program: Program, name: str) -> str:
    hint = did_you_mean(name, sorted(program.by_name), "it has")
    return f"{program.name} has no procedure {name}{hint}"


def _other_labels(program: Program, label: str) -> str:
    labels = labels_of(program)
    begins = {f"{name}()" for name in program.by_name}
    return did_you_mean(label, labels | begins) or _its_labels(label, labels)


def _inside(program: Program, procedure: str, last: str) -> str:
    """What a procedure has instead of the line or label that it lacks."""
    if _is_line(last):
        return _near(program, last, procedure)
    labels = {
        label
        for name, location in _statements(program)
        for label in location.labels
        if name == procedure
    }
    return _its_labels(last, labels)


def _its_labels(label: str, labels: Iterable[str]) -> str:
    return did_you_mean(label, sorted(labels), "its labels are") or "; it has no labels"


def _near(program: Program, line: str, procedure: str | None = None) -> str:
    """The nearest lines with statements, around a line without one."""
    lines = {
        location.position.line
        for name, location in _statements(program)
        if procedure in (None, name)
    }
    before = max((each for each in lines if each < int(line)), default=None)
    after = min((each for each in lines if each > int(line)), default=None)
    around = [str(each) for each in (before, after) if each is not None]
    return f"; the nearest is on line {' or '.join(around)}" if around else ""


def _example(program: Program, procedure: str) -> str:
    lines = [str(at.position.line) for name, at in _statements(program) if name == procedure]
    return f"{procedure}:{lines[0]}" if lines else f"{procedure}:LABEL"


def _statements(program: Program) -> list[tuple[str, Location]]:
    """All locations that stand for statements, with the names of their procedures."""
    return [
        (procedure.name, location)
        for procedure in program.procedures
        for location in procedure.locations
        if location.text
    ]


def _is_line(text: str) -> bool:
    return text.isascii() and text.isdecimal()
