"""Which threads of a program know themselves, and can be exchanged nevertheless.

A family is all threads of a type with several threads, in a program in which

 (1) no local variable, parameter or result names threads, and so nothing inherited does,
 (2) nothing is forked, joined, or kept from running by a scheduler lock, and its steps are those of
     its own edges: it has no slots,
 (3) no constant names a thread of the type.

Claim. Let π be a permutation of the members of families. It renames the identities in the cells of
a shared state that name threads, and leaves frames as they are. If thread t has a rule from ⟨q|f⟩
to ⟨q'|w⟩, then thread π(t) has one from ⟨π(q)|f⟩ to ⟨π(q')|w⟩.

Proof. By (1), the values of an edge's expressions are identities only where they are compared with
each other or stored in such a cell: the contract allows nothing else (`validate`), and it is
checked here again that operators other than = and != get none. An identity comes from a cell, where
π renames it, or is `Self`, which is t for one and π(t) for the other, or is nobody or a thread of
no family, by (3), and stays as it is. As π is one-to-one, comparisons have the same outcomes. So
the evaluation of an edge takes the same course for both, and stores identities that π makes of each
other. By (2), nothing else in a step depends on who takes it, other than the type of the thread;
members of a family have the same type. An atomic section is a sequence of such edges. In a cell
that names threads and has no value yet, any identity would be read, so such states are refused.  ∎

The equal slots of a program with slots are a family, too (`slot_meaning`). Their steps are derived
from those of the program as written. If identities are compared there, it keeps (1), and joins
nothing (`identities.kinds_of_equals`). An equal slot takes a thread whatever its identity is. This
thread, in the program as written, is a forked one, whose identity comes from `Self` only: no
constant and no fork names it. So the proof holds for them as well. Slots that are not equal have
cells of their own, and stay where they are.

Threads of a type in which nothing asks for `Self` share their rules, and are exchanged without
renaming anything, whoever names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from tepui.checker.programs.state_tables import Numbering
from tepui.errors import EvidenceError
from tepui.program.expressions import (
    Binary,
    Conditional,
    Constant,
    Expression,
    inside,
    is_identity,
    operands,
)
from tepui.program.layout import Layout
from tepui.program.program import Derived, Fork, Join, Program
from tepui.program.types import THREAD, ThreadId
from tepui.program.walk import expressions_of


class ProgramExchange:
    """What exchanging threads of a program means for its shared states."""

    def __init__(self, layout: Layout, numbering: Numbering) -> None:
        self._layout = layout
        self._numbering = numbering

    @cached_property
    def families(self) -> Sequence[tuple[int, ...]]:
        """The threads of each family, in ascending order."""
        program = self._layout.program
        types = program.thread_types
        if isinstance(program, Derived) and program.made_by == "slots":
            # Most programs have no slots, and the import takes time.
            from tepui.checker.programs.slot_shape import SlotShape

            shape = SlotShape(program)
            if not shape.kinds or not _only_compared(shape.written):
                return ()
            own = len(shape.written.thread_types)
            return [tuple(own + slot - 1 for slot in shape.equal_slots)]
        if not _keeps_identities_shared(program) or not _only_compared(program):
            return ()
        named = {types[value - 1] for value in _constants(program) if value}
        return [
            tuple(thread for thread, of in enumerate(types) if of == number)
            for number, each in enumerate(program.threads)
            if each.size > 1 and number not in named
        ]

    @cached_property
    def _cells(self) -> list[int]:
        cells = enumerate(self._layout.shared_cells)
        return [number for number, cell in cells if isinstance(cell.type, ThreadId)]

    def named(self, shared: int) -> Sequence[int]:
        """The threads that a shared state names, each once, in the order of its cells."""
        state = self._numbering.shared.items[shared]
        found: dict[int, None] = {}
        for cell in self._cells:
            value = state[cell]
            if not isinstance(value, int):
                raise EvidenceError("a variable that names threads has no value in the evidence")
            if value:
                found[value - 1] = None
        return list(found)

    def renamed(self, shared: int, names: Mapping[int, int]) -> int:
        """The shared state in which other threads are named."""
        state = list(self._numbering.shared.items[shared])
        for cell in self._cells:
            value = state[cell]
            if isinstance(value, int) and value:
                state[cell] = 1 + names.get(value - 1, value - 1)
        return self._numbering.shared.number(tuple(state))


def _keeps_identities_shared(program: Program) -> bool:
    """Whether identities are only in global variables, and nothing is forked or locked."""
    if program.lock is not None:
        return False
    for procedure in program.procedures:
        if any(variable.scalar == THREAD for variable in procedure.variables):
            return False
        if THREAD in procedure.results:
            return False
        if any(isinstance(edge, Fork | Join) for edge in procedure.edges):
            return False
    return True


def _only_compared(program: Program) -> bool:
    """Whether operators other than = and != get no identities."""
    return all(
        _only_compares(part)
        for procedure in program.procedures
        for edge in procedure.edges
        for part in _parts(expressions_of(edge))
    )


def _only_compares(expression: Expression) -> bool:
    """Whether what an expression does with identities is to compare them, or to choose one."""
    among = [is_identity(operand) for operand in operands(expression)]
    match expression:
        case Binary() if expression.operator in ("=", "!="):
            return among[0] == among[1]
        case Conditional():
            return not among[0] and among[1] == among[2]
        case _:
            return not any(among)


def _constants(program: Program) -> Iterator[int]:
    """The identities that a program names."""
    for procedure in program.procedures:
        for edge in procedure.edges:
            for part in _parts(expressions_of(edge)):
                if isinstance(part, Constant) and part.type == THREAD:
                    yield part.value


def _parts(expressions: Iterator[Expression]) -> Iterator[Expression]:
    for expression in expressions:
        yield from inside(expression)
