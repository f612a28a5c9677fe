"""Where the scalars of a program are, and that its layout is made once."""

from __future__ import annotations

from dataclasses import replace

from support.samples.handmade_programs import local, procedure, program, step, variable
from tepui.program.expressions import FALSE, TRUE
from tepui.program.program import Call, Receive, Return, Thread
from tepui.program.types import BOOLEAN, Array, Bounded

K, M = local("k", procedure="work"), local("m", Bounded(0, 3), procedure="work")
SAMPLE = program(
    procedure("main", Call(0, 1, "f"), Receive(1, None, (None,))),
    procedure("f", Return(0, (FALSE,)), results=(BOOLEAN,)),
    procedure("g", Return(0, (TRUE, FALSE)), results=(Bounded(2, 5), BOOLEAN)),
    procedure("work", step(0, 0), variables=(K, M)),
    shared=(variable("x"), variable("a", Array(BOOLEAN, 2))),
    threads=(
        Thread("main", "main"),
        Thread("v", "work", 3, created=True),
        Thread("w", "work", 2, created=True, inherited=(M, K)),
    ),
)


def test_hidden_scalars_follow_those_of_the_global_variables() -> None:
    layout = SAMPLE.layout
    names = [cell.name for cell in layout.shared_cells]
    assert names[: layout.own_cells] == ["x", "a[0]", "a[1]"]
    _, v, w = SAMPLE.threads
    assert [names[place] for place in layout.results] == ["result 0", "result 1"]
    assert names[layout.created(v)] == "created v"
    assert names[layout.created(w)] == "created w"
    assert names[layout.inherited(w, K)] == "w gets k"
    assert names[layout.inherited(w, M)] == "w gets m"


def test_the_place_of_a_result_holds_what_any_procedure_returns_there() -> None:
    layout = SAMPLE.layout
    types = [layout.shared_cells[place].type for place in layout.results]
    assert types == [Bounded(0, 5), BOOLEAN]


def test_a_program_without_results_has_no_place_for_them() -> None:
    assert program(procedure("main", step(0, 0))).layout.results == ()


def test_the_layout_of_a_program_is_made_once_and_is_its_own() -> None:
    assert SAMPLE.layout is SAMPLE.layout
    equal = replace(SAMPLE)
    assert equal == SAMPLE
    assert equal.layout is not SAMPLE.layout
    assert equal.layout.program is equal


def test_threads_and_procedures_are_numbered_in_their_order() -> None:
    assert SAMPLE.thread_types == (0, 1, 1, 1, 2, 2)
    assert SAMPLE.numbers == {"main": 0, "f": 1, "g": 2, "work": 3}
