"""Affine relations of small programs, each of which shows one thing."""

from __future__ import annotations

import pytest

from tepui.errors import UsageError
from tepui.languages import loads
from tepui.program.program import Program
from tepui.weighted.dataflow.affine_forms import Form, Range
from tepui.weighted.dataflow.affine_relations import MOST_VARIABLES
from tepui.weighted.dataflow.analysis import dataflow
from tepui.weighted.dataflow.answers import AffineRelation, AffineRelations

CONDITIONS = "conditions are not interpreted: what is printed holds, but more may"


def test_known_values_and_relations_are_found_over_the_integers() -> None:
    body = "x := 3; if (*) y := x + 1; else { x := 5; y := 6; } L: skip;"
    assert _relations(f"decl x: int, y: int; void main() {{ {body} }}") == ["y = x + 1"]


def test_a_variable_that_starts_with_any_value_is_unknown_at_the_start() -> None:
    assert _relations("decl x: int, y: int; void main() { y := x; L: skip; }") == ["y = x"]
    assert _relations("decl x: int := 2, y: int; void main() { y := x; L: skip; }") == [
        "x = 2",
        "y = 2",
    ]


@pytest.mark.parametrize(
    ("declared", "modulus", "expected"),
    [
        ("int 0..7", None, ["y = 0"]),
        ("int 0..7", 8, ["x = 1 (mod 8)", "y = 0 (mod 8)"]),
        ("int 0..7", 4, ["x = 1 (mod 4)", "y = 0 (mod 4)"]),
        ("int 0..7", 3, ["y = 0 (mod 3)"]),
        ("int 0..7 saturate", 8, ["y = 0 (mod 8)"]),
        ("int 0..7 block", None, ["x = 1", "y = 0"]),
        ("int", None, ["x = 1", "y = 0"]),
        ("int", 16, ["x = 1 (mod 16)", "y = 0 (mod 16)"]),
    ],
)
def test_an_assignment_counts_as_affine_only_where_it_cannot_wrap_or_saturate_unseen(
    declared: str, modulus: int | None, expected: list[str]
) -> None:
    text = f"decl x: {declared} := 0, y: int := 0; void main() {{ x := x + 1; L: skip; }}"
    assert _relations(text, modulus=modulus) == expected


def test_an_assignment_that_stays_in_the_range_for_certain_is_affine() -> None:
    text = "decl x: int 0..3, y: int 0..9; void main() { y := 2 * x + 3; L: skip; }"
    assert _relations(text) == ["y = 2 x + 3"]
    assert _relations(text.replace("0..9", "0..8")) == []


def test_booleans_and_members_of_enumerations_take_part() -> None:
    text = "decl b: bool, c: bool, e: enum {red, green}; "
    assert _relations(text + "void main() { c := !b; e := green; L: skip; }") == [
        "b + c = 1",
        "e = 1",
    ]


def test_what_is_not_affine_is_unknown_and_the_answer_says_where() -> None:
    text = "decl x: int := 2, y: int := 0;\nvoid main() {\n    y := x * x;\nL:  skip;\n}\n"
    answer = _answer(text)
    assert [str(relation) for relation in answer.relations] == ["x = 2"]
    assert answer.notes == (
        "not affine, so what is assigned is taken as unknown: <text>:3 y := x * x",
    )


@pytest.mark.parametrize(
    ("overflow", "why"),
    [
        ("", "x: int 0..3 may wrap around (modulus=4 helps)"),
        (" saturate", "x: int 0..3 saturate may reach its bound"),
    ],
)
def test_what_may_leave_its_range_is_unknown_and_the_answer_says_what_helps(
    overflow: str, why: str
) -> None:
    text = f"decl x: int 0..3{overflow} := 0;\nvoid main() {{ x := x + 1; L: skip; }}\n"
    assert _answer(text).notes == (
        f"{why}, so what is assigned is taken as unknown: <text>:2 x := x + 1",
    )


def test_a_result_that_may_leave_the_range_of_what_receives_it_is_unknown() -> None:
    text = "decl x: int 0..3 := 0;\nint f() { return 5; }\nvoid main() { x := f(); L: skip; }\n"
    (note,) = _answer(text).notes
    assert note.startswith("x: int 0..3 may wrap around (modulus=4 helps), so")


def test_elements_of_arrays_are_unknown() -> None:
    text = "decl a: int[2] := 0, x: int := 0; void main() { a[0] := 1; x := a[1]; L: skip; }"
    assert _answer(text).variables == ("x",)
    assert _relations(text) == []


