"""The rules of a pushdown system as a graph, each template by itself.

A node is a shared state and a top of the stack, where a rule applies or to which one leads. The
symbol below a popped one is not known, so a pop leads to a round node with the shared state alone.
"""

from __future__ import annotations

from tepui.model import System, Template
from tepui.report.pictures.graph import Edge, Graph, Node


def rules_graph(system: System) -> Graph:
    """All rules of a system."""
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    for template in system.templates:
        start = _node(system, template, system.initial, *template.stack[:1])
        nodes[start.key] = Node(start.key, start.label, "initial", start.title, template.name)
        for rule in template.rules:
            source = _node(system, template, rule.source, rule.top)
            target = _node(system, template, rule.target, *rule.word[:1])
            below = rule.word[1:]
            label = f"push {template.word_text(below)}" if below else ""
            edges.append(Edge(source.key, target.key, label))
            for node in (source, target):
                nodes.setdefault(node.key, node)
    return Graph(f"rules of {system.name}", tuple(nodes.values()), tuple(edges))


def _node(system: System, template: Template, shared: int, top: int | None = None) -> Node:
    name = system.shared[shared]
    if top is None:
        title = f"{template.name} in {name}, whatever is on top now"
        return Node(f"{template.name}:{shared}", name, "round", title, template.name)
    label = f"{name} | {template.symbols[top]}"
    key = f"{template.name}:{shared}:{top}"
    return Node(key, label, "", f"{template.name} in {label}", template.name)
