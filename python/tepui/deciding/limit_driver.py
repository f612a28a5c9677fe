"""Programs whose translation has limits: larger translations, until no limit is reached.

Each group of questions is asked together with another one: can a limit be reached?

    safe       neither can happen: so it is for the program, whatever its limits;
    unsafe     a violation of the program itself. Up to a limit, all runs are runs of the program,
               and a limit takes at least as many contexts, so no run needs fewer;
    otherwise  a limit is reached: the next larger translation, as long as there is one.

If there is none, the question is asked alone. A violation is still one. But beyond the limit there
may be another one with fewer contexts, unless it takes no more contexts than the limit itself.
Everything else is unknown, and the reason is the limit with its line.

Another driver answers for one translation, so threads may be forked as well.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

from tepui.deciding.drivers import EVERYTHING, Attempt, Driver, Group, Proving, without_evidence
from tepui.deciding.evidence_check import checked
from tepui.deciding.options import Options
from tepui.program.layout import Layout, point_class
from tepui.program.program import Program
from tepui.program.questions import Question, asked_of, limits
from tepui.result import Result, Stop

Version = Callable[[Program, Sequence[Group], Options], Driver]
"""The driver for one translation of a program."""


def answers(
    program: Program, groups: Sequence[Group], options: Options, version: Version
) -> Driver:
    """Decide groups of questions. Each gets the answer that it gets alone."""
    cases = [_Case(tuple(group)) for group in groups]
    first = program
    translation: Program | None = program
    while translation is not None:
        program = translation
        trying = [case for case in cases if case.result is None]
        besides = limits(program)
        results = yield from _without_checks(_decided(program, trying, besides, options, version))
        for case, result in zip(trying, results, strict=True):
            case.note(result, options)
            yield from case.make_sure(options)
        names = {name for case in trying if case.result is None for name in case.reached}
        translation = program.larger(names) if names else None
    trying = [case for case in cases if case.result is None]
    if trying:
        results = yield from _without_proofs(_decided(program, trying, [], options, version))
        for case, result in zip(trying, results, strict=True):
            case.give_up(result)
    yield from _sampled(first, cases, options, version)
    return [case.result for case in cases if case.result is not None]


def _sampled(
    program: Program, cases: Sequence[_Case], options: Options, version: Version
) -> Generator[Attempt | Proving, list[Result], None]:
    """Where inputs have too many values, look for violations that need some of them only."""
    for name in program.samples:
        trying = [case for case in cases if case.is_open_to_samples]
        fewer = program.larger([name]) if trying else None
        if fewer is None:
            return
        driver = _for_a_while(_decided(fewer, trying, [], options, version))
        results = yield from _without_proofs(driver)
        for case, result in zip(trying, results, strict=True):
            if result.verdict == "unsafe" and result.trace is not None and not _ends_at(result):
                case.result = replace(result, bound_is_fewest=False).with_note("limits", name)


def exploration(program: Program, options: Options, version: Version) -> Driver:
    """The reachable visible states of a translation that is large enough, or else of the largest,
    which is not all."""
    while True:
        (result,) = yield from version(program, EVERYTHING, options)
        listed = result.reached.points
        reached = set() if listed is None else {point for some in listed() for point in some}
        found = sorted(_layout(result).limits & reached)
        larger = program.larger(_names(result, found)) if found else None
        if larger is None:
            break
        program = larger
    if not found:
        return [result]
    reached_so_far = replace(result.reached, certainty="reached")
    stop = _stop(result, found)
    return [
        replace(result, verdict="stopped", bound=None, bound_rounds=None, proof=None, stop=stop,
                reached=reached_so_far)
    ]  # fmt: skip


@dataclass(slots=True)
class _Case:
    """Questions that are answered as one, and what is known about them."""

    questions: tuple[Question, ...]
    at_limit: Result | None = None
    """The last run that ended at a limit."""
    result: Result | None = None

    def note(self, result: Result, options: Options) -> None:
        """What one translation says. The case stays open if it ends at a limit."""
        if result.verdict == "unsafe" and result.trace is None:
            when = ", before there was a trace that tells a violation from a limit"
            result = without_evidence(result, Stop.late(options.limits.timeout, when))
        if _ends_at(result):
            self.at_limit = result
        else:
            self.result = result

    def make_sure(self, options: Options) -> Generator[Attempt | Proving, list[Result], None]:
        """Have a violation checked, if no attempt has done that."""
        result = self.result
        if result is None or result.verdict != "unsafe" or result.checked or not options.check:
            return
        if any(note.kind == "check" for note in result.remarks):
            return  # It says why nobody could.
        (self.result,) = yield Proving(lambda meter: [checked(result, meter, options)])

    @property
    def is_open_to_samples(self) -> bool:
        """Whether there is no answer because some input has too many values."""
        stop = None if self.result is None else self.result.stop
        return stop is not None and stop.kind == "choices"

    @property
    def reached(self) -> set[str]:
        """The limits to raise."""
        return set() if self.at_limit is None else _names(self.at_limit, _ends_at(self.at_limit))

    def give_up(self, alone: Result) -> None:
        """There is no larger translation, and the question was asked alone."""
        limit = self.at_limit
        assert limit is not None
        stop = _stop(limit, _ends_at(limit))
        if alone.verdict != "unsafe" or alone.trace is None or _ends_at(alone):
            self.result = without_evidence(replace(limit, questions=alone.questions), stop)
            return
        is_fewest = limit.knows_fewest_contexts and alone.bound == limit.bound
        text = f"fewer contexts may be enough, because not all is known: {stop.text}"
        if not is_fewest:
            alone = replace(alone, bound_is_fewest=False).with_note("limits", text)
        self.result = alone


def _decided(
    program: Program,
    cases: Sequence[_Case],
    besides: Sequence[Question],
    options: Options,
    version: Version,
) -> Driver:
    """The result for each case, where something else is asked together with it."""
    groups = [[*(asked_of(program, each) for each in case.questions), *besides] for case in cases]
    results = yield from version(program, groups, options)
    return [
        replace(result, questions=tuple(q for q in result.questions if q.kind != "limit"))
        for result in results
    ]


_SHARE_OF_SAMPLES = 0.4
"""Which part of the time that is left each try with fewer inputs may take."""


def _for_a_while(driver: Driver) -> Driver:
    """The same attempts, with a part of the time only."""
    try:
        attempt = next(driver)
        while True:
            if isinstance(attempt, Attempt):
                attempt = replace(attempt, share_of_time=_SHARE_OF_SAMPLES)
            attempt = driver.send((yield attempt))
    except StopIteration as end:
        results: list[Result] = end.value
        return results


def _without_checks(driver: Driver) -> Driver:
    """The same attempts, in which nobody checks that a limit is reached: that is no answer."""
    try:
        attempt = next(driver)
        while True:
            if isinstance(attempt, Attempt):
                attempt = replace(attempt, is_answer=lambda result: not _ends_at(result))
            attempt = driver.send((yield attempt))
    except StopIteration as end:
        results: list[Result] = end.value
        return results


def _without_proofs(driver: Driver) -> Driver:
    """The same attempts, in which only violations count."""
    try:
        attempt = next(driver)
        while True:
            if isinstance(attempt, Attempt):
                attempt = replace(attempt, proofs=False)
            attempt = driver.send((yield attempt))
    except StopIteration as end:
        results: list[Result] = end.value
        return results


def _ends_at(result: Result) -> list[int]:
    """The points of limits at which the trace of a result ends."""
    if result.trace is None:
        return []
    layout, (_, stacks) = _layout(result), result.trace.end
    system = result.trace.subject.system
    classes = {
        system.template_of(thread).class_of(stack[0])
        for thread, stack in enumerate(stacks)
        if stack
    }
    return sorted(point for point in layout.limits if point_class(point) in classes)


def _layout(result: Result) -> Layout:
    program = result.subject.program
    assert program is not None
    return program.layout


def _names(result: Result, points: Sequence[int]) -> set[str]:
    """The messages of limits."""
    layout = _layout(result)
    return {layout.assertions[point - layout.violation(0)].edge.message for point in points}


def _stop(result: Result, points: Sequence[int]) -> Stop:
    """A limit was reached: where, and which one."""
    location = _layout(result).location(points[0])
    assert location is not None
    (message,) = _names(result, points[:1])
    what = message or "a limit of the translation"
    return Stop("limit", f"{location.position}: {what}: nothing is known about runs beyond")