def test_conditions_are_not_interpreted_and_the_answer_says_so() -> None:
    text = "decl x: int := 0; void main() { if (x = 1) x := 2; L: skip; }"
    assert _relations(text) == []
    assert _answer(text).notes == (CONDITIONS,)
    assert _answer("decl x: int := 0; void main() { assume(x = 0); L: skip; }").notes == (
        CONDITIONS,
    )


def test_that_an_assignment_may_block_is_not_interpreted_either() -> None:
    blocking = _answer("decl x: int 0..1 block := 1; void main() { x := x + 1; L: skip; }")
    assert [str(relation) for relation in blocking.relations] == ["x = 2"]
    assert blocking.notes == (CONDITIONS,)


def test_a_branch_that_is_never_taken_does_not_count() -> None:
    assert _relations("decl x: int := 0; void main() { if (0) x := 2; L: skip; }") == ["x = 0"]


def test_a_place_behind_an_endless_loop_is_unreachable() -> None:
    answer = _answer("decl x: int := 0; void main() { while (1) x := x + 1; L: skip; }")
    assert not answer.reachable
    assert str(answer) == "main at L: unreachable within 2 contexts; more may reach it"


def test_arguments_and_results_are_passed_by_value() -> None:
    text = """
    decl x: int, y: int;
    int twice(n: int) { n := 2 * n; return n; }
    void main() { y := twice(x); L: skip; }
    """
    assert _relations(text) == ["y = 2 x"]


RECURSIVE = """
decl x: int := 0;
void count(n: int) {
    decl m: int := 0;
    m := n + 1;
    if (*) { count(n + 2); }
L:  x := m;
R:  skip;
}
void main() { thread_create(count(0), 2); }
"""


def test_every_activation_keeps_its_local_variables_within_two_contexts() -> None:
    answer = _answer(RECURSIVE, at="count.1:L", contexts=2)
    assert [str(relation) for relation in answer.relations] == ["m = n + 1"]
    assert answer.notes == ()


def test_beyond_two_contexts_local_variables_are_unknown_after_a_recursive_call() -> None:
    answer = _answer(RECURSIVE, at="count.1:L", contexts=3)
    assert answer.relations == ()
    assert answer.notes == (
        "local variables of recursive procedures are taken as unknown after a call that may lead "
        "back to them",
    )


def test_one_thread_alone_is_never_interrupted_so_any_bound_is_exact() -> None:
    text = RECURSIVE.replace(", 2)", ")")
    assert _relations(text, at="count:L", contexts=9) == ["m = n + 1"]


def test_a_local_variable_that_is_only_shown_is_unknown_after_a_recursive_call_as_well() -> None:
    text = """
    void count() { decl m: int := 5; if (*) { count(); L: skip; } skip; }
    void main() { thread_create(count, 2); }
    """
    assert _relations(text, at="count.1:L", contexts=3) == []
    assert _relations(text, at="count.1:L", contexts=2) == ["m = 5"]


def test_a_procedure_that_ends_with_a_call_has_lost_the_values_of_its_caller_by_then() -> None:
    text = """
    decl x: int := 0;
    void idle() { skip; }
    void count(n: int) { if (*) { count(7); L: x := n; } idle(); }
    void main() { thread_create(count(5), 2); }
    """
    assert _relations(text, at="count.1:L", contexts=3) == []
    assert _relations(text, at="count.1:L", contexts=2) == []


ATOMIC = """
decl x: int := 0, y: int := 0;
void add() { x := x + 1; y := y + 1; }
void both() { while (*) { atomic { add(); skip; } } L: skip; }
void main() { thread_create(both, 2); }
"""


def test_nobody_sees_the_inside_of_an_atomic_section() -> None:
    assert _relations(ATOMIC, at="both.1:L", contexts=3) == ["y = x"]
    torn = ATOMIC.replace("atomic { add(); skip; }", "add();")
    assert _relations(torn, at="both.1:L", contexts=3) == []


def test_a_call_that_ends_an_atomic_section_runs_as_usual() -> None:
    text = ATOMIC.replace("atomic { add(); skip; }", "1: x := x + 1; y := y + 1; add();")
    assert _relations(text, at="both.1:L", contexts=3) == []
    step = ATOMIC.replace("atomic { add(); skip; }", "1: x := x + 1; y := y + 1;")
    assert _relations(step, at="both.1:L", contexts=3) == ["y = x"]


