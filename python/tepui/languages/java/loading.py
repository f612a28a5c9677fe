"""Java programs from files: sources are compiled, classes found, and the entry is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tepui.languages.java.entries import entry_name, is_pattern, shown_types
from tepui.languages.java.hierarchy import JavaMethod
from tepui.languages.java.java_files import JavaFiles
from tepui.languages.java.options import JavaOptions
from tepui.languages.java.translation import translated
from tepui.languages.source import Source
from tepui.program.program import Program
from tepui.records import replace


def load_java(path: str, options: JavaOptions, text: Source | None = None) -> Program:
    """The Program of a source file, a class file, an archive or a folder; or of the text of a
    source, if that is given."""
    with JavaFiles(path, options, text) as files:
        return _program(files, options, options.entry)


def load_each(
    path: str, options: JavaOptions, entries: Sequence[str], text: Source | None = None
) -> Iterator[Program]:
    """A Program for each of several entries, some of which may be patterns."""
    with JavaFiles(path, options, text) as files:
        found = files.entries(files.hierarchy())
        methods = {method.key: method for entry in entries for method in found.all_of(entry)}
        several = [(method.owner.name, method.name) for method in methods.values()]
        for method in methods.values():
            types = shown_types(method) if several.count(method.key[:2]) > 1 else ""
            yield _program(files, options, entry_name(method) + types)


def is_several(entries: Sequence[str]) -> bool:
    """Whether entries may stand for more than one method."""
    return len(entries) > 1 or any(map(is_pattern, entries))


def _program(files: JavaFiles, options: JavaOptions, entry: str | None) -> Program:
    hierarchy = files.hierarchy()
    method: JavaMethod = files.entries(hierarchy).only(entry)
    chosen = replace(options, entry=entry)
    return translated(hierarchy, method, chosen, files.sources())
