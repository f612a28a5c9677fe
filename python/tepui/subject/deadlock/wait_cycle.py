"""Who waits for whom in a deadlock.

A thread waits for those that could give it what it needs (`Chance`). Often that is said of many
threads, as each of them has a release of some lock ahead. Those that *hold* it come first: they
assigned it last, or it names them, or the thread joins them. Only if there are none, all others
count. A thread waits for itself only if nobody else could help.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tepui.records import replace
from tepui.subject.deadlock.explanation import Deadlock, EndedThread, Need


def explained(threads: Sequence[EndedThread], values: Sequence[str] = ()) -> Deadlock:
    """The deadlock of some threads, with the threads for which each of them waits."""
    stuck = [thread.name for thread in threads if thread.state == "stuck"]
    waiting = tuple(
        replace(thread, waits_for=_awaited(thread, stuck)) if thread.needs else thread
        for thread in threads
    )
    edges = {thread.name: thread.waits_for for thread in waiting}
    return Deadlock(waiting, shortest_cycle(edges), tuple(values))


def shortest_cycle(edges: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """A shortest cycle; of several, one that begins with the first name."""
    cycles = (_way_back(edges, name) for name in edges)
    return min((cycle for cycle in cycles if cycle), key=len, default=())


def _awaited(thread: EndedThread, stuck: Sequence[str]) -> tuple[str, ...]:
    found = {name for need in thread.needs for name in _helpers(thread.name, need)}
    return tuple(name for name in stuck if name in found)


def _helpers(name: str, need: Need) -> set[str]:
    """The threads that could give what a thread needs: those that hold it, if there are some."""
    able = {chance.thread for chance in need.chances}
    if need.kind != "join":
        able = able - {name} or able
    holding = {each.thread for each in need.written} | {each.value for each in need.values}
    return able & holding or able


def _way_back(edges: Mapping[str, Collection[str]], start: str) -> tuple[str, ...]:
    """A shortest way from a name to itself, without its end."""
    ways: list[tuple[str, ...]] = [(start,)]
    seen: set[str] = set()
    for way in ways:
        for name in edges.get(way[-1], ()):
            if name == start:
                return way
            if name not in seen:
                seen.add(name)
                ways.append((*way, name))
    return ()
