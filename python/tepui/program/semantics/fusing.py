"""Fused steps: a thread goes on, as part of its step, where nobody else could tell (see `meaning`).

What a thread does at a *local* place depends on its own variables only, and changes nothing else.
So it does not matter whether others move before or after it, and it may as well happen at once:
whatever can be reached, and with as few contexts, can also be reached by runs in which threads
rest only where they do something shared. The same holds while a thread has the scheduler lock, as
nobody else can move then. A thread rests all the same

- where the question looks (`named`), and inside no atomic section;
- on every cycle: where an edge leads to a location with a smaller or the same number, and at the
  entry of a procedure that may be called, directly or not, by itself. So every step ends. A thread
  without the lock rests on a cycle anyway if some place on it is not local;
- where it may be stuck for some values of its variables, or where it may halt the program. It must
  not vanish there, and others may do something before;
- where a call would put a third entry of the stack in the place of one: rules write at most two;
- where its stack is empty, as far as the step knows it.

Resting is always right: without fusion, threads rest everywhere.

An entry of the stack may be several frames. That of a *joined* procedure shares one with the frame
of its caller: then the step knows where it returns to, and can go on. This is only another way to
write stacks, whichever procedures are joined.

What is local is read off the text. A return with values is followed by their receipt, and nobody
else moves between; so it is local if each receipt of these values is, and if none can block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from tepui.program.expressions import TRUE
from tepui.program.layout import Frame
from tepui.program.program import (
    Assert,
    Call,
    Edge,
    Element,
    End,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    target_of,
)
from tepui.program.semantics.edges import Configuration, Word
from tepui.program.semantics.evaluation import stored, values_of
from tepui.program.types import THREAD, Scalar
from tepui.program.walk import reads_of, targets_of


def _local_points(program: Program) -> frozenset[int]:
    """The points at which everything that a thread can do is local.

    Where threads are forked, procedures with variables that name threads have none: slots keep
    account of these variables.
    """
    silent = frozenset(
        procedure.name for procedure in program.procedures if _returns_silently(program, procedure)
    )
    return frozenset(
        program.layout.point(index, number)
        for index, procedure in enumerate(program.procedures)
        if not (program.forks and any(each.scalar == THREAD for each in procedure.variables))
        for number, edges in enumerate(procedure.leaving)
        if edges and all(_is_local(procedure, edge, silent) for edge in edges)
    )


def points_passed(program: Program) -> frozenset[int]:
    """The points that fused steps pass."""
    local = _local_points(program)
    return local - _stops(program, local)


def points_passed_by_holder(program: Program) -> frozenset[int]:
    """The points that fused steps of a thread pass while it has the scheduler lock."""
    every = frozenset(range(program.layout.waiting))
    return every - _stops(program, every)


def unjoined(entry: Frame) -> Word:
    """The frames of one entry of a stack, top first."""
    alone = Frame(entry.point, entry.values)
    return (alone,) if entry.below is None else (alone, *unjoined(entry.below))


def joined(word: Word, is_joined: Callable[[Frame], bool]) -> Word:
    """The entries that some frames make up: one that is joined goes with the next."""
    entries: list[Frame] = []
    for frame in reversed(word):
        if entries and is_joined(frame):
            entries[-1] = replace(frame, below=entries[-1])
        else:
            entries.append(frame)
    return tuple(reversed(entries))


class Fusing:
    """All that one fused step may do, and how it comes to each end."""

    def __init__(
        self,
        first: Iterable[Configuration],
        goes_on: Callable[[Configuration], Iterable[Configuration] | None],
    ) -> None:
        """`goes_on` gives what comes next, or None where the thread rests."""
        self.ends: dict[Configuration, None] = {}
        self.passed: list[Configuration] = []
        self._before: dict[Configuration, Configuration | None] = dict.fromkeys(first)
        waiting = list(self._before)
        for configuration in waiting:  # Grows while it is walked: the nearest come first.
            following = goes_on(configuration)
            if following is None:
                self.ends[configuration] = None
                continue
            self.passed.append(configuration)
            for each in following:
                if each not in self._before:
                    self._before[each] = configuration
                    waiting.append(each)

    def path(self, end: Configuration) -> list[Configuration]:
        """Every place on a shortest way to an end, and the end."""
        backwards: list[Configuration] = []
        at: Configuration | None = end
        while at is not None:
            backwards.append(at)
            at = self._before[at]
        return backwards[::-1]


def _is_local(procedure: Procedure, edge: Edge, silent: frozenset[str]) -> bool:
    """Whether an edge touches nothing but variables of the frame, and enters no section."""
    if not isinstance(edge, Step | Call | Receive | Return | Assert | End):
        return False
    if isinstance(edge, Return) and edge.values and procedure.name not in silent:
        return False
    target = target_of(edge)
    if target is not None and procedure.locations[target].atomic:
        return False
    assigned = (
        target.variable if isinstance(target, Element) else target for target in targets_of(edge)
    )
    touched = [*assigned, *(read.variable for read in reads_of(edge))]
    return all(variable.procedure == procedure.name for variable in touched)


def _returns_silently(program: Program, procedure: Procedure) -> bool:
    """Whether what a procedure returns is always received by local steps that never block."""
    if any(thread.procedure == procedure.name for thread in program.threads):
        return False
    for caller in program.procedures:
        for call in caller.edges:
            if isinstance(call, Call) and call.procedure == procedure.name:
                for receipt in caller.leaving[call.target]:
                    if not _receives_silently(caller, receipt, procedure.results):
                        return False
    return True


def _receives_silently(caller: Procedure, edge: Edge, results: tuple[Scalar, ...]) -> bool:
    if not isinstance(edge, Receive) or edge.guard != TRUE:
        return False
    if not _is_local(caller, edge, frozenset()):
        return False
    for target, result in zip(edge.targets, results, strict=True):
        if target is None:
            continue
        if target not in caller.variables:
            return False  # An element of an array: its index may be outside.
        extremes = values_of(result)[0], values_of(result)[-1]
        if any(stored(target.scalar, extreme) is None for extreme in extremes):
            return False
    return True


def _stops(program: Program, passed: frozenset[int]) -> frozenset[int]:
    """Points of which every cycle of passed points has one, and all inside atomic sections: no
    step begins there."""
    stops = set()
    for index, procedure in enumerate(program.procedures):
        within = {
            number
            for number in range(len(procedure.locations))
            if program.layout.point(index, number) in passed
        }
        numbers = {number for number, each in enumerate(procedure.locations) if each.atomic}
        for edge in procedure.edges:
            target = target_of(edge)
            if target is None or target > edge.source:
                continue
            if edge.source in _reached(procedure, target, within):
                numbers.add(target)
        if _calls_itself(program, procedure):
            numbers.add(procedure.entry)
        stops |= {program.layout.point(index, number) for number in numbers}
    return frozenset(stops)


def _reached(procedure: Procedure, start: int, within: set[int]) -> set[int]:
    """The locations to which ways through some locations lead, from one of them on."""
    reached = {start} & within
    unread = list(reached)
    for number in unread:
        for edge in procedure.leaving[number]:
            target = target_of(edge)
            if target is not None and target in within and target not in reached:
                reached.add(target)
                unread.append(target)
    return reached


def _calls_itself(program: Program, procedure: Procedure) -> bool:
    """Whether a procedure may be called while it runs."""
    met: set[str] = set()
    unread = [procedure.name]
    while unread:
        for edge in program.by_name[unread.pop()].edges:
            if isinstance(edge, Call) and edge.procedure not in met:
                met.add(edge.procedure)
                unread.append(edge.procedure)
    return procedure.name in met
