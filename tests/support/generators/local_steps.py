"""Programs with steps that only their own thread can notice: random ones, into which such steps are
put wherever control may rest."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tepui.program.expressions import (
    TRUE,
    Binary,
    Choice,
    Constant,
    Expression,
    Read,
    Unary,
    Variable,
)
from tepui.program.program import (
    Assert,
    Assignment,
    Call,
    Edge,
    End,
    Location,
    Procedure,
    Program,
    Return,
    Step,
)
from tepui.program.types import BOOLEAN, Bounded
from tepui.program.walk import with_ends

COUNT = Bounded(0, 2)


def with_local_steps(rng: Random, program: Program) -> Program:
    """The program with some local steps between others."""
    return replace(
        program,
        procedures=tuple(_with_steps(rng, program, each) for each in program.procedures),
    )


def _with_steps(rng: Random, program: Program, procedure: Procedure) -> Procedure:
    own = (
        Variable("own", BOOLEAN, procedure.name, rng.choice([0, 1, None])),
        Variable("steps", COUNT, procedure.name, 0),
    )
    locations, edges = list(procedure.locations), []
    for edge in procedure.edges:
        target = None if isinstance(edge, Return | End) else edge.target
        is_receipt = isinstance(edge, Call) and program.by_name[edge.procedure].results
        if target is None or is_receipt or rng.random() < 0.4:
            edges.append(edge)
            continue
        if isinstance(edge, Call) and locations[target].atomic:
            edges.append(edge)
            continue
        new = len(locations)
        locations.append(Location(replace(locations[target].position, column=100 + new), "local"))
        edges.append(with_ends(edge, edge.source, new))
        edges += _steps(rng, new, target, own)
    if rng.random() < 0.5:
        edges = [_looking(rng, edge, own) for edge in edges]
    variables = (*procedure.variables, *own)
    return replace(procedure, locations=tuple(locations), edges=tuple(edges), variables=variables)


def _steps(rng: Random, source: int, target: int, own: tuple[Variable, Variable]) -> list[Edge]:
    flag, count = own
    flags: list[Expression] = [Unary("not", Read(flag)), Choice(), Constant(1)]
    values = [
        Assignment(flag, rng.choice(flags)),
        Assignment(count, Binary("+", Read(count), Constant(rng.choice([1, 2]), COUNT))),
        Assignment(count, Constant(rng.randint(0, 2), COUNT)),
    ]
    guards: list[Expression] = rng.choice(
        [[TRUE], [TRUE, Read(flag)], [Read(flag), Unary("not", Read(flag))], [Read(flag)]]
    )
    return [Step(source, target, guard, (rng.choice(values),)) for guard in guards]


def _looking(rng: Random, edge: Edge, own: tuple[Variable, Variable]) -> Edge:
    """Sometimes, an edge that looks at what the local steps have done."""
    flag, count = own
    if not isinstance(edge, Step | Assert) or edge.guard != TRUE or rng.random() < 0.7:
        return edge
    both: list[Expression] = [Read(flag), Binary("<", Read(count), Constant(2, COUNT))]
    seen = rng.choice(both)
    if isinstance(edge, Assert):
        return replace(edge, condition=Binary("or", edge.condition, seen))
    return replace(edge, guard=seen)
