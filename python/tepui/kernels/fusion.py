"""Where fused steps go on, and where they have to rest (see `fusion.rs`).

A location is *local* if nothing that can be done there touches anything shared. A statement that
is checked before it is executed goes on at an atomic location, and is local if all of it is.

A step has to rest at the places that a question names, and somewhere on every cycle: at the target
of an edge that leads back (locations are numbered, so every cycle has one), and where a procedure
begins that may call itself. Most threads pass local locations only, so only cycles of these matter
to them.

A return with values is followed by their receipt before any other thread moves, so it is local only
if the receipt is, after every call of its procedure, and never blocks.

The checker judges the same by itself (`program.semantics.fusing`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import prod

from tepui.program.calls import called_by, with_all_called
from tepui.program.expressions import TRUE, is_identity
from tepui.program.layout import Fused
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
    is_check,
    is_inside_statement,
    target_of,
    variable_of,
)
from tepui.program.types import THREAD, Bounded, Scalar
from tepui.program.walk import reads_of, targets_of

Passed = tuple[frozenset[int], frozenset[int]]
"""The points that fused steps pass, and those that the holder of the scheduler lock passes: no
other thread can move then, so it need not rest at what is shared."""


Local = dict[str, list[bool]]
"""For each procedure, which of its locations are local."""


def fused_points(program: Program, fused: Fused | None) -> Passed:
    """What is passed in a program; nothing if steps are not fused.

    In a program with slots, other steps than in the program as written touch shared variables, as
    some keep count of local variables that name threads. So the program as written is asked, and
    procedures with such variables, or that pass identities, have no local points.
    """
    if fused is None:
        return frozenset(), frozenset()
    if isinstance(program, Derived) and program.made_by == "slots":
        judged = _Judgement(program.original).passed()
        passed, by_holder = (frozenset(map(program.point, points)) for points in judged)
    else:
        passed, by_holder = _Judgement(program).passed()
    return passed - fused.named, by_holder - fused.named


_MOST_LOCATIONS = 32
_MOST_VALUES = 2**16


def joined_procedures(program: Program) -> frozenset[int]:
    """The procedures whose frames are joined to those of their callers: small ones that do not call
    themselves. Others are better looked at by themselves, whoever calls them."""
    recursive = recursive_procedures(program)
    found = set()
    for index, procedure in enumerate(program.procedures):
        called = with_all_called(program, [index])
        locations = sum(len(program.procedures[each].locations) for each in called)
        values = prod(
            cell.type.size for each in called for cell in program.layout.frame_cells[each]
        )
        is_small = locations <= _MOST_LOCATIONS and values <= _MOST_VALUES
        if is_small and procedure.name not in recursive:
            found.add(index)
    return frozenset(found)


def recursive_procedures(program: Program) -> frozenset[str]:
    """The procedures that may call themselves, directly or not."""
    callees = {
        procedure.name: {
            program.numbers[edge.procedure] for edge in procedure.edges if isinstance(edge, Call)
        }
        for procedure in program.procedures
    }
    return frozenset(
        name
        for name, called in callees.items()
        if program.numbers[name] in with_all_called(program, called)
    )


class _Judgement:
    """Judges by the text of a program as written."""

    def __init__(self, program: Program) -> None:
        self._written = program
        self._recursive = recursive_procedures(program)

    def passed(self) -> Passed:
        passed, by_holder = set(), set()
        ways = _Ways(self._written, self._recursive, self._local)
        for index, procedure in enumerate(self._written.procedures):
            first = self._written.layout.first_points[index]
            local, loops = self._local[procedure.name], ways.loops(procedure)
            back = {target for _, target in _back_edges(procedure)}
            entry = procedure.entry if procedure.name in self._recursive else None
            for number, location in enumerate(procedure.locations):
                if number != entry and not location.atomic:
                    if local[number] and number not in loops:
                        passed.add(first + number)
                    if number not in back:
                        by_holder.add(first + number)
        return frozenset(passed), frozenset(by_holder)

    @cached_property
    def _local(self) -> Local:
        """For each procedure and each of its locations, whether it is local."""
        return {each.name: self._local_in(each) for each in self._written.procedures}

    def _local_in(self, procedure: Procedure) -> list[bool]:
        if self._written.forks and _keeps_names(procedure):
            return [False] * len(procedure.locations)
        return [
            bool(edges) and all(self._is_local(procedure, edge) for edge in edges)
            for edges in procedure.leaving
        ]

    def _is_local(self, procedure: Procedure, edge: Edge) -> bool:
        if isinstance(edge, Create | Fork | Join):
            return False
        target = target_of(edge)
        if target is not None and procedure.locations[target].atomic:
            return self._is_checked_locally(procedure, edge)
        if isinstance(edge, Return) and edge.values and not self._is_received[procedure.name]:
            return False
        return _touches_only_locals(edge)

    def _is_checked_locally(self, procedure: Procedure, edge: Edge) -> bool:
        """Whether an edge checks something local before a statement that is local."""
        if not is_check(edge) or edge.target is None or edge.target <= edge.source:
            return False
        return (
            is_inside_statement(procedure, edge.target)
            and _touches_only_locals(edge)
            and all(self._is_local(procedure, each) for each in procedure.leaving[edge.target])
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
                        isinstance(receipt, Receive)
                        and self._is_local(procedure, receipt)
                        and _never_blocks(receipt, results)
                        for receipt in procedure.leaving[edge.target]
                    ):
                        received[edge.procedure] = False
        return received


class _Ways:
    """The ways through local locations of a program, calls included."""

    def __init__(self, program: Program, recursive: frozenset[str], local: Local) -> None:
        self._program = program
        self._local = local
        self._coming_back = dict.fromkeys(recursive, False)
        """What is known; one that calls itself has a place to rest."""

    def loops(self, procedure: Procedure) -> set[int]:
        """The location with the smallest number on each cycle: an edge leads back to it."""
        arriving: list[list[int]] = [[] for _ in procedure.locations]
        for source, target in self._ways(procedure):
            arriving[target].append(source)
        return {
            target
            for target, sources in enumerate(arriving)
            if any(s >= target and _is_cycle(arriving, s, target) for s in sources)
        }

    def _ways(self, procedure: Procedure) -> Iterator[tuple[int, int]]:
        """The ways between local statements; calls count if they come back. What is checked before
        a statement is no way to another one."""
        local, begin = self._local[procedure.name], procedure.statements
        for edge in procedure.edges:
            target = target_of(edge)
            if target is None or not (local[edge.source] and local[target]):
                continue
            if procedure.locations[target].atomic:
                continue
            if not isinstance(edge, Call) or self._comes_back(edge.procedure):
                yield begin[edge.source], target

    def _comes_back(self, name: str) -> bool:
        """Whether a way leads from the entry of a procedure to its end. Those that it calls come
        first: calls can be nested deeper than Python's own."""
        work = [name]
        while work:
            procedure = self._program.by_name[work[-1]]
            called = called_by(procedure.edges) - self._coming_back.keys()
            if called and procedure.name not in self._coming_back:
                work += sorted(called)
            else:
                work.pop()
                if procedure.name not in self._coming_back:
                    self._coming_back[procedure.name] = self._reaches_its_end(procedure)
        return self._coming_back[name]

    def _reaches_its_end(self, procedure: Procedure) -> bool:
        leaving: list[list[int]] = [[] for _ in procedure.locations]
        for source, target in self._ways(procedure):
            leaving[source].append(target)
        ahead = _all_ahead(leaving, procedure.entry)
        local = self._local[procedure.name]
        return any(
            target_of(edge) is None
            and local[edge.source]
            and procedure.statements[edge.source] in ahead
            for edge in procedure.edges
        )


