"""What engines share: rounds that are noted as they are completed, violations, and traces.

A kernel computes rounds, and its engine notes what each looks like. If an interruption arrives just
when a round was completed, the round is noted all the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar, cast

from tepui.engines.engine import Engine, Observation, Violation
from tepui.engines.rounds import Proof
from tepui.engines.sequences import ObservationSequence
from tepui.engines.violation_trace import trace_from_contexts
from tepui.kernels.door import Found, Kernel, KernelLimits, Listing, Outcome
from tepui.model import Property, Reach, System
from tepui.z.z import Z, certificate_groups

if TYPE_CHECKING:
    from tepui.checker import Trace
    from tepui.checker.evidence import AnyCertificate
    from tepui.checker.packed_rows import PackedRows
    from tepui.limits import Meter
    from tepui.model.system import VisibleState, Word
    from tepui.z.strength import Strength

K = TypeVar("K", bound=Kernel)
L = TypeVar("L", bound=Listing)


class KernelEngine(Generic[K]):
    """An engine that notes the rounds of its kernel."""

    def __init__(self, system: System, kernel: K, *, symmetry: bool) -> None:
        self.system = system
        self.symmetry = symmetry
        self.observations: list[Observation] = []
        self._kernel = kernel
        self._scanned: dict[Property | Reach, int] = {}
        self._round_seconds = 0.0
        self._note_rounds()

    @property
    def last(self) -> Observation:
        return self.observations[-1]

    @property
    def bytes(self) -> int:
        return self._kernel.bytes

    @property
    def work(self) -> int:
        return self._kernel.work

    @property
    def found(self) -> tuple[int | None, int]:
        found = self._kernel.so_far()
        return found.states, found.visible

    def first_new_bad(self, bad: Property, limits: KernelLimits | None = None) -> Violation | None:
        questions: list[Property | Reach] = [bad, *bad.reaches]
        found = filter(None, [self._first_new(asked, limits) for asked in questions])
        return min(found, key=lambda violation: (violation.k, violation.bound), default=None)

    def trace(
        self, violation: Violation, bad: Property, limits: KernelLimits | None = None
    ) -> Trace:
        found = cast(Found, violation.key)
        contexts = self._kernel.trace(found, limits)
        return trace_from_contexts(self.system, contexts, Property() if found.by_stacks else bad)

    def list_visible(self, k: int) -> list[VisibleState]:
        """In the order of discovery."""
        return self._kernel.visible_rows(k)

    def closure(self, strengths: Sequence[Strength], meter: Meter) -> Z | None:
        return None

    def points(self, start: int = 0, tops: list[int] | None = None) -> list[list[int]]:
        return self._kernel.points(start, tops)

    def _grow(
        self, grow: Callable[[KernelLimits | None], Outcome], limits: KernelLimits | None
    ) -> Outcome:
        """Let the kernel go on, and note what it has completed."""
        started = time.perf_counter()
        try:
            return grow(limits)
        finally:
            self._round_seconds += time.perf_counter() - started
            self._note_rounds()

    def _note_rounds(self) -> None:
        for k in range(len(self.observations), self._kernel.rounds):
            self.observations.append(self._observation(k, self._round_seconds))
            self._round_seconds = 0.0

    def _observation(self, k: int, seconds: float) -> Observation:
        """What the kernel says about a round that took this long."""
        seen = self._kernel.round(k)
        return Observation(
            k=k,
            states=seen.states,
            visible=seen.visible,
            new_visible=seen.visible - (self.last.visible if k else 0),
            states_up_to_symmetry=seen.listed_states,
            visible_up_to_symmetry=seen.listed_visible,
            seconds=seconds,
            engine=cast(Engine, self),
            mark=seen.mark,
            steps=seen.steps,
        )

    def _first_new(self, asked: Property | Reach, limits: KernelLimits | None) -> Violation | None:
        """A bad state among those that were not searched before."""
        search = self._kernel.first(asked, self._scanned.get(asked, 0), limits)
        self._scanned[asked] = search.next
        if (found := search.found) is None:
            return None
        return Violation(found.round, found, cast(Engine, self), found.bound, found.rounds)


ALL_EMERGED = Proof(
    "all emerged",
    "T(R_k) = T(Z)",
    "all that can emerge was reached",
    "Exploration from below has met Z from above: every visible state that Z allows was "
    "reached, each generator included. There is nothing left to emerge",
)


class SequenceEngine(KernelEngine[K]):
    """An engine that raises one bound: it computes R_0, R_1, R_2 and so on."""

    proofs: ClassVar = (
        Proof(
            "no new state",
            "R_k = R_{k+1}",
            "no context adds a state",
            "The last context added no state at all, not even below the tops. What one context "
            "adds depends only on what is there, so no further one ever adds anything",
        ),
        ALL_EMERGED,
    )
    is_complete = False

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

    def advance(self, limits: KernelLimits | None = None) -> Outcome:
        return self._grow(self._kernel.advance, limits)


class ListingEngine(KernelEngine[L]):
    """An engine that lists states one by one."""

    def list_states(self, k: int, start: int = 0) -> list[tuple[int, tuple[Word, ...]]]:
        """In the order of discovery, those from a number on."""
        words = {group: self._kernel.stack_words(self._template(group)) for group in self._groups}
        of_thread = {thread: words[group] for group in self._groups for thread in group}
        stacks = [of_thread[thread] for thread in range(len(self.system.threads))]
        return [
            (row[0], tuple(stack[local] for stack, local in zip(stacks, row[1:], strict=True)))
            for row in self._kernel.state_rows(start, self._kernel.round(k).parts)
        ]

    def certificate(self) -> AnyCertificate:
        from tepui.checker.certificates.states import Certificate

        return Certificate("states", self._groups, self._locals(), self._rows())

    def certificate_size(self) -> tuple[int, int]:
        symbols = sum(map(self._kernel.symbols_in_stacks, map(self._template, self._groups)))
        return self._kernel.round(self.last.k).parts, symbols

    @property
    def _groups(self) -> tuple[tuple[int, ...], ...]:
        """The threads that are exchanged with each other."""
        return certificate_groups(self.system, self.symmetry)

    def _template(self, group: tuple[int, ...]) -> int:
        """The template by which the stacks of a group are numbered."""
        return self.system.threads[group[0]]

    def _locals(self) -> tuple[tuple[tuple[Word, bool], ...], ...]:
        """For each group, its stacks, which are not cut."""
        words = (self._kernel.stack_words(self._template(group)) for group in self._groups)
        return tuple(tuple((word, False) for word in some) for some in words)

    def _rows(self) -> PackedRows:
        from tepui.checker.packed_rows import PackedRows

        return PackedRows(*self._kernel.packed_rows(self._kernel.round(self.last.k).parts))
