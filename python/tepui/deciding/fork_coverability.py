"""Forked threads without end, for all their numbers: is something bad coverable?

Where no number of slots is enough, a program without joins and recursion is still a net, and a fork
adds a token. So the search is exact: it proves, or says how many slots a violation needs at most.
"""

from __future__ import annotations

from collections.abc import Sequence

from tepui.checker.programs.program_check import derivation_of
from tepui.counting.program_coverability import cover_program
from tepui.deciding.coverability_prover import CoverabilityProver, outcome_of
from tepui.deciding.options import Options
from tepui.deciding.provers import GaveUp, Proved, answer_without_rounds
from tepui.limits import Meter
from tepui.program.passes import MOST_SLOTS
from tepui.program.passes.slots import with_slots
from tepui.program.program import Program
from tepui.program.questions import Question, everything, posed
from tepui.result import Grounds, Result

STANDING = 2
"""How many slots stand for any number of them where a question names threads."""


class ForkCoverability:
    """The search for one group of questions, which begins anew in every turn."""

    def __init__(self, program: Program, questions: Sequence[Question], options: Options) -> None:
        self._program = program
        self._options = options
        self._example = with_slots(program, STANDING)
        self._questions = [posed(self._example, question) for question in questions]
        self._bad = derivation_of(self._example).bad(everything(self._questions))
        self.slots: int | None = None
        """How many slots are enough for a violation, if there is one."""
        self.has_given_up = False

    def results(self, meter: Meter, seconds: float) -> list[Result]:
        """The proof, if there is one; none if more time is needed."""
        found = cover_program(self._program, self._bad, meter.part(None, seconds))
        outcome = outcome_of(self._program, found)
        if isinstance(outcome, GaveUp):
            self.has_given_up = True
        elif found.enough is not None:
            self.slots = min(MOST_SLOTS, max(1, found.enough.forked))
        elif isinstance(outcome, Proved):
            evidence = outcome.evidence
            return [
                answer_without_rounds(
                    "safe",
                    self._example,
                    self._questions,
                    self._options,
                    meter,
                    engine=CoverabilityProver.name,
                    proof=outcome.proof,
                    grounds=Grounds(lambda: evidence, evidence.size),
                )
            ]
        return []
