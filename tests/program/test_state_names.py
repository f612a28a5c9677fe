"""States of programs as text: what is written is read back, and nothing else is read."""

from __future__ import annotations

import itertools
from dataclasses import replace
from random import Random

import pytest

from support.generators.programs import random_program
from support.samples.handmade_programs import (
    assign,
    local,
    main,
    procedure,
    program,
    step,
    variable,
)
from tepui.program.expressions import FALSE, Variable
from tepui.program.layout import Frame, Layout, SameAs
from tepui.program.program import (
    Assert,
    Call,
    Position,
    Program,
    Receive,
    Return,
    Thread,
    thread_names,
)
from tepui.program.state_names import (
    frame_text,
    parse_frame,
    parse_point,
    parse_shared,
    point_text,
    shared_text,
)
from tepui.program.types import BOOLEAN, Array, Bounded, Enumeration, Type

DIGIT = Bounded(0, 9)
COLOUR = Enumeration(("red", "green"))
SHARED = (
    variable("x"),
    variable("c", COLOUR),
    variable("n", Bounded(-2, 7)),
    variable("a", Array(BOOLEAN, 2)),
)
A, T = local("a"), local("t", COLOUR)
WORK = local("k", Bounded(0, 3), procedure="work")
SAMPLE = program(
    procedure("main", Call(0, 1, "f"), Receive(1, 2, (None,)), Assert(2, None, FALSE),
              Assert(2, None, FALSE), variables=(A, T)),
    procedure("f", Return(0, (FALSE,)), results=(BOOLEAN,)),
    procedure("work", step(0, 0), variables=(WORK,)),
    shared=SHARED,
    threads=(
        Thread("main", "main"),
        Thread("w", "work", 2, created=True, inherited=(WORK,)),
    ),
)  # fmt: skip
LAYOUT = Layout(SAMPLE)
CELLS = len(LAYOUT.shared_cells)


def test_a_shared_state_shows_its_variables_and_hidden_ones_that_are_not_0() -> None:
    plain = (1, 1, -2, 0, None) + (0,) * (CELLS - 5)
    assert shared_text(LAYOUT, plain) == "x=1 c=green n=-2 a[0]=0 a[1]=-"
    hidden = (None, None, None, 1, 0, 1, 1, 1, 1, 3)
    assert shared_text(LAYOUT, hidden) == (
        "x=- c=- n=- a[0]=1 a[1]=0 halted=1 full=1 result_0=1 created_w=1 w_gets_k=3"
    )
    assert parse_shared(LAYOUT, shared_text(LAYOUT, plain)) == plain
    assert parse_shared(LAYOUT, shared_text(LAYOUT, hidden)) == hidden


def test_a_shared_state_with_nothing_to_show_has_a_text_too() -> None:
    for sample in (main(step(0, 0)), main(Assert(0, 0, FALSE))):
        layout = Layout(sample)
        state = (0,) * len(layout.shared_cells)
        assert shared_text(layout, state) == "()"
        assert parse_shared(layout, "()") == state


def test_a_frame_shows_where_it_is_and_its_variables() -> None:
    frame = Frame(2, (1, None))
    assert frame_text(LAYOUT, frame) == "main:2(a=1 t=-)"
    assert parse_frame(LAYOUT, "main:2(a=1 t=-)") == frame
    assert frame_text(LAYOUT, Frame(3)) == "f:0"
    assert parse_frame(LAYOUT, "f:0") == Frame(3)
    assert frame_text(LAYOUT, Frame(LAYOUT.waiting)) == "waiting"
    assert parse_frame(LAYOUT, "waiting") == Frame(LAYOUT.waiting)


def test_violations_are_told_apart_from_each_other_and_from_their_location() -> None:
    texts = [frame_text(LAYOUT, Frame(LAYOUT.violation(number))) for number in range(2)]
    assert texts == ["main:2!", "main:2!2"]
    assert [parse_frame(LAYOUT, text).point for text in texts] == [
        LAYOUT.violation(0),
        LAYOUT.violation(1),
    ]


