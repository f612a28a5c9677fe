"""Arithmetic with machine integers.

An operator whose operands include a machine integer computes in their common type: the widest, and
of two equally wide the unsigned one. Operands of other types, ranges and constants too, are
converted to it first, and the result wraps around. A shift has the type of what is shifted.
Comparisons convert nothing. Without a machine integer, arithmetic is that of all integers.
"""

from __future__ import annotations

from tepui.program.expressions import (
    MOST_SHIFTED,
    ArithmeticOperator,
    Binary,
    Conditional,
    Constant,
    Convert,
    Expression,
    Read,
    ReadElement,
    Unary,
)
from tepui.program.intervals import is_within
from tepui.program.types import MACHINE_BITS, Bounded, Scalar, machine

SHIFTS = ("<<", ">>")

_BITS = {
    machine(bits, signed=signed): (bits, not signed)
    for bits in MACHINE_BITS
    for signed in (True, False)
}
"""The machine integers, each with its rank: how many bits it has, and whether it is unsigned."""


def bits_of(type_: Bounded) -> int:
    """How wide a machine integer is."""
    return _BITS[type_][0]


def is_signed(type_: Bounded) -> bool:
    return type_.low < 0


def unsigned(type_: Bounded) -> Bounded:
    """The machine integer of the same width without sign."""
    return machine(bits_of(type_), signed=False)


def machine_type(expression: Expression) -> Bounded | None:
    """The machine integer in which an expression is computed, if it is."""
    match expression:
        case Read() | ReadElement():
            return _machine(expression.variable.scalar)
        case Convert():
            return _machine(expression.type)
        case Unary(operator="minus" | "complement"):
            return machine_type(expression.operand)
        case Binary(operator="<<" | ">>"):
            return machine_type(expression.left)
        case Binary(operator="+" | "-" | "*" | "/" | "%" | "&" | "|" | "^"):
            return _common(machine_type(expression.left), machine_type(expression.right))
        case Conditional():
            return _common(machine_type(expression.then), machine_type(expression.otherwise))
    return None


def _machine(type_: Scalar) -> Bounded | None:
    return type_ if isinstance(type_, Bounded) and type_ in _BITS else None


def _common(left: Bounded | None, right: Bounded | None) -> Bounded | None:
    if left is None or right is None:
        return left or right
    return max(left, right, key=_BITS.__getitem__)


def computed(operator: ArithmeticOperator, left: Expression, right: Expression) -> Expression:
    """The value of a binary operator."""
    if operator in SHIFTS:
        return _as(Binary(operator, left, right), machine_type(left))
    type_ = _common(machine_type(left), machine_type(right))
    return _as(Binary(operator, _as(left, type_), _as(right, type_)), type_)


def most_shifted(shifted: Expression) -> int:
    """The largest number of bits by which a value may be shifted."""
    type_ = machine_type(shifted)
    return MOST_SHIFTED if type_ is None else bits_of(type_) - 1


def shifted_without_sign(left: Expression, right: Expression) -> Expression | None:
    """The value of `>>>`; None if it is not a machine integer that is shifted."""
    type_ = machine_type(left)
    if type_ is None:
        return None
    shifted = Binary(">>", _as(left, unsigned(type_)), right)
    return _as(shifted, type_) if machine_type(shifted) == type_ else Convert(shifted, type_)


def negated(operand: Expression) -> Expression:
    return _as(Unary("minus", operand), machine_type(operand))


def complemented(operand: Expression) -> Expression:
    return _as(Unary("complement", operand), machine_type(operand))


def _as(expression: Expression, type_: Bounded | None) -> Expression:
    """An expression as a value of a type, if one is named."""
    if type_ is None or is_within(expression, type_.low, type_.high):
        return expression
    if isinstance(expression, Constant):
        value = type_.low + (expression.value - type_.low) % type_.size
        return Constant(value, Bounded(value, value))
    return Convert(expression, type_)
