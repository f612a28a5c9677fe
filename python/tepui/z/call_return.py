"""Call-return relations of programs (CUBA, sections 5.1 and 5.2).

When a procedure returns, control goes on after some call of it, and nowhere else. Ω relates each
returning frame to all frames that rest after a call of its procedure, with any values of their
variables (Definition 18). Ω_L keeps those whose values can occur in the program without its shared
variables (R_L, Definition 22). Ω_LL takes frames that differ in dead variables only as equal
(Definition 24).

In the paper the empty stack may come up at any return. Here it comes up only where the procedure
that a thread starts with returns, as any other was called. That makes the mended Theorem 25 apply:
where every return has one outcome, ε counted, Z is exact.

Z is then an over-approximation (Lemma 19). But its returns may lead to wrong places, so it may
contain calls that no call-return relation was made for. So it is no certificate by itself;
`matched`, which is never less sharp, gives the evidence.

The paper's fixed value r(v) of a dead variable is here «no value», as everywhere in lowering;
`valuations` shows r(v) instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import product
from math import prod
from typing import TypeVar

from tepui.errors import UsageError
from tepui.kernels.door import ExplicitZ
from tepui.kernels.lowered_system import LoweredSystem, lower, lowered
from tepui.kernels.program_fields import LoweringOptions
from tepui.model import EPSILON, System
from tepui.parameter_names import given
from tepui.program.calls import procedures_run_by, with_all_called
from tepui.program.layout import (
    Cell,
    Frame,
    Layout,
    SameAs,
    Value,
    in_normal_form,
    known,
    numbered,
    point_class,
    rank,
    same_range,
)
from tepui.program.liveness import live_variables
from tepui.program.passes.without_shared import without_shared_variables
from tepui.program.program import Call, Procedure, Program, target_of
from tepui.records import record

MAX_FRAMES = 1_000_000
"""More frames after calls are not listed: Ω grows exponentially with the local variables."""

_Item = TypeVar("_Item")


@record
class PostCall:
    """A place where a caller goes on: the procedure called, and the point after the call."""

    callee: int
    point: int


def post_calls(program: Program, thread: int) -> tuple[PostCall, ...]:
    """Where returns lead, in the procedures that a thread type can run, in the order of the
    program. A return from a tail call leads where that of its caller would."""
    layout = program.layout
    found: dict[PostCall, None] = {}
    tails = set()
    for caller in procedures_run_by(program, thread):
        for edge in program.procedures[caller].edges:
            if isinstance(edge, Call):
                callee = program.numbers[edge.procedure]
                after = PostCall(callee, layout.point(caller, edge.target))
                if layout.is_tail_call(caller, edge):
                    tails.add((caller, callee))
                elif not program.procedures[caller].locations[edge.target].atomic:
                    found[after] = None
    return tuple(_through_tail_calls(found, tails))


def _through_tail_calls(
    found: dict[PostCall, None], tails: set[tuple[int, int]]
) -> dict[PostCall, None]:
    size = -1
    while size < len(found):
        size = len(found)
        for caller, callee in sorted(tails):
            for after in [after for after in found if after.callee == caller]:
                found[PostCall(callee, after.point)] = None
    return found


def returning_locations(procedure: Procedure) -> frozenset[int]:
    """The locations where control can rest and from which a step may return."""
    found = set()
    for start, location in enumerate(procedure.locations):
        if not location.atomic and _may_return(procedure, start):
            found.add(start)
    return frozenset(found)


def omega(program: Program, thread: int) -> frozenset[tuple[int, int]]:
    """Ω of a thread type, as pairs of points, without values."""
    layout = program.layout
    return frozenset(
        (layout.point(after.callee, location), after.point)
        for after in post_calls(program, thread)
        for location in returning_locations(program.procedures[after.callee])
    )


def reachable_frames(program: Program, thread: int, options: LoweringOptions) -> frozenset[Frame]:
    """R_L: the frames of a thread type in the program without its shared variables."""
    abstract = lower(without_shared_variables(program, thread), options)
    z = ExplicitZ(abstract.kernel, symmetry=True, depth=1)
    while z.advance() != "done":
        pass
    return frozenset(abstract.frames(0)[1:])


def valuations(program: Program, thread: int, *, live: bool = False) -> dict[int, set[Frame]]:
    """R_L at each point after a call, with every value decided; with `live`, dead variables have
    the one fixed value r(v) of Definition 24: the smallest that occurs. Nothing else is computed
    from this. A test uses it to compare R_L with the figures of the paper."""
    options = LoweringOptions(liveness=False, decide_first=True)
    decided = [
        frame for frame in reachable_frames(program, thread, options) if None not in frame.values
    ]
    layout = program.layout
    found: dict[int, set[Frame]] = {}
    for point in {after.point for after in post_calls(program, thread)}:
        frames = [frame for frame in decided if frame.point == point]
        found[point] = set(_fix_dead(layout, point, frames) if live else frames)
    return found


def emergence_tables(system: System, kind: str) -> list[tuple[list[list[int]], list[int]]]:
    """For each template: sets of symbols, and for each class of symbols, which of them may emerge
    when one is popped."""
    templates = range(len(system.templates))
    return [_emergence_table(lowered(system), kind, template) for template in templates]


def _emergence_table(
    system: LoweredSystem, kind: str, template: int
) -> tuple[list[list[int]], list[int]]:
    """This depends only on the procedure of the frame."""
    emerging = _emerging(system, kind, template)
    numbers = {procedure: number for number, procedure in enumerate(emerging, start=1)}
    of_class = [0] * point_class(system.layout.points)
    for point, (procedure, _) in enumerate(system.layout.locations):
        of_class[point_class(point)] = numbers.get(procedure, 0)
    return [[], *emerging.values()], of_class


def _emerging(system: LoweredSystem, kind: str, template: int) -> dict[int, list[int]]:
    """For each procedure, the symbols that may emerge when it returns."""
    program = system.program
    thread_type, _ = system.layout.templates[template]
    start = program.numbers[program.threads[thread_type].procedure]
    in_its_place = with_all_called(program, [start], system.layout.is_tail_call)
    emerging: dict[int, list[int]] = {procedure: [EPSILON] for procedure in in_its_place}
    known = _frames_after_calls(system.layout, thread_type, kind, system.options)
    for callee, frames in known.items():
        symbols = [system.symbol(template, frame) for frame in frames]
        emerging.setdefault(callee, []).extend(symbols)
    return emerging


@lru_cache(maxsize=16)
def _frames_after_calls(
    layout: Layout, thread: int, kind: str, options: LoweringOptions
) -> dict[int, tuple[Frame, ...]]:
    """For each procedure, the frames that may rest after a call of it."""
    if kind == "omega":
        at_point = _all_frames(layout, thread)
    else:
        at_point = _frames_of_r_l(layout, thread, options)
    found: dict[int, tuple[Frame, ...]] = {}
    for after in post_calls(layout.program, thread):
        known = found.get(after.callee, ())
        found[after.callee] = tuple(_unique([*known, *at_point[after.point]]))
    return found


def _all_frames(layout: Layout, thread: int) -> dict[int, list[Frame]]:
    """Any values of the variables, and no value."""
    found = {}
    for after in post_calls(layout.program, thread):
        cells = layout.frame_cells[layout.locations[after.point][0]]
        choices = [_any_value(layout, after.point, place) for place in range(len(cells))]
        found[after.point] = list(_chosen(after.point, "omega", choices))
    return found


def _any_value(layout: Layout, point: int, place: int) -> list[Value]:
    """All that a local variable may have, no value and that of an earlier one included."""
    cells = layout.frame_cells[layout.locations[point][0]]
    scalar, values = cells[place].type, _values_of(cells[place])
    copies = layout.copies and scalar.size > 2
    earlier = [n for n in range(place) if copies and same_range(cells[n].type, scalar)]
    return [None, *values, *map(SameAs, earlier)]


def _frames_of_r_l(layout: Layout, thread: int, options: LoweringOptions) -> dict[int, list[Frame]]:
    """R_L after calls. Where it leaves a variable without a value, the program may have decided it,
    by a use that was removed with the shared variables."""
    plain = replace(options, liveness=False, probes=frozenset())
    kind = "omega-ll" if options.liveness else "omega-l"
    found: dict[int, list[Frame]] = {
        after.point: [] for after in post_calls(layout.program, thread)
    }
    for frame in sorted(reachable_frames(layout.program, thread, plain), key=_order):
        if frame.point in found:
            live = _live_cells(layout, frame.point)
            if options.liveness:
                frame = _without_dead(frame, live)
            else:
                live = [True] * len(live)
            found[frame.point] += _decided(layout, frame, kind, live)
    return found


def _decided(layout: Layout, frame: Frame, kind: str, live: list[bool]) -> Iterator[Frame]:
    """A frame with any values, or none, for those live variables that have none. Those with the
    same value have the same."""
    cells = layout.frame_cells[layout.locations[frame.point][0]]
    choices: list[list[Value]] = [
        [None, *_values_of(cell)] if value is None and is_live else [value]
        for value, cell, is_live in zip(frame.values, cells, live, strict=True)
    ]
    return _chosen(frame.point, kind, choices)


def _values_of(cell: Cell) -> range:
    return range(cell.type.low, cell.type.low + cell.type.size)


def _chosen(point: int, kind: str, choices: list[list[Value]]) -> Iterator[Frame]:
    """The frames with all these values."""
    count = prod(len(values) for values in choices)
    if count > MAX_FRAMES:
        raise UsageError(
            f"{given('z', kind)}: the call-return relation lists {count:,} frames after one call, "
            f"with all values of local variables; {given('z', 'matched')} finds out which of them "
            "can occur"
        )
    return (Frame(point, _followed(values)) for values in product(*choices))


def _followed(values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Values, where those that are the same as an earlier one have what that has."""
    found: list[Value] = []
    for value in values:
        earlier = found[value.cell] if isinstance(value, SameAs) else None
        found.append(value if earlier is None else earlier)
    return tuple(found)


