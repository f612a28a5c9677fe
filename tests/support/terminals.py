"""Terminals for tests: a real one, on which the command runs, and a model of one, which shows what
stays on the screen."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time
from dataclasses import dataclass
from typing import Literal

from support.cli import HANGS, TEPUI

Shown = Literal["out", "err", "both"]

CONTROLS = re.compile(r"\x1b\[[?\d;]*[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Seen:
    """How a command ended, what it wrote elsewhere, and everything that its terminal got."""

    code: int
    out: str
    written: str

    @property
    def text(self) -> str:
        """What the terminal got, without colours."""
        return re.sub(r"\x1b\[[\d;]*m", "", self.written).replace("\r", "")

    def left(self, columns: int = 100) -> list[str]:
        """The lines that are left to be seen."""
        terminal = Terminal(columns)
        terminal.write(self.written.replace("\r\n", "\n"))
        return terminal.lines


def on_a_terminal(
    *args: str,
    terminal: Shown = "err",
    size: tuple[int, int] = (100, 50),
    interrupt_at: str | None = None,
    env: dict[str, str] | None = None,
) -> Seen:
    """Run a command whose streams are a terminal of this size, or one of them; the other errors go
    nowhere. Press Ctrl-C when a text is shown."""
    ours, theirs = pty.openpty()
    columns, rows = size
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    out = subprocess.PIPE if terminal == "err" else theirs
    err = subprocess.DEVNULL if terminal == "out" else theirs
    given = {name: os.environ[name] for name in os.environ if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(
        [TEPUI, *args],
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        encoding="utf-8",
        env=given | {"TERM": "xterm"} | (env or {}),
    ) as process:
        os.close(theirs)
        written = b""
        end = time.monotonic() + HANGS
        while time.monotonic() < end:
            try:
                written += os.read(ours, 65536)
            except OSError:  # No one has the other end any more.
                break
            if interrupt_at is not None and interrupt_at.encode() in written:
                process.send_signal(signal.SIGINT)
                interrupt_at = None
        os.close(ours)
        piped, _ = process.communicate(timeout=HANGS)
    return Seen(process.returncode, piped or "", written.decode())


class Terminal:
    """A screen without an end: lines of text, broken at its edge.

    It knows what is used here and nothing else: rows are erased from the last one upwards.
    When its width changes, lines are broken anew, as terminals do.
    """

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.lines = [""]
        self.cursor_is_shown = True
        self._up = 0

    def write(self, text: str) -> None:
        at = 0
        for control in CONTROLS.finditer(text):
            self._put(text[at : control.start()])
            self._obey(control[0])
            at = control.end()
        self._put(text[at:])

    def _put(self, text: str) -> None:
        for sign in text:
            if sign == "\n":
                self.lines.append("")
            elif sign != "\r":
                assert self._up == 0, "what is there is overwritten"
                self.lines[-1] += sign

    def _obey(self, control: str) -> None:
        match control[-1]:
            case "A":
                self._up += int(control[2:-1])
            case "K":
                self._erase()
            case "h" | "l":
                self.cursor_is_shown = control[-1] == "h"
            case other:
                assert other == "m", control

    def _erase(self) -> None:
        """Forget the row of the cursor. What is below is erased already."""
        rows = [
            (number, start)
            for number, line in enumerate(self.lines)
            for start in range(0, max(1, len(line)), self.columns)
        ]
        line, start = rows[max(0, len(rows) - 1 - self._up)]
        self.lines[line:] = [self.lines[line][:start], ""] if start else [""]
        self._up = 0
