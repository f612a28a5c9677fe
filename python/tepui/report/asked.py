"""What was asked about a program, in words, and which of it a trace violates.

A result knows its property, which is about points. Where the questions that it was made of are not
at hand, they are told from the property.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from tepui.evidence import Trace
from tepui.model import EPSILON, Pattern, Property
from tepui.program.layout import Layout
from tepui.program.lowered import LoweredSystem, point_class
from tepui.program.program import Position, Program
from tepui.program.questions import Question, assertions, deadlock, error_labels

_SHOWN = 5


def file_name(program: Program) -> str:
    """The name of the file that a program comes from, or else its own."""
    files = [procedure.position.file for procedure in program.procedures]
    return PurePath(files[0]).name or program.name if files else program.name


def place_text(position: Position) -> str:
    """A place in a source, without folders."""
    return f"{PurePath(position.file).name}:{position.line}"


def question_text(layout: Layout, question: Question) -> str:
    """What must not happen, as the program or its user asks it."""
    location = None if question.point is None else layout.location(question.point)
    if location is not None and question.kind == "assertion":
        return f"{location.text or 'assert'} at {place_text(location.position)}"
    if location is not None and question.kind == "unreachable":
        place = place_text(location.position)
        return question.text if place in question.text else f"{question.text} ({place})"
    return question.text


def violation_text(layout: Layout, question: Question) -> str:
    """That it can happen."""
    text = question_text(layout, question)
    match question.kind:
        case "assertion":
            return f"{text} can be violated"
        case "unreachable":
            return text.replace("is unreachable", "can be reached")
        case "never together":
            return text.replace("are never reached together", "can be reached together")
        case "deadlock":
            return "there is a deadlock"


def property_text(layout: Layout, questions: Sequence[Question]) -> str:
    """All questions in one line, the first few of them if there are many."""
    texts = [question_text(layout, question) for question in questions]
    more = [f"and {len(texts) - _SHOWN} more"] if len(texts) > _SHOWN else []
    return "; ".join(texts[:_SHOWN] + more)


def questions_of(layout: Layout, asked: Property) -> list[Question]:
    """Questions that make up a property."""
    wanted = set(asked.patterns)
    own = [*assertions(layout.program), *error_labels(layout.program)]
    found = [question for question in own if wanted.issuperset(question.bad.patterns)]
    told = {pattern for question in found for pattern in question.bad.patterns}
    others: dict[tuple[int, ...], list[Pattern]] = {}
    for pattern in asked.patterns:
        if pattern not in told:
            tops = tuple(sorted(top for top in pattern.tops if top is not None))
            others.setdefault(tops, []).append(pattern)
    found += [_question_about(layout, tops, patterns) for tops, patterns in others.items()]
    return [*found, deadlock()] if asked.deadlock else found


def violated_question(
    system: LoweredSystem, questions: Sequence[Question], trace: Trace
) -> Question | None:
    """The first question of which the end of a trace is a violation."""
    shared, stacks = trace.initial_shared, trace.initial_stacks
    if trace.steps:
        shared, stacks = trace.steps[-1].shared, trace.steps[-1].stacks
    seen = tuple(
        system.template_of(thread).class_of(stack[0] if stack else EPSILON)
        for thread, stack in enumerate(stacks)
    )
    for question in questions:
        for pattern in question.bad.patterns:
            tops = zip(pattern.tops, seen, strict=True)
            if pattern.shared in (None, shared) and all(top in (None, have) for top, have in tops):
                return question
    stuck = [question for question in questions if question.bad.deadlock]
    return stuck[0] if stuck else None


def _question_about(layout: Layout, tops: tuple[int, ...], patterns: list[Pattern]) -> Question:
    """A question in the words of the statements that its patterns name."""
    places = [_statement(layout, top) for top in tops]
    bad = Property(tuple(patterns))
    if len(places) == 1:
        return Question("unreachable", f"{places[0]} is unreachable", bad)
    text = f"{' and '.join(places)} are never reached together"
    return Question("never together", text, bad)


def _statement(layout: Layout, top: int) -> str:
    points = [point for point in range(layout.points) if point_class(point) == top]
    location = layout.location(points[0]) if points else None
    if location is None:
        return "a place that no thread runs" if top else "the end of a thread"
    return f"{location.text or 'the end of a procedure'} at {place_text(location.position)}"
