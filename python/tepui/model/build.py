"""From names to a System: every input language passes through here.

A language describes threads, rules and patterns by name and need not know how they are stored.
`build` numbers the names and finds which threads are equal and so share a template.
Only names that occur are numbered, so a file may declare a million states and use three.
"""

from __future__ import annotations

from collections.abc import Iterable

from tepui.errors import ModelError
from tepui.model.property import Pattern, Property
from tepui.model.system import EPSILON, Rule, System, Template
from tepui.records import field, mutable_record, record

MAX_THREADS = 10_000
"""More threads are refused: far fewer are already more than any engine can handle."""

EMPTY = "-"
"""How people write the empty stack; no symbol may have this name."""


@record
class NamedRule:
    """⟨source|top⟩ → ⟨target|word⟩ by name; `top` is None for a rule on the empty stack."""

    source: str
    top: str | None
    target: str
    word: tuple[str, ...]


@record
class NamedPattern:
    """Bad visible states by name: None matches anything, EMPTY the empty stack."""

    shared: str | None
    tops: tuple[str | None, ...]


@mutable_record
class Block:
    """One thread, or `count` equal ones, as a file describes it."""

    name: str
    stack: tuple[str, ...]
    rules: list[NamedRule]
    count: int = 1

    def thread_names(self) -> list[str]:
        if self.count == 1:
            return [self.name]
        return [f"{self.name}.{number}" for number in range(1, self.count + 1)]


@mutable_record
class Description:
    """A whole system by name; `shared` lists the states whose order is kept."""

    initial: str
    blocks: list[Block]
    patterns: list[NamedPattern] = field(default_factory=list)
    deadlock: bool = False
    shared: list[str] = field(default_factory=list)
    name: str = "system"


def build(description: Description) -> System:
    """Number the names of a description and merge equal threads into templates."""
    if not description.blocks:
        raise ModelError("a system needs at least one thread")
    shared = _Names(description.shared)
    initial = shared.number(description.initial)
    templates: list[_TemplateInMaking] = []
    found: dict[tuple[tuple[str, ...], frozenset[NamedRule]], int] = {}
    threads: list[int] = []
    names: list[str] = []
    for block in description.blocks:
        if block.count < 1:
            raise ModelError(
                f"thread {block.name} has the count {block.count}; it must be positive"
            )
        key = (block.stack, frozenset(block.rules))
        if key not in found:
            found[key] = len(templates)
            templates.append(_TemplateInMaking.of(block, shared))
        if len(threads) + block.count > MAX_THREADS:
            raise ModelError(f"a system has at most {MAX_THREADS:,} threads, this one has more")
        threads += [found[key]] * block.count
        names += block.thread_names()
    patterns = tuple(
        _number_pattern(pattern, shared, [templates[index].symbols for index in threads])
        for pattern in dict.fromkeys(description.patterns)
    )
    return System(
        shared=shared.names(),
        initial=initial,
        templates=tuple(template.done() for template in templates),
        threads=tuple(threads),
        thread_names=distinct(names),
        property=Property(patterns, description.deadlock),
        name=description.name,
    )


class _Names:
    """Numbers names in the order in which they are met."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._numbers: dict[str, int] = {}
        for name in known:
            self.number(name)

    def number(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def names(self) -> tuple[str, ...]:
        return tuple(self._numbers)


@mutable_record
class _TemplateInMaking:
    """A template whose alphabet may still grow by the symbols that patterns name."""

    name: str
    symbols: _Names
    stack: tuple[int, ...]
    rules: tuple[Rule, ...]

    @classmethod
    def of(cls, block: Block, shared: _Names) -> _TemplateInMaking:
        symbols = _Names([EMPTY])
        stack = tuple(_number_symbol(name, symbols) for name in block.stack)
        rules = dict.fromkeys(
            Rule(
                source=shared.number(rule.source),
                top=EPSILON if rule.top is None else _number_symbol(rule.top, symbols),
                target=shared.number(rule.target),
                word=tuple(_number_symbol(name, symbols) for name in rule.word),
            )
            for rule in block.rules
        )
        return cls(block.name, symbols, stack, tuple(rules))

    def done(self) -> Template:
        return Template(self.name, self.symbols.names(), self.stack, self.rules)


def _number_symbol(name: str, symbols: _Names) -> int:
    if name == EMPTY:
        raise ModelError(f"'{EMPTY}' is the empty stack and cannot be a symbol on a stack")
    return symbols.number(name)


def _number_pattern(pattern: NamedPattern, shared: _Names, symbols: list[_Names]) -> Pattern:
    if len(pattern.tops) != len(symbols):
        raise ModelError(
            f"a pattern names {len(pattern.tops)} threads, the system has {len(symbols)}"
        )
    return Pattern(
        None if pattern.shared is None else shared.number(pattern.shared),
        tuple(
            None if top is None else names.number(top)
            for top, names in zip(pattern.tops, symbols, strict=True)
        ),
    )


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names, with a number added to those that came before."""
    given: dict[str, None] = {}
    for name in names:
        number, new = 1, name
        while new in given:
            number += 1
            new = f"{name}#{number}"
        given[new] = None
    return tuple(given)