def _keeps_names(procedure: Procedure) -> bool:
    """Whether a procedure changes how many local variables name a thread."""
    calls = (edge for edge in procedure.edges if isinstance(edge, Call))
    return any(each.scalar == THREAD for each in procedure.variables) or any(
        is_identity(argument) for call in calls for argument in call.arguments
    )


def _back_edges(procedure: Procedure) -> list[tuple[int, int]]:
    """The edges that lead to a location with a smaller or the same number, as pairs."""
    return [
        (edge.source, target)
        for edge in procedure.edges
        if (target := target_of(edge)) is not None and target <= edge.source
    ]


def _is_cycle(arriving: list[list[int]], source: int, target: int) -> bool:
    """Whether an edge that leads back closes a cycle of larger numbers than that of its target."""
    found, work = {source}, [source]
    while work and target not in found:
        for each in arriving[work.pop()]:
            if each >= target and each not in found:
                found.add(each)
                work.append(each)
    return target in found


def _all_ahead(leaving: list[list[int]], start: int) -> set[int]:
    """Everything to which edges lead from a location, itself included."""
    found, work = {start}, [start]
    while work:
        for each in leaving[work.pop()]:
            if each not in found:
                found.add(each)
                work.append(each)
    return found


def _touches_only_locals(edge: Edge) -> bool:
    targets = map(variable_of, targets_of(edge))
    read = (each.variable for each in reads_of(edge))
    return all(variable.procedure is not None for variable in (*targets, *read))


def _never_blocks(receipt: Receive, results: tuple[Scalar, ...]) -> bool:
    return receipt.guard == TRUE and all(
        target is None or (not isinstance(target, Element) and _holds(target.scalar, result))
        for target, result in zip(receipt.targets, results, strict=True)
    )


def _holds(scalar: Scalar, result: Scalar) -> bool:
    """Whether a variable can be given every value of a result."""
    if isinstance(scalar, Bounded) and scalar.overflow != "block":
        return True
    return scalar.low <= result.low and result.low + result.size <= scalar.low + scalar.size
