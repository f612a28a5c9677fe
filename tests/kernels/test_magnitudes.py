"""Numbers too large for the kernels are refused, and all others are computed exactly."""

from __future__ import annotations

import pytest

from tepui.deciding import verify
from tepui.errors import ModelError
from tepui.kernels.lowered_system import lower
from tepui.kernels.magnitudes import LARGEST
from tepui.languages.boolean import load_program
from tepui.languages.source import Source
from tepui.program.program import Program


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
    """3037000499² is less than 2⁶³, and (2³¹)² is 2⁶², the first number that is refused."""
    assert LARGEST > 2_000_000_000**2
    program = _program("n := 999999999 * 999999999; assert(n = 1)")
    assert 999999999 * 999999999 % 256 == 1
    assert verify(program).verdict == "safe"


def _program(statement: str) -> Program:
    text = f"""decl n: int 0..255 := 2, a: bool[2] := 0;
void f(x: int 0..3) {{ skip; }}
void main() {{
{statement};
assert(n < 256); }}"""
    return load_program(Source.of_text(text, "big.bp"))
