"""Tasks from any place: a folder, a set, a manifest, a definition, or a model by itself."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from tepui.languages.source import Source, file_error, require_file
from tepui.tasks import manifest
from tepui.tasks.definition import expand, is_definition, looks_like_definition, read_definition
from tepui.tasks.task import Task, command_for, is_model, is_whole


def read_tasks(path: str | os.PathLike[str]) -> list[Task]:
    """The tasks of a folder, a `.set` file, a manifest (`.tsv`), a definition or a model.

    For a folder they are those of all definitions and manifests in it and below, or if there are
    none, all models. Names are relative to the folder, and no two tasks have the same name.
    """
    root = Path(path)
    tasks = _distinct(_in_folder(root) if _is_folder(root) else _in_file(root, root.stem))
    if not tasks:
        raise file_error(root, "there is no task in it that could be verified")
    return tasks


def _in_folder(root: Path) -> Iterator[Task]:
    files = list(_files_below(root))
    tables = [file for file in files if file.name == manifest.NAME]
    definitions = [file for file in files if is_definition(file) and looks_like_definition(file)]
    models = [file for file in files if is_model(file) and is_whole(file)]
    if tables or definitions:
        models = []
    if not (tables or definitions or models):
        raise file_error(root, "there is no task definition, manifest or model in this folder")
    for table in tables:
        for task in manifest.read_manifest(table):
            yield replace(task, name=_joined(root, table.parent, task.name))
    for file in definitions + models:
        yield from _in_file(file, _joined(root, file.parent, file.stem))


def _in_file(file: Path, name: str) -> Iterable[Task]:
    """The tasks of one file."""
    require_file(file)
    if is_definition(file):
        return read_definition(file).tasks(name)
    if file.suffix.lower() == ".tsv":
        return manifest.read_manifest(file)
    if file.suffix.lower() == ".set":
        return _in_set(file)
    if is_model(file):
        return [Task(name, file, command=command_for(file), source=file, line=1)]
    raise file_error(
        file, "expected a task definition (.yml), a set (.set), a manifest (.tsv) or a model"
    )


def _in_set(path: Path) -> Iterator[Task]:
    """The tasks of a set: patterns, one on a line, for definitions and models."""
    source = Source.of_file(path)
    for number, line in enumerate(source.lines, start=1):
        pattern = line.strip()
        if not pattern or pattern.startswith("#"):
            continue
        files = expand(pattern, path.parent)
        if not files:
            raise source.error(number, 1, f"there is no such file: {pattern}")
        for file in files:
            if not (is_definition(file) or is_model(file)):
                raise source.error(number, 1, f"{file} is neither a task definition nor a model")
            yield from _in_file(file, _joined(path.parent, file.parent, file.stem))


def _files_below(root: Path) -> Iterator[Path]:
    """All files in a folder and below, in order, except hidden ones."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder) / name for name in sorted(files) if not name.startswith("."))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _joined(root: Path, folder: Path, name: str) -> str:
    relative = os.path.relpath(folder, root)
    return name if relative == "." else f"{Path(relative).as_posix()}/{name}"


def _distinct(tasks: Iterable[Task]) -> list[Task]:
    """The tasks with distinct names: equal ones get the suffix of their file, and then a number."""
    found = list(tasks)
    names = Counter(task.name for task in found)
    seen: Counter[str] = Counter()
    distinct = []
    for task in found:
        name = task.name
        if names[name] > 1:
            name = f"{name}{task.file.suffix}"
        seen[name] += 1
        distinct.append(replace(task, name=name if seen[name] == 1 else f"{name}#{seen[name]}"))
    return distinct
