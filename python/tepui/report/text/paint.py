"""Text in pieces, each with a role: wrapped to a width, and then painted.

Reports name roles, not colours, and get the width of a line as an argument. The code that prints
them knows both. A line is broken only between words, and continues under a column of its own.

Names in a line come from files. They are made printable before the line is painted, so that all
colours in a `Painted` line are ours, and it is one line indeed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from tepui.words import printable

Role = Literal["safe", "unsafe", "open", "thread", "place", "change", "inside", "title", "reached"]
Paint = Callable[[str, Role], str]
Piece = str | tuple[str, Role]
"""Text as it is, or with a role."""


_ASCII = str.maketrans({"…": "...", "∞": "inf", "·": "-", "«": '"', "»": '"'})


class Painted(str):
    """Text that can be printed as it is: one line, or several that were put together here."""

    __slots__ = ()


def plain(text: str, _: Role) -> str:
    """No colour."""
    return text


def joined(lines: Iterable[str]) -> Painted:
    """Lines, one below the other. Whatever was not painted before is text."""
    return Painted("\n".join(map(as_painted, lines)))


def as_painted(line: str) -> Painted:
    """A line that can be printed."""
    return line if isinstance(line, Painted) else Painted(printable(line))


def in_ascii(text: str) -> str:
    """A text with ASCII in place of our own signs."""
    return text.translate(_ASCII)


def text_of(pieces: Iterable[Piece]) -> str:
    """A line without its roles."""
    return "".join(text for text, _ in _parts(pieces))


def length(pieces: Iterable[Piece]) -> int:
    """How long a line is."""
    return len(text_of(pieces))


def clipped(pieces: Sequence[Piece], width: int, paint: Paint = plain) -> str:
    """A line, shortened if it is too wide."""
    return Painted("".join(_painted(pieces, 0, width, paint)).rstrip())


def wrapped(
    pieces: Sequence[Piece], width: int | None, hanging: int, paint: Paint = plain
) -> list[str]:
    """A line of several pieces, as lines that are no wider than this where words allow it; all but
    the first are indented by `hanging`. Without a width it stays one line."""
    lines: list[str] = []
    for number, (start, end) in enumerate(_lines(text_of(pieces), width, hanging)):
        indent = " " * hanging if number else ""
        lines.append(Painted(indent + "".join(_painted(pieces, start, end, paint))))
    return lines


def _lines(text: str, width: int | None, hanging: int) -> Iterator[tuple[int, int]]:
    """The start and the end of each line, without blanks at its end."""
    if width is None:
        yield 0, len(text.rstrip())
        return
    start = last = 0
    for word in re.finditer(r"\S+", text):
        room = width - (hanging if start else 0)
        if word.end() - start > room and last > start:
            yield start, last
            start = word.start()
        last = word.end()
    yield start, last


def _painted(pieces: Sequence[Piece], start: int, end: int, paint: Paint) -> Iterator[str]:
    """The part of each piece that lies between two places of the whole text."""
    at = 0
    for text, role in _parts(pieces):
        shown = text[max(0, start - at) : max(0, end - at)]
        at += len(text)
        if shown:
            yield shown if role is None else paint(shown, role)


def _parts(pieces: Iterable[Piece]) -> Iterator[tuple[str, Role | None]]:
    """The text of each piece as it is shown, and its role."""
    for piece in pieces:
        text, role = (piece, None) if isinstance(piece, str) else piece
        yield printable(text), role
