"""The sources of classes, for what people read: traces, coverage and reports."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from tepui.languages.java.entry import ENTRY
from tepui.languages.java.hierarchy import JavaClass
from tepui.languages.java.library import MODELS
from tepui.program.program import Position

_LONGEST = 120


class SourceLines:
    """Finds source files beside classes, and lines in them."""

    def __init__(
        self,
        folders: Iterable[str],
        files: Mapping[str, str],
        texts: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._folders = [folder for folder in folders if os.path.isdir(folder)]
        self._known = files
        """Files that are known by their names, with the folders of their packages."""
        self._files: dict[tuple[str, str | None], str] = {}
        self._lines: dict[str, Sequence[str]] = dict(texts or {})

    def file_of(self, owner: JavaClass) -> str:
        """The source file of a class, or how it is called if it is not there."""
        key = owner.name, owner.source_file
        if key not in self._files:
            self._files[key] = self._find(owner)
        return self._files[key]

    def line(self, position: Position) -> str:
        """The statement in a line, without what surrounds it."""
        if position.file not in self._lines:
            self._lines[position.file] = _read(position.file)
        lines = self._lines[position.file]
        if not 0 < position.line <= len(lines):
            return ""
        text = lines[position.line - 1].strip()
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

    def _find(self, owner: JavaClass) -> str:
        name = owner.source_file or f"{owner.name.rsplit('/', 1)[-1]}.class"
        package, slash, _ = owner.name.rpartition("/")
        whole = package + slash + name
        if owner.name == ENTRY:  # What calls the method to begin with has no source of its own.
            whole = next((each for each in self._known if each.endswith(name)), name)
        if owner.origin == "program" and whole in self._known:
            return self._known[whole]
        folders = [str(MODELS.parent / "src")] if owner.origin == "model" else self._folders
        for folder in folders:
            for inside in (whole, name):
                path = os.path.normpath(os.path.join(folder, inside))
                if os.path.isfile(path):
                    return path
        return name


def _read(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().split("\n")
    except OSError:
        return []
