"""Programs in braces: what every construct becomes in the Program."""

from __future__ import annotations

import pytest

from support.boolean_flows import edges, load, main_edges, value
from support.growth import grows_with_its_size
from tepui.program.expressions import Variable
from tepui.program.types import BOOLEAN, Array, Bounded, Enumeration


def globals_of(declarations: str) -> list[Variable]:
    return list(load(f"{declarations} void main() {{}}").globals)


def test_variables_are_boolean_and_start_with_any_value_unless_told_otherwise() -> None:
    assert globals_of("decl a, b := 0; decl c := 1, d := *, e := true, f := F;") == [
        Variable("a"),
        Variable("b", initial=0),
        Variable("c", initial=1),
        Variable("d"),
        Variable("e", initial=1),
        Variable("f", initial=0),
    ]


def test_an_enumeration_starts_with_a_member_or_its_number() -> None:
    colours = Enumeration(("red", "green"))
    declared = globals_of("decl s: enum {red, green} := green, t: enum {red, green} := 0;")
    assert declared == [
        Variable("s", colours, initial=1),
        Variable("t", colours, initial=0),
    ]


def test_integers_wrap_around_unless_told_otherwise() -> None:
    declared = globals_of("decl a: int 0..7 := 3, b: int -2..7 saturate := -1, c: int 1..1 block;")
    assert declared == [
        Variable("a", Bounded(0, 7), initial=3),
        Variable("b", Bounded(-2, 7, "saturate"), initial=-1),
        Variable("c", Bounded(1, 1, "block")),
    ]


def test_an_array_has_one_initial_value_for_all_elements() -> None:
    declared = globals_of("decl a: bool[4] := 1, b: int 0..3 [2]; decl c: bool;")
    assert declared == [
        Variable("a", Array(BOOLEAN, 4), initial=1),
        Variable("b", Array(Bounded(0, 3), 2)),
        Variable("c"),
    ]


def test_parameters_come_first_among_the_variables_of_a_procedure() -> None:
    text = "void main() {} void f(a, b: int 0..3) { decl t := 1; decl u: bool[2]; }"
    procedure = load(text).by_name["f"]
    assert procedure.variables == (
        Variable("a", BOOLEAN, "f"),
        Variable("b", Bounded(0, 3), "f"),
        Variable("t", BOOLEAN, "f", 1),
        Variable("u", Array(BOOLEAN, 2), "f"),
    )
    assert procedure.parameters == 2


def test_a_procedure_has_results_of_its_type() -> None:
    program = load(
        "bool f() { return 1; } bool<2> g() { return 0, 1; } int 0..3 h() { return 2; }"
        "enum {a, b} k() { return b; } void main() { f(); g(); h(); k(); }"
    )
    results = [procedure.results for procedure in program.procedures]
    colours = Enumeration(("a", "b"))
    assert results == [(BOOLEAN,), (BOOLEAN, BOOLEAN), (Bounded(0, 3),), (colours,), ()]


def test_a_local_variable_hides_a_global_one() -> None:
    program = load("decl x; void main() { decl x; x := 1; }")
    (edge,) = program.procedures[0].edges
    assert edge.assignments[0].target == Variable("x", BOOLEAN, "main")  # type: ignore[union-attr]


