"""The builders: numbering, labels, returns from calls, sections, and threads that are created."""

from __future__ import annotations

import pytest

import tepui
from tepui.errors import InputError, ModelError
from tepui.program.build import ProcedureBuilder, ProgramBuilder
from tepui.program.drafts.draft import Creation
from tepui.program.expressions import FALSE, TRUE, Binary, Constant, Expression, Read, Variable
from tepui.program.printer import program_text
from tepui.program.program import (
    Assert,
    Assignment,
    Call,
    Create,
    Fork,
    Position,
    Program,
    Receive,
    Return,
    Step,
)
from tepui.program.types import BOOLEAN, Bounded

SMALL = Bounded(0, 3)
X = Variable("x", SMALL, initial=0)


def _program(*procedures: ProcedureBuilder, count: int = 1) -> Program:
    """The last procedure is the one that runs."""
    builder = ProgramBuilder("built", [X])
    for procedure in procedures:
        builder.add(procedure.draft())
    builder.run(procedures[-1].name, count=count)
    return builder.finish()


def _is(variable: Variable, value: int) -> Expression:
    return Binary("=", Read(variable), Constant(value, SMALL))


def _set(value: int) -> tuple[Assignment, ...]:
    return (Assignment(X, Constant(value, SMALL)),)


def _returning(name: str, value: int) -> ProcedureBuilder:
    builder = ProcedureBuilder(name, results=[SMALL])
    builder.add(Return(builder.rest(), (Constant(value, SMALL),)))
    return builder


def _writing(name: str) -> ProcedureBuilder:
    """Assigns its parameter."""
    parameter = Variable("n", SMALL, name)
    builder = ProcedureBuilder(name, [parameter])
    builder.add(Step(builder.rest(), builder.end, assignments=(Assignment(X, Read(parameter)),)))
    return builder


def test_locations_are_numbered_as_they_come_and_jumps_find_their_labels() -> None:
    builder = ProcedureBuilder("main")
    first = builder.rest(text="goto out")
    builder.add(Step(first, builder.label("out")))
    middle = builder.rest(text="middle")
    builder.add(Step(middle, first))
    builder.add(Step(builder.rest(labels=["out"]), middle))
    procedure = _program(builder).by_name["main"]
    assert procedure.edges == (Step(0, 2), Step(1, 0), Step(2, 1))
    assert [location.labels for location in procedure.locations] == [(), (), ("out",)]


def test_a_place_after_a_call_exists_only_where_something_returns_to_it() -> None:
    falling, calling = ProcedureBuilder("falling"), ProcedureBuilder("calling")
    falling.add(Step(falling.rest(), falling.end))
    calling.call(calling.rest(), calling.end, "falling")
    program = _program(falling, calling)
    assert program.by_name["falling"].edges == (Step(0, None),)
    assert program.by_name["calling"].edges == (Call(0, 1, "falling"), Return(1))


def test_an_empty_procedure_returns() -> None:
    assert _program(ProcedureBuilder("main")).by_name["main"].edges == (Return(0),)


def test_calls_may_be_guarded_as_dispatch_is() -> None:
    main = ProcedureBuilder("main")
    start, after = main.rest(), main.place()
    main.call(start, after, "one", results=(X,), guard=_is(X, 0))
    main.call(start, after, "two", results=(X,), guard=_is(X, 1))
    main.rest(at=after)
    main.add(Assert(after, main.end, _is(X, 1)))
    program = _program(_returning("one", 1), _returning("two", 2), main)
    assert len([edge for edge in program.by_name["main"].edges if isinstance(edge, Receive)]) == 2
    assert tepui.verify(program).verdict == "safe"


def test_a_call_inside_a_section_comes_back_inside() -> None:
    main = ProcedureBuilder("main")
    start = main.rest(text="atomic")
    with main.atomic():
        inner = main.rest(text="f()")
        main.call(inner, main.end, "f", (Constant(2, SMALL),))
    main.add(Step(start, inner))
    procedure = _program(_writing("f"), main).by_name["main"]
    assert [location.atomic for location in procedure.locations] == [False, True, True]
    assert procedure.edges == (
        Step(0, 1),
        Call(1, 2, "f", (Constant(2, SMALL),)),
        Step(2, None),
    )


@pytest.mark.parametrize(("ends", "verdict"), [(True, "safe"), (False, "unsafe")])
def test_sections_may_begin_and_end_by_statements(ends: bool, verdict: str) -> None:
    """Both threads set x to 1 and back to 0; between, nobody sees it if that is atomic."""
    main = ProcedureBuilder("main")
    texts = "check x = 0", "begin", "x = 1", "x = 0", "end"
    check, begin, one, zero, end = (main.rest(text=text) for text in texts)
    main.add(Assert(check, begin, _is(X, 0)))
    if ends:
        main.begin_atomic(begin, one)
        main.end_atomic(end, check)
    else:
        main.add(Step(begin, one))
        main.add(Step(end, check))
    main.add(Step(one, zero, assignments=_set(1)))
    main.add(Step(zero, end, assignments=_set(0)))
    assert tepui.verify(_program(main, count=2)).verdict == verdict


