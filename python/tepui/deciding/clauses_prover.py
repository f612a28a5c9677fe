"""Proves by invariants over observed threads, from Horn clauses (`tepui.horn`).

The search runs in a process of its own, beside the exploration of instances, and is asked now and
then. With finite data it begins only when cheaper proofs have given up their first turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tepui.checker.evidence import Bad
from tepui.deciding.provers import GaveUp, Outcome, Proved
from tepui.engines.rounds import Proof
from tepui.limits import Meter
from tepui.program.program import Program
from tepui.records import replace
from tepui.words import counted

if TYPE_CHECKING:
    from tepui.checker.invariants.invariant import Invariant
    from tepui.horn.ladder import Ladder

MOST_MEMORY = 4 * 2**30
"""How many bytes the solvers may use at most."""

SHORT_SLICES = (2.0, 6.0)
"""How many seconds each attempt gets, in two rounds, if nobody has given time."""

TICK = 0.05
"""How many seconds pass between two looks at the limits."""


class ClausesProver:
    """One climb, over more and more observed threads."""

    name = "clauses"

    def __init__(self, program: Program, bad: Sequence[Bad], *, patient: bool = True) -> None:
        self._program = program
        self._patient = patient
        self._bad = bad
        self._ladder: Ladder | None = None

    def advance(self, meter: Meter) -> Outcome | None:
        from tepui.checker.invariants.summaries import Summaries
        from tepui.horn.ladder import Ladder, LadderLimits

        if self._ladder is None:
            limits = LadderLimits(memory=min(MOST_MEMORY, meter.bytes_left()))
            if not self._patient:
                limits = replace(limits, slices=SHORT_SLICES)
            self._ladder = Ladder(self._program, self._bad, limits)
            self._ladder.start()
        while meter.may_go_on():
            ended = self._ladder.poll(TICK)
            if ended is None:
                continue
            if isinstance(ended.invariant, Summaries):
                return Proved(Proof("summaries", self._over_frames()), ended.invariant)
            if ended.invariant is not None:
                return Proved(Proof("invariant", self._formula(ended.invariant)), ended.invariant)
            if ended.kind == "refuted":
                return GaveUp(f"{ended.words}, so there is a violation, but no trace was found")
            return GaveUp(ended.words)
        return None

    def _formula(self, invariant: Invariant) -> str:
        observed = [
            f"{counted(number, 'thread')} {thread.name}"
            for thread, number in zip(self._program.threads, invariant.observed, strict=True)
            if number
        ]
        over = f"over {', '.join(observed) or 'no thread'}"
        with_counters = counted(len(invariant.counters), "counter")
        return f"an invariant {over}{f', with {with_counters}' if invariant.counters else ''}"

    def _over_frames(self) -> str:
        threads = [f"1 thread {thread.name}" for thread in self._program.threads]
        return f"an invariant over {', '.join(threads)}, with summaries of procedures"

    def stop(self) -> None:
        if self._ladder is not None:
            self._ladder.stop()
