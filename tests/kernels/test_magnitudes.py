"""Numbers too large for the kernels are refused, and all others are computed exactly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tepui.deciding import verify
from tepui.errors import ModelError
from tepui.kernels.lowered_system import lower
from tepui.kernels.magnitudes import LARGEST
from tepui.languages.boolean import load_program
from tepui.languages.source import Source
from tepui.program.expressions import Convert, Read, Variable
from tepui.program.program import Program, Step
from tepui.program.types import Bounded


@pytest.mark.parametrize(
    "statement",
    [
        "n := 100000000 * 100000000 * 100000000 * 100000000 * 999999999",
        "n := " + " * ".join(["n"] * 64),
        "assert(100000000 * 100000000 * 100000000 * 100000000 * 999999999 < 5)",
        "a[100000000 * 100000000 * 100000000 * 100000000 * 999999999] := 1",
        "wait(-(100000000 * 100000000 * 100000000 * 100000000 * 999999999) < n)",
        "f(999999999 * 999999999 * 999999999 * 999999999 * 999999999)",
        "n := a[999999999 * 999999999 * 999999999 * 999999999 * 999999999] ? 1 : 0",
        "if (999999999 * 999999999 * 999999999 * 999999999 * 999999999 - n > 0) { skip; }",
        "n := (n > 3) ? 999999999 * 999999999 * 999999999 * 999999999 * 999999999 : 0",
    ],
)
def test_what_may_not_fit_is_refused_with_its_place(statement: str) -> None:
    with pytest.raises(ModelError, match=r"big\.bp:4: an expression here may have values beyond"):
        lower(_program(statement))


def test_what_fits_is_exact() -> None:
    """The product of two machine integers of 64 bits is held, unless both are unsigned."""
    assert (2**63) ** 2 < LARGEST < (2**64 - 1) ** 2
    program = _program("n := 999999999 * 999999999; assert(n = 1)")
    assert 999999999 * 999999999 % 256 == 1
    assert verify(program).verdict == "safe"


def test_types_beyond_64_bits_are_refused() -> None:
    wide = Variable("wide", Bounded(0, 2**64), initial=0)
    program = _program("skip")
    with pytest.raises(ModelError, match=r"wide is int 0\.\.18446744073709551616, but tepui"):
        lower(replace(program, globals=(*program.globals, wide)))
    (n, *_) = program.globals
    step = Step(0, None, guard=Convert(Read(n), Bounded(-(2**63) - 1, 0)))
    main = replace(program.procedures[-1], edges=(step,))
    with pytest.raises(ModelError, match=r"big\.bp:4: int -.*is used, but tepui computes"):
        lower(replace(program, procedures=(*program.procedures[:-1], main)))


def _program(statement: str) -> Program:
    text = f"""decl n: int 0..255 := 2, a: bool[2] := 0;
void f(x: int 0..3) {{ skip; }}
void main() {{
{statement};
assert(n < 256); }}"""
    return load_program(Source.of_text(text, "big.bp"))