def test_a_section_that_is_left_open_is_refused_as_the_front_end_likes() -> None:
    main = ProcedureBuilder("main")
    main.begin_atomic(main.rest(Position("a.toy", 3, 4)), main.end)
    for refuse, kind in ((None, ModelError), (_input_error, InputError)):
        builder = (
            ProgramBuilder("open") if refuse is None else ProgramBuilder("open", refuse=refuse)
        )
        builder.add(main.draft())
        builder.run("main")
        with pytest.raises(kind, match="found an atomic section still open"):
            builder.finish()


def _input_error(position: Position, message: str) -> InputError:
    return InputError(position.file, position.line, position.column, message)


@pytest.mark.parametrize("loops", [False, True])
def test_what_is_created_more_than_once_is_forked(loops: bool) -> None:
    main = ProcedureBuilder("main")
    start = main.rest(text="create")
    main.create(start, start if loops else main.end, [Creation("f", (Constant(2, SMALL),))])
    program = _program(_writing("f"), main)
    (edge,) = program.by_name["main"].edges
    if loops:
        assert edge == Fork(0, 0, "f", (Constant(2, SMALL),))
        assert [thread.name for thread in program.threads] == ["main"]
    else:
        assert edge == Create(0, None, (1,), ((Constant(2, SMALL),),))
        assert [thread.name for thread in program.threads] == ["main", "f"]


def test_a_thread_begins_at_a_label_with_what_is_live_there() -> None:
    n, m = Variable("n", SMALL, "main", 1), Variable("m", SMALL, "main", 1)
    main = ProcedureBuilder("main", locals=[n, m])
    start, here = main.rest(text="create"), main.rest(labels=["here"])
    main.create(start, main.end, [Creation("main", label="here")])
    main.add(Step(here, main.end, assignments=(Assignment(X, Read(n)),)))
    program = _program(main)
    assert "thread main#2: main from 1, when created with n" in program_text(program)


def test_threads_take_their_arguments_in_a_first_step() -> None:
    builder = ProgramBuilder("built", [X])
    builder.add(_writing("f").draft())
    for value in (1, 2, 2):
        builder.run("f", Constant(value, SMALL))
    program = builder.finish()
    assert [(thread.name, thread.count, thread.start) for thread in program.threads] == [
        ("f(1)", 1, 1),
        ("f(2)", 2, 2),
    ]
    assert len(program.by_name["f"].locations) == 3


def test_results_that_nobody_takes_are_none() -> None:
    program = _program(_returning("main", 2))
    lost = Variable("returned.0", SMALL, "main")
    (edge,) = program.by_name["main"].edges
    assert edge == Step(0, None, assignments=(Assignment(lost, Constant(2, SMALL)),))
    assert program.by_name["main"].results == ()


def test_mistakes_of_front_ends_are_refused() -> None:
    builder = ProcedureBuilder("f")
    place = builder.place()
    with pytest.raises(ModelError, match="f: a call leaves a place at which control does not rest"):
        builder.call(place, builder.end, "g")
    builder.rest(at=place)
    with pytest.raises(ModelError, match="f: control already rests at a place"):
        builder.rest(at=place)
    builder.create(place, builder.end, [])
    with pytest.raises(ModelError, match="f: threads are created twice at one place"):
        builder.create(place, builder.end, [])
    builder.add(Step(builder.place(), place))
    with pytest.raises(ModelError, match="f: an edge leaves a place at which control never rests"):
        builder.draft()
    with pytest.raises(ModelError, match="f: threads are created by `create`"):
        builder.add(Create(place, place, ()))
    with pytest.raises(ModelError, match="a thread passes 0 values, f has parameters: 1"):
        _program(_writing("f"))
    program = ProgramBuilder("twice")
    program.add(ProcedureBuilder("g").draft())
    with pytest.raises(ModelError, match="two procedures have the name g"):
        program.add(ProcedureBuilder("g").draft())


def test_what_comes_out_keeps_the_promises() -> None:
    other = Variable("y", BOOLEAN)
    main = ProcedureBuilder("main")
    main.add(Step(main.rest(), main.end, assignments=(Assignment(other, FALSE),), guard=TRUE))
    with pytest.raises(ModelError, match="the variable y is not declared as it is used"):
        _program(main)
