"""Which states are bad, also when threads of a group are interchangeable.

A state of a certificate stands for all permutations of it within the groups, so it is bad if any
of these is. For deadlock that changes nothing: threads of one group have the same rules.
For a pattern, each of its entries fixes one class of symbols or leaves it open. Some permutation of
the tops of a group fits the pattern's entries for that group if and only if, for every class, at
least as many tops as entries are of that class: give each fixed entry a top of its own that fits,
and the open entries the tops that remain, of which there are exactly as many.
A reach asks for whole stacks: each of its entries asks for a stack in some set, or for any stack.
Some permutation of the stacks of a group fits its entries if and only if each entry with a set can
be given a stack of its own in that set: a matching in a bipartite graph. For a cut stack it is
enough that it may be continued to one in the set.
With groups of one thread each this is the plain meaning of a property.

Deadlock looks at the tops themselves, patterns at their classes.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tepui.checker.stuck_cases import Cases, Stuck
from tepui.errors import EvidenceError
from tepui.records import record

if TYPE_CHECKING:
    from tepui.checker.certificates.local_states import LocalStates
    from tepui.model import Pattern, Property, Reach, System
    from tepui.model.system import VisibleState, Word


class BadStates:
    """The bad visible states of a property, closed under permutations within the groups."""

    def __init__(self, system: System, asked: Property, groups: Sequence[tuple[int, ...]]) -> None:
        self._deadlock = asked.deadlock
        self._cases = Cases(system)
        self._templates = [system.templates[template] for template in system.threads]
        stuck = [Stuck(template, self._cases) for template in system.templates]
        self._stuck = [stuck[template] for template in system.threads]
        self._classes = _classes(system)
        self._open: list[_Demand] = []
        """The patterns that fix no top."""
        self._by_class: list[dict[int, list[_Demand]]] = [{} for _ in system.threads]
        """For each thread and class, the patterns that can match only if one such top is there.

        A pattern is filed under one of its classes, for every thread that may show it.
        """
        demands = (_demand(system, pattern, groups) for pattern in asked.patterns)
        for demand in dict.fromkeys(demands):  # Patterns may differ only in the order of threads.
            self._file(demand)

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
        cases = self._cases.of(shared)
        for stuck, top in zip(self._stuck, tops, strict=True):
            cases &= stuck.with_top(top)
        return cases != 0


class BadReaches:
    """The states of a certificate that a reach calls bad, given by the indices of local states."""

    def __init__(self, reaches: Iterable[Reach], groups: Sequence[LocalStates]) -> None:
        threads = sum(len(group.threads) for group in groups)
        for reach in reaches:
            check_length("reach", len(reach.stacks), threads)
        self._reaches = [
            (reach.shared, [_Demands(reach, group) for group in groups]) for reach in reaches
        ]

    def __contains__(self, state: tuple[int, ...]) -> bool:
        """The shared state, then the index of its local state for each thread."""
        return any(
            shared in (None, state[0]) and all(demands.are_met_by(state) for demands in groups)
            for shared, groups in self._reaches
        )


def is_reached(reach: Reach, shared: int, stacks: Sequence[Word]) -> bool:
    """Whether a reach calls a global state bad."""
    check_length("reach", len(reach.stacks), len(stacks))
    return reach.shared in (None, shared) and all(
        wanted is None or wanted.accepts(stack)
        for wanted, stack in zip(reach.stacks, stacks, strict=True)
    )


def check_length(what: str, named: int, threads: int) -> None:
    """A property must name as many threads as there are."""
    if named != threads:
        raise EvidenceError(
            f"a {what} of the property names {named} threads, the system has {threads}"
        )


class _Demands:
    """The sets of stacks that a reach asks for within a group."""

    def __init__(self, reach: Reach, group: LocalStates) -> None:
        self._group = group
        self._places = [thread + 1 for thread in group.threads]
        self._sets = [wanted for t in group.threads if (wanted := reach.stacks[t]) is not None]
        self._fitting: dict[tuple[int, int], bool] = {}
        self._met: dict[tuple[int, ...], bool] = {}

    def are_met_by(self, state: tuple[int, ...]) -> bool:
        indices = tuple(state[place] for place in self._places)
        if indices not in self._met:
            self._met[indices] = _can_be_served(
                [
                    [place for place, index in enumerate(indices) if self._fits(index, number)]
                    for number in range(len(self._sets))
                ]
            )
        return self._met[indices]

    def _fits(self, index: int, number: int) -> bool:
        if (index, number) not in self._fitting:
            self._fitting[index, number] = self._group.fits(index, self._sets[number])
        return self._fitting[index, number]


def _can_be_served(choices: Sequence[Sequence[int]]) -> bool:
    """Whether each demand can get a place of its own, given the places that suit it."""
    held_by: dict[int, int] = {}
    place_of: dict[int, int] = {}
    for start in range(len(choices)):
        wanted_by: dict[int, int] = {}
        waiting, free = [start], None
        while waiting and free is None:
            demand = waiting.pop()
            for place in choices[demand]:
                if place not in wanted_by:
                    wanted_by[place] = demand
                    if place not in held_by:
                        free = place
                        break
                    waiting.append(held_by[place])
        if free is None:
            return False
        while free is not None:
            demand = wanted_by[free]
            held_by[free] = demand
            place_of[demand], free = free, place_of.get(demand)
    return True


@record
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
    check_length("pattern", len(pattern.tops), len(system.threads))
    counts = []
    for group in groups:
        classes = Counter(map(pattern.tops.__getitem__, group))
        fixed = sorted((number, n) for number, n in classes.items() if number is not None)
        counts += [(group, number, n) for number, n in fixed]
    return _Demand(pattern.shared, tuple(counts))


def _classes(system: System) -> list[Sequence[int]] | None:
    """For each thread, the class of each symbol; None if every symbol is its own."""
    if all(template.classes is None for template in system.templates):
        return None
    classes = [
        tuple(map(template.class_of, range(len(template.symbols)))) for template in system.templates
    ]
    return [classes[template] for template in system.threads]