def test_the_program_is_named_after_the_file() -> None:
    assert load("void main() {}", "some/where/name.bp").name == "name"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("x || y && z", "(x or (y and z))"),
        ("x | y & z", "(x or (y and z))"),
        ("x || y ^ z", "(x or (y xor z))"),
        ("x ^ y && z", "(x xor (y and z))"),
        ("x => y => z", "(x implies (y implies z))"),
        ("x || y => z", "((x or y) implies z)"),
        ("x && y = z", "(x and (y = z))"),
        ("x = y != z", "((x = y) != z)"),
        ("x == y", "(x = y)"),
        ("!x = y", "(!x = y)"),
        ("!(x = y)", "!(x = y)"),
        ("~x && !!y", "(!x and !!y)"),
        ("x ? y : z ? x : y", "(x ? y : (z ? x : y))"),
        ("x => y ? z : x", "((x implies y) ? z : x)"),
        ("(x || y) && z", "((x or y) and z)"),
        ("T && F || true || false", "(((1 and 0) or 1) or 0)"),
        ("*", "any bool"),
        ("* && !*", "(any bool and !any bool)"),
        ("schoose [x, y]", "(x ? 1 : (y ? 0 : any bool))"),
        ("x || y || z || x", "((x or y) or (z or x))"),
    ],
)
def test_boolean_operators_bind_as_the_grammar_says(written: str, meant: str) -> None:
    assert value(written) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("n + 1 < m * 2 - n", "((n + 1) < ((m * 2) - n))"),
        ("n - m - 1 = 0", "(((n - m) - 1) = 0)"),
        ("-n <= -2", "(-n <= -2)"),
        ("n > m = x", "((n > m) = x)"),
        ("n >= 0 && x", "((n >= 0) and x)"),
        ("n = (x ? 1 : m)", "(n = (x ? 1 : m))"),
        ("a[n + 1]", "a[(n + 1)]"),
        ("b[b[0]] = 7", "(b[b[0]] = 7)"),
        ("3 = n", "(3 = n)"),
        ("2 = 2", "(2 = 2)"),
    ],
)
def test_integers_have_arithmetic_and_order(written: str, meant: str) -> None:
    declarations = "decl x, n: int 0..7, m: int 0..7, a: bool[2], b: int 0..7 [2];"
    assert value(written, declarations) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("s = q1", "(s = q1)"),
        ("q1 != s", "(q1 != s)"),
        ("s = t", "(s = t)"),
        ("s = 0", "(s = q0)"),
        ("2 = s", "(q2 = s)"),
        ("s = (x ? q0 : 1)", "(s = (x ? q0 : q1))"),
    ],
)
def test_members_are_compared_by_name_or_number(written: str, meant: str) -> None:
    declarations = "decl x, s: enum {q0, q1, q2}, t: enum {q0, q1, q2};"
    assert value(written, declarations) == meant


def test_a_choice_as_a_whole_value_is_any_value_of_the_type() -> None:
    program = load(
        "decl x, n: int 0..3, s: enum {a, b}, k: int 1..2 [2];"
        "void f(m: int 0..5) {} int 0..6 g() { return *; }"
        "void main() { x, n, s, k[0] := *, *, *, *; f(*); n := g(); }"
    )
    assert edges(program, "main")[:2] == [
        "0 x, n, s, k[0] := any bool, any int 0..3, any enum {a, b}, any int 1..2 -> 1",
        "1 call f(any int 0..5) -> 2",
    ]
    assert edges(program, "g") == ["0 return any int 0..6"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", ["0 return"]),
        ("skip;", ["0 skip -> out"]),
        ("skip;; skip;", ["0 skip -> 1", "1 skip -> out"]),
        ("x := y;", ["0 x := y -> out"]),
        ("x, y := y, x;", ["0 x, y := y, x -> out"]),
        (
            "x, y := *, * constrain 'x != y;",
            ["0 x, y := any bool, any bool where ('x != y) -> out"],
        ),
        ("assert(x);", ["0 assert x -> out"]),
        ("assume(x);", ["0 [x] skip -> out"]),
        ("wait(!x);", ["0 [!x] skip -> out"]),
        ("wait(*);", ["0 skip -> out"]),
        ("return; skip;", ["0 return", "1 skip -> out"]),
        ("L: goto L;", ["0 skip -> 0"]),
        (
            "L: M: goto M, N, L; N: skip;",
            ["0 skip -> 0", "0 skip -> 1", "0 skip -> 0", "1 skip -> out"],
        ),
        ("f();", ["0 call f() -> 1", "1 return"]),
        ("f(); skip;", ["0 call f() -> 1", "1 skip -> out"]),
        ("x := g(y);", ["0 call g(y) -> 1", "1 receive x -> out"]),
        ("g(1); skip;", ["0 call g(1) -> 1", "1 receive _ -> 2", "2 skip -> out"]),
        ("_ := g(0);", ["0 call g(0) -> 1", "1 receive _ -> out"]),
    ],
)
def test_a_simple_statement_is_one_location(body: str, expected: list[str]) -> None:
    assert main_edges(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (x) skip;", ["0 [x] skip -> 1", "0 [!x] skip -> out", "1 skip -> out"]),
        ("if (x) {} skip;", ["0 [x] skip -> 1", "0 [!x] skip -> 1", "1 skip -> out"]),
        (
            "if (x) y := 0; else { y := 1; } skip;",
            [
                "0 [x] skip -> 1",
                "0 [!x] skip -> 2",
                "1 y := 0 -> 3",
                "2 y := 1 -> 3",
                "3 skip -> out",
            ],
        ),
        (
            "if (x) skip; else if (y) skip; else return;",
            [
                "0 [x] skip -> 1",
                "0 [!x] skip -> 2",
                "1 skip -> out",
                "2 [y] skip -> 3",
                "2 [!y] skip -> 4",
                "3 skip -> out",
                "4 return",
            ],
        ),
        (
            "if (x) if (y) x := 0; else x := 1;",
            [
                "0 [x] skip -> 1",
                "0 [!x] skip -> out",
                "1 [y] skip -> 2",
                "1 [!y] skip -> 3",
                "2 x := 0 -> out",
                "3 x := 1 -> out",
            ],
        ),
        (
            "if (*) f(); else f();",
            ["0 skip -> 1", "0 skip -> 2", "1 call f() -> 3", "2 call f() -> 3", "3 return"],
        ),
        ("if (1) skip;", ["0 skip -> 1", "0 [0] skip -> out", "1 skip -> out"]),
        ("while (x) {}", ["0 [x] skip -> 0", "0 [!x] skip -> out"]),
        (
            "while (x) y := 1; skip;",
            ["0 [x] skip -> 1", "0 [!x] skip -> 2", "1 y := 1 -> 0", "2 skip -> out"],
        ),
        ("while (x) f();", ["0 [x] skip -> 1", "0 [!x] skip -> out", "1 call f() -> 0"]),
        (
            "while (x) { while (y) skip; }",
            [
                "0 [x] skip -> 1",
                "0 [!x] skip -> out",
                "1 [y] skip -> 2",
                "1 [!y] skip -> 0",
                "2 skip -> 1",
            ],
        ),
    ],
)
def test_conditions_and_loops_have_no_locations_where_ways_join(
    body: str, expected: list[str]
) -> None:
    assert main_edges(body) == expected


