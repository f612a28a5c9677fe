"""Checking evidence about a program.

The meaning of a program has options (see `program.meaning`), and evidence speaks of states as they
are under those of the run that found it. All of them are faithful to the program, so it is enough
that the evidence holds under some: what must be decided first and which places are watched follows
from the questions, and whether dead values were kept is tried both ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tepui.cli.program_options import asked_questions
from tepui.errors import EvidenceError
from tepui.evidence import Certificate, Trace
from tepui.evidence.files import read_program_evidence
from tepui.evidence.programs import ProgramTables, check_program, meaning_for
from tepui.model import Property
from tepui.program.layout import Layout
from tepui.program.meaning import Meaning
from tepui.program.program import Program
from tepui.program.questions import Question, everything
from tepui.report.asked import property_text, questions_of
from tepui.report.text import contexts_text


def check_evidence(program: Program, flags: Mapping[str, Any], path: Path, *, each: bool) -> str:
    """What the evidence in a file proves; an EvidenceError if that is nothing that was asked."""
    questions = asked_questions(program, flags)
    named, tables, claimed = read_program_evidence(path, program)
    if not named:
        raise EvidenceError("the evidence names no property")
    about = _about(program, questions, named, each=each)
    _check(program, questions, named, tables, claimed)
    bad = property_text(Layout(program), about)
    if isinstance(claimed, Trace):
        return f"violated within {contexts_text(claimed.contexts)}: {bad}"
    return f"holds for any number of contexts: {bad}"


def _about(
    program: Program, questions: Sequence[Question], named: Property, *, each: bool
) -> Sequence[Question]:
    """The questions that evidence about this property answers.

    Evidence about another property proves nothing about those that are asked.
    """
    told = questions_of(Layout(program), named)
    if not questions:
        return told
    choices = [[question] for question in questions] if each else [questions]
    for choice in choices:
        if _key(everything(choice)) == _key(named):
            return choice
    hint = "" if each or len(questions) == 1 else "; --all takes evidence about one of them"
    raise EvidenceError(
        f"the evidence is about another property: {property_text(Layout(program), told)}; "
        f"asked is: {property_text(Layout(program), questions)}{hint}"
    )


def _check(
    program: Program,
    questions: Sequence[Question],
    asked: Property,
    tables: ProgramTables,
    claimed: Trace | Certificate,
) -> None:
    """Accept what holds with dead values forgotten or kept; the first objection is the reason."""
    try:
        meaning = _meaning(program, questions, asked, liveness=True)
        check_program(program, meaning, asked, tables, claimed)
    except EvidenceError as objection:
        meaning = _meaning(program, questions, asked, liveness=False)
        try:
            check_program(program, meaning, asked, tables, claimed)
        except EvidenceError:
            raise objection from None


def _meaning(
    program: Program, questions: Sequence[Question], asked: Property, *, liveness: bool
) -> Meaning:
    if not questions:
        return meaning_for(program, asked, liveness=liveness)
    return Meaning(
        program,
        liveness=liveness,
        decide_first=any(question.bad.deadlock for question in questions),
        watched=frozenset().union(*(question.watched for question in questions)),
    )


def _key(asked: Property) -> tuple[frozenset[object], bool]:
    return frozenset(asked.patterns), asked.deadlock
