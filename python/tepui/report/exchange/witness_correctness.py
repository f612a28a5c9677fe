"""The invariants of a proof: which values the variables have when a thread is at a statement.

They are read off the certificate, which contains every reachable state and which the checker has
accepted, not off what was explored. So each of them holds whenever some thread is about to execute
the statement: at a loop each time round, and where no thread ever is, it is `0`. Few different
states are listed one by one; of many, only the values of each variable are.

A statement inside an atomic section has none: threads never rest there. Where a variable can have
all its values, or its value does not matter, nothing is said about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tepui.checker import Trace
from tepui.errors import UsageError
from tepui.kernels.lowered import LoweredSystem
from tepui.model import EPSILON
from tepui.program.layout import Slot, Value
from tepui.program.passes.slots import Slotted
from tepui.program.program import NOWHERE, Location, Position
from tepui.program.types import Boolean, Bounded
from tepui.report.exchange.input_files import InputFile
from tepui.report.exchange.witness_violation import is_c_name
from tepui.report.traces.forked import ForkedThreads
from tepui.result import Result

Object = dict[str, Any]

_MOST_STATES = 8
"""So many different states are listed one by one."""


def invariants(system: LoweredSystem, result: Result, files: Sequence[InputFile]) -> list[Object]:
    """The content of a correctness witness."""
    evidence = result.evidence
    if evidence is None or isinstance(evidence, Trace):
        raise UsageError("there is no certificate from which a witness could take invariants")
    places = _places(system, {file.name for file in files})
    pairs = evidence.pairs(system, lambda: True)
    shared = system.shared_values()
    kept = _kept(system)
    for kind, found in zip(system.threads, pairs, strict=True):
        frames = system.frames(kind)
        for number, top in found:
            if top != EPSILON:
                frame = frames[top]
                position = _position(system, frame.point)
                if position in places:
                    places[position].add(kept, shared[number], frame.values)
    return [each for place in places.values() for each in place.invariant()]


@dataclass(slots=True)
class _Place:
    """A statement, and the values that the variables can have there."""

    location: Location
    procedure: str
    locals: tuple[Slot, ...]
    found: set[tuple[tuple[Slot, int], ...]] = field(default_factory=set)

    def add(
        self, kept: Sequence[tuple[int, Slot]], shared: Sequence[Value], values: Sequence[Value]
    ) -> None:
        own = {_variable(slot) for slot in self.locals}
        told = [(slot, shared[index]) for index, slot in kept if _variable(slot) not in own]
        told += [pair for pair in zip(self.locals, values, strict=True) if _can_be_told(pair[0])]
        self.found.add(tuple((slot, value) for slot, value in told if value is not None))

    def invariant(self) -> Iterator[Object]:
        value = _expression(self.found)
        if value is None:
            return
        position, loops = self.location.position, self.location.text.startswith("while")
        yield {
            "invariant": {
                "type": "loop_invariant" if loops else "location_invariant",
                "location": {
                    "file_name": position.file,
                    "line": position.line,
                    "column": position.column,
                    "function": self.procedure,
                },
                "value": value,
                "format": "c_expression",
            }
        }


def _places(system: LoweredSystem, files: set[str]) -> dict[Position, _Place]:
    """Where invariants can be stated: at statements that are not inside atomic sections."""
    program = system.program
    found: dict[Position, _Place] = {}
    hidden: set[Position] = set()
    for procedure, slots in zip(program.procedures, system.layout.frame_slots, strict=True):
        for location in procedure.locations:
            position = location.position
            if location.atomic:
                hidden.add(position)
            elif location.text and position.file in files:
                known = found.setdefault(position, _Place(location, procedure.name, slots))
                if known.locals != slots or known.location.text != location.text:
                    hidden.add(position)
    return {position: place for position, place in found.items() if position not in hidden}


def _position(system: LoweredSystem, point: int) -> Position:
    """Where a thread at a point is about to execute a statement; nowhere, if it is not."""
    if point >= system.layout.waiting:
        return NOWHERE
    index, number = system.layout.locations[point]
    location = system.program.procedures[index].locations[number]
    return location.position if location.text else NOWHERE


def _kept(system: LoweredSystem) -> list[tuple[int, Slot]]:
    """The global variables of the program as it was written, with their places in a state."""
    own = ForkedThreads(system.program).own_globals()
    slots = list(enumerate(system.layout.shared_slots[:own]))
    if isinstance(system.program, Slotted):
        slots = [(index, slot) for index, slot in slots if slot.type != system.program.names]
    return [(index, slot) for index, slot in slots if _can_be_told(slot)]


def _variable(slot: Slot) -> str:
    """The variable to which a scalar belongs, which may be an array."""
    return slot.name.partition("[")[0]


def _can_be_told(slot: Slot) -> bool:
    return isinstance(slot.type, Boolean | Bounded) and is_c_name(slot.name)


def _expression(states: set[tuple[tuple[Slot, int], ...]]) -> str | None:
    """What all these states have in common, in C; None if that is nothing."""
    if not states:
        return "0"
    if () in states:
        return None
    if len(states) <= _MOST_STATES:
        listed = sorted(" && ".join(map(_equal, state)) for state in states)
        return listed[0] if len(listed) == 1 else " || ".join(f"({each})" for each in listed)
    values: dict[Slot, set[int]] = {}
    for state in states:
        for slot, value in state:
            values.setdefault(slot, set()).add(value)
    always = [slot for slot in values if all(slot in dict(state) for state in states)]
    told = [_one_of(slot, values[slot]) for slot in always if len(values[slot]) < slot.type.size]
    return " && ".join(told) or None


def _one_of(slot: Slot, values: set[int]) -> str:
    low, high = min(values), max(values)
    if low == high:
        return _equal((slot, low))
    if len(values) == high - low + 1:
        return f"{low} <= {slot.name} && {slot.name} <= {high}"
    return "(" + " || ".join(_equal((slot, value)) for value in sorted(values)) + ")"


def _equal(pair: tuple[Slot, int]) -> str:
    slot, value = pair
    return f"{slot.name} == {slot.type.text(value)}"
