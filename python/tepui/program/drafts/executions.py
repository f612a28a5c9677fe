"""How often a thread creation may be executed: once, by a Create, or more often, by a Fork.

Counts are 0, 1 or MANY. An activation of a procedure counts once for every thread that runs it and
for every execution of a call; a statement counts once for every start from which it is reached,
and MANY in a loop. The least solution is found by iteration. Guards are ignored, except that a
constant false one lets nothing pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from tepui.program.drafts.draft import Creation, Drafts
from tepui.program.program import Call, Fork

MANY = 2

Place = tuple[str, int]
"""A location, by its procedure and its number."""


def repeated_creations(drafts: Drafts, run: Sequence[Creation]) -> set[Place]:
    """The creations that may be executed more than once, given the threads that run from the start.
    Creations that are never executed are removed."""
    counts = _Counts(drafts, run)
    repeated = set()
    for place, _ in list(_creations(drafts)):
        count = counts.executions(place)
        if count == MANY:
            repeated.add(place)
        if count == 0:
            drafts[place[0]].creations[place[1]] = ()
    return repeated


class _Counts:
    """Finds the counts of all activations that matter for creations."""

    def __init__(self, drafts: Drafts, run: Sequence[Creation]) -> None:
        self._drafts = drafts
        self._reached = cache(lambda name, start: drafts[name].reached_from([start]))
        self._in_a_loop = cache(lambda place: drafts[place[0]].in_a_loop(place[1]))
        creating = {place[0] for place, _ in _creations(drafts)}
        self._calls = _calls_into(drafts, creating)
        self._starts = {
            (name, start): 0 for name, draft in drafts.items() for start in draft.starts()
        }
        self._run = run
        while self._count_again():
            pass

    def executions(self, place: Place) -> int:
        """How often a location may be left."""
        name, location = place
        count = sum(
            count
            for (procedure, start), count in self._starts.items()
            if procedure == name and count and location in self._reached(name, start)
        )
        return MANY if count > 1 or (count and self._in_a_loop(place)) else count

    def _count_again(self) -> bool:
        """One round; whether it changed anything."""
        counts = dict.fromkeys(self._starts, 0)
        for thread in self._run:
            counts[thread.procedure, 0] += _counted(thread)
        for place, callee in self._calls:
            counts[callee, 0] += self.executions(place)
        for place, creations in _creations(self._drafts):
            for creation in creations:
                start = (creation.procedure, creation.start or 0)
                counts[start] += self.executions(place) * _counted(creation)
        counts = {start: min(count, MANY) for start, count in counts.items()}
        changed = counts != self._starts
        self._starts = counts
        return changed


def _counted(creation: Creation) -> int:
    return MANY if creation.count is None else creation.count


def _creations(drafts: Drafts) -> Iterator[tuple[Place, tuple[Creation, ...]]]:
    for name, draft in drafts.items():
        for location, creations in draft.creations.items():
            if creations:
                yield (name, location), creations


def _calls_into(drafts: Drafts, procedures: Iterable[str]) -> list[tuple[Place, str]]:
    """The calls of some procedures, of those that call them, and so on; also by new threads."""
    calls = [
        ((name, edge.source), edge.procedure)
        for name, draft in drafts.items()
        for edge in draft.edges
        if isinstance(edge, Call | Fork)
    ]
    relevant = set(procedures)
    while True:
        callers = {place[0] for place, callee in calls if callee in relevant}
        if callers <= relevant:
            return [call for call in calls if call[1] in relevant]
        relevant |= callers
