"""Sets of small numbers, as the bits of one integer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def bits_of(numbers: Iterable[int]) -> int:
    """A set of numbers, as the bits of one integer."""
    bits = 0
    for number in numbers:
        bits |= 1 << number
    return bits


def members(bits: int) -> Iterator[int]:
    """The numbers in such a set, the small ones first."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
