"""Random programs whose arithmetic is that of machines: it wraps around, saturates or blocks."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tepui.program.expressions import (
    Binary,
    BinaryOperator,
    Constant,
    Convert,
    Expression,
    Read,
    Unary,
    with_operands,
)
from tepui.program.program import Program
from tepui.program.types import Bounded, machine
from tepui.program.walk import with_expressions

OPERATORS: tuple[BinaryOperator, ...] = ("/", "%", "&", "|", "^", "<<", ">>", "+", "*")
TYPES = (
    machine(8, signed=True),
    machine(64, signed=False),
    Bounded(-1, 2),
    Bounded(0, 2, "saturate"),
    Bounded(-1, 1, "block"),
)


def with_machine_arithmetic(rng: Random, program: Program) -> Program:
    """The program with other operators in some places, and conversions."""

    def changed(expression: Expression) -> Expression:
        expression = with_operands(expression, changed)
        match expression:
            case Binary(operator="+" | "-" | "*"):
                other = rng.choice(OPERATORS)
                sides = expression.left, expression.right
                return Convert(Binary(other, *sides), rng.choice(TYPES))
            case Binary(operator="and" | "or" | "xor") if rng.random() < 0.3:
                signs: dict[str, BinaryOperator] = {"and": "&", "or": "|", "xor": "^"}
                return Binary(signs[expression.operator], expression.left, expression.right)
            case Unary(operator="minus"):
                return Unary("complement", expression.operand)
            case Read() if rng.random() < 0.1:
                divided = Binary("/", Constant(1, Bounded(0, 1)), expression)
                return Binary("and", expression, Convert(divided, Bounded(0, 1, "block")))
        return expression

    procedures = tuple(
        replace(each, edges=tuple(with_expressions(edge, changed) for edge in each.edges))
        for each in program.procedures
    )
    return replace(program, procedures=procedures)
