"""The forked threads of a trace: their names, and where and by which thread they were forked.

In a program with slots one thread of the system runs many threads of the program, and variables
name slots. For people a forked thread is called by its procedure and the number of its fork in the
trace, as in `worker#2`, wherever it is named.
"""

from __future__ import annotations

from tepui.program.expressions import Read
from tepui.program.layout import Cell, SharedState, Value
from tepui.program.passes.slot_variables import IDLE
from tepui.program.passes.slots import Slotted
from tepui.program.program import Edge, Position, Procedure, Step
from tepui.program.semantics.sections import Micro
from tepui.subject.derivations import Description, Slots, Threads
from tepui.subject.story import ForkedThread


class SlotDescription(Description):
    """How a program in which forked threads run in slots is described."""

    def __init__(self, program: Slotted) -> None:
        super().__init__(program)
        self._slotted = program
        self.slots = Slots(program.slots, program.bound)

    def threads(self) -> Threads:
        return ThreadsInSlots(self._slotted)

    def type_name(self, thread_type: int) -> str:
        return super().type_name(thread_type) if thread_type < self.own_types else "forked threads"

    def edges_at(self, procedure: int, location: int) -> tuple[Edge, ...]:
        written = self._slotted.original.procedures
        if procedure < len(written) and location < len(written[procedure].locations):
            return written[procedure].leaving[location]
        return super().edges_at(procedure, location)

    def names_threads(self, cell: Cell) -> bool:
        return self._slotted.names_threads(cell)


class ThreadsInSlots(Threads):
    """Follows a trace, and remembers which thread is in which slot."""

    def __init__(self, program: Slotted) -> None:
        super().__init__(program)
        self._slotted = program
        self._current: dict[int, ForkedThread] = {}
        """The last thread of each slot."""
        self._waiting: dict[int, list[ForkedThread]] = {}
        """By their kind, the threads that no equal slot has taken yet."""

    def note(self, micro: Micro, by: str, position: Position) -> None:
        if micro.edge is None or micro.procedure is None:
            return
        taken = self._slotted.taken.get((micro.procedure, micro.edge))
        if taken is None:
            return
        name = f"{taken.procedure}#{len(self.forked) + 1}"
        runs = taken.slot is not None or taken.kind is not None
        forked = ForkedThread(name, taken.procedure, by, position, runs)
        self.forked.append(forked)
        if taken.slot is not None:
            self._current[taken.slot] = forked
        if taken.kind is not None:
            self._waiting.setdefault(taken.kind, []).append(forked)

    def note_slot(self, thread: int, micro: Micro) -> None:
        slot = self._slotted.slot_of(thread)
        if micro.edge is None or micro.procedure is None:
            return
        taken = self._slotted.taken.get((micro.procedure, micro.edge))
        if taken is not None and taken.kind is not None:
            # They are equal, so any of them will do.
            self._current[slot] = self._waiting[taken.kind].pop(0)

    def in_slot(self, thread: int) -> ForkedThread | None:
        return self._current.get(self._slotted.slot_of(thread))

    def is_empty(self, thread: int, shared: SharedState) -> bool:
        """Whether a thread is a slot with no thread in it, or stands for no thread at all."""
        slot = self._slotted.slot_of(thread)
        if slot <= 0:
            return False
        if slot in self._slotted.books.slots:
            return shared[self._slotted.status(slot)] == IDLE
        return slot not in self._current

    def procedure(self, thread: int) -> Procedure:
        forked = self.in_slot(thread)
        return (
            super().procedure(thread) if forked is None else self._program.by_name[forked.procedure]
        )

    def given(self, start: Step, shared: SharedState) -> str:
        cells = self._program.layout.shared_cells
        places = {cell.name: number for number, cell in enumerate(cells)}
        words = []
        for assignment in start.assignments:
            hidden = assignment.value
            if isinstance(hidden, Read):
                place = places[hidden.variable.name]
                text = self.text(cells[place], shared[place])
                name = hidden.variable.name.rpartition(":")[2]
                words.append(f"any {name}" if text is None else f"{name} = {text}")
        return ", ".join(words)

    def text(self, cell: Cell, value: Value) -> str | None:
        if not isinstance(value, int) or not self._slotted.names_threads(cell):
            return super().text(cell, value)
        number = self._slotted.slot_named(value)
        if number is not None and number in self._current:
            return self._current[number].name
        if self._slotted.never_runs(value):
            return "one that never runs"
        return cell.type.text(value)