def test_an_element_is_assigned_by_its_index() -> None:
    declarations = "decl a: int 0..3 [4], n: int 0..3;"
    assert main_edges("a[n + 1] := a[n] * 2;", declarations) == [
        "0 assert bounds ((n + 1) <= 3) -> 1",
        "1~ a[(n + 1)] := (a[n] * 2) -> out",
    ]


def test_a_procedure_with_results_may_not_return_only_where_it_never_ends() -> None:
    text = "decl x; bool f() { while (1) { if (x) return x; } } void main() { x := f(); }"
    assert edges(load(text), "f")[:2] == ["0 skip -> 1", "0 [0] skip -> 3"]


def test_locations_know_their_text_their_line_and_their_labels() -> None:
    text = "decl x;\nvoid main() {\n  L: M:\n  x := /* why */\n    !x;\n  if (x)\n    skip;\n}"
    locations = load(text).procedures[0].locations
    assert [(place.position.line, place.position.column) for place in locations] == [
        (4, 3),
        (6, 3),
        (7, 5),
    ]
    assert [place.text for place in locations] == ["x := !x", "if (x)", "skip"]
    assert [place.labels for place in locations] == [("L", "M"), (), ()]


def test_a_variable_assigned_twice_is_worth_a_warning() -> None:
    program = load("decl x;\nvoid main() { x, x := 0, 1; }")
    assert program.warnings == ("test.bp:2: 'x' is assigned twice; the last value counts",)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("1: x := 0; y := 1; 2: skip;", ["0 x := 0 -> 1", "1~ y := 1 -> 2", "2 skip -> out"]),
        (
            "1: x := 0; L: y := 1; z := 1;",
            ["0 x := 0 -> 1", "1 y := 1 -> 2", "2 z := 1 -> out"],
        ),
        ("skip; 7: skip; skip;", ["0 skip -> 1", "1 skip -> 2", "2~ skip -> out"]),
        (
            "1: x := 0; f(); y := 1; z := 1;",
            ["0 x := 0 -> 1", "1~ call f() -> 2", "2 y := 1 -> 3", "3~ z := 1 -> out"],
        ),
        (
            "1: x := 0; x := g(y); y := 1; z := 1;",
            [
                "0 x := 0 -> 1",
                "1~ call g(y) -> 2",
                "2 receive x -> 3",
                "3 y := 1 -> 4",
                "4~ z := 1 -> out",
            ],
        ),
        (
            "1: if (x) f(); y := 1; z := 1;",
            [
                "0 [x] skip -> 1",
                "0 [!x] skip -> 2",
                "1~ call f() -> 2",
                "2 y := 1 -> 3",
                "3~ z := 1 -> out",
            ],
        ),
        (
            "1: if (x) { f(); y := 1; } z := 1;",
            [
                "0 [x] skip -> 1",
                "0 [!x] skip -> 3",
                "1~ call f() -> 2",
                "2 y := 1 -> 3",
                "3~ z := 1 -> out",
            ],
        ),
        (
            "1: skip; if (x) y := 1; else return; z := 1;",
            [
                "0 skip -> 1",
                "1~ [x] skip -> 2",
                "1~ [!x] skip -> 3",
                "2~ y := 1 -> 4",
                "3~ return",
                "4~ z := 1 -> out",
            ],
        ),
        (
            "1: skip; while (x) { y := 1; z := 1; } y := 0;",
            [
                "0 skip -> 1",
                "1 [x] skip -> 2",
                "1 [!x] skip -> 4",
                "2~ y := 1 -> 3",
                "3~ z := 1 -> 1",
                "4~ y := 0 -> out",
            ],
        ),
        (
            "while (x) { 1: skip; skip; } skip; skip;",
            [
                "0 [x] skip -> 1",
                "0 [!x] skip -> 3",
                "1 skip -> 2",
                "2~ skip -> 0",
                "3 skip -> 4",
                "4 skip -> out",
            ],
        ),
        (
            "1: if (x) { L: skip; } skip; skip;",
            [
                "0 [x] skip -> 1",
                "0 [!x] skip -> 2",
                "1 skip -> 2",
                "2 skip -> 3",
                "3 skip -> out",
            ],
        ),
        ("1: skip; f();", ["0 skip -> 1", "1~ call f() -> 2", "2 return"]),
    ],
)
def test_a_step_goes_on_to_the_next_label_call_or_loop(body: str, expected: list[str]) -> None:
    assert main_edges(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "atomic { x := 0; y := 0; } skip;",
            ["0 skip -> 1", "1~ x := 0 -> 2", "2~ y := 0 -> 3", "3 skip -> out"],
        ),
        ("atomic {} skip;", ["0 skip -> 1", "1 skip -> out"]),
        (
            "atomic { x := 0; atomic { y := 0; } z := 0; }",
            [
                "0 skip -> 1",
                "1~ x := 0 -> 2",
                "2~ skip -> 3",
                "3~ y := 0 -> 4",
                "4~ z := 0 -> out",
            ],
        ),
        (
            "atomic { while (x) skip; } skip;",
            [
                "0 skip -> 1",
                "1~ [x] skip -> 2",
                "1~ [!x] skip -> 3",
                "2~ skip -> 1",
                "3 skip -> out",
            ],
        ),
        (
            "atomic { f(); } skip;",
            ["0 skip -> 1", "1~ call f() -> 3", "2 skip -> out", "3~ skip -> 2"],
        ),
        ("atomic { f(); }", ["0 skip -> 1", "1~ call f() -> 2", "2~ skip -> out"]),
        ("atomic { f(); skip; }", ["0 skip -> 1", "1~ call f() -> 2", "2~ skip -> out"]),
        ("atomic { x := g(x); }", ["0 skip -> 1", "1~ call g(x) -> 2", "2~ receive x -> out"]),
        (
            "atomic { if (x) f(); } skip;",
            [
                "0 skip -> 1",
                "1~ [x] skip -> 2",
                "1~ [!x] skip -> 3",
                "2~ call f() -> 4",
                "3 skip -> out",
                "4~ skip -> 3",
            ],
        ),
        (
            "L: atomic { M: goto L, M, N; } N: skip;",
            ["0 skip -> 1", "1~ skip -> 0", "1~ skip -> 1", "1~ skip -> 2", "2 skip -> out"],
        ),
        (
            "1: skip; atomic { f(); } skip;",
            ["0 skip -> 1", "1~ skip -> 2", "2~ call f() -> 3", "3~ skip -> out"],
        ),
    ],
)
def test_what_is_inside_is_atomic(body: str, expected: list[str]) -> None:
    assert main_edges(body) == expected


def test_the_block_has_a_location_of_its_own() -> None:
    locations = load("void main() { atomic { skip; } }").procedures[0].locations
    assert [(place.text, place.atomic) for place in locations] == [
        ("atomic { … }", False),
        ("skip", True),
    ]


def test_a_long_program_takes_no_more_work_for_each_line() -> None:
    def read(size: int) -> None:
        lines = "".join(
            f"  L{number}: x := !x || y;\n  if (x && y) {{ f(); }}\n" for number in range(size)
        )
        text = f"decl x, y;\nvoid main() {{\n{lines}}}\nvoid f() {{}}\n"
        assert len(load(text).by_name["main"].locations) == 3 * size + 1

    assert grows_with_its_size(read, 100)
    read(1000)
