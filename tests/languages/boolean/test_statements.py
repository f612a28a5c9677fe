"""Loops, `switch`, counting and checks in braces: what they become in the Program."""

from __future__ import annotations

import pytest

from support.boolean_flows import edges, load, main_edges, value
from tepui.deciding import verify
from tepui.languages.boolean import load_program
from tepui.languages.source import Source
from tepui.program.expressions import Variable
from tepui.program.program import Assert, ViolationKind
from tepui.program.questions import violations
from tepui.program.types import Array, machine

NUMBERS = "decl x, y, n: int8 := 0, u: uint8, w: int32, v: uint32, r: int 0..3, a: int8[3];"


def test_machine_integers_have_a_width_and_perhaps_a_sign() -> None:
    program = load(
        "decl a: int8 := -128, b: uint64 := 0xff; decl volatile c: int16[2]; void main() {}"
    )
    assert list(program.globals) == [
        Variable("a", machine(8, signed=True), initial=-128),
        Variable("b", machine(64, signed=False), initial=255),
        Variable("c", Array(machine(16, signed=True), 2), volatile=True),
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "for (r := 0; x; r++) y := 1;",
            [
                "0 r := 0 -> 1",
                "1 [x] skip -> 2",
                "1 [!x] skip -> out",
                "2 y := 1 -> 3",
                "3 r := (r + 1) -> 1",
            ],
        ),
        ("for (;;) skip;", ["0 skip -> 1", "0 [0] skip -> out", "1 skip -> 0"]),
        (
            "for (; x; r++) continue;",
            ["0 [x] skip -> 1", "0 [!x] skip -> out", "1 skip -> 2", "2 r := (r + 1) -> 0"],
        ),
        ("do skip; while (x);", ["0 skip -> 1", "1 [x] skip -> 0", "1 [!x] skip -> out"]),
        (
            "do { if (x) continue; y := 1; } while (y);",
            [
                "0 [x] skip -> 1",
                "0 [!x] skip -> 2",
                "1 skip -> 3",
                "2 y := 1 -> 3",
                "3 [y] skip -> 0",
                "3 [!y] skip -> out",
            ],
        ),
        (
            "L: do { } while (x);",
            ["0 skip -> 1", "1 [x] skip -> 1", "1 [!x] skip -> out"],
        ),
        (
            "while (x) { break; } skip;",
            ["0 [x] skip -> 1", "0 [!x] skip -> 2", "1 skip -> 2", "2 skip -> out"],
        ),
        (
            "switch (r) { case 0: x := 1; case 1: case 2: y := 1; break; default: skip; }",
            [
                "0 [(r = 0)] skip -> 1",
                "0 [((r = 1) or (r = 2))] skip -> 2",
                "0 [(!(r = 0) and !((r = 1) or (r = 2)))] skip -> 4",
                "1 x := 1 -> 2",
                "2 y := 1 -> 3",
                "3 skip -> out",
                "4 skip -> out",
            ],
        ),
        (
            "switch (x) { case true: while (1) { switch (r) { case 0: continue; } break; } }",
            [
                "0 [(x = 1)] skip -> 1",
                "0 [!(x = 1)] skip -> out",
                "1 skip -> 2",
                "1 [0] skip -> out",
                "2 [(r = 0)] skip -> 3",
                "2 [!(r = 0)] skip -> 4",
                "3 skip -> 1",
                "4 skip -> out",
            ],
        ),
        ("r += 2;", ["0 r := (r + 2) -> out"]),
        ("--r;", ["0 r := (r - 1) -> out"]),
        ("a[r & 1]++;", ["0 a[(r & 1)] := int8((a[(r & 1)] + 1)) -> out"]),
    ],
)
def test_statements_are_steps_as_the_docs_say(body: str, expected: list[str]) -> None:
    assert main_edges(body, NUMBERS) == expected


