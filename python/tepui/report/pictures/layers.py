"""The layers of a graph: edges that close a cycle lead upwards, all others down.

Layers follow the longest paths, so no edge is within one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def edges_upwards(count: int, ends: dict[int, tuple[int, int]]) -> set[int]:
    """The edges that close a cycle in a search that begins where no edge enters."""
    leaving: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    entered = [False] * count
    for key, (source, target) in ends.items():
        leaving[source].append((key, target))
        entered[target] = True
    closing: set[int] = set()
    state = [0] * count
    starts = sorted(range(count), key=lambda node: (entered[node], node))
    for start in starts:
        if state[start]:
            continue
        state[start] = 1
        work: list[tuple[int, Iterator[tuple[int, int]]]] = [(start, iter(leaving[start]))]
        while work:
            node, edges = work[-1]
            for key, target in edges:
                if state[target] == 1:
                    closing.add(key)
                elif not state[target]:
                    state[target] = 1
                    work.append((target, iter(leaving[target])))
                    break
            else:
                state[node] = 2
                work.pop()
    return closing


def layers_of(count: int, steps: Iterable[tuple[int, int]]) -> list[int]:
    """A layer for each item: below all that is above it, and no higher than what follows needs."""
    below: list[list[int]] = [[] for _ in range(count)]
    above: list[list[int]] = [[] for _ in range(count)]
    for upper, lower in steps:
        below[upper].append(lower)
        above[lower].append(upper)
    order: list[int] = []
    missing = [len(items) for items in above]
    ready = [item for item in range(count) if not missing[item]]
    while ready:
        item = ready.pop()
        order.append(item)
        for lower in below[item]:
            missing[lower] -= 1
            if not missing[lower]:
                ready.append(lower)
    layers = [0] * count
    for item in order:
        layers[item] = max((layers[upper] + 1 for upper in above[item]), default=0)
    for item in reversed(order):
        alone = all(not above[upper] and len(below[upper]) == 1 for upper in above[item])
        if below[item] and (len(below[item]) > len(above[item]) or alone):
            layers[item] = min(layers[lower] for lower in below[item]) - 1
    return layers
