"""The files that an answer is about, as other tools name them: by URIs, and with their hashes."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from tepui.languages.source import Source
from tepui.model import System
from tepui.program.program import Program
from tepui.records import record
from tepui.report.report_input import ReportInput


@record
class InputFile:
    """A file that was read."""

    path: Path
    data: bytes

    @property
    def name(self) -> str:
        """Its name in the positions of a program."""
        return str(self.path)

    @property
    def hash(self) -> str:
        return sha256(self.data).hexdigest()

    @property
    def source(self) -> Source:
        return Source.of_text(self.data.decode("utf-8", "replace"), self.name)

    @property
    def lines(self) -> list[str]:
        return self.source.lines


def input_files(data: ReportInput) -> tuple[InputFile, ...]:
    """The files that an answer is about, as they were read; or as they are now, if they were not
    kept."""
    return read_inputs(data.model, data.file) if data.inputs is None else data.inputs


def read_inputs(model: System | Program, file: Path | None) -> tuple[InputFile, ...]:
    """The model, and the files that were read with it. Files that cannot be read any more are left
    out.

    Called right after reading, it keeps what an answer is about, even if the files change later.
    """
    paths = [file] if file is not None else []
    if isinstance(model, Program):
        paths += [Path(name) for name in program_files(model)]
    elif file is not None and file.suffix.lower() == ".pds":
        paths += [file.with_suffix(".init"), file.with_suffix(".spec")]
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
            if path.is_file():  # A pipe could be read only once.
                yield InputFile(path, path.read_bytes())
        except (OSError, ValueError):
            continue