def test_a_step_of_a_number_ends_before_every_loop() -> None:
    assert main_edges("1: x := 1; for (r := 0; x; r++) y := 1; skip;", NUMBERS) == [
        "0 x := 1 -> 1",
        "1~ r := 0 -> 2",
        "2 [x] skip -> 3",
        "2 [!x] skip -> 5",
        "3~ y := 1 -> 4",
        "4~ r := (r + 1) -> 2",
        "5~ skip -> out",
    ]
    assert main_edges("1: do { x := 1; y := 1; } while (x); skip;", NUMBERS) == [
        "0 skip -> 1",
        "1~ x := 1 -> 2",
        "2~ y := 1 -> 3",
        "3 [x] skip -> 1",
        "3 [!x] skip -> 4",
        "4~ skip -> out",
    ]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("n + n = 0", "(int8((n + n)) = 0)"),
        ("n + w = 0", "(int32((n + w)) = 0)"),
        ("n + u = 0", "(uint8((uint8(n) + u)) = 0)"),
        ("w * v = 0", "(uint32((uint32(w) * v)) = 0)"),
        ("n + 1 + w = 0", "(int32((int8((n + 1)) + w)) = 0)"),
        ("n + 300 = 0", "(int8((n + 44)) = 0)"),
        ("r + n = 0", "(int8((r + n)) = 0)"),
        ("-n = 0", "(int8(-n) = 0)"),
        ("~n = 0", "(~n = 0)"),
        ("~u = 0", "(uint8(~u) = 0)"),
        ("n / 3 = 0", "((n / 3) = 0)"),
        ("(n & u) = 0", "((uint8(n) & u) = 0)"),
        ("(n & 3) = 0", "((n & 3) = 0)"),
        ("n < u", "(n < u)"),
        ("n = v", "(n = v)"),
        ("n << 2 = 0", "(int8((n << 2)) = 0)"),
        ("w >> 2 = 0", "((w >> 2) = 0)"),
        ("w >>> 2 = 0", "(int32((uint32(w) >> 2)) = 0)"),
        ("w >>> r = 0", "(int32((uint32(w) >> r)) = 0)"),
        ("u >>> 2 = 0", "((u >> 2) = 0)"),
        ("r * r - 7 = 0", "(((r * r) - 7) = 0)"),
        ("~x & (y | x)", "(!x and (y or x))"),
        ("(x ? n : w) + 1 = 0", "(int32(((x ? n : w) + 1)) = 0)"),
        ("0x10 + n = 0", "(int8((16 + n)) = 0)"),
    ],
)
def test_operators_compute_in_the_common_type(written: str, meant: str) -> None:
    assert value(written, NUMBERS) == meant


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a[1] := 0;", []),
        ("a[u % 3] := 0;", []),
        ("w := 7 / 2;", []),
        ("n := n << 7;", []),
        ("a[r] := 0;", ["bounds (r <= 2)"]),
        ("a[n] := 0;", ["bounds ((0 <= n) and (n <= 2))"]),
        ("n := a[r] + a[u];", ["bounds ((r <= 2) and (u <= 2))"]),
        ("n := n / n;", ["division (n != 0)"]),
        ("n := n % u;", ["division (u != 0)"]),
        ("n := n << r * 3;", ["bounds ((r * 3) <= 7)"]),
        ("assume(r < 3 && a[r] = 0);", ["bounds ((r < 3) implies (r <= 2))"]),
        ("assert(r > 2 || a[r] = 0);", ["bounds ((r > 2) or (r <= 2))"]),
        ("if (x => a[r] = 0) skip;", ["bounds (x implies (r <= 2))"]),
        ("n := x ? a[r] : 1 / n;", ["bounds (x implies (r <= 2))", "division (x or (n != 0))"]),
        ("a[10 / n] := 0;", ["division (n != 0)", "bounds ((0 <= (10 / n)) and ((10 / n) <= 2))"]),
        ("n := 1 / a[r];", ["bounds (r <= 2)", "division (a[r] != 0)"]),
        ("while (a[r] = 0) skip;", ["bounds (r <= 2)"]),
        ("switch (a[r]) { case 0: skip; }", ["bounds (r <= 2)"]),
        ("x, y := *, * constrain 'x = (a[r] = 0);", []),
    ],
)
def test_what_can_go_wrong_is_checked_first(body: str, expected: list[str]) -> None:
    found = [
        text.split(" assert ")[1].split(" -> ")[0]
        for text in main_edges(body, NUMBERS)
        if " assert bounds " in text or " assert division " in text
    ]
    assert found == expected


def test_a_check_and_its_statement_are_one_step() -> None:
    assert main_edges("a[r] := 1; return;", NUMBERS) == [
        "0 assert bounds (r <= 2) -> 1",
        "1~ a[r] := 1 -> 2",
        "2 return",
    ]
    program = load(
        f"{NUMBERS} int8 f(i: int8) {{ return a[i]; }} void main() {{ a[r] := f(a[r]); }}"
    )
    assert edges(program, "main") == [
        "0 assert bounds (r <= 2) -> 1",
        "1~ call f(a[r]) -> 4",
        "2 assert bounds (r <= 2) -> 3",
        "3~ a[r] := kept.0 -> out",
        "4 receive kept.0 -> 2",
    ]
    assert edges(program, "f") == [
        "0 assert bounds ((0 <= i) and (i <= 2)) -> 1",
        "1~ return a[i]",
    ]
    locations = program.by_name["main"].locations
    assert [location.text for location in locations] == [
        "a[r] := f(a[r])",
        "",
        "a[r] := f(a[r])",
        "",
        "",
    ]


def test_the_message_says_what_is_wrong() -> None:
    program = load(f"{NUMBERS} void main() {{ a[r] := a[n] / n << r * 8; }}")
    asserts = [edge for edge in program.procedures[0].edges if isinstance(edge, Assert)]
    assert [(edge.kind, edge.message) for edge in asserts] == [
        ("bounds", "an index of 'a' is outside 0..2"),
        ("division", "a division by zero"),
        ("bounds", "a shift by less than 0 or more than 7"),
    ]


