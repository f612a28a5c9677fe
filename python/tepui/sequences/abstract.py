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
    _failures = 0
    """At how many plateaus what was reached was not closed."""

    def closed(self, strengths: Sequence[Strength], meter: Meter) -> Overapproximation | None:
        """What was reached, cut to one of these strengths, if that is closed under all actions. At
        a plateau that is not, it is the turn of the next one."""
        sharp_enough = [strength for strength in strengths if strength.depth >= self.tops]
        if not strengths:
            return None
        self._failures = min(self._failures, max(0, len(sharp_enough) - 1))
        strength = (sharp_enough or [Strength("matched", self.tops)])[self._failures]
        closure = Overapproximation(self.system, strength, symmetry=False)
        closure.add(self._kernel)
        reached = closure.states
        outcome: Outcome = "paused"
        while outcome == "paused" and closure.states == reached:
            outcome = closure.advance(meter.for_kernel(closure.bytes, reached + 1))
        if outcome == "done" and closure.states == reached:
            return closure
        self._failures += self.at_plateau
        return None
