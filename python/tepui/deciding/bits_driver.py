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

from collections.abc import Generator, Sequence
from dataclasses import replace
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
    without_evidence,
)
from tepui.deciding.options import Options
from tepui.deciding.provers import answer_without_rounds
from tepui.engines.rounds import Proof
from tepui.errors import AT_LIMIT
from tepui.kernels.door import BitsSearch, system_kernel
from tepui.limits import Meter, current_memory, reached_limit
from tepui.program.passes.samples import Sampled, sampled
from tepui.program.program import Derived, Program
from tepui.program.questions import Question, everything, limits, posed
from tepui.progress import EXPLORING, Progress
from tepui.result import Grounds, Result, Stop, Verdict
from tepui.words import counted

if TYPE_CHECKING:
    from tepui.checker.evidence import Bad

NAME = "bdd"

_SAMPLED = (
    "found in sets of bits; what was explored for the trace is a sample of the program, in which "
    "choices among many values are those of the violation"
)

SHARE_OF_TIME = 0.6
"""Which part of the time that is left a search may take. Others may find a violation in the rest."""

PATIENCE = 300.0
"""Without a limit of time, after how many seconds a search is given up."""


def instead(
    program: Program,
    explored: Program,
    groups: Sequence[Group],
    options: Options,
    results: Sequence[Result],
) -> Driver:
    """The answers of the engines, given as they are; and those of a search in bits where there is
    none because there is too much to list."""
    answers = []
    for group, result in zip(groups, results, strict=True):
        if has_too_much_to_list(explored, result) and _can_be_searched(program, group, options):
            result = yield from _Case(program, group, options, result).answer()
        answers.append(result)
    return answers


def _can_be_searched(program: Program, group: Group, options: Options) -> bool:
    """Whether questions are about places of a program that fits."""
    return (
        bool(group)
        and not isinstance(program, Derived)
        and not program.forks
        and program.lock is None
        and not options.bounds_delays
        and not any(question.bad.deadlock for question in group)
        and all(pattern.shared is None for each in group for pattern in each.bad.patterns)
    )


class _Case:
    """Questions that are answered as one."""

    def __init__(
        self, program: Program, questions: Group, options: Options, without_bits: Result
    ) -> None:
        self._program = program
        self._questions = questions
        self._options = options
        self._result = without_bits
        """The answer if there is no better one."""
        self._sample: Sampled | None = None
        """What is to be explored for a trace."""
        self._contexts = 0
        """How many contexts a violation takes, if there is one."""

    def answer(self) -> Generator[Attempt | Proving, list[Result], Result]:
        (self._result,) = yield Proving(lambda meter: [self._searched(meter)])
        if self._sample is None:
            return self._result
        asked = [posed(self._sample, question) for question in self._questions]
        (found,) = yield Attempt(self._sample, self._options, [asked], proofs=False)
        if found.verdict != "unsafe" or found.trace is None:
            text = f"a violation takes {counted(self._contexts, 'context')}, but no trace was found"
            stop = Stop("choices", f"{text}: {found.stop or 'a limit may have come before it'}")
            return without_evidence(self._result, stop)
        is_fewest = found.bound == self._contexts
        return replace(found, bound_is_fewest=is_fewest).with_note("samples", _SAMPLED)

    def _searched(self, meter: Meter) -> Result:
        """What the search says; what was known before where it comes to no end."""
        seconds = PATIENCE if meter.limits.timeout is None else None
        part = meter.part(SHARE_OF_TIME, seconds)
        try:
            return self._outcome(part)
        except ValueError as error:
            return self._given_up(f"{self._program.name}: {error}")
        except (KeyboardInterrupt, *AT_LIMIT) as error:
            part.stopped = reached_limit(error)
            return self._at_limit(part)
        finally:
            meter.take_over(part)

    def _outcome(self, meter: Meter) -> Result:
        system = asked_system(self._program, self._questions, self._options)
        search = BitsSearch(system_kernel(system), self._bad(), meter.for_kernel(0))
        while search.found is None and not search.has_collapsed:
            if search.contexts == self._options.contexts:
                return self._bounded(search, meter)
            if search.contexts == self._options.limits.max_contexts:
                return self._given_up(f"the limit of {counted(search.contexts, 'context')}")
            self._report(search, meter)
            ended = search.advance(meter.for_kernel(search.bytes))
            if ended not in ("done", "paused"):
                meter.stopped = ended
                return self._at_limit(meter)
        if search.found is None:
            return self._safe(search, meter)
        self._contexts = search.found
        shared, frames, chosen = search.sample(meter.for_question()) or ((), (), ())
        self._sample = sampled(
            self._program,
            dict(chosen),
            dict(shared),
            {cell: values[0] for cell, values in frames},
        )
        return self._result

    def _bad(self) -> list[Bad]:
        """What is asked, and that no limit of the translation is reached."""
        questions: list[Question] = [*self._questions, *limits(self._program)]
        return AsWritten(self._program).bad_of_these(everything(questions))

    def _safe(self, search: BitsSearch, meter: Meter) -> Result:
        contexts = search.contexts - 1
        words = f"no context after {counted(contexts, 'context')} adds a state"
        proof = Proof("no new state", "R_k = R_{k+1}", words, words)
        shapes, levels, nodes, root = search.certificate(meter.for_question())
        certificate = BitsCertificate(
            tuple(
                tuple(
                    Shape(-1 if outer is None else outer, tuple(points)) for outer, points in some
                )
                for some in shapes
            ),
            tuple((kind, *numbers) for kind, numbers in levels),
            tuple(nodes),
            root,
        )
        result = self._answer("safe", meter, proof, Grounds(lambda: certificate, certificate.size))
        return replace(result, bound=contexts)

    def _bounded(self, search: BitsSearch, meter: Meter) -> Result:
        return replace(self._answer("bounded", meter), bound=search.contexts)

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
            engine=NAME,
            proof=proof,
            grounds=grounds,
        )

    def _given_up(self, why: str) -> Result:
        known = self._result.stop
        text = f"{known}; as sets of bits: {why}" if known is not None else why
        return replace(self._result, stop=Stop("choices", text))

    def _at_limit(self, meter: Meter) -> Result:
        assert meter.stopped is not None
        if meter.stopped == "time" and meter.limits.timeout != self._options.limits.timeout:
            return self._given_up(f"there was no end within {meter.seconds():.0f} s")
        stop = Stop.at_limit(meter.stopped, self._options.limits)
        interrupted = meter.stopped == "interrupted"
        return replace(self._result, stop=stop, interrupted=interrupted)

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
