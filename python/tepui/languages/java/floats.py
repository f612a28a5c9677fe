"""Floating-point numbers, exactly where that is easy, and otherwise unknown.

A number is kept as a multiple of 2^-16. Whatever is not such a multiple, or is too large, or would
have to be rounded, or is infinite, no number, or a negative zero, is *unknown*, which is a value of
its own. What is computed from unknown numbers is unknown, too, and a decision by one is a limit.
"""

from __future__ import annotations

from fractions import Fraction
from math import copysign, isfinite

from tepui.program.expressions import Binary, Conditional, Constant, Expression
from tepui.program.types import Bounded

FLOAT = Bounded(-(2**53), 2**53 - 1)
"""The type of all floating-point numbers."""

UNKNOWN = Constant(FLOAT.low, FLOAT)

_ONE = 2**16

_LARGEST = 2**52


def constant(value: float) -> Constant:
    """A number as it is written in a class file."""
    if not isfinite(value) or (value == 0 and copysign(1, value) < 0):
        return UNKNOWN
    scaled = Fraction(value) * _ONE
    if scaled.denominator != 1 or abs(scaled) >= _LARGEST:
        return UNKNOWN
    return Constant(scaled.numerator, FLOAT)


def of_integer(value: Expression, kind: str) -> Expression:
    """An integer as a number."""
    small = _and(_less(value, 2**36), _less(_number(-(2**36)), value))
    scaled = Binary("*", value, _number(_ONE))
    return _if(_and(small, _fits(scaled, kind)), scaled)


def converted(value: Expression, kind: str) -> Expression:
    """A number as a float or as a double."""
    return value if kind == "D" else _if(_and(_known(value), _fits(value, kind)), value)


def computed(name: str, left: Expression, right: Expression, kind: str) -> Expression:
    """The result of an operation, if it needs no rounding."""
    both = _and(_known(left), _known(right))
    if name in ("add", "sub"):
        found: Expression = Binary("+" if name == "add" else "-", left, right)
        return _if(both, _if(_fits(found, kind), found))
    if name == "mul":
        product = Binary("*", left, right)
        exact = _and(_is_zero(Binary("%", product, _number(_ONE))), _not_negative_zero(left, right))
        return _if(_and(both, exact), _checked(Binary("/", product, _number(_ONE)), kind))
    dividend = Binary("*", left, _number(_ONE)) if name == "div" else left
    exact = _and(Binary("!=", right, _number(0)), _not_negative_zero(left, right))
    rest = Binary("%", dividend, right)
    if name == "div":
        quotient = Binary("/", dividend, right)
        return _if(_and(both, exact), _if(_is_zero(rest), _checked(quotient, kind)))
    return _if(_and(both, exact), _if(_or(Binary("!=", rest, _number(0)), _positive(left)), rest))


def negated(value: Expression) -> Expression:
    """The negative of a number; that of zero is another zero, which is unknown."""
    minus = Binary("-", _number(0), value)
    return _if(_and(_known(value), Binary("!=", value, _number(0))), minus)


def is_known(value: Expression) -> Expression:
    """Whether a decision can be made by a number."""
    return _known(value)


def to_integer(value: Expression, low: int, high: int) -> Expression:
    """A number without its fraction, at most as large as an integer can be (JVMS 6.5, d2i)."""
    whole = Binary("/", value, _number(_ONE))
    above = Conditional(Binary(">", whole, _number(high)), _number(high), whole)
    return Conditional(Binary("<", whole, _number(low)), _number(low), above)


def _checked(value: Expression, kind: str) -> Expression:
    return _if(_fits(value, kind), value)


def _fits(value: Expression, kind: str) -> Expression:
    """Whether a number is small enough, and has no more digits than its type."""
    small = _inside(value, _LARGEST)
    if kind == "D":
        return small
    digits: Expression = _inside(value, 2**24)
    for zeros in (8, 16, 24):
        even = _is_zero(Binary("%", value, _number(2**zeros)))
        digits = _or(digits, _and(even, _inside(value, 2 ** (24 + zeros))))
    return _and(small, digits)


def _inside(value: Expression, limit: int) -> Expression:
    return _and(_less(value, limit), _less(_number(-limit), value))


def _less(left: Expression, right: Expression | int) -> Expression:
    return Binary("<", left, _number(right) if isinstance(right, int) else right)


def _known(value: Expression) -> Expression:
    return Binary("!=", value, UNKNOWN)


def _is_zero(value: Expression) -> Expression:
    return Binary("=", value, _number(0))


def _positive(value: Expression) -> Expression:
    return Binary(">=", value, _number(0))


def _not_negative_zero(left: Expression, right: Expression) -> Expression:
    """Whether no factor is zero while another one is negative."""
    both = _and(_positive(left), _positive(right))
    neither = _and(Binary("!=", left, _number(0)), Binary("!=", right, _number(0)))
    return _or(both, neither)


def _if(condition: Expression, value: Expression) -> Expression:
    return Conditional(condition, value, UNKNOWN)


def _and(left: Expression, right: Expression) -> Expression:
    return Binary("and", left, right)


def _or(left: Expression, right: Expression) -> Expression:
    return Binary("or", left, right)


def _number(value: int) -> Constant:
    return Constant(value, FLOAT)
