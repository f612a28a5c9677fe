"""The live table: one row per round during a run. Silent if there is no terminal.

It goes to standard error, so that standard output stays clean for pipes.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from tepui.report.terminal.streams import is_terminal, is_unicode, painter, size_of

if TYPE_CHECKING:
    from tepui.progress import Progress


class LiveTable:
    """A context in which progress is drawn as a table on a terminal; without one, nothing is
    drawn."""

    def __init__(self, title: str, *, enabled: bool = True) -> None:
        self._stream = sys.stderr
        self._is_drawn = enabled and is_terminal(self._stream)
        self.shown = self._is_drawn and is_terminal(sys.stdout)
        """Whether standard output is a terminal, too, so that its reader has seen the table."""
        if self._is_drawn:
            from tepui.report.terminal.live_view import LiveView
            from tepui.report.terminal.screen import Screen

            ascii_only = not is_unicode(self._stream)
            self._view = LiveView(title, paint=painter(self._stream), ascii_only=ascii_only)
            self._screen = Screen(self._stream, self._draw)
            self._lock = threading.Lock()
            self._has_begun = False

    def __enter__(self) -> Callable[[Progress], None]:
        return self._watch

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._is_drawn and self._has_begun:
            self._screen.stop(self._view.ending(size_of(self._stream).columns))

    def _watch(self, progress: Progress) -> None:
        if not self._is_drawn:
            return
        with self._lock:
            self._view.see(progress)
            if not self._has_begun:
                self._has_begun = True
                self._screen.start()

    def _draw(self, columns: int, rows: int) -> list[str]:
        with self._lock:
            return self._view.frame(columns, rows)
