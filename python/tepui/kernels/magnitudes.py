"""How large the values of expressions can become.

The meaning of arithmetic is that of integers without bounds. The kernels compute with 128 bits, and
start over beyond. That makes no difference where the value is at once converted to a type that
itself starts over at a power of two, as machine integers do, and everything up to there depends
only on the last bits. A program whose expressions could need more anywhere else is refused, before
anything is computed wrongly. So is one with a type whose values are not all machine integers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tepui.errors import ModelError
from tepui.model.build import MAX_THREADS
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
    Self,
    Unary,
    operands,
)
from tepui.program.program import Program
from tepui.program.types import Bounded, Scalar
from tepui.program.walk import expressions_of

LARGEST = 2**127 - 2**65
"""Every intermediate value must be smaller than this, and larger than its negation. So the
difference to a value of a variable still has 128 bits."""

LOWEST, HIGHEST = -(2**63), 2**64 - 1
"""The values that a variable can have: those of all machine integers."""

Interval = tuple[int, int]


def refuse_large_numbers(program: Program) -> None:
    """A ModelError if some variable or expression could have a value that a kernel cannot hold."""
    for name, scalar in _variables(program):
        if not _is_held(scalar):
            raise ModelError(f"{program.name}: {name} is {scalar}, but {_BOUNDS}")
    for procedure in program.procedures:
        for edge in procedure.edges:
            for expression in expressions_of(edge):
                position = procedure.locations[edge.source].position
                try:
                    _interval(expression)
                except OverflowError:
                    raise ModelError(
                        f"{position}: an expression here may have values beyond 126 bits, "
                        "which tepui does not compute with"
                    ) from None
                except _TooWide as found:
                    raise ModelError(f"{position}: {found.scalar} is used, but {_BOUNDS}") from None


_BOUNDS = f"tepui computes with variables from {LOWEST} to {HIGHEST}"


class _TooWide(Exception):  # noqa: N818
    def __init__(self, scalar: Scalar) -> None:
        super().__init__(scalar)
        self.scalar = scalar


def _variables(program: Program) -> Iterator[tuple[str, Scalar]]:
    for variable in program.globals:
        yield variable.name, variable.scalar
    for procedure in program.procedures:
        for variable in procedure.variables:
            yield f"{variable.name} of {procedure.name}", variable.scalar
        for result in procedure.results:
            yield f"the result of {procedure.name}", result


def _is_held(scalar: Scalar) -> bool:
    return scalar.low >= LOWEST and scalar.low + scalar.size - 1 <= HIGHEST


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
            return _changed(expression)
        case Conditional():
            _interval(expression.condition)
            then, otherwise = _interval(expression.then), _interval(expression.otherwise)
            return min(then[0], otherwise[0]), max(then[1], otherwise[1])
        case Convert():
            if _starts_over(expression.type):
                _look_at_last_bits(expression.operand)
            else:
                _interval(expression.operand)
            return _range(expression.type)
        case Binary():
            return _combined(expression)


def _starts_over(scalar: Scalar) -> bool:
    """Whether only the last bits of a value matter when it is stored."""
    wraps = isinstance(scalar, Bounded) and scalar.overflow == "wrap"
    return wraps and scalar.size & (scalar.size - 1) == 0


def _look_at_last_bits(expression: Expression) -> None:
    """The same where only the last 64 bits of the value matter, so that it may be any."""
    match expression:
        case (
            Unary(operator="minus" | "complement")
            | Binary(operator="+" | "-" | "*" | "&" | "|" | "^")
        ):
            for operand in operands(expression):
                _look_at_last_bits(operand)
        case Binary(operator="<<"):
            _look_at_last_bits(expression.left)
            _interval(expression.right)
        case Conditional():
            _interval(expression.condition)
            _look_at_last_bits(expression.then)
            _look_at_last_bits(expression.otherwise)
        case _:
            _interval(expression)


def _changed(expression: Unary) -> Interval:
    low, high = _interval(expression.operand)
    match expression.operator:
        case "not":
            return 0, 1
        case "minus":
            return -high, -low
        case "complement":
            return ~high, ~low


def _combined(expression: Binary) -> Interval:
    left, right = _interval(expression.left), _interval(expression.right)
    (a, b), (c, d) = left, right
    match expression.operator:
        case "+":
            return _held(a + c, b + d)
        case "-":
            return _held(a - d, b - c)
        case "*":
            return _among(x * y for x, y in product(left, right))
        case "/":
            most = max(abs(a), abs(b))
            return -most, most
        case "%":
            most = max(abs(c), abs(d))
            return -most, most
        case "&" if a >= 0 or c >= 0:
            return 0, min(high for low, high in (left, right) if low >= 0)
        case "&" | "|" | "^":
            power = 2 ** max(number.bit_length() for number in (*left, *right))
            return _held(-power, power - 1)
        case "<<":
            return _among(x << y for x, y in product(left, _shifts(right)))
        case ">>":
            return _among(x >> y for x, y in product(left, _shifts(right)))
        case _:
            return 0, 1


def _shifts(amounts: Interval) -> Interval:
    """The smallest and the largest amount that does not block."""
    low, high = (min(max(amount, 0), MOST_SHIFTED) for amount in amounts)
    return low, high


def _among(ends: Iterator[int]) -> Interval:
    found = list(ends)
    return _held(min(found), max(found))


def _held(low: int, high: int) -> Interval:
    if not -LARGEST < low <= high < LARGEST:
        raise OverflowError
    return low, high


def _range(scalar: Scalar) -> Interval:
    if not _is_held(scalar):
        raise _TooWide(scalar)
    return scalar.low, scalar.low + scalar.size - 1
