"""A program as a plain System: all its rules written out, with names for states and frames.

The rules of a program are created as states are met. A complete over-approximation meets every
state that matters, so after it nothing is missing. A property of a program names places; in the
system written out it names every frame that was met there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from tepui.errors import UsageError
from tepui.kernels.lowered_system import LoweredSystem
from tepui.model import EPSILON, Pattern, Property, System, Template
from tepui.program.state_names import point_text
from tepui.z.z import Z

MAX_PATTERNS = 100_000
"""More bad states than this are not written out."""


def written_out(system: LoweredSystem) -> System:
    """The system that a program stands for, as far as anything in it can be reached."""
    program = system.program
    if system.property.deadlock and any(map(system.layout.idle, program.threads)):
        raise UsageError(
            f"{program.name} creates threads, and a system cannot say that a thread is not stuck "
            "before it is created; so deadlock cannot be asked of it"
        )
    Z(system).completed()
    templates = [_Symbols(system, index) for index in range(len(system.templates))]
    asked = _patterns_that_may_match(system, templates)
    patterns = [pattern for one in asked for pattern in _patterns(system, templates, one)]
    return System(
        shared=list(system.shared),
        initial=system.initial,
        templates=tuple(symbols.template() for symbols in templates),
        threads=system.threads,
        thread_names=system.thread_names,
        property=Property(tuple(dict.fromkeys(patterns)), system.property.deadlock),
        name=system.name,
    )


class _Symbols:
    """The symbols of a template by their classes, and more for places that were never met."""

    def __init__(self, system: LoweredSystem, index: int) -> None:
        self._system = system
        self._template = system.templates[index]
        self._names = list(self._template.symbols)
        self._members: dict[int, list[int]] = {EPSILON: [EPSILON]}
        for symbol in range(1, len(self._names)):
            self._members.setdefault(self._template.class_of(symbol), []).append(symbol)

    def has(self, named: int) -> bool:
        """Whether a symbol of this class was met."""
        return named in self._members

    def members(self, named: int) -> list[int]:
        """The symbols of a class. What was never met gets a symbol that no rule has."""
        if named not in self._members:
            layout = self._system.layout
            inside = named <= layout.points
            self._members[named] = [len(self._names)]
            self._names.append(point_text(layout, named - 1) if inside else "nowhere")
        return self._members[named]

    def template(self) -> Template:
        rules = list(self._template.rules)
        return replace(
            self._template, symbols=self._names, rules=rules, classes=None, idle=frozenset()
        )


def _patterns_that_may_match(system: LoweredSystem, templates: Sequence[_Symbols]) -> list[Pattern]:
    """The patterns of the property that something met may match. If there is none, the first
    pattern, because a system that asks nothing has no answer."""
    asked = system.property.patterns
    matching = [
        pattern
        for pattern in asked
        if all(
            top is None or templates[system.threads[thread]].has(top)
            for thread, top in enumerate(pattern.tops)
        )
    ]
    return matching or list(asked[:1] if not system.property.deadlock else ())


def _patterns(
    system: LoweredSystem, templates: Sequence[_Symbols], asked: Pattern
) -> Iterator[Pattern]:
    choices: list[list[int | None]] = [
        [None] if top is None else [*templates[system.threads[thread]].members(top)]
        for thread, top in enumerate(asked.tops)
    ]
    if prod(map(len, choices)) > MAX_PATTERNS:
        raise UsageError(
            f"{system.name}: the bad states have too many frames to write out one by one"
        )
    for tops in product(*choices):
        yield Pattern(asked.shared, tops)
