"""Delay-unbounded analysis: R(r, d) under growing bounds of rounds and delays (DrUBA, section 4).

A round-robin scheduler that may delay d threads within r rounds reaches finitely many states,
whatever the program; with growing r and d it reaches all. Which bound to raise next, says `walk`.
When a round more and n − 1 delays more have shown nothing new, every thread has had its
turn in every state found (Theorem 7): only what a pop brings up could still be missing, and that is
what Z bounds. If Z leaves it open, exploration goes on to the next plateau.

The kernel computes R(r, d) exactly, where the printed algorithm loses schedules.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from tepui.checker import Schedule, Trace
from tepui.engines.engine import Observation, Violation
from tepui.engines.observation import DelaySequence, Direction, walk
from tepui.engines.recorded import Listed
from tepui.engines.witness import trace_from_contexts
from tepui.kernels.door import Delays, GivenLimits, Outcome, given_system
from tepui.model import Property, Reach, System
from tepui.result import Delayed

WORK_OF_A_STEP = 500
"""To raise a bound takes about as long as so many images, even if there are none."""


class DelayExploration(Listed):
    """The exploration of a system under growing bounds of rounds and delays.

    `tops` is how many symbols of each stack to look at when it comes to what is new. No bound is
    raised beyond `rounds` and `delays`.
    """

    symmetry = False
    proofs = ("R(r, d) = R(r+1, d+n-1)", "T(R(r, d)) = T(Z)")
    _kernel: Delays

    def __init__(
        self,
        system: System,
        *,
        tops: int = 1,
        rounds: int | None = None,
        delays: int | None = None,
    ) -> None:
        self.system = system
        self.tops = tops
        self._most: dict[Direction, int | None] = {"rounds": rounds, "delays": delays}
        self._states = DelaySequence(len(system.threads))
        self._seen = DelaySequence(len(system.threads))
        self._kernel = Delays(given_system(system), tops=tops)
        super().__init__()
        self._walk = walk(len(system.threads), lambda: self._seen.has_grown)
        self._next: Direction = "rounds"
        """The bound that is being raised."""
        self._complete = 0
        """How many observations there were when that began."""

    @property
    def work(self) -> int:
        return self._kernel.images + WORK_OF_A_STEP * len(self.observations)

    @property
    def found(self) -> tuple[int | None, int]:
        return self._kernel.states, self._kernel.visible

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
        """How many states were met, each counted with every thread that may have its turn next."""
        return self._kernel.scheduled

    @property
    def is_complete(self) -> bool:
        """Whether all is there that the bounds allow: each is reached, or raising it would never
        add a state."""
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

    def add_round(self, limits: GivenLimits | None = None) -> Outcome:
        """On to R(r + 1, d)."""
        return self._grow(self._kernel.add_round, limits)

    def add_delay(self, limits: GivenLimits | None = None) -> Outcome:
        """On to R(r, d + 1)."""
        return self._grow(self._kernel.add_delay, limits)

    def advance(self, limits: GivenLimits | None = None) -> Outcome:
        """Raise the bound that is next by Algorithm 1."""
        if self._complete < len(self.observations):
            self._complete = len(self.observations)
            self._next = next(self._walk)
            if not self._may_raise(self._next):
                self._next = "delays" if self._next == "rounds" else "rounds"
            assert self._may_raise(self._next), "all is there that the bounds allow"
        return self.add_round(limits) if self._next == "rounds" else self.add_delay(limits)

    def trace(
        self, violation: Violation, bad: Property, limits: GivenLimits | None = None
    ) -> Trace:
        """With the fewest delays within the rounds in which the violation was found. Threads keep
        their names: the scheduler tells equal ones apart."""
        state = self._state_of(violation.key)
        trace = trace_from_contexts(self.system, self._kernel.trace(state, limits), Property())
        return replace(trace, schedule=Schedule(*self._kernel.found_at(state)))

    def _may_raise(self, bound: Direction) -> bool:
        now = self.rounds if bound == "rounds" else self.delays
        most = self._most[bound]
        return most is None or now < most

    def _violation(self, number: int, key: object, *, visible: bool) -> Violation:
        found = super()._violation(number, key, visible=visible)
        rounds, delays = self._kernel.found_at(self._state_of(key))
        return replace(found, bound=delays, rounds=rounds)

    def _state_of(self, key: object) -> int:
        """The state that a violation is about."""
        if isinstance(key, int):
            return self._kernel.witness(key)
        return cast(tuple[Reach, int], key)[1]

    def _observation(self, k: int, seconds: float) -> Observation:
        states, visible, top_words, images, rounds, delays = self._kernel.round(k)
        self._states.add((rounds, delays), states)
        self._seen.add((rounds, delays), top_words)
        return Observation(
            k=k,
            states=states,
            visible=visible,
            new_visible=visible - (self.last.visible if k else 0),
            states_up_to_symmetry=states,
            visible_up_to_symmetry=visible,
            seconds=seconds,
            engine=self,
            mark=states,
            delays=Delayed(rounds, delays, top_words, images),
        )


def _details(seen: Observation) -> Delayed:
    assert seen.delays is not None
    return seen.delays
