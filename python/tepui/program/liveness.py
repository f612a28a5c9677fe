"""Which local variables matter: those that some continuation reads before it assigns them.

The least solution of live(l) = union over the edges that leave l of use(edge) and, less what the
edge assigns, live(target). A call assigns nothing by itself, and nothing is live after a return.
An edge whose guard is the constant false is never taken, and does not count.
(CUBA, section 5.2, uses the same notion to sharpen call-return relations.)
"""

from __future__ import annotations

from tepui.program.expressions import FALSE, Read, Variable
from tepui.program.program import Edge, Procedure, target_of
from tepui.program.walk import assigned_by, reads_of


def live_variables(procedure: Procedure) -> tuple[frozenset[Variable], ...]:
    """For each location, the local variables that are live there."""
    arriving: list[list[Edge]] = [[] for _ in procedure.locations]
    taken = [edge for edge in procedure.edges if edge.guard != FALSE]
    for edge in taken:
        if (target := target_of(edge)) is not None:
            arriving[target].append(edge)
    effects = {id(edge): _uses_and_definitions(edge) for edge in taken}
    live: list[set[Variable]] = [set() for _ in procedure.locations]
    for edge in taken:
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
    defined = {variable for variable in assigned_by(edge) if variable.procedure is not None}
    used = set()
    for read in reads_of(edge):
        is_new = isinstance(read, Read) and read.after and read.variable in defined
        if read.variable.procedure is not None and not is_new:
            used.add(read.variable)
    return used, defined
