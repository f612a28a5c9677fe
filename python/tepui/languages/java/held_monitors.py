"""Which monitors a thread surely holds at a place of a program, and where other threads can run.

Only monitors of objects whose number is written down count. What a procedure holds when it begins
is what all its calls hold. A call changes nothing, unless the procedure gives up what its caller
had entered, as waiting does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from tepui.program.expressions import Binary, Constant, Expression, Read, ReadElement
from tepui.program.program import (
    Assignment,
    Call,
    Create,
    Edge,
    Element,
    Procedure,
    Program,
    Step,
    target_of,
    variable_of,
)
from tepui.records import record

Held = frozenset[int]


@record
class MonitorEffect:
    """What a step does with a monitor; `monitor` is None if its object is not known."""

    monitor: int | None
    enters: bool
    gives_up: bool
    """Whether it leaves the monitor altogether, however often it was entered."""


def monitor_effect(edge: Edge) -> MonitorEffect | None:
    """What an edge does with a monitor, if it does."""
    if not isinstance(edge, Step):
        return None
    changes = [each for each in edge.assignments if variable_of(each.target).name == "monitor"]
    if not changes:
        return None
    change = changes[0]
    known = len(changes) == 1 and isinstance(change.target, Element)
    index = change.target.index if isinstance(change.target, Element) else None
    number = index.value if known and isinstance(index, Constant) else None
    enters = isinstance(change.value, Read)
    return MonitorEffect(number, enters, gives_up=_is_nothing(change))


def is_owner_test(expression: Expression) -> bool:
    """Whether an expression asks if the thread itself is in a monitor: nobody else changes that."""
    return (
        isinstance(expression, Binary)
        and expression.operator == "="
        and isinstance(expression.left, ReadElement)
        and expression.left.variable.name == "monitor"
        and isinstance(expression.right, Read)
        and expression.right.variable.name == "me"
    )


class HeldMonitors:
    """What is surely held, at each place of each procedure."""

    def __init__(self, program: Program, restoring: Collection[str]) -> None:
        self._program, self._restoring = program, restoring
        self._lost = self._find_lost()
        self._held = self._find_held()
        self._shared = self._find_shared()

    def at(self, procedure: str, location: int) -> Held:
        return self._held.get((procedure, location), frozenset())

    def is_shared(self, procedure: str, location: int) -> bool:
        """Whether another thread may run while one is at this place."""
        return (procedure, location) in self._shared

    def _find_lost(self) -> dict[str, bool]:
        """The procedures that may give up a monitor that they have not entered themselves."""
        lost = {
            each.name: each.name not in self._restoring and self._gives_up(each)
            for each in self._program.procedures
        }
        changed = True
        while changed:
            changed = False
            for procedure in self._program.procedures:
                called = {each.procedure for each in procedure.edges if isinstance(each, Call)}
                if procedure.name in self._restoring:
                    lost[procedure.name] = False  # It takes back what it has given up.
                elif not lost[procedure.name] and any(lost[each] for each in called):
                    lost[procedure.name] = changed = True
        return lost

    def _gives_up(self, procedure: Procedure) -> bool:
        """Whether something is left that was not entered in the same procedure."""
        own = self._own(procedure)
        for edge in procedure.edges:
            effect = monitor_effect(edge)
            if effect is None or effect.enters:
                continue
            if effect.gives_up:
                return True
            entered = own[edge.source]
            if effect.monitor is None:
                if not entered:
                    return True
            elif effect.monitor not in entered and _UNKNOWN not in entered:
                return True
        return False

    def _own(self, procedure: Procedure) -> dict[int, Held]:
        """What a procedure itself has entered, at least, at each of its places."""
        return _flow(procedure, frozenset(), _own_step)

    def _find_held(self) -> dict[tuple[str, int], Held]:
        started = {thread.procedure for thread in self._program.threads}
        entry: dict[str, Held | None] = {each.name: None for each in self._program.procedures}
        entry |= dict.fromkeys(started, frozenset())
        waiting = list(started)
        found: dict[str, dict[int, Held]] = {}
        while waiting:
            name = waiting.pop()
            begin = entry[name]
            assert begin is not None
            procedure = self._program.by_name[name]
            found[name] = _flow(procedure, begin, self._step)
            for edge in procedure.edges:
                if isinstance(edge, Call) and edge.source in found[name]:
                    held, known = found[name][edge.source], entry[edge.procedure]
                    new = held if known is None else known & held
                    if new != known:
                        entry[edge.procedure] = new
                        waiting.append(edge.procedure)
        return {
            (name, number): held
            for name, places in found.items()
            for number, held in places.items()
        }

    def _step(self, held: Held, edge: Edge) -> Held:
        """What is held after an edge."""
        if isinstance(edge, Call):
            return frozenset() if self._lost[edge.procedure] else held
        effect = monitor_effect(edge)
        if effect is None:
            return held
        if effect.enters:
            return held if effect.monitor is None else held | {effect.monitor}
        return frozenset() if effect.monitor is None else held - {effect.monitor}

    def _find_shared(self) -> set[tuple[str, int]]:
        """The places at which a thread may be while another one runs: those of threads that are
        created, and those that come after a creation."""
        program = self._program
        shared: set[tuple[str, int]] = set()
        waiting: list[tuple[str, int]] = []

        def add(place: tuple[str, int]) -> None:
            if place not in shared:
                shared.add(place)
                waiting.append(place)

        callers: dict[str, list[tuple[str, int]]] = {}
        for procedure in program.procedures:
            for edge in procedure.edges:
                if isinstance(edge, Call):
                    callers.setdefault(edge.procedure, []).append((procedure.name, edge.target))
                if isinstance(edge, Create) and edge.target is not None:
                    add((procedure.name, edge.target))
        several = sum(1 for thread in program.threads if not thread.created) > 1
        for thread in program.threads:
            if thread.created or several:
                add((thread.procedure, program.by_name[thread.procedure].entry))
        while waiting:
            name, number = waiting.pop()
            for edge in program.by_name[name].leaving[number]:
                if isinstance(edge, Call):
                    add((edge.procedure, program.by_name[edge.procedure].entry))
                target = target_of(edge)
                if target is not None:
                    add((name, target))
                else:
                    for caller in callers.get(name, ()):
                        add(caller)
        return shared


_UNKNOWN = -1
"""A monitor that was entered, of an object that is not known."""


def _own_step(held: Held, edge: Edge) -> Held:
    effect = monitor_effect(edge)
    if effect is None:
        return held
    monitor = _UNKNOWN if effect.monitor is None else effect.monitor
    return held | {monitor} if effect.enters else held - {monitor}


def _flow(procedure: Procedure, begin: Held, step: Callable[[Held, Edge], Held]) -> dict[int, Held]:
    """What is held at each place on all ways that lead there."""
    found = {procedure.entry: begin}
    waiting = [procedure.entry]
    while waiting:
        at = waiting.pop()
        for edge in procedure.leaving[at]:
            target = target_of(edge)
            if target is None:
                continue
            held = step(found[at], edge)
            known = found.get(target)
            new = held if known is None else known & held
            if new != known:
                found[target] = new
                waiting.append(target)
    return found


def _is_nothing(change: Assignment) -> bool:
    return isinstance(change.value, Constant) and change.value.value == 0
