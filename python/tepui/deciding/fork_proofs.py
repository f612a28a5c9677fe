"""Forked threads without end: proofs for all their numbers.

Where no number of slots is enough, a program without joins and recursion is still a net, and a fork
adds a token. So the search for what is coverable is exact: it proves, or says how many slots a
violation needs at most. Other programs may still be safe with any number of threads of the types
that are forked (`passes.forked_types`), whoever forks them: Z of some threads shows it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tepui.checker.evidence import Bad
from tepui.checker.programs.program_check import derivation_of
from tepui.counting.program_coverability import cover_program
from tepui.deciding.coverability_prover import CoverabilityProver, outcome_of
from tepui.deciding.modular_prover import ModularProver
from tepui.deciding.options import Options
from tepui.deciding.provers import GaveUp, Proved, answer_without_rounds
from tepui.errors import ModelError
from tepui.limits import Meter
from tepui.program.passes import MOST_SLOTS
from tepui.program.passes.forked_types import with_forked_types
from tepui.program.passes.instances import instance, within
from tepui.program.passes.slots import with_slots
from tepui.program.program import Program
from tepui.program.questions import Question, everything, posed
from tepui.result import Grounds, Result

STANDING = 2
"""How many slots stand for any number of them where a question names threads."""


class ForkProofs:
    """The search for one group of questions. Coverability begins anew in every turn."""

    def __init__(self, program: Program, questions: Sequence[Question], options: Options) -> None:
        self._program, self._questions, self._options = program, questions, options
        self._is_net = True
        self._modular: ModularProver | None = None
        self.slots: int | None = None
        """How many slots are enough for a violation, if there is one."""
        self.has_given_up = False

    def results(self, meter: Meter, seconds: float) -> list[Result]:
        """The proof, if there is one; none if more time is needed."""
        turn = meter.part(None, seconds)
        if self._is_net:
            example = with_slots(self._program, STANDING)
            questions = [posed(example, question) for question in self._questions]
            found = cover_program(self._program, _bad(example, questions), turn)
            outcome = outcome_of(self._program, found)
            if isinstance(outcome, Proved):
                return [self._proved(example, questions, outcome, CoverabilityProver.name, meter)]
            if found.enough is not None:
                self.slots = min(MOST_SLOTS, max(1, found.enough.forked))
                self.has_given_up = True
            self._is_net = not isinstance(outcome, GaveUp)
            return []
        try:
            types = with_forked_types(self._program)
        except ModelError:
            self.has_given_up = True
            return []
        counts = dict.fromkeys(types.any_number, STANDING)
        among = instance(types, counts, within(0))
        questions = [posed(among, posed(types, question)) for question in self._questions]
        if self._modular is None:
            self._modular = ModularProver(types.plain, _bad(among, questions))
        outcome = self._modular.advance(turn)
        if isinstance(outcome, Proved):
            return [self._proved(among, questions, outcome, self._modular.name, meter)]
        self.has_given_up = outcome is not None
        return []

    def _proved(
        self,
        example: Program,
        questions: Sequence[Question],
        outcome: Proved,
        engine: str,
        meter: Meter,
    ) -> Result:
        evidence = outcome.evidence
        return answer_without_rounds(
            "safe",
            example,
            questions,
            self._options,
            meter,
            engine=engine,
            proof=outcome.proof,
            grounds=Grounds(lambda: evidence, evidence.size),
        )


def _bad(example: Program, questions: Sequence[Question]) -> list[Bad]:
    return derivation_of(example).bad(everything(questions))