def test_overflow_is_asked_on_demand() -> None:
    text = f"{NUMBERS} void main() {{ n := n + 1; u := u + 1; w := w >>> r; n := -n * 2 / 3; }}"
    source = Source.of_text(text, "a.bp")
    plain, asking = load_program(source), load_program(source, overflow=True)
    assert [edge for edge in plain.procedures[0].edges if isinstance(edge, Assert)] == []
    assert [question.text for question in violations(asking, "overflow")] == [
        "no overflow at a.bp:1 (a result is outside int8)"
    ] * 2


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            "decl x := 0, a: bool[2], n: int 0..7 := 4; void main() { a[n] := 1; assert(0); }",
            "bounds",
        ),
        ("decl a: bool[2], n: int8 := 1; void main() { while (n < 2 && a[n]) n++; }", None),
        ("decl a: bool[2], n: int8 := 1; void main() { while (a[n]) n++; }", "bounds"),
        ("decl n: int8 := *; void main() { if (n != 0 && 10 / n > 3) skip; }", None),
        ("decl n: int8 := *; void main() { n := 10 % n; }", "division"),
        ("decl n: int8 := 127; void main() { n++; assert(n = -128); }", None),
        ("decl n: int8 := -128; void main() { n := -n; assert(n = -128); }", None),
        ("decl n: int8 := -128; void main() { n := n / -1; assert(n = -128); }", None),
        ("decl n: int32 := -1; void main() { n >>>= 28; assert(n = 15); }", None),
        ("decl n: int8 := -1, u: uint32 := 0; void main() { assert(n < u); }", None),
        # One side of a comparison may be any value of the type of the other side.
        ("decl n: int32 := 5; void main() { assert(* != n); }", "assertion"),
        ("decl n: int32; void main() { assert(n = *); }", "assertion"),
        ("decl n: int 0..3 := 3; void main() { assume(* > n); assert(0); }", None),
        ("decl n: int 0..3 := 2; void main() { assume(* > n); assert(0); }", "assertion"),
        ("decl n: int8 := 127; void main() { assume(n + 1 = *); assert(0); }", "assertion"),
        ("decl a: int 2..3 [2] := 2; void main() { assert(* >= a[0]); }", None),
        ("decl s: enum {p, q} := p; void main() { assume(s != *); assert(0); }", "assertion"),
        ("decl s: enum {p} := p; void main() { assume(s != *); assert(0); }", None),
    ],
)
def test_what_is_violated_is_found_and_nothing_else(text: str, kind: ViolationKind | None) -> None:
    program = load(text)
    kinds: tuple[ViolationKind, ...] = ("assertion", "bounds", "division")
    asked = {each: verify(program, violations(program, each)).verdict for each in kinds}
    assert asked == {each: "unsafe" if each == kind else "safe" for each in kinds}


def test_a_trace_shows_statements_and_no_checks() -> None:
    declarations = "decl a: int8[2] := 0, i: int 0..3 := 1;"
    program = load(f"{declarations} void main() {{ a[i] := 1; i := i + a[i]; a[i]++; }}")
    lines = str(verify(program)).splitlines()
    steps = [line for line in lines if line.startswith("  test.bp:")]
    assert [line.split("  ")[-1].strip() for line in steps] == [
        "a[1]: 0 -> 1",
        "i: 1 -> 2",
        "a[i]++",
    ]
    assert lines[-1].startswith("   found  an index out of bounds at test.bp:1")


def test_no_other_thread_moves_between_a_check_and_its_statement() -> None:
    text = """
decl a: bool[2] := 0, i: int 0..3 := 0;
void flip() { atomic { wait(i = 0); i := 3; i := 0; } }
void use() { a[i] := 1; assert(a[i]); }
void main() { thread_create(flip, 2); thread_create(use); }
"""
    assert verify(load(text)).verdict == "safe"
    assert verify(load(text.replace("i := 3; i := 0;", "i := 3;"))).verdict == "unsafe"


def test_a_switch_may_be_empty() -> None:
    program = load("decl n: int8 := 0; void main() { switch (n) { } assert(n = 0); }")
    assert verify(program).verdict == "safe"


@pytest.mark.parametrize("argument", ["3 / 0", "1 << 64", "a[1 << 1]"])
def test_arguments_of_threads_are_checked_where_main_only_creates_them(argument: str) -> None:
    program = load(
        "decl a: int8[2] := 0; void f(n: int8) { skip; }"
        f"void main() {{ thread_create(f({argument})); }}"
    )
    assert verify(program).verdict == "unsafe"


@pytest.mark.parametrize("value", ["x + -100", "x ^ -200", "x + (r + 0)", "x + (0 - 100)", "x & r"])
def test_a_conversion_of_an_operand_is_no_overflow(value: str) -> None:
    text = f"decl x: int8 := 0, r: int 0..200 := 100; void main() {{ x := {value}; }}"
    program = load_program(Source.of_text(text, "a.bp"), overflow=True)
    assert verify(program, violations(program, "overflow")).verdict == "safe"


def test_a_masked_factor_is_small_enough() -> None:
    text = "decl x: int64 := 3, u: uint32 := 1; void main() { x := x * (x & u); assert(x = 3); }"
    assert verify(load(text)).verdict == "safe"