def test_locations_on_one_line_are_numbered() -> None:
    sample = main(step(0, 1), step(1, 2), Assert(2, 3, FALSE), step(3, 3))
    places = [
        replace(location, position=Position("p", line, 1))
        for location, line in zip(sample.procedures[0].locations, (4, 5, 4, 4), strict=True)
    ]
    moved = replace(sample.procedures[0], locations=tuple(places))
    layout = Layout(replace(sample, procedures=(moved,)))
    names = [point_text(layout, point) for point in range(layout.points)]
    assert names == ["main:4", "main:5", "main:4.2", "main:4.3", "waiting", "main:4.2!"]
    assert [parse_point(layout, name) for name in names] == list(range(layout.points))


def test_every_point_of_a_program_has_a_text_of_its_own() -> None:
    for seed in range(20):
        layout = Layout(random_program(Random(seed)))
        names = [point_text(layout, point) for point in range(layout.points)]
        assert len(set(names)) == layout.points
        assert [parse_point(layout, name) for name in names] == list(range(layout.points))


SAME = program(
    procedure("main", step(0, 1), variables=tuple(local(n, DIGIT) for n in ("p", "q=1", "r="))),
    shared=(variable("x", DIGIT), variable("x=1", DIGIT), variable("y=", DIGIT)),
)


def test_what_has_the_same_value_names_the_first() -> None:
    layout = Layout(SAME)
    for values, expected in (
        ((None, SameAs(0), SameAs(0)), "x=- x=1==x y%3D==x"),
        ((2, None, SameAs(1)), "x=2 x=1=- y%3D==x%3D1"),
        ((0, 1, 2), "x=0 x=1=1 y%3D=2"),
    ):
        assert shared_text(layout, values) == expected
        assert parse_shared(layout, expected) == values
    frame = Frame(0, (None, SameAs(0), SameAs(0)))
    assert frame_text(layout, frame) == "main:0(p=- q=1==p r%3D==p)"
    assert parse_frame(layout, frame_text(layout, frame)) == frame


@pytest.mark.parametrize("text", ["x==x", "x==x=1", "x=1==z", "x=1==1", "y%3D===x"])
def test_only_an_earlier_variable_can_be_named(text: str) -> None:
    layout = Layout(SAME)
    missing = {"x": "x=0", "x=1": "x=1=0", "y%3D": "y%3D=0"}
    del missing[next(name for name in ("x=1", "y%3D", "x") if text.startswith(f"{name}="))]
    with pytest.raises(ValueError, match="is not a variable"):
        parse_shared(layout, " ".join([*missing.values(), text]))


STRANGE = ["{a, b}", "{a|b}", "a b", "a_b", "a%20b", "x=1", "(", "halted", "halted#2", "é\u2028"]


def strange_program() -> Program:
    """Names of all kinds, for variables, members and procedures."""
    members = Enumeration(("-", "a=b", "a b", "a,b", "0"))
    kinds: itertools.cycle[Type] = itertools.cycle((BOOLEAN, members))
    shared = tuple(Variable(name, kind) for name, kind in zip(STRANGE, kinds, strict=False))
    procedures = [
        procedure(
            name,
            step(0, 1),
            Assert(1, 1, FALSE),
            variables=tuple(Variable(other, members, name) for other in STRANGE),
        )
        for name in STRANGE
    ]
    threads = tuple(Thread(name, name, created=True) for name in STRANGE)
    return program(*procedures, shared=shared, threads=threads)


