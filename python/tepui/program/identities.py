"""How a program uses the identities of its threads: facts about its shape."""

from __future__ import annotations

from collections.abc import Iterator

from tepui.program.expressions import Read, Variable, inside, is_identity
from tepui.program.program import Program
from tepui.program.types import THREAD
from tepui.program.walk import expressions_of


def only_joined(program: Program) -> bool:
    """Whether identities are only kept in variables, passed and joined: nothing compares them, and
    no thread asks for its own. Then threads that have ended need none (see `passes.slots`)."""
    if any(variable.scalar == THREAD != variable.type for variable in _variables(program)):
        return False
    if any(THREAD in procedure.results for procedure in program.procedures):
        return False
    inherited = (variable for thread in program.threads for variable in thread.inherited)
    if any(variable.scalar == THREAD for variable in inherited):
        return False
    return all(
        isinstance(part, Read) and part is expression
        for procedure in program.procedures
        for edge in procedure.edges
        for expression in expressions_of(edge)
        for part in inside(expression)
        if is_identity(part)
    )


def _variables(program: Program) -> Iterator[Variable]:
    yield from program.globals
    for procedure in program.procedures:
        yield from procedure.variables
