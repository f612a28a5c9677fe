"""Names to numbers and back: how weighted systems and automata are handed to the kernel.

States come first, then the nodes that the kernel puts between the symbols that rules write, then
the inner nodes of a set. ε-transitions of sets are removed on the way.
"""

from __future__ import annotations

from itertools import count
from typing import Generic

from tepui.errors import Stopped
from tepui.kernels.door import Outcome, WeightedRules
from tepui.limits import require_room
from tepui.records import field, mutable_record, record
from tepui.weighted.configurations import Configurations, Inner, Node, Transition
from tepui.weighted.domains.semiring import W
from tepui.weighted.epsilon import without_epsilon
from tepui.weighted.system import State, Symbol, WeightedSystem

EPSILON = 2**32 - 1
"""The kernel's symbol for reading nothing."""

Edge = tuple[int, int, int]
GivenSet = tuple[list[Edge], list[int]]


@record
class Between:
    """The name of a node that the kernel has put between symbols that rules write."""

    number: int


@mutable_record
class Numbering:
    """The numbers of states and symbols."""

    states: dict[State, int] = field(default_factory=dict)
    symbols: dict[Symbol, int] = field(default_factory=dict)

    def add(self, configurations: Configurations) -> None:
        """Number the new states and symbols of a set of configurations."""
        for source, symbol, target in configurations.transitions:
            self.add_transition(source, symbol, target)
        for node in configurations.accepting:
            self.add_node(node)

    def add_transition(self, source: Node, symbol: Symbol | None, target: Node) -> None:
        self.add_node(source)
        self.add_node(target)
        if symbol is not None:
            self.symbols.setdefault(symbol, len(self.symbols))

    def add_node(self, node: Node) -> None:
        if not isinstance(node, Inner):
            self.states.setdefault(node, len(self.states))


@mutable_record
class Nodes:
    """The numbers of the nodes of one automaton: states by name, inner nodes in order of
    appearance."""

    names: Numbering
    first: int
    """The number of the first inner node."""
    inner: dict[Inner, int] = field(default_factory=dict)

    def number(self, node: Node) -> int:
        if isinstance(node, Inner):
            return self.inner.setdefault(node, self.first + len(self.inner))
        return self.names.states[node]

    def edge(self, transition: Transition) -> Edge:
        source, symbol, target = transition
        read = EPSILON if symbol is None else self.names.symbols[symbol]
        return self.number(source), read, self.number(target)

    def given(self, configurations: Configurations) -> GivenSet:
        """A set in the form that the kernel takes."""
        read = without_epsilon(configurations)
        return sorted(map(self.edge, read.transitions)), sorted(map(self.number, read.accepting))


class Numbered(Generic[W]):
    """A weighted system in numbers, with the sets of configurations in question."""

    def __init__(self, system: WeightedSystem[W], *sets: Configurations) -> None:
        self.system = system
        packed = system.packed
        self.names = Numbering(
            dict(zip(packed.states, count(), strict=False)),
            dict(zip(packed.symbols, count(), strict=False)),
        )
        for each in sets:
            self.names.add(each)
        counts = len(self.names.states), len(self.names.symbols)
        numbers = len(packed.numbers) + len(packed.words)
        require_room(3 * numbers * packed.numbers.itemsize)
        self.rules = WeightedRules(*counts, packed.numbers.tobytes(), packed.words.tobytes())

    def nodes(self) -> Nodes:
        """Numbers for the nodes of a set."""
        return Nodes(self.names, self.rules.nodes)


def require_done(outcome: Outcome) -> None:
    if outcome != "done":
        raise Stopped.at_limit(outcome)
