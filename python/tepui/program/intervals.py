"""How large the values of expressions can be, as far as types say."""

from __future__ import annotations

from collections.abc import Callable

from tepui.program.expressions import (
    MOST_SHIFTED,
    Binary,
    Choice,
    Conditional,
    Constant,
    Convert,
    Expression,
    Read,
    ReadElement,
    Unary,
)
from tepui.program.types import Boolean, Bounded, Enumeration, Scalar

Interval = tuple[int, int]


def is_within(expression: Expression, low: int, high: int) -> bool:
    """Whether the values of an expression are certainly between two numbers."""
    values = interval(expression)
    return values is not None and low <= values[0] and values[1] <= high


def interval(expression: Expression) -> Interval | None:
    """The smallest and the largest value that an expression may have, as far as its types say."""
    match expression:
        case Constant():
            return expression.value, expression.value
        case Read() | ReadElement():
            return _of_type(expression.variable.scalar)
        case Choice():
            return _of_type(expression.type)
        case Convert():
            return _converted(interval(expression.operand), expression.type)
        case Conditional():
            then, otherwise = interval(expression.then), interval(expression.otherwise)
            if then is None or otherwise is None:
                return None
            return min(then[0], otherwise[0]), max(then[1], otherwise[1])
        case Unary(operator="minus"):
            inner = interval(expression.operand)
            return None if inner is None else (-inner[1], -inner[0])
        case Unary(operator="complement"):
            inner = interval(expression.operand)
            return None if inner is None else (-inner[1] - 1, -inner[0] - 1)
        case Binary():
            return _of_binary(expression)
    return 0, 1


def _of_type(type_: Scalar) -> Interval | None:
    match type_:
        case Bounded():
            return type_.low, type_.high
        case Boolean() | Enumeration():
            return 0, type_.size - 1
    return None


def _converted(inner: Interval | None, type_: Scalar) -> Interval | None:
    whole = _of_type(type_)
    if inner is not None and whole is not None and whole[0] <= inner[0] and inner[1] <= whole[1]:
        return inner
    return whole


def _of_binary(expression: Binary) -> Interval | None:
    combine = _COMBINED.get(expression.operator)
    if combine is None:
        return 0, 1
    left, right = interval(expression.left), interval(expression.right)
    return None if left is None or right is None else combine(left, right)


def _sum(left: Interval, right: Interval) -> Interval:
    return left[0] + right[0], left[1] + right[1]


def _difference(left: Interval, right: Interval) -> Interval:
    return left[0] - right[1], left[1] - right[0]


def _product(left: Interval, right: Interval) -> Interval:
    products = [x * y for x in left for y in right]
    return min(products), max(products)


def _quotient(left: Interval, right: Interval) -> Interval:
    if right[0] > 0:
        return min(0, left[0]), max(0, left[1])
    most = max(map(abs, left))
    return -most, most


def _remainder(left: Interval, right: Interval) -> Interval:
    most = max(0, max(map(abs, right)) - 1)
    return (max(-most, left[0]) if left[0] < 0 else 0), (min(most, left[1]) if left[1] > 0 else 0)


def _and(left: Interval, right: Interval) -> Interval:
    known = [each[1] for each in (left, right) if each[0] >= 0]
    return (0, min(known)) if known else _all_bits(left, right)


def _all_bits(left: Interval, right: Interval) -> Interval:
    """All numbers with no more bits than the operands have."""
    most = max(max(abs(each[0]), abs(each[1])).bit_length() for each in (left, right))
    negative = min(left[0], right[0]) < 0
    return (-(2**most) if negative else 0), 2**most - 1


def _left_shift(left: Interval, right: Interval) -> Interval:
    return _product(left, (1, 2 ** min(max(right[1], 0), MOST_SHIFTED)))


def _right_shift(left: Interval, right: Interval) -> Interval:
    least = min(max(right[0], 0), MOST_SHIFTED)
    return min(left[0] >> least, 0), max(left[1] >> least, 0)


_COMBINED: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": _sum,
    "-": _difference,
    "*": _product,
    "/": _quotient,
    "%": _remainder,
    "&": _and,
    "|": _all_bits,
    "^": _all_bits,
    "<<": _left_shift,
    ">>": _right_shift,
}
