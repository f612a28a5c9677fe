"""Numbers too large for the kernels are refused, and all others are computed exactly."""

from __future__ import annotations

import pytest

from tepui.errors import ModelError
from tepui.kernels.lowered_system import lower
from tepui.kernels.magnitudes import LARGEST
from tepui.program.expressions import Binary, Constant, Convert, Expression, Read, Unary, Variable
from tepui.program.program import Location, Position, Procedure, Program, Step, Thread
from tepui.program.types import Bounded, machine

LONG = machine(64, signed=False)
N = Variable("n", LONG, initial=2)
SQUARE = Binary("*", Read(N), Read(N))
SHIFTED = Binary("<<", SQUARE, Constant(63, LONG))


def program(guard: Expression, variable: Variable = N) -> Program:
    locations = (Location(Position("big.toy", 4, 1), "wait"),)
    main = Procedure("main", locations, (Step(0, None, guard),))
    return Program((main,), (Thread("main", "main"),), (variable,))


@pytest.mark.parametrize(
    "expression",
    [
        SQUARE,
        Unary("not", SQUARE),
        Binary("/", SQUARE, Read(N)),
        Convert(Binary("/", SQUARE, Read(N)), LONG),
        Convert(Binary(">>", SHIFTED, Read(N)), LONG),
        Convert(SQUARE, Bounded(0, 9)),
        Convert(SQUARE, Bounded(0, 7, "saturate")),
        Convert(Binary("<<", Read(N), SQUARE), LONG),
    ],
)
def test_what_may_not_fit_is_refused_with_its_place(expression: Expression) -> None:
    with pytest.raises(ModelError, match=r"big\.toy:4: an expression here may have values beyond"):
        lower(program(expression))


@pytest.mark.parametrize(
    "expression",
    [
        Binary("+", Read(N), Read(N)),
        Convert(SQUARE, LONG),
        Convert(Binary("^", SHIFTED, Unary("complement", SQUARE)), machine(8, signed=True)),
        Binary("*", Convert(SQUARE, machine(64, signed=True)), Constant(2**61, LONG)),
    ],
)
def test_what_fits_or_wraps_around_is_taken(expression: Expression) -> None:
    """The product of two signed integers of 64 bits is held, that of unsigned ones is not."""
    assert (2**63) ** 2 < LARGEST < (2**64 - 1) ** 2
    lower(program(expression))


def test_types_beyond_64_bits_are_refused() -> None:
    wide = Variable("wide", Bounded(0, 2**64), initial=0)
    with pytest.raises(ModelError, match=r"wide is int 0\.\.18446744073709551616, but tepui"):
        lower(program(Read(wide), wide))
    with pytest.raises(ModelError, match=r"big\.toy:4: int -.*is used, but tepui computes"):
        lower(program(Convert(Read(N), Bounded(-(2**63) - 1, 0))))
