"""How large the values of expressions can become.

The meaning of arithmetic is that of integers without bounds. The kernels compute with 128 bits, and
start over beyond. That makes no difference where the value is at once converted to a type that
itself starts over at a power of two, as machine integers do, and everything up to there depends
only on the last bits. A program whose expressions could need more anywhere else is refused, before
anything is computed wrongly. So is one with a type whose values are not all machine integers.
"""

from __future__ import annotations

from collections.abc import Iterator

from tepui.errors import ModelError
from tepui.program.expressions import (
    Binary,
    Choice,
    Conditional,
    Convert,
    Expression,
    Unary,
    operands,
)
from tepui.program.intervals import interval
from tepui.program.program import Program
from tepui.program.types import Bounded, Scalar
from tepui.program.walk import expressions_of

LARGEST = 2**127 - 2**65
"""Every intermediate value must be smaller than this, and larger than its negation. So the
difference to a value of a variable still has 128 bits."""

LOWEST, HIGHEST = -(2**63), 2**64 - 1
"""The values that a variable can have: those of all machine integers."""


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
                    _look_at(expression)
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


def _look_at(expression: Expression) -> None:
    """Refuse an expression if it may have too large a value at some step of its evaluation."""
    if isinstance(expression, Choice | Convert) and not _is_held(expression.type):
        raise _TooWide(expression.type)
    if isinstance(expression, Convert) and _starts_over(expression.type):
        _look_at_last_bits(expression.operand)
    else:
        for operand in operands(expression):
            _look_at(operand)
    values = interval(expression)
    if values is not None and not -LARGEST < values[0] <= values[1] < LARGEST:
        raise OverflowError


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
            _look_at(expression.right)
        case Conditional():
            _look_at(expression.condition)
            _look_at_last_bits(expression.then)
            _look_at_last_bits(expression.otherwise)
        case _:
            _look_at(expression)
