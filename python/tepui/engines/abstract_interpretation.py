"""The baseline of abstract interpretation («AI» in DrUBA, section 6 and appendix C).

It explores like the delay engine, but after every single step it asks whether everything was seen.
For that, what was reached is mapped to the domain of Z, and must be closed there under all actions,
not only under pops. Then it contains the image of the initial state and, step by step, the images
of all reachable states. That needs no plateau, but it looks at all states each time.

The test succeeds exactly if all states of a Z of the same strength were reached. So it proves less
than that Z, which may be free of bad states even if it has states that were not reached. The two
are computed in different ways, and the tests compare them.
"""

from __future__ import annotations

from collections.abc import Sequence

from tepui.engines.delay import DelayEngine
from tepui.engines.rounds import Proof
from tepui.kernels.door import Outcome
from tepui.limits import Meter
from tepui.z import Z
from tepui.z.strength import Strength


class AbstractEngine(DelayEngine):
    """The delay engine, with the closure of what was reached."""

    proofs = (
        DelayEngine.proofs[0],
        Proof(
            "closed",
            "T(R(r, d)) is closed under all actions",
            "no step leads out, whatever a pop may bring up",
            "No step of any thread leads out of what was reached, if stacks are cut below their "
            "tops, whatever a return may bring up",
        ),
    )
    _failures = 0
    """At how many plateaus what was reached was not closed."""

    def closure(self, strengths: Sequence[Strength], meter: Meter) -> Z | None:
        """The states that were reached, cut to one of these strengths, if no action leads out of
        them. After a plateau without such a closure, the next strength is tried."""
        usable = [strength for strength in strengths if strength.depth >= self.tops]
        usable = usable or [Strength("matched", self.tops)]
        strength = usable[min(self._failures, len(usable) - 1)]
        closure = Z.of_reached(self.system, strength, self._kernel)
        reached = closure.states
        outcome: Outcome = "paused"
        while outcome == "paused" and closure.states == reached:
            outcome = closure.advance(meter.for_kernel(closure.bytes, reached + 1))
        if outcome == "done" and closure.states == reached:
            return closure
        if self.at_plateau:
            self._failures += 1
        return None
