"""Which sorts are data-independent, and how many values they keep."""

from __future__ import annotations

import pytest

from support.samples.program_texts import program_of
from tepui.errors import ModelError
from tepui.program.expressions import Binary, Choice, Read, Variable
from tepui.program.passes.sort_classes import sorts_of
from tepui.program.passes.sorts import Shrunk, with_small_sorts, with_values
from tepui.program.program import Assert, Location, Position, Procedure, Program, Thread
from tepui.program.types import machine

BIG = "int 0..999999999"
WORD = machine(32, signed=True)


def compared(condition: Binary) -> Program:
    """A program with one assertion about x."""
    place = Location(Position("one.bp", 1, 1), "assert")
    main = Procedure("main", (place,), (Assert(0, None, condition),))
    return Program((main,), (Thread("main", "main"),), (X,), name="one")


X = Variable("x", WORD)


def kept(text: str, forked: int = 0) -> dict[str, tuple[int, ...]]:
    """For each smaller sort, its values."""
    small = with_small_sorts(program_of(text), forked)
    if not isinstance(small, Shrunk):
        return {}
    return {name: sort.values for name, sort in small.sorts.items()}


def test_a_choice_that_is_compared_needs_a_value_of_its_own() -> None:
    (sort,) = sorts_of(compared(Binary("!=", Choice(WORD), Read(X))))
    assert sort.needed(compared(Binary("!=", Choice(WORD), Read(X))), 0) == 2
    two = compared(Binary("=", Choice(WORD), Choice(WORD)))
    assert [sort.needed(two, 0) for sort in sorts_of(two)] == [1]


def test_variables_that_are_only_written_need_one_value_each_cell() -> None:
    assert kept(f"decl x: {BIG}; void main() {{ x := *; }}") == {"x": (0,)}
    assert kept(f"decl a: {BIG}[3]; void main() {{ a[1] := *; }}") == {"a": (0, 1, 2)}


def test_constants_and_initial_values_are_kept() -> None:
    text = f"decl x: {BIG} := 7; void main() {{ x := *; assert(x != 500); }}"
    assert kept(text) == {"x": (0, 7, 500)}


def test_sorts_that_never_meet_are_kept_apart() -> None:
    text = f"decl x: {BIG}; decl y: {BIG}; void main() {{ assert(x = 1); assert(y = 2); }}"
    assert kept(text) == {"x": (0, 1), "y": (0, 2)}
    met = text.replace("assert(y = 2)", "y := x; assert(y = 2)")
    assert kept(met) == {"x": (0, 1, 2, 3)}


def test_cells_of_all_threads_arguments_and_results_count() -> None:
    text = f"""
        decl g: {BIG};
        {BIG} f(p: {BIG}) {{ return p; }}
        void work() {{ decl l: {BIG}; l := f(g); g := l; }}
        void main() {{ thread_create(work()); thread_create(work()); }}
    """
    # g, the result, and twice l, p and what the translation adds for the result.
    (values,) = kept(text).values()
    assert len(values) == 6


def test_forked_threads_count_once_for_each_slot() -> None:
    text = f"decl g: {BIG}; void work(p: {BIG}) {{ g := p; }}"
    text += "void main() { thread t; while (*) { t := async work(g); } }"
    assert [len(kept(text, forked)["g"]) for forked in (0, 1, 3)] == [1, 2, 4]


@pytest.mark.parametrize(
    "used",
    [
        "x := x + 1;",
        "assert(x < 5);",
        "assert(x = y + 1);",
        "a[x] := 0;",
        "small := x;",
        "small := *; assert(x = small);",
        "assert(x = -1);",
        "deep(x);",
    ],
)
def test_other_uses_spoil_a_sort(used: str) -> None:
    text = f"""
        decl x: {BIG}; decl y: {BIG}; decl a: bool[2]; decl small: int 0..3;
        void deep(p: {BIG}) {{ if (*) {{ deep(p); }} assert(p = x); }}
        void main() {{ y := x; {used} }}
    """
    assert "x" not in kept(text)


def test_recursion_without_cells_of_the_sort_is_no_obstacle() -> None:
    text = (
        f"decl x: {BIG}; void deep() {{ x := *; deep(); }} void main() {{ deep(); assert(x=1); }}"
    )
    assert kept(text) == {"x": (0, 1)}


def test_a_small_type_stays_as_it_is() -> None:
    text = "decl x: int 0..1; decl y: int 0..1; void main() { assert(x = y); }"
    assert kept(text) == {}


def test_wrong_values_are_refused() -> None:
    program = program_of(f"decl x: {BIG} := 7; void main() {{ assert(x = 7); }}")
    assert with_values(program, {"x": [7, 9]}).sorts["x"].values == (7, 9)
    for wrong in ({"x": [1, 2]}, {"x": [7, 7]}, {"x": [7, -1]}, {"y": [7]}):
        with pytest.raises(ModelError):
            with_values(program, wrong)
