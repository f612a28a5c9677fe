"""What a file of evidence proves, in the words of what was asked.

Evidence proves something about its own property only. So it is accepted if that is what is asked,
by the model itself or by its user, and if the independent checker finds that it holds.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tepui.checker import (
    Evidence,
    ProgramEvidence,
    Trace,
    check,
    read_evidence,
    read_program_evidence,
)
from tepui.errors import EvidenceError
from tepui.model import EPSILON, Property, System
from tepui.program.layout import point_class
from tepui.program.passes.slots import Slotted
from tepui.program.program import Program
from tepui.program.questions import (
    Question,
    everything,
    lack_of_slots,
    own_questions,
    posed,
    questions_of,
    questions_text,
    violated_question,
)
from tepui.report.bounds import trace_text
from tepui.subject import SystemSubject


@dataclass(frozen=True, slots=True)
class Proved:
    """What evidence proves that the checker accepted."""

    verdict: Literal["safe", "unsafe"]
    text: str
    """The same in one sentence."""
    evidence: Evidence
    questions: tuple[Question, ...] = ()
    """About a program: what holds, or the question that the trace violates."""

    def __str__(self) -> str:
        return self.text


def prove_about_system(system: System, path: str | os.PathLike[str]) -> Proved:
    """What the evidence in a file proves about a system; an EvidenceError if that is nothing."""
    named, claimed = read_evidence(path, system)
    asked = system.property or named
    _compare(system, asked, named)
    check(system, asked, claimed)
    bad = SystemSubject(system).asked_text(asked)
    if isinstance(claimed, Trace):
        text = f"a bad state ({bad}) is reachable within {trace_text(claimed)}"
        return Proved("unsafe", text, claimed)
    text = f"no bad state ({bad}) is reachable in any number of contexts"
    return Proved("safe", text, claimed)


def prove_about_program(
    program: Program,
    path: str | os.PathLike[str],
    questions: Sequence[Question] | None = None,
    *,
    each: bool = False,
) -> Proved:
    """The same about a program; with `each`, the evidence is about one of the questions."""
    asked = own_questions(program) if questions is None else list(questions)
    found = read_program_evidence(path, program)
    if not found.asked:
        raise EvidenceError("the evidence names no property")
    about = _about(found.program, asked, found.asked, each=each)
    found.check()
    if isinstance(found.evidence, Trace):
        violated = _violated(about, found, found.evidence)
        text = f"violated within {trace_text(found.evidence)}: {questions_text(violated)}"
        return Proved("unsafe", text, found.evidence, tuple(violated))
    text = f"holds for any number of contexts: {questions_text(about)}"
    return Proved("safe", text, found.evidence, tuple(about))


def _compare(system: System, asked: Property, named: Property) -> None:
    """Evidence about another property proves nothing about this one, and none about nothing."""
    if not named:
        raise EvidenceError("the evidence names no property")
    if _key(asked) != _key(named):
        words = SystemSubject(system).asked_text
        raise EvidenceError(
            f"the evidence is about another property: it names {words(named)} "
            f"as bad, and asked is {words(asked)}; "
            "--target, --reach and --property say what is asked"
        )


def _about(
    program: Program, questions: Sequence[Question], named: Property, *, each: bool
) -> Sequence[Question]:
    """The questions that evidence about this property answers.

    With slots, it must answer as well whether there are enough of them.
    """
    more: list[Question] = []
    if isinstance(program, Slotted):
        questions = [posed(program, question) for question in questions]
        more = [lack_of_slots(program)] if program.bound is None else []
    told = questions_of(program, named)
    if not questions:
        return _told_besides(told, more, named)
    choices = [[question] for question in questions] if each else [questions]
    for choice in choices:
        if _key(everything([*choice, *more])) == _key(named):
            return choice
    hint = "" if each or len(questions) == 1 else "; --all takes evidence about one of them"
    raise EvidenceError(
        f"the evidence is about another property: {questions_text(told)}; "
        f"asked is: {questions_text(questions)}{hint}"
    )


def _told_besides(
    told: Sequence[Question], more: Sequence[Question], named: Property
) -> Sequence[Question]:
    """What evidence is about that may choose its question, besides what it has to be about."""
    points = {point for question in more for some in question.places for point in some}
    if not set(everything(more).patterns) <= set(named.patterns):
        raise EvidenceError("the evidence does not say whether there are enough slots")
    about = [question for question in told if question.point not in points]
    if not about:
        raise EvidenceError("the evidence says whether there are enough slots, and nothing else")
    return about


def _violated(
    questions: Sequence[Question], found: ProgramEvidence, trace: Trace
) -> Sequence[Question]:
    """The question that a trace, which was accepted, violates."""
    shared, stacks = trace.initial_shared, trace.initial_stacks
    if trace.steps:
        shared, stacks = trace.steps[-1].shared, trace.steps[-1].stacks
    program = found.program
    frames = [found.tables.frames[kind] for kind in program.thread_types]
    classes = [
        point_class(frames[thread][stack[0]].point) if stack else EPSILON
        for thread, stack in enumerate(stacks)
    ]
    if isinstance(program, Slotted):
        lacking = set(map(point_class, program.lack_points))
        if not lacking.isdisjoint(classes):
            raise EvidenceError("the trace ends where no slot is free, which violates nothing")
    violated = violated_question(questions, shared, classes)
    return questions if violated is None else [violated]


def _key(asked: Property) -> tuple[frozenset[object], bool, frozenset[object]]:
    return frozenset(asked.patterns), asked.deadlock, frozenset(asked.reaches)
