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

Several questions share explorations, and nothing else: what was found out about one says nothing
about another, so each gets the answer that it gets alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tepui.deciding.endless import forks_without_end
from tepui.deciding.options import BY_DELAYS, Options, by_contexts
from tepui.errors import UsageError
from tepui.limits import Meter
from tepui.model import Property
from tepui.program.layout import point_class
from tepui.program.passes.slots import MOST_SLOTS, Slotted, slotted, with_bound, with_slots
from tepui.program.program import Program
from tepui.program.questions import Question, everything, lack_of_slots, posed
from tepui.result import Answer, Result, Stop, Verdict

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
    case = _Case(tuple(questions))
    return _Search(program, options, decide).answers([case])[0]


def verify_all(
    program: Program,
    questions: Sequence[Question],
    options: Options,
    decide: Decide,
    decide_all: DecideAll,
) -> list[Answer]:
    """Decide each question by itself; those with as many slots, or contexts, on one exploration."""
    cases = [_Case((question,)) for question in questions]
    results = _Search(program, options, decide, decide_all).answers(cases)
    return [Answer(result.questions[0], result) for result in results]


def explore(program: Program, options: Options, decide: Decide, look: Explore) -> Result:
    """The reachable visible states with as many slots as are needed, if any number of them is."""
    return _Search(program, options, decide).explored(look)


@dataclass(slots=True)
class _Case:
    """Questions that are answered as one, and what is known about them."""

    questions: tuple[Question, ...]
    clear: int = 0
    """There is no violation within so many contexts."""
    too_few: int = 0
    """So many slots are not enough."""
    endless: bool = False
    """Whether no number of slots is."""
    lacking: Result | None = None
    """The last run that ended where no slot was free."""
    result: Result | None = None

    def lacks_slots(self, result: Result) -> None:
        """With so many slots, a run ends where none of them is free."""
        assert result.bound is not None
        self.lacking = result
        # Else a violation may take fewer contexts than this run.
        if result.resource == "contexts" and not result.heights_left_out:
            self.clear = max(self.clear, result.bound - 1)
        self.too_few = _slotted(result).slots
        self.endless = forks_without_end(result)


