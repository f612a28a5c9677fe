"""The input languages: text in, a System or a Program out; nothing here knows of engines.

One module per format; `load` picks it by the suffix of the file. What reads programs is imported
when the first program is read.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tepui.errors import UsageError
from tepui.languages.cpds import read_cpds, read_cpds_text, write_cpds
from tepui.languages.loaded import Loaded
from tepui.languages.pds import PdsText, read_pds, read_pds_text, write_pds
from tepui.languages.source import Source, file_error, require_file

__all__ = [
    "Loaded",
    "PdsText",
    "load",
    "read_cpds",
    "read_cpds_text",
    "read_pds",
    "read_pds_text",
    "read_program",
    "read_program_text",
    "write_cpds",
    "write_pds",
]


def load(
    path: str | os.PathLike[str],
    init: str | None = None,
    targets: Sequence[str] | None = None,
) -> Loaded:
    """Read a file by its suffix; `init` and `targets`, where given, replace what it says itself."""
    file = Path(path)
    read = _READERS.get(file.suffix.lower())
    if read is None:
        require_file(file)
        known = ", ".join(_READERS)
        raise file_error(
            file,
            f"unknown kind of file; the known suffixes are {known}, and .yml for task definitions",
        )
    return read(file, init, targets)


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


def _program(source: Source) -> Loaded:
    from tepui.languages.boolean import load_program

    program = load_program(source)
    return Loaded(program, list(program.warnings))


_READERS = {".pds": read_pds, ".cpds": read_cpds, ".bp": read_program, ".nbp": read_program}
