"""Two engines on one system: the second takes over once it is ahead of the first.

The first is cheap to begin with; the second climbs walls that the first cannot. Neither is always
better, and nobody can tell beforehand. So once the first has shown that the system is not small,
the second does as much work as the first has done, again and again, and when it has completed a
round that the first has not, it goes on alone. That costs about twice as much as the better of the
two. If the first runs out of memory, the second goes on alone as well.

Work is counted in states and operations, not in seconds, so that every run goes the same way.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence

from tepui.kernels import GivenLimits, Outcome
from tepui.limits import Meter
from tepui.model import Property
from tepui.sequences.engine import Engine, Observation, Violation

PATIENCE = 300_000
"""How much work the first engine does alone."""


class Portfolio:
    """Two engines, or one, of which one is at work at any time."""

    def __init__(self, first: Engine, second: Callable[[], Engine] | None, meter: Meter) -> None:
        self._meter = meter
        self._first = first
        self._second: Engine | None = None
        self._make_second = second

    @property
    def observations(self) -> Sequence[Observation]:
        return self._first.observations

    @property
    def bytes(self) -> int:
        return self._first.bytes + (0 if self._second is None else self._second.bytes)

    @property
    def work(self) -> int:
        return self._first.work

    @property
    def found(self) -> tuple[int | None, int]:
        return self._first.found

    def first_new_bad(self, bad: Property, limits: GivenLimits | None = None) -> Violation | None:
        return self._first.first_new_bad(bad, limits)

    def advance(self, limits: GivenLimits | None = None) -> Outcome:
        """Go on with the first engine for a while, then perhaps with the second."""
        outcome = self._run(self._first)
        if self._make_second is None:
            return outcome
        if outcome in ("memory", "states"):
            self._hand_over()
            return "paused"
        if outcome == "paused" and self._first.work > PATIENCE:
            self._let_second_catch_up(self._first.work, len(self.observations))
        return outcome

    def _let_second_catch_up(self, work: int, rounds: int) -> None:
        second = self._the_second()
        while second.work < work:
            outcome = self._run(second)
            if len(second.observations) > rounds:
                self._hand_over()
                return
            if outcome in ("memory", "states"):
                self._second = self._make_second = None
                return
            if outcome not in ("paused", "done"):
                return

    def _run(self, engine: Engine) -> Outcome:
        if self._meter.bytes_left() == 0:
            return "memory"
        return engine.advance(self._meter.for_kernel(engine.bytes))

    def _the_second(self) -> Engine:
        if self._second is None:
            assert self._make_second is not None
            self._second = self._make_second()
        return self._second

    def _hand_over(self) -> None:
        self._first, self._second, self._make_second = self._the_second(), None, None
        gc.collect()  # What the first engine holds is to be free at once.
