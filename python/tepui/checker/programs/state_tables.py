"""The states of a program that the numbers in evidence stand for.

Tables are untrusted, as evidence is. They are looked at before use, and no state may have two
numbers. States outside the tables get numbers beyond them. Evidence that uses such a number is
rejected, as the tables do not say what it means.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Generic, TypeVar

from tepui.checker.evidence import Pair
from tepui.errors import EvidenceError
from tepui.model.system import Word
from tepui.program.layout import Cell, Frame, Layout, SameAs, SharedState, Value, same_range
from tepui.records import record


@record
class ProgramTables:
    """The states that the numbers in evidence stand for."""

    shared: Sequence[SharedState]
    frames: Sequence[Sequence[Frame]]
    """For each thread type, its frames by symbol; what is at EPSILON is not looked at."""


_Item = TypeVar("_Item", bound=Hashable)


class _Numbers(Generic[_Item]):
    """Items numbered from some number on, in the order in which they are met."""

    def __init__(self, first: int, items: Iterable[_Item]) -> None:
        self._first = first
        self.items = list(items)
        self._numbers = {item: first + index for index, item in enumerate(self.items)}
        if len(self._numbers) < len(self.items):
            raise EvidenceError("the tables of the evidence list a state twice")

    def number(self, item: _Item) -> int:
        number = self._numbers.setdefault(item, self._first + len(self.items))
        if number == self._first + len(self.items):
            self.items.append(item)
        return number


class Numbering:
    """The states of the tables, and those met beyond them."""

    def __init__(self, tables: ProgramTables) -> None:
        self.shared = _Numbers(0, map(tuple, tables.shared))
        self.frames = [
            _Numbers(1, (_frozen(frame) for frame in frames[1:])) for frames in tables.frames
        ]

    def word(self, kind: int, frames: Iterable[Frame]) -> Word:
        return tuple(map(self.frames[kind].number, frames))


def check_tables(layout: Layout, tables: ProgramTables) -> None:
    """What the semantics relies on: every entry of the tables is a state of the program."""
    for state in tables.shared:
        hidden = state[layout.own_cells :]
        if not _fits(layout.shared_cells, state) or not all(isinstance(v, int) for v in hidden):
            raise EvidenceError("a shared state in the evidence is no state of the program")
    if len(tables.frames) != len(layout.program.threads):
        raise EvidenceError("the evidence does not have one table of frames for each thread type")
    for frames in tables.frames:
        for frame in frames[1:]:
            _check_frame(layout, frame, layout.points)


def _check_frame(layout: Layout, frame: Frame, points: int) -> None:
    if not 0 <= frame.point < points:
        raise EvidenceError("a frame in the evidence is at no point of the program")
    cells: Sequence[Cell] = ()
    if frame.point < layout.waiting:
        cells = layout.frame_cells[layout.locations[frame.point][0]]
    if not _fits(cells, frame.values):
        raise EvidenceError("a frame in the evidence is no frame of the program")
    if frame.below is not None:
        _check_frame(layout, frame.below, layout.waiting)


def _frozen(frame: Frame) -> Frame:
    below = None if frame.below is None else _frozen(frame.below)
    return Frame(frame.point, tuple(frame.values), below)


def check_pairs(tables: ProgramTables, kind: int, pairs: Iterable[Pair]) -> None:
    """Every number of a state and a top stands for one in the tables."""
    shared, symbols = len(tables.shared), max(1, len(tables.frames[kind]))
    for source, top in pairs:
        if not (0 <= source < shared and 0 <= top < symbols):
            raise EvidenceError("the evidence names a state that is not in its tables")


def _fits(cells: Sequence[Cell], values: Sequence[Value]) -> bool:
    """Whether these are values for these cells."""
    return len(cells) == len(values) and all(
        _fits_cell(cells, values, place) for place in range(len(cells))
    )


def _fits_cell(cells: Sequence[Cell], values: Sequence[Value], place: int) -> bool:
    """Whether a cell can have its value. If it shares that of another one, this is an earlier one
    without a value, of a type with the same values."""
    scalar, value = cells[place].type, values[place]
    if isinstance(value, SameAs):
        first = value.cell
        return (
            0 <= first < place and values[first] is None and same_range(scalar, cells[first].type)
        )
    return value is None or scalar.low <= value < scalar.low + scalar.size
