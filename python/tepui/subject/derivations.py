"""How a program that a pass has made is described: in terms of the program as written.

`description_of` looks up in a table, by the name of the pass, how to describe a program; a new pass
needs one more entry. A program that no pass has changed is described as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tepui.program.expressions import Variable
from tepui.program.layout import Cell, SharedState, Value, known
from tepui.program.program import Derived, Edge, Position, Procedure, Program, Step, target_of
from tepui.program.semantics.sections import Micro
from tepui.program.types import ThreadId
from tepui.records import record
from tepui.subject.story import ForkedThread

if TYPE_CHECKING:
    from tepui.program.announced import Announced


@record
class Slots:
    """The room for forked threads in a program that had to be given some."""

    count: int
    bound: int | None
    """For how many contexts they are enough; None if they are meant for any number."""


@record
class SortSummary:
    """A sort of which only some values are looked at."""

    variables: tuple[str, ...]
    type: str
    size: int
    """How many values the type has."""
    values: tuple[str, ...]
    """Those that are looked at."""

    @property
    def text(self) -> str:
        named = ", ".join(self.variables[:_NAMED])
        more = f" and {len(self.variables) - _NAMED} more" if len(self.variables) > _NAMED else ""
        are = "is" if len(self.variables) == 1 else "are"
        few = len(self.values)
        return (
            f"{named}{more} {are} only copied and compared, so {few:,} of {self.size:,} values "
            f"{'stands' if few == 1 else 'stand'} for all of them"
        )


_NAMED = 3


def sorts_of(program: Program) -> list[SortSummary]:
    """The sorts of a program of which some values were left out."""
    if isinstance(program, Derived):
        own = _summaries(program) if program.made_by == "sorts" else []
        return [*own, *sorts_of(program.original)]
    return []


def _summaries(program: Any) -> list[SortSummary]:
    local = (variable for procedure in program.procedures for variable in procedure.variables)
    named = [
        ((each.procedure, each.name), each.name if each.procedure is None else _full_name(each))
        for each in (*program.globals, *local)
    ]
    return [
        SortSummary(
            tuple(name for place, name in named if place in sort.places),
            str(sort.original),
            sort.original.size,
            sort.type.members,
        )
        for sort in program.sorts.values()
    ]


def _full_name(variable: Variable) -> str:
    return f"{variable.procedure}.{variable.name}"


class Threads:
    """The names of the threads of a program in a trace: here, those in the program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.forked: list[ForkedThread] = []

    def note(self, micro: Micro, by: str, position: Position) -> None:
        """Note what a thread does: perhaps it forks another one."""

    def note_slot(self, thread: int, micro: Micro) -> None:
        """Note what a slot does for the thread in it: it starts the thread, or ends it."""

    def in_slot(self, thread: int) -> ForkedThread | None:
        """The thread that a thread of the system runs now, or has run last, if it runs several."""
        return None

    def is_empty(self, thread: int, shared: SharedState) -> bool:
        """Whether a thread of the system stands for no thread in this shared state."""
        return False

    def procedure(self, thread: int) -> Procedure:
        """The procedure that a thread of the system begins with."""
        kind = self._program.thread_types[thread]
        return self._program.procedure_of(self._program.threads[kind])

    def given(self, start: Step, shared: SharedState) -> str:
        """The arguments with which a thread starts, in words: only forked threads have some."""
        return ""

    def text(self, cell: Cell, value: Value) -> str | None:
        """A value as text; a thread by its name in this trace."""
        has = known(value)
        return None if has is None else cell.type.text(has)


class Description:
    """How a program is described: here, a program as written."""

    slots: Slots | None = None

    def __init__(self, program: Program) -> None:
        self._program = program

    def threads(self) -> Threads:
        """The threads at the beginning of a trace."""
        return Threads(self._program)

    @property
    def own_types(self) -> int:
        """How many thread types are those of the program as it was written; they come first."""
        return len(self._program.as_written.threads)

    def is_own_procedure(self, number: int) -> bool:
        """Whether a procedure, given by its number, is one of the program as it was written."""
        return number < len(self._program.as_written.procedures)

    def type_name(self, thread_type: int) -> str:
        """The name for all threads of a type together."""
        return self._program.threads[thread_type].name

    @property
    def own_globals(self) -> int:
        """How many scalars of a shared state belong to the program as it was written."""
        source = self._announced.source if self._announced else self._program.as_written
        return sum(variable.length for variable in source.globals)

    def origin(self, procedure: int, location: int) -> int:
        """The location of the source for which a location stands."""
        if self._announced is None:
            return location
        return self._announced.origins.get((procedure, location), location)

    def edges_at(self, procedure: int, location: int) -> tuple[Edge, ...]:
        """The edges that leave a location, with forks and joins as they were written."""
        return self._program.procedures[procedure].leaving[location]

    def is_silent(self, procedure: int, edge: Edge) -> bool:
        """Whether an edge only leads to a place that stands for the same location, or that says
        what a thread is about to do."""
        about = self._announced
        return about is not None and (procedure, target_of(edge)) in about.origins

    def about_to(self, procedure: int, location: int) -> str:
        """What a thread is about to do at a location, where that is asked about."""
        if self._announced is None:
            return ""
        words = self._announced.accesses.get((procedure, location), ())
        return f", about to {', '.join(words)}" if words else ""

    def names_threads(self, cell: Cell) -> bool:
        """Whether the values of a variable are names of threads."""
        return isinstance(cell.type, ThreadId)

    @cached_property
    def _announced(self) -> Announced | None:
        """The program as it was written, if threads announce in it what they are about to do."""
        program = self._program.as_written
        if type(program) is Program:  # Most are, and the import takes time.
            return None
        from tepui.program.announced import Announced

        return program if isinstance(program, Announced) else None


def description_of(program: Program) -> Description:
    """How to describe a program, whichever pass made it."""
    return _DESCRIPTIONS[program.made_by](program)


def _in_slots(program: Any) -> Description:
    from tepui.subject.slot_story import SlotDescription

    return SlotDescription(program)


_DESCRIPTIONS: Mapping[str | None, Callable[[Any], Description]] = {
    None: Description,
    "slots": _in_slots,
    "sorts": Description,
    "instance": Description,
    "forked types": Description,
    "samples": Description,
}
