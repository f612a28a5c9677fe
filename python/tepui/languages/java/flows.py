"""Which values flow into which variables of a program, whatever its guards say."""

from __future__ import annotations

from collections.abc import Iterator

from tepui.program.expressions import Expression, Variable
from tepui.program.program import (
    Call,
    Create,
    Edge,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    variable_of,
)

Place = Variable | tuple[str, int]
"""A variable, all elements of an array together, or a result of a procedure by its number."""

Flow = tuple[Place, Expression | tuple[str, int]]
"""Where something goes, and what: a value, or a result of a procedure."""


def flows(program: Program, procedure: Procedure) -> Iterator[Flow]:
    """All that flows along the edges of a procedure."""
    callees = {each.target: each.procedure for each in procedure.edges if isinstance(each, Call)}
    for edge in procedure.edges:
        if isinstance(edge, Receive):
            yield from _received(edge, callees[edge.source])
        else:
            yield from _given(program, procedure, edge)


def _given(program: Program, procedure: Procedure, edge: Edge) -> Iterator[Flow]:
    match edge:
        case Step():
            for each in edge.assignments:
                yield variable_of(each.target), each.value
        case Call():
            parameters = program.by_name[edge.procedure].variables
            yield from zip(parameters, edge.arguments, strict=False)
        case Return():
            for number, value in enumerate(edge.values):
                yield (procedure.name, number), value
        case Create():
            for number, values in zip(edge.threads, edge.values, strict=True):
                yield from zip(program.threads[number].inherited, values, strict=True)


def _received(edge: Receive, callee: str) -> Iterator[Flow]:
    for number, target in enumerate(edge.targets):
        if target is not None:
            yield variable_of(target), (callee, number)
