"""Programs that fork threads: with slots while these suffice, else within so many contexts.

The sequence of slots comes first. With n of them, the question is asked together with another one:
can it happen that no slot is free?

    safe       neither can happen: so it is for any number of contexts and of forks;
    unsafe     a violation of the program itself. A lack of slots takes at least as many contexts,
               so no run without one needs fewer;
    otherwise  n + 1 slots, until the limit, or until a thread is seen that goes on forking for ever
               within one context: then no number of slots is enough.

Then QR's reduction (section 4.3) answers for k = 1, 2, … contexts. It finds violations with the
fewest contexts, and proves nothing beyond the last k: such an answer is bounded, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tepui.limits import Meter
from tepui.model import Property
from tepui.program.layout import point_class
from tepui.program.lowered import LoweredSystem
from tepui.program.program import Program
from tepui.program.questions import Question, everything, lack_of_slots, posed
from tepui.program.slots import MOST_SLOTS, Slotted, with_bound, with_slots
from tepui.result import Answer, Result, Stop, Verdict
from tepui.sequences.endless import forks_without_end
from tepui.sequences.options import Options

Decide = Callable[[Program, Sequence[Question], Options], Result]
"""Decides questions about a program without forks."""

DecideAll = Callable[[Program, Sequence[Question], Options], list[Answer]]
"""The same, each question by itself."""

Explore = Callable[[Program, Options], Result]

CONTEXTS = 5
"""How many contexts are looked at where slots do not suffice and no limit says how many."""


def verify(
    program: Program, questions: Sequence[Question], options: Options, decide: Decide
) -> Result:
    """Decide questions about a program with forks, all as one."""
    return _Search(program, options, decide).answer(questions)


def verify_all(
    program: Program,
    questions: Sequence[Question],
    options: Options,
    decide: Decide,
    decide_all: DecideAll,
) -> list[Answer]:
    """Decide each question by itself; where slots are enough, all on one exploration."""
    search = _Search(program, options, decide)
    slotted = search.enough_slots()
    if slotted is not None:
        return search.answers(slotted, questions, decide_all)
    results = [search.answer([question]) for question in questions]
    return [Answer(result.questions[0], result) for result in results]


def explore(program: Program, options: Options, decide: Decide, look: Explore) -> Result:
    """The reachable visible states with as many slots as are needed, if any number of them is."""
    return _Search(program, options, decide).explored(look)


class _Search:
    """The search for a number of slots, or of contexts, that decides."""

    def __init__(self, program: Program, options: Options, decide: Decide) -> None:
        self._program = program
        self._options = options
        self._decide_plain = decide
        self._meter = Meter(options.limits)
        self._slots: int | None = 1
        """The first number of slots worth trying; None if none is."""
        self._clear = 0
        """There is no violation within so many contexts."""
        self._interrupted: Result | None = None

    def answer(self, questions: Sequence[Question]) -> Result:
        """The answer to some questions as one."""
        if self._interrupted is not None:  # Nobody waits for the others.
            program = _slotted(self._interrupted)
            asked = tuple(posed(program, question) for question in questions)
            return replace(self._interrupted, questions=asked, asked=everything(asked))
        if self._options.contexts is not None:
            return self._within(self._options.contexts, questions)
        return self._with_slots(questions) or self._with_bounds(questions)

    def enough_slots(self) -> Slotted | None:
        """The program with as many slots as it needs, whatever is asked; None if none is known."""
        if self._options.contexts is not None:
            return None
        found = self._with_slots([])
        self._slots = 1
        return None if found is None or found.verdict != "safe" else _slotted(found)

    def answers(
        self, program: Slotted, questions: Sequence[Question], decide_all: DecideAll
    ) -> list[Answer]:
        """The answers to all questions with enough slots: that they are is part of each proof."""
        lack = lack_of_slots(program)
        asked = [posed(program, question) for question in questions]
        besides = [replace(one, bad=everything([one, lack])) for one in asked]
        answers = decide_all(program, besides, self._left(self._options))
        for question, answer in zip(asked, answers, strict=True):
            answer.result.questions = (question,)
            self._finish(answer.result)
            if answer.result.verdict == "safe":
                answer.result.notes.append(_enough(answer.result))
        return [Answer(one, answer.result) for one, answer in zip(asked, answers, strict=True)]

    def explored(self, look: Explore) -> Result:
        """All that is reachable, or what so many contexts reach."""
        found = self._with_slots([])
        if found is not None and found.verdict == "safe":
            result = look(_slotted(found), self._left(self._options))
            result.notes.append(_enough(result))
        elif found is not None:
            result = replace(found, verdict="stopped", asked=Property(), questions=())
        else:
            k = self._last_bound()
            limits = replace(self._options.limits, max_contexts=k)
            program = with_bound(self._program, k)
            result = look(program, self._left(replace(self._options, limits=limits)))
            if result.stop is None or result.stop.kind == "contexts":
                result = self._without_answer(
                    result, "stopped", f"this is what {_contexts(k)} reach"
                )
        result.seconds = self._meter.seconds()
        return result

    def _with_slots(self, questions: Sequence[Question]) -> Result | None:
        """The answer with as many slots as it takes; None if they are too many."""
        while self._slots is not None and self._slots <= self._options.slots:
            program = with_slots(self._program, self._slots)
            result = self._decide(program, questions, self._options, [lack_of_slots(program)])
            if not _ends_without_slot(result):
                if result.verdict == "safe":
                    result.notes.append(_enough(result))
                return result
            assert result.bound is not None
            self._clear = result.bound - 1
            self._slots = None if forks_without_end(result) else self._slots + 1
        self._slots = None
        return None

    def _with_bounds(self, questions: Sequence[Question]) -> Result:
        """A violation with the fewest contexts, or the admission that there may be more."""
        last = self._last_bound()
        result = self._within(min(self._clear + 1, last), questions)
        while result.verdict == "bounded" and result.bound is not None and result.bound < last:
            self._clear = result.bound
            result = self._within(self._clear + 1, questions)
        if result.verdict == "bounded":
            return self._without_answer(result, "unknown", f"no violation within {_contexts(last)}")
        if result.verdict == "unknown" and self._clear:
            result.notes.append(f"there is no violation within {_contexts(self._clear)}")
        return result

    def _within(self, contexts: int, questions: Sequence[Question]) -> Result:
        """The answer for so many contexts, as QR defines it."""
        program = with_bound(self._program, contexts)
        result = self._decide(program, questions, replace(self._options, contexts=contexts))
        assert result.verdict != "safe", "what holds for so many contexts is no proof"
        return result

    def _decide(
        self,
        program: Slotted,
        questions: Sequence[Question],
        options: Options,
        besides: Sequence[Question] = (),
    ) -> Result:
        asked = [posed(program, question) for question in questions]
        result = self._decide_plain(program, [*asked, *besides], self._left(options))
        result.questions = tuple(asked)
        self._finish(result)
        return result

    def _finish(self, result: Result) -> None:
        """A result speaks of the whole search, not of the time that was left of it."""
        result.seconds = self._meter.seconds()
        if result.stop is not None and result.stop.kind == "time":
            limit = self._options.limits.timeout
            result.stop = Stop("time", f"the time limit of {limit:g} s was reached", limit)
        if result.stop is not None and result.stop.kind == "interrupted":
            self._interrupted = result

    def _left(self, options: Options) -> Options:
        """The options with the time that is left."""
        left = self._meter.seconds_left()
        if left is None:
            return options
        return replace(options, limits=replace(options.limits, timeout=max(left, 0.0)))

    def _last_bound(self) -> int:
        limit = self._options.limits.max_contexts
        return CONTEXTS if limit is None else min(limit, MOST_SLOTS)

    def _without_answer(self, result: Result, verdict: Verdict, but: str) -> Result:
        """A result that holds for so many contexts only, and why there is no more to it."""
        why = "the number of forked threads alive at once may be unbounded"
        stop = Stop("threads", f"{why}; {but}, and --max-contexts looks further")
        return replace(
            result, verdict=verdict, bound=None, proof=None, stop=stop, certainty="reached"
        )


def _ends_without_slot(result: Result) -> bool:
    """Whether the trace of a result ends where no slot is free."""
    if result.trace is None or not result.trace.steps:
        return False
    system, last = result.system, result.trace.steps[-1]
    lacking = {point_class(point) for point in _slotted(result).lack_points}
    return any(
        bool(stack) and system.template_of(thread).class_of(stack[0]) in lacking
        for thread, stack in enumerate(last.stacks)
    )


def _slotted(result: Result) -> Slotted:
    assert isinstance(result.system, LoweredSystem)
    assert isinstance(result.system.program, Slotted)
    return result.system.program


def _enough(result: Result) -> str:
    return f"{lack_of_slots(_slotted(result)).text} for the forked threads"


def _contexts(count: int) -> str:
    return "1 context" if count == 1 else f"{count} contexts"
