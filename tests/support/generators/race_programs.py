"""Random programs for questions about races: without a scheduler lock, some variables volatile."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from random import Random

from support.generators.programs import SMALL, random_program
from support.oracles.program_interpreter import TooLargeError
from support.oracles.programs import Findings, explore
from tepui.program.expressions import Variable
from tepui.program.program import Program
from tepui.program.walk import with_variables


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


def random_race_case(rng: Random) -> tuple[Program, Findings]:
    """A program, and the states that brute force finds."""
    while True:
        program = replace(random_program(rng), lock=None)
        names = [each.name for each in program.globals if rng.random() < 0.15]
        program = with_volatile(program, names)
        try:
            return program, explore(program, SMALL.contexts, SMALL.depth, SMALL.states)
        except TooLargeError:
            continue
