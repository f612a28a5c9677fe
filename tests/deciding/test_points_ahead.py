"""Where it is worth to look for markers: what may come before what, on a program by hand."""

from __future__ import annotations

import tepui
from tepui.deciding.points_ahead import PointsAhead
from tepui.program.semantics.sections import points_inside

TEXT = """\
decl x := 0;
void deep() {
    x := 1;
}
void tail() {
    x := 0;
    deep();
}
void main() {
    x := 1;
    tail();
    atomic {
        x := 0;
        deep();
    }
    x := 1;
}
"""


def lines_before(line: int, passed: bool) -> set[int]:
    """The lines of the statements before which a step begins that may come to a line."""
    program = tepui.loads(TEXT, "bp", name="t.bp")
    layout = program.layout
    ahead = PointsAhead(layout, points_inside(program) if passed else frozenset())
    lines = {
        point: location.position.line
        for point in range(layout.waiting)
        if (location := layout.location(point)) is not None and location.text
    }
    asked = [point for point, at in lines.items() if at == line]
    return {lines[point] for point in ahead.before(asked) if point in lines}


def test_a_step_comes_to_the_next_statement() -> None:
    assert lines_before(10, passed=False) == {10}
    assert lines_before(11, passed=False) == {10, 11}


def test_a_return_comes_to_whoever_called_also_behind_a_tail_call() -> None:
    assert {3, 12} <= lines_before(12, passed=False)


def test_a_call_comes_to_the_beginning_of_a_procedure() -> None:
    assert {7, 14} <= lines_before(3, passed=False)


def test_a_step_passes_what_is_inside_an_atomic_section() -> None:
    assert 12 not in lines_before(16, passed=False)
    assert {12, 13, 14} <= lines_before(16, passed=True)


def test_a_thread_that_waits_for_its_creation_begins_from_there() -> None:
    program = tepui.loads(
        "decl x := 0;\nvoid f() { skip; }\nvoid main() { x := 1; thread_create(f); }", "bp"
    )
    (created,) = (thread for thread in program.threads if thread.created)
    layout = program.layout
    start = layout.point(program.numbers[created.procedure], 0)
    assert layout.waiting in PointsAhead(layout, frozenset()).before([start])
