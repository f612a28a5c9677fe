"""The baseline of abstract interpretation («AI» in DrUBA, section 6 and appendix C).

Exploration goes on as under delays, but whether all was seen is asked after every single step: what
was reached is cut to the domain of Z, and must be closed under all actions there, not only under
pops. That needs no plateau, but costs a look at all states each time. It proves as much as a Z of
the same strength; the two are computed in different ways, and compared in the tests.
"""

from __future__ import annotations

from collections.abc import Sequence

from tepui.convergence import Overapproximation
from tepui.convergence.strength import Strength
from tepui.kernels import Outcome
from tepui.limits import Meter
from tepui.sequences.delays import DelayExploration


class AbstractExploration(DelayExploration):
    """The exploration under delays, with the closure of what was reached."""

    name = "abstract"

    def closed(self, strengths: Sequence[Strength], meter: Meter) -> Overapproximation | None:
        """What was reached, cut to the first of these strengths that keeps enough symbols, if that
        is closed under all actions."""
        if not strengths:
            return None
        enough = (strength for strength in strengths if strength.depth >= self.tops)
        strength = next(enough, Strength("matched", self.tops))
        closure = Overapproximation(self.system, strength, symmetry=False)
        closure.add(self._kernel)
        reached = closure.states
        outcome: Outcome = "paused"
        while outcome == "paused" and closure.states == reached:
            outcome = closure.advance(meter.for_kernel(closure.bytes, reached + 1))
        return closure if outcome == "done" and closure.states == reached else None
