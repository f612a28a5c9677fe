"""Programs without a system of their own: any number of threads, or integers without bounds.

Two searches take turns. Instances of the program (`passes.instances`), with more and more threads
and larger and larger integers, are explored by the engines that there are; every run of an instance
is a run of the program. Provers look for evidence about all instances at once.

    unsafe     an instance is; instances with fewer threads came before it;
    safe       a prover has evidence about the program as it was written;
    bounded    within k contexts no more than k threads of a type can move, and two more may be
               where they began, so one instance is enough, unless integers have no bounds;
    unknown    else, with the reasons of all provers, and the number of threads up to which all
               instances are safe.

Where threads are forked, an instance has slots for them, one more at every stage, and proofs are
about a program that does more: one whose forked threads are threads of types (`forked_types`).

A deadlock is asked of instances only: more threads may mean fewer deadlocks. Where integers have no
bounds it is not asked at all, as a thread of an instance may wait for no other reason than that a
number does not fit.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count, product
from typing import TypeVar

from tepui.checker.programs.program_check import derivation_of
from tepui.deciding import fork_driver
from tepui.deciding.drivers import Attempt, Driver, Group, Proving
from tepui.deciding.evidence_check import checked
from tepui.deciding.options import Options
from tepui.deciding.provers import (
    GaveUp,
    Outcome,
    Proved,
    Prover,
    Violated,
    answer_without_rounds,
    provers_for,
)
from tepui.engines.registry import usual
from tepui.engines.rounds import Proof
from tepui.errors import AT_LIMIT, EvidenceRejected, ModelError, UsageError
from tepui.limits import Meter, current_memory, reached_limit
from tepui.parameter_names import named
from tepui.program.passes import MOST_SLOTS
from tepui.program.passes.forked_types import ForkedTypes, with_forked_types
from tepui.program.passes.instances import Instance, around, instance
from tepui.program.passes.slots import with_slots
from tepui.program.program import Derived, Program
from tepui.program.questions import Question, everything, posed
from tepui.program.types import Bounded
from tepui.progress import Progress
from tepui.result import (
    Grounds,
    NumberOfThreads,
    Result,
    Stop,
    Verdict,
)
from tepui.words import counted

_T = TypeVar("_T")
_Search = Generator[Attempt | Proving, list[Result], _T]

STAGES = 4
"""Without a time limit, after how many stages it is enough if no prover is left."""

FIRST_SECONDS = 1.0
"""How long an instance of the first stage may take. Every later stage has half as much more."""

FIRST_TURN = 0.2
"""How many seconds the first turn of a prover takes, so that bugs with few threads do not wait for
proofs. Every later turn has as much again."""

LARGEST = 2
"""How far integers of the first stage are from those that the program names. Every later stage goes
twice as far."""

FARTHEST = 1 << 20
"""No stage goes farther than that: products of such integers are still numbers that the kernels
compute with."""

CASUAL = 2
"""How many threads stand for any number of them where a question names threads."""


def answers(program: Program, groups: Sequence[Group], options: Options) -> Driver:
    """Decide groups of questions, one after another."""
    if options.bounds_delays:
        how = "give them bounds, as in 'int 0..7'"
        if program.any_number:
            how = f"{named('threads')} says how many threads there are"
        raise UsageError(
            f"{program.name}: rounds and delays are counted for a fixed number of threads, and for "
            f"integers with bounds; {how}"
        )
    found: list[Result] = []
    for group in groups:
        found += yield from _Case(program, group, options).answer()
    return found


def exploration(program: Program, options: Options) -> Driver:
    """What is reachable with integers within bounds; with any number of threads, nothing could be
    listed."""
    if program.any_number:
        raise UsageError(
            f"{program.name}: there is any number of threads {', '.join(program.any_number)}, so "
            f"there are infinitely many states: {named('threads')} says how many threads to explore"
        )
    bounds = around(program, LARGEST << STAGES)
    explored = instance(program, {}, bounds)
    if explored.forks:
        (result,) = yield from fork_driver.exploration(explored, options)
    else:
        (result,) = yield Attempt(explored, options)
    stop = Stop("integers", _explored_integers(bounds))
    if result.stop is not None:
        stop = replace(result.stop, text=f"{result.stop.text}; {stop.text}")
    stopped = replace(
        result, verdict="stopped", bound=None, bound_rounds=None, proof=None, stop=stop
    )
    return [replace(stopped, reached=replace(result.reached, certainty="reached"))]


@dataclass
class _Case:
    """Questions that are answered as one."""

    program: Program
    questions: Group
    options: Options
    is_forking: bool = field(init=False)
    """Whether threads are forked, so that instances need slots."""
    safe_up_to: int = 0
    """With this number of threads and fewer, all instances are safe."""
    is_exhausted: bool = True
    """Whether all instances so far were explored to their ends."""
    expected: int = 0
    """With this number of threads there is a violation, as a prover says."""
    reasons: list[str] = field(default_factory=list)
    """Why provers gave up."""
    stop: Stop | None = None
    """A limit was reached."""

    def __post_init__(self) -> None:
        self.is_forking = self.program.forks
        if self.is_forking:
            self.is_exhausted = False

    @cached_property
    def _proved(self) -> Program | None:
        """The program that proofs are about; None if there are no proofs."""
        if not self.is_forking:
            return self.program
        try:
            return with_forked_types(self.program)
        except ModelError as error:
            self.reasons.append(f"no proof was tried: {error}")
            return None

    def answer(self) -> Driver:
        """Instances and provers in turn."""
        if self._cannot_be_stuck and self._asks_deadlock:
            what = "among integers without bounds" if self.program.has_integers else _WITH_FORKS
            self.reasons.append(f"deadlocks are not looked for {what}")
            if not self._posed(self._example):
                return (yield from self._unknown())
        if self.options.contexts is not None:
            return (yield from self._within(self.options.contexts))
        provers = self._provers()
        try:
            turn = 0
            exploring = proving = 0.0
            for stage in count():
                start = time.monotonic()
                found = yield from self._explored(stage, FIRST_SECONDS * 1.5**turn)
                exploring += time.monotonic() - start
                if found is None and self.stop is None:
                    if provers and exploring < proving and self._only_goes_farther(stage):
                        continue
                    start = time.monotonic()
                    found = yield from self._advanced(provers, FIRST_TURN * 2**turn)
                    proving += time.monotonic() - start
                turn += 1
                if found is not None:
                    return found
                if self.stop is not None or self._has_tried(stage, provers):
                    return (yield from self._unknown())
        finally:
            for prover in provers:
                prover.stop()
        raise AssertionError("there is always one more stage")

    def _only_goes_farther(self, stage: int) -> bool:
        """Whether the next stage has the same threads and larger integers. As long as that costs
        less than proofs, it need not wait for them: a loop that counts to 5,000 is short."""
        has_same_threads = not self.program.any_number and not self.is_forking
        return has_same_threads and LARGEST << stage < FARTHEST

    def _provers(self) -> list[Prover]:
        if self._proved is None:
            return []
        if self._asks_deadlock:
            if not self._cannot_be_stuck:
                self.reasons.append("deadlocks are looked for with some numbers of threads only")
            return []
        example = self._example
        asked = everything(self._posed(example))
        bad = derivation_of(example).bad(asked)
        about = self._proved.plain if isinstance(self._proved, ForkedTypes) else self._proved
        return provers_for(about, bad, patient=self.options.limits.timeout is not None)

    @property
    def _asks_deadlock(self) -> bool:
        return any(question.bad.deadlock for question in self.questions)

    @property
    def _cannot_be_stuck(self) -> bool:
        """Whether no instance knows that a thread is stuck: it may only wait for an integer that
        does not fit, or for a slot."""
        return self.program.has_integers or self.is_forking

    @cached_property
    def _example(self) -> Derived:
        """An instance that stands for all of them where threads are named."""
        if self._proved is None:
            return self._with_slots(dict.fromkeys(self.program.any_number, CASUAL), 0, CASUAL)
        counts = dict.fromkeys(self._proved.any_number, CASUAL)
        return instance(self._proved, counts, around(self.program, LARGEST))

    def _instance(self, counts: Mapping[str, int], stage: int) -> Derived:
        """What is explored at a stage."""
        if self.is_forking:
            return self._with_slots(counts, stage, min(stage + 1, MOST_SLOTS))
        return self._bounded(counts, stage)

    def _with_slots(self, counts: Mapping[str, int], stage: int, slots: int) -> Derived:
        return with_slots(self._bounded(counts, stage), slots)

    def _bounded(self, counts: Mapping[str, int], stage: int) -> Instance:
        largest = min(LARGEST << stage, FARTHEST)
        return instance(self.program, counts, around(self.program, largest))

    def _posed(self, program: Derived) -> list[Question]:
        """What an instance can answer."""
        every, skips = self._asked(program), self._cannot_be_stuck
        return [question for question in every if not (skips and question.bad.deadlock)]

    def _asked(self, program: Derived) -> list[Question]:
        """The questions, asked of what passes have made of the program."""
        return [self._asked_of(program, question) for question in self.questions]

    def _asked_of(self, program: Derived, question: Question) -> Question:
        if isinstance(program.original, Derived):
            question = self._asked_of(program.original, question)
        return posed(program, question)

    def _within(self, contexts: int) -> Driver:
        """A bounded run: no more threads can move than there are contexts."""
        for counts in self._enough(contexts):
            finite = self._bounded(counts, STAGES)
            if self.is_forking:
                forking = [[self._asked_of(finite, question) for question in self.questions]]
                (result,) = yield from fork_driver.answers(finite, forking, self.options)
            else:
                (result,) = yield Attempt(finite, self.options, [self._posed(finite)])
            if result.verdict != "bounded":
                break
        if result.verdict == "bounded" and finite.integers_as is not None:
            text = _explored_integers(finite.integers_as)
            result = replace(result, verdict="unknown", bound=None, stop=Stop("integers", text))
        return [self._with_numbers(result, finite) if result.verdict == "unsafe" else result]

    def _enough(self, contexts: int) -> Iterator[dict[str, int]]:
        """Numbers of threads that stand for all of them within some contexts. Threads that have not
        moved are where they began, and all that matters is whether a question names some of them.
        In a deadlock no thread can move, so one of a type stands for all of these; but each number
        of threads that move has states of its own."""
        types = self.program.any_number
        if self._asks_deadlock and not self.program.has_integers:
            for counts in product(range(1, contexts + 2), repeat=len(types)):
                yield dict(zip(types, counts, strict=True))
        named = 2 if any(len(question.places) > 1 for question in self.questions) else 0
        if named or not self._asks_deadlock or self.program.has_integers:
            yield dict.fromkeys(types, max(1, contexts + named))

    def _explored(self, stage: int, seconds: float) -> _Search[list[Result] | None]:
        """The answer, if an instance of a stage is unsafe: the one with the fewest contexts."""
        total = len(self.program.any_number) + stage
        unsafe: list[Result] = []
        for counts in shares(self.program.any_number, total):
            explored = self._instance(counts, stage)
            cap = None if 0 < total <= self.expected else seconds
            posed_here = [self._posed(explored)]
            attempt = Attempt(explored, self.options, posed_here, proofs=False, seconds=cap)
            (result,) = yield attempt
            if result.verdict == "unsafe" and result.trace is not None:
                if self.is_forking and fork_driver.ends_without_slot(result):
                    continue
                result = yield from self._checked(result)
                unsafe.append(self._with_numbers(result, self._bounded(counts, stage)))
            elif result.stop is not None and result.stop.kind == "interrupted":
                self.stop = result.stop
                return None
            elif result.verdict != "safe" or self.program.has_integers:
                self.is_exhausted = False
        if unsafe:
            return [min(unsafe, key=lambda result: result.bound or 0)]
        if self.is_exhausted and self.program.any_number:
            self.safe_up_to = total
        return None

    def _checked(self, result: Result) -> _Search[Result]:
        """A violation, checked: its attempt may have had no time for that."""
        if result.checked or not self.options.check:
            return result
        (result,) = yield Proving(lambda meter: [checked(result, meter, self.options)])
        return result

    def _with_numbers(self, result: Result, explored: Instance) -> Result:
        """A violation, with all that was asked and the numbers of threads that it takes. Larger
        integers may need fewer contexts, and so may more slots."""
        assert isinstance(result.subject.program, Derived)
        asked = self._asked(result.subject.program)
        result = replace(result, asked=everything(asked), questions=tuple(asked))
        if self.is_forking and self.options.contexts is None:
            result = replace(result, bound_is_fewest=(result.bound or 0) <= 1)
        if explored.integers_as is not None and (result.bound or 0) > 1:
            text = f"fewer contexts may be enough: {_explored_integers(explored.integers_as)}"
            result = replace(result, bound_is_fewest=False).with_note("limits", text)
        if not self.program.any_number:
            return result
        total = sum(explored.counts.values())
        is_fewest = self.is_exhausted and self.options.contexts is None
        numbers = NumberOfThreads(self.program.any_number, explored.counts, is_fewest)
        result = replace(result, threads=numbers)
        if is_fewest or total == len(self.program.any_number):
            return result
        return result.with_note("threads", "fewer threads may be enough: not all was explored")

    def _advanced(self, provers: list[Prover], seconds: float) -> _Search[list[Result] | None]:
        """The answer, if a prover has one. Who gives up has no more turns. Without provers as well,
        this is where the end of the time is seen."""

        def turns(meter: Meter) -> list[Result]:
            try:
                for prover in list(provers):
                    self._report(prover, meter)
                    outcome = prover.advance(meter.part(None, seconds))
                    if outcome is not None:
                        provers.remove(prover)
                        prover.stop()
                    if isinstance(outcome, Proved):
                        answer = self._safe(prover, outcome, meter)
                        if answer is not None:
                            return [answer]
                    else:
                        self._note(outcome)
            except (KeyboardInterrupt, *AT_LIMIT) as error:
                meter.stopped = reached_limit(error)
            if meter.stopped is None and meter.is_out_of_time():
                meter.stopped = "time"
            if meter.stopped is not None:
                self.stop = Stop.at_limit(meter.stopped, self.options.limits)
            return []

        found = yield Proving(turns)
        return found or None

    def _note(self, outcome: Outcome | None) -> None:
        if isinstance(outcome, GaveUp):
            self.reasons.append(outcome.reason)
        elif isinstance(outcome, Violated):
            self.expected = max(self.expected, outcome.threads)

    def _has_tried(self, stage: int, provers: Sequence[Prover]) -> bool:
        """Whether enough was tried: who gives time wants it to be used, unless all that is left to
        try was tried."""
        if provers:
            return False
        if LARGEST << stage > FARTHEST and not self.program.any_number:
            return True
        if self.options.limits.timeout is not None:
            return False
        total = len(self.program.any_number) + stage
        return stage + 1 >= STAGES and total >= self.expected

    def _safe(self, prover: Prover, proved: Proved, meter: Meter) -> Result | None:
        """The answer of a proof; None if the checker does not know what the program needs."""
        grounds = Grounds(lambda: proved.evidence, proved.evidence.size)
        try:
            return self._result("safe", meter, prover.name, proved.proof, grounds)
        except EvidenceRejected as error:
            from tepui.checker.invariants.values import Refused

            if not isinstance(error.__cause__, Refused):
                raise
            self.reasons.append(f"the checker knows no such proof: {error.__cause__}")
            return None

    def _unknown(self) -> Driver:
        return (yield Proving(lambda meter: [self._without_answer(meter)]))

    def _without_answer(self, meter: Meter) -> Result:
        parts = [*([self.stop.text] if self.stop else []), *self.reasons]
        if self.safe_up_to:
            parts.append(f"safe up to {counted(self.safe_up_to, 'thread')}")
        text = "; ".join(dict.fromkeys(parts)) or "no proof was found"
        kind = "threads" if self.stop is None else self.stop.kind
        limit = None if self.stop is None else self.stop.limit
        result = self._result("unknown", meter, usual("contexts").name)
        interrupted = kind == "interrupted"
        return replace(result, stop=Stop(kind, text, limit), interrupted=interrupted)

    def _result(
        self,
        verdict: Verdict,
        meter: Meter,
        engine: str,
        proof: Proof | None = None,
        grounds: Grounds | None = None,
    ) -> Result:
        example = self._example
        result = answer_without_rounds(
            verdict,
            example,
            self._asked(example),
            self.options,
            meter,
            engine=engine,
            proof=proof,
            grounds=grounds,
        )
        up_to = (self.safe_up_to or None) if verdict == "unknown" else None
        any_number = (self._proved or self.program).any_number
        numbers = NumberOfThreads(any_number, safe_up_to=up_to) if any_number else None
        return replace(result, threads=numbers)

    def _report(self, prover: Prover, meter: Meter) -> None:
        if self.options.progress is not None:
            self.options.progress(
                Progress(
                    0,
                    None,
                    0,
                    0,
                    meter.seconds(),
                    current_memory(),
                    round_complete=False,
                    activity=f"proving: {prover.name}",
                )
            )


def _explored_integers(bounds: Bounded) -> str:
    return f"only integers from {bounds.low} to {bounds.high} were explored"


_WITH_FORKS = "with any number of threads and forked ones besides"


def shares(names: Sequence[str], total: int) -> Iterator[dict[str, int]]:
    """All ways to share some threads among types, with at least one for each."""
    if not names:
        yield {}
    elif len(names) == 1:
        yield {names[0]: total}
    else:
        for first in range(1, total - len(names) + 2):
            for rest in shares(names[1:], total - first):
                yield {names[0]: first, **rest}
