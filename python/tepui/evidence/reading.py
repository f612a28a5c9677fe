"""Evidence read from JSON: what is not exactly of the form that `files` tells is an InputError.

JSON is taken strictly: no NaN, no key twice in one object, no unknown keys, no true for 1.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, NoReturn, Protocol, TypeVar

from tepui.errors import EvidenceError, InputError
from tepui.evidence.certificate import Certificate, Local
from tepui.evidence.programs import ProgramNames, StateOptions
from tepui.evidence.trace import Step, Trace
from tepui.evidence.writing import FORMAT, VERSION
from tepui.model import Pattern, Property, Rule, System
from tepui.model.system import Word

_HEAD = ("format", "version", "kind", "system", "threads", "property")
_TRACE = ("initial", "contexts", "steps")
_CERTIFICATE = ("groups", "depth", "flags", "below", "locals", "states")
_BODY = {"trace": _TRACE, "states": _CERTIFICATE, "cut": _CERTIFICATE}

_Kind = TypeVar("_Kind", str, int, bool, list[Any], dict[str, Any])

_KINDS: dict[type, str] = {
    str: "a string",
    int: "an integer",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


def parse(source: str) -> Any:
    """The JSON of a file, strictly: no NaN, and no key twice in one object."""

    def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            raise InputError(source, 0, 0, "an object has a key twice")
        return fields

    def no_constant(text: str) -> NoReturn:
        raise InputError(source, 0, 0, f"{text} is not a number in JSON")

    try:
        text = Path(source).read_text(encoding="utf-8")
        return json.loads(text, object_pairs_hook=without_repetition, parse_constant=no_constant)
    except OSError as error:
        raise InputError(source, 0, 0, f"cannot be read: {error.strerror}") from error
    except json.JSONDecodeError as error:
        line = _line_at(error.doc, error.pos)
        raise InputError(source, error.lineno, error.colno, error.msg, line) from error
    except UnicodeDecodeError as error:
        raise InputError(source, 0, 0, "is not a text in UTF-8") from error
    except RecursionError as error:
        raise InputError(source, 0, 0, "is nested too deeply") from error
    except ValueError as error:  # A path with a null byte, or a number of thousands of digits.
        raise InputError(source, 0, 0, str(error)) from error


Lookup = Callable[[str], int]
"""The number of a name; a ValueError says that there is none."""


class Names(Protocol):
    """What the names in a file stand for."""

    @property
    def system(self) -> str:
        """What the file is about."""

    @property
    def threads(self) -> Sequence[str]: ...

    def shared(self, name: str) -> int: ...

    def symbol(self, thread: int, name: str) -> int: ...

    def symbol_class(self, thread: int, name: str) -> int: ...


class SystemNames:
    """The names of a system; none may stand for two things."""

    def __init__(self, system: System) -> None:
        self.system = system.name
        self.threads = system.thread_names
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
            raise ValueError(f"{_shown(name)} is not a name of the system {self.system}")
        return numbers[name]


class Reader:
    """Turns what JSON said into evidence, or says where it cannot be that."""

    _head: tuple[str, ...] = _HEAD

    def __init__(self, source: str, names: Names) -> None:
        self._source = source
        self._names = names
        self._threads = {name: number for number, name in enumerate(names.threads)}

    def evidence(self, document: Any) -> tuple[Property, Trace | Certificate]:
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            self._fail("the file", f"is not {FORMAT}")
        version, kind = document.get("version"), document.get("kind")
        if type(version) is not int or version != VERSION:
            self._fail("version", f"is not {VERSION}")
        if not isinstance(kind, str) or kind not in _BODY:
            self._fail("kind", f"is none of {', '.join(_BODY)}")
        fields = self._object(document, "the file", (*self._head, *_BODY[kind]))
        if fields["threads"] != list(self._names.threads):
            self._fail("threads", f"are not those of the system {self._names.system}")
        self._a(str, fields["system"], "system")
        asked = self._property(fields["property"])
        if kind == "trace":
            return asked, self._trace(fields)
        return asked, self._certificate("cut" if kind == "cut" else "states", fields)

    def _property(self, value: Any) -> Property:
        fields = self._object(value, "property", ("patterns", "deadlock"))
        patterns = self._list(fields["patterns"], "property.patterns")
        return Property(
            tuple(
                self._pattern(pattern, f"property.patterns[{number}]")
                for number, pattern in enumerate(patterns)
            ),
            self._a(bool, fields["deadlock"], "property.deadlock"),
        )

    def _pattern(self, value: Any, where: str) -> Pattern:
        fields = self._object(value, where, ("shared", "tops"))
        shared, names = fields["shared"], self._names
        tops = self._list(fields["tops"], f"{where}.tops", len(names.threads))
        return Pattern(
            None if shared is None else self._number(names.shared, shared, f"{where}.shared"),
            tuple(
                None
                if top is None
                else self._number(partial(names.symbol_class, thread), top, f"{where}.tops")
                for thread, top in enumerate(tops)
            ),
        )

    def _trace(self, fields: dict[str, Any]) -> Trace:
        initial = self._object(fields["initial"], "initial", ("shared", "stacks"))
        return Trace(
            *self._state(initial, "initial"),
            steps=tuple(
                self._step(step, f"steps[{number}]")
                for number, step in enumerate(self._list(fields["steps"], "steps"))
            ),
            contexts=self._a(int, fields["contexts"], "contexts"),
        )

    def _step(self, value: Any, where: str) -> Step:
        fields = self._object(value, where, ("thread", "rule", "shared", "stacks"))
        thread = self._number(self._thread, fields["thread"], f"{where}.thread")
        place = f"{where}.rule"
        rule = self._object(fields["rule"], place, ("source", "top", "target", "word"))
        shared, symbols = self._names.shared, self._symbols(thread)
        return Step(
            thread,
            Rule(
                source=self._number(shared, rule["source"], f"{place}.source"),
                top=self._number(symbols, rule["top"], f"{place}.top"),
                target=self._number(shared, rule["target"], f"{place}.target"),
                word=self._word(symbols, rule["word"], f"{place}.word"),
            ),
            *self._state(fields, where),
        )

    def _state(self, fields: dict[str, Any], where: str) -> tuple[int, tuple[Word, ...]]:
        stacks = self._list(fields["stacks"], f"{where}.stacks", len(self._names.threads))
        return self._number(self._names.shared, fields["shared"], f"{where}.shared"), tuple(
            self._word(self._symbols(thread), stack, f"{where}.stacks")
            for thread, stack in enumerate(stacks)
        )

    def _certificate(self, kind: Literal["states", "cut"], fields: dict[str, Any]) -> Certificate:
        groups = tuple(
            self._group(group, f"groups[{number}]")
            for number, group in enumerate(self._list(fields["groups"], "groups"))
        )
        alphabets = [self._symbols(group[0]) for group in groups]
        tables = self._list(fields["locals"], "locals", len(groups))
        relations = self._list(fields["below"], "below", len(groups) if kind == "cut" else 0)
        return Certificate(
            kind,
            groups,
            locals=tuple(map(self._table, alphabets, tables)),
            states=self._states(fields["states"]),
            depth=self._a(int, fields["depth"], "depth"),
            flags=self._a(bool, fields["flags"], "flags"),
            below=tuple(map(self._relation, alphabets, relations)),
        )

    def _group(self, value: Any, where: str) -> tuple[int, ...]:
        names = self._list(value, where)
        if not names:
            self._fail(where, "is empty")
        return self._word(self._thread, names, where)

    def _table(self, symbols: Lookup, value: Any) -> tuple[Local, ...]:
        return tuple(
            self._local(symbols, local, f"locals[…][{number}]")
            for number, local in enumerate(self._list(value, "locals[…]"))
        )

    def _local(self, symbols: Lookup, value: Any, where: str) -> Local:
        fields = self._object(value, where, ("stack", "more"))
        word = self._word(symbols, fields["stack"], f"{where}.stack")
        return word, self._a(bool, fields["more"], f"{where}.more")

    def _relation(self, symbols: Lookup, value: Any) -> frozenset[tuple[int, int]]:
        found = set()
        for pair in self._list(value, "below[…]"):
            upper, lower = self._list(pair, "a pair of below", 2)
            found.add(
                (
                    self._number(symbols, upper, "a pair of below"),
                    self._number(symbols, lower, "a pair of below"),
                )
            )
        return frozenset(found)

    def _states(self, value: Any) -> tuple[tuple[int, ...], ...]:
        """The states; each list becomes a tuple in its place, so that few are kept twice."""
        rows = self._list(value, "states")
        width = 1 + len(self._names.threads)
        for number, row in enumerate(rows):
            if type(row) is not list or len(row) != width:
                self._fail(f"states[{number}]", f"is not a list of {width}")
            if any(type(entry) is not int for entry in row[1:]):
                self._fail(f"states[{number}]", "holds something that is no integer")
            shared = self._number(self._names.shared, row[0], f"states[{number}]")
            rows[number] = (shared, *row[1:])
        return tuple(rows)

    def _word(self, symbols: Lookup, value: Any, where: str) -> Word:
        return tuple(self._number(symbols, name, where) for name in self._list(value, where))

    def _symbols(self, thread: int) -> Lookup:
        return partial(self._names.symbol, thread)

    def _thread(self, name: str) -> int:
        if name not in self._threads:
            raise ValueError(f"{_shown(name)} is not a name of the system {self._names.system}")
        return self._threads[name]

    def _number(self, lookup: Lookup, value: Any, where: str) -> int:
        name = self._a(str, value, where)
        try:
            return lookup(name)
        except ValueError as error:
            reason = str(error)
            self._fail(where, reason if len(reason) <= 400 else f"{reason[:400]}…")

    def _object(self, value: Any, where: str, keys: tuple[str, ...]) -> dict[str, Any]:
        fields = self._a(dict, value, where)
        for key in keys:
            if key not in fields:
                self._fail(where, f"has no {key!r}")
        for key in fields:
            if key not in keys:
                self._fail(where, f"has {_shown(key)}, which means nothing there")
        return fields

    def _list(self, value: Any, where: str, length: int | None = None) -> list[Any]:
        items = self._a(list, value, where)
        if length is not None and len(items) != length:
            self._fail(where, f"has {len(items)} items instead of {length}")
        return items

    def _a(self, kind: type[_Kind], value: Any, where: str) -> _Kind:
        """The value, which must be of exactly this type: true is not an integer here."""
        if type(value) is not kind:
            self._fail(where, f"is {_shown(value)} instead of {_KINDS[kind]}")
        return value

    def _fail(self, where: str, problem: str) -> NoReturn:
        raise InputError(self._source, 0, 0, f"{where}: {problem}")


class ProgramReader(Reader):
    """The same for a program, the meaning of which has options."""

    _head = (*_HEAD, "meaning")

    def __init__(self, source: str, names: ProgramNames) -> None:
        super().__init__(source, names)
        self._watched = names.watched

    def program_evidence(self, document: Any) -> tuple[StateOptions, Property, Trace | Certificate]:
        asked, evidence = self.evidence(document)
        return self._options(document["meaning"]), asked, evidence

    def _options(self, value: Any) -> StateOptions:
        fields = self._object(value, "meaning", ("liveness", "decide_first", "watched"))
        return StateOptions(
            self._a(bool, fields["liveness"], "meaning.liveness"),
            self._a(bool, fields["decide_first"], "meaning.decide_first"),
            frozenset(self._word(self._watched, fields["watched"], "meaning.watched")),
        )


def _line_at(text: str, position: int, longest: int = 1000) -> str:
    """The line around a position, or nothing where it is too long to show."""
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[start : len(text) if end < 0 else end]
    return line if len(line) <= longest else ""


def _numbered(what: str, names: Sequence[str]) -> dict[str, int]:
    numbers = {name: number for number, name in enumerate(names)}
    if len(numbers) < len(names):
        raise EvidenceError(f"two {what} have one name, so evidence has no file")
    return numbers


def _shown(value: Any, width: int = 40) -> str:
    if isinstance(value, list | dict):
        return _KINDS[type(value)]
    text = repr(value)
    return text if len(text) <= width else f"{text[:width]}…"
