"""Inputs with many values: what a program does not decide, such as a variable without an initial
value, or a choice."""

from __future__ import annotations

from collections.abc import Iterator

from tepui.deciding.drivers import FEW, has_many, is_wide
from tepui.program.expressions import Choice, Variable, inside
from tepui.program.liveness import live_variables
from tepui.program.program import Program
from tepui.program.types import Scalar
from tepui.program.walk import expressions_of

MANY_BITS = 24
"""Inputs that have more bits together have too many values to list all of them."""


def has_wide_inputs(program: Program) -> bool:
    """Whether something has many values that the program does not decide, by itself or together
    with others, and no translation with fewer of them comes before."""
    if program.layout.limits or program.forks:
        return False
    bits = 0
    for scalar, count in _inputs(program):
        if is_wide(scalar):
            return True
        if has_many(scalar, FEW):
            bits += count * (scalar.size - 1).bit_length()
    return bits > MANY_BITS


def _inputs(program: Program) -> Iterator[tuple[Scalar, int]]:
    """The types of inputs, each with their number."""
    for procedure in program.procedures:
        unknown = {each for each in procedure.variables[procedure.parameters :] if _starts(each)}
        if unknown:
            unknown &= live_variables(procedure)[procedure.entry]
        yield from ((each.scalar, each.length) for each in unknown)
        for edge in procedure.edges:
            for expression in expressions_of(edge):
                parts = (part for part in inside(expression) if isinstance(part, Choice))
                yield from ((part.type, 1) for part in parts)
    yield from ((each.scalar, each.length) for each in program.globals if _starts(each))


def _starts(variable: Variable) -> bool:
    """Whether a variable starts with any value."""
    return variable.initial is None
