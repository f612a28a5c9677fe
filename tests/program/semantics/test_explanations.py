"""Explanations of steps: the edges that make up a rule of the reference semantics."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from support.samples.handmade_programs import (
    assign,
    local,
    main,
    procedure,
    program,
    state,
    step,
    text,
    variable,
)
from support.samples.section_programs import CALLS, RECURSIVE, VIOLATION, U, X
from tepui.program.expressions import FALSE, TRUE, Read
from tepui.program.layout import Frame, Layout
from tepui.program.program import Assert, Call, Edge, Program, Return, Step, Thread
from tepui.program.semantics.meaning import Meaning
from tepui.program.state_names import parse_point


def points(meant: Program, *names: str) -> set[int]:
    return {parse_point(Layout(meant), name) for name in names}


def explained(
    meant: Program, source: str, target: str, probes: Collection[int] = (), thread: int = 0
) -> list[str]:
    """The edges of a rule: depth, kind of edge and line, and what is there afterwards."""
    meaning = Meaning(meant, probes=probes)
    layout = meaning.layout
    shared, frame = state(layout, source)
    wanted = [
        rule for rule in meaning.rules(thread, shared, frame) if text(layout, *rule) == target
    ]
    path = meaning.explain(thread, shared, frame, *wanted[0])
    return [
        f"{micro.depth} {place(meant, micro.procedure, micro.edge)} "
        f"{text(layout, micro.shared, [micro.frame] if micro.frame else [])}"
        for micro in path
    ]


def place(meant: Program, number: int | None, edge: Edge | None) -> str:
    name = "nowhere" if number is None else meant.procedures[number].name
    return name if edge is None else f"{name}:{edge.source} {type(edge).__name__}"


def test_a_plain_step_is_explained_by_its_edge() -> None:
    one = main(step(0, 1, assign(X, 1)), step(0, None), shared=(X,))
    assert explained(one, "x=0 | main:0", "x=1 | main:1") == ["0 main:0 Step x=1 | main:1"]
    assert explained(one, "x=0 | main:0", "x=0 | -") == ["0 main:0 Step x=0 | -"]


def test_a_section_is_explained_edge_by_edge_with_its_calls() -> None:
    assert explained(CALLS, "x=1 y=0 | main:0", "x=0 y=1 | main:4") == [
        "0 main:0 Step x=1 y=0 | main:1",
        "0 main:1 Call x=1 y=0 | f:0(p=1)",
        "1 f:0 Call x=1 y=0 | g:0",
        "2 g:0 Step x=0 y=0 | g:1",
        "2 g:1 Step x=0 y=0 | -",
        "1 f:1 Return x=0 y=0 full=1 result_0=1 | -",
        "0 main:2 Receive x=0 y=1 | main:3",
        "0 main:3 Step x=0 y=1 | main:4",
    ]


def test_a_violation_in_a_call_inside_is_explained_up_to_it() -> None:
    assert explained(VIOLATION, "x=0 u=- | main:0", "x=1 u=0 halted=1 | f:0!") == [
        "0 main:0 Step x=1 u=- | main:1",
        "0 main:1 Call x=1 u=- | f:0",
        "1 f:0 Assert x=1 u=0 halted=1 | f:0!",
    ]


def test_a_watched_location_is_explained_up_to_it() -> None:
    probes = points(CALLS, "g:1", "main:1")
    assert explained(CALLS, "x=1 y=0 | main:0", "x=0 y=0 halted=1 | g:1", probes) == [
        "0 main:0 Step x=1 y=0 | main:1",
        "0 main:1 Call x=1 y=0 | f:0(p=1)",
        "1 f:0 Call x=1 y=0 | g:0",
        "2 g:0 Step x=0 y=0 halted=1 | g:1",
    ]
    assert explained(CALLS, "x=1 y=0 | main:0", "x=1 y=0 halted=1 | main:1", probes) == [
        "0 main:0 Step x=1 y=0 halted=1 | main:1",
    ]


def test_explanations_are_shortest() -> None:
    one = program(
        procedure(
            "main",
            step(0, 1),
            step(1, 1),
            step(1, 2),
            step(2, 3),
            step(1, 4),
            Call(4, 5, "f"),
            step(5, 3),
            Call(1, 5, "g"),
            atomic={1, 2, 4, 5},
        ),
        procedure("f", step(0, None)),
        procedure("g", step(0, 1), step(1, 2), step(2, None), Call(0, 2, "f")),
    )
    assert explained(one, "() | main:0", "() | main:3") == [
        "0 main:0 Step () | main:1",
        "0 main:1 Step () | main:2",
        "0 main:2 Step () | main:3",
    ]


def test_of_two_calls_inside_the_shorter_one_explains() -> None:
    edges = [step(0, 1), step(1, 2), step(2, None), step(0, 3), step(3, None)]
    for chosen in (edges, edges[::-1]):
        one = program(
            procedure("main", Call(0, 1, "g"), step(1, 2), atomic={1}), procedure("g", *chosen)
        )
        assert explained(one, "() | main:0", "() | main:2") == [
            "0 main:0 Call () | g:0",
            "1 g:0 Step () | g:3",
            "1 g:3 Step () | -",
            "0 main:1 Step () | main:2",
        ]


def test_calls_inside_are_preferred_where_they_are_shorter() -> None:
    one = program(
        procedure("main", Call(0, 1, "f"), step(0, 2), step(2, 3), step(3, 4), step(4, 5),
                  step(5, 1), step(1, 6), atomic={1, 2, 3, 4, 5}),
        procedure("f", Call(0, 1, "g"), Return(1)),
        procedure("g", Return(0)),
    )  # fmt: skip
    assert len(explained(one, "() | main:0", "() | main:6")) == 5


def test_deep_recursion_is_explained() -> None:
    path = explained(RECURSIVE, "n=2 x=0 | main:0", "n=0 x=0 | main:2")
    assert [line.split(" | ")[0] for line in path] == [
        "0 main:0 Call n=2 x=0",
        "1 f:0 Step n=1 x=0",
        "1 f:1 Call n=1 x=0",
        "2 f:0 Step n=0 x=0",
        "2 f:1 Call n=0 x=0",
        "3 f:0 Step n=0 x=0",
        "2 f:2 Step n=0 x=1",
        "1 f:2 Step n=0 x=0",
        "0 main:1 Step n=0 x=0",
    ]


def test_what_happens_by_no_edge_is_explained_without_one() -> None:
    one = program(
        procedure("main", Assert(0, None, FALSE)),
        procedure("w", Step(0, 0, Read(U))),
        shared=(U,),
        threads=(Thread("main", "main"), Thread("w", "w", created=True)),
    )
    created = "u=0 created_w=1"
    assert explained(one, f"{created} | waiting", f"{created} | w:0", thread=1) == [
        f"0 w {created} | w:0"
    ]
    halted = "u=0 halted=1"
    assert explained(one, f"{halted} | main:0!", f"{halted} | main:0!") == [
        f"0 nowhere {halted} | main:0!"
    ]
    meaning = Meaning(one, decide_first=True)
    shared, frame = state(meaning.layout, "u=- created_w=1 | w:0")
    decided, _ = state(meaning.layout, "u=1 created_w=1 | w:0")
    waiting = Frame(meaning.layout.waiting)
    for top, number in ((frame, 1), (waiting, None)):
        (micro,) = meaning.explain(1, shared, top, decided, (top,))
        assert (micro.procedure, micro.edge, micro.frame) == (number, None, top)
        assert micro.shared == decided


def test_a_created_thread_that_comes_back_to_its_start_is_explained_by_its_edge() -> None:
    one = program(procedure("w", step(0, 1), step(1, 0)), threads=(Thread("w", "w", created=True),))
    assert explained(one, "created_w=1 | w:1", "created_w=1 | w:0") == [
        "0 w:1 Step created_w=1 | w:0"
    ]


def test_the_last_edge_of_an_explanation_shows_the_holder_of_the_lock() -> None:
    lock = variable("lock")
    one = program(
        procedure("main", step(0, 1, assign(lock, 1)), step(1, 2), atomic={1}),
        shared=(lock,),
        lock=lock,
    )
    assert explained(one, "lock=0 | main:0", "lock=1 holder=1 | main:2") == [
        "0 main:0 Step lock=1 | main:1",
        "0 main:1 Step lock=1 holder=1 | main:2",
    ]


def test_there_is_no_explanation_of_what_is_no_rule() -> None:
    one = main(step(0, 1), step(1, 1), shared=(X,))
    meaning = Meaning(one)
    shared, frame = state(meaning.layout, "x=0 | main:0")
    other, _ = state(meaning.layout, "x=1 | main:0")
    with pytest.raises(ValueError, match="no such rule"):
        meaning.explain(0, shared, frame, other, (frame,))
    halting = Meaning(VIOLATION)
    shared, frame = state(halting.layout, "x=0 u=0 halted=1 | main:0")
    with pytest.raises(ValueError, match="no such rule"):
        halting.explain(0, shared, frame, shared, (frame,))


def test_a_call_that_was_run_before_is_explained_again() -> None:
    one = program(
        procedure("main", Call(0, 1, "g"), Call(1, 2, "g"), step(2, 3), atomic={1, 2}),
        procedure("g", step(0, None)),
    )
    path = explained(one, "() | main:0", "() | main:3")
    assert [line.split(" () ")[0] for line in path] == [
        "0 main:0 Call",
        "1 g:0 Step",
        "0 main:1 Call",
        "1 g:0 Step",
        "0 main:2 Step",
    ]


def test_the_call_that_explains_a_result_is_the_one_with_the_right_arguments() -> None:
    p = local("p", procedure="f")
    one = program(
        procedure("main", Call(0, 1, "f", (TRUE,)), Call(0, 1, "f", (FALSE,)), step(1, 2),
                  atomic={1}),
        procedure("f", step(0, None, assign(X, Read(p))), variables=(p,), parameters=1),
        shared=(X,),
    )  # fmt: skip
    for value in (0, 1):
        path = explained(one, "x=0 | main:0", f"x={value} | main:2")
        assert path[0] == f"0 main:0 Call x=0 | f:0(p={value})"