def _without_dead(frame: Frame, live: list[bool]) -> Frame:
    """A frame without the values of dead variables."""
    values = zip(numbered(frame.values), live, strict=True)
    return Frame(
        frame.point, in_normal_form(value if is_live else None for value, is_live in values)
    )


def _live_cells(layout: Layout, point: int) -> list[bool]:
    index, number = layout.locations[point]
    procedure = layout.program.procedures[index]
    live = live_variables(procedure)[number]
    return [variable in live for variable in procedure.variables for _ in range(variable.length)]


def _fix_dead(layout: Layout, point: int, frames: list[Frame]) -> Iterator[Frame]:
    """The frames, where each dead variable gets the smallest value that it has in any of them."""
    cells = _live_cells(layout, point)
    for frame in frames:
        values = tuple(
            value if is_live else min(known(other.values[cell]) or 0 for other in frames)
            for cell, (value, is_live) in enumerate(zip(frame.values, cells, strict=True))
        )
        yield Frame(point, values)


def _may_return(procedure: Procedure, start: int) -> bool:
    seen, work = {start}, [start]
    while work:
        for edge in procedure.leaving[work.pop()]:
            target = target_of(edge)
            if target is None:
                return True
            if procedure.locations[target].atomic and target not in seen:
                seen.add(target)
                work.append(target)
    return False


def _order(frame: Frame) -> tuple[int, tuple[tuple[int, int], ...]]:
    return frame.point, tuple(map(rank, frame.values))


def _unique(items: Iterable[_Item]) -> Iterable[_Item]:
    return dict.fromkeys(items)
