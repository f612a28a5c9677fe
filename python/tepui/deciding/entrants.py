"""The ways to explore a system that an engine's name stands for.

An entrant is one way, with what it has explored so far: several questions about one system share
it. Most names stand for one. `auto` stands for all that may be best, in the order in which they
join a race (see `race`); the figures are justified by the benchmark of engines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tepui.convergence import finite_contexts
from tepui.deciding.ceiling import Ceiling
from tepui.deciding.options import Options
from tepui.engines.abstract import AbstractExploration
from tepui.engines.delay import DelayExploration
from tepui.engines.diagram import DiagramExploration
from tepui.engines.engine import Engine
from tepui.engines.explicit import Exploration
from tepui.engines.symbolic import SymbolicExploration
from tepui.limits import Meter
from tepui.model import System
from tepui.result import Resource

HEIGHTS = (2, 4, 8, 16, 32)
"""How far above the initial stacks to look where a thread has no finite-context reachability."""

PATIENCE = 300_000
"""How much work the first entrant does before others join."""


class Entrant:
    """One way to explore a system; the next engine if the last one was not enough."""

    def __init__(
        self,
        engines: Callable[[], Iterator[Engine]],
        resource: Resource = "contexts",
        joins_at: int = 0,
    ) -> None:
        self.resource = resource
        self.joins_at = joins_at
        """How much work others do before it begins."""
        self.is_out = False
        """Whether it has dropped out for good."""
        self._made: list[Engine] = []
        self._engines = engines()

    def engines(self) -> Iterator[Engine]:
        """What to explore with: those made before, and then more."""
        yield from self._made
        for engine in self._engines:
            self._made.append(engine)
            yield engine

    @property
    def has_begun(self) -> bool:
        return bool(self._made)

    @property
    def work(self) -> int:
        return self._made[-1].work if self._made else 0

    def drop_out(self) -> None:
        """Let go of all that is held."""
        self.is_out = True
        self._made.clear()
        self._engines = iter(())


class Entrants:
    """The ways to explore one system."""

    def __init__(self, system: System, options: Options, meter: Meter, ceiling: Ceiling) -> None:
        self.system = system
        self.finite: tuple[bool, ...] = ()
        self._options = options
        self._meter = meter
        self._ceiling = ceiling
        self._entrants: list[Entrant] = []

    def left(self) -> list[Entrant]:
        """Those that have not dropped out."""
        self._entrants = self._entrants or list(self._named(self._options.engine))
        return [entrant for entrant in self._entrants if not entrant.is_out]

    def _named(self, name: str) -> Iterator[Entrant]:
        if name == "explicit":
            yield Entrant(self._explicit)
        elif name == "diagram":
            yield Entrant(self._diagram)
        elif name == "symbolic":
            yield Entrant(self._symbolic)
        elif name == "delay":
            yield Entrant(self._delay, "delays")
        elif name == "abstract":
            yield Entrant(self._abstract, "delays")
        else:
            yield from self._all()

    def _all(self) -> Iterator[Entrant]:
        if all(self.is_finite()):
            yield Entrant(self._explicit)
            yield Entrant(self._diagram, joins_at=PATIENCE)
        else:
            yield Entrant(self._diagram)
            yield Entrant(self._symbolic, joins_at=PATIENCE)
        if self._options.contexts is None:
            yield Entrant(self._delay, "delays", joins_at=PATIENCE)

    def _explicit(self) -> Iterator[Engine]:
        symmetry = self._options.symmetry
        if all(self.is_finite()):
            yield Exploration(self.system, symmetry=symmetry)
            return
        highest = max(len(template.stack) for template in self.system.templates)
        for height in HEIGHTS:
            yield Exploration(self.system, symmetry=symmetry, height=highest + height)

    def _diagram(self) -> Iterator[Engine]:
        symmetry = self._options.symmetry
        yield DiagramExploration(self.system, self.is_finite(), list_up_to_symmetry=symmetry)

    def _symbolic(self) -> Iterator[Engine]:
        yield SymbolicExploration(self.system, symmetry=self._options.symmetry)

    def _delay(self) -> Iterator[Engine]:
        options = self._options
        yield DelayExploration(
            self.system, tops=options.tops, rounds=options.rounds, delays=options.delays
        )

    def _abstract(self) -> Iterator[Engine]:
        options = self._options
        yield AbstractExploration(
            self.system, tops=options.tops, rounds=options.rounds, delays=options.delays
        )

    def is_finite(self) -> tuple[bool, ...]:
        """For each template, whether its threads are known to have finite-context reachability:
        if all have it, all R_k are finite (Theorem 29)."""
        if not self.finite:
            self.finite = finite_contexts(
                self.system, lambda: self._ceiling.raise_to(0), lambda: self._meter.for_kernel(0)
            )
        return self.finite
