"""R_k and T(R_k), observed one after the other by the diagram engine.

The engine represents R_k by nodes, not by states: it does not grow exponentially with the number of
threads, and it needs no finite-context reachability. Equal sets are equal nodes, so a collapse of
R_k is seen at once, also where the R_k are infinite (Scheme 1 over S_k; CUBA, section 4).

It observes and decides nothing, as `exploration` does. It has no traces yet, so `verify` does
without it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from tepui.convergence import (
    Overapproximation,
    has_finite_context_reachability,
    may_recurse,
    program_has_finite_context_reachability,
)
from tepui.kernels import Diagrams, GivenLimits, Outcome, given_system
from tepui.model import System
from tepui.model.system import VisibleState
from tepui.program.lowered import LoweredSystem, lower
from tepui.program.program import Program


@dataclass(frozen=True, slots=True)
class DiagramObservation:
    """What is known after a round, every permutation of equal threads counted."""

    k: int
    states: int | None
    """|R_k|; None if it is infinite."""
    visible: int
    """|T(R_k)|."""
    grew: bool
    """Whether R_k is larger than R_{k-1}. Once it is not, it never will be."""
    visible_grew: bool
    """Whether T(R_k) is larger than T(R_{k-1})."""
    nodes: int
    """How many nodes the engine holds."""
    seconds: float
    """What this round took."""


class DiagramExploration:
    """The exploration of a system by decision diagrams."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._kernel = Diagrams(given_system(system), finite=_has_finite_contexts(system))
        self._seconds = 0.0
        self._nodes: list[tuple[int, int]] = []
        self.observations: list[DiagramObservation] = []
        self._observe()

    @property
    def last(self) -> DiagramObservation:
        return self.observations[-1]

    @property
    def bytes(self) -> int:
        return self._kernel.bytes

    @property
    def has_collapsed(self) -> bool:
        """Whether no larger bound can add a state: R_k is stutter-free (CUBA, Lemma 9)."""
        return self.last.k > 0 and not self.last.grew

    @property
    def collapse(self) -> int | None:
        """The smallest k with T(R_k) = T(R), once R_k has collapsed."""
        if not self.has_collapsed:
            return None
        return max(seen.k for seen in self.observations if seen.visible_grew)

    def advance(self, limits: GivenLimits | None = None) -> Outcome:
        """Go on with the next round, and say how that ended."""
        started = time.perf_counter()
        try:
            outcome = self._kernel.advance(limits)
        finally:
            self._seconds += time.perf_counter() - started
        if outcome == "done":
            self._observe()
        return outcome

    def list_visible(self, most: int) -> list[VisibleState]:
        """Visible states of the last round, at most so many, every permutation by itself."""
        return self._kernel.visible_rows(most)

    def _observe(self) -> None:
        states, visible, count, visible_count = self._kernel.last_round()
        before = self._nodes[-1] if self._nodes else (-1, -1)
        self._nodes.append((states, visible))
        self.observations.append(
            DiagramObservation(
                k=len(self.observations),
                states=count,
                visible=visible_count,
                grew=states != before[0],
                visible_grew=visible != before[1],
                nodes=self._kernel.nodes,
                seconds=self._seconds,
            )
        )
        self._seconds = 0.0


def observe_by_diagrams(system: System | Program) -> Iterator[DiagramObservation]:
    """R_0, R_1, R_2, … until R_k collapses; without end if it never does."""
    exploration = DiagramExploration(lower(system) if isinstance(system, Program) else system)
    yield exploration.last
    while not exploration.has_collapsed and exploration.advance() == "done":
        yield exploration.last


def _has_finite_contexts(system: System) -> tuple[bool, ...]:
    if not isinstance(system, LoweredSystem):
        return has_finite_context_reachability(system)
    z = Overapproximation(system).completed() if may_recurse(system.program) else None
    return program_has_finite_context_reachability(system, z)
