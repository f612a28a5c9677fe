"""Random programs for questions about races: without a scheduler lock, some variables volatile."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from random import Random

from support.generators.programs import SMALL, random_program
from support.oracles.program_interpreter import TooLargeError
from support.oracles.programs import Findings, explore
from tepui.program.expressions import TRUE, Binary, Constant, Expression, Read, Variable
from tepui.program.program import Assert, Location, Procedure, Program, Receive, target_of
from tepui.program.types import THREAD
from tepui.program.walk import with_ends, with_variables


def with_volatile(program: Program, names: Container[str]) -> Program:
    """The program with some of its global variables volatile."""

    def change(variable: Variable) -> Variable:
        chosen = variable.procedure is None and variable.name in names
        return replace(variable, volatile=True) if chosen else variable

    return replace(
        program,
        globals=tuple(map(change, program.globals)),
        procedures=tuple(
            replace(each, edges=tuple(with_variables(edge, change) for edge in each.edges))
            for each in program.procedures
        ),
    )


def with_checks(program: Program, rng: Random) -> Program:
    """The program with checks in front of some of its statements."""
    return replace(
        program, procedures=tuple(_checked(program, each, rng) for each in program.procedures)
    )


def _checked(program: Program, procedure: Procedure, rng: Random) -> Procedure:
    variables = (*program.globals, *procedure.variables)
    scalars = [each for each in variables if each.type == each.scalar != THREAD]
    checks: list[Expression] = [TRUE, *(_some_value(each, rng) for each in scalars)]
    for number in range(len(procedure.locations)):
        edges = procedure.leaving[number]
        if any(isinstance(edge, Receive) for edge in edges) or rng.random() < 0.6:
            continue
        inside = len(procedure.locations)
        moved = (with_ends(edge, inside, target_of(edge)) for edge in edges)
        check = Assert(number, inside, rng.choice(checks), kind="bounds")
        procedure = replace(
            procedure,
            locations=(
                *procedure.locations,
                Location(procedure.locations[number].position, atomic=True),
            ),
            edges=(*(e for e in procedure.edges if e.source != number), check, *moved),
        )
    return procedure


def _some_value(variable: Variable, rng: Random) -> Expression:
    """A condition that holds for all values of a variable but one."""
    value = rng.randrange(variable.scalar.low, variable.scalar.low + variable.scalar.size)
    return Binary("!=", Read(variable), Constant(value, variable.scalar))


def random_race_case(rng: Random) -> tuple[Program, Findings]:
    """A program, and the states that brute force finds."""
    while True:
        program = replace(random_program(rng), lock=None)
        if rng.random() < 0.4:
            program = with_checks(program, rng)
        names = [each.name for each in program.globals if rng.random() < 0.15]
        program = with_volatile(program, names)
        try:
            return program, explore(program, SMALL.contexts, SMALL.depth, SMALL.states)
        except TooLargeError:
            continue
