"""Evidence read from JSON: what is not exactly of the form that `files` tells is an InputError."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, NoReturn, Protocol

from tepui.checker.certificate import (
    Certificate,
    DiagramCertificate,
    Evidence,
    Label,
    Local,
    Node,
    SymbolicCertificate,
)
from tepui.checker.programs import ProgramNames, StateOptions
from tepui.checker.trace import Schedule, Step, Trace
from tepui.checker.values import Lookup, Values, shown
from tepui.checker.writing import FORMAT, VERSION
from tepui.errors import EvidenceError, ModelError
from tepui.model import Pattern, Property, Reach, Rule, StackSet, System
from tepui.model.system import Word
from tepui.program.passes.slots import MOST_SLOTS, Slotted, with_bound, with_slots
from tepui.program.program import Program

_HEAD = ("format", "version", "kind", "system", "threads", "property")
_TRACE = ("initial", "contexts", "steps")
_CERTIFICATE = ("groups", "depth", "flags", "below", "locals", "states")
_DIAGRAM = (
    *("templates", "form", "depth", "flags", "below"),
    *("order", "locals", "labels", "root", "nodes", "ends"),
)
_PRODUCTS = ("templates", "labels", "states")
_BODY = {
    "trace": _TRACE,
    "states": _CERTIFICATE,
    "cut": _CERTIFICATE,
    "diagram": _DIAGRAM,
    "products": _PRODUCTS,
}


class Names(Protocol):
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
    """Reads whether a file speaks of a program or of a system; only evidence about a program says
    what its states mean."""

    def require(self, document: Any, subject: Literal["program", "system"], name: str) -> None:
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            self._fail("the file", f"is not {FORMAT}")
        found, has = ("program", "a") if "meaning" in document else ("system", "no")
        if found != subject:
            why = f"because it has {has} 'meaning'"
            self._fail("the file", f"is evidence about a {found}, {why}, and {name} is a {subject}")


class Reader(Values):
    """Turns what JSON said into evidence, or says where it cannot be that."""

    _head: tuple[str, ...] = _HEAD

    def __init__(self, source: str, names: Names) -> None:
        super().__init__(source)
        self._names = names
        self._threads = {name: number for number, name in enumerate(names.threads)}

    def evidence(self, document: Any) -> tuple[Property, Evidence]:
        version, kind = document.get("version"), document.get("kind")
        if type(version) is not int or version != VERSION:
            self._fail("version", f"is not {VERSION}")
        if not isinstance(kind, str) or kind not in _BODY:
            self._fail("kind", f"is none of {', '.join(_BODY)}")
        optional = ("schedule",) if kind == "trace" else ()
        fields = self._object(document, "the file", (*self._head, *_BODY[kind]), optional=optional)
        if fields["threads"] != list(self._names.threads):
            self._fail("threads", f"are not those of the system {self._names.system}")
        self._a(str, fields["system"], "system")
        asked = self._property(fields["property"])
        if kind == "trace":
            return asked, self._trace(fields)
        if kind == "diagram":
            return asked, self._diagram(fields)
        if kind == "products":
            return asked, self._products(fields)
        return asked, self._certificate("cut" if kind == "cut" else "states", fields)

    def _property(self, value: Any) -> Property:
        fields = self._object(value, "property", ("patterns", "deadlock"), optional=("reaches",))
        patterns = self._list(fields["patterns"], "property.patterns")
        reaches = self._list(fields.get("reaches", []), "property.reaches")
        return Property(
            tuple(
                self._pattern(pattern, f"property.patterns[{number}]")
                for number, pattern in enumerate(patterns)
            ),
            self._a(bool, fields["deadlock"], "property.deadlock"),
            tuple(
                self._reach(reach, f"property.reaches[{number}]")
                for number, reach in enumerate(reaches)
            ),
        )

    def _reach(self, value: Any, where: str) -> Reach:
        fields = self._object(value, where, ("shared", "stacks"))
        shared, names = fields["shared"], self._names
        stacks = self._list(fields["stacks"], f"{where}.stacks", len(names.threads))
        return Reach(
            None if shared is None else self._number(names.shared, shared, f"{where}.shared"),
            tuple(
                None
                if wanted is None
                else self._language(self._symbols(thread), wanted, f"{where}.stacks")
                for thread, wanted in enumerate(stacks)
            ),
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
            schedule=self._schedule(fields["schedule"]) if "schedule" in fields else None,
        )

    def _schedule(self, value: Any) -> Schedule:
        fields = self._object(value, "schedule", ("rounds", "delays"))
        counts = (self._a(int, fields[name], f"schedule.{name}") for name in ("rounds", "delays"))
        return Schedule(*counts)

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

    def _diagram(self, fields: dict[str, Any]) -> DiagramCertificate:
        alphabets = self._templates(fields["templates"])
        form = self._a(str, fields["form"], "form")
        if form not in ("states", "cut"):
            self._fail("form", "is neither states nor cut")
        tables = self._list(fields["locals"], "locals", len(alphabets))
        relations = self._list(fields["below"], "below", len(alphabets) if form == "cut" else 0)
        return DiagramCertificate(
            "cut" if form == "cut" else "states",
            self._word(self._thread, fields["order"], "order"),
            locals=tuple(
                None if table is None else self._table(symbols, table)
                for symbols, table in zip(alphabets, tables, strict=True)
            ),
            labels=tuple(
                tuple(self._label(symbols, label) for label in table)
                for symbols, table in self._labels(alphabets, fields["labels"])
            ),
            nodes=self._nodes(fields["nodes"]),
            ends=tuple(
                self._word(self._names.shared, end, f"ends[{number}]")
                for number, end in enumerate(self._list(fields["ends"], "ends"))
            ),
            root=self._a(int, fields["root"], "root"),
            depth=self._a(int, fields["depth"], "depth"),
            flags=self._a(bool, fields["flags"], "flags"),
            below=tuple(map(self._relation, alphabets, relations)),
        )

    def _products(self, fields: dict[str, Any]) -> SymbolicCertificate:
        alphabets = self._templates(fields["templates"])
        labels = tuple(
            tuple(self._language(symbols, label, "labels[…]") for label in table)
            for symbols, table in self._labels(alphabets, fields["labels"])
        )
        return SymbolicCertificate(labels, self._states(fields["states"]))

    def _templates(self, value: Any) -> list[Lookup]:
        """How to look up the symbols of each template; a file names its threads."""
        groups = self._names.groups
        if value != [[self._names.threads[thread] for thread in group] for group in groups]:
            self._fail("templates", f"are not those of the system {self._names.system}")
        return [self._symbols(group[0]) if group else _no_symbol for group in groups]

    def _labels(self, alphabets: Sequence[Lookup], value: Any) -> list[tuple[Lookup, list[Any]]]:
        """The labels of each template, yet to be read, with how to look up its symbols."""
        tables = self._list(value, "labels", len(alphabets))
        return [
            (symbols, self._list(table, f"labels[{number}]"))
            for number, (symbols, table) in enumerate(zip(alphabets, tables, strict=True))
        ]

    def _label(self, symbols: Lookup, value: Any) -> Label:
        if isinstance(value, dict):
            return self._language(symbols, value, "labels[…]")
        return self._integers(value, "labels[…]")

    def _language(self, symbols: Lookup, value: Any, where: str) -> StackSet:
        fields = self._object(value, where, ("accepting", "edges"))
        accepting = frozenset(self._integers(fields["accepting"], f"{where}.accepting"))
        edges = tuple(
            self._leaving(symbols, leaving, f"{where}.edges")
            for leaving in self._list(fields["edges"], f"{where}.edges")
        )
        if not accepting <= set(range(len(edges))):
            self._fail(f"{where}.accepting", "names a state without a list of edges")
        try:
            return StackSet(tuple(state in accepting for state in range(len(edges))), edges)
        except ModelError as error:
            self._fail(where, str(error))

    def _leaving(self, symbols: Lookup, value: Any, where: str) -> tuple[tuple[int, int], ...]:
        """The edges that leave a state of an automaton."""
        pairs = (self._list(edge, where, 2) for edge in self._list(value, where))
        return tuple(
            sorted(
                (self._number(symbols, symbol, where), self._a(int, target, where))
                for symbol, target in pairs
            )
        )

    def _nodes(self, value: Any) -> tuple[tuple[Node, ...], ...]:
        levels = self._list(value, "nodes", len(self._names.threads))
        return tuple(
            tuple(self._node(row) for row in self._list(level, f"nodes[{number}]"))
            for number, level in enumerate(levels)
        )

    def _node(self, value: Any) -> Node:
        numbers = self._integers(value, "a node")
        if len(numbers) % 2:
            self._fail("a node", "has a label without a child")
        return tuple(zip(numbers[::2], numbers[1::2], strict=True))

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

    def _symbols(self, thread: int) -> Lookup:
        return partial(self._names.symbol, thread)

    def _thread(self, name: str) -> int:
        if name not in self._threads:
            raise ValueError(f"{shown(name)} is not a name of the system {self._names.system}")
        return self._threads[name]


class ProgramReader(Reader):
    """The same for a program, the meaning of which has options."""

    def __init__(self, source: str, names: ProgramNames, more: tuple[str, ...] = ()) -> None:
        super().__init__(source, names)
        self._head = (*_HEAD, "meaning", *more)
        self._watched = names.watched

    def program_evidence(self, document: Any) -> tuple[StateOptions, Property, Evidence]:
        asked, evidence = self.evidence(document)
        return self._options(document["meaning"]), asked, evidence

    def _options(self, value: Any) -> StateOptions:
        fields = self._object(value, "meaning", ("liveness", "watched"))
        return StateOptions(
            self._a(bool, fields["liveness"], "meaning.liveness"),
            frozenset(self._word(self._watched, fields["watched"], "meaning.watched")),
        )


class SlotsReader(Values):
    """Reads with how many slots, or for how many contexts, a file speaks of a program."""

    def program(self, program: Program, document: Any) -> Slotted:
        """The same program with slots; evidence about a program with forks is about such a one."""
        fields = self._a(dict, document, "the file")
        if "slots" in fields:
            return with_slots(program, self._count(fields["slots"], "slots", 1))
        if "bound" not in fields:
            self._fail("the file", "has neither 'slots' nor 'bound', and the program forks threads")
        return with_bound(program, self._count(fields["bound"], "bound", 0))

    def _count(self, value: Any, where: str, least: int) -> int:
        count = self._a(int, value, where)
        if not least <= count <= MOST_SLOTS:
            self._fail(where, f"is {shown(count)}; expected {least} to {MOST_SLOTS}")
        return count


def _no_symbol(_: str) -> NoReturn:
    raise ValueError("there is no thread whose symbol it could be")


def _numbered(what: str, names: Sequence[str]) -> dict[str, int]:
    numbers = {name: number for number, name in enumerate(names)}
    if len(numbers) < len(names):
        raise EvidenceError(f"two {what} have one name, so evidence has no file")
    return numbers
