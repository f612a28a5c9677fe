"""The argument FILE of a command: a file, or `-` for standard input, and its language."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from tepui.cli.choices import Choice
from tepui.errors import UsageError
from tepui.languages import Loaded
from tepui.languages.loaded_model import LoadedNet
from tepui.languages.registry import (
    LANGUAGES,
    Language,
    ModelOptions,
    language_named,
    language_of,
    unknown_kind,
)
from tepui.languages.source import MAX_BYTES, Source, file_error
from tepui.limits import waiting

if TYPE_CHECKING:
    from tepui.languages.java.loading import Entry
    from tepui.model import System
    from tepui.program.program import Program
    from tepui.report.exchange.input_files import InputFile

STDIN = Path("<stdin>")
"""Stands for standard input. Only this object does, since a file may have the same name."""

_NAMES = [suffix[1:] for each in reversed(LANGUAGES) for suffix in each.texts]
"""The names of languages: the suffixes of their files, programs first."""


class ModelPath(click.Path):
    """The name of a file to read, or `-`."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return STDIN if value == "-" else super().convert(value, param, ctx)


language_flag = click.option(
    "--language",
    type=Choice(_NAMES),
    help="What FILE is written in. Needed for standard input (-), and for other suffixes.",
)


def read_model(file: Path, language: str | None, options: ModelOptions) -> Loaded:
    """The model in a file, in the language that is named or that its suffix stands for."""
    spoken = _spoken(file, language)
    return spoken.load(_content_of(file, spoken), options)


def read_entries(file: Path, language: str | None, options: ModelOptions) -> Iterator[Entry]:
    """The entries in a file that the options name."""
    spoken = _spoken(file, language)
    return spoken.load_each(_content_of(file, spoken), options)


def _content_of(file: Path, spoken: Language) -> Path | Source:
    """What a language reads: a file that it opens itself, or its text."""
    if file is STDIN or spoken.open is None or language_of(file) is not spoken:
        return source_of(file)
    return file


def _spoken(file: Path, language: str | None) -> Language:
    """The language of a file."""
    spoken = language_of(file) if language is None else language_named(language)
    if spoken is None and file is STDIN:
        raise UsageError(
            f"{file}: say what it is written in, such as --language {_NAMES[0]}; "
            f"the languages are {', '.join(_NAMES)}"
        )
    if spoken is None:
        raise unknown_kind(file)
    return spoken


def is_net(file: Path, language: str | None) -> bool:
    """Whether a file holds a net, by the language that is named or that its suffix stands for."""
    spoken = language_of(file) if language is None else language_named(language)
    return spoken is not None and spoken.read_net is not None


def read_net(
    file: Path, language: str | None, init: str | None, targets: Sequence[str] | None
) -> LoadedNet:
    """The net in a file of which `is_net` holds."""
    spoken = language_of(file) if language is None else language_named(language)
    assert spoken is not None
    assert spoken.read_net is not None
    source = source_of(file) if file is STDIN else Source.of_old_file(file)
    return spoken.read_net(source, init, targets)


def source_of(file: Path) -> Source:
    """The text of a file, or of standard input."""
    if file is not STDIN:
        return Source.of_file(file)
    return Source.of_bytes(bytes_of(file), STDIN)


def bytes_of(file: Path) -> bytes:
    """The bytes of a file that was already read, or of standard input."""
    if file is not STDIN:
        return file.read_bytes()
    if sys.stdin is None:
        raise file_error(STDIN, "standard input is closed")
    return _content(sys.stdin.buffer)


def inputs_of(model: System | Program, file: Path) -> tuple[InputFile, ...]:
    """The model's text, and what was read beside it, as they are now."""
    from tepui.report.exchange.input_files import InputFile, read_inputs

    if file is STDIN:
        return (InputFile(STDIN, bytes_of(STDIN)),)
    return read_inputs(model, file)


@lru_cache(maxsize=1)
def _content(stream: BinaryIO) -> bytes:
    """The content of a stream, which is kept: it can be read only once, and reports show it
    later."""
    with waiting():
        return stream.read(MAX_BYTES + 1)
