"""What a stream can show: colours, how wide a line may be, letters beyond ASCII, moving pictures.

All code that prints for people asks here, so that all output follows the same rules. Colours are
decided by the first of these that applies: the option --no-color, NO_COLOR, FORCE_COLOR or
CLICOLOR_FORCE, TERM=dumb, and whether the stream is a terminal at all. Where there is no terminal,
there is no width, and nothing is wrapped.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TextIO

import click

from tepui.report.text.paint import Paint, Role, plain

_STYLES: Mapping[Role, Mapping[str, Any]] = {
    "safe": {"fg": "green", "bold": True},
    "unsafe": {"fg": "red", "bold": True},
    "open": {"fg": "yellow", "bold": True},
    "thread": {"fg": "cyan", "bold": True},
    "place": {"fg": "blue"},
    "change": {"fg": "magenta"},
    "inside": {"dim": True},
    "title": {"bold": True},
    "reached": {"fg": "green"},
}
_USUAL_SIZE = os.terminal_size((80, 24))


def has_colours(stream: TextIO | None) -> bool:
    """Whether to print in colour."""
    context = click.get_current_context(silent=True)
    if os.environ.get("NO_COLOR") or (context is not None and context.color is False):
        return False
    if any(os.environ.get(name, "0") not in ("", "0") for name in _FORCING):
        return True
    return is_terminal(stream)


_FORCING = ("FORCE_COLOR", "CLICOLOR_FORCE")


def is_terminal(stream: TextIO | None) -> bool:
    """Whether the stream is a terminal on which a cursor can be moved."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def painter(stream: TextIO | None) -> Paint:
    """The function that gives text the colour of its role."""
    return _coloured if has_colours(stream) else plain


def width_of(stream: TextIO | None) -> int | None:
    """The largest width of a line, if there is one."""
    return size_of(stream).columns if stream is not None and stream.isatty() else None


def size_of(stream: TextIO) -> os.terminal_size:
    """The present size of a terminal: COLUMNS and LINES, or else what the terminal reports."""
    try:
        seen = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):  # No terminal, or no file at all.
        seen = _USUAL_SIZE
    return os.terminal_size(
        _number(name) or size or usual
        for name, size, usual in zip(("COLUMNS", "LINES"), seen, _USUAL_SIZE, strict=True)
    )


def is_unicode(stream: TextIO) -> bool:
    """Whether more than ASCII can be shown."""
    return (stream.encoding or "utf-8").lower().replace("-", "").startswith("utf")


def _coloured(text: str, role: Role) -> str:
    return click.style(text, **_STYLES[role])


def _number(name: str) -> int | None:
    """A size that the environment names."""
    text = os.environ.get(name, "")
    return int(text) if text.isascii() and text.isdigit() else None
