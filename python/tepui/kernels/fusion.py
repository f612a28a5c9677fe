"""Where fused steps go on, and where they have to rest (see `fusion.rs`).

A location is *local* if nothing that can be done there touches anything shared. A step has to
*rest* at the places that a question names, and somewhere on every cycle: at the target of an edge
that leads back (locations are numbered, so every cycle has one), and where a procedure begins that
may call itself.

A return with values is followed by their receipt before any other thread moves, so it is local only
if the receipt is, after every call of its procedure, and never blocks.

The checker judges the same by itself (`program.semantics.fusing`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from tepui.program.calls import with_all_called
from tepui.program.expressions import TRUE
from tepui.program.program import (
    Call,
    Create,
    Derived,
    Edge,
    Element,
    Fork,
    Join,
    Procedure,
    Program,
    Receive,
    Return,
    target_of,
)
from tepui.program.types import THREAD, Bounded, Scalar
from tepui.program.walk import reads_of, targets_of


class Fusion:
    """Which points of a program are local, and at which of them steps have to rest.

    In a program with slots, other steps than in the program as written touch shared variables, as
    some keep count of local variables that name threads. So the program as written is asked, and
    procedures with such variables have no local points.
    """

    def __init__(self, program: Program, named: Iterable[int]) -> None:
        self._written = program
        point: Callable[[int], int] = int
        if isinstance(program, Derived) and program.made_by == "slots":
            self._written, point = program.original, program.point
        points = range(self._written.layout.waiting)
        flags = [
            (local, rests)
            for procedure in self._written.procedures
            for local, rests in self._judged(procedure)
        ]
        self.local = frozenset(point(each) for each in points if flags[each][0])
        free = {point(each) for each in points if not flags[each][1]}
        self.rests = frozenset(range(program.layout.waiting)).difference(free).union(named)

    def _judged(self, procedure: Procedure) -> list[tuple[bool, bool]]:
        """For each location, whether it is local, and whether steps rest there."""
        numbers = range(len(procedure.locations))
        back = {
            target
            for edge in procedure.edges
            if (target := target_of(edge)) is not None and target <= edge.source
        }
        if procedure.name in self._recursive:
            back.add(procedure.entry)
        names_threads = self._written.forks and any(
            variable.scalar == THREAD for variable in procedure.variables
        )
        return [
            (
                not names_threads
                and bool(procedure.leaving[number])
                and all(self._is_local(procedure, edge) for edge in procedure.leaving[number]),
                number in back or procedure.locations[number].atomic,
            )
            for number in numbers
        ]

    def _is_local(self, procedure: Procedure, edge: Edge) -> bool:
        if isinstance(edge, Create | Fork | Join):
            return False
        target = target_of(edge)
        if target is not None and procedure.locations[target].atomic:
            return False
        if isinstance(edge, Return) and edge.values and not self._is_received[procedure.name]:
            return False
        return _touches_only_locals(edge)

    @cached_property
    def _recursive(self) -> frozenset[str]:
        """The procedures that may call themselves, directly or not."""
        program = self._written
        callees = {
            procedure.name: {
                program.numbers[edge.procedure]
                for edge in procedure.edges
                if isinstance(edge, Call)
            }
            for procedure in program.procedures
        }
        return frozenset(
            name
            for name, called in callees.items()
            if program.numbers[name] in with_all_called(program, called)
        )

    @cached_property
    def _is_received(self) -> dict[str, bool]:
        """For each procedure, whether every receipt of its results is local and never blocks."""
        program = self._written
        received = {procedure.name: True for procedure in program.procedures}
        for thread in program.threads:
            received[thread.procedure] = False
        for procedure in program.procedures:
            for edge in procedure.edges:
                if isinstance(edge, Call):
                    results = program.by_name[edge.procedure].results
                    if not all(
                        isinstance(receipt, Receive) and _is_harmless(receipt, results)
                        for receipt in procedure.leaving[edge.target]
                    ):
                        received[edge.procedure] = False
        return received


def _touches_only_locals(edge: Edge) -> bool:
    targets = (
        target.variable if isinstance(target, Element) else target for target in targets_of(edge)
    )
    read = (each.variable for each in reads_of(edge))
    return all(variable.procedure is not None for variable in (*targets, *read))


def _is_harmless(receipt: Receive, results: tuple[Scalar, ...]) -> bool:
    """Whether a receipt is local and never blocks."""
    return (
        receipt.guard == TRUE
        and _touches_only_locals(receipt)
        and all(
            target is None or (not isinstance(target, Element) and _holds(target.scalar, result))
            for target, result in zip(receipt.targets, results, strict=True)
        )
    )


def _holds(scalar: Scalar, result: Scalar) -> bool:
    """Whether a variable can be given every value of a result."""
    if isinstance(scalar, Bounded) and scalar.overflow != "block":
        return True
    return scalar.low <= result.low and result.low + result.size <= scalar.low + scalar.size
