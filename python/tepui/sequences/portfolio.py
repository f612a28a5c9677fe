"""Two engines on one system: the second takes over once it is ahead of the first.

The first is cheap to begin with; the second climbs walls that the first cannot. Neither is always
better, and nobody can tell beforehand. So once the first has shown that the system is not small,
the second gets as much time as the first has had, again and again, and when it has completed a
round that the first has not, it goes on alone. That costs at most about twice the time of the
better of the two. If the first runs out of memory, the second goes on alone as well.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence

from tepui.kernels import GivenLimits, Outcome
from tepui.limits import Meter
from tepui.model import Property
from tepui.sequences.engine import Engine, Observation, Violation

PATIENCE = 0.2
"""For how many seconds the first engine runs alone."""

SLICE = 0.3
"""For how many seconds an engine runs at first before it hands control back."""


class Portfolio:
    """Two engines, or one, of which one is at work at any time."""

    def __init__(self, first: Engine, second: Callable[[], Engine] | None, meter: Meter) -> None:
        self._meter = meter
        self._first = _Turn(first)
        self._second: _Turn | None = None
        self._make_second = second

    @property
    def observations(self) -> Sequence[Observation]:
        return self._first.engine.observations

    @property
    def bytes(self) -> int:
        second = 0 if self._second is None else self._second.engine.bytes
        return self._first.engine.bytes + second

    @property
    def found(self) -> tuple[int | None, int]:
        return self._first.engine.found

    def first_new_bad(self, bad: Property, limits: GivenLimits | None = None) -> Violation | None:
        return self._first.engine.first_new_bad(bad, limits)

    def advance(self, limits: GivenLimits | None = None) -> Outcome:
        """Go on with the first engine for a while, then perhaps with the second."""
        states = None if limits is None else limits["states"]
        outcome = self._first.run(self._meter, SLICE + self._first.seconds / 4, states)
        if self._make_second is None:
            return outcome
        if outcome in ("memory", "states"):
            self._hand_over()
            return "paused"
        if outcome == "paused" and self._first.seconds > PATIENCE:
            self._let_second_catch_up(len(self.observations), self._first.seconds)
        return outcome

    def _let_second_catch_up(self, rounds: int, seconds: float) -> None:
        second = self._the_second()
        while second.seconds < seconds:
            outcome = second.run(self._meter, seconds - second.seconds, None)
            if len(second.engine.observations) > rounds:
                self._hand_over()
                return
            if outcome in ("memory", "states"):
                self._second = self._make_second = None
                return
            if outcome not in ("paused", "done"):
                return

    def _the_second(self) -> _Turn:
        if self._second is None:
            assert self._make_second is not None
            self._second = _Turn(self._make_second())
        return self._second

    def _hand_over(self) -> None:
        self._first, self._second, self._make_second = self._the_second(), None, None
        gc.collect()  # What the first engine holds is to be free at once.


class _Turn:
    """An engine, and how much time it has had."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.seconds = 0.0

    def run(self, meter: Meter, seconds: float, states: int | None) -> Outcome:
        """Let it run for so many seconds, unless there is less time left."""
        if meter.bytes_left() == 0:
            return "memory"
        left = meter.seconds_left()
        limits = meter.for_kernel(self.engine.bytes, states)
        limits["seconds"] = seconds if left is None else min(left, seconds)
        started = time.perf_counter()
        outcome = self.engine.advance(limits)
        self.seconds += time.perf_counter() - started
        if outcome == "time" and not meter.is_out_of_time():
            return "paused"
        return outcome
