"""Rounds as rows of a table of limited width.

If there is no room for all columns, numbers become short, and then columns are left out: first
memory and time, which the line below the table shows as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from tepui.progress import Progress
from tepui.report.bounds import bounds_of, count_text
from tepui.report.text.paint import Piece, in_ascii, length

_NARROWER: Sequence[tuple[bool, frozenset[str]]] = (
    (False, frozenset()),
    (True, frozenset()),
    (True, frozenset({"memory"})),
    (True, frozenset({"memory", "time"})),
    (True, frozenset({"memory", "time", "states"})),
)
"""Whether numbers are short, and which columns are left out, from wide to narrow."""

_LONG = 100_000
"""From this number on, numbers can be made shorter."""

_GAP = "  "

Line = list[Piece]


def round_table(
    rounds: Sequence[Progress], columns: int, *, ascii_only: bool = False
) -> tuple[Line, list[Line]]:
    """The names of the columns, and a line for each round."""
    for short, dropped in _NARROWER:
        names, rows = _cells(rounds, short=short)
        kept = [index for index, name in enumerate(names) if name not in dropped]
        lines = _aligned([[row[index] for index in kept] for row in (names, *rows)], ascii_only)
        if length(lines[0]) <= columns:
            break
    return lines[0], lines[1:]


def _cells(rounds: Sequence[Progress], *, short: bool) -> tuple[list[str], list[list[str]]]:
    """What each column is called, and what is in it."""
    bounds = [name for name, _ in bounds_of(rounds[-1])] if rounds else ["contexts"]
    bounds = ["k" if name == "contexts" else name for name in bounds]
    names = [*bounds, "states", "visible", "new", "time", "memory"]
    return names, [[*_bounds(row), *_numbers(row, short=short)] for row in rounds]


def _bounds(row: Progress) -> tuple[str, ...]:
    """What is counted. Only of contexts it is known beforehand what the next round is."""
    is_known = row.round_complete or bounds_of(row)[0][0] == "contexts"
    return tuple(str(count) if is_known else "…" for _, count in bounds_of(row))


def _numbers(row: Progress, *, short: bool) -> tuple[str, ...]:
    number = _short if short else count_text
    is_plateau = row.round_complete and not row.new_visible
    return (
        number(row.states),
        number(row.visible),
        "plateau" if is_plateau else f"+{number(row.new_visible)}",
        f"{row.seconds:.2f} s",
        f"{row.memory / 2**20:,.0f} MiB",
    )


def _short(count: int | None) -> str:
    """A number in few letters: 1.23e9."""
    if count is None or count < _LONG:
        return count_text(count)
    digits = str(count)
    return f"{digits[0]}.{digits[1:3]}e{len(digits) - 1}"


def _aligned(rows: Sequence[Sequence[str]], ascii_only: bool) -> list[Line]:
    """Columns side by side, their ends below each other."""
    if ascii_only:
        rows = [[in_ascii(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        [
            piece
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
            for piece in (_GAP if number else "", " " * (width - len(cell)), _cell(cell))
        ]
        for row in rows
    ]


def _cell(text: str) -> Piece:
    return (text, "open") if text == "plateau" else text
