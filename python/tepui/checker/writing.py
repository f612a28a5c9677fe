"""Evidence written as JSON, a piece at a time, so that a million states need no second copy.

The format is told in `files`. The same evidence always gives the same text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from tepui.checker.certificate import (
    Certificate,
    DiagramCertificate,
    Evidence,
    Label,
    Local,
    Node,
    SymbolicCertificate,
)
from tepui.checker.trace import Schedule, Step, Trace
from tepui.model import Pattern, Property, Reach, StackSet, System
from tepui.model.system import Word

FORMAT = "tepui evidence"
VERSION = 1

_Table = TypeVar("_Table")
_Entry = TypeVar("_Entry")


class Writer:
    """Turns evidence into what JSON can say; long lists are made one line after the other."""

    def __init__(self, system: System, classes: Sequence[str] | None = None) -> None:
        """`classes` are the names of the classes of symbols, where the system has classes."""
        self._system = system
        self._classes = classes

    def text(
        self,
        asked: Property,
        evidence: Evidence,
        more: Mapping[str, Any] | None = None,
    ) -> Iterator[str]:
        """The pieces of the file; `more` are fields that follow its head."""
        if isinstance(evidence, Trace):
            kind, body = "trace", self._trace(evidence)
        elif isinstance(evidence, DiagramCertificate):
            kind, body = "diagram", self._diagram(evidence)
        elif isinstance(evidence, SymbolicCertificate):
            kind, body = "products", self._products(evidence)
        else:
            kind, body = evidence.kind, self._certificate(evidence)
        return _document({**self._head(asked, kind), **(more or {}), **body})

    def _head(self, asked: Property, kind: str) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
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
            "shared": None if reach.shared is None else self._shared(reach.shared),
            "stacks": [
                None if stacks is None else _language(self._symbols(thread), stacks)
                for thread, stacks in enumerate(reach.stacks)
            ],
        }

    def _pattern(self, pattern: Pattern) -> dict[str, Any]:
        return {
            "shared": None if pattern.shared is None else self._shared(pattern.shared),
            "tops": [
                None if top is None else _name(self._class_names(thread), top)
                for thread, top in enumerate(pattern.tops)
            ],
        }

    def _class_names(self, thread: int) -> Sequence[str]:
        return self._symbols(thread) if self._classes is None else self._classes

    def _trace(self, trace: Trace) -> dict[str, Any]:
        return {
            "initial": self._state(trace.initial_shared, trace.initial_stacks),
            "contexts": trace.contexts,
            **_schedule(trace.schedule),
            "steps": (json.dumps(self._step(step)) for step in trace.steps),
        }

    def _step(self, step: Step) -> dict[str, Any]:
        symbols, rule = self._symbols(step.thread), step.rule
        return {
            "thread": _name(self._system.thread_names, step.thread),
            "rule": {
                "source": self._shared(rule.source),
                "top": _name(symbols, rule.top),
                "target": self._shared(rule.target),
                "word": _word(symbols, rule.word),
            },
            **self._state(step.shared, step.stacks),
        }

    def _state(self, shared: int, stacks: Iterable[Word]) -> dict[str, Any]:
        words = [_word(self._symbols(thread), word) for thread, word in enumerate(stacks)]
        return {"shared": self._shared(shared), "stacks": words}

    def _certificate(self, certificate: Certificate) -> dict[str, Any]:
        names = self._system.thread_names
        alphabets = [self._symbols(group[0]) if group else () for group in certificate.groups]
        return {
            "groups": [_word(names, group) for group in certificate.groups],
            **_cut(certificate, alphabets),
            "locals": _tables(alphabets, certificate.locals, _local_line),
            "states": self._state_lines(certificate.states),
        }

    def _diagram(self, diagram: DiagramCertificate) -> dict[str, Any]:
        names, alphabets = self._system.thread_names, self._alphabets()
        return {
            "templates": [_word(names, group) for group in self._system.groups],
            "form": diagram.kind,
            **_cut(diagram, alphabets),
            "order": _word(names, diagram.order),
            "locals": _tables(alphabets, diagram.locals, _local_line),
            "labels": _tables(alphabets, diagram.labels, _label_line),
            "root": diagram.root,
            "nodes": ("".join(_lines(map(_node_line, level))) for level in diagram.nodes),
            "ends": (json.dumps([*map(self._shared, end)]) for end in diagram.ends),
        }

    def _products(self, certificate: SymbolicCertificate) -> dict[str, Any]:
        names = self._system.thread_names
        return {
            "templates": [_word(names, group) for group in self._system.groups],
            "labels": _tables(self._alphabets(), certificate.labels, _label_line),
            "states": self._state_lines(certificate.states),
        }

    def _alphabets(self) -> list[Sequence[str]]:
        return [template.symbols for template in self._system.templates]

    def _state_lines(self, states: Iterable[tuple[int, ...]]) -> Iterator[str]:
        shared = [json.dumps(name) for name in self._system.shared]
        for state in states:
            first = (str(_name(shared, number)) for number in state[:1])
            yield f"[{', '.join([*first, *map(str, state[1:])])}]"

    def _symbols(self, thread: int) -> Sequence[str]:
        known = 0 <= thread < len(self._system.threads)
        return self._system.template_of(thread).symbols if known else ()

    def _shared(self, number: int) -> str | int:
        return _name(self._system.shared, number)


def _document(fields: dict[str, Any]) -> Iterator[str]:
    """An object with one field after the other; an iterator is a list of lines."""
    opening = "{\n"
    for key, value in fields.items():
        yield f"{opening}{json.dumps(key)}: "
        opening = ",\n"
        if isinstance(value, Iterator):
            yield from _lines(value)
        else:
            yield json.dumps(value)
    yield "\n}\n"


def _lines(items: Iterable[str]) -> Iterator[str]:
    separator = "\n"
    yield "["
    for item in items:
        yield separator
        yield item
        separator = ",\n"
    yield "\n]"


def _cut(
    certificate: Certificate | DiagramCertificate, alphabets: Sequence[Sequence[str]]
) -> dict[str, Any]:
    return {
        "depth": certificate.depth,
        "flags": certificate.flags,
        "below": (
            json.dumps([_word(symbols, pair) for pair in sorted(pairs)])
            for symbols, pairs in _with_alphabets(alphabets, certificate.below)
        ),
    }


def _tables(
    alphabets: Sequence[Sequence[str]],
    tables: Sequence[Sequence[_Entry] | None],
    line: Callable[[Sequence[str], _Entry], str],
) -> Iterator[str]:
    """Tables with a line for each entry; `null` for one that is not there."""
    for symbols, table in _with_alphabets(alphabets, tables):
        if table is None:
            yield "null"
        else:
            yield "".join(_lines(line(symbols, entry) for entry in table))


def _local_line(symbols: Sequence[str], local: Local) -> str:
    word, more = local
    return json.dumps({"stack": _word(symbols, word), "more": more})


def _label_line(symbols: Sequence[str], label: Label) -> str:
    return json.dumps(_language(symbols, label) if isinstance(label, StackSet) else [*label])


def _language(symbols: Sequence[str], stacks: StackSet) -> dict[str, Any]:
    return {
        "accepting": [state for state, accepts in enumerate(stacks.accepting) if accepts],
        "edges": [
            [[_name(symbols, symbol), target] for symbol, target in leaving]
            for leaving in stacks.edges
        ],
    }


def _node_line(node: Node) -> str:
    """The edges of a node as one list: a label, a child, a label, a child and so on."""
    return f"[{','.join(f'{label},{child}' for label, child in node)}]"


def _with_alphabets(
    alphabets: Sequence[Sequence[str]], tables: Sequence[_Table]
) -> Iterator[tuple[Sequence[str], _Table]]:
    """Each table with the symbols of its group, or with none where there is no such group."""
    for number, table in enumerate(tables):
        yield (alphabets[number] if number < len(alphabets) else ()), table


def _schedule(schedule: Schedule | None) -> dict[str, Any]:
    if schedule is None:
        return {}
    return {"schedule": {"rounds": schedule.rounds, "delays": schedule.delays}}


def _word(symbols: Sequence[str], word: Iterable[int]) -> list[str | int]:
    return [_name(symbols, symbol) for symbol in word]


def _name(names: Sequence[str], number: int) -> str | int:
    return names[number] if 0 <= number < len(names) else number
