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

from tepui.program.expressions import TRUE, is_identity
from tepui.program.layout import Frame
from tepui.program.program import (
    Assert,
    Call,
    Edge,
    End,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    target_of,
    variable_of,
)
from tepui.program.semantics.edges import Configuration, Word
from tepui.program.semantics.evaluation import stored, values_of
from tepui.program.types import THREAD, Scalar
from tepui.program.walk import reads_of, targets_of


def _local_points(program: Program) -> frozenset[int]:
    """The points at which everything that a thread can do is local.

    Where threads are forked, procedures with variables that name threads have none, and those that
    pass identities: slots keep account of these variables.
    """
    silent = _silent_procedures(program)
    return frozenset(
        program.layout.point(index, number)
        for index, procedure in enumerate(program.procedures)
        if not (program.forks and _names_threads(procedure))
        for number, edges in enumerate(procedure.leaving)
        if edges and all(_is_local(procedure, edge, silent) for edge in edges)
    )


def _names_threads(procedure: Procedure) -> bool:
    """Whether a procedure has identities in its frames, or calls others with them."""
    if any(variable.scalar == THREAD for variable in procedure.variables):
        return True
    return any(
        isinstance(edge, Call) and any(map(is_identity, edge.arguments)) for edge in procedure.edges
    )


def points_passed(program: Program) -> frozenset[int]:
    """The points that fused steps pass."""
    local = _local_points(program)
    return local - _entries_of_recursion(program) - _loops(program, local) - _atomic(program)


def points_passed_by_holder(program: Program) -> frozenset[int]:
    """The points that fused steps of a thread pass while no other thread can move."""
    point = program.layout.point
    back = {
        point(index, target)
        for index, procedure in enumerate(program.procedures)
        for edge in procedure.edges
        if (target := target_of(edge)) is not None and target <= edge.source
    }
    every = frozenset(range(program.layout.waiting))
    return every - _entries_of_recursion(program) - back - _atomic(program)


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
    """Whether an edge touches nothing but variables of the frame, and enters no section, except
    that of a checked statement which does no more."""
    if not isinstance(edge, Step | Call | Receive | Return | Assert | End):
        return False
    if isinstance(edge, Return) and edge.values and procedure.name not in silent:
        return False
    target = target_of(edge)
    if target is not None and procedure.locations[target].atomic:
        behind = procedure.locations[target]
        if not isinstance(edge, Assert) or edge.kind == "assertion" or behind.text or behind.labels:
            return False
        # A check leads onwards, so this comes to an end.
        if target <= edge.source or not all(
            _is_local(procedure, each, silent) for each in procedure.leaving[target]
        ):
            return False
    assigned = map(variable_of, targets_of(edge))
    touched = [*assigned, *(read.variable for read in reads_of(edge))]
    return all(variable.procedure == procedure.name for variable in touched)


def _silent_procedures(program: Program) -> frozenset[str]:
    """The procedures whose results are always received by local steps that never block."""
    results = {procedure.name: procedure.results for procedure in program.procedures}
    loud = {thread.procedure for thread in program.threads}
    for caller in program.procedures:
        for call in caller.edges:
            if isinstance(call, Call) and call.procedure not in loud:
                receipts = caller.leaving[call.target]
                received = results[call.procedure]
                if not all(_receives_silently(caller, each, received) for each in receipts):
                    loud.add(call.procedure)
    return frozenset(results) - loud


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


def _atomic(program: Program) -> frozenset[int]:
    """The points inside atomic sections."""
    return frozenset(
        program.layout.point(index, number)
        for index, procedure in enumerate(program.procedures)
        for number, location in enumerate(procedure.locations)
        if location.atomic
    )


def _loops(program: Program, passed: frozenset[int]) -> frozenset[int]:
    """The smallest point of every cycle of passed points, those in sections aside: nobody could
    rest there."""
    through, atomic = _passed_through(program, passed), _atomic(program)
    loops = set()
    for index, procedure in enumerate(program.procedures):
        first = program.layout.first_points[index]
        before = _passed_before(procedure, first, passed, through)
        inside = {number for number in range(len(before)) if first + number in atomic}
        for target, sources in enumerate(before):
            if target not in inside and any(
                _leads_back(before, source, target, inside) for source in sources
            ):
                loops.add(first + target)
    return frozenset(loops)


def _passed_before(
    procedure: Procedure, first: int, passed: frozenset[int], through: frozenset[str]
) -> list[set[int]]:
    """For each location of a procedure, the passed ones from which a step goes on to it: after a
    call, only if it gets through what is called."""
    before: list[set[int]] = [set() for _ in procedure.locations]
    for edge in procedure.edges:
        target = target_of(edge)
        if isinstance(edge, Call) and edge.procedure not in through:
            continue
        if target is not None and first + edge.source in passed and first + target in passed:
            before[target].add(edge.source)
    return before


def _leads_back(before: list[set[int]], end: int, start: int, inside: set[int]) -> bool:
    """Whether a way from one location to another has no location with a smaller number, those
    inside sections aside."""
    if end < start and end not in inside:
        return False
    met, unread = {end}, [end]
    while unread:
        number = unread.pop()
        if number == start:
            return True
        new = {each for each in before[number] if each >= start or each in inside} - met
        met |= new
        unread += new
    return False


def _passed_through(program: Program, passed: frozenset[int]) -> frozenset[str]:
    """The procedures that may be run from entry to return through passed points only. Steps end at
    the entry of one that calls itself."""
    through: frozenset[str] = frozenset()
    recursive = _entries_of_recursion(program)
    while True:
        found = {
            procedure.name
            for index, procedure in enumerate(program.procedures)
            if program.layout.point(index, procedure.entry) not in recursive
            and _ends(procedure, program.layout.first_points[index], passed, through)
        }
        if through == found:
            return through
        through = frozenset(found)


def _ends(
    procedure: Procedure, first: int, passed: frozenset[int], through: frozenset[str]
) -> bool:
    """Whether a way through passed locations leads from the entry of a procedure to its end."""
    before = _passed_before(procedure, first, passed, through)
    leaving = {edge.source for edge in procedure.edges if target_of(edge) is None}
    met = {number for number in leaving if first + number in passed}
    unread = list(met)
    for number in unread:
        unread += before[number] - met
        met |= before[number]
    return procedure.entry in met


def _entries_of_recursion(program: Program) -> frozenset[int]:
    """The entries of procedures that may be called while they run."""
    called = {
        procedure.name: {edge.procedure for edge in procedure.edges if isinstance(edge, Call)}
        for procedure in program.procedures
    }
    entries = set()
    for index, procedure in enumerate(program.procedures):
        met: set[str] = set()
        unread = list(called[procedure.name])
        while unread:
            name = unread.pop()
            if name not in met:
                met.add(name)
                unread += called[name]
        if procedure.name in met:
            entries.add(program.layout.point(index, procedure.entry))
    return frozenset(entries)
