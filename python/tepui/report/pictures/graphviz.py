"""Graphs as text for Graphviz, with all labels."""

from __future__ import annotations

import re

from tepui.report.pictures.graph import Graph, Node, bundled, with_starts, wrapped


def graph_dot(graph: Graph) -> str:
    """The graph as the text of a Graphviz file."""
    graph = with_starts(graph)
    lines = [f"digraph {_quoted(graph.name)} {{"]
    if graph.direction == "right":
        lines.append("    rankdir=LR;")
    lines.append('    node [shape=box, fontname="monospace"];')
    if graph.edges:
        lines.append('    edge [fontname="monospace"];')
    groups: dict[str, list[Node]] = {}
    for node in graph.nodes:
        groups.setdefault(node.group, []).append(node)
    for place, (group, nodes) in enumerate(groups.items()):
        indent = "    "
        if group:
            lines.append(f"    subgraph cluster_{place} {{")
            indent = "        "
            lines.append(f"{indent}label={_quoted(group)};")
        lines += [f"{indent}{_name(node.key)} [{_attributes(node)}];" for node in nodes]
        if group:
            lines.append("    }")
    for bundle in bundled(graph):
        label = "\n".join(wrapped(bundle.labels, most=None))
        attributes = [f"label={_quoted(label)}"] if label else []
        if bundle.kind in _EDGES:
            attributes.append(_EDGES[bundle.kind])
        listed = f" [{', '.join(attributes)}]" if attributes else ""
        lines.append(f"    {_name(bundle.source)} -> {_name(bundle.target)}{listed};")
    return "\n".join([*lines, "}\n"])


_NODES = {
    "point": "shape=point",
    "round": "shape=circle",
    "accepting": "peripheries=2",
    "thread": 'style="rounded,bold"',
    "entry": "style=bold",
    "end": "style=rounded",
    "inside": "style=dashed",
    "check": "color=orange",
    "unused": "color=gray, fontcolor=gray",
}

_WORDS = {"node", "edge", "graph", "digraph", "subgraph", "strict"}

_EDGES = {"run": "style=bold", "fork": "style=dashed"}


def _attributes(node: Node) -> str:
    attributes = [f"label={_quoted(node.label)}"]
    attributes += [_NODES[word] for word in node.kind.split() if word in _NODES]
    if node.title:
        attributes.append(f"tooltip={_quoted(node.title)}")
    return ", ".join(attributes)


def _name(key: str) -> str:
    """A key, between quotes where Graphviz wants them."""
    bare = re.fullmatch("[A-Za-z_][A-Za-z_0-9]*", key) and key.lower() not in _WORDS
    return key if bare else _quoted(key)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
