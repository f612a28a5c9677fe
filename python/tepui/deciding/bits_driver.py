"""Programs whose data is too large to list: states as sets of bits.

The engines list what a step can lead to, one outcome after another. Where that is too much, the
kernel computes R_0, R_1, R_2 and so on once more, as decision diagrams over the bits of all
variables (`crates/tepui-core/src/bdd`).

    safe       R_k = R_{k+1}, and nothing bad is in it: the set is the certificate;
    unsafe     something bad is in R_k. A run to it is read back, and a sample of the program, which
               has only the choices of that run (`passes.samples`), is explored by the engines, so
               that the trace is like any other;
    bounded    there is nothing bad within the contexts that were asked for;
    unknown    else: the stop says why.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tepui.checker.bits_of_programs.state_bits import Shape
from tepui.checker.programs.bits_certificate import BitsCertificate
from tepui.checker.programs.derivation import AsWritten
from tepui.deciding.drivers import (
    Attempt,
    Driver,
    Group,
    Proving,
    asked_system,
    has_too_much_to_list,
)
from tepui.deciding.options import Options
from tepui.deciding.provers import answer_without_rounds
from tepui.deciding.wide_inputs import has_wide_inputs
from tepui.engines.registry import AUTO, BITS
from tepui.engines.rounds import Proof
from tepui.errors import AT_LIMIT, CheckStopped, EvidenceError, UsageError
from tepui.kernels.door import BitsSearch, KernelLimits, ViewSearch, system_kernel
from tepui.limits import Meter, current_memory, reached_limit
from tepui.parameter_names import named
from tepui.program.passes.samples import Sampled, sampled
from tepui.program.program import Derived, Program
from tepui.program.questions import Question, everything, limits, posed
from tepui.progress import EXPLORING, Progress
from tepui.result import Grounds, Reached, Result, Stop, Verdict
from tepui.words import counted

if TYPE_CHECKING:
    from tepui.checker.evidence import Bad

WrittenDown = tuple[
    list[list[tuple[int | None, list[int]]]],
    list[tuple[str, list[int]]],
    list[tuple[tuple[str, list[int]], bool]],
    list[tuple[int, int, int]],
    int,
]
"""A certificate as a kernel writes it down: shapes, levels, fixed bits, nodes and the root."""

QUICK = 4_000_000
"""How many steps of operations a search may take before others have their turn: some seconds."""

SHARE_OF_LISTING = 0.5
"""Which part of the time engines that list states have, if inputs are wide."""

_SAMPLED = (
    "found in sets of bits; what was explored for the trace is a sample of the program, in which "
    "choices among many values are those of the violation"
)

SHARE_OF_TIME = 0.6
"""Which part of the time that is left a search may take. The rest is for others, and for traces."""

TURN = 500_000
"""How many steps of operations a search takes before another one has its turn."""

SHARE_ALONE = 0.9
"""The same where nobody else is asked. The rest is for the trace."""

PATIENT = 50_000_000
"""Without a limit of time, how many steps of operations a search may take: about a minute."""

MOST_BYTES = 4 << 30
"""Diagrams that take more are not worth it, whatever memory there is."""


def answers(
    program: Program, explored: Program, groups: Sequence[Group], options: Options
) -> Driver:
    """The answers to groups of questions, of the engines or of a search in bits. What the engines
    explore may have been made by a pass.

    Where inputs are wide, a search comes first, as long as it is quick. If there is no time limit,
    the engines have all the time they take; and where they find that there is too much to list, the
    search goes on to its end.
    """
    found: dict[int, Result] = {}
    if has_wide_inputs(explored):
        for number, group in enumerate(groups):
            if can_be_searched(program, group, options):
                case = _Case(program, group, options, QUICK)
                answer = yield from case.answer()
                found |= {} if answer is None else {number: answer}
                if case.is_interrupted:
                    return (yield from _all_interrupted(program, groups, options, found))
    rest = [number for number in range(len(groups)) if number not in found]
    if rest:
        share = SHARE_OF_LISTING if has_wide_inputs(explored) else None
        attempt = Attempt(explored, options, [groups[n] for n in rest], share_of_time=share)
        again = yield from instead(program, attempt.groups, options, (yield attempt))
        found |= zip(rest, again, strict=True)
    return [found[number] for number in range(len(groups))]


def _all_interrupted(
    program: Program, groups: Sequence[Group], options: Options, found: Mapping[int, Result]
) -> Driver:
    """What is known when the user interrupts before there was an exploration."""

    def unknown(meter: Meter) -> list[Result]:
        stop = Stop.at_limit("interrupted", options.limits)
        open_ = (
            answer_without_rounds("unknown", program, group, options, meter, engine=BITS)
            for group in groups
        )
        return [replace(result, stop=stop, interrupted=True) for result in open_]

    results = yield Proving(unknown)
    return [found.get(number, result) for number, result in enumerate(results)]


def instead(
    program: Program, groups: Sequence[Group], options: Options, results: Sequence[Result]
) -> Driver:
    """The same, where the answers of the engines are known."""
    answers = []
    for group, result in zip(groups, results, strict=True):
        answers.append((yield from _instead(program, group, options, result)))
    return answers


def _instead(
    program: Program, group: Group, options: Options, result: Result
) -> Generator[Attempt | Proving, list[Result], Result]:
    """The answer of a search, where the engines have none; or else theirs, with both reasons."""
    known = result.stop
    if known is None or not can_be_searched(program, group, options):
        return result
    if not has_too_much_to_list(result) and not (known.kind == "time" and has_wide_inputs(program)):
        return result
    case = _Case(program, group, options, PATIENT if options.limits.timeout is None else None)
    answer = yield from case.answer()
    if answer is not None:
        return answer
    if case.stop is None:
        return result
    if case.stop.kind == "choices":
        return replace(
            result, stop=Stop("choices", f"{known.text}; as sets of bits: {case.stop.text}")
        )
    return replace(result, stop=case.stop, interrupted=case.is_interrupted)


def alone(program: Program, groups: Sequence[Group], options: Options) -> Driver:
    """The answers of searches in bits, whatever the inputs are."""
    results = []
    for group in groups:
        if not fits(program, group, options):
            why = refusal(program) or "questions are asked about places, assertions and deadlocks"
            raise UsageError(
                f"{program.name}: of the engine {BITS}, {why}; choose {named('engine')} {AUTO}"
            )
        case = _Case(program, group, options, None, SHARE_ALONE)
        answer = yield from case.answer()
        if answer is None:
            unknown = yield Proving(partial(_unknown, program, group, options, case.stop))
            answer = replace(unknown[0], interrupted=case.is_interrupted)
        results.append(answer)
    return results


def _unknown(
    program: Program, group: Group, options: Options, stop: Stop | None, meter: Meter
) -> list[Result]:
    found = answer_without_rounds("unknown", program, group, options, meter, engine=BITS)
    return [replace(found, stop=stop)]


def refusal(program: Program) -> str | None:
    """Why there is no search for a program, if there is none."""
    if program.is_open:
        return "any number of threads, and integers without bounds, have no sets of bits"
    if program.forks:
        return "programs that fork threads have no sets of bits"
    if program.lock is not None:
        return "programs with a scheduler lock have no sets of bits"
    return None


def certificate_of(written: WrittenDown) -> BitsCertificate:
    """What a kernel has written down, as evidence."""
    shapes, levels, fixed, nodes, root = written
    return BitsCertificate(
        tuple(
            tuple(Shape(-1 if outer is None else outer, tuple(points)) for outer, points in some)
            for some in shapes
        ),
        tuple((kind, *numbers) for kind, numbers in levels),
        tuple(nodes),
        root,
        tuple(((kind, *numbers), int(on)) for (kind, numbers), on in fixed),
    )


def can_be_searched(program: Program, group: Group, options: Options) -> bool:
    """Whether questions about a program fit, and nobody wants a certain engine."""
    return options.engine == AUTO and fits(program, group, options)


def fits(program: Program, group: Group, options: Options) -> bool:
    """Whether there is a search for some questions about a program."""
    return (
        bool(group)
        and not isinstance(program, Derived)
        and not program.is_open
        and not program.forks
        and program.lock is None
        and not options.bounds_delays
        and all(pattern.shared is None for each in group for pattern in each.bad.patterns)
    )


class _Case:
    """Questions that are answered as one."""

    def __init__(
        self,
        program: Program,
        questions: Group,
        options: Options,
        most_work: int | None,
        share: float = SHARE_OF_TIME,
    ) -> None:
        self._program = program
        self._questions = questions
        self._options = replace(options, engine=AUTO, splitting=None)
        self._splitting = options.splitting
        self._most_work = most_work
        self._share = share
        self._sample: Sampled | None = None
        """What is to be explored for a trace."""
        self._meter: Meter | None = None
        self._contexts = 0
        """How many contexts a violation takes, if there is one."""
        self._within: int | None = None
        """Within how many contexts view tuples have a violation, if they have one."""
        self._tuples: str | None = None
        """How many view tuples there were, if states were to be kept as such."""
        self.stop: Stop | None = None
        """Why there is no answer."""

    @property
    def is_interrupted(self) -> bool:
        """Whether the user has ended it."""
        return self.stop is not None and self.stop.kind == "interrupted"

    def answer(self) -> Generator[Attempt | Proving, list[Result], Result | None]:
        """None if there is none."""
        answer = yield from self._answered()
        if answer is None or self._tuples is None:
            return answer
        return answer.with_note("tuples", self._tuples)

    def _answered(self) -> Generator[Attempt | Proving, list[Result], Result | None]:
        found = yield Proving(self._searched)
        if not found and self._sample is None and self._within is not None:
            # Stacks are too deep for a set of bits, so others look where a violation is.
            options = replace(self._options, contexts=self._within)
            (result,) = yield Attempt(self._program, options, [self._questions], proofs=False)
            return result if result.verdict == "unsafe" else None
        if found or self._sample is None:
            return found[0] if found else None
        asked = [posed(self._sample, question) for question in self._questions]
        (result,) = yield Attempt(
            self._sample, self._options, [asked], proofs=False, is_answer=self._is_violation
        )
        if result.verdict != "unsafe" or result.trace is None or not self._is_violation(result):
            text = f"a violation takes {counted(self._contexts, 'context')}, but no trace was found"
            self.stop = Stop("choices", text)
            return None
        is_fewest = result.bound == self._contexts
        return replace(result, bound_is_fewest=is_fewest).with_note("samples", _SAMPLED)

    @property
    def _asks_deadlock(self) -> bool:
        return any(question.bad.deadlock for question in self._questions)

    def _is_violation(self, result: Result) -> bool:
        """Whether what was found in the sample is bad in the program: a thread that is stuck there
        might move with another choice."""
        if result.checked or not self._asks_deadlock:
            return True
        if self._meter is None or result.grounds is None or result.grounds.evidence is None:
            return False
        try:
            result.subject.check(result.asked, result.grounds.evidence, self._meter.may_go_on)
        except (EvidenceError, CheckStopped):
            return False
        return True

    def _searched(self, meter: Meter) -> list[Result]:
        """What the search says, if it comes to an end."""
        self._meter = meter
        part = meter.part(self._share)
        try:
            return self._outcome(part)
        except ValueError as error:
            return self._given_up(str(error))
        except (KeyboardInterrupt, *AT_LIMIT) as error:
            part.stopped = reached_limit(error)
            return self._at_limit(part)
        finally:
            meter.take_over(part)

    def _outcome(self, meter: Meter) -> list[Result]:
        """What a search says; of two that differ in the order of bits, the one that says it first.
        They take turns."""
        if self._splitting is not None:
            answer = self._of_tuples(self._splitting, meter)
            if answer is not None:
                return answer
        searches = [self._search(meter)]
        if searches[0].depends_on_order:
            searches.append(self._search(meter, apart=True))
        while True:
            search = min(searches, key=lambda each: each.work)
            most = self._options.contexts
            if search.found is not None and (most is None or search.found <= most):
                return self._unsafe(search, meter)
            if search.found is None and search.has_collapsed:
                return self._safe(search, meter)
            # That nobody can move after some context is known after the next one.
            if most is not None and search.contexts >= most + self._asks_deadlock:
                return self._bounded(search, most, meter)
            if search.contexts == self._options.limits.max_contexts:
                return self._given_up(f"more than {counted(search.contexts, 'context')}")
            if self._most_work is not None and search.work >= self._most_work:
                return self._given_up("it takes long")
            self._report(search, meter)
            held = sum(each.bytes for each in searches)
            allowed = meter.for_kernel(held)
            others = held - search.bytes
            allowed["bytes"] = min(allowed["bytes"] or MOST_BYTES, MOST_BYTES) - others
            allowed["pause"] = TURN
            ended = search.advance(allowed)
            if ended == "memory" and held > MOST_BYTES // 2 and meter.bytes_left() > 0:
                return self._given_up("the diagrams are too large")
            if ended not in ("done", "paused"):
                meter.stopped = ended
                return self._at_limit(meter)

    def _of_tuples(self, splitting: str, meter: Meter) -> list[Result] | None:
        """What a search says that keeps states as view tuples; None if there is a violation, which
        is to be shown."""
        if self._asks_deadlock:
            return self._given_up("deadlocks are not looked for in view tuples")
        system = asked_system(self._program, self._questions, self._options)
        limits = meter.for_kernel(0)
        search = ViewSearch(system_kernel(system), self._bad(), splitting, limits=limits)
        most = self._options.contexts
        while search.found is None:
            contexts = counted(search.contexts, "context")
            tuples = counted(sum(search.tuples), "view tuple")
            nodes = counted(search.nodes, "node")
            self._tuples = f"{tuples} within {contexts}, by {splitting} splitting; {nodes}"
            if search.has_collapsed:
                return self._closed(search.contexts - 1, search.certificate, Reached(), meter)
            if search.contexts == most:
                return [replace(self._answer("bounded", meter), bound=most)]
            if search.contexts == self._options.limits.max_contexts:
                return self._given_up(f"more than {contexts}")
            ended = search.advance(meter.for_kernel(search.bytes))
            if ended not in ("done", "paused"):
                meter.stopped = ended
                return self._at_limit(meter)
        self._within = search.found
        return None

    def _search(self, meter: Meter, *, apart: bool = False) -> BitsSearch:
        system = asked_system(self._program, self._questions, self._options)
        limits = meter.for_kernel(0)
        return BitsSearch(system_kernel(system), self._bad(), self._asks_deadlock, apart, limits)

    def _unsafe(self, search: BitsSearch, meter: Meter) -> list[Result]:
        assert search.found is not None
        self._contexts = search.found
        shared, frames, chosen = search.sample(meter.for_question()) or ((), (), ())
        self._sample = sampled(
            self._program,
            dict(chosen),
            dict(shared),
            {cell: values[0] for cell, values in frames},
        )
        return []

    def _bad(self) -> list[Bad]:
        """What is asked, and that no limit of the translation is reached."""
        questions: list[Question] = [*self._questions, *limits(self._program)]
        return AsWritten(self._program).bad_of_these(everything(questions))

    def _safe(self, search: BitsSearch, meter: Meter) -> list[Result]:
        reached = self._reached(search, meter)
        return self._closed(search.contexts - 1, search.certificate, reached, meter)

    def _closed(
        self,
        contexts: int,
        certified: Callable[[KernelLimits], WrittenDown],
        reached: Reached,
        meter: Meter,
    ) -> list[Result]:
        """No context after these has added a state."""
        words = f"no context after {counted(contexts, 'context')} adds a state"
        proof = Proof("no new state", "R_k = R_{k+1}", words, words)
        certificate = certificate_of(certified(meter.for_question()))
        result = self._answer("safe", meter, proof, Grounds(lambda: certificate, certificate.size))
        return [replace(result, bound=contexts, reached=reached)]

    @staticmethod
    def _reached(search: BitsSearch, meter: Meter) -> Reached:
        """The places that were reached, if that can be found out in time."""
        try:
            points = search.points(meter.for_question())
        except (ValueError, *AT_LIMIT):
            return Reached()
        return Reached(points=lambda: points)

    def _bounded(self, search: BitsSearch, contexts: int, meter: Meter) -> list[Result]:
        result = replace(self._answer("bounded", meter), bound=contexts)
        return [replace(result, reached=self._reached(search, meter))]

    def _answer(
        self,
        verdict: Verdict,
        meter: Meter,
        proof: Proof | None = None,
        grounds: Grounds | None = None,
    ) -> Result:
        return answer_without_rounds(
            verdict,
            self._program,
            self._questions,
            self._options,
            meter,
            engine=BITS,
            proof=proof,
            grounds=grounds,
        )

    def _given_up(self, why: str) -> list[Result]:
        self.stop = Stop("choices", why)
        return []

    def _at_limit(self, meter: Meter) -> list[Result]:
        assert meter.stopped is not None
        if meter.stopped == "time" and meter.limits.timeout != self._options.limits.timeout:
            return self._given_up(f"there was no end within {meter.seconds():.0f} s")
        if meter.stopped == "memory" and self._most_work is not None:
            meter.stopped = None  # Others may need less.
            return self._given_up("there was too little memory")
        self.stop = Stop.at_limit(meter.stopped, self._options.limits)
        return []

    def _report(self, search: BitsSearch, meter: Meter) -> None:
        if self._options.progress is not None:
            self._options.progress(
                Progress(
                    search.contexts,
                    None,
                    0,
                    0,
                    meter.seconds(),
                    current_memory(),
                    round_complete=False,
                    activity=f"{EXPLORING} as sets of bits",
                )
            )
