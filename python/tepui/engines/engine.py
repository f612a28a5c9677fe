"""What all engines have in common: rounds, what is observed after each, and violations.

An engine computes R_0, R_1, R_2, … of a system, one after the other. It describes each of them,
finds bad states, and gives the evidence for a conclusion. It decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from tepui.engines.rounds import Delayed, Proof, Round
from tepui.records import field, record

if TYPE_CHECKING:
    from tepui.checker import AnyCertificate, Trace
    from tepui.kernels.door import KernelLimits, Outcome
    from tepui.limits import Meter
    from tepui.model import Property, System
    from tepui.model.system import VisibleState, Word
    from tepui.z import Z
    from tepui.z.strength import Strength


@record
class Observation:
    """What is known after a round.

    >>> system = tepui.load("examples/figure4.cpds")
    >>> first = next(tepui.observe(system))
    >>> first.k, first.states, first.visible
    (0, 1, 1)
    """

    k: int
    states: int | None
    """|R_k|, every permutation of equal threads counted; None if it is infinite."""
    visible: int
    """|T(R_k)|, every permutation of equal threads counted."""
    new_visible: int
    states_up_to_symmetry: int | None
    """The same up to symmetry, by an engine that uses it; without symmetry, both agree."""
    visible_up_to_symmetry: int | None
    seconds: float
    """What this round took."""
    engine: Engine = field(repr=False)
    mark: int
    """Within one engine, equal R_k have equal marks, and different ones have different marks."""
    delays: Delayed | None = None
    """Where delays are counted instead of contexts, this is R(r, d), the k-th on the way."""
    steps: int | None = None
    """Where steps are counted instead of contexts, this is what that number can reach, the k-th
    on the way."""

    @property
    def row(self) -> Round:
        """The same as a row of the table."""
        return Round(
            self.k,
            self.states,
            self.visible,
            self.new_visible,
            self.seconds,
            self.delays,
            self.steps,
        )

    @property
    def name(self) -> str:
        """The name of the system."""
        return self.engine.system.name

    def list_visible(self) -> list[VisibleState]:
        """T(R_k); up to symmetry if that is on. A UsageError if there are too many to list."""
        return self.engine.list_visible(self.k)

    def list_states(self) -> list[tuple[int, tuple[Word, ...]]]:
        """R_k as shared states and stacks; up to symmetry if that is on. Only if it is finite."""
        return self.engine.list_states(self.k)

    def _repr_html_(self) -> str:
        from tepui.report.notebook import observation_html

        return observation_html(self.row)


@record
class Violation:
    """A bad state that an engine has found: in which round, and what identifies it there."""

    k: int
    key: object
    engine: Engine
    bound: int
    """The contexts or the delays that it takes."""
    rounds: int | None = None
    """Where delays are counted, the rounds within which no fewer are enough."""

    def trace(self, bad: Property, limits: KernelLimits | None = None) -> Trace:
        """A run with the fewest contexts, or delays, into a state that is bad like this one; a
        TimeoutError at the limit."""
        return self.engine.trace(self, bad, limits)


class Engine(Protocol):
    """What a run needs from an engine, while it goes on and at the end."""

    @property
    def observations(self) -> Sequence[Observation]:
        """The observations of all complete rounds, R_0 first."""

    @property
    def bytes(self) -> int:
        """How much memory it holds."""

    @property
    def work(self) -> int:
        """How much was done, in states or operations; a million takes about a second."""

    @property
    def found(self) -> tuple[int | None, int]:
        """States and visible states found, an unfinished round included."""

    @property
    def has_collapsed(self) -> bool:
        """Whether the rounds show that no later one has another state."""

    @property
    def at_plateau(self) -> bool:
        """Whether the last rounds have shown nothing new."""

    @property
    def last_growth(self) -> int:
        """The first round that shows as much as the last one."""

    @property
    def is_complete(self) -> bool:
        """Whether it was given bounds, and has found everything that they allow."""

    @property
    def proofs(self) -> tuple[Proof, Proof]:
        """The two proofs that it can give: no state is new any more, or no visible state."""

    def closure(self, strengths: Sequence[Strength], meter: Meter) -> Z | None:
        """The states that were reached, cut like a Z of one of these strengths, if no action leads
        out of them."""

    def advance(self, limits: KernelLimits | None = None) -> Outcome:
        """Go on with the next round, and say how that ended."""

    def first_new_bad(self, bad: Property, limits: KernelLimits | None = None) -> Violation | None:
        """A bad state among those not searched before, of the earliest round that has one. A state
        that was found once is found again, as another question may be the same."""

    @property
    def system(self) -> System: ...

    @property
    def symmetry(self) -> bool:
        """Whether it works up to permutations of equal threads."""

    def trace(
        self, violation: Violation, bad: Property, limits: KernelLimits | None = None
    ) -> Trace:
        """A run with the fewest contexts, or delays, into a state that is bad like this one; a
        TimeoutError at the limit."""

    def list_visible(self, k: int) -> list[VisibleState]: ...

    def list_states(self, k: int) -> list[tuple[int, tuple[Word, ...]]]: ...

    def points(self, start: int = 0, tops: list[int] | None = None) -> list[list[int]]:
        """For each thread type of a program, the points that were reached; where visible states
        have numbers, those that are seen from this one on. With `tops`, at least those that
        threads reach in steps from these points."""

    def certificate(self) -> AnyCertificate:
        """A collapsed R_k, as evidence that the checker accepts."""

    def certificate_size(self) -> tuple[int, int]:
        """How many entries the certificate will have, and how many symbols all its stacks."""
