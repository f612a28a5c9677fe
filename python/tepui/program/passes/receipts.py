"""Receipts of results that can never block.

Nothing happens between a return and its receipt, so a receipt that blocks would stop every thread.
Where one could (an element of an array whose index may be outside, a variable that cannot hold
every result, an `enforce`), the results go to fresh local variables first, and a step of its own
assigns them.
"""

from __future__ import annotations

from collections.abc import Iterator

from tepui.program.expressions import TRUE, Read, Variable, after_step
from tepui.program.intervals import is_within
from tepui.program.program import (
    Assignment,
    Call,
    Edge,
    Element,
    Location,
    Procedure,
    Program,
    Receive,
    Step,
    Target,
    scalar_of,
)
from tepui.program.types import INTEGER, Bounded, Scalar
from tepui.records import replace


def with_harmless_receipts(program: Program) -> Program:
    """The program with fresh variables where the receipt of results could block."""
    procedures = tuple(_repaired(program, procedure) for procedure in program.procedures)
    return replace(program, procedures=procedures)


def _repaired(program: Program, procedure: Procedure) -> Procedure:
    callers = {
        edge.target: program.by_name[edge.procedure].results
        for edge in procedure.edges
        if isinstance(edge, Call)
    }
    locations = list(procedure.locations)
    fresh: dict[tuple[int, Scalar], Variable] = {}
    edges: list[Edge] = []
    for edge in procedure.edges:
        results = callers.get(edge.source, ())
        if isinstance(edge, Receive) and _may_block(edge, results):
            edges += _in_two(procedure, edge, results, locations, fresh)
        else:
            edges.append(edge)
    return replace(
        procedure,
        locations=tuple(locations),
        edges=tuple(edges),
        variables=(*procedure.variables, *fresh.values()),
    )


def _may_block(edge: Receive, results: tuple[Scalar, ...]) -> bool:
    pairs = zip(edge.targets, results, strict=True)
    return edge.guard != TRUE or any(
        target is not None and not _always_fits(target, result) for target, result in pairs
    )


def _always_fits(target: Target, result: Scalar) -> bool:
    if isinstance(target, Element) and not is_within(target.index, 0, target.variable.length - 1):
        return False
    scalar = scalar_of(target)
    if scalar == INTEGER or (isinstance(scalar, Bounded) and scalar.overflow != "block"):
        return True
    if result == INTEGER:
        return False
    above = result.low + result.size <= scalar.low + scalar.size
    return scalar.low <= result.low and above


def _in_two(
    procedure: Procedure,
    edge: Receive,
    results: tuple[Scalar, ...],
    locations: list[Location],
    fresh: dict[tuple[int, Scalar], Variable],
) -> Iterator[Edge]:
    """Take the results, and then assign them."""
    wanted = [number for number, target in enumerate(edge.targets) if target is not None]
    for number in wanted:
        name = f"result.{len(fresh)}"
        variable = Variable(name, results[number], procedure.name)
        fresh.setdefault((number, results[number]), variable)
    taken = {number: fresh[number, results[number]] for number in wanted}
    between = len(locations)
    locations.append(locations[edge.source])
    yield Receive(edge.source, between, tuple(taken.get(n) for n in range(len(edge.targets))))
    assignments = tuple(
        Assignment(target, Read(taken[number]))
        for number, target in enumerate(edge.targets)
        if target is not None
    )
    yield Step(between, edge.target, edge.guard, assignments, after_step(edge.guard))
