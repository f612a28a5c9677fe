"""Initial states `q|a.b,c` and targets `q|a,*,-`: one grammar for files, options and `bad` lines.

A state has one stack per thread, top first, its symbols separated by dots or blanks; a target has
one top per thread. `-` is the empty stack, `*` in a target matches anything, and `x * n` stands for
n equal entries. A target may also be the single word `deadlock`. The format decides which names are
right, by its `NameReader`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from typing import Protocol, TypeVar

from tepui.errors import UsageError
from tepui.languages.source import Source
from tepui.languages.tokens import END, Line, lines_with_content
from tepui.model import NamedPattern, Property
from tepui.model.build import EMPTY
from tepui.parameter_names import named
from tepui.records import field, mutable_record, record
from tepui.words import did_you_mean


class NameReader(Protocol):
    """How a format reads the names of shared states and stack symbols, and which it refuses."""

    def shared(self, line: Line) -> str: ...

    def symbol(self, line: Line, expected: str) -> str: ...


@record
class NamedState:
    """A global state by name: the shared state, and the stack of every thread, top first."""

    shared: str
    stacks: tuple[tuple[str, ...], ...]


@record
class Vocabulary:
    """What a target can match: the states that occur, and the name and symbols of each thread."""

    shared: Set[str]
    threads: Sequence[str]
    symbols: Sequence[Set[str]]


@mutable_record
class Targets:
    """The property that target lines ask for, and which of them can never match."""

    patterns: list[NamedPattern] = field(default_factory=list)
    deadlock: bool = False
    warnings: list[str] = field(default_factory=list)


def parse_state(source: Source, names: NameReader, threads: Sequence[str]) -> NamedState:
    """The one state that a source holds."""
    lines = lines_with_content(source)
    line = next(lines, None)
    if line is None:
        raise source.error_at_end("expected an initial state such as 0|1.2,9, found nothing")
    shared = names.shared(line)
    line.expect("|", "after the shared state")
    stacks = _entries(line, threads, lambda: parse_stack(line, names))
    for other in lines:
        raise other.error(other.peek(), "expected one initial state, found a second one")
    return NamedState(shared, stacks)


def parse_targets(lines: Iterable[Line], names: NameReader, vocabulary: Vocabulary) -> Targets:
    """The targets on these lines, each line read from where its cursor is."""
    targets = Targets()
    for line in lines:
        pattern = _parse_target(line, names, vocabulary.threads)
        if pattern is None:
            targets.deadlock = True
        else:
            targets.patterns.append(pattern)
            targets.warnings += _never_matches(line, pattern, vocabulary)
    return targets


def option_lines(targets: Iterable[str]) -> list[Line]:
    """The lines of targets that were given, each of which must say something."""
    found = []
    for text in targets:
        source = Source.of_text(text, named("target"))
        lines = list(lines_with_content(source))
        if not lines:
            raise source.error_at_end("expected a target such as 0|1,*,-, found nothing")
        found += lines
    return found


def parse_stack(line: Line, names: NameReader) -> tuple[str, ...]:
    """`-`, or symbols separated by dots or blanks."""
    if line.accept("-"):
        return ()
    stack = [names.symbol(line, "a stack symbol or '-'")]
    while True:
        if line.accept("."):
            stack.append(names.symbol(line, "a stack symbol after '.'"))
        elif line.peek().is_name:
            stack.append(names.symbol(line, "a stack symbol"))
        else:
            return tuple(stack)


def require_writable(asked: Property) -> None:
    """Refuse questions that no file of a system can hold, so that none gets lost."""
    if asked.reaches:
        raise UsageError(
            "files name bad states by the tops of stacks: whole stacks can be asked for only with "
            f"{named('reach')}"
        )


def wrong_length(threads: Sequence[str], found: str) -> str:
    """The message if there is not exactly one entry for each thread."""
    some = ", ".join(threads[:8]) + (", …" if len(threads) > 8 else "")
    entries = "1 entry" if len(threads) == 1 else f"{len(threads)} entries"
    return f"expected {entries}, one for each thread ({some}), found {found}"


def _parse_target(line: Line, names: NameReader, threads: Sequence[str]) -> NamedPattern | None:
    """A pattern, or None for `deadlock`."""
    state = parse_shared(line, names)
    if state is None:
        return None
    return NamedPattern(*state, _entries(line, threads, lambda: parse_top(line, names)))


def parse_shared(line: Line, names: NameReader) -> tuple[str | None] | None:
    """The shared state with which a target begins; None if the target is `deadlock`."""
    if line.peek().is_name and line.peek(1).kind is END:
        if line.at_word("deadlock"):
            return None
        raise line.expected("'deadlock', or a state such as q | a, *, -", ["deadlock"])
    shared = None if line.accept("*") else names.shared(line)
    line.expect("|", "after the shared state")
    return (shared,)


def parse_top(line: Line, names: NameReader) -> str | None:
    """The top of a stack in a target; None matches anything."""
    if line.accept("*"):
        return None
    if line.accept("-"):
        return EMPTY
    return names.symbol(line, "a stack symbol, '-' or '*'")


_Entry = TypeVar("_Entry")


def _entries(
    line: Line, threads: Sequence[str], parse_entry: Callable[[], _Entry]
) -> tuple[_Entry, ...]:
    """The comma-separated entries up to the end of the line, one for each thread."""
    entries: list[_Entry] = []
    while True:
        start = line.peek()
        entry = parse_entry()
        room = len(threads) - len(entries)
        if not room:
            raise line.error(start, wrong_length(threads, "more"))
        repeated = line.accept("*")
        entries += [entry] * (line.expect_count(room, "a number of threads") if repeated else 1)
        if not line.accept(","):
            break
    if line.peek().kind is not END:
        raise line.expected("',' or the end of the line")
    if len(entries) < len(threads):
        raise line.error(line.peek(), wrong_length(threads, str(len(entries))))
    return tuple(entries)


def _never_matches(line: Line, pattern: NamedPattern, vocabulary: Vocabulary) -> list[str]:
    """Why no visible state can match the pattern, if there is such a reason."""
    if pattern.shared is not None and pattern.shared not in vocabulary.shared:
        return [never_occurs(line, pattern.shared, vocabulary.shared)]
    for thread, top in enumerate(pattern.tops):
        if top not in (None, EMPTY) and top not in vocabulary.symbols[thread]:
            name = vocabulary.threads[thread]
            return [never_used(line, name, top, vocabulary.symbols[thread])]
    return []


def never_occurs(line: Line, name: str, shared: Set[str]) -> str:
    """The warning about a target with an unknown shared state."""
    hint = did_you_mean(name, shared)
    why = f"the shared state {name} does not occur{hint}"
    return f"{line.place}: this target can never match: {why}"


def never_used(line: Line, thread: str, symbol: str, symbols: Set[str]) -> str:
    """The warning about a target with a symbol that a thread does not have."""
    hint = did_you_mean(symbol, symbols)
    why = f"thread {thread} never uses the symbol {symbol}{hint}"
    return f"{line.place}: this target can never match: {why}"
