"""The live table: one row per round during a run, and the source beside it if that is wanted.
Silent if there is no terminal.

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
    from collections.abc import Sequence

    from tepui.markers import Line, Marker
    from tepui.progress import Progress
    from tepui.report.terminal.source_view import SourceView

    Source = tuple[Sequence[tuple[str, Sequence[str]]], Sequence[Line]]


class LiveTable:
    """A context in which progress is drawn as a table on a terminal; without one, nothing is
    drawn. A `source` has the files of a program, with their lines, and where it has statements."""

    def __init__(self, title: str, *, enabled: bool = True, source: Source | None = None) -> None:
        self._stream = sys.stderr
        self.is_drawn = enabled and is_terminal(self._stream)
        self.shown = self.is_drawn and is_terminal(sys.stdout)
        """Whether standard output is a terminal, too, so that its reader has seen the table."""
        if self.is_drawn:
            from tepui.report.terminal.live_view import LiveView
            from tepui.report.terminal.screen import Screen

            ascii_only = not is_unicode(self._stream)
            self._view = LiveView(title, paint=painter(self._stream), ascii_only=ascii_only)
            self._source = None if source is None else self._view_of(source)
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
        if self.is_drawn and self._has_begun:
            columns, rows = size_of(self._stream)
            self._screen.stop(self._lines(lambda room, _: self._view.ending(room), columns, rows))

    def mark(self, marker: Marker) -> None:
        """Mark a line of the source."""
        if self.is_drawn and self._source is not None:
            with self._lock:
                self._source.see(marker)

    def _watch(self, progress: Progress) -> None:
        if not self.is_drawn:
            return
        with self._lock:
            self._view.see(progress)
            if not self._has_begun:
                self._has_begun = True
                self._screen.start()

    def _draw(self, columns: int, rows: int) -> list[str]:
        with self._lock:
            return self._lines(self._view.frame, columns, rows)

    def _lines(self, table: Callable[[int, int], list[str]], columns: int, rows: int) -> list[str]:
        """The table, with the source if that is shown."""
        if self._source is None:
            return table(columns, rows)
        from tepui.report.terminal.panes import both

        return both(table, self._source, columns, rows, ascii_only=not is_unicode(self._stream))

    def _view_of(self, source: Source) -> SourceView:
        # Most runs show no source.
        from tepui.report.terminal.source_view import SourceView

        paint, ascii_only = painter(self._stream), not is_unicode(self._stream)
        return SourceView(*source, paint=paint, ascii_only=ascii_only)
