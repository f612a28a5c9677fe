"""The display of a running suite: lines on standard output, and a progress bar on a terminal.

The bar is on standard error. Where both are the same terminal, the lines go above the bar.
"""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

from tepui.report.terminal.printing import echo
from tepui.report.terminal.streams import has_colours, is_terminal, painter
from tepui.suite.outcome import Outcome, Tally
from tepui.suite.processes import Job
from tepui.suite.text import outcome_line, tally_text
from tepui.words import printable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

_SHOWN_TASKS = 8


class Progress:
    """Shows a session while it goes on. Use it in a `with` block."""

    def __init__(self, total: int, *, lines: bool, bar: bool) -> None:
        self._total = total
        self._lines = lines
        self._bar = bar and is_terminal(sys.stderr)
        self.outcomes: list[Outcome] = []
        self._running: dict[str, float] = {}
        self._lock = threading.Lock()
        self._start = time.monotonic()
        self._live: Live | None = None

    def __enter__(self) -> Progress:
        if self._bar and self._total:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(
                console=Console(
                    stderr=True, color_system="auto" if has_colours(sys.stderr) else None
                ),
                get_renderable=self._picture,
                refresh_per_second=8,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def begins(self, job: Job) -> None:
        """A task starts."""
        with self._lock:
            self._running[job.name] = time.monotonic()
        if self._live is not None:
            self._live.refresh()

    def ended(self, outcome: Outcome) -> None:
        """A task has ended."""
        with self._lock:
            self._running.pop(outcome.task, None)
            self.outcomes.append(outcome)
        if not self._lines:
            return
        line = outcome_line(outcome, painter(sys.stdout))
        if self._live is not None and is_terminal(sys.stdout):
            from rich.text import Text

            self._live.console.print(Text.from_ansi(line), soft_wrap=True)
        else:
            echo(line)

    def _picture(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        with self._lock:
            done, running = len(self.outcomes), dict(self._running)
            tally = Tally.of(self.outcomes)
        now = time.monotonic()
        row = Table.grid(padding=(0, 1))
        row.add_row(
            ProgressBar(self._total, done, width=30),
            f"{done}/{self._total}",
            f"{now - self._start:,.0f} s",
            Text(tally_text(tally).partition(": ")[2], "bold red" if tally.wrong else ""),
        )
        names = [
            Text(
                f"  {now - since:>6,.0f} s  {printable(name)}",
                "dim",
                no_wrap=True,
                overflow="ellipsis",
            )
            for name, since in list(running.items())[:_SHOWN_TASKS]
        ]
        more = len(running) - _SHOWN_TASKS
        names += [Text(f"  and {more} more", "dim")] if more > 0 else []
        return Group(row, *names)
