"""Functions of bits by their tables, and numbers whose bits they are: what diagrams should be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tepui.checker.bits_of_programs.diagrams import FALSE, TRUE, Diagrams
from tepui.checker.patience import Patience

Bits = Mapping[int, int]
"""For each level, its bit."""


def diagrams(most: int = 1_000_000, go_on: Callable[[], bool] = lambda: True) -> Diagrams:
    return Diagrams(Patience(go_on), most)


def holds(known: Diagrams, function: int, bits: Bits) -> int:
    """Whether a function holds, found out node by node."""
    while function not in (FALSE, TRUE):
        level = known.level[function]
        low, high = known.children(function)
        function = high if bits[level] else low
    return function


def number_at(known: Diagrams, number: Sequence[int], bits: Bits) -> int:
    """The integer that a number is."""
    *lower, sign = (holds(known, bit, bits) for bit in number)
    return sum(bit << place for place, bit in enumerate(lower)) - (sign << len(lower))
