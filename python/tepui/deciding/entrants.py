"""The ways to explore a system that an engine's name stands for.

An entrant is one way, with what it has explored so far: several questions about one system share
it. A name stands for one, and `auto` for all that race, in the order in which they join.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tepui.engines.finite_context import finite_contexts
from tepui.engines.registry import AUTO, EngineKind, Request, kind_of, racing, usual

if TYPE_CHECKING:
    from tepui.deciding.options import Options
    from tepui.deciding.z_budget import BudgetedZ
    from tepui.engines.engine import Engine
    from tepui.engines.rounds import Resource
    from tepui.limits import Meter
    from tepui.subject import Subject

SECONDS_FOR_Z = 0.5
"""How long Z may take to show that the contexts of a recursive program are finite. If it takes
longer, they may be infinite."""


class Entrant:
    """One way to explore a system. Its engine is made when it is first needed."""

    def __init__(self, kind: EngineKind, request: Request, joins_at: int = 0) -> None:
        self.kind = kind
        self.joins_at = joins_at
        """How much work others do before this one begins."""
        self.is_out = False
        """Whether it has dropped out for good."""
        self.shown = 0
        """How many of its visible states were looked at for markers."""
        self._request = request
        self._engine: Engine | None = None

    @property
    def engine(self) -> Engine:
        """What to explore with."""
        if self._engine is None:
            self._engine = self.kind.make(self._request)
        return self._engine

    @property
    def infinite(self) -> list[str]:
        """The threads that cannot be explored in this way."""
        return self.kind.infinite_in(self._request)

    @property
    def has_begun(self) -> bool:
        return self._engine is not None

    @property
    def work(self) -> int:
        return 0 if self._engine is None else self._engine.work

    def drop_out(self) -> None:
        """Release everything that is held."""
        self.is_out = True
        self.start_again()

    def start_again(self) -> None:
        """Lose what was explored."""
        self._engine = None
        self.shown = 0


class Entrants:
    """The ways to explore one system."""

    def __init__(self, subject: Subject, options: Options, meter: Meter, z: BudgetedZ) -> None:
        self.system = subject.system
        self._fused = subject.fused
        self._options = options
        self._meter = meter
        self._z = z
        self._entrants: list[Entrant] = []

    def left(self, *, collapse: bool = False) -> list[Entrant]:
        """The entrants that have not dropped out. Who looks for the collapse of R_k has no use for
        one that counts steps, unless it was chosen."""
        self._entrants = self._entrants or self._all()
        left = [entrant for entrant in self._entrants if not entrant.is_out]
        if collapse and self._options.engine == AUTO:
            left = [entrant for entrant in left if entrant.kind.counts != "steps"]
        return left

    @property
    def begun(self) -> list[Entrant]:
        """The entrants that hold what they have explored."""
        return [entrant for entrant in self._entrants if entrant.has_begun]

    def simplest(self, *, refused: bool) -> Entrant:
        """The entrant that shows the initial state, if there was no time to choose. If something
        was refused, the chosen one may be refused, too."""
        named = AUTO if refused else self._options.engine
        return self._entrant(usual("contexts") if named == AUTO else kind_of(named))

    def make(self, kind: EngineKind) -> Engine:
        """An engine beside those that compete."""
        return self._entrant(kind).engine

    @cached_property
    def finite(self) -> tuple[bool, ...]:
        """For each template, whether its threads are known to have finite-context reachability:
        if all have it, all R_k are finite (Theorem 29)."""
        return finite_contexts(
            self.system,
            lambda: self._z.completed_within(SECONDS_FOR_Z),
            lambda: self._meter.for_kernel(0),
        )

    def _all(self) -> list[Entrant]:
        named = self._options.engine
        if named != AUTO:
            return [self._entrant(kind_of(named))]
        return [
            self._entrant(kind, joins_at)
            for joins_at, kind in racing(finite=all(self.finite))
            if self._may_count(kind.counts)
        ]

    def _may_count(self, resource: Resource) -> bool:
        """Whether engines that count something may take part: only contexts where a bound counts
        these, and no delays where steps, which delays count, are fused."""
        if resource == "contexts":
            return True
        return self._options.contexts is None and (resource == "steps" or not self._fused)

    def _entrant(self, kind: EngineKind, joins_at: int = 0) -> Entrant:
        options = self._options
        request = Request(
            self.system,
            lambda: self.finite,
            options.symmetry,
            options.tops,
            options.rounds,
            options.delays,
        )
        return Entrant(kind, request, joins_at)
