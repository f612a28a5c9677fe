"""Random expressions over machine integers of every width, with values at the edges.

Most are as front ends write them, each operation converted to its type. Some compute with larger
numbers in between, and some with ranges that saturate, block, or wrap around at no power of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import get_args

from tepui.program.expressions import (
    ArithmeticOperator,
    Binary,
    BinaryOperator,
    Choice,
    ComparisonOperator,
    Conditional,
    Constant,
    Convert,
    Expression,
    LogicOperator,
    Read,
    Unary,
    UnaryOperator,
    Variable,
)
from tepui.program.types import MACHINE_BITS, Bounded, machine

MACHINES = [machine(bits, signed=signed) for bits in MACHINE_BITS for signed in (True, False)]

RANGES = [
    Bounded(-5, 9, "wrap"),
    Bounded(-(2**31), 2**31 - 1, "saturate"),
    Bounded(0, 2**64 - 1, "saturate"),
    Bounded(-(2**15), 2**15 - 1, "block"),
    Bounded(-(2**63), 2**64 - 1, "block"),
    Bounded(3, 2**40 + 5, "wrap"),
    Bounded(-8, 7, "wrap"),
]

ARITHMETIC: Sequence[ArithmeticOperator] = get_args(ArithmeticOperator)
COMPARISONS: Sequence[ComparisonOperator] = get_args(ComparisonOperator)
LOGIC: Sequence[LogicOperator] = get_args(LogicOperator)
UNARY: Sequence[UnaryOperator] = get_args(UnaryOperator)


def edge_value(rng: Random, scalar: Bounded) -> int:
    """A value of a type, most often one at which something happens."""
    power = 2 ** rng.randrange(65)
    low, high = scalar.low, scalar.high
    any_value = rng.randint(low, high)
    near = (low, low + 1, high - 1, high, 0, 1, -1, power, power - 1, -power, any_value)
    inside: list[int] = [value for value in near if low <= value <= high]
    return rng.choice(inside)


def random_expression(rng: Random, variables: Sequence[Variable], depth: int = 3) -> Expression:
    """An expression whose values all variables can hold, or a condition."""
    if rng.random() < 0.25:
        sides = (_number(rng, variables, depth - 1) for _ in range(2))
        operator: BinaryOperator = rng.choice([*COMPARISONS, *LOGIC])
        return Binary(operator, *sides)
    return Convert(_number(rng, variables, depth), _type(rng))


def _number(rng: Random, variables: Sequence[Variable], depth: int) -> Expression:
    if depth <= 0 or rng.random() < 0.15:
        return _leaf(rng, variables)
    match rng.randrange(8):
        case 0:
            value: Expression = Unary(rng.choice(UNARY), _number(rng, variables, depth - 1))
        case 1:
            parts = (_number(rng, variables, depth - 1) for _ in range(3))
            value = Conditional(*parts)
        case _:
            value = _operation(rng, variables, depth)
    return Convert(value, _type(rng)) if rng.random() < 0.7 else value


def _operation(rng: Random, variables: Sequence[Variable], depth: int) -> Expression:
    operator, left = rng.choice(ARITHMETIC), _number(rng, variables, depth - 1)
    if operator in ("<<", ">>") and rng.random() < 0.8:
        amount = rng.choice([-1, 0, 1, 7, 8, 31, 32, 62, 63, 64])
        return Binary(operator, left, Constant(amount, Bounded(-1, 64)))
    return Binary(operator, left, _number(rng, variables, depth - 1))


def _leaf(rng: Random, variables: Sequence[Variable]) -> Expression:
    if rng.random() < 0.05:
        return Choice(Bounded(-1, 1))
    if rng.random() < 0.3:
        scalar = rng.choice(MACHINES)
        return Constant(edge_value(rng, scalar), scalar)
    return Read(rng.choice(variables))


def _type(rng: Random) -> Bounded:
    return rng.choice(MACHINES) if rng.random() < 0.85 else rng.choice(RANGES)
