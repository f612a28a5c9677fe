"""Automata with weights and transducers as graphs: a weight comes after its symbol.

States of a pushdown system are boxes with their names, all other nodes are round and numbered.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from tepui.report.pictures.automaton_graphs import node_kind
from tepui.report.pictures.graph import Edge, Graph, Node
from tepui.report.pictures.svg import shortened
from tepui.weighted.configurations import Configurations, Inner, WeightedAutomaton
from tepui.weighted.transducers.transducer import Transducer

_LONGEST = 40
"""Longer weights are shortened."""
_LONGEST_NAME = 16
"""Nodes with longer names are shown as numbers."""


def configurations_graph(configurations: Configurations) -> Graph:
    """A regular set of configurations of a weighted system."""
    transitions = {
        (source, _symbol(symbol), target): ""
        for source, symbol, target in configurations.transitions
    }
    return _generic("configurations", transitions, configurations.accepting)


def weighted_graph(automaton: WeightedAutomaton[Any]) -> Graph:
    """A weighted automaton; weights as their domain shows them."""
    transitions = {
        (source, _symbol(symbol), target): _weight(weight)
        for (source, symbol, target), weight in automaton.transitions.items()
    }
    return _generic("weighted automaton", transitions, automaton.accepting)


def transducer_graph(transducer: Transducer[Any]) -> Graph:
    """A transducer: what is read, a stroke, what is written, and the weight."""
    arcs = {
        (source, f"{_symbol(read)}/{_symbol(written)}", target): _weight(weight)
        for (source, read, written, target), weight in transducer.arcs.items()
    }
    return _generic("transducer", arcs, transducer.final, transducer.initial)


def _generic(
    name: str,
    steps: Mapping[tuple[Hashable, str, Hashable], str],
    accepting: Iterable[Hashable],
    initial: Iterable[Hashable] = (),
) -> Graph:
    """A graph of anything that has a text. Inner nodes and those with a long text are numbered."""
    accepting, initial = set(accepting), set(initial)
    found = accepting | initial | {node for source, _, end in steps for node in (source, end)}
    ordered = sorted(found, key=lambda node: (isinstance(node, Inner), repr(node)))
    keys = {node: f"n{number}" for number, node in enumerate(ordered)}
    nodes = []
    for node in ordered:
        is_inner = isinstance(node, Inner) or len(str(node)) > _LONGEST_NAME
        kind = node_kind(is_inner, node in accepting) + (" initial" if node in initial else "")
        label = keys[node].replace("n", "s") if is_inner else str(node)
        nodes.append(Node(keys[node], label, kind, str(node)))
    edges = [
        Edge(keys[source], keys[target], f"{label}: {weight}" if weight else label)
        for (source, label, target), weight in steps.items()
    ]
    edges.sort(key=lambda edge: (int(edge.source[1:]), int(edge.target[1:]), edge.label))
    return Graph(name, tuple(nodes), tuple(edges), "right")


def _symbol(symbol: Hashable) -> str:
    return "ε" if symbol is None else str(symbol)


def _weight(weight: object) -> str:
    return shortened(" ".join(str(weight).split()), _LONGEST)
