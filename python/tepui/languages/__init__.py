"""The input languages: text in, a System or a Program out; nothing here knows of engines.

`registry` has the table of them, `LANGUAGES`. `load` picks the language by the suffix of a file,
`loads` by its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tepui.languages.loaded_model import Loaded
from tepui.languages.registry import (
    LANGUAGES,
    Language,
    ModelOptions,
    language_named,
    language_of,
    unknown_kind,
)
from tepui.languages.source import FileName, Source

if TYPE_CHECKING:
    from tepui.languages.java.java_options import JavaOptions

__all__ = [
    "LANGUAGES",
    "Language",
    "Loaded",
    "ModelOptions",
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
    java: JavaOptions | None = None,
) -> Loaded:
    """Read a file by its suffix; `init` and `targets`, where given, replace what it says itself.
    With `overflow`, a program asks whether its machine integers overflow; `java` is for Java."""
    language = language_of(path)
    if language is None:
        raise unknown_kind(path)
    return language.load(path, _options(init, targets, overflow, java))


def loads(
    text: str,
    language: str,
    init: str | None = None,
    targets: Sequence[str] | None = None,
    name: str = "<text>",
    overflow: bool = False,
    java: JavaOptions | None = None,
) -> Loaded:
    """Read a text in a language, named by a suffix without its dot; `name` is for messages."""
    options = _options(init, targets, overflow, java)
    return language_named(language).load(Source.of_text(text, name), options)


def _options(
    init: str | None, targets: Sequence[str] | None, overflow: bool, java: JavaOptions | None
) -> ModelOptions:
    return ModelOptions(init, targets, overflow, java)
