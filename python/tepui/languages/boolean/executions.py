"""How often a thread creation may be executed: once, by a Create, or more often, by a Fork.

Counts are 0, 1 or MANY. An activation of a procedure counts once for every thread that runs it and
for every execution of a call; a statement counts once for every start from which it is reached,
and MANY in a loop. The least solution is found by iteration. What guards say is left out, except
that a constant false one lets nothing pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from tepui.languages.boolean.flow import Flows, Request
from tepui.program.program import Call, Fork

MANY = 2

Place = tuple[str, int]
"""A location, by its procedure and its number."""


def repeated_creations(flows: Flows, main: str) -> set[Place]:
    """The creations that may be executed more than once. Forgets those that never are."""
    counts = _Counts(flows, main)
    repeated = set()
    for place, _ in list(_creations(flows)):
        count = counts.executions(place)
        if count == MANY:
            repeated.add(place)
        if count == 0:
            flows[place[0]].creations[place[1]] = ()
    return repeated


class _Counts:
    """Finds the counts of all activations that matter for creations."""

    def __init__(self, flows: Flows, main: str) -> None:
        self._flows = flows
        self._reached = cache(lambda name, start: flows[name].reached_from([start]))
        self._in_a_loop = cache(lambda place: flows[place[0]].in_a_loop(place[1]))
        creating = {place[0] for place, _ in _creations(flows)}
        self._calls = _calls_into(flows, creating)
        self._starts = {(name, start): 0 for name, flow in flows.items() for start in flow.starts()}
        self._starts[main, 0] = 1
        while self._count_again(main):
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

    def _count_again(self, main: str) -> bool:
        """One round; whether it changed anything."""
        counts = dict.fromkeys(self._starts, 0)
        counts[main, 0] = 1
        for place, callee in self._calls:
            counts[callee, 0] += self.executions(place)
        for place, requests in _creations(self._flows):
            for request in requests:
                start = (request.procedure, request.start or 0)
                counts[start] += self.executions(place) * request.count
        counts = {start: min(count, MANY) for start, count in counts.items()}
        changed = counts != self._starts
        self._starts = counts
        return changed


def _creations(flows: Flows) -> Iterator[tuple[Place, tuple[Request, ...]]]:
    for name, flow in flows.items():
        for location, requests in flow.creations.items():
            if requests:
                yield (name, location), requests


def _calls_into(flows: Flows, procedures: Iterable[str]) -> list[tuple[Place, str]]:
    """The calls of some procedures, of those that call them, and so on; also by new threads."""
    calls = [
        ((name, edge.source), edge.procedure)
        for name, flow in flows.items()
        for edge in flow.edges
        if isinstance(edge, Call | Fork)
    ]
    relevant = set(procedures)
    while True:
        callers = {place[0] for place, callee in calls if callee in relevant}
        if callers <= relevant:
            return [call for call in calls if call[1] in relevant]
        relevant |= callers
