"""Control-flow graphs on their way to a Program: locations, edges, and creations that are not
resolved yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tepui.program.expressions import FALSE, Expression, Variable
from tepui.program.program import NOWHERE, Edge, Location, Position, Procedure, target_of
from tepui.program.types import Scalar
from tepui.program.walk import with_ends
from tepui.records import field, mutable_record, record

Refuse = Callable[[Position, str], Exception]
"""Makes the error that a front end raises about a place in its text."""


@record
class Creation:
    """Threads that are created together: which procedure they run, with which arguments, or from
    which label of the procedure that creates them."""

    procedure: str
    arguments: tuple[Expression, ...] = ()
    count: int | None = 1
    position: Position = NOWHERE
    label: str = ""
    start: int | None = None
    """The location of the label, which the builder finds."""


@mutable_record
class Draft:
    """The control-flow graph of a procedure; it begins at location 0.

    `creations` says, for each location whose edge is a Create, which threads that creates.
    `begins` and `ends` are the locations where atomic sections begin and end; `end` is the one at
    which control falls off the end, if there has to be one.
    """

    name: str
    parameters: tuple[Variable, ...]
    locals: tuple[Variable, ...]
    results: tuple[Scalar, ...]
    position: Position
    locations: list[Location]
    edges: list[Edge]
    creations: dict[int, tuple[Creation, ...]] = field(default_factory=dict)
    begins: set[int] = field(default_factory=set)
    ends: set[int] = field(default_factory=set)
    end: int | None = None

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (*self.parameters, *self.locals)

    def procedure(self) -> Procedure:
        """The graph as a procedure of the Program."""
        return Procedure(
            self.name,
            tuple(self.locations),
            tuple(self.edges),
            self.variables,
            len(self.parameters),
            self.results,
            position=self.position,
        )

    def all_creations(self) -> list[Creation]:
        return [creation for some in self.creations.values() for creation in some]

    def starts(self) -> list[int]:
        """Where threads and calls begin: the entry, and the labels at which threads do."""
        labels = [creation.start for creation in self.all_creations()]
        return [0, *(start for start in labels if start is not None)]

    def successors(self) -> list[list[int]]:
        """For each location, where control can go next, leaving out what can never happen."""
        return self._targets(edge for edge in self.edges if edge.guard != FALSE)

    def reached_from(self, starts: Iterable[int]) -> set[int]:
        """The locations to which some path leads."""
        return _closure(self.successors(), starts)

    def connected_to(self, starts: Iterable[int]) -> set[int]:
        """The locations to which some chain of edges leads, even one that can never happen."""
        return _closure(self._targets(self.edges), starts)

    def in_a_loop(self, location: int) -> bool:
        """Whether some path leads from a location back to it."""
        successors = self.successors()
        return location in _closure(successors, successors[location])

    def falls_off(self) -> bool:
        """Whether some path leads to the end."""
        return self.end in self.reached_from(self.starts())

    def keep(self, kept: Sequence[int]) -> None:
        """Keep only some locations, in this order. No edge may lead from them to others."""
        numbers = {old: new for new, old in enumerate(kept)}
        self.locations = [self.locations[old] for old in kept]
        self.edges = [
            with_ends(edge, numbers[edge.source], None if target is None else numbers[target])
            for edge in self.edges
            if edge.source in numbers
            for target in [target_of(edge)]
        ]
        creations = self.creations
        self.creations = {numbers[old]: creations[old] for old in kept if old in creations}
        self.end = None if self.end is None else numbers.get(self.end)

    def _targets(self, edges: Iterable[Edge]) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.locations]
        for edge in edges:
            if (target := target_of(edge)) is not None:
                found[edge.source].append(target)
        return found


Drafts = dict[str, Draft]
"""The control-flow graphs of all procedures, by name."""


def _closure(successors: list[list[int]], starts: Iterable[int]) -> set[int]:
    seen = set(starts)
    waiting = list(seen)
    while waiting:
        for target in successors[waiting.pop()]:
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen
