"""Which ways on a thread has where it is stuck, and what closes each of them.

A thread that is stuck before an atomic section is stuck inside of it: every path through the
section comes to a place at which no edge can be taken. So the paths are followed, edge by edge, and
the edges that are closed on the way are what the thread needs; all but the other branch of a
condition that was decided.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence

from tepui.program.expressions import (
    FALSE,
    TRUE,
    Binary,
    Expression,
    Read,
    Unary,
    Variable,
)
from tepui.program.layout import Frame, Layout, SharedState, numbered
from tepui.program.printer import edge_text, expression_text
from tepui.program.program import Edge, Join, Receive, Step, variable_of
from tepui.program.semantics.edges import Move, Word
from tepui.program.semantics.evaluation import Depends, Evaluation, Store, values_of
from tepui.program.semantics.meaning import Meaning
from tepui.program.semantics.sections import is_atomic
from tepui.program.walk import reads_of, targets_of
from tepui.records import record
from tepui.subject.deadlock.explanation import NeedKind
from tepui.subject.deadlock.stuck_state import unread
from tepui.subject.derivations import Description

_MOST_PLACES = 2_000
"""How many places on the paths of a section are looked at."""


@record
class Passed:
    """What a thread has done inside an atomic section on the way to a place."""

    assigned: frozenset[Variable] = frozenset()
    reads: frozenset[Variable] = frozenset()
    """The global variables that were read."""

    def after(self, edge: Edge) -> Passed:
        reads = {read.variable for read in reads_of(edge) if read.variable.procedure is None}
        return Passed(
            self.assigned.union(map(variable_of, targets_of(edge))), self.reads.union(reads)
        )


@record
class Closed:
    """A way on that is closed, and the state in which it is."""

    kind: NeedKind
    text: str
    parts: tuple[Expression, ...]
    """Expressions that say why: for a condition, its false parts, all of which are needed."""
    kept: tuple[Expression, ...]
    """The parts of a condition that are not false now, and must not become so."""
    procedure: int
    location: int
    shared: SharedState
    frame: Frame
    passed: Passed
    is_inside: bool
    """Whether it is inside an atomic section that the thread would have to enter first."""


@record
class _At:
    """A place on a path: the shared state and the frames of the section, the running one first."""

    shared: SharedState
    word: Word


class Blocked:
    """Finds what closes the ways of threads."""

    def __init__(self, layout: Layout, meaning: Meaning, description: Description) -> None:
        self._layout = layout
        self._meaning = meaning
        self._description = description
        self._evaluations = [
            Evaluation(layout, number, values_of)
            for number in range(len(layout.program.procedures))
        ]

    def ways(self, thread: int, shared: SharedState, frame: Frame) -> tuple[list[Closed], bool]:
        """The closed ways on from a frame, and whether these are all."""
        start = _At(shared, (frame,))
        passed, waiting = {start: Passed()}, deque([start])
        found: list[Closed] = []
        while waiting and len(passed) <= _MOST_PLACES:
            at = waiting.popleft()
            top, before = at.word[0], passed[at]
            moves = list(self._meaning.edges.moves(at.shared, top, thread + 1))
            found += self._closed(at, moves, before, thread + 1, is_inside=at != start)
            for move in moves:
                after = _At(move.shared, move.word + at.word[1:])
                if after not in passed and self._is_inside(after):
                    passed[after] = before.after(move.edge)
                    waiting.append(after)
        if not found:
            text = "an end of its atomic section"
            found = [self._way(start, Passed(), "end of section", text, is_inside=False)]
        return list(dict.fromkeys(found)), not waiting

    def holds(self, closed: Closed, part: Expression, own: int, shared: SharedState) -> bool:
        """Whether a part of a condition can be true with other values of the global variables."""
        store = Store((*unread(shared), *unread(closed.frame.values, len(shared))), own=own)
        return self._can_be(closed.procedure, part, store, unknown=True)

    def evaluation(self, procedure: int) -> Evaluation:
        return self._evaluations[procedure]

    def _is_inside(self, at: _At) -> bool:
        return (
            bool(at.word)
            and at.word[0].point < self._layout.waiting
            and is_atomic(self._layout, at.word[-1].point)
        )

    def _closed(
        self, at: _At, moves: Sequence[Move], passed: Passed, own: int, *, is_inside: bool
    ) -> Iterator[Closed]:
        """The edges at a place that cannot be taken."""
        procedure, location = self._layout.locations[at.word[0].point]
        edges = self._description.edges_at(procedure, location)
        full = "full" in self._layout.hidden and at.shared[self._layout.hidden["full"]] == 1
        possible = [edge for edge in edges if isinstance(edge, Receive) == full]
        taken = {move.edge for move in moves}
        if not possible and not moves:
            yield self._way(at, passed, "way on", "a way on: there is none", is_inside=is_inside)
        values = numbered(at.shared) + numbered(at.word[0].values, len(at.shared))
        store = Store(values, own=own)
        for edge in possible:
            if edge in taken:
                continue
            if not self._can_be(procedure, edge.guard, store):
                if not _is_other_branch(edge.guard, [each.guard for each in taken]):
                    parts, kept = self._parts(procedure, edge.guard, at, own)
                    text = " && ".join(map(_part_text, parts)) if parts[1:] else ""
                    yield self._way(
                        at,
                        passed,
                        "condition",
                        text or expression_text(parts[0]),
                        parts,
                        kept,
                        is_inside=is_inside,
                    )
            elif isinstance(edge, Join):
                text = f"the end of {expression_text(edge.thread)}"
                yield self._way(at, passed, "join", text, (edge.thread,), is_inside=is_inside)
            elif edge in self._layout.program.procedures[procedure].leaving[location]:
                yield self._without_result(at, passed, edge, is_inside=is_inside)

    def _without_result(self, at: _At, passed: Passed, edge: Edge, *, is_inside: bool) -> Closed:
        """An edge that has a true guard, but nothing to lead to."""
        if isinstance(edge, Step) and edge.constraint != TRUE:
            text = f"values with {expression_text(edge.constraint)}"
            return self._way(
                at, passed, "constraint", text, (edge.constraint,), is_inside=is_inside
            )
        action = edge_text(self._layout.program, edge).rpartition(" -> ")[0]
        reads = tuple(_without_after(read) for read in reads_of(edge))
        return self._way(at, passed, "result", f"a result of {action}", reads, is_inside=is_inside)

    def _way(
        self,
        at: _At,
        passed: Passed,
        kind: NeedKind,
        text: str,
        parts: tuple[Expression, ...] = (),
        kept: tuple[Expression, ...] = (),
        *,
        is_inside: bool,
    ) -> Closed:
        place = self._layout.locations[at.word[0].point]
        return Closed(kind, text, parts, kept, *place, at.shared, at.word[0], passed, is_inside)

    def _parts(
        self, procedure: int, guard: Expression, at: _At, own: int
    ) -> tuple[tuple[Expression, ...], tuple[Expression, ...]]:
        """The parts of a conjunction that are false, whatever variables without a value are; and
        the others."""
        frame = at.word[0]
        store = Store((*unread(at.shared), *unread(frame.values, len(at.shared))), own=own)
        false: list[Expression] = []
        others: list[Expression] = []
        for part in _conjuncts(guard):
            can_be = self._can_be(procedure, part, store, unknown=True)
            (others if can_be else false).append(part)
        return (tuple(false), tuple(others)) if false else ((guard,), ())

    def _can_be(
        self, procedure: int, condition: Expression, store: Store, *, unknown: bool = False
    ) -> bool:
        """Whether a condition can be true; `unknown` is the answer if it depends on a variable
        without a value that must not be read."""
        try:
            return any(True for _ in self._evaluations[procedure].holding(condition, store))
        except Depends:
            return unknown


def _conjuncts(condition: Expression) -> Iterator[Expression]:
    """The parts of which a condition is a conjunction."""
    match condition:
        case Binary(operator="and"):
            yield from _conjuncts(condition.left)
            yield from _conjuncts(condition.right)
        case Unary(operator="not", operand=Binary(operator="or") as either):
            yield from _conjuncts(Unary("not", either.left))
            yield from _conjuncts(Unary("not", either.right))
        case Unary(operator="not", operand=Unary(operator="not") as twice):
            yield from _conjuncts(twice.operand)
        case _:
            yield condition


def _is_other_branch(guard: Expression, taken: Collection[Expression]) -> bool:
    """Whether a guard is false because its opposite was chosen."""
    if guard == FALSE:
        return bool(taken)
    return Unary("not", guard) in taken or any(guard == Unary("not", each) for each in taken)


def _part_text(part: Expression) -> str:
    """A condition as one of several that are joined by `&&`."""
    text = expression_text(part)
    loose = isinstance(part, Binary) and part.operator in ("or", "implies", "xor")
    return f"({text})" if loose else text


def _without_after(read: Expression) -> Expression:
    return Read(read.variable) if isinstance(read, Read) else read
