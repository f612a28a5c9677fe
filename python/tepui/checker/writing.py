"""Evidence written as JSON, a piece at a time, so that a million states need no second copy.

The format is described in `files`. The same evidence always gives the same text.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tepui.checker.evidence import Evidence
from tepui.checker.packed_rows import tightly_packed
from tepui.model import Pattern, Property, Reach, StackSet, System

FORMAT = "tepui evidence"
VERSION = 1
VERSION_WITH_PACKED = 2
"""The version of files in which the states of a certificate are packed."""

MOST_READABLE = 5_000
"""If there are more states than this, they are packed."""

_BYTES_PER_LINE = 12_288


class Writer:
    """Turns evidence into JSON; long lists are made line by line."""

    def __init__(self, system: System, classes: Sequence[str] | None = None) -> None:
        """`classes` are the names of the classes of symbols, where the system has classes."""
        self._system = system
        self._classes = classes
        self._version = VERSION

    def text(
        self,
        asked: Property,
        evidence: Evidence,
        more: Mapping[str, Any] | None = None,
    ) -> Iterator[str]:
        """The pieces of the file; `more` are fields that follow its head."""
        body = evidence.body(self)
        head = self._head(asked, evidence.file_kind)
        return _document({**head, **(more or {}), **body})

    def shared(self, number: int) -> str | int:
        """A shared state."""
        return name(self._system.shared, number)

    def all_shared(self, numbers: Iterable[int]) -> list[str | int]:
        """A list of shared states."""
        return names(self._system.shared, numbers)

    def line(self, value: object) -> str:
        """A value as one line of a list."""
        return json.dumps(value)

    def thread(self, number: int) -> str | int:
        return name(self._system.thread_names, number)

    def all_threads(self, numbers: Iterable[int]) -> list[str | int]:
        """A list of threads."""
        return names(self._system.thread_names, numbers)

    def word(self, thread: int, word: Iterable[int]) -> list[str | int]:
        """Symbols on the stack of a thread."""
        return names(self.symbols(thread), word)

    def symbols(self, thread: int) -> Sequence[str]:
        """The names of the stack symbols of a thread, if it is one."""
        known = 0 <= thread < len(self._system.threads)
        return self._system.template_of(thread).symbols if known else ()

    def templates(self) -> list[list[str | int]]:
        """The templates, each given by its threads."""
        return [self.all_threads(group) for group in self._system.groups]

    def alphabets(self) -> list[Sequence[str]]:
        """The names of the stack symbols of each template."""
        return [template.symbols for template in self._system.templates]

    def states(self, states: Sequence[tuple[int, ...]]) -> Iterator[str] | dict[str, Any]:
        """The states of a certificate: a line for each or, if there are many, packed."""
        if len(states) <= MOST_READABLE:
            return self.rows(states)
        try:
            rows = tightly_packed(states, 1 + len(self._system.threads))
        except (OverflowError, ValueError):  # The checker rejects such states.
            return self.rows(states)
        self._version = VERSION_WITH_PACKED
        named = self._system.shared if rows.first is None else self.all_shared(rows.first)
        size = _BYTES_PER_LINE
        pieces = (rows.data[start : start + size] for start in range(0, len(rows.data), size))
        return {
            "shared": map(json.dumps, named),
            "count": len(rows),
            "bits": list(rows.bits),
            "rows": (f'"{b64encode(piece).decode()}"' for piece in pieces),
        }

    def rows(self, states: Iterable[tuple[int, ...]]) -> Iterator[str]:
        """Lines for shared states, each with a number for every thread."""
        shared = [json.dumps(text) for text in self._system.shared]
        for state in states:
            first = (str(name(shared, number)) for number in state[:1])
            yield f"[{', '.join([*first, *map(str, state[1:])])}]"

    def _head(self, asked: Property, kind: str) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": self._version,
            "kind": kind,
            "system": self._system.name,
            "threads": self._system.thread_names,
            "property": self._property(asked),
        }

    def _property(self, asked: Property) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "patterns": [self._pattern(pattern) for pattern in asked.patterns],
            "deadlock": asked.deadlock,
        }
        if asked.reaches:
            fields["reaches"] = [self._reach(reach) for reach in asked.reaches]
        return fields

    def _reach(self, reach: Reach) -> dict[str, Any]:
        return {
            "shared": None if reach.shared is None else self.shared(reach.shared),
            "stacks": [
                None if stacks is None else language(self.symbols(thread), stacks)
                for thread, stacks in enumerate(reach.stacks)
            ],
        }

    def _pattern(self, pattern: Pattern) -> dict[str, Any]:
        return {
            "shared": None if pattern.shared is None else self.shared(pattern.shared),
            "tops": [
                None if top is None else name(self._class_names(thread), top)
                for thread, top in enumerate(pattern.tops)
            ],
        }

    def _class_names(self, thread: int) -> Sequence[str]:
        return self.symbols(thread) if self._classes is None else self._classes


def lines(items: Iterable[str]) -> Iterator[str]:
    """A list with a line for each item."""
    separator = "\n"
    yield "["
    for item in items:
        yield separator
        yield item
        separator = ",\n"
    yield "\n]"


def language(symbols: Sequence[str], stacks: StackSet) -> dict[str, Any]:
    """A language of stacks."""
    return {
        "accepting": [state for state, accepts in enumerate(stacks.accepting) if accepts],
        "edges": [
            [[name(symbols, symbol), target] for symbol, target in leaving]
            for leaving in stacks.edges
        ],
    }


def names(known: Sequence[str], numbers: Iterable[int]) -> list[str | int]:
    return [name(known, number) for number in numbers]


def name(known: Sequence[str], number: int) -> str | int:
    """What a number stands for; one that stands for nothing is written as it is."""
    return known[number] if 0 <= number < len(known) else number


def _document(fields: dict[str, Any]) -> Iterator[str]:
    yield from _object(fields)
    yield "\n"


def _object(fields: dict[str, Any]) -> Iterator[str]:
    """An object with one field after the other; an iterator is a list of lines."""
    opening = "{\n"
    for key, value in fields.items():
        yield f"{opening}{json.dumps(key)}: "
        opening = ",\n"
        if isinstance(value, Iterator):
            yield from lines(value)
        elif isinstance(value, dict) and any(isinstance(v, Iterator) for v in value.values()):
            yield from _object(value)
        else:
            yield json.dumps(value)
    yield "\n}"
