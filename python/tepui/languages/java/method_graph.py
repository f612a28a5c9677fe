"""The control-flow graph of a procedure while it is made.

Places are numbered as they are met, and a place becomes a location of the procedure in the end.
Steps that do nothing are left out then, so translations need not avoid them.
"""

from __future__ import annotations

from tepui.program.expressions import TRUE, Variable
from tepui.program.program import Edge, Location, Position, Procedure, Step, target_of
from tepui.program.types import Scalar
from tepui.program.walk import with_ends

Place = int


class Graph:
    """Places and edges of one procedure, which begins at place 0."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.edges: list[Edge] = []
        self._positions: list[Position] = []
        self._texts: list[str] = []
        self._atomic: list[bool] = []

    def place(self, position: Position, text: str = "", *, atomic: bool = False) -> Place:
        """A new place."""
        self._positions.append(position)
        self._texts.append(text)
        self._atomic.append(atomic)
        return len(self._positions) - 1

    def describe(self, place: Place, position: Position, text: str) -> None:
        """Say what is done at a place, unless that has been said already."""
        if not self._texts[place]:
            self._positions[place], self._texts[place] = position, text

    def is_described(self, place: Place) -> bool:
        return bool(self._texts[place])

    def is_atomic(self, place: Place) -> bool:
        return self._atomic[place]

    def add(self, edge: Edge) -> None:
        self.edges.append(edge)

    def procedure(
        self,
        variables: tuple[Variable, ...],
        parameters: int,
        results: tuple[Scalar, ...],
        position: Position,
    ) -> Procedure:
        """The procedure, without places that nothing leads to, and without steps that do
        nothing."""
        leaving: dict[Place, list[Edge]] = {}
        for edge in self.edges:
            leaving.setdefault(edge.source, []).append(edge)
        skipped = {place: self._skipped(place, leaving) for place in range(len(self._positions))}
        kept = self._reached(leaving, skipped)
        numbers = {place: number for number, place in enumerate(kept)}
        edges = []
        for place in kept:
            for edge in leaving.get(place, ()):
                to = target_of(edge)
                target = None if to is None else numbers[skipped[to]]
                edges.append(with_ends(edge, numbers[place], target))
        locations = tuple(
            Location(self._positions[place], self._texts[place], (), self._atomic[place])
            for place in kept
        )
        return Procedure(
            self.name, locations, tuple(edges), variables, parameters, results, 0, position
        )

    def _skipped(self, place: Place, leaving: dict[Place, list[Edge]]) -> Place:
        """The next place at which something is done."""
        seen = {place}
        while True:
            edges = leaving.get(place, [])
            if len(edges) != 1 or place == 0 or self._texts[place]:
                return place
            edge = edges[0]
            if not isinstance(edge, Step) or edge.target is None:
                return place
            nothing = edge.guard == TRUE == edge.constraint and not edge.assignments
            if not nothing or self._atomic[place] != self._atomic[edge.target]:
                return place
            if edge.target in seen:
                return place
            place = edge.target
            seen.add(place)

    def _reached(
        self, leaving: dict[Place, list[Edge]], skipped: dict[Place, Place]
    ) -> list[Place]:
        seen, waiting = {0}, [0]
        while waiting:
            for edge in leaving.get(waiting.pop(), ()):
                to = target_of(edge)
                if to is not None and skipped[to] not in seen:
                    seen.add(skipped[to])
                    waiting.append(skipped[to])
        return sorted(seen)
