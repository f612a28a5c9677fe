"""The live table and the source on one terminal: side by side, or one above the other.

Side by side, the table gets what the source leaves, within limits: it knows how to be narrow.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import TYPE_CHECKING

import click

from tepui.report.text.paint import Painted, as_painted

if TYPE_CHECKING:
    from tepui.report.terminal.source_view import SourceView

_WIDE = 80
"""From this number of columns on, there is room for both beside each other."""

_TABLE = 60
"""How wide a table with all its columns usually is."""

Table = Callable[[int, int], list[str]]
"""Gives the table for a number of columns, with fewer lines than there are rows."""


def both(
    table: Table, source: SourceView, columns: int, rows: int, *, ascii_only: bool = False
) -> list[str]:
    """Table and source, with fewer lines than a terminal has rows."""
    if columns < _WIDE:
        above = table(columns, max(3, rows // 2))
        return [*above, *source.frame(columns, min(source.height, rows - 1 - len(above)))]
    edge = " | " if ascii_only else " │ "
    left = max(columns * 2 // 5, min(_TABLE, columns - len(edge) - source.width))
    lines = table(left, rows)
    right = source.frame(columns - left - len(edge), min(source.height, rows - 1))
    return [_row(one, other, left, edge) for one, other in zip_longest(lines, right, fillvalue="")]


def _row(left: str, right: str, width: int, edge: str) -> str:
    """A line with something on both sides of an edge."""
    gap = " " * (width - len(click.unstyle(left)))
    return Painted(f"{as_painted(left)}{gap}{edge}{as_painted(right)}".rstrip())
