"""The source of a program while it is explored, with a mark on each line about which all is known.

Reached lines are green, violated ones red, unreached ones grey, each with a sign for those who see
no colours; all others are plain. A source that is too long for its room is scrolled to where
something happens: to the last line that was marked, and to a violation for good.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import accumulate
from pathlib import PurePath

from tepui.markers import Line, Mark, Marker
from tepui.report.terminal.round_table import Line as Pieces
from tepui.report.text.paint import Paint, Role, clipped, in_ascii, plain
from tepui.words import plural, printable

_ROLES: dict[Mark, Role] = {"reached": "reached", "violated": "unsafe", "unreached": "inside"}
_SIGNS: dict[Mark, str] = {"reached": "✓", "violated": "✗", "unreached": "○"}
_ASCII_SIGNS: dict[Mark, str] = {"reached": "+", "violated": "x", "unreached": "-"}

_TAB = 4

_NEAR_EDGE = 2
"""This many lines above and below the one where something happens are shown, too."""


class SourceView:
    """The files of a program, of which one is shown."""

    def __init__(
        self,
        files: Sequence[tuple[str, Sequence[str]]],
        lines: Sequence[Line],
        *,
        paint: Paint = plain,
        ascii_only: bool = False,
    ) -> None:
        self._texts = {name: _shown(texts) for name, texts in files}
        self._lines = lines
        self._paint = paint
        self._ascii_only = ascii_only
        self._marks: dict[Line, Mark] = {}
        self._file = next((file for file, _ in lines), next(iter(self._texts), ""))
        self._focus = 1
        self._holds = False
        """Whether the focus stays where it is."""
        self._top = 1
        """The first line that is shown."""

    def see(self, marker: Marker) -> None:
        """Show a mark, and go there if something happens."""
        line = marker.file, marker.line
        if self._marks.get(line) != "violated":
            self._marks[line] = marker.mark
        if marker.mark == "violated" or not (self._holds or marker.mark == "unreached"):
            self._file, self._focus = line
            self._holds = self._holds or marker.mark == "violated"

    @property
    def width(self) -> int:
        """How wide all of it is."""
        texts = (text for texts in self._texts.values() for text in texts)
        return self._gutter + max(map(_width, texts), default=0)

    @property
    def height(self) -> int:
        """How many lines it takes to show the whole file, with its title."""
        return 1 + len(self._texts.get(self._file, ()))

    def frame(self, columns: int, rows: int) -> list[str]:
        """The view now, with no more lines than these rows."""
        if rows < _NEAR_EDGE:
            return []
        texts = self._texts.get(self._file, [])
        self._scroll(len(texts), rows - 1)
        shown = range(self._top, min(len(texts), self._top + rows - 2) + 1)
        lines = [self._line(number, texts[number - 1], columns) for number in shown]
        return [clipped(line, columns, self._paint) for line in (self._title(), *lines)]

    def _scroll(self, length: int, rows: int) -> None:
        """Show the focus, and move no more than that takes."""
        edge = min(_NEAR_EDGE, (rows - 1) // 2)
        if not self._top + edge <= self._focus < self._top + rows - edge:
            self._top = self._focus - rows // 2
        self._top = max(1, min(self._top, length - rows + 1))

    def _title(self) -> Pieces:
        unreached = sum(mark == "unreached" for mark in self._marks.values())
        count = len(self._lines)
        text = f" · {len(self._marks) - unreached} of {count} {plural(count, 'line')} reached"
        text += f", {unreached} unreached" if unreached else ""
        return [
            (PurePath(self._file).name, "title"),
            in_ascii(text) if self._ascii_only else text,
        ]

    def _line(self, number: int, text: str, columns: int) -> Pieces:
        mark = self._marks.get((self._file, number))
        signs = _ASCII_SIGNS if self._ascii_only else _SIGNS
        sign = " " if mark is None else signs[mark]
        whole = f"{number:>{self._gutter - 3}} {sign} {_cut(text, columns - self._gutter)}"
        return [whole if mark is None else (whole, _ROLES[mark])]

    @property
    def _gutter(self) -> int:
        """The width of what stands before the text."""
        return 3 + max((len(str(len(texts))) for texts in self._texts.values()), default=1)


def _shown(texts: Sequence[str]) -> list[str]:
    """Lines as they can be shown, without the empty one after the last end of a line."""
    lines = texts[:-1] if texts and not texts[-1] else texts
    return [printable(text.expandtabs(_TAB)) for text in lines]


def _cut(text: str, columns: int) -> str:
    """The beginning of a text that has room."""
    ends = accumulate(map(_columns, text))
    return text[: sum(end <= columns for end in ends)]


def _width(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(sign: str) -> int:
    """How many columns of a terminal a sign takes."""
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
