"""What engines share: rounds that are noted as they are completed, and violations by number.

A kernel computes rounds, and its engine notes what each looks like. If an interruption comes just
when a round was completed, the round is noted all the same.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import cast

from tepui.evidence import Trace
from tepui.kernels import (
    Diagrams,
    Explorer,
    GivenLimits,
    Outcome,
    Symbolic,
    given_property,
    given_reach,
)
from tepui.model import Property, Reach, System
from tepui.sequences.engine import Engine, Observation, Violation
from tepui.sequences.witness import trace_from_contexts


class Recorded(ABC):
    """An engine that notes the rounds of its kernel."""

    system: System
    _kernel: Explorer | Diagrams | Symbolic

    def __init__(self) -> None:
        self.observations: list[Observation] = []
        self._round_seconds = 0.0
        self._note_rounds()

    @property
    def last(self) -> Observation:
        return self.observations[-1]

    @property
    def bytes(self) -> int:
        return self._kernel.bytes

    def advance(self, limits: GivenLimits | None = None) -> Outcome:
        started = time.perf_counter()
        try:
            return self._kernel.advance(limits)
        finally:
            self._round_seconds += time.perf_counter() - started
            self._note_rounds()

    def points(self) -> list[list[int]]:
        return self._kernel.points()

    def _note_rounds(self) -> None:
        for k in range(len(self.observations), self._kernel.rounds):
            self.observations.append(self._observation(k, self._round_seconds))
            self._round_seconds = 0.0

    @abstractmethod
    def _observation(self, k: int, seconds: float) -> Observation:
        """What the kernel says about a round that took so long."""


class Numbered(Recorded):
    """An engine whose kernel numbers states and visible states in the order of discovery."""

    _kernel: Explorer | Symbolic

    def __init__(self) -> None:
        self._scanned: dict[Property | Reach, int] = {}
        super().__init__()

    def first_new_bad(self, bad: Property, limits: GivenLimits | None = None) -> Violation | None:
        number = self._kernel.first_bad(given_property(bad), self._scanned.get(bad, 0), limits)
        self._scanned[bad] = self._kernel.visible if number is None else number
        visible = [self._kernel.round(seen.k)[1] for seen in self.observations]
        found = [] if number is None else [self._violation(number, number, visible)]
        found += filter(None, (self._first_new_in(reach, limits) for reach in bad.reaches))
        return min(found, key=lambda violation: violation.k, default=None)

    def trace(
        self, violation: Violation, bad: Property, limits: GivenLimits | None = None
    ) -> Trace:
        if isinstance(violation.key, int):
            contexts = self._kernel.trace(violation.key, limits)
            return trace_from_contexts(self.system, contexts, bad)
        reach, number = cast(tuple[Reach, int], violation.key)
        contexts = self._kernel.trace_reaching(given_reach(reach), number, limits)
        return trace_from_contexts(self.system, contexts, Property())

    @abstractmethod
    def _count_states(self) -> int:
        """How many states, or symbolic states, have numbers."""

    def _first_new_in(self, reach: Reach, limits: GivenLimits | None) -> Violation | None:
        """A state in a regular set of states among those not asked about before."""
        start = self._scanned.get(reach, 0)
        number = self._kernel.first_reaching(given_reach(reach), start, limits)
        self._scanned[reach] = self._count_states() if number is None else number
        states = [self._kernel.round(seen.k)[0] for seen in self.observations]
        return None if number is None else self._violation(number, (reach, number), states)

    def _violation(self, number: int, key: object, sizes: list[int]) -> Violation:
        """What has this number, where there were so many after each round; what was found after
        the last is of the next, which is not complete."""
        k = next((k for k, size in enumerate(sizes) if number < size), len(sizes))
        return Violation(k, key, cast(Engine, self))
