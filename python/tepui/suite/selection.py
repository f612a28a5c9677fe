"""The tasks of a suite, their names, and how to run one.

Names begin with the folder that was given, so that several folders can share a store. They can be
printed on one line whatever the files are called.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from tepui.errors import UsageError
from tepui.records import record
from tepui.suite.outcome import Outcome, Ran
from tepui.suite.processes import Job
from tepui.tasks import Task, read_tasks
from tepui.words import did_you_mean, printable


@record
class Settings:
    """How all tasks are run: the limits, and the options for each command of tepui."""

    timeout: str | None = None
    seconds: float | None = None
    """The time limit in seconds."""
    memory: str | None = None
    bytes: int | None = None
    """The memory limit in bytes; without one, each task's share of the memory."""
    options: Mapping[str, tuple[str, ...]] | None = None
    """Further options, by the command that takes them."""

    @property
    def limits(self) -> tuple[str, ...]:
        """The limits that were given, as options."""
        given = (("--timeout", self.timeout), ("--memory", self.memory))
        return tuple(word for name, limit in given if limit is not None for word in (name, limit))

    @property
    def share(self) -> tuple[str, ...]:
        """Each task's share of the memory, as an option; an option of the task comes later and
        wins."""
        if self.memory is not None or self.bytes is None:
            return ()
        return ("--memory", f"{self.bytes // 2**20}M")

    @property
    def text(self) -> str:
        """All settings on one line, equal for equal settings."""
        options = {name: list(given) for name, given in (self.options or {}).items() if given}
        parts = {"timeout": self.timeout, "memory": self.memory, "options": options}
        return json.dumps({name: part for name, part in parts.items() if part}, sort_keys=True)


@record
class Selected:
    """A task under the name that it has in a suite."""

    name: str
    task: Task

    def job(self, settings: Settings) -> Job:
        """How to run it."""
        files = {str(file): located(file) for file in self.task.files}
        command, *rest = (str(files.get(text, text)) for text in self.task.arguments)
        options = (settings.options or {}).get(command, ())
        arguments = (command, *settings.share, *rest, *options, *settings.limits, "--json")
        found = tuple(files.values())
        return Job(self.name, arguments, found, settings.seconds, settings.bytes)

    def outcome(self, inputs: str, ran: Ran) -> Outcome:
        """Its outcome, from how its process ended."""
        task = self.task
        file = printable(str(located(task.file)))
        return Outcome(self.name, file, task.property_name, task.expected, task.counts, inputs, ran)

    def inputs(self) -> str:
        """A hash of what is read and asked: equal for equal files, wherever they are."""
        found = hashlib.sha256()
        folder = self.task.file.parent
        texts = {str(path): os.path.relpath(path, folder) for path in self.task.files}
        asked = [texts.get(argument, argument) for argument in self.task.arguments]
        parts = [json.dumps(asked).encode()]
        parts += [_content(path) for path in self.task.files]
        for part in parts:
            found.update(len(part).to_bytes(8) + part)
        return found.hexdigest()


def select(roots: Sequence[Path], patterns: Sequence[str] = ()) -> list[Selected]:
    """The tasks below some folders and in some files whose names match one of the patterns.

    Patterns are those of a shell, for a whole name or a part of it.
    """
    found: dict[str, Selected] = {}
    for selected in _read_all(roots):
        same = found.setdefault(selected.name, selected)
        if same.task.file.resolve() != selected.task.file.resolve():
            raise UsageError(
                f"two tasks are called {selected.name}: {printable(str(same.task.file))} and "
                f"{printable(str(selected.task.file))}; give a folder that holds both"
            )
    chosen = [selected for selected in found.values() if _matches(selected.name, patterns)]
    if not chosen:
        hint = _hint(patterns[0], list(found))
        raise UsageError(f"--only {patterns[0]}: no task has such a name{hint}")
    return chosen


def located(file: Path) -> Path:
    """The absolute path of a file. Links in its name are kept, since its sibling files have that
    name."""
    return file.parent.resolve() / file.name


def _read_all(roots: Iterable[Path]) -> Iterable[Selected]:
    for root in roots:
        folder = root.resolve().name if root.is_dir() else ""
        for task in read_tasks(root):
            yield Selected(printable(f"{folder}/{task.name}" if folder else task.name), task)


def _hint(pattern: str, names: Sequence[str]) -> str:
    """A hint: a part of a task's name that is like the pattern, or else the number of tasks."""
    parts = {part for name in names for part in (name, name.rpartition("/")[2])}
    others = f"; there are {len(names)}, the first is {names[0]}"
    return did_you_mean(pattern, parts) or others


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(name, f"*{pattern}*") for pattern in patterns)


def _content(path: Path) -> bytes:
    """The content of a file. If it cannot be read, the task itself will report that."""
    try:
        return path.read_bytes()
    except OSError as error:
        return f"unreadable: {error.strerror}".encode()
