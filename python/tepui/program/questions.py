"""What can be asked about a program: assertions, labels, mutual exclusion, deadlock.

A question becomes a Property of the program's system: patterns over the points of its threads.

The threads of one type are equal, so what one of them can reach, any of them can. Patterns
therefore name only the first thread of a type, or the first two where there are to be two: however
many threads there are, the number of patterns does not grow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal

from tepui.errors import UsageError
from tepui.model import Pattern, Property
from tepui.program.calls import procedures_run_by
from tepui.program.layout import Layout, layout_of, point_class
from tepui.program.places import labels_of, place_name, place_text, places
from tepui.program.program import Program
from tepui.program.sections import points_inside

Kind = Literal["assertion", "unreachable", "never together", "deadlock"]

_SHOWN = 5


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
    vacuous: bool = False
    """Whether it is about something that the program does not have."""


def assertions(program: Program) -> list[Question]:
    """A question for each assertion of the program that a thread can run."""
    layout = layout_of(_checked(program))
    found = []
    for number, assertion in enumerate(layout.assertions):
        point = layout.violation(number)
        location = layout.location(point)
        assert location is not None
        patterns = _one_thread_at(program, assertion.procedure, point)
        if patterns:
            text = f"{location.text or 'assert'} at {place_text(location.position)}"
            found.append(Question("assertion", text, Property(tuple(patterns)), point=point))
    return found


def error_labels(program: Program) -> list[Question]:
    """A question for each label that the program itself calls an error.

    A program that has neither such a label nor an assertion keeps the promise that these are: its
    question about a label that is not there has an answer too.
    """
    labels = labels_of(_checked(program))
    occurring = [label for label in program.error_labels if label in labels]
    if occurring or assertions(program):
        return [unreachable(program, label) for label in occurring]
    nothing = Property(_nothing(program))
    return [
        Question(
            "unreachable",
            f"{label}, which does not occur, is unreachable",
            nothing,
            vacuous=True,
        )
        for label in program.error_labels
    ]


def own_questions(program: Program) -> list[Question]:
    """What a program asks about itself: its assertions, and the labels that it calls errors."""
    return [*assertions(program), *error_labels(program)]


def unreachable(program: Program, place: str | int) -> Question:
    """No thread may ever be at a place."""
    place = _place(place)
    points = places(_checked(program), place)
    layout = layout_of(program)
    patterns = [
        pattern
        for point in points
        for pattern in _one_thread_at(program, layout.locations[point][0], point)
    ]
    bad = Property(tuple(patterns) or _nothing(program))
    text, where = f"{place_name(place)} is unreachable", None
    if len(points) == 1:
        where = points[0]
        text += _unless_told(layout, where, place)
    return Question("unreachable", text, bad, _inside(program, points), where)


def never_together(program: Program, left: str | int, right: str | int) -> Question:
    """No two different threads may be at two places at the same time."""
    left, right = _place(left), _place(right)
    points = [places(_checked(program), left), places(program, right)]
    layout = layout_of(program)
    patterns = [
        _pattern(program, {first: one, second: other})
        for one, other in product(*points)
        for first, second in _pairs(program, layout.locations[one][0], layout.locations[other][0])
    ]
    text = f"{place_name(left)} and {place_name(right)} are never reached together"
    bad = Property(tuple(dict.fromkeys(patterns)) or _nothing(program))
    return Question("never together", text, bad, _inside(program, [*points[0], *points[1]]))


def deadlock() -> Question:
    """Some thread can always move, until all are over."""
    return Question("deadlock", "no deadlock", Property(deadlock=True))


def everything(questions: Iterable[Question]) -> Property:
    """All questions as one: what any of them calls bad."""
    asked = list(questions)
    patterns = dict.fromkeys(pattern for question in asked for pattern in question.bad.patterns)
    return Property(tuple(patterns), any(question.bad.deadlock for question in asked))


def questions_of(program: Program, asked: Property) -> list[Question]:
    """Questions that make up a property, where those that it was made of are not at hand."""
    wanted = set(asked.patterns)
    own = own_questions(program)
    found = [question for question in own if wanted.issuperset(question.bad.patterns)]
    told = {pattern for question in found for pattern in question.bad.patterns}
    others: dict[tuple[int, ...], list[Pattern]] = {}
    for pattern in asked.patterns:
        if pattern not in told:
            tops = tuple(sorted(top for top in pattern.tops if top is not None))
            others.setdefault(tops, []).append(pattern)
    found += [_question_about(program, tops, patterns) for tops, patterns in others.items()]
    return [*found, deadlock()] if asked.deadlock else found


def questions_text(questions: Sequence[Question]) -> str:
    """All questions in one line, the first few of them if there are many."""
    texts = [question.text for question in questions]
    more = [f"and {len(texts) - _SHOWN} more"] if len(texts) > _SHOWN else []
    return "; ".join(texts[:_SHOWN] + more)


def violated_question(
    questions: Iterable[Question], shared: int, classes: Sequence[int]
) -> Question | None:
    """The first question that a visible state violates; a deadlock if it matches no pattern."""
    stuck = None
    for question in questions:
        for pattern in question.bad.patterns:
            tops = zip(pattern.tops, classes, strict=True)
            if pattern.shared in (None, shared) and all(top in (None, have) for top, have in tops):
                return question
        if question.bad.deadlock and stuck is None:
            stuck = question
    return stuck


def _checked(program: Program) -> Program:
    if not isinstance(program, Program):
        raise UsageError("this is a question about a Program: tepui.load(path) reads one (.bp)")
    return program


def _place(place: str | int) -> str:
    """A place as text; a line may be given as the number that it is."""
    if isinstance(place, bool) or not isinstance(place, str | int):
        raise UsageError(f"a place is a label or a line, as text; found {place!r}")
    return str(place)


def _inside(program: Program, points: Iterable[int]) -> frozenset[int]:
    """Those of some points that may be passed inside atomic sections, where no one rests."""
    return points_inside(program).intersection(points)


def _unless_told(layout: Layout, point: int, place: str) -> str:
    """Where a label is; a line says that itself."""
    location = layout.location(point)
    assert location is not None
    where = place_text(location.position)
    return "" if place.rpartition(":")[2] == str(location.position.line) else f" ({where})"


def _question_about(program: Program, tops: tuple[int, ...], patterns: list[Pattern]) -> Question:
    """A question in the words of the statements that its patterns name."""
    layout = layout_of(program)
    names = [_statement(layout, top) for top in tops]
    bad = Property(tuple(patterns))
    watched = _inside(program, [top - 1 for top in tops])
    if len(names) == 1:
        return Question("unreachable", f"{names[0]} is unreachable", bad, watched)
    text = f"{' and '.join(names)} are never reached together"
    return Question("never together", text, bad, watched)


def _statement(layout: Layout, top: int) -> str:
    points = [point for point in range(layout.points) if point_class(point) == top]
    location = layout.location(points[0]) if points else None
    if location is None:
        return "a place that no thread runs" if top else "the end of a thread"
    return f"{location.text or 'the end of a procedure'} at {place_text(location.position)}"


def _threads_that_run(program: Program, procedure: int) -> list[int]:
    """The thread types that may run a procedure."""
    types = range(len(program.threads))
    return [index for index in types if procedure in procedures_run_by(program, index)]


def _one_thread_at(program: Program, procedure: int, point: int) -> list[Pattern]:
    """The first thread of some type that runs this procedure is at this point."""
    firsts = _first_threads(program)
    types = _threads_that_run(program, procedure)
    return [_pattern(program, {firsts[index]: point}) for index in types]


def _pairs(program: Program, left: int, right: int) -> list[tuple[int, int]]:
    """Two different threads that run these procedures, for any two types of threads that do."""
    firsts = _first_threads(program)
    found = []
    for one in _threads_that_run(program, left):
        for other in _threads_that_run(program, right):
            if one != other:
                found.append((firsts[one], firsts[other]))
            elif program.threads[one].count > 1:
                found.append((firsts[one], firsts[one] + 1))
    return found


def _first_threads(program: Program) -> list[int]:
    """For each thread type, its first thread."""
    return [program.thread_types.index(index) for index in range(len(program.threads))]


def _pattern(program: Program, points: dict[int, int]) -> Pattern:
    """Some threads are at these points, and the others anywhere."""
    tops: list[int | None] = [None] * len(program.thread_types)
    for thread, point in points.items():
        tops[thread] = point_class(point)
    return Pattern(None, tuple(tops))


def _nothing(program: Program) -> tuple[Pattern, ...]:
    """A pattern that nothing matches, for places that no thread can be at."""
    return (_pattern(program, {0: layout_of(program).points}),)
