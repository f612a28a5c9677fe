"""A clock for answers that come all at once. Silent if there is no terminal.

It is printed on standard error, and removed when the answer is there.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle

from tepui.limits import current_memory
from tepui.report.terminal.live_view import clock_text
from tepui.report.terminal.screen import Screen
from tepui.report.terminal.streams import is_terminal, is_unicode, painter
from tepui.report.text.paint import clipped, in_ascii

_WHEEL, _ASCII_WHEEL = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\"


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Shows on a terminal the present activity, its time so far, and the memory."""
    stream = sys.stderr
    if not is_terminal(stream):
        yield
        return
    started, paint, unicode = time.monotonic(), painter(stream), is_unicode(stream)
    wheel = cycle(_WHEEL if unicode else _ASCII_WHEEL)

    def draw(columns: int, _: int) -> list[str]:
        memory = f"{current_memory() / 2**20:,.0f} MiB"
        line = f" {text} · {clock_text(time.monotonic() - started)} · {memory}"
        shown = line if unicode else in_ascii(line)
        return [clipped([(next(wheel), "place"), shown], columns, paint)]

    screen = Screen(stream, draw)
    screen.start()
    try:
        yield
    finally:
        screen.stop([])
