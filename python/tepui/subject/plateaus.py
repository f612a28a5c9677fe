"""Where a sequence pauses (Table 1 of CUBA): several members in a row that are equal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tepui.records import record


@record
class Plateau:
    """Members of a sequence that are all equal, the first and the last by their places."""

    first: int
    last: int
    final: bool
    """Whether the sequence is not known to grow after it."""


def plateaus_in(marks: Sequence[int]) -> list[Plateau]:
    """All places where a known prefix pauses, by the marks of its members."""
    starts = [place for place, mark in enumerate(marks) if not place or mark != marks[place - 1]]
    return [
        Plateau(first, after - 1, final=after == len(marks))
        for first, after in pairwise([*starts, len(marks)])
        if after > first + 1
    ]
