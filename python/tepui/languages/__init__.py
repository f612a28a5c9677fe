"""The input languages: text in, a System or a Program out; nothing here knows of engines.

One module per format; `load` picks it by the suffix of the file, in the table `LANGUAGES`. What
reads programs is imported when the first program is read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tepui.errors import UsageError
from tepui.languages.loaded_model import Loaded
from tepui.languages.source import Source, file_error, require_file
from tepui.records import record

if TYPE_CHECKING:
    from tepui.languages.pushdown.cpds import read_cpds as read_cpds
    from tepui.languages.pushdown.cpds import read_cpds_text as read_cpds_text
    from tepui.languages.pushdown.cpds import write_cpds as write_cpds
    from tepui.languages.pushdown.pds import PdsText as PdsText
    from tepui.languages.pushdown.pds import read_pds as read_pds
    from tepui.languages.pushdown.pds import read_pds_text as read_pds_text
    from tepui.languages.pushdown.pds import write_pds as write_pds

_HOMES = {
    "PdsText": "pushdown.pds",
    "read_cpds": "pushdown.cpds",
    "read_cpds_text": "pushdown.cpds",
    "read_pds": "pushdown.pds",
    "read_pds_text": "pushdown.pds",
    "write_cpds": "pushdown.cpds",
    "write_pds": "pushdown.pds",
}

__all__ = [
    "LANGUAGES",
    "Language",
    "Loaded",
    "format_program",
    "language_of",
    "load",
    "read_program",
    "read_program_text",
    *_HOMES,
]


def __getattr__(name: str) -> Any:
    """Fetch what one format needs when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tepui.languages' has no attribute {name!r}")
    return getattr(import_module(f"tepui.languages.{_HOMES[name]}"), name)


def load(
    path: str | os.PathLike[str],
    init: str | None = None,
    targets: Sequence[str] | None = None,
) -> Loaded:
    """Read a file by its suffix; `init` and `targets`, where given, replace what it says itself."""
    file = Path(path)
    language = language_of(file)
    if language is None:
        require_file(file)
        known = ", ".join(suffix for each in LANGUAGES for suffix in each.suffixes)
        raise file_error(
            file,
            f"unknown kind of file; the known suffixes are {known}, and .yml for task definitions",
        )
    return language.read(file, init, targets)


def language_of(path: Path) -> Language | None:
    """The language that the suffix of a file stands for."""
    suffix = path.suffix.lower()
    return next((each for each in LANGUAGES if suffix in each.suffixes), None)


def read_program(
    path: Path, init: str | None = None, targets: Sequence[str] | None = None
) -> Loaded:
    """Read a Boolean program, in either syntax. It says itself where it starts."""
    if init is not None:
        raise UsageError(
            f"{path}: --init is for pushdown systems; a program starts with its main procedure, "
            "and its variables with the values that their declarations say"
        )
    if targets:
        raise UsageError(
            f"{path}: --target is for pushdown systems; places of a program that must not be "
            "reached are named with --unreachable or --never-together"
        )
    return _program(Source.of_file(path))


def read_program_text(text: str, source: str = "<text>") -> Loaded:
    """Read the text of a Boolean program."""
    return _program(Source.of_text(text, source))


def format_program(source: Source) -> str:
    """The canonical form of a Boolean program."""
    from tepui.languages.boolean import formatted

    return formatted(source)


def _program(source: Source) -> Loaded:
    from tepui.languages.boolean import load_program

    program = load_program(source)
    return Loaded(program, list(program.warnings))


@record
class Language:
    """An input language: what it is called, the suffixes of its files, and what reads them."""

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Path, str | None, Sequence[str] | None], Loaded]
    beside: tuple[str, ...] = ()
    """The suffixes of files that are read together with one of them."""
    format: Callable[[Source], str] | None = None
    """What makes the canonical form of a text, if there is one."""


def _reader(name: str) -> Callable[[Path, str | None, Sequence[str] | None], Loaded]:
    def read(path: Path, init: str | None, targets: Sequence[str] | None) -> Loaded:
        loaded: Loaded = __getattr__(name)(path, init, targets)
        return loaded

    return read


LANGUAGES = (
    Language(
        "pushdown system of the CUBA tool",
        (".pds",),
        _reader("read_pds"),
        beside=(".init", ".spec"),
    ),
    Language("concurrent pushdown system", (".cpds",), _reader("read_cpds")),
    Language("Boolean program", (".bp", ".nbp"), read_program, format=format_program),
)
"""All input languages. Whatever depends on the suffix of a file is found here."""
