"""The places that `tepui dataflow` understands, and its messages for others."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tepui.errors import ModelError, UsageError
from tepui.languages import loads
from tepui.program.passes.frames import with_all_frames
from tepui.program.program import Program
from tepui.weighted.dataflow.analysis import dataflow
from tepui.weighted.dataflow.query import Query, query_of

TEXT = """\
decl x: int 0..3 := 0;

void leaf() {
L:  x := x + 1;
}

void inner() {
    x := 0;
}

void middle() {
    leaf();
    skip;
}

void last() {
    x := 2;
    leaf();
}

void worker() {
    if (*) {
        leaf();
    } else {
        leaf();
    }
    skip;
A:  middle();
B:  last();
C:  skip;
    atomic {
        inner();
        x := 3;
    }
D:  skip;
}

void other() {
    x := 1;
}

void main() {
    thread_create(worker, 2);
    thread_create(other);
}
"""


def test_a_place_is_a_line_or_a_label_after_the_name_of_a_thread() -> None:
    assert _lines("worker.2:4") == [[4]]
    assert _lines("worker.2:L") == [[4]]
    assert _lines("worker.2:leaf:L") == [[4]]
    assert _query("worker.2:L").thread == 1
    assert _query("worker.2:L").text == "worker.2 at L"
    assert _query("worker.2:4").text == "worker.2 at line 4"


def test_the_name_of_equal_threads_stands_for_the_first_of_them() -> None:
    assert _query("worker:L").thread == 0
    assert _query("worker:L").text == "worker.1 at L"
    assert _query("other:39").thread == 2


def test_where_there_is_one_thread_it_need_not_be_named() -> None:
    program = _read("decl x; void main() { L: x := 1; }")
    assert query_of(program, "L") == query_of(program, "main:L")
    assert query_of(program, "main:main:L").tops == query_of(program, "L").tops


def test_a_caller_is_a_call_and_the_frame_below_rests_behind_it() -> None:
    assert _lines("worker:L", "12") == [[4], [13]]
    assert _lines("worker:L", "12", "A") == [[4], [13], [29]]
    assert _query("worker:L", "12", "A").text == "worker.1 at L, called from line 12, called from A"


def test_a_call_in_last_position_has_a_frame_too() -> None:
    assert _lines("worker:L", "18") == [[4], [19]]
    assert _lines("worker:L", "18", "B") == [[4], [19], [30]]


@pytest.mark.parametrize(
    ("at", "called_from", "message"),
    [
        (
            "workr:L",
            (),
            "at='workr:L': there is no thread and no procedure workr; did you mean 'worker'?",
        ),
        ("worker", (), "at='worker': expected a place, such as worker:12"),
        ("worker:", (), "at='worker:': expected a place, such as worker:12"),
        (":", (), "at=':': expected a place, such as worker.1:12"),
        ("worker:5", (), "<text> has no statement on line 5; the nearest is on line 4 or 8"),
        ("worker:E", (), "<text> has no label E; its labels are A, B, C, D, L"),
        ("other:L", (), "other never runs the procedure that L is in"),
        (
            "worker:33",
            (),
            "line 33 is inside an atomic section, which is one step: no thread is ever seen "
            "there; ask for the statement before the section or behind it",
        ),
        (
            "worker:8",
            (),
            "line 8 is inside an atomic section, which is one step: no thread is ever seen there; "
            "ask for the statement before the section or behind it",
        ),
        ("worker:L", ("C",), "called_from='C': C calls nothing"),
        ("worker:13", ("23",), "called_from='23': line 23 calls leaf, expected a call of middle"),
        ("worker:L", ("B",), "called_from='B': B calls last, expected a call of leaf"),
        (
            "worker:L",
            ("23",),
            "called_from='23': the call on line 25 comes back to the same statement, so the stack "
            "does not distinguish the two; write `skip;` behind one of them",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_reason(
    at: str, called_from: Sequence[str], message: str
) -> None:
    with pytest.raises(UsageError) as refused:
        _query(at, *called_from)
    assert str(refused.value) == message


def test_a_label_of_several_procedures_is_asked_for_with_one_of_them() -> None:
    text = "decl x; void f() { L: x := 0; } void main() { f(); L: skip; }"
    with pytest.raises(UsageError) as refused:
        query_of(_read(text), "main:L")
    assert str(refused.value) == "L is in several procedures; ask for f:L or main:L"
    assert len(query_of(_read(text), "main:f:L").tops[0]) == 1


def test_options_that_do_not_fit_are_refused() -> None:
    program = _read(TEXT)
    with pytest.raises(UsageError, match="a modulus is for affine relations"):
        dataflow(program, "worker:C", modulus=8)
    with pytest.raises(UsageError, match="contexts is 0; it must be at least 1"):
        dataflow(program, "worker:C", contexts=0)
    with pytest.raises(UsageError, match="modulus is 1; it must be at least 2"):
        dataflow(program, "worker:C", domain="affine", modulus=1)
    with pytest.raises(UsageError, match="there is no domain 'values'"):
        dataflow(program, "worker:C", domain="values")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="takes a System or a Program"):
        dataflow("x.bp", "worker:C")  # type: ignore[arg-type]


def test_programs_that_fork_and_integers_outside_the_affine_domain_are_refused() -> None:
    forking = _read("decl x; void f() { x := 1; } void main() { while (*) async f(); L: skip; }")
    for domain in ("relation", "affine", "shortest"):
        with pytest.raises(ModelError, match="forks threads"):
            dataflow(forking, "main:L", domain=domain)
    unbounded = _read("decl x: int; void main() { L: skip; }")
    with pytest.raises(ModelError, match="x is an integer without bounds"):
        dataflow(unbounded, "L")


def _query(at: str, *called_from: str) -> Query:
    return query_of(with_all_frames(_read(TEXT)), at, called_from)


def _lines(at: str, *called_from: str) -> list[list[int]]:
    """The lines of the points that a query means."""
    layout = with_all_frames(_read(TEXT)).layout
    return [
        [location.position.line for point in sorted(points) if (location := layout.location(point))]
        for points in _query(at, *called_from).tops
    ]


def _read(text: str) -> Program:
    model = loads(text, "bp").model
    assert isinstance(model, Program)
    return model
