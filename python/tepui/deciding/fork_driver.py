"""Programs that fork threads: with slots while these suffice, then within a number of contexts.

The sequence of slots comes first. With n of them, the question is asked together with another one:
can it happen that no slot is free?

    safe       neither can happen: so it is for any number of contexts and of forks;
    unsafe     a violation of the program itself. A lack of slots takes at least as many contexts,
               so no run without one needs fewer;
    otherwise  n + 1 slots, until the limit, or until some thread is seen to fork for ever within
               one context: then no number of slots is enough.

Then QR's reduction (section 4.3) answers for k = 1, 2, … contexts. It finds violations with the
fewest contexts, and proves nothing beyond the last k. Such an answer is bounded, and says so. In
turn with it, there are proofs for any number of forked threads (`fork_proofs`).

Several questions share explorations, and nothing else: what was found out about one says nothing
about another, so each gets the answer that it gets alone.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from tepui.checker.certificates.all_states import names_nothing
from tepui.deciding.drivers import Attempt, Driver, Group, Proving, without_evidence
from tepui.deciding.endless_forks import forks_without_end
from tepui.deciding.options import Options, by_contexts
from tepui.engines.recursion import may_recurse
from tepui.engines.registry import counts_delays, exchanges_identities
from tepui.errors import UsageError
from tepui.model import Property
from tepui.parameter_names import named
from tepui.program.identities import families
from tepui.program.layout import point_class
from tepui.program.passes import MOST_SLOTS
from tepui.program.passes.slot_variables import MOST_NAMES
from tepui.program.passes.slots import Slotted, slotted, with_bound, with_slots
from tepui.program.passes.sorts import with_small_sorts
from tepui.program.program import Program
from tepui.program.questions import Question, everything, lack_of_slots, limits, posed
from tepui.result import Result, Stop, Verdict
from tepui.words import plural

if TYPE_CHECKING:
    from tepui.deciding.fork_proofs import ForkProofs

FIRST_SLOTS = 8
"""How many slots to try first where no number of them is enough, to find violations only."""

FIRST_SECONDS = 1.0
"""How long proofs may take before any context is tried. With each context they have half as much
more."""

CONTEXTS = 5
"""How many contexts to try if slots do not suffice and no limit says how many."""

_Search = Generator[Attempt | Proving, list[Result], None]
"""A part of a driver, which stores its findings in the cases."""


def answers(program: Program, groups: Sequence[Group], options: Options) -> Driver:
    """Decide groups of questions about a program with forks. Groups with the same number of slots,
    or of contexts, share one exploration."""
    search, cases = _Slots(program, options), [_Case(tuple(group)) for group in groups]
    if options.contexts is not None:
        yield from search.within(options.contexts, cases)
    else:
        yield from search.slots(cases)
        if options.bounds_delays:
            search.give_up(cases)
        else:
            yield from search.bounds(cases)
    return [search.result_of(case) for case in cases]


def exploration(program: Program, options: Options) -> Driver:
    """The reachable visible states with as many slots as are needed, if some number is enough. The
    only thing that can be violated is a limit of the translation, and then not all is known."""
    search = _Slots(program, replace(options, small_sorts=False), explores=True)
    case = _Case(tuple(limits(program)))
    yield from search.slots([case])
    return [(yield from search.reached(case))]


@dataclass(slots=True)
class _Case:
    """Questions that are answered as one, and what is known about them."""

    questions: tuple[Question, ...]
    clear: int = 0
    """There is no violation within a number of contexts."""
    too_few: int = 0
    """This number of slots is not enough."""
    endless: bool = False
    """Whether no number of slots is enough."""
    lacking: Result | None = None
    """The last run that ended where no slot was free."""
    result: Result | None = None
    may_be_proved: bool = True
    """Whether there may be a proof for any number of forked threads."""
    proofs: ForkProofs | None = None
    """The search for one."""
    slots: int | None = None
    """How many slots are enough for a violation, as coverability says."""

    def __post_init__(self) -> None:
        if any(question.bad.deadlock for question in self.questions):
            self.may_be_proved = False

    def lacks_slots(self, result: Result) -> None:
        """With this number of slots, a run ends where none of them is free."""
        assert result.bound is not None
        self.lacking = result
        # Otherwise a violation may take fewer contexts than this run.
        if result.knows_fewest_contexts:
            self.clear = max(self.clear, result.bound - 1)
        self.too_few = _slotted(result).slots
        self.endless = forks_without_end(result)


class _Slots:
    """The search for a number of slots, or of contexts, that decides."""

    def __init__(self, program: Program, options: Options, *, explores: bool = False) -> None:
        self._program = program
        self._options = options
        self._interrupted: Result | None = None
        self._equal = not explores and options.symmetry and exchanges_identities(options.engine)
        """Whether slots may be equal."""

    def _smaller(self, slots: int) -> Program:
        """The program with as many values as are needed for this many forked threads."""
        return (
            with_small_sorts(self._program, slots) if self._options.small_sorts else self._program
        )

    def _with_slots(self, slots: int) -> Slotted:
        """The program with a number of slots. Equal ones are of use to an engine that exchanges
        them. Z does not exchange threads that know themselves, and where threads recurse,
        exploration may need Z."""
        smaller = self._smaller(slots)
        program = with_slots(smaller, slots, equal=self._equal)
        if program.equal and families(program) and may_recurse(program):
            return with_slots(smaller, slots)
        return program

    def slots(self, cases: Sequence[_Case]) -> _Search:
        """Answer the cases that the permitted numbers of slots can decide."""
        for slots in range(1, self._options.slots + 1):
            trying = [
                case
                for case in cases
                if case.result is None and (not case.endless or self._options.bounds_delays)
            ]
            if not trying or self._interrupted is not None:
                return
            program = self._with_slots(slots)
            yield from self._asking_nothing(program, trying)
            trying = [case for case in trying if case.result is None]
            may_lack = program.lack_points or not all(case.questions for case in trying)
            besides = [lack_of_slots(program)] if may_lack else []
            results = yield from self._decided(program, trying, self._options, besides)
            for case, result in zip(trying, results, strict=True):
                if result.verdict == "unsafe" and result.trace is None:
                    case.result = self._without_trace(result)
                elif ends_without_slot(result):
                    case.lacks_slots(result)
                else:
                    case.result = _with_slots_noted(result) if result.verdict == "safe" else result

    def _asking_nothing(self, program: Slotted, cases: Sequence[_Case]) -> _Search:
        """Answer the cases that hold with any number of slots, as they ask for no place of the
        program."""
        for case in cases:
            asked = [posed(program, question) for question in case.questions]
            if asked and names_nothing(program, everything(asked)):
                (case.result,) = yield from self._decided(program, [case], self._options)

    def bounds(self, cases: Sequence[_Case]) -> _Search:
        """Answer the other cases: a violation with the fewest contexts, or a note that there may be
        one with more."""
        last = self._last_bound(uses_time=True)
        for k in range(last + 1):
            yield from self.proved(cases, FIRST_SECONDS * 1.5**k)
            if k > CONTEXTS:
                yield from self.refuted(min(MOST_SLOTS, FIRST_SLOTS << (k - CONTEXTS - 1)), cases)
            trying = [
                case for case in cases if case.result is None and k >= min(case.clear + 1, last)
            ]
            if not trying or self._interrupted is not None:
                continue
            yield from self.within(k, trying)
            for case in trying:
                result = case.result
                if result is None or result.verdict != "bounded":
                    continue
                case.clear, case.result = max(case.clear, k), None
                if case.slots and k >= min(CONTEXTS, last):
                    yield from self.refuted(case.slots, [case])
                if case.result is None and k == last:
                    none = f"no violation within {_contexts(case.clear)}"
                    case.result = self._without_answer(case, result, "unknown", none)

    def proved(self, cases: Sequence[_Case], seconds: float) -> _Search:
        """Answer the cases that hold for any number of forked threads, and find out how many slots
        others need."""
        for case in cases:
            if case.result is not None or not case.may_be_proved or self._interrupted is not None:
                continue
            if case.proofs is None:
                # Most programs that fork need few slots, and the import takes time.
                from tepui.deciding.fork_proofs import ForkProofs

                case.proofs = ForkProofs(self._program, case.questions, self._options)
            found = yield Proving(partial(case.proofs.results, seconds=seconds))
            case.slots = case.proofs.slots
            if found:
                (case.result,) = found
            elif case.proofs.has_given_up:
                case.may_be_proved = False

    def refuted(self, slots: int, cases: Sequence[_Case]) -> _Search:
        """Answer the cases that are violated with a number of slots, where a thread that finds none
        just waits. That proves nothing, but needs no small number of contexts. A deadlock might be
        one of threads that wait for slots, so these are not asked for."""
        trying = [
            case
            for case in cases
            if case.result is None and not any(each.bad.deadlock for each in case.questions)
        ]
        if not trying or self._interrupted is not None:
            return
        program = self._with_slots(slots)
        results = yield from self._decided(program, trying, self._options, refutes=True)
        for case, result in zip(trying, results, strict=True):
            if result.verdict != "unsafe" or result.trace is None or ends_without_slot(result):
                continue
            # With more slots, fewer contexts may be enough.
            is_fewest = result.bound is not None and case.clear >= result.bound - 1
            case.result = replace(result, bound_is_fewest=is_fewest)

    def give_up(self, cases: Sequence[_Case]) -> None:
        """Bounds of rounds and delays are no bounds of contexts, so nothing else can be tried."""
        for case in cases:
            if case.result is not None or self._interrupted is not None:
                continue
            if case.lacking is None:
                raise UsageError(
                    "rounds and delays are counted with slots for the forked threads: "
                    "with none, only contexts can be bounded"
                )
            more = f", and {named('slots')} tries more" if case.too_few < MOST_SLOTS else ""
            stop = Stop("threads", f"{_too_few(case.too_few)} within these bounds{more}")
            case.result = without_evidence(case.lacking, stop)

    def within(self, contexts: int, cases: Sequence[_Case]) -> _Search:
        """Answer for a number of contexts, as QR defines it."""
        program = with_bound(self._smaller(max(0, contexts - 1)), contexts)
        options = replace(by_contexts(self._options), contexts=contexts)
        besides = [lack_of_slots(program)] if program.lack_points else []
        results = yield from self._decided(program, cases, options, besides)
        for case, result in zip(cases, results, strict=True):
            assert result.verdict != "safe", "what holds for some contexts is no proof"
            if counts_delays(self._options.engine):
                result = result.with_note("slots", "slots do not suffice, so contexts were counted")
            if besides and result.verdict == "unsafe" and result.trace is None:
                result = self._without_trace(result)
            elif ends_without_slot(result):
                result = without_evidence(result, Stop("threads", _TOO_MANY_NAMES))
            case.result = result

    def reached(self, case: _Case) -> Generator[Attempt | Proving, list[Result], Result]:
        """All that is reachable; or, after slots were tried, what a number of contexts reaches."""
        found = case.result
        if found is not None and found.verdict in ("safe", "unsafe"):
            result = yield from self._explored(_slotted(found), self._options)
            return _with_slots_noted(result)
        if found is not None and found.verdict == "bounded":
            # Z looks beyond the bound, where slots may be missing.
            options = replace(self._options, strengths=())
            return (yield from self._explored(_slotted(found), options))
        if found is not None or self._options.bounds_delays:
            self.give_up([case])
            found = case.result or self._interrupted
            assert found is not None
            return replace(found, verdict="stopped", asked=Property(), questions=())
        k = self._last_bound()
        limits = replace(self._options.limits, max_contexts=k)
        options = replace(by_contexts(self._options), limits=limits)
        result = yield from self._explored(with_bound(self._program, k), options)
        if result.stop is None or result.stop.kind == "contexts":
            reached = f"this is what {_contexts(k)} reach"
            result = self._without_answer(case, result, "stopped", reached)
        return result

    def _explored(
        self, program: Slotted, options: Options
    ) -> Generator[Attempt, list[Result], Result]:
        (result,) = yield Attempt(program, options)
        return result

    def _decided(
        self,
        program: Slotted,
        cases: Sequence[_Case],
        options: Options,
        besides: Sequence[Question] = (),
        *,
        refutes: bool = False,
    ) -> Generator[Attempt, list[Result], list[Result]]:
        """The result for each case, where something else is asked together with it. Cases that ask
        the same share one. An attempt that only `refutes` gets half of the time that is left.

        The additional question comes first: where both are violated at once, the lack of slots is
        what counts.
        """
        asked = [[posed(program, question) for question in case.questions] for case in cases]
        groups = {everything([*besides, *some]): [*besides, *some] for some in asked}
        attempt = Attempt(program, options, list(groups.values()))
        if refutes:
            attempt = replace(attempt, proofs=False, share_of_time=0.5)
        results = yield attempt
        by_question = dict(zip(groups, results, strict=True))
        found = []
        for some in asked:
            result = by_question[everything([*besides, *some])]
            result = replace(result, questions=tuple(some))
            self._note_interruption(result)
            found.append(result)
        return found

    def _note_interruption(self, result: Result) -> None:
        if result.stop is not None and result.stop.kind == "interrupted":
            self._interrupted = result
        elif result.interrupted:
            stop = Stop.at_limit("interrupted", self._options.limits)
            self._interrupted = without_evidence(result, stop)

    def _last_bound(self, *, uses_time: bool = False) -> int:
        """The largest number of contexts to try. Who gives time wants it to be used."""
        limits = self._options.limits
        if limits.max_contexts is not None:
            return min(limits.max_contexts, MOST_SLOTS)
        return MOST_SLOTS if uses_time and limits.timeout is not None else CONTEXTS

    def result_of(self, case: _Case) -> Result:
        """The answer to a case; if there is none, with what is known."""
        result = case.result
        if result is None:  # Another case was interrupted: the rest is left.
            assert self._interrupted is not None
            program = _slotted(self._interrupted)
            asked = tuple(posed(program, question) for question in case.questions)
            result = replace(
                self._interrupted,
                questions=asked,
                asked=everything(asked),
            )
        if result.stop is not None and result.stop.kind not in ("contexts", "threads"):
            if case.too_few:
                result = result.with_note("slots", _too_few(case.too_few))
            if case.clear:
                none = f"there is no violation within {_contexts(case.clear)}"
                result = result.with_note("clear", none)
        return result

    def _without_trace(self, result: Result) -> Result:
        """The result for a violation without a trace: perhaps only slots were missing."""
        stop = Stop.late(
            self._options.limits.timeout,
            ", before there was a trace that tells a violation from a lack of slots",
        )
        return without_evidence(result, stop)

    def _without_answer(self, case: _Case, result: Result, verdict: Verdict, but: str) -> Result:
        """A result that holds only for a number of contexts, and the reason."""
        further = (
            ""
            if counts_delays(self._options.engine)
            else f", and {named('max contexts')} looks further"
        )
        stop = Stop("threads", f"{self._why_not_all(case)}; {but}{further}")
        reached = replace(result.reached, certainty="reached")
        return replace(result, verdict=verdict, bound=None, proof=None, stop=stop, reached=reached)

    def _why_not_all(self, case: _Case) -> str:
        if case.endless:
            return _ENDLESS
        if not case.too_few:
            return "no slots were to be tried"
        more = f", and {named('slots')} tries more" if case.too_few < MOST_SLOTS else ""
        return f"{_too_few(case.too_few)}{more}"


_ENDLESS = (
    "a thread can go on forking for ever, so the number of threads alive at once is unbounded"
)


_TOO_MANY_NAMES = (
    f"variables name more than {MOST_NAMES} threads that do not run within these contexts, and "
    "identities are compared"
)


def ends_without_slot(result: Result) -> bool:
    """Whether the trace of a result ends where no slot is free."""
    if result.trace is None or not result.trace.steps:
        return False
    system, (_, stacks) = result.trace.subject.system, result.trace.end
    lacking = {point_class(point) for point in _slotted(result).lack_points}
    return any(
        bool(stack) and system.template_of(thread).class_of(stack[0]) in lacking
        for thread, stack in enumerate(stacks)
    )


def _slotted(result: Result) -> Slotted:
    return slotted(result.subject.program)


def _with_slots_noted(result: Result) -> Result:
    """Add a note how many slots are enough, if the program forks at all."""
    program = _slotted(result)
    if not program.taken:
        return result
    return result.with_note("slots", f"{lack_of_slots(program).text} for the forked threads")


def _too_few(slots: int) -> str:
    return "1 slot is not enough" if slots == 1 else f"{slots} slots are not enough"


def _contexts(count: int) -> str:
    return f"{count} {plural(count, 'context')}"
