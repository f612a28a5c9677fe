"""Graphs as pictures.

Nodes are boxes around monospaced text. Several edges between the same two nodes are one arrow, with
all their labels. Kinds are words that say what something is, and so how it looks:

    nodes   `round`, `initial`, `accepting`, `thread`, `entry`, `end`, `inside`, `check`, `unused`
    edges   `run`, `fork`

A picture with more than some hundred nodes, or with edges all over it, would be unreadable.
`graphviz` writes such graphs as text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from tepui.errors import UsageError
from tepui.parameter_names import named
from tepui.records import record
from tepui.report.pictures.placement import CrowdedError, Layout, Link, Point, Size, layout_of
from tepui.report.pictures.svg import MONO, columns, inline, number, picture, plain, shortened
from tepui.words import counted, printable

MOST_NODES = 300
"""The largest number of nodes that are drawn."""

MOST_EDGES = 20_000
"""With more edges than this, parallel ones included, no picture is tried."""

Direction = Literal["down", "right"]


@record
class Node:
    """A node: its key for edges, its label in one or more lines, and the title that a pointer on it
    shows.

    Nodes of one group are kept together, in a frame with its name.
    """

    key: str
    label: str
    kind: str = ""
    title: str = ""
    group: str = ""


@record
class Edge:
    """An edge between the keys of two nodes."""

    source: str
    target: str
    label: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Graph:
    """A graph, and the direction in which its edges should lead."""

    name: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    direction: Direction = "down"

    def __repr__(self) -> str:
        nodes, edges = counted(len(self.nodes), "node"), counted(len(self.edges), "edge")
        return f"<Graph {self.name}: {nodes}, {edges}>"

    def _repr_html_(self) -> str | None:
        return graph_html(len(self.edges), lambda: self)


def graph_html(edges: int, graph: Callable[[], Graph]) -> str | None:
    """The picture for a notebook. A graph with too many edges has no picture, and none is tried."""
    if edges > MOST_EDGES:
        return None
    try:
        return inline(graph_svg(graph()))
    except UsageError:
        return None


def graph_svg(graph: Graph) -> str:
    """The graph as SVG; a UsageError if it has too many nodes, or edges all over it."""
    if len(graph.nodes) > MOST_NODES:
        raise _unreadable(graph, f"{len(graph.nodes):,} nodes, and more than {MOST_NODES} make")
    try:
        return _Drawing(with_starts(graph)).svg()
    except CrowdedError:
        edges = counted(len(bundled(graph)), "edge")
        raise _unreadable(graph, f"{edges} all over it, which make") from None


def _unreadable(graph: Graph, what: str) -> UsageError:
    return UsageError(
        f"{shortened(graph.name, 60)} has {what} no readable picture: Graphviz may draw it, from "
        f"{named('dot')}"
    )


def with_starts(graph: Graph) -> Graph:
    """The graph with an arrow from nowhere to each node that is initial."""
    marked = [node for node in graph.nodes if "initial" in node.kind.split()]
    starts = [Node(f"to {node.key}", "", "point", group=node.group) for node in marked]
    arrows = [Edge(f"to {node.key}", node.key) for node in marked]
    return replace(graph, nodes=(*starts, *graph.nodes), edges=(*arrows, *graph.edges))


@dataclass(slots=True)
class Bundle:
    """All edges of a kind between the same two nodes."""

    source: str
    target: str
    kind: str
    labels: dict[str, None] = field(default_factory=dict)
    """Each label once, in the order of the edges."""


def bundled(graph: Graph) -> list[Bundle]:
    """Edges in bundles; a node has one loop, even if its edges are of different kinds."""
    bundles: dict[tuple[str, str, str], Bundle] = {}
    for edge in graph.edges:
        kind = "" if edge.source == edge.target else edge.kind
        new = Bundle(edge.source, edge.target, edge.kind)
        bundle = bundles.setdefault((edge.source, edge.target, kind), new)
        if edge.label:
            bundle.labels[edge.label] = None
    return list(bundles.values())


_MOST_COLUMNS = 60
"""Longer lines are shortened; titles have the whole text."""
_MOST_LISTED = 40
"""The largest number of edges in the description, which is for readers who cannot see the
picture."""
_LINE_COLUMNS = 26
_MOST_LINES = 6


def wrapped(labels: Collection[str], most: int | None = _MOST_LINES) -> list[str]:
    """Labels in lines, several short ones in one; beyond `most` lines, how many are left out."""
    lines: list[str] = []
    for place, label in enumerate(labels):
        if lines and columns(lines[-1]) + columns(label) + 2 <= _LINE_COLUMNS:
            lines[-1] += f", {label}"
            continue
        if most is not None and len(lines) == most:
            return [*lines, f"… {len(labels) - place} more"]
        if lines:
            lines[-1] += ","
        lines.append(label)
    return lines


# How it is drawn.

_COLUMN = 7.3
"""The width of a letter of 12 pixels, with some reserve."""
_LINE = 15.0
_PADDING = 9.0
_MARGIN = 14.0
_LOOP = 26.0
"""How far an edge from a node to itself goes."""
_ARROW = 7.0
_ROUND = frozenset(("round", "point", "thread", "end"))

_STYLE = f"""
.tepui-graph text{{font:12px {MONO};fill:var(--tepui-ink);white-space:pre}}
.tepui-graph .box{{fill:var(--tepui-panel);stroke:var(--tepui-muted);stroke-width:1.1}}
.tepui-graph .frame{{fill:none;stroke:var(--tepui-line)}}
.tepui-graph text.group{{fill:var(--tepui-muted)}}
.tepui-graph .point .box{{fill:var(--tepui-muted)}}
.tepui-graph .edge{{fill:none;stroke:var(--tepui-muted);stroke-width:1.3}}
.tepui-graph .head{{fill:var(--tepui-muted)}}
.tepui-graph .under{{fill:var(--tepui-paper)}}
.tepui-graph .label text{{fill:var(--tepui-accent);paint-order:stroke}}
.tepui-graph .label text{{stroke:var(--tepui-paper);stroke-width:4px}}
.tepui-graph .inner{{fill:none;stroke:var(--tepui-muted);stroke-width:1.1}}
.tepui-graph .thread .box{{fill:var(--tepui-accent);stroke:var(--tepui-accent)}}
.tepui-graph .thread text{{fill:var(--tepui-paper);font-weight:600}}
.tepui-graph .entry .box{{stroke:var(--tepui-ink);stroke-width:1.8}}
.tepui-graph .entry text{{font-weight:600}}
.tepui-graph .end .box{{fill:var(--tepui-paper)}}
.tepui-graph .inside .box{{stroke-dasharray:4 3}}
.tepui-graph .check .box{{fill:var(--tepui-open-paper);stroke:var(--tepui-open)}}
.tepui-graph .unused{{opacity:.7}}
.tepui-graph .run .edge{{stroke:var(--tepui-accent);stroke-width:2}}
.tepui-graph .run .head{{fill:var(--tepui-accent)}}
.tepui-graph .fork .edge{{stroke-dasharray:6 4}}
"""


@dataclass(slots=True)
class _Drawing:
    """A graph with its sizes and places. Where edges lead right, both axes change their roles."""

    graph: Graph
    bundles: list[Bundle] = field(init=False)
    lines: list[list[str]] = field(init=False)
    """For each bundle, the lines of its label."""

    def __post_init__(self) -> None:
        self.bundles = bundled(self.graph)
        self.lines = [
            [shortened(line, _MOST_COLUMNS) for line in wrapped([*map(printable, bundle.labels)])]
            for bundle in self.bundles
        ]

    def svg(self) -> str:
        numbers = {node.key: place for place, node in enumerate(self.graph.nodes)}
        loops = {
            numbers[bundle.source]: place
            for place, bundle in enumerate(self.bundles)
            if bundle.source == bundle.target
        }
        straight = [
            place for place, bundle in enumerate(self.bundles) if bundle.source != bundle.target
        ]
        sizes = [self._node_size(place, loops) for place in range(len(self.graph.nodes))]
        links = [
            Link(
                numbers[self.bundles[place].source],
                numbers[self.bundles[place].target],
                self._label_size(place),
            )
            for place in straight
        ]
        groups = self._groups()
        layout = layout_of(sizes, links, list(groups.values()))
        body = ['<g class="tepui-graph">']
        for name, (start, end) in zip(groups, layout.frames.values(), strict=True):
            body += _frame(name, self._turn(start), self._turn(end))
        for place, edge in enumerate(straight):
            body += self._edge(edge, layout.routes[place], layout.labels.get(place))
        for place, node in enumerate(self.graph.nodes):
            body += self._node(node, self._turn(layout.nodes[place]), loops.get(place))
        body.append("</g>")
        return picture(self._whole(layout), self.graph.name, self._description(), _STYLE, body)

    def _groups(self) -> dict[str, list[int]]:
        """The nodes of each group; none, if there is only one or if an edge leaves one."""
        groups: dict[str, list[int]] = {}
        for place, node in enumerate(self.graph.nodes):
            groups.setdefault(node.group, []).append(place)
        group_of = {node.key: node.group for node in self.graph.nodes}
        leaves = any(group_of[edge.source] != group_of[edge.target] for edge in self.graph.edges)
        return {} if leaves or len(groups) < 2 else groups

    def _whole(self, layout: Layout) -> Point:
        width, height = self._turned(layout.width, layout.height)
        return width + 2 * _MARGIN, height + 2 * _MARGIN

    def _description(self) -> str:
        """The numbers of nodes and edges, and the first edges one by one. Arrows from nowhere do
        not count."""
        named = {node.key: " ".join(_lines(node)) for node in self.graph.nodes}
        points = {node.key for node in self.graph.nodes if node.kind == "point"}
        edge_texts = [
            f"{named[bundle.source]} to {named[bundle.target]}"
            + (f": {' '.join(lines)}" if lines else "")
            for bundle, lines in zip(self.bundles, self.lines, strict=True)
            if bundle.source not in points
        ]
        more = len(edge_texts) - _MOST_LISTED
        listed = "; ".join(edge_texts[:_MOST_LISTED]) + (f"; and {more} more" if more > 0 else "")
        nodes, edges = counted(len(named) - len(points), "node"), counted(len(edge_texts), "edge")
        return f"{nodes} and {edges}: {listed}." if edge_texts else f"{nodes}."

    def _turned(self, first: float, second: float) -> Point:
        return (first, second) if self.graph.direction == "down" else (second, first)

    def _turn(self, point: Point) -> Point:
        x, y = self._turned(*point)
        return x + _MARGIN, y + _MARGIN

    def _node_size(self, place: int, loops: dict[int, int]) -> Size:
        """A node with a loop takes the room for it, too."""
        node = self.graph.nodes[place]
        width, height = _box(node)
        loop = loops.get(place)
        label = (0.0, 0.0) if loop is None else self._label_box(loop)
        room = 0.0 if loop is None else _LOOP
        if self.graph.direction == "right":
            return Size(height / 2 + room + label[1], height / 2, max(width, label[0]), width)
        return Size(width / 2, width / 2 + room + label[0], max(height, label[1]), height)

    def _label_box(self, place: int) -> Point:
        lines = self.lines[place]
        return max(map(columns, lines), default=0) * _COLUMN + 6, len(lines) * _LINE + 2

    def _label_size(self, place: int) -> Size | None:
        if not self.lines[place]:
            return None
        width, height = self._label_box(place)
        if self.graph.direction == "right":
            return Size(height, 2, width + 6)
        return Size(width / 2, width / 2, height)

    # Nodes.

    def _node(self, node: Node, middle: Point, loop: int | None) -> Iterator[str]:
        kinds = node.kind.split()
        width, height = _box(node)
        x, y = middle[0] - width / 2, middle[1] - height / 2
        yield f'<g class="node {plain(node.kind)}" data-key="{plain(node.key)}">'
        yield f"<title>{plain(node.title or node.label)}</title>"
        corner = 4 if _ROUND.isdisjoint(kinds) else height / 2
        yield _rectangle("box", x, y, width, height, corner)
        if "accepting" in kinds:
            yield _rectangle("inner", x + 3, y + 3, width - 6, height - 6, max(corner - 3, 1))
        yield from _lines_of_text(_lines(node), middle)
        if loop is not None:
            yield from self._loop(loop, middle, width, height)
        yield "</g>"

    def _loop(self, place: int, middle: Point, width: float, height: float) -> Iterator[str]:
        """An edge from a node to itself: above it or, if edges lead down, to the right of it."""
        x, y = middle
        yield f'<g class="{plain(self.bundles[place].kind)}">'
        if self.graph.direction == "right":
            top = y - height / 2
            tip, far = (x - 5, top), (x - 10, top - _LOOP)
            yield (
                f'<path class="edge" d="M{_at(x + 5, top)}C{_at(x + 16, top - _LOOP)} '
                f'{_at(x - 16, top - _LOOP)} {_at(*tip)}"/>'
            )
            label = (x, top - _LOOP - len(self.lines[place]) * _LINE / 2 + 4)
            anchor = "middle"
        else:
            right = x + width / 2
            tip, far = (right, y + 5), (right + _LOOP, y + 10)
            yield (
                f'<path class="edge" d="M{_at(right, y - 5)}C{_at(right + _LOOP, y - 16)} '
                f'{_at(right + _LOOP, y + 16)} {_at(*tip)}"/>'
            )
            label = (right + _LOOP - 2, y)
            anchor = "start"
        yield _head(far, tip)
        yield from self._label(place, label, anchor)
        yield "</g>"

    # Edges.

    def _edge(
        self, place: int, route: list[tuple[Point, Point]], label: Point | None
    ) -> Iterator[str]:
        turned = [(self._turn(start), self._turn(end)) for start, end in route]
        yield f'<g class="{plain(self.bundles[place].kind)}">'
        yield _curve(turned, self.graph.direction)
        tip = turned[-1][1]
        first, second = turned[-1]
        before = first if first != second else _before(turned, self.graph.direction)
        yield _head(before, tip)
        if label is not None:
            x, y = self._turn(label)
            if self.graph.direction == "right":
                y -= len(self.lines[place]) * _LINE / 2 + 2
            yield from self._label(place, (x, y), "middle")
        yield "</g>"

    def _label(self, place: int, middle: Point, anchor: str) -> Iterator[str]:
        if self.lines[place]:
            yield f'<g class="label"><title>{plain(", ".join(self.bundles[place].labels))}</title>'
            if anchor == "middle" and self.graph.direction == "down":
                width, height = self._label_box(place)
                x, y = middle[0] - width / 2, middle[1] - height / 2
                yield _rectangle("under", x, y, width, height, 3)
            yield from _lines_of_text(self.lines[place], middle, anchor)
            yield "</g>"


def _frame(name: str, start: Point, end: Point) -> Iterator[str]:
    """A frame around a group, with its name."""
    x, y = start
    yield _rectangle("frame", x, y, end[0] - x, end[1] - y, 6)
    yield f'<text class="group" x="{number(x + 8)}" y="{number(y + 15)}">{plain(name)}</text>'


def _box(node: Node) -> Point:
    """The width and the height of a node; short round ones are circles."""
    kinds = node.kind.split()
    if "point" in kinds:
        return 6.0, 6.0
    lines = _lines(node)
    more = 6 if "accepting" in kinds else 0
    height = len(lines) * _LINE + _PADDING + more
    width = max(map(columns, lines)) * _COLUMN + 2 * _PADDING + more
    if "round" in kinds and width < 1.8 * height:
        return max(width, height) - 2, max(width, height) - 2
    return max(width, height), height


def _lines(node: Node) -> list[str]:
    return [shortened(printable(line), _MOST_COLUMNS) for line in node.label.split("\n")]


def _rectangle(style: str, x: float, y: float, width: float, height: float, corner: float) -> str:
    return (
        f'<rect class="{style}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
        f'height="{number(height)}" rx="{number(corner)}"/>'
    )


def _lines_of_text(lines: list[str], middle: Point, anchor: str = "middle") -> Iterator[str]:
    x, y = middle
    first = y - (len(lines) - 1) * _LINE / 2 + 4
    for place, line in enumerate(lines):
        yield (
            f'<text x="{number(x)}" y="{number(first + place * _LINE)}" '
            f'text-anchor="{anchor}">{plain(line)}</text>'
        )


def _curve(route: list[tuple[Point, Point]], direction: Direction) -> str:
    """Straight across layers, and a smooth curve from one to the next."""
    steps = [f"M{_at(*route[0][0])}"]
    for place, (start, end) in enumerate(route):
        if place:
            before = route[place - 1][1]
            if direction == "down":
                middle = (before[1] + start[1]) / 2
                bends = f"{_at(before[0], middle)} {_at(start[0], middle)}"
            else:
                middle = (before[0] + start[0]) / 2
                bends = f"{_at(middle, before[1])} {_at(middle, start[1])}"
            steps.append(f"C{bends} {_at(*start)}")
        if start != end:
            steps.append(f"L{_at(*end)}")
    return f'<path class="edge" d="{"".join(steps)}"/>'


def _before(route: list[tuple[Point, Point]], direction: Direction) -> Point:
    """A point on the tangent of the end of an edge."""
    (x, y), (other_x, other_y) = route[-1][1], route[-2][1]
    return (x, other_y) if direction == "down" else (other_x, y)


def _head(before: Point, tip: Point) -> str:
    """An arrow head at a tip, as seen from another point."""
    dx, dy = tip[0] - before[0], tip[1] - before[1]
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    ux, uy = dx / length * _ARROW, dy / length * _ARROW
    back = tip[0] - ux, tip[1] - uy
    corners = [
        tip,
        (back[0] - uy * 0.45, back[1] + ux * 0.45),
        (back[0] + uy * 0.45, back[1] - ux * 0.45),
    ]
    return f'<polygon class="head" points="{" ".join(_at(*corner) for corner in corners)}"/>'


def _at(x: float, y: float) -> str:
    return f"{number(x)} {number(y)}"
