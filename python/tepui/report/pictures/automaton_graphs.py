"""P-automata as graphs, like Figures 3 and 8 of CUBA.

Shared states are boxes with their names, and all other nodes are round. Nodes where a stack may end
have a double line.
"""

from __future__ import annotations

from tepui.automata.automaton import Automaton
from tepui.automata.pattern import LAST
from tepui.model import EPSILON
from tepui.report.pictures.graph import Edge, Graph, Node


def automaton_graph(automaton: Automaton) -> Graph:
    """A set of configurations of one thread."""
    system, symbols = automaton.system, automaton.template.symbols
    accepting: set[int] = set()
    steps: list[tuple[int, str, int]] = []
    for source, symbol, target in automaton.core.transitions():
        if symbol == EPSILON:
            accepting.add(source)
        else:
            steps.append((source, symbols[symbol], target))
    ends = {node for source, _, target in steps for node in (source, target)}
    nodes = [
        Node(
            _key(node),
            system.shared[node] if node >= 0 else _key(node),
            node_kind(node < 0, node in accepting),
        )
        for node in sorted(ends | accepting, key=_rank)
    ]
    edges = [
        Edge(_key(source), _key(target), symbol)
        for source, symbol, target in sorted(
            steps, key=lambda step: (_rank(step[0]), _rank(step[2]))
        )
    ]
    name = f"{system.name}: {system.thread_names[automaton.thread]}"
    return Graph(name, tuple(nodes), tuple(edges), "right")


def node_kind(is_inner: bool, accepts: bool) -> str:
    """How a node of an automaton looks."""
    return " ".join(word for word, given in (("round", is_inner), ("accepting", accepts)) if given)


def _key(node: int) -> str:
    return f"q{node}" if node >= 0 else f"s{LAST - node}"


def _rank(node: int) -> tuple[bool, int]:
    """Shared states first, then the others, each in ascending order of their numbers."""
    return node < 0, abs(node)
