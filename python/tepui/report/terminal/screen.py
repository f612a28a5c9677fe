"""The last lines of a terminal, redrawn while something goes on.

Drawing has a thread of its own, so that the clock advances while a kernel or the checker is at
work. Between two frames the cursor is visible and at the beginning of the last line, and nothing
else about the terminal is changed. So whatever ends the process, even a kill, leaves the terminal
usable, and the `^C` that terminals echo takes no row of its own.

If the terminal becomes narrower, it breaks lines that were drawn for a wider one, and they take
more rows than before. These are counted, so that the next frame takes the place of all of them.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Sequence
from typing import TextIO

from tepui.report.terminal.streams import size_of
from tepui.report.text.paint import joined

Draw = Callable[[int, int], Sequence[str]]
"""Gives the lines for a terminal with these numbers of columns and rows."""

SECONDS_PER_FRAME = 0.125

_COLOUR = re.compile(r"\x1b\[[\d;]*m")


class Screen:
    """Draws what `draw` gives, from `start` on until `stop`."""

    def __init__(self, stream: TextIO, draw: Draw) -> None:
        self._stream = stream
        self._draw = draw
        self._drawn: list[str] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, last: Sequence[str]) -> None:
        """Leave these lines on the terminal instead of what was drawn."""
        self._over.set()
        self._thread.join()
        if last or self._drawn:
            self._write(list(last), size_of(self._stream), "\n" if last else "")

    def _run(self) -> None:
        while not self._over.wait(SECONDS_PER_FRAME):
            size = size_of(self._stream)
            lines = list(self._draw(*size))
            if lines != self._drawn and not self._write(lines, size):
                return

    def _write(self, lines: list[str], size: os.terminal_size, ending: str = "\r") -> bool:
        """Draw lines in the place of those before. Returns whether the terminal still exists."""
        columns, rows = size
        above = sum(_rows(line, columns) for line in self._drawn) - 1
        # Row by row: some terminals keep a copy of a screen that is cleared as a whole.
        erased = "\r\x1b[2K" + "\x1b[1A\x1b[2K" * min(above, rows - 1)
        text = joined(lines)
        try:
            self._stream.write(f"\x1b[?25l{erased}{text}{ending}\x1b[?25h")
            self._stream.flush()
        except (OSError, ValueError):  # The terminal is gone.
            return False
        self._drawn = lines
        return True


def _rows(line: str, columns: int) -> int:
    """How many rows a line takes now."""
    return max(1, -(-len(_COLOUR.sub("", line)) // columns))
