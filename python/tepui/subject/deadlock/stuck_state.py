"""The state in which a trace of a program ends, with the values that make it a deadlock.

A variable that may have any value gets one when it is read. Whether threads can move may depend on
such a variable, and then a trace ends in a deadlock only if it has the right one.
"""

from __future__ import annotations

from collections.abc import Iterator

from tepui.checker import Trace
from tepui.kernels.lowered_system import LoweredSystem
from tepui.program.layout import Cell, Frame, SameAs, SharedState, Value, known, numbered
from tepui.program.semantics.evaluation import Unread
from tepui.program.semantics.meaning import Meaning
from tepui.records import record


@record
class Decided:
    """A value for a variable that has none: a global one, or one of the top frame of a thread."""

    thread: int | None
    cell: Cell
    value: int


@record
class StuckState:
    """A state in which no thread can move."""

    shared: SharedState
    stacks: tuple[tuple[Frame, ...], ...]
    """The frames of each thread, the top first."""
    decided: tuple[Decided, ...]
    """The values that variables without one must have."""


def stuck_state(system: LoweredSystem, meaning: Meaning, trace: Trace) -> StuckState:
    """The end of a trace, and values with which no thread can move there."""
    number, symbols = trace.end
    before = _with_open_lock(system, system.shared_values()[number])
    stacks = tuple(
        tuple(system.frames(system.threads[thread])[symbol] for symbol in stack)
        for thread, stack in enumerate(symbols)
    )
    tops = [(thread, stack[0]) for thread, stack in enumerate(stacks) if stack]
    found = next(_cases(meaning, before, tops), None)
    if found is None:
        return StuckState(before, stacks, ())
    shared, frames = found
    moved = list(stacks)
    decided = list(_decided(None, system.layout.shared_cells, before, shared))
    for (thread, old), new in zip(tops, frames, strict=True):
        moved[thread] = (new, *stacks[thread][1:])
        if old.point < system.layout.waiting:
            cells = system.layout.frame_cells[system.layout.procedure_number(old.point)]
            decided += _decided(thread, cells, old.values, new.values)
    return StuckState(shared, tuple(moved), tuple(decided))


def _with_open_lock(system: LoweredSystem, shared: SharedState) -> SharedState:
    """The shared state, in which a scheduler lock without a value is open: nobody holds it, so if
    it were closed, nobody could ever open it (`Meaning`)."""
    lock, layout = system.program.lock, system.layout
    if lock is None or shared[layout.hidden["holder"]] != 0:
        return shared
    address = layout.shared_variables.index(lock)
    return shared if shared[address] is not None else replace_at(shared, address, 0)


def replace_at(values: tuple[Value, ...], address: int, value: Value) -> tuple[Value, ...]:
    """Values with another one at an address."""
    return (*values[:address], value, *values[address + 1 :])


def unread(values: tuple[Value, ...], first: int = 0) -> tuple[Value, ...]:
    """The scalars of a shared state or a frame, the first of which has an address: to read one
    without a value raises `Depends`, instead of trying all its values."""
    each = numbered(values, first)
    return tuple(Unread(value.cell) if isinstance(value, SameAs) else value for value in each)


def _cases(
    meaning: Meaning, shared: SharedState, tops: list[tuple[int, Frame]]
) -> Iterator[tuple[SharedState, tuple[Frame, ...]]]:
    """All ways to decide variables so that none of these threads can move, one after the other."""
    if not tops:
        yield shared, ()
        return
    (thread, top), *others = tops
    for decided, frame in meaning.stuck(thread, shared, top):
        for after, frames in _cases(meaning, decided, others):
            yield after, (frame, *frames)


def _decided(
    thread: int | None,
    cells: tuple[Cell, ...],
    before: tuple[Value, ...],
    after: tuple[Value, ...],
) -> Iterator[Decided]:
    for cell, old, new in zip(cells, before, after, strict=True):
        value = known(new)
        if known(old) is None and value is not None:
            yield Decided(thread, cell, value)
