"""Proves by coverability: exact for finite data without recursion.

If something bad can be covered, the search also says with how many threads.
"""

from __future__ import annotations

from collections.abc import Sequence

from tepui.checker.evidence import Bad
from tepui.checker.named_covering import NamedCovering
from tepui.counting.program_coverability import CoveredProgram, cover_program
from tepui.deciding.provers import GaveUp, Outcome, Proved, Violated
from tepui.engines.rounds import Proof
from tepui.limits import Meter
from tepui.program.program import Program
from tepui.words import counted


class CoverabilityProver:
    """One search, which begins anew in every turn: turns grow."""

    name = "coverability"

    def __init__(self, program: Program, bad: Sequence[Bad]) -> None:
        self._program = program
        self._bad = bad

    def advance(self, meter: Meter) -> Outcome | None:
        return outcome_of(self._program, cover_program(self._program, self._bad, meter))

    def stop(self) -> None:
        """It holds nothing between turns."""


def outcome_of(program: Program, found: CoveredProgram) -> Outcome | None:
    """What a search means for the program."""
    if found.verdict == "refused":
        return GaveUp(found.reason or "")
    if found.enough is not None:
        counts = found.enough.counts
        return Violated(sum(counts[name] for name in program.any_number))
    if found.evidence is not None:
        return Proved(proof_of(found.evidence), found.evidence)
    if found.stop is not None and found.stop.kind == "states":
        return GaveUp(found.stop.text)
    return None


def proof_of(evidence: NamedCovering) -> Proof:
    """The proof that a certificate stands for."""
    elements = counted(len(evidence.minimal), "minimal element")
    invariants = counted(len(evidence.invariants), "invariant")
    return Proof("upward-closed", f"an upward-closed set with {elements}, and {invariants}")
