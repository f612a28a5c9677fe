"""Proves by a Z of some threads among any number of others: the cheapest proof for finite data.

One thread is observed first, then two, then three. Threads may recurse. Where there are bad states
even with three, nothing is known: what other threads do is seen too coarsely.
"""

from __future__ import annotations

from collections.abc import Sequence

from tepui.checker.evidence import Bad
from tepui.checker.programs.modular_z import MOST_OBSERVED, observable
from tepui.deciding.provers import GaveUp, Outcome, Proved
from tepui.engines.rounds import Proof
from tepui.errors import ModelError
from tepui.limits import Meter
from tepui.program.program import Program, refuse_forks, refuse_integers
from tepui.program.types import THREAD
from tepui.words import counted
from tepui.z.modular_search import BadState, ModularSearch, TooManyStates

MOST_VALUES = 1 << 12
"""Types with more values make steps with too many outcomes."""


class ModularProver:
    """One number of observed threads after another."""

    name = "modular"

    def __init__(self, program: Program, bad: Sequence[Bad]) -> None:
        self._program = program
        self._bad = bad
        self._search: ModularSearch | None = None
        self._observed = max(map(len, bad), default=1)

    def advance(self, meter: Meter) -> Outcome | None:
        while meter.may_go_on():
            try:
                if self._search is None:
                    self._check()
                    self._search = ModularSearch(self._program, self._bad, self._observed)
                found = self._search.run(meter.may_go_on)
            except (BadState, TooManyStates):
                outcome = self._next()
                if outcome is not None:
                    return outcome
            except ModelError as error:
                return GaveUp(str(error))
            else:
                if found is None:
                    return None
                threads = counted(found.observed, "thread")
                words = "whatever any number of others do"
                return Proved(Proof("modular", f"Z of {threads} has no bad state", words), found)
        return None

    def stop(self) -> None:
        self._search = None

    def _next(self) -> Outcome | None:
        self._search, before = None, self._observed
        self._observed = observable(self._program, before + 1)
        if before < self._observed <= MOST_OBSERVED:
            return None
        return GaveUp(f"Z of {counted(before, 'thread')} among others has bad states")

    def _check(self) -> None:
        refuse_integers(self._program)
        refuse_forks(self._program)
        local = (each for procedure in self._program.procedures for each in procedure.variables)
        scalars = {each.scalar for each in (*self._program.globals, *local)} - {THREAD}
        if any(scalar.size > MOST_VALUES for scalar in scalars):
            raise ModelError("variables have too many values for a Z of some threads")
