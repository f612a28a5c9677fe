"""The live table: one row per round while a run goes on. Silent where no one watches.

It goes to standard error, so that standard output stays clean for pipes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from tepui.report.bounds import count_text
from tepui.sequences.options import Progress

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

_SHOWN_ROWS = 20


class LiveTable:
    """A context in which `watch` draws a table on a terminal, and does nothing elsewhere."""

    def __init__(self, title: str, *, enabled: bool = True) -> None:
        self._title = title
        self._rows: list[Progress] = []
        self._current: Progress | None = None
        self._live: Live | None = None
        self.shown = enabled and sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> Callable[[Progress], None]:
        return self._watch

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._current = None
            self._live.update(self._table(), refresh=True)
            self._live.stop()

    def _watch(self, progress: Progress) -> None:
        if not self.shown:
            return
        if self._live is None:
            self._live = self._start()
        if self._rows and (self._rows[-1].delays is None) != (progress.delays is None):
            self._rows.clear()  # Another engine, which counts something else.
        if progress.round_complete:
            while self._rows and self._rows[-1].k >= progress.k:  # Another question, or more slots.
                self._rows.pop()
            self._rows.append(progress)
            self._current = None
        else:
            self._current = progress
        self._live.update(self._table())

    def _start(self) -> Live:
        from rich.console import Console
        from rich.live import Live

        live = Live(console=Console(stderr=True), refresh_per_second=8)
        live.start()
        return live

    def _table(self) -> Table:
        from rich.table import Table

        table = Table(title=self._title, title_justify="left", box=None, pad_edge=False)
        shown = self._current or (self._rows[-1] if self._rows else None)
        by_delays = shown is not None and shown.delays is not None
        bounds = ("rounds", "delays") if by_delays else ("k",)
        for name in (*bounds, "states", "visible", "new", "time", "memory"):
            table.add_column(name, justify="right")
        for row in self._rows[-_SHOWN_ROWS:]:
            _add_row(table, row)
        if self._current is not None and self._current.activity != "exploring":
            table.caption = f"{self._current.activity} …"
        elif self._current is not None:
            _add_row(table, self._current, "dim")
        return table


def _add_row(table: Table, row: Progress, style: str | None = None) -> None:
    table.add_row(
        *_bounds(row),
        count_text(row.states),
        f"{row.visible:,}",
        "plateau" if row.round_complete and not row.new_visible else f"{row.new_visible:+,}",
        f"{row.seconds:.2f} s",
        f"{row.memory / 2**20:,.0f} MiB",
        style=style,
    )


def _bounds(row: Progress) -> tuple[str, ...]:
    """What is counted. Which of two bounds is being raised, no one can tell before it is done."""
    if row.delays is None:
        return (str(row.k),)
    if not row.round_complete:
        return ("…", "…")
    return str(row.delays.rounds), str(row.delays.delays)
