"""Programs in which every call leaves a frame of its caller, for questions about stacks.

A call in last position leaves none (`layout.is_bare_end`), so the stack does not show that it was
made. Here each such call comes back to an end of its own, which is not bare: it has a second edge,
which is never taken. That costs one more step, the return from there, and changes nothing else:
this step can always be taken at once.
"""

from __future__ import annotations

from tepui.program.expressions import FALSE
from tepui.program.layout import Layout
from tepui.program.program import Call, Edge, Procedure, Program, Return, Step
from tepui.records import replace


def with_all_frames(program: Program) -> Program:
    """The program with an end of its own for every call in last position.

    Locations are added behind those that a procedure has, so all others keep their numbers.
    """
    layout = program.layout
    procedures = (_with_ends(layout, number) for number in range(len(program.procedures)))
    return replace(program, procedures=tuple(procedures))


def added_ends(before: Program, after: Program) -> frozenset[int]:
    """The points of the ends that `with_all_frames` has added."""
    layout = after.layout
    return frozenset(
        layout.point(number, location)
        for number, (old, new) in enumerate(zip(before.procedures, after.procedures, strict=True))
        for location in range(len(old.locations), len(new.locations))
    )


def _with_ends(layout: Layout, number: int) -> Procedure:
    procedure = layout.program.procedures[number]
    locations, edges, ends = list(procedure.locations), list[Edge](), list[Edge]()
    for edge in procedure.edges:
        if isinstance(edge, Call) and layout.is_tail_call(number, edge):
            end = len(locations)
            locations.append(procedure.locations[edge.target])
            ends += [Return(end), Step(end, end, FALSE)]
            edge = replace(edge, target=end)
        edges.append(edge)
    return replace(procedure, locations=tuple(locations), edges=(*edges, *ends))
