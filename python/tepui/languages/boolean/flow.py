"""Control-flow graphs on their way to a Program: locations, edges, and creations still open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tepui.languages.boolean import syntax
from tepui.languages.boolean.scope import Signature
from tepui.program.expressions import FALSE, Expression
from tepui.program.program import Call, Edge, End, Location, Procedure, Return, target_of


@dataclass(frozen=True, slots=True)
class Request:
    """A thread creation: which procedure, with which arguments, or from which location on."""

    statement: syntax.ThreadCreate | syntax.StartGoto
    procedure: str
    arguments: tuple[Expression, ...] = ()
    start: int | None = None

    @property
    def count(self) -> int:
        """How many threads are created."""
        statement = self.statement
        return statement.count if isinstance(statement, syntax.ThreadCreate) else 1


@dataclass(slots=True)
class Flow:
    """The control-flow graph of a procedure; it begins at location 0.

    `creations` says, for each location whose edge is a Create, which threads that creates.
    `begins` and `ends` are the locations of `atomic_begin` and `atomic_end`; `end` is the one at
    which control falls off the end, if there has to be one.
    """

    signature: Signature
    locations: list[Location]
    edges: list[Edge]
    creations: dict[int, tuple[Request, ...]] = field(default_factory=dict)
    begins: frozenset[int] = frozenset()
    ends: frozenset[int] = frozenset()
    end: int | None = None

    def procedure(self) -> Procedure:
        """The graph as a procedure of the Program."""
        signature = self.signature
        return Procedure(
            signature.name,
            tuple(self.locations),
            tuple(self.edges),
            signature.variables,
            len(signature.parameters),
            signature.results,
            position=signature.syntax.position,
        )

    def starts(self) -> list[int]:
        """Where threads and calls begin: the entry, and what `start_thread goto` names."""
        requests = [request for some in self.creations.values() for request in some]
        return [0, *(request.start for request in requests if request.start is not None)]

    def successors(self) -> list[list[int]]:
        """For each location, where control can go next, leaving out what can never happen."""
        found: list[list[int]] = [[] for _ in self.locations]
        for edge in self.edges:
            if edge.guard != FALSE and (target := target_of(edge)) is not None:
                found[edge.source].append(target)
        return found

    def reached_from(self, starts: Iterable[int]) -> set[int]:
        """The locations to which some path leads."""
        return _closure(self.successors(), starts)

    def connected_to(self, starts: Iterable[int]) -> set[int]:
        """The locations to which some chain of edges leads, be it one that can never happen."""
        targets: list[list[int]] = [[] for _ in self.locations]
        for edge in self.edges:
            if (target := target_of(edge)) is not None:
                targets[edge.source].append(target)
        return _closure(targets, starts)

    def restricted(self, kept: Sequence[int]) -> Flow:
        """Only some locations, in this order, when no edge leads from them to others."""
        numbers: dict[int | None, int] = {old: new for new, old in enumerate(kept)}
        return Flow(
            self.signature,
            [self.locations[old] for old in kept],
            [_moved(edge, numbers) for edge in self.edges if edge.source in numbers],
            {numbers[old]: self.creations[old] for old in kept if old in self.creations},
        )

    def in_a_loop(self, location: int) -> bool:
        """Whether some path leads from a location back to it."""
        successors = self.successors()
        return location in _closure(successors, successors[location])


Flows = dict[str, Flow]
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


def _moved(edge: Edge, numbers: Mapping[int | None, int]) -> Edge:
    """An edge between locations with other numbers."""
    source = numbers[edge.source]
    match edge:
        case Return() | End():
            return replace(edge, source=source)
        case Call():
            return replace(edge, source=source, target=numbers[edge.target])
        case _:
            return replace(edge, source=source, target=numbers.get(edge.target))
