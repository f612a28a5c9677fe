"""Frames that come to rest, and which of their values still matter (see `meaning`).

A value matters at a location if some path from there reads it before it is assigned. No path goes
along an edge with the guard false. This is the
classical least solution of the equations of live variables, found by iteration until nothing
changes. Values that do not matter are forgotten, so that equal futures are equal states.

`liveness` solves the same equations for the engines, and the two share only the contract and its
`walk`, on purpose: this is the checker's side, so that a mistake in one of them is found by the
other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from tepui.program.expressions import FALSE, Read
from tepui.program.layout import Frame, Layout, Value, in_normal_form
from tepui.program.program import Edge, Procedure, target_of
from tepui.program.walk import assigned_by, reads_of


class Resting:
    """How frames look when they come to rest."""

    def __init__(self, layout: Layout, kept: Callable[[], Sequence[tuple[bool, ...]]]) -> None:
        """`kept` says which values matter; it is asked when a frame comes to rest."""
        self._layout = layout
        self._find_kept = kept

    @cached_property
    def _kept(self) -> Sequence[tuple[bool, ...]]:
        return self._find_kept()

    def frame(self, procedure: int, location: int, values: Iterable[Value]) -> Frame:
        """A frame at this location, without the values that no longer matter."""
        point = self._layout.point(procedure, location)
        kept = zip(values, self._kept[point], strict=True)
        return Frame(point, in_normal_form(value if matters else None for value, matters in kept))

    def fresh(self, procedure: int, location: int, given: Mapping[int, Value]) -> Frame:
        """A frame in which some cells are given, and the others have their initial values."""
        cells = self._layout.frame_cells[procedure]
        values = [given.get(number, cell.initial) for number, cell in enumerate(cells)]
        return self.frame(procedure, location, values)

    def undecided(self, frame: Frame) -> int | None:
        """The first cell that matters and has no value."""
        if frame.point >= self._layout.waiting:
            return None
        for number, kept in enumerate(self._kept[frame.point]):
            if kept and frame.values[number] is None:
                return number
        return None


def kept_values(layout: Layout, *, liveness: bool) -> list[tuple[bool, ...]]:
    """For each point that is a location, and each cell of its frames: whether it matters."""
    return [
        tuple(
            not liveness or variable.name in live
            for variable in procedure.variables
            for _ in range(variable.length)
        )
        for procedure in layout.program.procedures
        for live in _live_names(procedure)
    ]


def _live_names(procedure: Procedure) -> list[frozenset[str]]:
    """For each location, the local variables whose values matter."""
    live: list[frozenset[str]] = [frozenset() for _ in procedure.locations]
    changed = True
    while changed:
        changed = False
        for edge in reversed(procedure.edges):
            if edge.guard == FALSE:
                continue
            target = target_of(edge)
            after = frozenset() if target is None else live[target]
            before = live[edge.source] | _used(edge) | (after - _assigned(edge))
            if before != live[edge.source]:
                live[edge.source] = before
                changed = True
    return live


def _used(edge: Edge) -> frozenset[str]:
    """The local variables that an edge reads, except new values that it assigns itself."""
    assigned = _assigned(edge)
    return frozenset(
        read.variable.name
        for read in reads_of(edge)
        if read.variable.procedure is not None
        and not (isinstance(read, Read) and read.after and read.variable.name in assigned)
    )


def _assigned(edge: Edge) -> frozenset[str]:
    """The local variables, arrays aside, that an edge surely assigns."""
    return frozenset(each.name for each in assigned_by(edge) if each.procedure is not None)
