"""Which values the variables have when a thread is at a statement, by a certificate.

A certificate contains every reachable state, and the checker has accepted it. So what it says holds
whenever some thread is about to execute the statement. Inside an atomic section threads never rest,
so nothing is said about statements there, nor about those that fused steps may pass. Other threads
may see what the holder of the scheduler lock passes, so nothing is said where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tepui.checker import Evidence
from tepui.kernels.fusion import fused_points
from tepui.kernels.lowered_system import LoweredSystem
from tepui.model import EPSILON
from tepui.program.layout import Cell, Value
from tepui.program.program import NOWHERE, Location, Position
from tepui.subject.derivations import Description


@dataclass(slots=True)
class StatementValues:
    """A statement, and the values that the variables can have there."""

    location: Location
    procedure: str
    locals: tuple[Cell, ...]
    found: set[tuple[tuple[Cell, int], ...]] = field(default_factory=set)
    """For each different state, the variables with their values. Variables without a value are left
    out."""

    def add(self, values: Sequence[tuple[Cell, Value]]) -> None:
        """Note the variables of a state."""
        self.found.add(tuple((cell, value) for cell, value in values if isinstance(value, int)))


def values_at_statements(
    system: LoweredSystem,
    description: Description,
    evidence: Evidence,
    wanted: Callable[[Cell], bool],
) -> list[StatementValues]:
    """The values of the wanted variables at each statement. A local variable hides a global one."""
    if system.program.lock and system.options.fused:
        return []
    places = _places(system)
    pairs = evidence.pairs(system, lambda: True)
    shared, kept = system.shared_values(), _kept(system, description, wanted)
    for thread_type, found in zip(system.threads, pairs, strict=True):
        frames = system.frames(thread_type)
        for number, top in found:
            frame = frames[top] if top != EPSILON else None
            place = None if frame is None else places.get(_position(system, frame.point))
            if frame is None or place is None:
                continue
            own = {_variable(cell) for cell in place.locals}
            values = shared[number]
            visible = [(cell, values[index]) for index, cell in kept if _variable(cell) not in own]
            local = zip(place.locals, frame.values, strict=True)
            place.add([*visible, *(pair for pair in local if wanted(pair[0]))])
    return list(places.values())


def _places(system: LoweredSystem) -> dict[Position, StatementValues]:
    """The statements that are not inside atomic sections."""
    program = system.program
    found: dict[Position, StatementValues] = {}
    hidden = set(_passed(system))
    for procedure, cells in zip(program.procedures, system.layout.frame_cells, strict=True):
        for location in procedure.locations:
            position = location.position
            if location.atomic:
                hidden.add(position)
            elif location.text:
                known = found.setdefault(position, StatementValues(location, procedure.name, cells))
                if known.locals != cells or known.location.text != location.text:
                    hidden.add(position)
    return {position: place for position, place in found.items() if position not in hidden}


def _passed(system: LoweredSystem) -> Iterator[Position]:
    """Where fused steps may go on, so that threads need not rest there."""
    passed, _ = fused_points(system.program, system.options.fused)
    return (_position(system, point) for point in passed)


def _position(system: LoweredSystem, point: int) -> Position:
    """The place of the statement that a thread at a point is about to execute; NOWHERE if there
    is none."""
    if point >= system.layout.waiting:
        return NOWHERE
    index, number = system.layout.locations[point]
    location = system.program.procedures[index].locations[number]
    return location.position if location.text else NOWHERE


def _kept(
    system: LoweredSystem, description: Description, wanted: Callable[[Cell], bool]
) -> list[tuple[int, Cell]]:
    """The global variables of the program as it was written, with their places in a state; those
    that name threads are left out."""
    cells = enumerate(system.layout.shared_cells[: description.own_globals])
    return [(i, cell) for i, cell in cells if wanted(cell) and not description.names_threads(cell)]


def _variable(cell: Cell) -> str:
    """The variable to which a scalar belongs, which may be an array."""
    return cell.name.partition("[")[0]
