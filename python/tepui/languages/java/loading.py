"""Java programs from files: sources are compiled, classes found, and the entry is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from tepui.languages.java.entries import entry_name, shown_types
from tepui.languages.java.java_files import JavaFiles
from tepui.languages.java.java_options import JavaOptions
from tepui.languages.java.java_program import translated
from tepui.languages.source import Source
from tepui.program.program import Program
from tepui.records import record, replace


def load_java(path: str, options: JavaOptions, text: Source | None = None) -> Program:
    """The Program of a source file, a class file, an archive or a folder; or of the text of a
    source, if that is given."""
    with JavaFiles(path, options, text) as files:
        return _program(files, options, options.entry)


@record
class Entry:
    """One of several methods with which programs begin."""

    name: str
    load: Callable[[], Program]


def load_each(
    path: str, options: JavaOptions, entries: Sequence[str], text: Source | None = None
) -> Iterator[Entry]:
    """The methods that some entries stand for, of which some may be patterns. They are loaded
    while they are listed."""
    with JavaFiles(path, options, text) as files:
        found = files.entries(files.hierarchy())
        methods = {method.key: method for entry in entries for method in found.all_of(entry)}
        several = [key[:2] for key in methods]
        for key, method in methods.items():
            types = shown_types(method) if several.count(key[:2]) > 1 else ""
            name = entry_name(method) + types
            yield Entry(name, partial(_program, files, options, name))


def _program(files: JavaFiles, options: JavaOptions, entry: str | None) -> Program:
    hierarchy = files.hierarchy()
    method = files.entries(hierarchy).only(entry)
    chosen = replace(options, entry=entry, jdk_name=files.jdk_name)
    return translated(hierarchy, method, chosen, files.sources())
