"""How often a thread creation may be executed: a Program has a fixed number of threads.

Counts are 0, 1 or MANY. An activation of a procedure counts once for every thread that runs it and
for every execution of a call; a statement counts once for every start from which it is reached,
and MANY in a loop. The least solution is found by iteration. What guards say is left out, except
that a constant false one lets nothing pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from tepui.errors import InputError
from tepui.languages.boolean.flow import Flow, Request
from tepui.languages.boolean.scope import Names
from tepui.languages.tokens import shown
from tepui.program.program import Call

MANY = 2

Flows = dict[str, Flow]

_Place = tuple[str, int]
"""A location, by its procedure and its number."""


def refuse_repeated_creations(flows: Flows, main: str, names: Names) -> None:
    """Refuse creations that may be executed more than once, and forget those that never are."""
    counts = _Counts(flows, main)
    for place, requests in list(_creations(flows)):
        count = counts.executions(place)
        if count == MANY:
            raise _refused(names, counts, place, requests[0])
        if count == 0:
            flows[place[0]].creations[place[1]] = ()


class _Counts:
    """Finds the counts of all activations that matter for creations."""

    def __init__(self, flows: Flows, main: str) -> None:
        self._flows = flows
        self._reached = cache(lambda name, start: flows[name].reached_from([start]))
        self.in_a_loop = cache(lambda place: flows[place[0]].in_a_loop(place[1]))
        creating = {place[0] for place, _ in _creations(flows)}
        self.calls = list(_calls_into(flows, creating))
        self._starts = {(name, start): 0 for name, flow in flows.items() for start in flow.starts()}
        self._starts[main, 0] = 1
        while self._count_again(main):
            pass

    def executions(self, place: _Place) -> int:
        """How often a location may be left."""
        name, location = place
        count = sum(
            count
            for (procedure, start), count in self._starts.items()
            if procedure == name and count and location in self._reached(name, start)
        )
        return MANY if count > 1 or (count and self.in_a_loop(place)) else count

    def _count_again(self, main: str) -> bool:
        """One round; whether it changed anything."""
        counts = dict.fromkeys(self._starts, 0)
        counts[main, 0] = 1
        for place, callee in self.calls:
            counts[callee, 0] += self.executions(place)
        for place, requests in _creations(self._flows):
            for request in requests:
                start = (request.procedure, request.start or 0)
                counts[start] += self.executions(place) * request.count
        counts = {start: min(count, MANY) for start, count in counts.items()}
        changed = counts != self._starts
        self._starts = counts
        return changed


def _creations(flows: Flows) -> Iterator[tuple[_Place, tuple[Request, ...]]]:
    for name, flow in flows.items():
        for location, requests in flow.creations.items():
            if requests:
                yield (name, location), requests


def _calls_into(flows: Flows, procedures: Iterable[str]) -> list[tuple[_Place, str]]:
    """The calls of some procedures, of those that call them, and so on."""
    calls = [
        ((name, edge.source), edge.procedure)
        for name, flow in flows.items()
        for edge in flow.edges
        if isinstance(edge, Call)
    ]
    relevant = set(procedures)
    while True:
        callers = {place[0] for place, callee in calls if callee in relevant}
        if callers <= relevant:
            return [call for call in calls if call[1] in relevant]
        relevant |= callers


def _refused(names: Names, counts: _Counts, place: _Place, request: Request) -> InputError:
    word = request.statement.text.split("(")[0].split()[0]
    subject = word if word in ("thread_create", "start_thread") else "this creation of a thread"
    return names.error(
        request.statement.position,
        f"{subject} may be executed more than once here ({_reason(counts, place)}); "
        "tepui creates a fixed number of threads",
    )


def _reason(counts: _Counts, place: _Place) -> str:
    procedure = shown(place[0])
    callers = [caller for caller, callee in counts.calls if callee == place[0]]
    if counts.in_a_loop(place):
        return "it is in a loop"
    if _is_recursive(counts, place[0]):
        return f"'{procedure}' is recursive"
    if len(callers) > 1:
        return f"'{procedure}' is called from more than one place"
    if callers and counts.executions(callers[0]) == MANY:
        return f"'{procedure}' is called more than once"
    return f"'{procedure}' is run by more than one thread"


def _is_recursive(counts: _Counts, procedure: str) -> bool:
    called: set[str] = set()
    more = {procedure}
    while more:
        callees = {callee for (caller, _), callee in counts.calls if caller in more}
        if procedure in callees:
            return True
        called |= more
        more = callees - called
    return False
