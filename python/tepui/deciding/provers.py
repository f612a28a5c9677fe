"""Provers: what may show that a program without a system of its own is safe, for all instances.

A prover works in slices of time, in turn with the exploration of instances and with other provers,
until it has a proof, knows a violation, or gives up. What it finds is evidence about the program as
it was written (`ProgramCertificate`), which the checker examines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tepui.checker.evidence import Bad, ProgramCertificate
from tepui.deciding.drivers import asked_system
from tepui.deciding.evidence_check import checked
from tepui.deciding.options import Options
from tepui.engines.rounds import Proof, Round
from tepui.limits import Meter, peak_memory
from tepui.model import Property
from tepui.program.program import Program
from tepui.program.questions import Question, everything
from tepui.records import record
from tepui.result import Grounds, Reached, Result, Statistics, Verdict
from tepui.subject import Subject, about


@record
class Proved:
    """Nothing bad is reachable."""

    proof: Proof
    evidence: ProgramCertificate


@record
class Violated:
    """Something bad is reachable with some number of threads of all types together. That is only
    believed when an instance shows it."""

    threads: int


@record
class GaveUp:
    """There will be no answer, and why."""

    reason: str


Outcome = Proved | Violated | GaveUp


class Prover(Protocol):
    """One way to prove."""

    @property
    def name(self) -> str:
        """Its name, as the engine of an answer (`engines.registry.PROVERS`)."""

    def advance(self, meter: Meter) -> Outcome | None:
        """Go on for as long as the meter permits. None if there is no outcome yet."""

    def stop(self) -> None:
        """Free all that it holds."""


def answer_without_rounds(
    verdict: Verdict,
    program: Program,
    questions: Sequence[Question],
    options: Options,
    meter: Meter,
    *,
    engine: str,
    proof: Proof | None = None,
    grounds: Grounds | None = None,
) -> Result:
    """An answer that no engine has found; what proves is checked. The questions are about a program
    that stands for the one as written."""
    subject = about(asked_system(program, questions, options))
    result = answer_about(
        verdict,
        subject,
        everything(questions),
        meter,
        engine=engine,
        questions=questions,
        proof=proof,
        grounds=grounds,
    )
    return checked(result, meter, options) if proof is not None else result


def answer_about(
    verdict: Verdict,
    subject: Subject,
    asked: Property,
    meter: Meter,
    *,
    engine: str,
    questions: Sequence[Question] = (),
    proof: Proof | None = None,
    grounds: Grounds | None = None,
) -> Result:
    """The same about what was explored, before it is checked."""
    seconds = meter.seconds()
    return Result(
        verdict=verdict,
        subject=subject,
        asked=asked,
        statistics=Statistics(
            (Round(0, None, 0, 0, seconds),),
            seconds=seconds,
            peak_memory_bytes=peak_memory(),
        ),
        engine=engine,
        questions=tuple(questions),
        proof=proof,
        grounds=grounds,
        reached=Reached(),
    )


def provers_for(program: Program, bad: Sequence[Bad], *, patient: bool) -> list[Prover]:
    """The provers for a question, in the order of their turns. Unless they are patient, those that
    might try for very long give up after some minutes."""
    makers = [] if program.has_integers else [_coverability, _modular]
    return [*(make(program, bad) for make in makers), _clauses(program, bad, patient=patient)]


def _coverability(program: Program, bad: Sequence[Bad]) -> Prover:
    from tepui.deciding.coverability_prover import CoverabilityProver

    return CoverabilityProver(program, bad)


def _clauses(program: Program, bad: Sequence[Bad], *, patient: bool) -> Prover:
    from tepui.deciding.clauses_prover import ClausesProver

    return ClausesProver(program, bad, patient=patient)


def _modular(program: Program, bad: Sequence[Bad]) -> Prover:
    from tepui.deciding.modular_prover import ModularProver

    return ModularProver(program, bad)
