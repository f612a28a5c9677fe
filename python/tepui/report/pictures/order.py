"""The order of items within their layers, such that few edges cross.

Each layer is sorted by the mean place of the neighbours of its items, downwards and upwards in
turn, some times over, and the order with the fewest crossings is kept. Neither a better order to
begin with nor exchanges of neighbours at the end make graphs of real programs clearer.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise

_SWEEPS = 24

Neighbours = list[list[int]]


def ordered(layer_of: Sequence[int], steps: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The items of each layer in their order; a step leads from a layer to the next one."""
    above: Neighbours = [[] for _ in layer_of]
    below: Neighbours = [[] for _ in layer_of]
    for upper, lower in steps:
        above[lower].append(upper)
        below[upper].append(lower)
    layers: list[list[int]] = [[] for _ in range(max(layer_of) + 1)]
    for item, layer in enumerate(layer_of):
        layers[layer].append(item)
    best, fewest = layers, crossings(layers, below)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        layers = _swept(layers, above) if sweep % 2 == 0 else _swept(layers[::-1], below)[::-1]
        found = crossings(layers, below)
        if found < fewest:
            best, fewest = layers, found
    return best


def crossings(layers: list[list[int]], below: Neighbours) -> int:
    """How many pairs of steps cross."""
    count = 0
    for items, following in pairwise(layers):
        place = {item: number for number, item in enumerate(following)}
        gone: list[int] = []
        for item in items:
            ends = [place[lower] for lower in below[item]]
            count += sum(len(gone) - bisect_right(gone, end) for end in ends)
            for end in ends:
                insort(gone, end)
    return count


def _swept(layers: list[list[int]], before: Neighbours) -> list[list[int]]:
    """Each layer except the first, sorted by the neighbours of its items in the one before."""
    swept = layers[:1]
    for items in layers[1:]:
        place = {item: number for number, item in enumerate(swept[-1])}
        mean = {item: float(number) for number, item in enumerate(items)}
        for item in items:
            if before[item]:
                mean[item] = sum(place[other] for other in before[item]) / len(before[item])
        swept.append(sorted(items, key=mean.__getitem__))
    return swept
