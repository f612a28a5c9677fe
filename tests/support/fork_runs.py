"""Runs of programs that fork threads, some of which end at a limit when a test wants it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

from tepui.deciding import Options, drivers
from tepui.deciding.drivers import Attempt
from tepui.deciding.drivers import decided as decided_at_once
from tepui.limits import Meter
from tepui.program.passes.slots import Slotted
from tepui.program.program import Program
from tepui.program.questions import Question
from tepui.result import Result

Limit = Callable[[Program, Sequence[Question]], bool]
"""Whether a run is to end at once, by its limit of time."""

Decided = Callable[[Program, Sequence[Question], Options, Meter], Result]


@contextmanager
def deciding_with(decide: Decided) -> Iterator[None]:
    """Each attempt at a group of questions is made by a function."""

    def decided(attempt: Attempt, meter: Meter) -> list[Result]:
        program, options = attempt.program, attempt.options
        return [decide(program, group, options, meter) for group in attempt.groups]

    with patch.object(drivers, "decided", decided):
        yield


def as_always(
    program: Program, questions: Sequence[Question], options: Options, meter: Meter
) -> Result:
    """What an attempt gives."""
    return decided_at_once(Attempt(program, options, [questions]), meter)[0]


def limited(limit: Limit) -> Decided:
    """Decides as always, except that some runs get no time."""

    def decide(
        program: Program, questions: Sequence[Question], options: Options, meter: Meter
    ) -> Result:
        if limit(program, questions):
            limits = replace(options.limits, timeout=options.limits.timeout or 3600.0)
            options, meter = replace(options, limits=limits), Meter(limits, started=-1e9)
        return as_always(program, questions, options, meter)

    return decide


def noting(tried: list[Slotted]) -> Decided:
    """Decides as always, and notes what about."""

    def decide(
        program: Program, questions: Sequence[Question], options: Options, meter: Meter
    ) -> Result:
        assert isinstance(program, Slotted)
        tried.append(program)
        return as_always(program, questions, options, meter)

    return decide