def test_what_a_returning_section_did_is_seen_before_the_result_is_received() -> None:
    text = """
    decl g: int 0..1 := 0;
    int 0..1 flash() { atomic { g := 1; return 0; } }
    void work() { g := flash(); }
    void look() { L: skip; }
    void main() { thread_create(work); thread_create(look); }
    """
    assert _relations(text, at="look:L") == []
    program = loads(text, "bp").model
    assert str(dataflow(program, "look:L")).endswith(":\n  g = 0\n  g = 1")


def test_threads_start_after_their_creation_with_what_they_inherit() -> None:
    text = """
    decl x: int := 0, y: int := 0;
    void work(n: int) { y := n + x; L: skip; }
    void main() { x := 5; thread_create(work(x)); M: skip; }
    """
    assert _relations(text, at="work:L", contexts=3) == ["x = 5", "y = 10", "n = 5"]


def test_only_variables_that_matter_are_counted() -> None:
    names = [f"l{number}" for number in range(MOST_VARIABLES + 1)]
    idle = f"void f() {{ decl {', '.join(f'{name}: int := 0' for name in names)}; l0 := l1; }}"
    assert _relations(f"decl x: int := 1; {idle} void main() {{ f(); L: skip; }}") == ["x = 1"]
    many = ", ".join(f"{name}: int" for name in names)
    with pytest.raises(UsageError, match="41 variables matter here"):
        _answer(f"decl {many}; void main() {{ L: skip; }}")


def test_a_local_variable_that_hides_a_global_one_is_named_with_its_procedure() -> None:
    text = "decl x: int := 1; void main() { decl x: int := 2; L: skip; }"
    assert _relations(text) == ["x = 1", "main.x = 2"]


@pytest.mark.parametrize(
    ("coefficients", "constant", "modulus", "text"),
    [
        ({"x": 1}, -3, None, "x = 3"),
        ({"x": 2}, -3, None, "2 x = 3"),
        ({"x": 1}, 0, None, "x = 0"),
        ({"x1": 1, "x2": -1}, 1, None, "x2 = x1 + 1"),
        ({"x": 1, "y": -2}, 0, None, "x = 2 y"),
        ({"x": 1, "y": 1}, -4, None, "x + y = 4"),
        ({"x": 3, "y": -2}, 1, None, "3 x - 2 y = -1"),
        ({"hd": 1, "tl": 7, "cnt": 1}, 0, 8, "hd - tl + cnt = 0 (mod 8)"),
        ({"x": 1, "y": 7}, 1, 8, "y = x + 1 (mod 8)"),
        ({"x": 4}, 0, 8, "4 x = 0 (mod 8)"),
    ],
)
def test_relations_are_written_as_people_write_them(
    coefficients: dict[str, int], constant: int, modulus: int | None, text: str
) -> None:
    assert str(AffineRelation(coefficients, constant, modulus)) == text


@pytest.mark.parametrize(
    ("modulus", "expected"),
    [
        (16, ["y = 2 x (mod 16)"]),
        (9, ["x + 4 y = 0 (mod 9)"]),
        (4, ["2 x + y = 0 (mod 4)"]),
        (2, ["y = 0 (mod 2)"]),
    ],
)
def test_modulo_a_number_no_relation_is_said_twice(modulus: int, expected: list[str]) -> None:
    loop = "while (*) { x := x + 1; y := y + 2; }"
    text = f"decl x: int := 0, y: int := 0; void main() {{ {loop} L: skip; }}"
    assert _relations(text, modulus=modulus) == expected


def test_a_form_lies_between_what_its_variables_lie_between() -> None:
    form = Form(1, {"x": 2, "y": -3})
    ranges = {"x": Range(0, 4), "y": Range(-1, 2), "z": Range(0, None)}
    assert form.between(lambda key: ranges[str(key)]) == Range(-5, 12)
    assert Form(0, {"z": 1}).between(lambda key: ranges[str(key)]) == Range(0, None)
    assert Form(0, {"z": -1}).between(lambda key: ranges[str(key)]) == Range(None, 0)


def _relations(
    text: str, at: str = "main:L", contexts: int = 2, modulus: int | None = None
) -> list[str]:
    return [str(relation) for relation in _answer(text, at, contexts, modulus).relations]


def _answer(
    text: str, at: str = "main:L", contexts: int = 2, modulus: int | None = None
) -> AffineRelations:
    program = loads(text, "bp").model
    assert isinstance(program, Program)
    answer = dataflow(program, at, domain="affine", contexts=contexts, modulus=modulus)
    assert isinstance(answer, AffineRelations)
    return answer
