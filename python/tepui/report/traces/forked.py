"""The forked threads of a trace: what they are called, and who forked them where.

In a program with slots one thread of the system runs many threads of the program, and variables
name slots. For people a forked thread is called by its procedure and the number of its fork in the
trace, as in `worker#2`, wherever it is named.
"""

from __future__ import annotations

from dataclasses import dataclass

from tepui.program.expressions import Read
from tepui.program.layout import SharedState, Slot, Value
from tepui.program.passes.slot_books import IDLE, NEVER, slot_named
from tepui.program.passes.slots import Slotted
from tepui.program.program import Position, Procedure, Program, Step
from tepui.program.semantics.sections import Micro


@dataclass(frozen=True, slots=True)
class ForkedThread:
    """A thread that was forked in a trace."""

    name: str
    procedure: str
    by: str
    """The name of the thread that forked it."""
    position: Position
    runs: bool
    """Whether it is one that may run in this trace."""


class ForkedThreads:
    """Follows a trace, and remembers which thread is in which slot."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._slotted = program if isinstance(program, Slotted) else None
        self._current: dict[int, ForkedThread] = {}
        """The last thread of each slot."""
        self.all: list[ForkedThread] = []

    def note(self, micro: Micro, by: str, position: Position) -> None:
        """A thread does something: perhaps it forks another one."""
        if self._slotted is None or micro.edge is None or micro.procedure is None:
            return
        taken = self._slotted.taken.get((micro.procedure, micro.edge))
        if taken is None:
            return
        name = f"{taken.procedure}#{len(self.all) + 1}"
        forked = ForkedThread(name, taken.procedure, by, position, taken.slot is not None)
        self.all.append(forked)
        if taken.slot is not None:
            self._current[taken.slot] = forked

    def is_slot(self, kind: int) -> bool:
        """Whether a thread type is there for forked threads."""
        return self._slotted is not None and kind >= self._slotted.first_slot

    def in_slot(self, kind: int) -> ForkedThread | None:
        """The thread that a thread type runs now, or has run last."""
        return None if self._slotted is None else self._current.get(self._slotted.slot_of(kind))

    def runs_slot(self, procedure: int | None) -> bool:
        """Whether a procedure, given by its number, is that of a slot."""
        if self._slotted is None or procedure is None:
            return False
        return procedure >= len(self._slotted.original.procedures)

    def is_empty(self, kind: int, shared: SharedState) -> bool:
        """Whether a thread type is a slot with no thread in it, or stands for no thread at all."""
        if self._slotted is None or not self.is_slot(kind):
            return False
        slot = self._slotted.slot_of(kind)
        return slot > self._slotted.slots or shared[self._slotted.status(slot)] == IDLE

    def procedure(self, kind: int) -> Procedure | None:
        """The procedure of the thread in a slot."""
        forked = self.in_slot(kind)
        return None if forked is None else self._program.by_name[forked.procedure]

    def own_globals(self) -> int:
        """How many scalars of a shared state are those of the program as it was written."""
        written = self._program if self._slotted is None else self._slotted.original
        return sum(variable.length for variable in written.globals)

    def given(self, start: Step, shared: SharedState) -> str:
        """The arguments with which a thread starts, in words."""
        slots = self._program.layout.shared_slots
        places = {slot.name: number for number, slot in enumerate(slots)}
        told = []
        for assignment in start.assignments:
            hidden = assignment.value
            if isinstance(hidden, Read):
                place = places[hidden.variable.name]
                text = self.text(slots[place], shared[place])
                name = hidden.variable.name.rpartition(":")[2]
                told.append(f"any {name}" if text is None else f"{name} = {text}")
        return ", ".join(told)

    def text(self, slot: Slot, value: Value) -> str | None:
        """A value as text; a thread by its name in this trace."""
        if value is None:
            return None
        if self._slotted is None or slot.type != self._slotted.names:
            return slot.type.text(value)
        number = slot_named(value)
        if number is not None and number in self._current:
            return self._current[number].name
        if value == NEVER and self._slotted.bound is not None:
            return "one that never runs"
        return slot.type.text(value)
