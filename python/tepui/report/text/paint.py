"""Text in pieces, each with a role: wrapped to a width, and then painted.

Reports name roles, not colours, and get the width of a line as an argument. The code that prints
them knows both. A line is broken only between words, and continues under a column of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

Role = Literal["safe", "unsafe", "open", "thread", "place", "change", "inside", "title"]
Paint = Callable[[str, Role], str]
Piece = str | tuple[str, Role]
"""Text as it is, or with a role."""


_ASCII = str.maketrans({"…": "...", "∞": "inf", "·": "-", "«": '"', "»": '"'})
_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]|\x1b(?!\[[0-9;]*m)")


def plain(text: str, _: Role) -> str:
    """No colour."""
    return text


def in_ascii(text: str) -> str:
    """A text with ASCII in place of our own signs."""
    return text.translate(_ASCII)


def harmless(text: str) -> str:
    """A text without control sequences other than colours, whatever names in a file contain."""
    return _COMMANDS.sub("?", text)


def text_of(pieces: Iterable[Piece]) -> str:
    """A line without its roles."""
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces)


def length(pieces: Iterable[Piece]) -> int:
    """How long a line is."""
    return len(text_of(pieces))


def clipped(pieces: Sequence[Piece], width: int, paint: Paint = plain) -> str:
    """A line, shortened if it is too wide."""
    return "".join(_painted(pieces, 0, width, paint)).rstrip()


def wrapped(
    pieces: Sequence[Piece], width: int | None, hanging: int, paint: Paint = plain
) -> list[str]:
    """A line of several pieces, as lines that are no wider than this where words allow it; all but
    the first are indented by `hanging`. Without a width it stays one line."""
    lines = []
    for number, (start, end) in enumerate(_lines(text_of(pieces), width, hanging)):
        indent = " " * hanging if number else ""
        lines.append(indent + "".join(_painted(pieces, start, end, paint)))
    return lines


def _lines(text: str, width: int | None, hanging: int) -> Iterator[tuple[int, int]]:
    """The start and the end of each line, without blanks at its end."""
    start = last = 0
    for word in re.finditer(r"\S+", text):
        room = len(text) if width is None else width - (hanging if start else 0)
        if word.end() - start > room and last > start:
            yield start, last
            start = word.start()
        last = word.end()
    yield start, last


def _painted(pieces: Sequence[Piece], start: int, end: int, paint: Paint) -> Iterator[str]:
    """The part of each piece that lies between two places of the whole text."""
    at = 0
    for piece in pieces:
        text, role = (piece, None) if isinstance(piece, str) else piece
        shown = text[max(0, start - at) : max(0, end - at)]
        at += len(text)
        if shown:
            yield shown if role is None else paint(shown, role)
