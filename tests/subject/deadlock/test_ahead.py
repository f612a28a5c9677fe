"""Which assignments are ahead of a thread."""

from __future__ import annotations

import pytest

from tepui.api import loads
from tepui.program.layout import Frame
from tepui.program.program import Program
from tepui.subject.deadlock.ahead import Ahead
from tepui.subject.derivations import description_of


def ahead_of(text: str, line: int, *values: int | None, procedure: str = "main") -> Ahead:
    """What is ahead of a thread that is at a line, with these values of its variables."""
    program = loads(text, "bp", threads={"main": 1})
    assert isinstance(program, Program)
    number = program.numbers[procedure]
    locations = program.procedures[number].locations
    (location,) = [
        place for place, at in enumerate(locations) if at.position.line == line and at.text
    ]
    frame = Frame(program.layout.point(number, location), values)
    shared = (0,) * len(program.layout.shared_cells)
    return Ahead(program.layout, description_of(program), 0, [frame], shared)


def assigned(found: Ahead, addresses: range) -> list[tuple[list[int], int | frozenset[int] | None]]:
    """Which scalars are assigned, and the value, or the values where there are several."""
    told = [(list(each.addresses), each.values) for each in found.to(addresses)]
    return [
        (places, next(iter(values)) if values and len(values) == 1 else values)
        for places, values in told
    ]


def test_elements_and_values_are_known_where_they_follow_from_constants() -> None:
    text = """decl x: int 0..9[3] := 0;
void main() {
    decl i: int 0..2;
    i := 1;
    x[i] := i + 4;
    x[x[0]] := 7;
}"""
    assert assigned(ahead_of(text, 4, None), range(3)) == [([1], 5), ([0, 1, 2], 7)]
    assert assigned(ahead_of(text, 5, 2), range(3)) == [([2], 6), ([0, 1, 2], 7)]
    anywhere = [0, 1, 2]
    assert assigned(ahead_of(text, 5, None), range(3)) == [
        (anywhere, frozenset({4, 5, 6})),
        (anywhere, 7),
    ]
    assert assigned(ahead_of(text, 4, None), range(3, 9)) == []


def test_values_that_depend_on_few_others_are_known() -> None:
    text = """decl x: int 0..9 := 0; decl y: int32 := 0; decl z: int 0..4 := 0;
void main() {
    skip;
    x := 2 * z;
    x := y;
}"""
    assert assigned(ahead_of(text, 3), range(1)) == [([0], frozenset({0, 2, 4, 6, 8})), ([0], None)]


def test_a_branch_that_cannot_be_taken_is_left_out() -> None:
    text = """decl x := 0, y := 0;
void main() {
    decl i;
    if (i)
        x := 1;
    if (y)
        x := 0;
}"""
    assert assigned(ahead_of(text, 4, 0), range(1)) == [([0], 0)]
    assert assigned(ahead_of(text, 4, 1), range(1)) == [([0], 1), ([0], 0)]


def test_calls_are_entered_with_their_arguments() -> None:
    text = """decl x: int 0..9[3] := 0;
void put(where: int 0..2, what: int 0..9) {
    x[where] := what;
}
void main() {
    put(2, 8);
    put(0, 3);
}"""
    assert assigned(ahead_of(text, 6), range(3)) == [([2], 8), ([0], 3)]


def test_what_a_caller_does_after_a_return_is_ahead() -> None:
    text = """decl x := 0;
void inner() {
    skip;
    skip;
}
void main() {
    inner();
    x := 1;
}"""
    program = loads(text, "bp", threads={"main": 1})
    assert isinstance(program, Program)
    layout, inner = program.layout, program.numbers["inner"]
    main = program.by_name["main"]
    call = next(edge for edge in main.edges if edge.source == main.entry)
    after = layout.point(program.numbers["main"], call.target)  # type: ignore[union-attr,arg-type]
    stack = [Frame(layout.point(inner, 0)), Frame(after)]
    found = Ahead(layout, description_of(program), 0, stack, (0,))
    assert assigned(found, range(1)) == [([0], 1)]
    assert assigned(Ahead(layout, description_of(program), 0, stack[:1], (0,)), range(1)) == []


def test_a_loop_that_counts_far_ends() -> None:
    text = """decl x: int32 := 0;
void main() {
    decl i: int32;
    while (1) {
        i := i + 1;
        x := i;
    }
}"""
    found = ahead_of(text, 5, 0)
    assert found.complete
    values = [value for _, value in assigned(found, range(1))]
    assert values[:3] == [1, 2, 3]
    assert values[-1] is None
    assert len(values) < 20


@pytest.mark.filterwarnings("ignore:.*wait here forever")
def test_a_value_that_cannot_be_stored_is_never_assigned() -> None:
    text = """decl x: int 0..3 block := 0;
void main() {
    skip;
    x := 7;
    x := 2;
}"""
    assert assigned(ahead_of(text, 3), range(1)) == []
    assert assigned(ahead_of(text, 5), range(1)) == [([0], 2)]
