"""A row of small bars, one for each number.

Bars are logarithmic: counts often double from one to the next, and otherwise small numbers would
not be visible beside large ones. Zero has a sign of its own, the lowest.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

_NOTHING, _BARS = "▁", "▂▃▄▅▆▇█"
_ASCII_NOTHING, _ASCII_BARS = "_", ".:-=+*#"


def sparkline(counts: Sequence[int], room: int, *, ascii_only: bool = False) -> str:
    """Bars for the last of some counts, as many as fit."""
    nothing, bars = (_ASCII_NOTHING, _ASCII_BARS) if ascii_only else (_NOTHING, _BARS)
    highest = log2(1 + max(counts, default=0))
    return "".join(
        bars[int(log2(1 + count) / highest * (len(bars) - 1))] if count else nothing
        for count in counts[-room:]
    )
