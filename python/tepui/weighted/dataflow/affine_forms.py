"""Expressions as affine forms a₀ + a₁x₁ + … + a_n x_n, and when assigning one is affine.

An assignment to an integer without bounds is affine if its expression is. A bounded variable may
also wrap around or saturate. Then it gets the value of the expression only if this is certainly in
its range, or if its range wraps and the arithmetic is modulo a number that divides the size of the
range. Where a value outside the range blocks, the step does not exist, so in every run with this
step the variable has the value of the expression.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tepui.program.expressions import (
    Binary,
    Constant,
    Convert,
    Expression,
    Read,
    Unary,
    Variable,
)
from tepui.program.types import Bounded, Integer, Scalar

Key = Hashable
"""A variable of the analysis: one of the program, one of its threads, or a hidden one."""


class Range(NamedTuple):
    """The least and the greatest value of a variable, both included; None where there is no
    bound."""

    low: int | None
    high: int | None


@dataclass(frozen=True)
class Form:
    """An affine form. Coefficients are not 0."""

    constant: int
    coefficients: Mapping[Key, int]

    def plus(self, other: Form, factor: int = 1) -> Form:
        """The sum of this form and a multiple of another one."""
        keys = {**self.coefficients, **other.coefficients}
        added = {
            key: self.coefficients.get(key, 0) + factor * other.coefficients.get(key, 0)
            for key in keys
        }
        return Form(
            self.constant + factor * other.constant,
            {key: number for key, number in added.items() if number},
        )

    def between(self, ranges: Callable[[Key], Range]) -> Range:
        """The range of its values."""
        low: int | None = self.constant
        high: int | None = self.constant
        for key, factor in self.coefficients.items():
            least, most = ranges(key) if factor > 0 else reversed(ranges(key))
            low = None if low is None or least is None else low + factor * least
            high = None if high is None or most is None else high + factor * most
        return Range(low, high)


ZERO = Form(0, {})


def variable_form(key: Key) -> Form:
    return Form(0, {key: 1})


def range_of(scalar: Scalar) -> Range:
    """The values of a type."""
    if isinstance(scalar, Integer):
        return Range(None, None)
    return Range(scalar.low, scalar.low + scalar.size - 1)


def may_block(scalar: Scalar) -> bool:
    """Whether a variable of this type cannot be assigned some values."""
    return isinstance(scalar, Bounded) and scalar.overflow == "block"


class Forms:
    """Makes forms of expressions.

    `key_of` gives the key of a variable, or None if it takes no part in the analysis; `ranges` are
    those of the keys.
    """

    def __init__(
        self,
        key_of: Callable[[Variable], Key | None],
        ranges: Callable[[Key], Range],
        modulus: int | None,
    ) -> None:
        self._key_of = key_of
        self._ranges = ranges
        self._modulus = modulus

    def of(self, expression: Expression) -> Form | None:
        """The form of an expression, or None if it is not affine."""
        match expression:
            case Constant():
                return Form(expression.value, {})
            case Read(after=False):
                key = self._key_of(expression.variable)
                return None if key is None else variable_form(key)
            case Unary():
                return self._unary(expression)
            case Binary(operator="+" | "-" | "*"):
                left, right = self.of(expression.left), self.of(expression.right)
                return None if left is None or right is None else _binary(expression, left, right)
            case Convert():
                form = self.of(expression.operand)
                return None if form is None else self._converted(form, expression.type)
        return None

    def assigned(self, form: Form, scalar: Scalar) -> Form | None:
        """The form of what a variable of some type gets, or None if it may be outside its range."""
        if not isinstance(scalar, Bounded) or may_block(scalar):
            return form
        wraps = scalar.overflow == "wrap" and self._modulus is not None
        if wraps and self._modulus is not None and scalar.size % self._modulus == 0:
            return form
        return self._converted(form, scalar)

    def _converted(self, form: Form, scalar: Scalar) -> Form | None:
        """The same if the value stays what it is: its range may be asked for later."""
        if not isinstance(scalar, Bounded) or may_block(scalar):
            return form
        low, high = form.between(self._ranges)
        inside = low is not None and high is not None and scalar.low <= low and high <= scalar.high
        return form if inside else None

    def _unary(self, expression: Unary) -> Form | None:
        operand = self.of(expression.operand)
        if operand is None:
            return None
        if expression.operator == "minus":
            return ZERO.plus(operand, -1)
        if expression.operator == "complement":
            return Form(-1, {}).plus(operand, -1)
        low, high = operand.between(self._ranges)
        is_truth = low is not None and high is not None and low >= 0 and high <= 1
        return Form(1, {}).plus(operand, -1) if is_truth else None


def _binary(expression: Binary, left: Form, right: Form) -> Form | None:
    match expression.operator:
        case "+":
            return left.plus(right)
        case "-":
            return left.plus(right, -1)
    if not left.coefficients:
        return ZERO.plus(right, left.constant)
    return ZERO.plus(left, right.constant) if not right.coefficients else None
