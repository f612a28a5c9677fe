"""Automata in the JSON of the public PDAAAL tool.

    {"accepting": ["p2", 3], "edges": [["p0", "A", 3], ["p0", "B", 4], [4, "A", 3]]}

An older form, `{"states": {"p0": {"edges": [{"label": "A", "to": "3"}], "accepting": true}, …}}`,
also with a list of states, is read as well. Either may be the value of `P-automaton`. A node is a
state if the pushdown automaton has it. An edge without label is ε. Edges may lead to states, but no
edge may do so in our automata (WPDS, Definition 2). Such an edge leads to a copy of the state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tepui.weighted.configurations import Configurations, Inner, Node, Transition
from tepui.weighted.epsilon import without_epsilon
from tepui.weighted.files.documents import Value
from tepui.words import did_you_mean

Key = str | int
"""A node; where states have names, a number is never one of them."""

Edge = tuple[Key, str, Key]


@dataclass(frozen=True)
class PAutomaton:
    """An automaton that has been read."""

    edges: tuple[Edge, ...]
    accepting: frozenset[Key]

    @classmethod
    def of(cls, value: Value, states: Collection[str], named: bool) -> PAutomaton:
        members = value.members("an automaton")
        for title in _TITLES:
            if title in members:
                return cls.of(members[title], states, named)
        reader = _Reader(named)
        if "states" in members:
            reader.read_states(members["states"])
        else:
            reader.read_edges(value)
        reader.check(states)
        return cls(tuple(reader.edges), frozenset(reader.accepting))

    @property
    def labels(self) -> Iterator[str]:
        return (label for _, label, _ in self.edges if label)

    def configurations(self, states: Collection[str], labels: Collection[str]) -> Configurations:
        """The set that it accepts, given all states."""
        transitions: set[Transition] = set()
        for source, label, target in self.edges:
            step = (label or None, Inner(target))
            transitions.add((Inner(source), *step))
            if source in states:
                transitions.add((source, *step))
        accepting: set[Node] = {Inner(node) for node in self.accepting}
        accepting |= {node for node in self.accepting if node in states}
        return without_epsilon(Configurations(frozenset(transitions), frozenset(accepting)))


_TITLES = ("P-automaton", "initial_p_automaton", "final_p_automaton")


class _Reader:
    """Collects the content of a file, and where it first mentions each node."""

    def __init__(self, named: bool) -> None:
        self._named = named
        self._places: dict[Key, Value] = {}
        self.edges: list[Edge] = []
        self.accepting: list[Key] = []

    def read_edges(self, value: Value) -> None:
        members = value.fields("an automaton", ("accepting", "edges"), ("initial",))
        for item in members["edges"].items("the edges"):
            source, label, target = item.items("an edge, that is, a node, a label and a node,", 3)
            self.edges.append((self._node(source), label.text("a label"), self._node(target)))
        for node in members["accepting"].items("the accepting nodes"):
            self.accepting.append(self._node(node))

    def read_states(self, states: Value) -> None:
        """The older form."""
        if isinstance(states.raw, list):
            blocks = {str(number): each for number, each in enumerate(states.items("the states"))}
        else:
            blocks = states.members("the states")
        for name, node in blocks.items():
            members = node.fields("a node", ("edges",), ("accepting", "initial"))
            self._places.setdefault(name, node)
            if "accepting" in members and members["accepting"].truth("whether it accepts"):
                self.accepting.append(name)
            for item in members["edges"].items("the edges"):
                edge = item.fields("an edge", ("label", "to"))
                label = edge["label"].text("a label")
                self.edges.append((name, label, self._node(edge["to"])))

    def check(self, states: Collection[str]) -> None:
        """Refuse nodes that cannot be reached: they are probably states with a wrong name."""
        entered = {target for _, _, target in self.edges}
        for node, place in self._places.items():
            if node not in states and node not in entered:
                hint = did_you_mean(str(node), states)
                raise place.error(f"there is no state '{node}', and no edge leads there{hint}")

    def _node(self, value: Value) -> Key:
        node: Key
        if type(value.raw) is int:
            number = value.integer("a node", 0)
            node = number if self._named else str(number)
        else:
            node = value.text("a state")
        self._places.setdefault(node, value)
        return node
