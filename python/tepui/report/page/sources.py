"""The source texts in a report: the files of a program, or the file of a system.

If a file of a program cannot be read any more, its statements are shown instead. Only the beginning
of a long file is shown, and the report says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import PurePath

from tepui.languages.source import Source
from tepui.languages.tokens import Line
from tepui.model import System
from tepui.model.build import MAX_THREADS
from tepui.program.program import NOWHERE, Position, Program
from tepui.records import record
from tepui.report.exchange.input_files import InputFile, input_files
from tepui.report.markup import Html
from tepui.report.page.syntax_colours import SYSTEMS, Syntax, program_syntax, syntax_of
from tepui.report.report_input import ReportInput

MOST_LINES = 4_000
MOST_CHARACTERS = 400_000
"""How many lines of a file are shown, and how many characters of HTML."""

_Key = tuple[int, tuple[str, ...]]


@record
class Listing:
    """A text by lines. `name` is what positions call it."""

    name: str
    lines: tuple[Html, ...]
    """In colours."""
    syntax: Syntax
    left_out: int = 0
    """How many lines at its end are not shown."""
    is_read: bool = True
    """Whether these are the lines of the file, not only its statements."""

    @property
    def title(self) -> str:
        return PurePath(self.name).name or "source"


class Library:
    """All texts of a report, and the places in them."""

    def __init__(self, data: ReportInput) -> None:
        self.listings = tuple(_listings(data))
        self._numbers = {listing.name: number for number, listing in enumerate(self.listings, 1)}

    def syntax(self, position: Position | None) -> Syntax:
        """The syntax of the file in which a statement is written."""
        number = None if position is None else self._numbers.get(position.file)
        return program_syntax(()) if number is None else self.listings[number - 1].syntax

    def anchor(self, position: Position | None) -> str | None:
        """The identity of a line on the page; None if it is not shown."""
        if position is None or position.file not in self._numbers:
            return None
        number = self._numbers[position.file]
        listing = self.listings[number - 1]
        if not 1 <= position.line <= len(listing.lines):
            return None
        if not listing.is_read and not listing.lines[position.line - 1]:
            return None
        return line_anchor(number, position.line)


def line_anchor(listing: int, line: int) -> str:
    """The identity of a line of the listing with this number, counted from 1."""
    return f"source-{listing}-{line}"


def rule_positions(data: ReportInput) -> dict[_Key, Position]:
    """The line of each rule of each thread of a system in its file, by names.

    Only the shape of rules is read, so a file that has changed since then gives no error.
    """
    system, file = data.model, data.file
    if not isinstance(system, System) or file is None:
        return {}
    read = {input_file.name: input_file for input_file in input_files(data)}
    found = read.get(str(file))
    return {} if found is None else dict(_rules(found.source))


def _listings(data: ReportInput) -> Iterator[Listing]:
    read = {input_file.name: input_file for input_file in input_files(data)}
    if isinstance(data.model, Program):
        for name in _files(data.model):
            if name in read:
                yield _read(read[name], syntax_of(name, read[name].lines))
            else:
                yield _statements(data.model, name)
    elif str(data.file) in read:
        yield _read(read[str(data.file)], SYSTEMS)


def _files(program: Program) -> list[str]:
    """The files of all statements, in their order."""
    positions = (
        location.position
        for procedure in program.procedures
        for location in procedure.locations
        if location.text
    )
    return list(dict.fromkeys(at.file for at in positions if at != NOWHERE))


def _read(file: InputFile, syntax: Syntax) -> Listing:
    lines = file.lines
    if lines and not lines[-1]:
        lines = lines[:-1]
    coloured = syntax.lines(lines[:MOST_LINES])
    characters = accumulate(map(len, coloured))
    shown = sum(count <= MOST_CHARACTERS for count in characters)
    return Listing(file.name, tuple(coloured[:shown]), syntax, len(lines) - shown)


def _statements(program: Program, name: str) -> Listing:
    """A file that cannot be read: its statements, each on its line."""
    found: dict[int, dict[str, None]] = {}
    for procedure in program.procedures:
        for location in procedure.locations:
            if location.text and location.position.file == name:
                found.setdefault(location.position.line, {})[location.text] = None
    last = min(max(found, default=0), MOST_LINES)
    lines = ["  ".join(found.get(number, ())) for number in range(1, last + 1)]
    syntax = syntax_of(name, lines)
    coloured = tuple(syntax.lines(lines))
    return Listing(name, coloured, syntax, max(found, default=0) - last, is_read=False)


def _rules(source: Source) -> Iterator[tuple[_Key, Position]]:
    """The rules of a .cpds or .pds file, once for each thread that has them."""
    threads, first = range(0), 0
    for number in range(1, min(len(source.lines), MOST_LINES) + 1):
        words = _words(Line(source, number))
        if words[:1] == ["thread"]:
            threads, first = range(first, first + _count(words)), first + _count(words)
        elif words[:1] == ["PDA"]:
            threads, first = range(first, first + 1), first + 1
        elif "->" in words:
            rule = tuple(word for word in words if word not in ("->", "|"))
            for thread in threads:
                yield (thread, rule), Position(source.name, number, 1)


def _count(words: list[str]) -> int:
    """The number of threads that `thread NAME * COUNT {` declares; one without a valid count."""
    if words[2:3] != ["*"] or not re.fullmatch("[0-9]{1,6}", " ".join(words[3:4])):
        return 1
    return min(int(words[3]), MAX_THREADS)


def _words(line: Line) -> list[str]:
    words = []
    while line.peek().text:
        words.append(line.take().text)
    return words
