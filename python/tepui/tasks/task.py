"""A task: what to run tepui on, and what it should answer. Plain data, so it can travel."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from tepui.languages import LANGUAGES, language_of
from tepui.languages.source import Source
from tepui.records import record

Expected = Literal["safe", "unsafe"]

MODEL_SUFFIXES = tuple(suffix for each in reversed(LANGUAGES) for suffix in each.suffixes)
"""Files that hold a model, programs first."""


@record
class Counts:
    """What an exploration should find; None where nothing is known, or where it is infinite."""

    bound: int | None = None
    visible: int | None = None
    states: int | None = None


@record
class Task:
    """One question about one model.

    `name` distinguishes a task from the others that were read with it. `options` are further
    options, besides the model and the property. `source` and `line` are its place in a file.
    """

    name: str
    file: Path
    property_file: Path | None = None
    expected: Expected | None = None
    options: tuple[str, ...] = ()
    command: Literal["verify", "explore"] = "verify"
    counts: Counts | None = None
    source: Path | None = None
    line: int = 0

    @property
    def property_name(self) -> str | None:
        """The name of the property: that of its file, without folder and suffix."""
        return None if self.property_file is None else self.property_file.stem

    @property
    def arguments(self) -> tuple[str, ...]:
        """What to type after `tepui`, the command first."""
        file = str(self.file)
        words = (self.command, f"./{file}" if file.startswith("-") else file, *self.options)
        if self.property_file is None:
            return words
        return (*words, "--property", str(self.property_file))

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that a run reads: the model, the files beside it that the loader reads, the
        property."""
        language = language_of(self.file)
        suffixes = () if language is None else language.beside
        beside = (self.file.with_suffix(suffix) for suffix in suffixes)
        found = (path for path in beside if is_file(path))
        return (self.file, *found, *([self.property_file] if self.property_file else []))


def command_for(file: Path) -> Literal["verify", "explore"]:
    """The task of a model by itself: a system without bad states is explored, others are verified.

    Only its lines are searched; the model is not loaded, because there may be many files.
    """
    suffix = file.suffix.lower()
    if suffix == ".pds":
        return "verify" if is_file(file.with_suffix(".spec")) else "explore"
    if suffix == ".cpds":
        lines = Source.of_file(file).lines
        return "verify" if any(line.split()[:1] == ["bad"] for line in lines) else "explore"
    return "verify"


def is_model(file: Path) -> bool:
    """Whether the name of a file says that it holds a model."""
    suffix = file.suffix.lower()
    if suffix == ".spec" and is_file(file.with_suffix(".pds")):
        return False  # It says which states of that system are bad.
    return suffix in MODEL_SUFFIXES


def is_whole(file: Path) -> bool:
    """Whether a model in a folder is a task by itself: of Java, a source with a main method. Other
    classes only belong to programs."""
    suffix = file.suffix.lower()
    if suffix == ".java":
        return any(_MAIN.search(line) for line in Source.of_old_file(file).lines)
    return suffix not in (".class", ".jar")


_MAIN = re.compile(r"\bstatic\b.*\bvoid\s+main\s*\(")


def is_file(path: Path) -> bool:
    """Whether there is such a file; False for a name that no file can have."""
    try:
        return path.is_file()
    except OSError:
        return False