def test_strange_names_are_written_so_that_they_can_be_read_among_others() -> None:
    layout = Layout(strange_program())
    rng = Random(1)
    for point in range(layout.points):
        cells = layout.frame_cells[layout.locations[point][0]] if point < layout.waiting else ()
        for _ in range(8):
            values = tuple(rng.choice([None, *range(cell.type.size)]) for cell in cells)
            text = frame_text(layout, Frame(point, values))
            assert parse_frame(layout, text) == Frame(point, values)
            assert not set(text) & set(",|\u2028\n")
    for _ in range(100):
        state = tuple(rng.choice([None, *range(s.type.size)]) for s in layout.shared_cells)
        text = shared_text(layout, state)
        assert parse_shared(layout, text) == state
        assert not set(text) & set(",|\u2028\n")


def test_random_states_are_read_back() -> None:
    rng = Random(2)
    for seed in range(10):
        layout = Layout(random_program(Random(seed)))
        for _ in range(20):
            state = tuple(
                rng.choice([None, cell.type.low, cell.type.low + cell.type.size - 1])
                for cell in layout.shared_cells
            )
            assert parse_shared(layout, shared_text(layout, state)) == state


GOOD = "x=1 c=green n=-2 a[0]=0 a[1]=-"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "does not say what x is"),
        ("()", "does not say what x is"),
        (GOOD.replace("x=1 ", ""), "does not say what x is"),
        (f"{GOOD} x=1", "says twice what x is"),
        (f"{GOOD} y=1", "'y' is not a variable there"),
        (f"{GOOD} result 0=1", "'result' is not of the form name=value"),
        (f"{GOOD} ", "'' is not of the form name=value"),
        (GOOD.replace("x=1", "x=2"), "x cannot be '2': it is bool"),
        (GOOD.replace("x=1", "x=01"), "x cannot be '01'"),
        (GOOD.replace("x=1", "x=+1"), "x cannot be '+1'"),
        (GOOD.replace("x=1", "x=１"), "x cannot be"),
        (GOOD.replace("x=1", "x="), "x cannot be ''"),
        (GOOD.replace("x=1", f"x={'9' * 5000}"), "x cannot be"),
        (GOOD.replace("green", "blue"), "c cannot be 'blue': it is enum {red, green}"),
        (GOOD.replace("green", "1"), "c cannot be '1'"),
        (GOOD.replace("n=-2", "n=-3"), "n cannot be '-3': it is int -2..7"),
        (GOOD.replace("n=-2", "n=8"), "n cannot be '8'"),
        (GOOD.replace("n=-2", "n=-0"), "n cannot be '-0'"),
        (f"{GOOD} halted=2", "halted cannot be '2'"),
    ],
)
def test_what_is_no_shared_state_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        parse_shared(LAYOUT, text)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no place ''"),
        ("-", "no place '-'"),
        ("main", "no place 'main'"),
        ("main:9(a=0 t=-)", "no place 'main:9'"),
        ("main:2.2(a=0 t=-)", "no place 'main:2.2'"),
        ("main:2!3", "no place 'main:2!3'"),
        ("main:2", "does not say what a is"),
        ("main:2()", "does not end with its variables"),
        ("main:2(a=0)", "does not say what t is"),
        ("main:2(a=0 t=-", "does not end with its variables"),
        ("main:2(a=0 t=-) ", "does not end with its variables"),
        ("main:2(a=0 t=- a=0)", "says twice what a is"),
        ("main:2(a=0 t=- x=1)", "'x' is not a variable there"),
        ("main:2(a=0 t=blue)", "t cannot be 'blue'"),
        ("f:0()", "does not end with its variables"),
        ("waiting(a=0)", "'a' is not a variable there"),
        ("main:2!(a=0 t=-)", "'a' is not a variable there"),
    ],
)
def test_what_is_no_frame_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        parse_frame(LAYOUT, text)
    assert words in str(caught.value)


def test_threads_of_one_type_are_numbered() -> None:
    assert thread_names(SAMPLE) == ("main", "w.1", "w.2")


def test_an_assignment_does_not_change_how_a_place_is_called() -> None:
    x = variable("x")
    before, after = main(step(0, 1)), main(step(0, 1, assign(x, 1)), shared=(x,))
    assert point_text(Layout(before), 1) == point_text(Layout(after), 1) == "main:1"
