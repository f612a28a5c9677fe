"""The types of variables, by their names and values."""

from __future__ import annotations

import pytest

from tepui.errors import ModelError
from tepui.program.types import MACHINE_BITS, Array, Bounded, machine


@pytest.mark.parametrize("bits", MACHINE_BITS)
def test_machine_integers_have_their_exact_ranges(bits: int) -> None:
    signed, unsigned = machine(bits, signed=True), machine(bits, signed=False)
    assert (signed.low, signed.high) == (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    assert (unsigned.low, unsigned.high) == (0, 2**bits - 1)
    assert signed.size == unsigned.size == 2**bits
    assert signed.overflow == unsigned.overflow == "wrap"
    assert (str(signed), str(unsigned)) == (f"int{bits}", f"uint{bits}")
    assert str(Array(signed, 3)) == f"int{bits}[3]"


def test_other_ranges_are_written_as_they_are() -> None:
    assert str(Bounded(0, 255, "block")) == "int 0..255 block"
    assert str(Bounded(0, 254)) == "int 0..254"
    assert str(Bounded(-128, 127)) == "int8"


@pytest.mark.parametrize("bits", [0, 7, 33, 128])
def test_there_are_no_other_machine_integers(bits: int) -> None:
    with pytest.raises(ModelError, match="8, 16, 32 and 64 bits"):
        machine(bits, signed=True)
