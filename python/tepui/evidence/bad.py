"""Which visible states are bad, also when threads of a group are interchangeable.

A state of a certificate stands for all permutations of it within the groups, so it is bad if any
of these is. For deadlock that changes nothing: threads of one group have the same rules.
For a pattern, each of its entries fixes one class of symbols or leaves it open. Some permutation of
the tops of a group fits the pattern's entries for that group if and only if, for every class, at
least as many tops as entries are of that class: give each fixed entry a top of its own that fits,
and the open entries the tops that remain, of which there are exactly as many.
With groups of one thread each this is the plain meaning of a property.

Deadlock looks at the tops themselves, patterns at their classes.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tepui.errors import EvidenceError
from tepui.model import Pattern, Property, System
from tepui.model.system import VisibleState


class BadStates:
    """The bad visible states of a property, closed under permutations within the groups."""

    def __init__(self, system: System, asked: Property, groups: Sequence[tuple[int, ...]]) -> None:
        self._deadlock = asked.deadlock
        self._moves = [
            frozenset((rule.source, rule.top) for rule in system.template_of(thread).rules)
            for thread in range(len(system.threads))
        ]
        self._templates = [system.templates[template] for template in system.threads]
        self._classes = _classes(system)
        self._open: list[_Demand] = []
        """The patterns that fix no top."""
        self._by_class: list[dict[int, list[_Demand]]] = [{} for _ in system.threads]
        """For each thread and class, the patterns that can match only if one such top is there.

        A pattern is filed under one of its classes, for every thread that may show it.
        """
        for pattern in asked.patterns:
            self._file(_demand(system, pattern, groups))

    def __contains__(self, visible: VisibleState) -> bool:
        return self._fits_a_pattern(visible) or (self._deadlock and self._is_deadlock(visible))

    def _fits_a_pattern(self, visible: VisibleState) -> bool:
        if self._classes is not None:
            visible = (visible[0], *map(operator.getitem, self._classes, visible[1:]))
        if any(demand.is_met_by(visible) for demand in self._open):
            return True
        for filed, top in zip(self._by_class, visible[1:], strict=True):
            if top in filed and any(demand.is_met_by(visible) for demand in filed[top]):
                return True
        return False

    def _file(self, demand: _Demand) -> None:
        if not demand.counts:
            self._open.append(demand)
            return
        group, number, _ = demand.counts[0]
        for thread in group:
            self._by_class[thread].setdefault(number, []).append(demand)

    def _is_deadlock(self, visible: VisibleState) -> bool:
        shared, tops = visible[0], visible[1:]
        threads = zip(self._templates, tops, strict=True)
        if all(template.is_idle(shared, top) for template, top in threads):
            return False
        return not any((shared, top) in moves for moves, top in zip(self._moves, tops, strict=True))


@dataclass(frozen=True, slots=True)
class _Demand:
    """A pattern: a shared state or None, and how often a class is on top within a group."""

    shared: int | None
    counts: tuple[tuple[tuple[int, ...], int, int], ...]

    def is_met_by(self, visible: VisibleState) -> bool:
        """Whether a visible state fits, given with the classes of its tops."""
        if self.shared is not None and self.shared != visible[0]:
            return False
        return all(
            sum(visible[1 + thread] == number for thread in group) >= count
            for group, number, count in self.counts
        )


def _demand(system: System, pattern: Pattern, groups: Sequence[tuple[int, ...]]) -> _Demand:
    if len(pattern.tops) != len(system.threads):
        raise EvidenceError(
            f"a pattern of the property names {len(pattern.tops)} threads, "
            f"the system has {len(system.threads)}"
        )
    counts = []
    for group in groups:
        classes = Counter(pattern.tops[thread] for thread in group)
        counts += [(group, number, n) for number, n in classes.items() if number is not None]
    return _Demand(pattern.shared, tuple(counts))


def _classes(system: System) -> list[Sequence[int]] | None:
    """For each thread, the class of each symbol; None if every symbol is its own."""
    if all(template.classes is None for template in system.templates):
        return None
    classes = [
        tuple(map(template.class_of, range(len(template.symbols)))) for template in system.templates
    ]
    return [classes[template] for template in system.threads]
