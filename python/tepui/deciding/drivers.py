"""Drivers: an answer that may take several attempts, one after another under one clock.

A driver knows which program to explore next, what to ask about it, and what the results mean: an
answer, or the reason for another attempt. It is a generator, and reads like the search that it is.
It yields attempts, is sent the results of each, and returns its answers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace

from tepui.deciding.algorithm3 import Shared
from tepui.deciding.evidence_check import checked
from tepui.deciding.options import Options
from tepui.deciding.race import first_answer
from tepui.engines.registry import counts_delays
from tepui.errors import AT_LIMIT
from tepui.kernels.fusion import joined_procedures
from tepui.kernels.lowered_system import LoweredSystem, lower
from tepui.kernels.program_fields import LoweringOptions
from tepui.limits import Meter, reached_limit
from tepui.model import Property
from tepui.program.layout import Fused, point_class
from tepui.program.program import Program, refuse_integers
from tepui.program.questions import Question, everything
from tepui.program.types import Bounded, Scalar
from tepui.records import record
from tepui.result import Result, Stop
from tepui.subject import about

Group = Sequence[Question]
"""Questions that are decided as one. An empty group asks for all that is reachable."""

EVERYTHING: Sequence[Group] = ((),)

FEW = 16
"""Inputs that have no more values do not count: they rarely are numbers that are added up."""

MANY_VALUES = 1 << 10
"""A type with more values is wide."""


@record
class Attempt:
    """A program to explore, the questions about it, and the options."""

    program: Program
    options: Options
    groups: Sequence[Group] = EVERYTHING
    proofs: bool = True
    """Whether an answer may rest on a proof. If not, only violations count, and nothing else is
    checked."""
    is_answer: Callable[[Result], bool] | None = None
    """Which violations are answers; all others only lead to another attempt, so they are not
    checked. None is all of them."""
    share_of_time: float | None = None
    """Which part of the time that is left it may take; None is all of it."""
    seconds: float | None = None
    """How long it may take; None is as long as there is time."""


@record
class Proving:
    """Something else than an exploration, which may find answers under the same clock."""

    prove: Callable[[Meter], list[Result]]


Driver = Generator[Attempt | Proving, list[Result], list[Result]]


def at_once(program: Program, groups: Sequence[Group], options: Options) -> Driver:
    """The driver of programs that can be explored as they are."""
    return (yield Attempt(program, options, groups))


def is_wide(scalar: Scalar) -> bool:
    """Whether a type has many values, so that there may be too much to list."""
    return has_many(scalar, MANY_VALUES)


def has_many(scalar: Scalar, values: int) -> bool:
    """Whether a type is one of numbers, and has more values than this."""
    return isinstance(scalar, Bounded) and scalar.size > values


def has_too_much_to_list(result: Result) -> bool:
    """Whether there is no answer because a step has too many outcomes to list."""
    return result.stop is not None and result.stop.kind == "choices"


def drive(driver: Driver, options: Options) -> list[Result]:
    """The answers of a driver. All attempts run under one clock."""
    meter = Meter(options.limits)
    try:
        attempt = next(driver)
        while True:
            if isinstance(attempt, Proving):
                attempt = driver.send(attempt.prove(meter))
            else:
                attempt = driver.send(decided(attempt, meter))
    except StopIteration as end:
        answers: list[Result] = end.value
        return answers


def decided(attempt: Attempt, meter: Meter) -> list[Result]:
    """The answer to each group of questions; those of one group are decided as one. All share one
    exploration and one Z: what is found out for one group serves the next."""
    program, options, groups = attempt.program, attempt.options, attempt.groups
    every = [question for group in groups for question in group]
    system = asked_system(program, every, options, fused=_may_fuse(every, options))
    part = meter.part(attempt.share_of_time, attempt.seconds)
    shared = Shared(about(system), options, part)
    results = []
    for number, group in enumerate(groups, start=1):
        keep = number < len(groups)
        asked = everything(group)
        result = first_answer(shared, asked, group, keep=keep)
        if asked and _counts(attempt, result):
            result = checked(result, shared.meter, shared.options)
        results.append(_noted(result))
        _tell_lines(shared, result)
    meter.take_over(part)
    return results


def _counts(attempt: Attempt, result: Result) -> bool:
    """Whether a result may be an answer, or a part of one."""
    if result.verdict != "unsafe":
        return attempt.proofs
    return attempt.is_answer is None or attempt.is_answer(result)


def _tell_lines(shared: Shared, result: Result) -> None:
    """Tell which lines were reached and violated, if somebody wants to know."""
    if shared.lines is not None:
        try:
            shared.lines.after_answer(result, shared.entrants.begun)
        except (KeyboardInterrupt, *AT_LIMIT) as error:
            shared.meter.stopped = reached_limit(error)


def _noted(result: Result) -> Result:
    """The result with a note about each sort of which it looks at some values only; a single one
    about many."""
    sorts = result.subject.sorts
    if len(sorts) > _MOST_NOTES:
        names = ", ".join(sort.variables[0] for sort in sorts[:_MOST_NOTES])
        return result.with_note(
            "sorts",
            f"values of {len(sorts)} sorts are only copied and compared, so a few of each stand "
            f"for all of them: those of {names} and others",
        )
    for sort in sorts:
        result = result.with_note("sorts", sort.text)
    return result


_MOST_NOTES = 3


def without_evidence(result: Result, stop: Stop) -> Result:
    """The result for a violation that is not about the question."""
    return replace(
        result,
        verdict="unknown",
        bound=None,
        bound_rounds=None,
        bound_is_fewest=False,
        proof=None,
        stop=stop,
        grounds=None,
        checked=False,
        remarks=(),
    ).with_statistics(check_seconds=None)


def asked_system(
    program: Program,
    questions: Sequence[Question],
    options: Options,
    *,
    decide_first: bool = False,
    fused: bool = False,
) -> LoweredSystem:
    """The system of a program, prepared for some questions."""
    refuse_integers(program)
    asked = everything(questions)
    plain = any(strength.kind in ("omega", "omega-l") for strength in options.strengths)
    lowering = LoweringOptions(
        liveness=options.liveness and not plain,
        decide_first=decide_first,
        probes=frozenset().union(*(question.probes for question in questions)),
        fused=_fused(program, asked) if fused else None,
    )
    return lower(program, lowering, asked)


def _may_fuse(questions: Sequence[Question], options: Options) -> bool:
    """Whether nobody would see that local steps are fused: contexts are counted, and questions name
    places only. Call-return relations are those of single steps."""
    asked = (pattern for question in questions for pattern in question.bad.patterns)
    return (
        options.fusion
        and bool(questions)
        and not counts_delays(options.engine)
        and not any(strength.is_call_return for strength in options.strengths)
        and all(pattern.shared is None for pattern in asked)
    )


def _fused(program: Program, asked: Property) -> Fused:
    """How steps are fused when a property names some locations."""
    tops = set[int | None]().union(*(pattern.tops for pattern in asked.patterns))
    points = range(program.layout.waiting)
    named = frozenset(point for point in points if point_class(point) in tops)
    return Fused(named, joined_procedures(program))
