"""What can be asked about a program: assertions, labels, mutual exclusion, deadlock.

A question becomes a Property of the program's system: patterns over the points of its threads. A
*place* that a user names is a label, `PROCEDURE:LABEL`, or the number of a line, also as
`FILE:LINE`; it stands for all locations that fit.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tepui.errors import UsageError
from tepui.model import Pattern, Property
from tepui.program.layout import Layout
from tepui.program.lowered import point_class
from tepui.program.program import Call, Program
from tepui.program.sections import points_inside

Kind = Literal["assertion", "unreachable", "never together", "deadlock"]


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that must not happen, in words, and as bad visible states."""

    kind: Kind
    text: str
    bad: Property
    watched: frozenset[int] = field(default_factory=frozenset)
    """The points that it names inside atomic sections, where no one can rest."""
    point: int | None = None
    """Where in the program, if at one place."""


def assertions(program: Program) -> list[Question]:
    """A question for each assertion of the program that a thread can run."""
    layout = Layout(program)
    found = []
    for number, assertion in enumerate(layout.assertions):
        point = layout.violation(number)
        location = layout.location(point)
        assert location is not None
        threads = _threads_that_run(program, assertion.procedure)
        patterns = _one_thread_at(program, threads, [point])
        if patterns:
            text = f"{location.text or 'assert'} at {location.position}"
            found.append(Question("assertion", text, Property(patterns), point=point))
    return found


def error_labels(program: Program) -> list[Question]:
    """A question for each label that the program itself calls an error.

    A program that has neither such a label nor an assertion keeps the promise that these are: its
    question about a label that is not there has an answer too.
    """
    labels = _labels(program)
    occurring = [label for label in program.error_labels if label in labels]
    if occurring or assertions(program):
        return [unreachable(program, label) for label in occurring]
    nothing = Property(_nothing(program))
    return [
        Question("unreachable", f"{label}, which does not occur, is unreachable", nothing)
        for label in program.error_labels
    ]


def unreachable(program: Program, place: str) -> Question:
    """No thread may ever be at a place."""
    points = places(program, place)
    layout = Layout(program)
    patterns: list[Pattern] = []
    for point in points:
        threads = _threads_that_run(program, layout.locations[point][0])
        patterns += _one_thread_at(program, threads, [point])
    text = f"{place} is unreachable"
    bad = Property(tuple(patterns) or _nothing(program))
    where = points[0] if len(points) == 1 else None
    return Question("unreachable", text, bad, _inside(program, points), where)


def never_together(program: Program, left: str, right: str) -> Question:
    """No two different threads may be at two places at the same time."""
    layout = Layout(program)
    threads = _thread_types(program)
    patterns = []
    points = [places(program, left), places(program, right)]
    runs = {
        point: _threads_that_run(program, layout.locations[point][0])
        for point in (*points[0], *points[1])
    }
    for first, first_type in enumerate(threads):
        for second, second_type in enumerate(threads):
            if first == second:
                continue
            for one in points[0]:
                for other in points[1]:
                    if first_type in runs[one] and second_type in runs[other]:
                        tops: list[int | None] = [None] * len(threads)
                        tops[first], tops[second] = point_class(one), point_class(other)
                        patterns.append(Pattern(None, tuple(tops)))
    text = f"{left} and {right} are never reached together"
    bad = Property(tuple(dict.fromkeys(patterns)) or _nothing(program))
    return Question("never together", text, bad, _inside(program, runs))


def deadlock() -> Question:
    """Some thread can always move, until all are over."""
    return Question("deadlock", "no deadlock", Property(deadlock=True))


def everything(questions: Iterable[Question]) -> Property:
    """All questions as one: what any of them calls bad."""
    asked = list(questions)
    patterns = dict.fromkeys(pattern for question in asked for pattern in question.bad.patterns)
    return Property(tuple(patterns), any(question.bad.deadlock for question in asked))


def places(program: Program, place: str) -> list[int]:
    """The points that a user names by a label or by a line."""
    layout = Layout(program)
    found = [
        point
        for point, (index, number) in enumerate(layout.locations)
        if _is_at(program, index, number, place)
    ]
    if not found:
        raise UsageError(_no_such_place(program, place))
    return found


def _inside(program: Program, points: Iterable[int]) -> frozenset[int]:
    """Those of some points that may be passed inside atomic sections, where no one rests."""
    return points_inside(program).intersection(points)


def _is_at(program: Program, index: int, number: int, place: str) -> bool:
    procedure = program.procedures[index]
    location = procedure.locations[number]
    if not location.text:
        return False
    line = location.position.line
    file = location.position.file
    names = {*location.labels, *(f"{procedure.name}:{label}" for label in location.labels)}
    return place in names or place in {
        str(line),
        f"{file}:{line}",
        f"{file.rpartition('/')[2]}:{line}",
    }


def _no_such_place(program: Program, place: str) -> str:
    labels = sorted(_labels(program))
    close = difflib.get_close_matches(place, labels, 1)
    if close:
        hint = f"; did you mean {close[0]}?"
    elif labels:
        shown = ", ".join(labels[:8]) + (", …" if len(labels) > 8 else "")
        hint = f"; its labels are {shown}"
    else:
        hint = "; it has no labels"
    return f"{program.name} has no statement with the label or the line {place}{hint}"


def _labels(program: Program) -> set[str]:
    return {
        label
        for procedure in program.procedures
        for location in procedure.locations
        for label in location.labels
    }


def _thread_types(program: Program) -> list[int]:
    """The type of each thread."""
    return [index for index, thread in enumerate(program.threads) for _ in range(thread.count)]


def _threads_that_run(program: Program, procedure: int) -> set[int]:
    """The thread types that may run a procedure."""
    name = program.procedures[procedure].name
    return {
        index
        for index, thread in enumerate(program.threads)
        if name in _called_from(program, thread.procedure)
    }


def _called_from(program: Program, name: str) -> set[str]:
    found, work = {name}, [name]
    while work:
        for edge in program.by_name[work.pop()].edges:
            if isinstance(edge, Call) and edge.procedure not in found:
                found.add(edge.procedure)
                work.append(edge.procedure)
    return found


def _one_thread_at(program: Program, types: set[int], points: Sequence[int]) -> tuple[Pattern, ...]:
    threads = _thread_types(program)
    patterns = []
    for thread, kind in enumerate(threads):
        if kind in types:
            for point in points:
                tops: list[int | None] = [None] * len(threads)
                tops[thread] = point_class(point)
                patterns.append(Pattern(None, tuple(tops)))
    return tuple(patterns)


def _nothing(program: Program) -> tuple[Pattern, ...]:
    """A pattern that nothing matches, for places that no thread can be at."""
    layout = Layout(program)
    tops: list[int | None] = [None] * len(_thread_types(program))
    tops[0] = point_class(layout.points)
    return (Pattern(None, tuple(tops)),)
