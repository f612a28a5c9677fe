"""What expressions without variables in doubt evaluate to: Python's integers, cut off by masks.

Written by itself: it shares nothing with the reference semantics or the naive interpreter. A
machine integer is the last bits of a number; a signed one is negative if the first of them is 1.
"""

from __future__ import annotations

from collections.abc import Mapping

from tepui.program.expressions import (
    Binary,
    Choice,
    Conditional,
    Constant,
    Convert,
    Expression,
    Read,
    Unary,
)
from tepui.program.types import Bounded, Scalar


def possible(expression: Expression, values: Mapping[str, int]) -> set[int]:
    """All values of an expression; none if its evaluation blocks."""
    match expression:
        case Constant():
            return {expression.value}
        case Read():
            return {values[expression.variable.name]}
        case Choice():
            low = expression.type.low
            return {low + number for number in range(expression.type.size)}
        case Unary():
            given = possible(expression.operand, values)
            return {_unary(expression.operator, each) for each in given}
        case Convert():
            fitted = (fit(expression.type, each) for each in possible(expression.operand, values))
            return {each for each in fitted if each is not None}
        case Conditional():
            found: set[int] = set()
            for chosen in possible(expression.condition, values):
                found |= possible(expression.then if chosen else expression.otherwise, values)
            return found
        case Binary():
            return _binary(expression, values)
        case _:
            raise NotImplementedError(expression)


def fit(scalar: Scalar, value: int) -> int | None:
    """A value as a type holds it."""
    low, high = scalar.low, scalar.low + scalar.size - 1
    overflow = scalar.overflow if isinstance(scalar, Bounded) else "block"
    if overflow == "saturate":
        return sorted((low, value, high))[1]
    if overflow == "block":
        return value if low <= value <= high else None
    bits = scalar.size.bit_length() - 1
    if scalar.size == 1 << bits and low in (0, -(1 << bits >> 1)):
        kept = value & ((1 << bits) - 1)
        return kept - (1 << bits) if low and kept >> (bits - 1) else kept
    while value > high:
        value -= scalar.size * max(1, (value - high) // scalar.size)
    while value < low:
        value += scalar.size * max(1, (low - value) // scalar.size)
    return value


def _unary(operator: str, value: int) -> int:
    if operator == "not":
        return 0 if value else 1
    return 0 - value if operator == "minus" else value ^ -1


def _binary(expression: Binary, values: Mapping[str, int]) -> set[int]:
    operator, found = expression.operator, set()
    for left in possible(expression.left, values):
        if operator in ("and", "or", "implies") and (left != 0) == (operator == "or"):
            found.add(0 if operator == "and" else 1)
            continue
        for right in possible(expression.right, values):
            value = _combined(operator, left, right)
            if value is not None:
                found.add(int(value))
    return found


def _combined(operator: str, left: int, right: int) -> int | None:
    if operator in ("and", "or", "implies"):
        return right != 0
    if operator in ("=", "!=", "<", "<=", ">", ">=", "xor"):
        order = (left > right) - (left < right)
        wanted = {"=": (0,), "!=": (-1, 1), "<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1)}
        return bool(left) is not bool(right) if operator == "xor" else order in wanted[operator]
    if operator in ("/", "%"):
        return _divided(operator, left, right)
    if operator in ("<<", ">>"):
        if right not in range(64):
            return None
        power = int(pow(2, right))
        return left * power if operator == "<<" else (left - left % power) // power
    if operator in ("&", "|", "^"):
        return _bitwise(operator, left, right)
    return left + right if operator == "+" else left - right if operator == "-" else left * right


def _divided(operator: str, left: int, right: int) -> int | None:
    if right == 0:
        return None
    quotient, rest = divmod(abs(left), abs(right))
    if operator == "%":
        return -rest if left < 0 else rest
    return -quotient if (left < 0) != (right < 0) else quotient


def _bitwise(operator: str, left: int, right: int) -> int:
    """Bit by bit, in as many digits as both need, the first of which is the sign."""
    width = 1 + max(left.bit_length(), right.bit_length())
    ones, twos = (format(number % (1 << width), f"0{width}b") for number in (left, right))
    table = {"&": "0001", "|": "0111", "^": "0110"}[operator]
    digits = "".join(table[2 * int(one) + int(two)] for one, two in zip(ones, twos, strict=True))
    value = int(digits, 2)
    return value - (1 << width) if digits[0] == "1" else value
