"""How a program uses the identities of its threads: facts about its shape."""

from __future__ import annotations

from tepui.program.expressions import NOBODY, Constant, Read, inside, is_identity
from tepui.program.program import Derived, Fork, Join, Program
from tepui.program.types import THREAD, ThreadId
from tepui.program.walk import expressions_of


def only_joined(program: Program) -> bool:
    """Whether identities are only kept in variables, passed and joined: nothing compares them, and
    no thread asks for its own. Then threads that have ended need none (see `passes.slots`)."""
    if any(variable.scalar == THREAD != variable.type for variable in program.globals):
        return False
    return in_fixed_places(program) and all(
        isinstance(part, Read) and part is expression
        for procedure in program.procedures
        for edge in procedure.edges
        for expression in expressions_of(edge)
        for part in inside(expression)
        if is_identity(part)
    )


def in_fixed_places(program: Program) -> bool:
    """Whether it is known where a state has identities, so that it can be said whether a thread is
    named: in global variables, and in local ones that are no arrays."""
    variables = (variable for procedure in program.procedures for variable in procedure.variables)
    if any(variable.scalar == THREAD != variable.type for variable in variables):
        return False
    if any(THREAD in procedure.results for procedure in program.procedures):
        return False
    inherited = (variable for thread in program.threads for variable in thread.inherited)
    return not any(variable.scalar == THREAD for variable in inherited)


def keeps_identities_shared(program: Program) -> bool:
    """Whether identities are never in a frame."""
    return not any(
        variable.scalar == THREAD
        for procedure in program.procedures
        for variable in procedure.variables
    )


Kind = tuple[str, tuple[Constant, ...]]
"""A procedure, and arguments for it."""


def kind_of(program: Program, fork: Fork) -> Kind | None:
    """What a fork runs and with which arguments, if all threads that run the same are equal: nobody
    learns who they are, and the arguments are known beforehand."""
    callee = program.by_name[fork.procedure]
    arguments = tuple(each for each in fork.arguments if isinstance(each, Constant))
    if fork.variable is not None or len(arguments) < len(fork.arguments):
        return None
    for argument, parameter in zip(arguments, callee.variables, strict=False):
        scalar = parameter.scalar
        if scalar == THREAD or not scalar.low <= argument.value < scalar.low + scalar.size:
            return None
    return fork.procedure, arguments


def kinds_of_equals(program: Program) -> list[Kind]:
    """The kinds of forked threads, if all of them are interchangeable before they start; else none.
    Where identities are compared, they are so only if nothing waits for the end of a thread, and no
    identity is in a frame."""
    if program.lock is not None:
        return []
    edges = [edge for procedure in program.procedures for edge in procedure.edges]
    if not only_joined(program) and (
        not keeps_identities_shared(program) or any(isinstance(edge, Join) for edge in edges)
    ):
        return []
    kinds = [kind_of(program, edge) for edge in edges if isinstance(edge, Fork)]
    known = [kind for kind in kinds if kind is not None]
    return list(dict.fromkeys(known)) if len(known) == len(kinds) else []


def families(program: Program) -> frozenset[int]:
    """The thread types of which there are several threads that know themselves, but are
    interchangeable: identities are never in a frame, where exchanging threads would have to look
    for them, and no member is named by a constant. Then what a thread does depends on identities
    only by comparing them (`validate`). In a program with slots, only these are exchanged."""
    layout = program.layout
    local = (cell for cells in layout.frame_cells for cell in cells)
    if any(isinstance(cell.type, ThreadId) for cell in local) or program.forks:
        return frozenset()
    if any(THREAD in procedure.results for procedure in program.procedures):
        return frozenset()
    named = {
        program.thread_types[part.value - 1]
        for procedure in program.procedures
        for edge in procedure.edges
        for expression in expressions_of(edge)
        for part in inside(expression)
        if isinstance(part, Constant) and part.type == THREAD and part != NOBODY
    }
    first = 0
    if isinstance(program, Derived) and program.made_by == "slots":
        first = len(program.original.threads)
    return frozenset(
        number
        for number, thread in enumerate(program.threads)
        if thread.size > 1
        and number >= first
        and number not in named
        and layout.knows_itself(number)
    )
