"""Which local variables matter: those that some continuation reads before it assigns them.

The least solution of live(l) = union over the edges that leave l of use(edge) and, less what the
edge assigns, live(target). A call assigns nothing by itself, and nothing is live after a return.
(CUBA, section 5.2, uses the same notion to sharpen call-return relations.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tepui.program.expressions import Expression, Read, Variable, reads
from tepui.program.program import (
    Assert,
    Call,
    Create,
    Edge,
    Element,
    End,
    Fork,
    Join,
    Procedure,
    Receive,
    Return,
    Step,
    Target,
    target_of,
)


def live_variables(procedure: Procedure) -> tuple[frozenset[Variable], ...]:
    """For each location, the local variables that are live there."""
    arriving: list[list[Edge]] = [[] for _ in procedure.locations]
    for edge in procedure.edges:
        if (target := target_of(edge)) is not None:
            arriving[target].append(edge)
    effects = {id(edge): _uses_and_definitions(edge) for edge in procedure.edges}
    live: list[set[Variable]] = [set() for _ in procedure.locations]
    for edge in procedure.edges:
        live[edge.source] |= effects[id(edge)][0]
    waiting = {number: None for number in range(len(live)) if live[number]}
    while waiting:
        number, _ = waiting.popitem()
        for edge in arriving[number]:
            before = live[edge.source]
            size = len(before)
            before |= live[number] - effects[id(edge)][1]
            if len(before) > size:
                waiting[edge.source] = None
    return tuple(map(frozenset, live))


def _uses_and_definitions(edge: Edge) -> tuple[set[Variable], set[Variable]]:
    """The local variables that an edge reads, and the local scalars that it assigns."""
    match edge:
        case Step():
            targets = [assignment.target for assignment in edge.assignments]
            values = [assignment.value for assignment in edge.assignments]
            defined = set(_scalars(targets))
            used = _read([edge.guard, *values, *_indices(targets)])
            used |= _read([edge.constraint], after=False)
            used |= _read([edge.constraint], after=True) - defined
            return used, defined
        case Receive():
            targets = [target for target in edge.targets if target is not None]
            return _read([edge.guard, *_indices(targets)]), set(_scalars(targets))
        case Call():
            return _read([edge.guard, *edge.arguments]), set()
        case Return():
            return _read([edge.guard, *edge.values]), set()
        case Assert():
            return _read([edge.guard, edge.condition]), set()
        case Create():
            return _read([edge.guard, *(value for some in edge.values for value in some)]), set()
        case End():
            return _read([edge.guard]), set()
        case Fork():
            targets = [] if edge.variable is None else [edge.variable]
            used = _read([edge.guard, *edge.arguments, *_indices(targets)])
            return used, set(_scalars(targets))
        case Join():
            return _read([edge.guard, edge.thread]), set()


def _read(expressions: Iterable[Expression], after: bool = False) -> set[Variable]:
    """The local variables that are read, before the step or after it."""
    return {
        read.variable
        for expression in expressions
        for read in reads(expression)
        if read.variable.procedure is not None and (isinstance(read, Read) and read.after) == after
    }


def _scalars(targets: Iterable[Target]) -> Iterator[Variable]:
    """The local variables that are assigned as a whole."""
    for target in targets:
        if isinstance(target, Variable) and target.procedure is not None:
            yield target


def _indices(targets: Iterable[Target]) -> Iterator[Expression]:
    return (target.index for target in targets if isinstance(target, Element))
