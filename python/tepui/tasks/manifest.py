"""Manifests: tables of benchmark files and expected results, with tabs between the columns.

The first line names the columns. Only `file` is required, a path relative to the manifest. `task`
is the name of the task, `role` says `main` for its model, and `expected` is a verdict, counts of an
exploration, or `unknown`. `options` are further options of tepui, as a shell would read them. Files
with other roles, and files that `tepui verify` does not read, are not tasks of their own.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tepui.languages.source import Source
from tepui.tasks.task import Counts, Expected, Task, command_for, is_file, is_model

NAME = "MANIFEST.tsv"


def read_manifest(path: Path) -> list[Task]:
    """The tasks of a manifest, in its order."""
    source = Source.of_file(path)
    columns = source.lines[0].split("\t")
    if "file" not in columns:
        raise source.error(
            1, 1, "expected the names of columns with tabs between, one of them file"
        )
    tasks: list[Task] = []
    for number, line in enumerate(source.lines[1:], start=2):
        if line.strip():
            task = _Row(source, path, number, columns).task(line.split("\t"))
            tasks += [] if task is None else [task]
    return tasks


class _Row:
    """One line of a manifest."""

    def __init__(self, source: Source, path: Path, number: int, columns: list[str]) -> None:
        self.source, self.path, self.number, self.columns = source, path, number, columns

    def task(self, cells: list[str]) -> Task | None:
        if len(cells) != len(self.columns):
            raise self.source.error(
                self.number, 1, f"expected {len(self.columns)} columns, found {len(cells)}"
            )
        row = dict(zip(self.columns, cells, strict=True))
        file = self.path.parent / row["file"]
        if row.get("role", "main") != "main" or not is_model(file):
            return None
        if not is_file(file):
            raise self._error(cells, "file", f"there is no such file: {row['file']}")
        expected, counts = self._expected(cells, row.get("expected", ""))
        command = "explore" if counts and not expected else command_for(file)
        name = row.get("task") or row["file"]
        options = self._options(cells, row.get("options", ""))
        return Task(name, file, None, expected, options, command, counts, self.path, self.number)

    def _expected(self, cells: list[str], text: str) -> tuple[Expected | None, Counts | None]:
        """The expected verdict and counts."""
        if text in ("", "unknown") or text.startswith("value:"):
            return None, None
        if text in ("safe", "unsafe"):
            return ("safe" if text == "safe" else "unsafe"), None
        match = _COUNTS.fullmatch(text)
        if match is None:
            raise self._error(
                cells, "expected", "expected safe, unsafe, unknown, or counts as in k=2 visible=8"
            )
        numbers = (_number(match[name]) for name in ("bound", "visible", "states"))
        verdict: Expected | None = None
        if match["verdict"]:
            verdict = "safe" if match["verdict"] == "safe" else "unsafe"
        return verdict, Counts(*numbers)

    def _options(self, cells: list[str], text: str) -> tuple[str, ...]:
        try:
            return tuple(shlex.split(text))
        except ValueError:
            raise self._error(cells, "options", "a quotation mark is not closed") from None

    def _error(self, cells: list[str], column: str, message: str) -> Exception:
        before = cells[: self.columns.index(column)]
        return self.source.error(self.number, sum(len(cell) + 1 for cell in before) + 1, message)


_COUNTS = re.compile(
    r"k=(?P<bound>\d{1,18}) visible=(?P<visible>\d{1,18})"
    r"(?: global=(?P<states>\d{1,18}|infinite))?"
    r"(?:; target (?P<verdict>safe|unsafe)(?: at \d{1,18})?)?",
    re.ASCII,
)


def _number(text: str | None) -> int | None:
    return None if text in (None, "infinite") else int(text or "")
