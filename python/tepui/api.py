"""What a Python program calls, where that differs from what the command line calls."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from tepui import languages
from tepui.deciding import Options
from tepui.deciding.drivers import asked_system
from tepui.errors import UsageError
from tepui.model import System
from tepui.program.passes.counts import with_counts
from tepui.program.program import Program
from tepui.program.questions import Question, own_questions
from tepui.report.evidence_text import CheckedEvidence, prove_about_program, prove_about_system
from tepui.z.plain_system import written_out as _written_out


def load(
    path: str | os.PathLike[str],
    init: str | None = None,
    targets: Sequence[str] | None = None,
    threads: Mapping[str, int] | None = None,
) -> System | Program:
    """Read a file: a System from .pds and .cpds, a Program from .bp and .nbp.

    Of a task definition (.yml), it is the model that is read, with the threads and the initial
    state of the task; `tepui.tasks.read_tasks` also tells what is asked, and expected.
    `threads` says how many threads of which types a program runs, where that is not what it says.
    What is odd about the file but not wrong becomes a warning.
    """
    if os.fspath(path).lower().endswith((".yml", ".yaml")):
        from tepui.tasks.definition import read_definition

        defined = read_definition(Path(path))
        path, init = defined.file, defined.init if init is None else init
        threads = dict(defined.threads) | dict(threads or {})
    loaded = languages.load(path, init, targets)
    for warning in loaded.warnings:
        warnings.warn(warning, stacklevel=2)
    if not threads:
        return loaded.model
    if isinstance(loaded.model, System):
        raise UsageError(f"threads are counted in programs (.bp), and {path} is a pushdown system")
    return with_counts(loaded.model, threads)


def check(
    model: System | Program,
    path: str | os.PathLike[str],
    questions: Question | Sequence[Question] | None = None,
) -> CheckedEvidence:
    """What the evidence in a file proves; an EvidenceError if the checker rejects it.

    It must be about what the model asks itself, or else about the questions that are given.
    """
    if isinstance(model, Program):
        asked = [questions] if isinstance(questions, Question) else questions
        return prove_about_program(model, path, asked)
    if not isinstance(model, System):
        raise UsageError("check takes a System or a Program: tepui.load(path) reads one")
    if questions is not None:
        raise UsageError("questions are about programs; what is asked about a System is in it")
    return prove_about_system(model, path)


def written_out(program: Program, questions: Question | Sequence[Question] | None = None) -> System:
    """The System that a program stands for, all rules written out, as `tepui convert` writes it.

    Where deadlock is asked, variables that may have any value get one by steps of their own: a
    System has no other way to say it.
    """
    if not isinstance(program, Program):
        raise UsageError("written_out takes a Program: tepui.load(path) reads one (.bp)")
    if questions is None:
        questions = own_questions(program)
    asked = [questions] if isinstance(questions, Question) else questions
    stuck = any(question.bad.deadlock for question in asked)
    return _written_out(asked_system(program, asked, Options(), decide_first=stuck))
