"""From what an engine remembers to a trace that people and the checker can follow.

An engine names a thread and its rules for each context. Up to symmetry it may have swapped equal
threads, so the run it gives ends in a state that is bad only after swapping them back: the whole
run is renamed so that it ends in a state that the property, as it was written, calls bad.
"""

from __future__ import annotations

from collections.abc import Sequence

from tepui.checker import Step, Trace
from tepui.model import EPSILON, Pattern, Property, System
from tepui.model.system import VisibleState


def trace_from_contexts(
    system: System, contexts: Sequence[tuple[int, Sequence[int]]], bad: Property
) -> Trace:
    """Replay the rules of each context, with threads renamed so that the end is bad."""
    renaming = _renaming(system, _end(system, contexts), bad)
    return Trace(
        initial_shared=system.initial,
        initial_stacks=system.initial_stacks(),
        steps=tuple(_replay(system, contexts, renaming)),
        contexts=len(contexts),
    )


def _end(system: System, contexts: Sequence[tuple[int, Sequence[int]]]) -> VisibleState:
    """What shows at the end of a run."""
    shared, stacks = system.initial, list(system.initial_stacks())
    for thread, rules in contexts:
        of_thread = system.template_of(thread).rules
        for number in rules:
            rule = of_thread[number]
            shared, stacks[thread] = rule.target, rule.word + stacks[thread][1:]
    return (shared, *(stack[0] if stack else EPSILON for stack in stacks))


def _replay(
    system: System, contexts: Sequence[tuple[int, Sequence[int]]], renaming: Sequence[int]
) -> list[Step]:
    stacks = list(system.initial_stacks())
    steps = []
    for thread, rules in contexts:
        runs = renaming[thread]
        for number in rules:
            rule = system.template_of(thread).rules[number]
            stacks[runs] = rule.word + stacks[runs][1:]
            steps.append(Step(runs, rule, rule.target, tuple(stacks)))
    return steps


def _renaming(system: System, visible: VisibleState, bad: Property) -> Sequence[int]:
    """New names for the threads, within groups of equal ones, under which the state is bad."""
    for pattern in bad.patterns:
        if pattern.shared in (None, visible[0]):
            renaming = _matching(system, visible, pattern)
            if renaming is not None:
                return renaming
    return range(len(system.threads))  # A deadlock is one under any names.


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
