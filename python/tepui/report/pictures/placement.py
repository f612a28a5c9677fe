"""Where the parts of a graph go: layers from the top down, edges through the gaps between nodes.

This is the method of Sugiyama. `layers` says in which layer everything is, and `order` sorts each
layer such that few edges cross; a label is a node on its edge, so nothing is ever drawn over it. In
this order each part goes as near to its neighbours as the parts beside it allow. That is done
several times, downwards and then upwards, first with the mean of the neighbours and then with their
median, which leaves more edges straight.

Parts of a graph that are not connected are laid out by themselves and set side by side, in rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from tepui.records import field, mutable_record, record
from tepui.report.pictures.layers import edges_upwards, layers_of
from tepui.report.pictures.order import ordered

Point = tuple[float, float]

Pull = tuple[int, float]
"""A neighbour, and how strongly it attracts."""

Between = Callable[[list[tuple[float, float]], float], float]
"""The best place between some weighted places, given the present one."""

_MOST_ITEMS = 3000
"""The largest public programs take a third of this; the limit takes about a second."""
_SWEEPS = 24
_LAST_SWEEPS = 12
_BESIDE = 22.0
"""The least distance of two nodes of one layer."""
_BETWEEN = 30.0
"""The least distance of two layers, or half as much to a layer of labels only."""
_APART = 36.0
"""The distance of parts that are not connected."""
_FRAME = 24.0
"""The distance of a frame from what is in it."""
_WIDEST = 1200.0
"""The width of a row of such parts, unless one of them is wider."""
_STRAIGHT = 7.0
"""How far an edge is straight before and after a node."""
_PORTS = 14.0
"""The distance of two edges where they leave a node."""


class CrowdedError(Exception):
    """Too many edges cross too many layers: the picture would be unreadable."""


@record
class Size:
    """The room that something takes: along its layer before and behind its middle, and across."""

    before: float
    behind: float
    across: float
    touched: float = 0.0
    """How much of the room across belongs to the thing itself, which edges touch."""


@record
class Link:
    """An edge between different nodes, with the size of its label."""

    source: int
    target: int
    label: Size | None = None


@mutable_record
class Layout:
    """The middles of nodes and labels, the points of edges from source to target, and the total
    size."""

    nodes: dict[int, Point] = field(default_factory=dict)
    labels: dict[int, Point] = field(default_factory=dict)
    routes: dict[int, list[tuple[Point, Point]]] = field(default_factory=dict)
    """The straight pieces of each edge, which cross a layer. The pieces at its ends are points."""
    frames: dict[int, tuple[Point, Point]] = field(default_factory=dict)
    """For each group, two corners."""
    width: float = 0.0
    height: float = 0.0


def layout_of(
    sizes: Sequence[Size], links: Sequence[Link], groups: Sequence[Sequence[int]] = ()
) -> Layout:
    """A place for everything; earlier nodes are higher where nothing else decides.

    Groups are nodes that no edge connects with others; each gets a frame. CrowdedError, if edges
    are all over it.
    """
    parts = [_Part(sizes, links, nodes).laid_out() for nodes in _connected(len(sizes), links)]
    if not groups:
        return _side_by_side(parts)
    framed = []
    for number, members in enumerate(groups):
        inside = _side_by_side(
            [part for part in parts if not part.nodes.keys().isdisjoint(members)]
        )
        whole = Layout(width=inside.width + 2 * _FRAME, height=inside.height + 2 * _FRAME)
        whole.frames[number] = ((0.0, 0.0), (whole.width, whole.height))
        _add(whole, inside, _FRAME, _FRAME)
        framed.append(whole)
    return _side_by_side(framed, _APART - _BESIDE)


def _side_by_side(parts: list[Layout], closer: float = 0.0) -> Layout:
    """Parts in rows, from left to right."""
    apart = _APART - closer
    total = sum((part.width + apart) * (part.height + apart) for part in parts)
    row_width = max([min(2.0 * total**0.5, _WIDEST), *(part.width for part in parts)])
    whole = Layout()
    x = y = row_height = 0.0
    for part in parts:
        if x and x + part.width > row_width:
            x, y, row_height = 0.0, y + row_height + apart, 0.0
        _add(whole, part, x, y)
        x += part.width + apart
        row_height = max(row_height, part.height)
    return whole


def _add(whole: Layout, part: Layout, x: float, y: float) -> None:
    """Put a part at a place of the whole."""

    def moved(point: Point) -> Point:
        return point[0] + x, point[1] + y

    whole.nodes.update({key: moved(at) for key, at in part.nodes.items()})
    whole.labels.update({key: moved(at) for key, at in part.labels.items()})
    for key, pieces in part.routes.items():
        whole.routes[key] = [(moved(start), moved(end)) for start, end in pieces]
    for key, (start, end) in part.frames.items():
        whole.frames[key] = moved(start), moved(end)
    whole.width = max(whole.width, x + part.width)
    whole.height = max(whole.height, y + part.height)


def _connected(count: int, links: Sequence[Link]) -> list[list[int]]:
    """The nodes that are connected with each other, in the order of their first ones."""
    group = list(range(count))

    def root(node: int) -> int:
        while group[node] != node:
            group[node] = node = group[group[node]]
        return node

    for link in links:
        first, second = sorted((root(link.source), root(link.target)))
        group[second] = first
    groups: dict[int, list[int]] = {}
    for node in range(count):
        groups.setdefault(root(node), []).append(node)
    return list(groups.values())


@mutable_record
class _Part:
    """The working state for nodes that are connected: items are nodes, then labels, then the
    places where an edge crosses a layer."""

    given_sizes: Sequence[Size]
    given_links: Sequence[Link]
    members: list[int]
    sizes: list[Size] = field(default_factory=list)
    chains: dict[int, list[int]] = field(default_factory=dict)
    """For each edge its items, from the upper end to the lower one."""
    turned: set[int] = field(default_factory=set)
    """The edges whose upper end is their target."""
    label_items: dict[int, int] = field(default_factory=dict)
    layers: list[list[int]] = field(default_factory=list)
    x: list[float] = field(default_factory=list)

    def laid_out(self) -> Layout:
        number = {member: item for item, member in enumerate(self.members)}
        links = {
            key: (number[link.source], number[link.target], link.label)
            for key, link in enumerate(self.given_links)
            if link.source in number
        }
        self.sizes = [self.given_sizes[member] for member in self.members]
        ends = {key: (source, target) for key, (source, target, _) in links.items()}
        self.turned = edges_upwards(len(self.members), ends)
        self._add_labels(links)
        layer_of = layers_of(len(self.sizes), self._steps())
        if sum(layer_of[lower] - layer_of[upper] for upper, lower in self._steps()) > _MOST_ITEMS:
            raise CrowdedError
        self._order(layer_of)
        self._place()
        return self._measured()

    def _add_labels(self, links: dict[int, tuple[int, int, Size | None]]) -> None:
        for key, (source, target, label) in links.items():
            chain = [target, source] if key in self.turned else [source, target]
            if label is not None:
                self.label_items[key] = len(self.sizes)
                chain.insert(1, len(self.sizes))
                self.sizes.append(label)
            self.chains[key] = chain

    def _steps(self) -> list[tuple[int, int]]:
        """All pairs of items that an edge connects, the upper one first."""
        return [
            (upper, lower) for chain in self.chains.values() for upper, lower in pairwise(chain)
        ]

    def _order(self, layer_of: list[int]) -> None:
        """Sort the items of each layer; an edge that crosses a layer gets an item there."""
        for chain in self.chains.values():
            whole = chain[:1]
            for upper, lower in pairwise(chain):
                for layer in range(layer_of[upper] + 1, layer_of[lower]):
                    whole.append(len(self.sizes))
                    self.sizes.append(Size(1.0, 1.0, 0.0))
                    layer_of.append(layer)
                whole.append(lower)
            chain[:] = whole
        self.layers = ordered(layer_of, self._steps())

    def _place(self) -> None:
        """Find the middles of all items within their layers."""
        self.x = [0.0] * len(self.sizes)
        above, below = self._neighbours()
        for items in self.layers:
            at = 0.0
            for item in items:
                self.x[item] = at + self.sizes[item].before
                at = self.x[item] + self.sizes[item].behind + _BESIDE
        for _ in range(_SWEEPS):
            for items in self.layers:
                self._settle(items, above, _mean)
            for items in reversed(self.layers):
                self._settle(items, below, _mean)
        both = [up + down for up, down in zip(above, below, strict=True)]
        for _ in range(_LAST_SWEEPS):
            for items in (*self.layers, *reversed(self.layers)):
                self._settle(items, both, _median)

    def _neighbours(self) -> tuple[list[list[Pull]], list[list[Pull]]]:
        """For each item those above and those below it, with how strongly they attract it."""
        above: list[list[Pull]] = [[] for _ in self.sizes]
        below: list[list[Pull]] = [[] for _ in self.sizes]
        nodes, steps = len(self.members), self._steps()
        leaving = Counter(upper for upper, _ in steps)
        entering = Counter(lower for _, lower in steps)
        for upper, lower in steps:
            only = leaving[upper] == entering[lower] == 1
            weight = 8.0 if only else (1.0, 2.0, 8.0)[(upper >= nodes) + (lower >= nodes)]
            above[lower].append((upper, weight))
            below[upper].append((lower, weight))
        return above, below

    def _settle(self, items: list[int], neighbours: list[list[Pull]], between: Between) -> None:
        """Move the items of a layer as near to their neighbours as they can be in this order."""
        wanted, weights, offsets = [], [], []
        offset = 0.0
        for place, item in enumerate(items):
            if place:
                offset += self._distance(items[place - 1], item)
            pulls = [(self.x[other], weight) for other, weight in neighbours[item]]
            wanted.append(between(pulls, self.x[item]) - offset)
            weights.append(sum(weight for _, weight in pulls) or 0.1)
            offsets.append(offset)
        for item, at, gone in zip(items, _rising(wanted, weights), offsets, strict=True):
            self.x[item] = at + gone

    def _distance(self, left: int, right: int) -> float:
        """The least distance between the middles of two items side by side."""
        nodes = len(self.members)
        gap = _BESIDE if left < nodes or right < nodes else _BESIDE / 2
        return self.sizes[left].behind + gap + self.sizes[right].before

    def _measured(self) -> Layout:
        """Everything at its place, in a frame that begins at 0."""
        left = min(self.x[item] - self.sizes[item].before for item in range(len(self.sizes)))
        self.x = [at - left for at in self.x]
        tops, bottoms = self._heights()
        found = Layout(height=bottoms[-1])
        found.width = max(self.x[item] + self.sizes[item].behind for item in range(len(self.sizes)))
        layer_of = {item: layer for layer, items in enumerate(self.layers) for item in items}
        middles = [(top + bottom) / 2 for top, bottom in zip(tops, bottoms, strict=True)]
        for item, member in enumerate(self.members):
            found.nodes[member] = (self.x[item], middles[layer_of[item]])
        for key, item in self.label_items.items():
            found.labels[key] = (self.x[item], middles[layer_of[item]])
        leaving, arriving = self._ports()
        for key, chain in self.chains.items():
            pieces: list[tuple[Point, Point]] = []
            for item in chain[1:-1]:
                x, layer = self.x[item], layer_of[item]
                pieces.append(((x, tops[layer]), (x, bottoms[layer])))
            first, last = chain[0], chain[-1]
            start = (leaving[key], middles[layer_of[first]] + self.sizes[first].touched / 2)
            end = (arriving[key], middles[layer_of[last]] - self.sizes[last].touched / 2)
            edge_of_first = (start, (start[0], bottoms[layer_of[first]] + _STRAIGHT))
            edge_of_last = ((end[0], tops[layer_of[last]] - _STRAIGHT), end)
            route = [edge_of_first, *pieces, edge_of_last]
            if key in self.turned:
                route = [(end, start) for start, end in reversed(route)]
            found.routes[key] = route
        return found

    def _heights(self) -> tuple[list[float], list[float]]:
        """Where each layer begins and ends; the more an edge has to bend, the more room it gets."""
        nodes = len(self.members)
        bends = [0.0] * len(self.layers)
        layer_of = {item: layer for layer, items in enumerate(self.layers) for item in items}
        for upper, lower in self._steps():
            bend = abs(self.x[upper] - self.x[lower])
            bends[layer_of[upper]] = max(bends[layer_of[upper]], bend)
        tops, bottoms, at = [], [], 0.0
        for layer, items in enumerate(self.layers):
            across = max(self.sizes[item].across for item in items)
            tops.append(at)
            bottoms.append(at + across)
            following = self.layers[layer + 1] if layer + 1 < len(self.layers) else []
            plain = any(i < nodes for i in items) and any(i < nodes for i in following)
            least = _BETWEEN if plain else _BETWEEN * 0.65
            at += across + min(max(least, bends[layer] / 4), 2.5 * _BETWEEN)
        return tops, bottoms

    def _ports(self) -> tuple[dict[int, float], dict[int, float]]:
        """Where edges leave their upper and enter their lower nodes, such that none crosses another
        there."""
        upper: dict[int, list[tuple[float, int]]] = {}
        lower: dict[int, list[tuple[float, int]]] = {}
        for key, chain in self.chains.items():
            upper.setdefault(chain[0], []).append((self.x[chain[1]], key))
            lower.setdefault(chain[-1], []).append((self.x[chain[-2]], key))
        return self._spread(upper), self._spread(lower)

    def _spread(self, edges: dict[int, list[tuple[float, int]]]) -> dict[int, float]:
        ports: dict[int, float] = {}
        for item, there in edges.items():
            size = self.sizes[item]
            room = 1.4 * min(size.before, size.behind)
            step = min(_PORTS, room / len(there))
            for place, (_, key) in enumerate(sorted(there)):
                ports[key] = self.x[item] + (place - (len(there) - 1) / 2) * step
        return ports


def _mean(places: list[tuple[float, float]], now: float) -> float:
    total = sum(weight for _, weight in places)
    return sum(at * weight for at, weight in places) / total if total else now


def _median(places: list[tuple[float, float]], now: float) -> float:
    """The weighted median of some places; between two of them, the point nearest to the present
    place."""
    half = sum(weight for _, weight in places) / 2
    gone = 0.0
    ordered = sorted(places)
    for place, (at, weight) in enumerate(ordered):
        gone += weight
        if gone > half:
            return at
        if gone == half:
            return min(max(now, at), ordered[place + 1][0])
    return now


def _rising(wanted: list[float], weights: list[float]) -> list[float]:
    """The ascending numbers that are nearest to the wanted ones: neighbours in the wrong order are
    pooled."""
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(wanted, weights, strict=True):
        count = 1
        while pools and pools[-1][0] > value:
            other, heavy, more = pools.pop()
            value = (value * weight + other * heavy) / (weight + heavy)
            weight, count = weight + heavy, count + more
        pools.append((value, weight, count))
    return [value for value, _, count in pools for _ in range(count)]
