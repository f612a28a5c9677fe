"""Runs of programs that fork threads, some of which end at a limit when a test wants it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tepui.deciding import Options, forking, verify
from tepui.program.program import Program
from tepui.program.questions import Question
from tepui.result import Answer, Result

Limit = Callable[[Program, Sequence[Question]], bool]
"""Whether a run is to end at once, by its limit of time."""


def limited(limit: Limit) -> tuple[forking.Decide, forking.DecideAll]:
    """Decides as always, but for some runs that get no time."""

    def decide(program: Program, questions: Sequence[Question], options: Options) -> Result:
        if limit(program, questions):
            options = replace(options, limits=replace(options.limits, timeout=0.0))
        return verify(program, questions, options)

    def decide_all(
        program: Program, questions: Sequence[Question], options: Options
    ) -> list[Answer]:
        return [Answer(one, decide(program, [one], options)) for one in questions]

    return decide, decide_all
