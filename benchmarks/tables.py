"""What each part of the benchmarks hands back: a table, and words before and after it.

All cells are text. The same part is printed to a terminal and written as Markdown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rich.table import Table

DASH = "–"
WRONG = " (!)"
"""Behind the name of a row that did not come out as expected."""

Say = Callable[[str], None]
"""Told what is being measured."""


@dataclass(frozen=True)
class Line:
    """A row of a table; its first cell is its name."""

    cells: list[str]
    wrong: bool = False

    @property
    def shown(self) -> list[str]:
        name, *others = self.cells
        return [name + WRONG if self.wrong else name, *others]


@dataclass(frozen=True)
class Part:
    """One table, in Markdown and in the terminal. Complaints make the exit code 1."""

    title: str
    before: str
    columns: list[str]
    lines: list[Line]
    after: str = ""
    remarks: list[str] = field(default_factory=list)
    """What is to be said about single rows."""
    complaints: list[str] = field(default_factory=list)
    words: frozenset[str] = frozenset()
    """The columns that hold words and not numbers, besides the first."""
    files: dict[str, str] = field(default_factory=dict)
    """What is written beside the results, by name."""

    @property
    def width(self) -> int:
        """How wide the table is in a terminal."""
        rows = [self.columns, *(line.shown for line in self.lines)]
        return sum(2 + max(map(len, column)) for column in zip(*rows, strict=True))

    def as_markdown(self) -> str:
        rules = ["--:" if self._is_number(column) else "---" for column in self.columns]
        rows = [self.columns, rules, *(line.shown for line in self.lines)]
        table = "\n".join(f"| {' | '.join(map(_escaped, row))} |" for row in rows)
        remarks = "\n".join(f"- {remark}" for remark in self.remarks)
        texts = [f"## {self.title}", self.before, table, self.after, remarks]
        return "\n\n".join(text for text in texts if text)

    def as_table(self) -> Table:
        table = Table(box=None, pad_edge=False, title=self.title, title_justify="left")
        for column in self.columns:
            justify = "right" if self._is_number(column) else "left"
            table.add_column(column, justify=justify, no_wrap=True)  # type: ignore[arg-type]
        for line in self.lines:
            table.add_row(*line.shown, style="red" if line.wrong else None)
        return table

    def _is_number(self, column: str) -> bool:
        return column != self.columns[0] and column not in self.words


def number(value: float | None, digits: int = 0) -> str:
    return DASH if value is None else f"{value:,.{digits}f}"


def seconds(value: float | None) -> str:
    if value is None:
        return DASH
    return f"{value:,.2f}" if value >= 1 else f"{value:.4f}"


def mebibytes(value: int | None, digits: int = 0) -> str:
    return number(None if value is None else value / 2**20, digits)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")
