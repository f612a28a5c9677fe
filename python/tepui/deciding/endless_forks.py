"""Whether a thread can go on forking for ever, within one context.

A trace that ends because no slot is free may show it. If the running thread is twice about to fork
in the same shared state and with the same frame on top, and what lay below was not touched in
between, it can repeat what it did, again and again. What a thread can do does not depend on which
threads its variables name, only on whether these have ended (QR, A1 to A3), and no thread ends
while another one runs. If identities are compared, it also depends on which variables name the same
thread, and which name the thread itself, or one that the program begins with.
"""

from __future__ import annotations

from itertools import combinations

from tepui.checker import Trace
from tepui.checker.trace_steps import Move, Walk
from tepui.kernels.lowered_system import LoweredSystem, lowered
from tepui.program.layout import Cell, SharedState, Value
from tepui.program.passes.slot_variables import DONE, IDLE
from tepui.program.passes.slots import slotted
from tepui.result import Result

ALIVE = DONE + 1
"""Stands for every thread that has not ended: they look the same, unless they are compared."""

Seen = tuple[object, ...]
"""The part of a state that a thread sees, which decides what it can do."""


def forks_without_end(result: Result) -> bool:
    """Whether the last context of a trace, which ends because no slot is free, shows an endless
    loop."""
    trace = result.trace
    assert trace is not None
    look = _Look(lowered(trace.subject.system))
    steps = _last_context(trace)
    heights = [height for height, _ in steps]
    forking = [number for number, (_, step) in enumerate(steps) if look.is_fork(step)]
    if len(steps) - 1 not in forking:  # It may fork a thread before it finds no slot for another.
        forking.append(len(steps) - 1)
    return any(
        look.seen(steps[first][1]) == look.seen(steps[second][1])
        and min(heights[first : second + 1]) == heights[first]
        for first, second in combinations(forking, 2)
    )


def _last_context(trace: Trace) -> list[tuple[int, Move]]:
    """The moves of the last context, each with the height of the stack before it."""
    walk, found = Walk(trace.start), list[tuple[int, Move]]()
    for thread, rule in trace.differences.moves():
        if found and found[-1][1][0] != thread:
            found.clear()
        found.append((walk.height(thread), (thread, rule)))
        walk.move(thread, rule)
    return found


class _Look:
    """Reads the states of a program with slots."""

    def __init__(self, system: LoweredSystem) -> None:
        self._program = slotted(system.program)
        self._system = system
        self._shared = system.shared_values()
        own = sum(variable.length for variable in self._program.original.globals)
        self._skipped = range(own, system.layout.own_cells)
        self._statuses = {slot: self._program.status(slot) for slot in self._program.books.slots}
        names = [cell.name for cell in system.layout.shared_cells]
        self._forked = names.index("#forked") if self._program.equal else None

    def is_fork(self, step: Move) -> bool:
        """Whether a step takes a slot."""
        _, rule = step
        before, after = self._shared[rule.source], self._shared[rule.target]
        if self._forked is not None and before[self._forked] != after[self._forked]:
            return True
        return any(before[status] == IDLE != after[status] for status in self._statuses.values())

    def seen(self, step: Move) -> Seen:
        """What the thread sees before a step."""
        thread, rule = step
        layout = self._system.layout
        shared = self._shared[rule.source]
        met: dict[int, int] = {}

        def kind(cell: Cell, value: Value) -> object:
            if not isinstance(value, int) or not self._program.names_threads(cell):
                return value
            return self._kind(value, shared, thread + 1, met)

        frame = self._system.frames(self._system.threads[thread])[rule.top]
        cells = layout.frame_cells[layout.locations[frame.point][0]]
        return (
            tuple(
                kind(layout.shared_cells[number], value)
                for number, value in enumerate(shared)
                if number not in self._skipped
            ),
            frame.point,
            tuple(map(kind, cells, frame.values)),
        )

    def _kind(self, name: int, shared: SharedState, own: int, met: dict[int, int]) -> object:
        """What matters of the name of a thread: whether it has ended and, if identities are
        compared, which of those that were `met` before it is. `own` is the running thread."""
        compared, slot = self._program.books.compared, self._program.slot_named(name)
        if slot is None or (compared and name == own):
            return name
        # Nothing waits for the end of a thread in an equal slot.
        ended = slot in self._statuses and shared[self._statuses[slot]] == IDLE
        if compared:
            return met.setdefault(slot, len(met)), ended
        return DONE if ended else ALIVE
