"""The points from which a step may come to some others: where it is worth to look for markers.

A step begins where a thread rests, and passes other points only where it is fused or inside an
atomic section. So whoever looks for a few points asks only about threads that rest there, or before
a way through points that are passed. The ways are those of the text: it makes no difference which
guards hold, and a procedure may return to any of its callers. A thread that waits for its creation
rests where it waits, and begins from there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from tepui.program.program import Call, Procedure, target_of

if TYPE_CHECKING:
    from tepui.program.layout import Layout


class PointsAhead:
    """Knows which points are before which."""

    def __init__(self, layout: Layout, passed: Collection[int]) -> None:
        """`passed` are the points at which a step may go on."""
        self._layout = layout
        self._passed = passed
        self._before: Mapping[int, set[int]] = defaultdict(set)
        for before, after in self._ways():
            self._before[after].add(before)

    def before(self, points: Collection[int]) -> list[int]:
        """The points at which a thread may rest before a step that comes to one of these, and
        these."""
        found = set(points)
        waiting = list(points)
        while waiting:
            for before in self._before.get(waiting.pop(), ()):
                if before not in found:
                    found.add(before)
                    if before in self._passed or self._layout.is_bare_end(before):
                        waiting.append(before)
        return sorted(found)

    def _ways(self) -> Iterator[tuple[int, int]]:
        """Points that may follow each other."""
        program, point = self._layout.program, self._layout.point
        for thread in program.threads:
            if thread.created:
                index = program.numbers[thread.procedure]
                entry = program.procedures[index].entry
                start = entry if thread.start is None else thread.start
                yield self._layout.waiting, point(index, start)
        returns = [
            [point(index, number) for number in _returning(procedure)]
            for index, procedure in enumerate(program.procedures)
        ]
        for index, procedure in enumerate(program.procedures):
            for edge in procedure.edges:
                if (target := target_of(edge)) is None:
                    continue
                yield point(index, edge.source), point(index, target)
                if isinstance(edge, Call):
                    callee = program.numbers[edge.procedure]
                    entry = program.procedures[callee].entry
                    yield point(index, edge.source), point(callee, entry)
                    yield from ((before, point(index, target)) for before in returns[callee])


def _returning(procedure: Procedure) -> set[int]:
    """The locations from which a procedure may return."""
    return {edge.source for edge in procedure.edges if target_of(edge) is None}
