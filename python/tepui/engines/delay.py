"""Delay-unbounded analysis: R(r, d) under growing bounds of rounds and delays (DrUBA, section 4).

A round-robin scheduler that may delay d threads within r rounds reaches finitely many states,
whatever the program; with growing r and d it reaches all. `walk` says which bound to raise next.
When one more round and n − 1 more delays have shown nothing new, every thread has had its turn in
every state found (Theorem 7). Only what a pop brings up could still be missing, and Z bounds that.
If Z leaves it open, exploration goes on to the next plateau.

The kernel computes R(r, d) exactly, where the printed algorithm loses schedules.
"""

from __future__ import annotations

from tepui.checker import Schedule, Trace
from tepui.engines.engine import Observation, Violation
from tepui.engines.kernel_engine import ListingEngine
from tepui.engines.rounds import Delayed, Proof
from tepui.engines.sequences import DelaySequence, Direction, walk
from tepui.kernels.door import DelayKernel, KernelLimits, Outcome, system_kernel
from tepui.model import Property, System
from tepui.records import replace


class DelayEngine(ListingEngine[DelayKernel]):
    """The delay engine at work on a system.

    `tops` is how many symbols of each stack to look at to decide what is new. No bound is
    raised beyond `rounds` and `delays`.
    """

    proofs = (
        Proof(
            "no new state",
            "R(r, d) = R(r+1, d+n-1)",
            "every thread has had its turn in every state",
            "A round more, and as many delays more as give every thread its turn in every state, "
            "add nothing, so no further ones ever do",
        ),
        Proof(
            "all emerged",
            "T(R(r, d)) = T(Z)",
            "all that can emerge was reached",
            "Exploration from below has met Z from above: every visible state that Z allows was "
            "reached. There is nothing left to emerge",
        ),
    )

    def __init__(
        self,
        system: System,
        *,
        tops: int = 1,
        rounds: int | None = None,
        delays: int | None = None,
    ) -> None:
        self.tops = tops
        self._most: dict[Direction, int | None] = {"rounds": rounds, "delays": delays}
        self._states = DelaySequence(len(system.threads))
        self._seen = DelaySequence(len(system.threads))
        super().__init__(system, DelayKernel(system_kernel(system), tops=tops), symmetry=False)
        self._walk = walk(len(system.threads), lambda: self._seen.has_grown)
        self._next: Direction = "rounds"
        """The bound that is being raised."""
        self._complete = 0
        """How many observations there were when raising it began."""

    @property
    def rounds(self) -> int:
        """r of the last R(r, d)."""
        return _details(self.last).rounds

    @property
    def delays(self) -> int:
        """d of the last R(r, d)."""
        return _details(self.last).delays

    @property
    def images(self) -> int:
        """How often the successors of a scheduled state were computed."""
        return self._kernel.images

    @property
    def scheduled(self) -> int:
        """How many states were met, each counted once for every thread that may have its turn
        next."""
        return self._kernel.scheduled

    @property
    def is_complete(self) -> bool:
        """Whether everything was found that the bounds allow: each bound is reached, or raising it
        would never add a state."""
        return (not self._may_raise("rounds") or self._kernel.rounds_are_exhausted) and (
            not self._may_raise("delays") or self._kernel.delays_are_exhausted
        )

    @property
    def has_collapsed(self) -> bool:
        """Every action respects the whole state, so a plateau of R(r, d) is final (Theorem 7); and
        so is R(r, d) if every scheduled state in it was run and delayed."""
        return self._kernel.is_closed or self._states.has_plateau

    @property
    def at_plateau(self) -> bool:
        return self._seen.has_plateau

    @property
    def last_growth(self) -> int:
        """The number of the first observation that shows as much as the last one."""
        return self._seen.last_growth

    def add_round(self, limits: KernelLimits | None = None) -> Outcome:
        """On to R(r + 1, d)."""
        return self._grow(self._kernel.advance, limits)

    def add_delay(self, limits: KernelLimits | None = None) -> Outcome:
        """On to R(r, d + 1)."""
        return self._grow(self._kernel.add_delay, limits)

    def advance(self, limits: KernelLimits | None = None) -> Outcome:
        """Raise the bound that is next by Algorithm 1."""
        if self._complete < len(self.observations):
            self._complete = len(self.observations)
            self._next = next(self._walk)
            if not self._may_raise(self._next):
                self._next = "delays" if self._next == "rounds" else "rounds"
            assert self._may_raise(self._next), "all is there that the bounds allow"
        return self.add_round(limits) if self._next == "rounds" else self.add_delay(limits)

    def trace(
        self, violation: Violation, bad: Property, limits: KernelLimits | None = None
    ) -> Trace:
        """With the fewest delays within the rounds in which the violation was found. Threads keep
        their names: the scheduler tells equal ones apart."""
        trace = super().trace(violation, Property(), limits)
        assert violation.rounds is not None
        return replace(trace, schedule=Schedule(violation.rounds, violation.bound))

    def _may_raise(self, bound: Direction) -> bool:
        now = self.rounds if bound == "rounds" else self.delays
        most = self._most[bound]
        return most is None or now < most

    def _observation(self, k: int, seconds: float) -> Observation:
        seen = self._kernel.round(k)
        assert seen.delayed is not None
        rounds, delays = seen.delayed.rounds, seen.delayed.delays
        self._states.add((rounds, delays), seen.parts)
        self._seen.add((rounds, delays), seen.delayed.top_words)
        delayed = Delayed(rounds, delays, seen.delayed.top_words, seen.delayed.images)
        return replace(super()._observation(k, seconds), delays=delayed)


def _details(seen: Observation) -> Delayed:
    assert seen.delays is not None
    return seen.delays
