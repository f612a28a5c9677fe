"""Regular sets of configurations, as automata (WPDS, Definition 2), with and without weights.

A configuration ⟨p, u⟩ is accepted if u leads from the node p to an accepting node. The nodes are
states of a pushdown system, from which words are read, and inner nodes, to which transitions lead.
Saturation relies on the fact that no transition leads to a state (Definition 2), so this is
checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Literal

from tepui.errors import ModelError
from tepui.weighted.domains.semiring import Semiring, W
from tepui.weighted.system import Configuration, State, Symbol, Word
from tepui.weighted.system import Inner as Inner

Node = State | Inner
Transition = tuple[Node, Symbol | None, Node]
"""From a node, by a symbol, or by None, that is ε, to a node."""

Direction = Literal["forward", "backward"]
"""The direction in which the weights of a path are extended (Definition 11)."""


@dataclass(frozen=True)
class Configurations:
    """A regular set of configurations."""

    transitions: frozenset[Transition]
    accepting: frozenset[Node]

    def __post_init__(self) -> None:
        for source, symbol, target in self.transitions:
            if not isinstance(target, Inner):
                raise ModelError(
                    f"a transition from {source} by {symbol} leads to the state {target}, "
                    "but transitions lead to inner nodes only"
                )

    @classmethod
    def of(cls, *configurations: Configuration) -> Configurations:
        """The set of exactly these configurations."""
        transitions: set[Transition] = set()
        accepting: set[Node] = set()
        for number, (state, word) in enumerate(configurations):
            if isinstance(state, Inner):
                raise ModelError(f"{state} is an inner node of an automaton, and no state")
            stack: object = word
            if not isinstance(stack, tuple):
                raise ModelError(f"a stack is a tuple of symbols, not {stack!r}")
            node: Node = state
            for depth, symbol in enumerate(word, 1):
                follower = Inner((number, depth))
                transitions.add((node, symbol, follower))
                node = follower
            accepting.add(node)
        return cls(frozenset(transitions), frozenset(accepting))

    @classmethod
    def topped(
        cls, states: Iterable[State], tops: Iterable[Iterable[Symbol]], symbols: Iterable[Symbol]
    ) -> Configurations:
        """All stacks at some states whose first symbols are among `tops`, one choice for each
        place from the top, with any stack of `symbols` below: ⟨p, n m u⟩ for all u."""
        nodes: list[Node] = list(states)
        transitions: set[Transition] = set()
        for depth, choice in enumerate(tops, 1):
            follower = Inner(depth)
            transitions |= {(node, symbol, follower) for node in nodes for symbol in choice}
            nodes = [follower]
        rest = Inner("rest")
        transitions |= {(node, symbol, rest) for node in (*nodes, rest) for symbol in symbols}
        return cls(frozenset(transitions), frozenset((*nodes, rest)))

    def union(self, other: Configurations) -> Configurations:
        """All configurations of both."""
        ours, theirs = self._tagged(0), other._tagged(1)
        return Configurations(
            ours.transitions | theirs.transitions, ours.accepting | theirs.accepting
        )

    def __contains__(self, configuration: Configuration) -> bool:
        state, word = configuration
        nodes = self._closed({state})
        for symbol in word:
            nodes = self._closed(
                {to for node in nodes for to in self._steps.get((node, symbol), ())}
            )
        return bool(nodes & self.accepting)

    @cached_property
    def _steps(self) -> dict[tuple[Node, Symbol | None], list[Node]]:
        steps: dict[tuple[Node, Symbol | None], list[Node]] = {}
        for source, symbol, target in self.transitions:
            steps.setdefault((source, symbol), []).append(target)
        return steps

    def _repr_html_(self) -> str | None:
        from tepui.report.pictures.graph import graph_html
        from tepui.report.pictures.weighted_graphs import configurations_graph

        return graph_html(len(self.transitions), lambda: configurations_graph(self))

    def _closed(self, nodes: set[Node]) -> set[Node]:
        """These nodes and all that ε leads to."""
        waiting = list(nodes)
        while waiting:
            for node in self._steps.get((waiting.pop(), None), ()):
                if node not in nodes:
                    nodes.add(node)
                    waiting.append(node)
        return nodes

    def _tagged(self, tag: int) -> Configurations:
        """The same set, with inner nodes that no set with another tag has."""

        def tagged(node: Node) -> Node:
            return Inner((tag, node.name)) if isinstance(node, Inner) else node

        return Configurations(
            frozenset((tagged(s), symbol, tagged(t)) for s, symbol, t in self.transitions),
            frozenset(map(tagged, self.accepting)),
        )


def states_of(configurations: Configurations) -> list[State]:
    """The states at which there may be configurations, in a fixed order."""
    nodes = {source for source, _, _ in configurations.transitions} | configurations.accepting
    return sorted((node for node in nodes if not isinstance(node, Inner)), key=repr)


@dataclass(frozen=True)
class WeightedAutomaton(Generic[W]):
    """An automaton whose transitions have weights (Definition 11).

    It accepts a configuration with the combine of the weights of all paths that accept it; the
    weight of a path is extended along it or against it, as `direction` says.
    """

    domain: Semiring[W]
    transitions: Mapping[Transition, W]
    accepting: frozenset[Node]
    direction: Direction

    def weight(self, state: State, word: Word) -> W:
        """The weight with which a configuration is accepted."""
        at = self._closed({state: self.domain.one})
        for symbol in word:
            step: dict[Node, W] = {}
            for node, weight in at.items():
                for target, more in self._steps.get((node, symbol), ()):
                    self._add(step, target, self._along(weight, more))
            at = self._closed(step)
        accepted = self.domain.zero
        for node, weight in at.items():
            if node in self.accepting:
                accepted = self.domain.combine(accepted, weight)
        return accepted

    @cached_property
    def _steps(self) -> dict[tuple[Node, Symbol | None], list[tuple[Node, W]]]:
        steps: dict[tuple[Node, Symbol | None], list[tuple[Node, W]]] = {}
        for (source, symbol, target), weight in self.transitions.items():
            steps.setdefault((source, symbol), []).append((target, weight))
        return steps

    def _repr_html_(self) -> str | None:
        from tepui.report.pictures.graph import graph_html
        from tepui.report.pictures.weighted_graphs import weighted_graph

        return graph_html(len(self.transitions), lambda: weighted_graph(self))

    def _along(self, path: W, more: W) -> W:
        """The weight of a path that goes on with one more transition."""
        if self.direction == "forward":
            return self.domain.extend(path, more)
        return self.domain.extend(more, path)

    def _add(self, weights: dict[Node, W], node: Node, weight: W) -> bool:
        """Combine a weight into those of some nodes. Returns whether anything changed."""
        old = weights.get(node, self.domain.zero)
        weights[node] = self.domain.combine(old, weight)
        return weights[node] != old

    def _closed(self, weights: dict[Node, W]) -> dict[Node, W]:
        """The weights after any number of ε-transitions."""
        waiting = list(weights)
        while waiting:
            node = waiting.pop()
            for target, more in self._steps.get((node, None), ()):
                if self._add(weights, target, self._along(weights[node], more)):
                    waiting.append(target)
        return weights
