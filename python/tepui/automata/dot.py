"""P-automata as Graphviz reads them, like Figures 3 and 8 of CUBA.

Shared states are boxes with their names, other nodes are circles; where the stack may end, the line
is doubled. Transitions between the same two nodes are one arrow.
"""

from __future__ import annotations

from tepui.automata.pattern import LAST
from tepui.kernels import PAutomaton
from tepui.model import EPSILON, System


def dot(system: System, thread: int, automaton: PAutomaton) -> str:
    """The text of a Graphviz file."""
    symbols = system.template_of(thread).symbols
    accepting: set[int] = set()
    labels: dict[tuple[int, int], list[str]] = {}
    nodes: set[int] = set()
    for source, symbol, target in automaton.transitions():
        nodes.add(source)
        if symbol == EPSILON:
            accepting.add(source)
        else:
            nodes.add(target)
            labels.setdefault((source, target), []).append(symbols[symbol])
    lines = [
        f"digraph {_quoted(f'{system.name}: {system.thread_names[thread]}')} {{",
        "    rankdir=LR;",
        "    node [shape=circle];",
    ]
    for node in sorted(nodes, key=_rank):
        lines.append(f"    {_name(node)} [{', '.join(_attributes(system, node, accepting))}];")
    for source, target in sorted(labels, key=lambda edge: tuple(map(_rank, edge))):
        label = _quoted(", ".join(labels[source, target]))
        lines.append(f"    {_name(source)} -> {_name(target)} [label={label}];")
    return "\n".join([*lines, "}\n"])


def _attributes(system: System, node: int, accepting: set[int]) -> list[str]:
    attributes = [f"label={_quoted(system.shared[node] if node >= 0 else f's{LAST - node}')}"]
    if node >= 0:
        attributes.append("shape=box")
    if node in accepting:
        attributes.append("peripheries=2")
    return attributes


def _name(node: int) -> str:
    return f"q{node}" if node >= 0 else f"s{LAST - node}"


def _rank(node: int) -> tuple[bool, int]:
    """Shared states first, then the others, each in ascending order of their numbers."""
    return node < 0, abs(node)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
