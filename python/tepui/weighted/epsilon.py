"""Automata without ε-transitions, for the same sets of configurations.

Nodes to which no state leads are left out as well.
"""

from __future__ import annotations

from collections import defaultdict

from tepui.weighted.configurations import Configurations, Inner, Node, Transition


def without_epsilon(configurations: Configurations) -> Configurations:
    """The same set without ε: every node gets the transitions that it had after ε."""
    silent: dict[Node, list[Node]] = defaultdict(list)
    leaving: dict[Node, list[Transition]] = defaultdict(list)
    for transition in configurations.transitions:
        source, symbol, target = transition
        if symbol is None:
            silent[source].append(target)
        else:
            leaving[source].append(transition)
    nodes = {*silent, *leaving, *configurations.accepting}
    waiting = [node for node in nodes if not isinstance(node, Inner)]
    reached = set(waiting)
    transitions: set[Transition] = set()
    accepting: set[Node] = set()
    while waiting:
        node = waiting.pop()
        for other in _closure(node, silent):
            if other in configurations.accepting:
                accepting.add(node)
            for _, symbol, target in leaving.get(other, ()):
                transitions.add((node, symbol, target))
                if target not in reached:
                    reached.add(target)
                    waiting.append(target)
    return Configurations(frozenset(transitions), frozenset(accepting))


def _closure(node: Node, silent: dict[Node, list[Node]]) -> set[Node]:
    found = {node}
    waiting = [node]
    while waiting:
        for target in silent.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found
