"""The input languages: text in, a System or a Program out; nothing here knows of engines.

`registry` has the table of them, `LANGUAGES`. `load` picks the language by the suffix of a file,
`loads` by its name.
"""

from __future__ import annotations

from collections.abc import Sequence

from tepui.languages.loaded_model import Loaded
from tepui.languages.registry import (
    LANGUAGES,
    Language,
    language_named,
    language_of,
    unknown_kind,
)
from tepui.languages.source import FileName, Source

__all__ = [
    "LANGUAGES",
    "Language",
    "Loaded",
    "language_named",
    "language_of",
    "load",
    "loads",
]


def load(
    path: FileName,
    init: str | None = None,
    targets: Sequence[str] | None = None,
    overflow: bool = False,
) -> Loaded:
    """Read a file by its suffix; `init` and `targets`, where given, replace what it says itself.
    With `overflow`, a program asks whether its machine integers overflow."""
    language = language_of(path)
    if language is None:
        raise unknown_kind(path)
    return language.read(Source.of_file(path), init, targets, overflow)


def loads(
    text: str,
    language: str,
    init: str | None = None,
    targets: Sequence[str] | None = None,
    name: str = "<text>",
    overflow: bool = False,
) -> Loaded:
    """Read a text in a language, named by a suffix without its dot; `name` is for messages."""
    return language_named(language).read(Source.of_text(text, name), init, targets, overflow)
