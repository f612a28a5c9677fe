"""Evidence read from JSON: what is not exactly of the form described in `files` is an InputError.

The head of a file and the property are read here. The kind of evidence that the file names reads
the rest, with the names that the readers here know.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, NoReturn, Protocol

from tepui.checker.evidence import Evidence, all_kinds
from tepui.checker.json_values import WHOLE, Lookup, Values, shown
from tepui.checker.packed_rows import PackedRows
from tepui.checker.writing import FORMAT, VERSION, VERSION_WITH_PACKED
from tepui.errors import EvidenceError, InputError, ModelError
from tepui.model import Pattern, Property, Reach, StackSet, System
from tepui.model.system import Word
from tepui.words import listed

_HEAD = ("format", "version", "kind", "system", "threads", "property")


class OtherThreadsError(InputError):
    """Evidence about other threads than those of the model."""

    def __init__(self, source: str, message: str, threads: tuple[str, ...]) -> None:
        super().__init__(source, 0, 0, message)
        self.threads = threads


class NamesInFiles(Protocol):
    """What the names in a file stand for."""

    @property
    def system(self) -> str:
        """What the file is about."""

    @property
    def threads(self) -> Sequence[str]: ...

    @property
    def groups(self) -> Sequence[tuple[int, ...]]:
        """The threads of each template."""

    def shared(self, name: str) -> int: ...

    def symbol(self, thread: int, name: str) -> int: ...

    def symbol_class(self, thread: int, name: str) -> int: ...


class SystemNames:
    """The names of a system; none may stand for two things."""

    def __init__(self, system: System) -> None:
        self.system = system.name
        self.threads = system.thread_names
        self.groups = system.groups
        _numbered("threads", system.thread_names)
        self._shared = _numbered("shared states", system.shared)
        alphabets = [
            _numbered(f"stack symbols of {template.name}", template.symbols)
            for template in system.templates
        ]
        self._symbols = [alphabets[template] for template in system.threads]

    def shared(self, name: str) -> int:
        return self._found(self._shared, name)

    def symbol(self, thread: int, name: str) -> int:
        return self._found(self._symbols[thread], name)

    def symbol_class(self, thread: int, name: str) -> int:
        return self.symbol(thread, name)

    def _found(self, numbers: dict[str, int], name: str) -> int:
        if name not in numbers:
            raise ValueError(f"{shown(name)} is not a name of the system {self.system}")
        return numbers[name]


class SubjectReader(Values):
    """Reads whether a file is about a program or a system; only evidence about a program says what
    its states mean."""

    def require(self, document: Any, subject: Literal["program", "system"], name: str) -> None:
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            self.fail(WHOLE, f"is not {FORMAT}")
        found, has = ("program", "a") if "meaning" in document else ("system", "no")
        if found != subject:
            why = f"because it has {has} 'meaning'"
            self.fail(WHOLE, f"is evidence about a {found}, {why}, and {name} is a {subject}")


class Reader(Values):
    """Turns JSON into evidence, or says where it is not evidence."""

    def __init__(self, source: str, names: NamesInFiles, more: Sequence[str] = ()) -> None:
        """`more` are fields that follow the head."""
        super().__init__(source)
        self._names = names
        self._head = (*_HEAD, *more)
        self._threads = {name: number for number, name in enumerate(names.threads)}
        self._may_be_packed = False

    def evidence(self, document: Any) -> tuple[Property, Evidence]:
        version, kind = document.get("version"), document.get("kind")
        if type(version) is not int or version not in (VERSION, VERSION_WITH_PACKED):
            self.fail("version", f"is neither {VERSION} nor {VERSION_WITH_PACKED}")
        self._may_be_packed = version == VERSION_WITH_PACKED
        if not isinstance(kind, str) or kind not in all_kinds():
            self.fail("kind", f"is none of {', '.join(all_kinds())}")
        found = all_kinds()[kind]
        fields = self.record(document, WHOLE, (*self._head, *found.fields), found.optional)
        if fields["threads"] != list(self._names.threads):
            self._fail_threads(fields["threads"])
        self.a(str, fields["system"], "system")
        return self._property(fields["property"]), found.read(self, kind, fields)

    def _fail_threads(self, listed_threads: Any) -> NoReturn:
        """Say which threads occur only in the file, and which only in the model."""
        own, name = self._names.threads, self._names.system
        names = [self.a(str, each, "threads") for each in self.a(list, listed_threads, "threads")]
        problem = f"are not those of {name}"
        known, in_file = set(own), set(names)
        extra = [each for each in names if each not in known]
        missing = [each for each in own if each not in in_file]
        if extra:
            problem += f"; only the file has {listed(extra)}"
        if missing:
            problem += f"; only {name} has {listed(missing)}"
        if not extra and not missing:
            problem += ": the order differs"
        raise OtherThreadsError(self._source, f"threads: {problem}", tuple(names))

    def shared(self, value: Any, where: str) -> int:
        """A shared state."""
        return self.number(self._names.shared, value, where)

    def all_shared(self, value: Any, where: str) -> Word:
        """A list of shared states."""
        return self.word(self._names.shared, value, where)

    def thread(self, value: Any, where: str) -> int:
        return self.number(self._thread, value, where)

    def all_threads(self, value: Any, where: str) -> tuple[int, ...]:
        """A list of threads."""
        return self.word(self._thread, value, where)

    def stacks(self, value: Any, where: str) -> tuple[Word, ...]:
        """The whole stacks of all threads."""
        stacks = self.items(value, where, len(self._names.threads))
        return tuple(
            self.word(self.symbols(thread), stack, where) for thread, stack in enumerate(stacks)
        )

    def symbols(self, thread: int) -> Lookup:
        """How to look up the stack symbols of a thread."""
        return partial(self._names.symbol, thread)

    def templates(self, value: Any) -> list[Lookup]:
        """How to look up the symbols of each template; a file names its threads."""
        groups = self._names.groups
        if value != [[self._names.threads[thread] for thread in group] for group in groups]:
            self.fail("templates", f"are not those of the system {self._names.system}")
        return [self.symbols(group[0]) if group else _no_symbol for group in groups]

    def language(self, symbols: Lookup, value: Any, where: str) -> StackSet:
        """A language of stacks."""
        fields = self.record(value, where, ("accepting", "edges"))
        accepting = frozenset(self.integers(fields["accepting"], f"{where}.accepting"))
        edges = tuple(
            self._leaving(symbols, leaving, f"{where}.edges")
            for leaving in self.items(fields["edges"], f"{where}.edges")
        )
        if not accepting <= set(range(len(edges))):
            self.fail(f"{where}.accepting", "names a state without a list of edges")
        try:
            return StackSet(tuple(state in accepting for state in range(len(edges))), edges)
        except ModelError as error:
            self.fail(where, str(error))

    def levels(self, value: Any, where: str) -> list[list[Any]]:
        """A list for each thread, yet to be read."""
        levels = self.items(value, where, len(self._names.threads))
        return [self.items(level, f"{where}[{number}]") for number, level in enumerate(levels)]

    def states(self, value: Any, where: str) -> Sequence[tuple[int, ...]]:
        """The states of a certificate, in either form."""
        if self._may_be_packed and isinstance(value, dict):
            return self._packed(value, where)
        return self.rows(value, where)

    def _packed(self, value: Any, where: str) -> PackedRows:
        fields = self.record(value, where, ("shared", "count", "bits", "rows"))
        first = self.all_shared(fields["shared"], f"{where}.shared")
        bits = self.integers(fields["bits"], f"{where}.bits")
        if len(bits) != 1 + len(self._names.threads):
            self.fail(f"{where}.bits", "are not those of a shared state and of each thread")
        count = self.a(int, fields["count"], f"{where}.count")
        pieces = [
            self.a(str, line, f"{where}.rows")
            for line in self.items(fields["rows"], f"{where}.rows")
        ]
        try:
            data = b"".join(b64decode(piece, validate=True) for piece in pieces)
            return PackedRows(count, bits, data, first)
        except ValueError as error:
            self.fail(f"{where}.rows", str(error))

    def rows(self, value: Any, where: str) -> tuple[tuple[int, ...], ...]:
        """Shared states, each with a number for every thread. Each list is replaced by a tuple in
        place, so that only few are in memory twice."""
        rows = self.items(value, where)
        width = 1 + len(self._names.threads)
        for number, row in enumerate(rows):
            if type(row) is not list or len(row) != width:
                self.fail(f"{where}[{number}]", f"is not a list of {width}")
            if any(type(entry) is not int for entry in row[1:]):
                self.fail(f"{where}[{number}]", "holds something that is no integer")
            rows[number] = (self.shared(row[0], f"{where}[{number}]"), *row[1:])
        return tuple(rows)

    def _property(self, value: Any) -> Property:
        fields = self.record(value, "property", ("patterns", "deadlock"), optional=("reaches",))
        patterns = self.items(fields["patterns"], "property.patterns")
        reaches = self.items(fields.get("reaches", []), "property.reaches")
        return Property(
            tuple(
                self._pattern(pattern, f"property.patterns[{number}]")
                for number, pattern in enumerate(patterns)
            ),
            self.a(bool, fields["deadlock"], "property.deadlock"),
            tuple(
                self._reach(reach, f"property.reaches[{number}]")
                for number, reach in enumerate(reaches)
            ),
        )

    def _reach(self, value: Any, where: str) -> Reach:
        fields = self.record(value, where, ("shared", "stacks"))
        stacks = self.items(fields["stacks"], f"{where}.stacks", len(self._names.threads))
        return Reach(
            self._wanted(fields["shared"], f"{where}.shared"),
            tuple(
                None
                if wanted is None
                else self.language(self.symbols(thread), wanted, f"{where}.stacks")
                for thread, wanted in enumerate(stacks)
            ),
        )

    def _pattern(self, value: Any, where: str) -> Pattern:
        fields = self.record(value, where, ("shared", "tops"))
        tops = self.items(fields["tops"], f"{where}.tops", len(self._names.threads))
        classes = self._names.symbol_class
        return Pattern(
            self._wanted(fields["shared"], f"{where}.shared"),
            tuple(
                None if top is None else self.number(partial(classes, t), top, f"{where}.tops")
                for t, top in enumerate(tops)
            ),
        )

    def _wanted(self, shared: Any, where: str) -> int | None:
        return None if shared is None else self.shared(shared, where)

    def _leaving(self, symbols: Lookup, value: Any, where: str) -> tuple[tuple[int, int], ...]:
        """The edges that leave a state of an automaton."""
        pairs = (self.items(edge, where, 2) for edge in self.items(value, where))
        return tuple(
            sorted(
                (self.number(symbols, symbol, where), self.a(int, target, where))
                for symbol, target in pairs
            )
        )

    def _thread(self, name: str) -> int:
        if name not in self._threads:
            raise ValueError(f"{shown(name)} is not a name of the system {self._names.system}")
        return self._threads[name]


def _no_symbol(_: str) -> NoReturn:
    raise ValueError("there is no thread whose symbol it could be")


def _numbered(what: str, names: Sequence[str]) -> dict[str, int]:
    numbers = {name: number for number, name in enumerate(names)}
    if len(numbers) < len(names):
        raise EvidenceError(f"two {what} have one name, so evidence has no file")
    return numbers
