"""From what an engine remembers to a trace that people and the checker can follow.

An engine names a thread and its rules for each context. Up to symmetry it may have swapped equal
threads, so the run it gives ends in a state that is bad only after swapping them back: the whole
run is renamed so that it ends in a state that the property, as it was written, calls bad.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tepui.checker import Trace
from tepui.checker.trace_steps import Move, Walk
from tepui.model import Pattern, Property, System

if TYPE_CHECKING:
    from tepui.model.system import VisibleState


def trace_from_contexts(
    system: System, contexts: Sequence[tuple[int, Sequence[int]]], bad: Property
) -> Trace:
    """Replay the rules of each context, with threads renamed so that the end is bad."""
    start = system.initial, system.initial_stacks()
    walk = Walk(start)
    for thread, rule in _moves(system, contexts):
        walk.move(thread, rule)
    renaming = _renaming(system, (walk.shared, *walk.tops()), bad)
    # Equal threads start equal, so only names change.
    moves = ((renaming[thread], rule) for thread, rule in _moves(system, contexts))
    return Trace.of_moves(start, moves)


def _moves(system: System, contexts: Sequence[tuple[int, Sequence[int]]]) -> Iterator[Move]:
    """The threads of some contexts and their rules."""
    for thread, rules in contexts:
        of_thread = system.template_of(thread).rules
        for number in rules:
            yield thread, of_thread[number]


def _renaming(system: System, visible: VisibleState, bad: Property) -> Sequence[int]:
    """New names for the threads, within groups of equal ones, under which the state is bad."""
    for pattern in bad.patterns:
        if pattern.shared in (None, visible[0]):
            renaming = _matching(system, visible, pattern)
            if renaming is not None:
                return renaming
    return range(len(system.threads))  # A deadlock stays one under any names.


def _matching(system: System, visible: VisibleState, pattern: Pattern) -> list[int] | None:
    """Names under which a visible state matches a pattern. Taking them greedily is enough, as
    an entry of a pattern is one class of symbols or a wildcard."""
    renaming = list(range(len(system.threads)))
    classes = [system.template_of(thread).class_of(visible[1 + thread]) for thread in renaming]
    for group in system.groups:
        free = list(group)
        fixed = [thread for thread in group if pattern.tops[thread] is not None]
        for name in fixed:
            found = [thread for thread in free if classes[thread] == pattern.tops[name]]
            if not found:
                return None
            # A thread keeps its own name where it can.
            thread = name if name in found else found[0]
            renaming[thread] = name
            free.remove(thread)
        for name in (thread for thread in group if pattern.tops[thread] is None):
            thread = name if name in free else free[0]
            renaming[thread] = name
            free.remove(thread)
    return renaming
