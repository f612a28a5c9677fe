"""Atomic sections, and with them every step from a location (see `meaning`).

A step starts at a frame and takes edges until its thread comes to rest: at a location that is not
atomic, with a call whose target is not atomic, on return, at the end, or at a violation. Calls
with an atomic target are run to their end on the way; so are all calls inside them. A step that
enters no atomic location is the case of one edge.

Calls inside may be recursive. They are tabulated: an *activation* is a call inside, with all that
is known when it starts (the shared state and the frame); how it can end does not depend on the
caller, so it is found once, and each end is handed to every caller. A *node* is a place on a path
within one activation. There are finitely many nodes, so the search ends.

Only complete paths count. To know what such a path passes, a path may at any place inside take a
*mark* that names the place, and carry it to the end: the marks of the paths that end are the places
on complete paths.

Nodes are visited by their distance from the start of their activation (Knuth's form of Dijkstra's
algorithm, for context-free languages), so the first way found to any end is a shortest one.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator
from typing import NamedTuple

from tepui.program.calls import called_by, with_all_called
from tepui.program.layout import Frame, Layout, SharedState
from tepui.program.program import Call, Edge, Program
from tepui.program.semantics.edges import Move, OwnMoves, Word
from tepui.records import record


@record
class Micro:
    """One of the edges of which a step consists.

    `shared` is the shared state after it. `frame` is the frame that is then on top, None if the
    edge took the frame away. `depth` is 0 for an edge of the thread's own frame, and greater in
    calls inside an atomic section. What the program does without an edge (a created thread starts,
    a variable gets a value, a halted program stays) has no edge here; a thread that waits has no
    procedure.
    """

    procedure: int | None
    edge: Edge | None
    shared: SharedState
    frame: Frame | None
    depth: int = 0


class Mark(NamedTuple):
    """A point that a path passes, and the shared state there if it is wanted."""

    point: int
    shared: SharedState | None


Activation = tuple[SharedState, Frame]


class Node(NamedTuple):
    """A place on a path: within an activation (None: the frame from which the step starts)."""

    activation: Activation | None
    mark: Mark | None
    shared: SharedState
    word: Word
    """What the frame of the activation has become."""
    done: bool
    """Whether the path, or the activation, is over."""


@record
class _Start:
    """How a node was reached: it is where its activation starts."""


@record
class _By:
    """How a node was reached: by an edge."""

    previous: Node
    edge: Edge


@record
class _Marked:
    """How a node was reached: the path took a mark."""

    previous: Node


@record
class _Called:
    """How a node was reached: by a call inside, which was run to its end."""

    caller: Node
    move: Move
    end: Node


_Origin = _Start | _By | _Marked | _Called


class Sections:
    """All steps from one frame."""

    def __init__(
        self,
        layout: Layout,
        edges: OwnMoves,
        start: Activation,
        marked: Collection[int] = (),
        *,
        with_state: bool = True,
    ) -> None:
        """Paths take marks at the `marked` points, with or without the shared state there."""
        self._layout = layout
        self._edges = edges
        self._marked = marked
        self._with_state = with_state
        self._origins: dict[Node, _Origin] = {}
        self._distances: dict[Node, int] = {}
        self._queue: list[tuple[int, int, Node, _Origin]] = []
        self._met = 0
        self._callers: dict[Activation, list[tuple[Node, Move]]] = {}
        self._ends: dict[Activation, list[Node]] = {}
        shared, frame = start
        self._meet(0, Node(None, None, shared, (frame,), False), _Start())
        self._search()

    def ends(self) -> Iterator[Node]:
        """Where the steps lead, once for each mark that a path to there can carry. A path that ends
        at a limit, or for lack of a slot, is not known to be complete, so it carries none."""
        ends = (node for node in self._origins if node.activation is None and node.done)
        return (node for node in ends if node.mark is None or not self._is_at_limit(node))

    def _is_at_limit(self, node: Node) -> bool:
        return bool(node.word) and node.word[0].point in self._layout.unknown_beyond

    def path(self, end: Node) -> list[Micro]:
        """A shortest path to an end; if it carries a mark, only up to where it took it."""
        backwards: list[Micro] = []
        unread: list[tuple[Node, int] | Micro] = [(end, 0)]
        while unread:
            item = unread.pop()
            if isinstance(item, Micro):
                backwards.append(item)
                continue
            node, depth = item
            match self._origins[node]:
                case _By(previous, edge):
                    unread.append((previous, depth))
                    move = Move(edge, node.shared, node.word)
                    backwards.append(self._micro(previous, move, depth))
                case _Marked(previous):
                    unread.append((previous, depth))
                    backwards.clear()
                case _Called(caller, move, last):
                    unread.append((caller, depth))
                    unread.append(self._micro(caller, move, depth))
                    unread.append((last, depth + 1))
                case _Start():
                    pass
        return backwards[::-1]

    def _search(self) -> None:
        while self._queue:
            distance, _, node, origin = heapq.heappop(self._queue)
            if node in self._origins:
                continue
            self._origins[node] = origin
            self._distances[node] = distance
            if node.done:
                self._hand_to_callers(node)
                continue
            if node.mark is None and self._is_marked(node):
                state = node.shared if self._with_state else None
                mark = Mark(node.word[0].point, state)
                self._meet(distance, node._replace(mark=mark), _Marked(node))
            for move in self._edges.moves(node.shared, node.word[0]):
                self._follow(node, move)

    def _follow(self, node: Node, move: Move) -> None:
        if isinstance(move.edge, Call) and not self._rests(node.activation, move.word[1]):
            self._call(node, move)
            return
        done = len(move.word) != 1 or self._rests(node.activation, move.word[0])
        after = Node(node.activation, node.mark, move.shared, move.word, done)
        self._meet(self._distances[node] + 1, after, _By(node, move.edge))

    def _call(self, node: Node, move: Move) -> None:
        activation = move.shared, move.word[0]
        self._callers.setdefault(activation, []).append((node, move))
        entry = Node(activation, None, move.shared, move.word[:1], False)
        self._meet(0, entry, _Start())
        for end in self._ends.get(activation, ()):
            self._come_back(node, move, end)

    def _hand_to_callers(self, end: Node) -> None:
        if end.activation is None:
            return
        self._ends.setdefault(end.activation, []).append(end)
        for caller, move in self._callers[end.activation]:
            self._come_back(caller, move, end)

    def _come_back(self, caller: Node, move: Move, end: Node) -> None:
        """The caller goes on after a call inside; after a violation nothing does."""
        if caller.mark is not None and end.mark is not None:
            return
        word = end.word or move.word[1:]
        after = Node(
            caller.activation,
            caller.mark or end.mark,
            end.shared,
            word,
            done=word == end.word,
        )
        distance = self._distances[caller] + 1 + self._distances[end]
        self._meet(distance, after, _Called(caller, move, end))

    def _meet(self, distance: int, node: Node, origin: _Origin) -> None:
        if node not in self._origins:
            self._met += 1
            heapq.heappush(self._queue, (distance, self._met, node, origin))

    def _rests(self, activation: Activation | None, frame: Frame) -> bool:
        """Whether a path ends with this frame: in a call inside, only a violation rests."""
        if frame.point > self._layout.waiting:
            return True
        return activation is None and not is_atomic(self._layout, frame.point)

    def _is_marked(self, node: Node) -> bool:
        point = node.word[0].point
        inside = node.activation is not None or is_atomic(self._layout, point)
        return inside and point in self._marked

    def _micro(self, before: Node, move: Move, depth: int) -> Micro:
        procedure, _ = self._layout.locations[before.word[0].point]
        frame = move.word[0] if move.word else None
        return Micro(procedure, move.edge, move.shared, frame, depth)


def is_atomic(layout: Layout, point: int) -> bool:
    """Whether a point is a location inside an atomic section."""
    location = layout.location(point) if point < layout.waiting else None
    return location is not None and location.atomic


def points_inside(program: Program) -> frozenset[int]:
    """The points that a step may pass without resting there.

    These are the atomic locations, and all locations of procedures that atomic sections call.
    """
    layout = program.layout
    called = called_by(
        edge
        for procedure in program.procedures
        for edge in procedure.edges
        if isinstance(edge, Call) and procedure.locations[edge.target].atomic
    )
    run = set(with_all_called(program, (program.numbers[name] for name in called)))
    return frozenset(
        point
        for point, (procedure, _) in enumerate(layout.locations)
        if is_atomic(layout, point) or procedure in run
    )