class _Search:
    """The search for a number of slots, or of contexts, that decides."""

    def __init__(
        self,
        program: Program,
        options: Options,
        decide: Decide,
        decide_all: DecideAll | None = None,
    ) -> None:
        self._program = program
        self._options = options
        self._decide = decide
        self._decide_all = decide_all
        self._meter = Meter(options.limits)
        self._interrupted: Result | None = None

    def answers(self, cases: Sequence[_Case]) -> list[Result]:
        """The answer to each case."""
        if self._options.contexts is not None:
            for case, result in self._within(self._options.contexts, cases):
                case.result = result
        else:
            self._try_slots(cases)
            if self._options.bounds_delays:
                self._give_up(cases)
            else:
                self._try_bounds(cases)
        return [self._told(case) for case in cases]

    def explored(self, look: Explore) -> Result:
        """All that is reachable, or what so many contexts reach."""
        case = _Case(())
        self._try_slots([case])
        found = case.result
        if found is not None and found.verdict == "safe":
            result = look(_slotted(found), self._left(self._options))
            _note_slots(result)
        elif found is not None and found.verdict == "bounded":
            # Z looks beyond the bound, where slots may lack.
            options = replace(self._options, strengths=())
            result = look(_slotted(found), self._left(options))
        elif found is not None or self._options.bounds_delays:
            self._give_up([case])
            found = case.result or self._interrupted
            assert found is not None
            result = replace(found, verdict="stopped", asked=Property(), questions=())
        else:
            k = self._last_bound()
            limits = replace(self._options.limits, max_contexts=k)
            program = with_bound(self._program, k)
            options = replace(by_contexts(self._options), limits=limits)
            result = look(program, self._left(options))
            if result.stop is None or result.stop.kind == "contexts":
                reached = f"this is what {_contexts(k)} reach"
                result = self._without_answer(case, result, "stopped", reached)
        result.seconds = self._meter.seconds()
        return result

    def _try_slots(self, cases: Sequence[_Case]) -> None:
        """Answer what so many slots as may be tried are enough for."""
        for slots in range(1, self._options.slots + 1):
            trying = [
                case
                for case in cases
                if case.result is None and (not case.endless or self._options.bounds_delays)
            ]
            if not trying or self._interrupted is not None:
                return
            program = with_slots(self._program, slots)
            lack = lack_of_slots(program)
            for case, result in self._decided(program, trying, self._options, [lack]):
                if result.verdict == "unsafe" and result.trace is None:
                    case.result = self._untold(result)
                elif _ends_without_slot(result):
                    case.lacks_slots(result)
                else:
                    case.result = result
                    if result.verdict == "safe":
                        _note_slots(result)

    def _try_bounds(self, cases: Sequence[_Case]) -> None:
        """Answer the other cases: a violation with the fewest contexts, or the admission that there
        may be one with more."""
        last = self._last_bound()
        for k in range(last + 1):
            trying = [
                case for case in cases if case.result is None and k >= min(case.clear + 1, last)
            ]
            if not trying or self._interrupted is not None:
                continue
            for case, result in self._within(k, trying):
                if result.verdict != "bounded":
                    case.result = result
                    continue
                case.clear = max(case.clear, k)
                if k == last:
                    none = f"no violation within {_contexts(case.clear)}"
                    case.result = self._without_answer(case, result, "unknown", none)

    def _give_up(self, cases: Sequence[_Case]) -> None:
        """Bounds of rounds and delays are no bounds of contexts: there is no other way."""
        for case in cases:
            if case.result is not None or self._interrupted is not None:
                continue
            if case.lacking is None:
                raise UsageError(
                    "rounds and delays are counted with slots for the forked threads: "
                    "with none, only contexts can be bounded"
                )
            more = ", and --slots tries more" if case.too_few < MOST_SLOTS else ""
            stop = Stop("threads", f"{_too_few(case.too_few)} within these bounds{more}")
            case.result = _without_evidence(case.lacking, stop)

    def _within(self, contexts: int, cases: Sequence[_Case]) -> Iterator[tuple[_Case, Result]]:
        """The answers for so many contexts, as QR defines it."""
        program = with_bound(self._program, contexts)
        options = replace(by_contexts(self._options), contexts=contexts)
        for case, result in self._decided(program, cases, options):
            assert result.verdict != "safe", "what holds for so many contexts is no proof"
            if self._options.engine in BY_DELAYS:
                result.notes.append("slots do not suffice, so contexts were counted")
            yield case, result

    def _decided(
        self,
        program: Slotted,
        cases: Sequence[_Case],
        options: Options,
        besides: Sequence[Question] = (),
    ) -> Iterator[tuple[_Case, Result]]:
        """What is found out about each case, if something else is asked with it.

        That comes first: a path through an atomic section that ends where no slot is free seems to
        pass what lies before, and where both are seen at once, only the lack of slots is true.
        """
        asked = [[posed(program, question) for question in case.questions] for case in cases]
        options = self._left(options)
        if len(cases) == 1:
            results = [self._decide(program, [*besides, *asked[0]], options)]
        else:
            results = self._each(program, [_as_one([*besides, *some]) for some in asked], options)
        for case, some, result in zip(cases, asked, results, strict=True):
            result.questions = tuple(some)
            self._finish(result)
            yield case, result

    def _each(
        self, program: Slotted, questions: Sequence[Question], options: Options
    ) -> list[Result]:
        """What is found out about each question; those that ask the same are asked once."""
        assert self._decide_all is not None
        distinct = {question.bad: question for question in questions}
        answers = self._decide_all(program, list(distinct.values()), options)
        found = {bad: answer.result for bad, answer in zip(distinct, answers, strict=True)}
        results = []
        for question in questions:
            result = found[question.bad]
            found[question.bad] = replace(result, notes=list(result.notes))
            results.append(result)
        return results

    def _finish(self, result: Result) -> None:
        """A result speaks of the whole search, not of the time that was left of it."""
        result.seconds = self._meter.seconds()
        if result.stop is not None and result.stop.kind == "time":
            result.stop = self._out_of_time()
        if result.stop is not None and result.stop.kind == "interrupted":
            self._interrupted = result
        elif result.interrupted:
            stop = Stop("interrupted", "the run was interrupted")
            self._interrupted = _without_evidence(result, stop)

    def _out_of_time(self, when: str = "") -> Stop:
        limit = self._options.limits.timeout
        return Stop("time", f"the time limit of {limit:g} s was reached{when}", limit)

    def _left(self, options: Options) -> Options:
        """The options with the time that is left."""
        left = self._meter.seconds_left()
        if left is None:
            return options
        return replace(options, limits=replace(options.limits, timeout=max(left, 0.0)))

    def _last_bound(self) -> int:
        limit = self._options.limits.max_contexts
        return CONTEXTS if limit is None else min(limit, MOST_SLOTS)

    def _told(self, case: _Case) -> Result:
        """The answer to a case, with what is clear where it is none."""
        result = case.result
        if result is None:  # Another case was interrupted, and nobody waits for the others.
            assert self._interrupted is not None
            program = _slotted(self._interrupted)
            asked = tuple(posed(program, question) for question in case.questions)
            result = replace(
                self._interrupted,
                questions=asked,
                asked=everything(asked),
                notes=list(self._interrupted.notes),
            )
        if result.stop is not None and result.stop.kind not in ("contexts", "threads"):
            if case.too_few:
                result.notes.append(_too_few(case.too_few))
            if case.clear:
                result.notes.append(f"there is no violation within {_contexts(case.clear)}")
        return result

    def _untold(self, result: Result) -> Result:
        """What is left of a violation without a trace: it may be a lack of slots and no more."""
        stop = self._out_of_time(
            ", before there was a trace that tells a violation from a lack of slots"
        )
        return _without_evidence(result, stop)

    def _without_answer(self, case: _Case, result: Result, verdict: Verdict, but: str) -> Result:
        """A result that holds for so many contexts only, and why there is no more to it."""
        further = "" if self._options.engine in BY_DELAYS else ", and --max-contexts looks further"
        stop = Stop("threads", f"{self._why_not_all(case)}; {but}{further}")
        return replace(
            result, verdict=verdict, bound=None, proof=None, stop=stop, certainty="reached"
        )

    def _why_not_all(self, case: _Case) -> str:
        if case.endless:
            return _ENDLESS
        if not case.too_few:
            return "no slots were to be tried"
        more = ", and --slots tries more" if case.too_few < MOST_SLOTS else ""
        return f"{_too_few(case.too_few)}{more}"


_ENDLESS = (
    "a thread can go on forking for ever, so the number of threads alive at once is unbounded"
)


def _without_evidence(result: Result, stop: Stop) -> Result:
    """What is left of a violation that says nothing about the question."""
    return replace(
        result,
        verdict="unknown",
        bound=None,
        bound_rounds=None,
        stop=stop,
        make_evidence=None,
        _evidence=None,
        checked=False,
        check_seconds=None,
        notes=[],
    )


def _as_one(questions: Sequence[Question]) -> Question:
    """The first question, together with others."""
    watched = frozenset().union(*(question.watched for question in questions))
    return replace(questions[0], bad=everything(questions), watched=watched)


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
    return slotted(result.subject.program)


def _note_slots(result: Result) -> None:
    """Note how many slots are enough, if the program forks at all."""
    program = _slotted(result)
    if program.taken:
        result.notes.append(f"{lack_of_slots(program).text} for the forked threads")


def _too_few(slots: int) -> str:
    return "1 slot is not enough" if slots == 1 else f"{slots} slots are not enough"


def _contexts(count: int) -> str:
    return "1 context" if count == 1 else f"{count} contexts"
