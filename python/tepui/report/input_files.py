"""The files that an answer is about, as other tools name them: by URIs, and with their hashes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from tepui.errors import InputError
from tepui.languages.source import Source
from tepui.program.program import Program
from tepui.report.told import Told


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that was read."""

    path: Path
    data: bytes

    @property
    def name(self) -> str:
        """What the positions of a program call it."""
        return str(self.path)

    @property
    def hash(self) -> str:
        return sha256(self.data).hexdigest()

    @property
    def lines(self) -> list[str]:
        return Source.of_text(self.data.decode("utf-8", "replace"), self.name).lines


def input_files(told: Told) -> tuple[InputFile, ...]:
    """The model, and what was read beside it. One that is gone by now is left out."""
    paths = [told.file] if told.file is not None else []
    if isinstance(told.model, Program):
        paths += [Path(name) for name in program_files(told.model)]
    elif told.file is not None and told.file.suffix.lower() == ".pds":
        paths += [told.file.with_suffix(".init"), told.file.with_suffix(".spec")]
    return tuple(_read(dict.fromkeys(paths)))


def program_files(program: Program) -> list[str]:
    """The files that a program comes from."""
    files = (procedure.position.file for procedure in program.procedures)
    return list(dict.fromkeys(file for file in files if file))


def uri_of(path: Path) -> str:
    """A file as a URI: relative to where tepui runs if it is there or below."""
    try:
        path = path.resolve().relative_to(Path.cwd()) if path.is_absolute() else path
    except ValueError:
        return path.as_uri()
    return quote(path.as_posix(), errors="surrogateescape")


def _read(paths: Iterable[Path]) -> Iterable[InputFile]:
    for path in paths:
        try:
            yield InputFile(path, path.read_bytes())
        except (OSError, ValueError, InputError):
            continue
