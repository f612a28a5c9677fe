"""Integers without bounds in the program language: read, printed, and refused where a program has
to be finite."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tepui
from tepui.errors import ModelError
from tepui.languages import loads
from tepui.languages.boolean.formatter import format_program
from tepui.program.expressions import Choice
from tepui.program.printer import program_text
from tepui.program.program import Program, Step
from tepui.program.semantics.meaning import Meaning
from tepui.program.types import INTEGER, Array, Bounded
from tepui.program.validate import validate

COUNTERS = """
decl x: int := -3, y: int, a: int[4] := 0;

int twice(n: int) {
    decl m: int;
    m := *;
    return 2 * n + m - 1;
}

void main() {
    decl small: int 0..3 := 0;
    x := twice(x);
    small := x;
    y := small;
    if (x < 10) y := *;
}
"""


def test_an_integer_without_bounds_is_a_type_of_variables_parameters_results_and_elements() -> None:
    program = _read(COUNTERS)
    validate(program)
    twice, main = program.procedures
    assert [variable.type for variable in program.globals] == [INTEGER, INTEGER, Array(INTEGER, 4)]
    assert [variable.initial for variable in program.globals] == [-3, None, 0]
    assert [variable.type for variable in twice.variables] == [INTEGER, INTEGER]
    assert twice.results == (INTEGER,)
    assert main.variables[0].type == Bounded(0, 3)


def test_a_star_that_is_assigned_to_an_integer_is_any_integer() -> None:
    steps = [edge for edge in _read(COUNTERS).procedures[0].edges if isinstance(edge, Step)]
    assert [step.assignments[0].value for step in steps] == [Choice(INTEGER)]


def test_integers_are_printed_as_they_are_declared() -> None:
    text = program_text(_read(COUNTERS))
    assert "global x: int := -3\nglobal y: int\nglobal a: int[4] := 0\n" in text
    assert "procedure twice(n: int) returns int\n    local m: int\n" in text
    assert "m := any int" in text


def test_integers_are_formatted_like_other_types() -> None:
    ugly = "decl x:int:=0,a:int [4];\nint f( n:int ){return n;}\nvoid main(){x:=f(x);}\n"
    assert format_program(ugly, "ugly.bp") == (
        "decl x: int := 0, a: int[4];\n\n"
        "int f(n: int) {\n    return n;\n}\n\n"
        "void main() {\n    x := f(x);\n}\n"
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("decl x: int; void main() { assert(1); }", "x is an integer"),
        ("decl x: int[3]; void main() { assert(1); }", "x is an integer"),
        ("void main() { decl n: int; assert(1); }", "n of main is an integer"),
        ("void f(n: int) {} void main() { f(3); assert(1); }", "n of f is an integer"),
        ("int f() { return 1; } void main() { _ := f(); assert(1); }", "the result of f is"),
    ],
)
def test_what_needs_finite_types_refuses_a_program_with_integers_and_names_one(
    text: str, named: str
) -> None:
    program = _read(text)
    runs: list[Callable[[], object]] = [
        lambda: tepui.written_out(program),
        lambda: Meaning(program),
    ]
    for run in runs:
        with pytest.raises(ModelError, match=named) as refused:
            run()
        assert "give it bounds" in str(refused.value)
        assert "dataflow in the domain affine" in str(refused.value)


def test_the_message_says_where_the_integer_is_declared() -> None:
    program = _read("decl y;\nvoid f(n: int) {}\nvoid main() { f(3); assert(1); }\n")
    with pytest.raises(ModelError, match=r"^<text>:2:8: n of f is an integer without bounds"):
        tepui.written_out(program)


def test_an_integer_has_no_number_of_values_that_could_be_taken_for_one() -> None:
    asking: list[Callable[[], int]] = [lambda: INTEGER.low, lambda: INTEGER.size]
    for ask in asking:
        with pytest.raises(ModelError, match="infinitely many"):
            ask()


def _read(text: str) -> Program:
    model = loads(text, "bp").model
    assert isinstance(model, Program)
    return model
