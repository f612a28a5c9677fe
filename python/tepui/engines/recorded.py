"""What engines share: rounds that are noted as they are completed, and violations by number.

A kernel computes rounds, and its engine notes what each looks like. If an interruption comes just
when a round was completed, the round is noted all the same.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import cast

from tepui.checker import Certificate, Trace
from tepui.convergence.overapproximation import Overapproximation, certificate_groups
from tepui.convergence.strength import Strength
from tepui.engines.engine import Engine, Observation, Violation
from tepui.engines.observation import ObservationSequence
from tepui.engines.witness import trace_from_contexts
from tepui.kernels.door import (
    Delays,
    Diagrams,
    Explorer,
    GivenLimits,
    Outcome,
    Symbolic,
    given_property,
    given_reach,
)
from tepui.limits import Meter
from tepui.model import Property, Reach, System
from tepui.model.system import VisibleState, Word


class Recorded(ABC):
    """An engine that notes the rounds of its kernel."""

    system: System
    symmetry: bool
    _kernel: Explorer | Diagrams | Symbolic | Delays

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

    def _grow(
        self, grow: Callable[[GivenLimits | None], Outcome], limits: GivenLimits | None
    ) -> Outcome:
        """Let the kernel go on, and note what it has completed."""
        started = time.perf_counter()
        try:
            return grow(limits)
        finally:
            self._round_seconds += time.perf_counter() - started
            self._note_rounds()

    def closure(self, strengths: Sequence[Strength], meter: Meter) -> Overapproximation | None:
        return None

    def points(self) -> list[list[int]]:
        return self._kernel.points()

    def _note_rounds(self) -> None:
        for k in range(len(self.observations), self._kernel.rounds):
            self.observations.append(self._observation(k, self._round_seconds))
            self._round_seconds = 0.0

    @abstractmethod
    def _observation(self, k: int, seconds: float) -> Observation:
        """What the kernel says about a round that took so long."""


class ByContexts(Recorded):
    """An engine that computes R_0, R_1, R_2 and so on."""

    proofs = ("R_k = R_{k+1}", "T(R_k) = T(Z)")
    is_complete = False
    _kernel: Explorer | Diagrams | Symbolic

    @property
    def has_collapsed(self) -> bool:
        """R_k is stutter-free, so its first plateau is final (Scheme 1)."""
        marks = [seen.mark for seen in self.observations]
        return ObservationSequence(marks, stutter_free=True).has_collapsed()

    @property
    def at_plateau(self) -> bool:
        return self._visible_states.plateaus_at(self._visible_states.k - 1)

    @property
    def last_growth(self) -> int:
        return self._visible_states.last_growth

    @property
    def _visible_states(self) -> ObservationSequence:
        return ObservationSequence([seen.visible for seen in self.observations])

    def advance(self, limits: GivenLimits | None = None) -> Outcome:
        return self._grow(self._kernel.advance, limits)


class Numbered(Recorded):
    """An engine whose kernel numbers states and visible states in the order of discovery."""

    _kernel: Explorer | Symbolic | Delays

    def __init__(self) -> None:
        self._scanned: dict[Property | Reach, int] = {}
        super().__init__()

    def first_new_bad(self, bad: Property, limits: GivenLimits | None = None) -> Violation | None:
        number = self._kernel.first_bad(given_property(bad), self._scanned.get(bad, 0), limits)
        self._scanned[bad] = self._kernel.visible if number is None else number
        found = [] if number is None else [self._violation(number, number, visible=True)]
        found += filter(None, (self._first_new_in(reach, limits) for reach in bad.reaches))
        return min(found, key=lambda violation: (violation.k, violation.bound), default=None)

    def trace(
        self, violation: Violation, bad: Property, limits: GivenLimits | None = None
    ) -> Trace:
        assert not isinstance(self._kernel, Delays)
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
        return None if number is None else self._violation(number, (reach, number), visible=False)

    def _violation(self, number: int, key: object, *, visible: bool) -> Violation:
        """What has this number among the states, or the visible states, of a round. What was found
        after the last is of the next, which is not complete."""
        rounds = [self._kernel.round(seen.k) for seen in self.observations]
        sizes = [round_[1] if visible else round_[0] for round_ in rounds]
        k = next((k for k, size in enumerate(sizes) if number < size), len(sizes))
        return Violation(k, key, cast(Engine, self), k)


class Listed(Numbered):
    """An engine that lists states one by one."""

    _kernel: Explorer | Delays

    def list_visible(self, k: int) -> list[VisibleState]:
        """In the order of discovery."""
        return self._kernel.visible_rows(0, self._kernel.round(k)[1])

    def list_states(self, k: int, start: int = 0) -> list[tuple[int, tuple[Word, ...]]]:
        """In the order of discovery, those from a number on."""
        words = [self._kernel.stack_words(index) for index in range(len(self.system.templates))]
        stacks = [words[template] for template in self.system.threads]
        return [
            (row[0], tuple(stack[local] for stack, local in zip(stacks, row[1:], strict=True)))
            for row in self._kernel.state_rows(start, self._kernel.round(k)[0])
        ]

    def certificate(self) -> Certificate:
        groups = certificate_groups(self.system, self.symmetry)
        return Certificate(
            kind="states",
            groups=groups,
            locals=tuple(
                tuple((word, False) for word in self._kernel.stack_words(template))
                for template in (self.system.threads[group[0]] for group in groups)
            ),
            states=self._kernel.state_rows(0, self._kernel.round(self.last.k)[0]),
        )

    def certificate_size(self) -> tuple[int, int]:
        groups = certificate_groups(self.system, self.symmetry)
        templates = [self.system.threads[group[0]] for group in groups]
        symbols = sum(self._kernel.symbols_in_stacks(template) for template in templates)
        return self._kernel.round(self.last.k)[0], symbols

    def _count_states(self) -> int:
        return self._kernel.states
