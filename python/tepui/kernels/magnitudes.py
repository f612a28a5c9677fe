"""How large the values of expressions can become.

The meaning of arithmetic is that of integers without bounds. The kernels compute with 64 bits. So a
program whose expressions could need more is refused, before anything is computed wrongly.
"""

from __future__ import annotations

from tepui.errors import ModelError
from tepui.model.build import MAX_THREADS
from tepui.program.expressions import (
    Binary,
    Choice,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Self,
    Unary,
)
from tepui.program.program import Program
from tepui.program.types import Scalar
from tepui.program.walk import expressions_of

LARGEST = 2**62
"""Every intermediate value must be smaller than this, and larger than its negation."""

Interval = tuple[int, int]


def refuse_large_numbers(program: Program) -> None:
    """A ModelError if some expression could have a value that a kernel cannot hold."""
    for procedure in program.procedures:
        for edge in procedure.edges:
            for expression in expressions_of(edge):
                try:
                    _interval(expression)
                except OverflowError:
                    position = procedure.locations[edge.source].position
                    raise ModelError(
                        f"{position}: an expression here may have values beyond 62 bits, "
                        "which tepui does not compute with"
                    ) from None


def _interval(expression: Expression) -> Interval:
    """The range of values of an expression, at every step of its evaluation."""
    match expression:
        case Constant():
            return _held(expression.value, expression.value)
        case Self():
            return 0, MAX_THREADS
        case Read() | ReadElement():
            if isinstance(expression, ReadElement):
                _interval(expression.index)
            return _range(expression.variable.scalar)
        case Choice():
            return _range(expression.type)
        case Unary():
            low, high = _interval(expression.operand)
            return (0, 1) if expression.operator == "not" else (-high, -low)
        case Conditional():
            _interval(expression.condition)
            then, otherwise = _interval(expression.then), _interval(expression.otherwise)
            return min(then[0], otherwise[0]), max(then[1], otherwise[1])
        case Binary():
            return _combined(expression)


def _combined(expression: Binary) -> Interval:
    (a, b), (c, d) = _interval(expression.left), _interval(expression.right)
    match expression.operator:
        case "+":
            return _held(a + c, b + d)
        case "-":
            return _held(a - d, b - c)
        case "*":
            products = (a * c, a * d, b * c, b * d)
            return _held(min(products), max(products))
        case _:
            return 0, 1


def _held(low: int, high: int) -> Interval:
    if not -LARGEST < low <= high < LARGEST:
        raise OverflowError
    return low, high


def _range(scalar: Scalar) -> Interval:
    return scalar.low, scalar.low + scalar.size - 1
