"""Constants that are odd but not wrong: each gives a warning."""

from __future__ import annotations

import textwrap

import pytest

from tepui.languages.boolean import load_program
from tepui.languages.source import Source
from tepui.program.program import Program


def load(text: str) -> Program:
    return load_program(Source.of_text(textwrap.dedent(text), "test.bp"))


def test_a_constant_out_of_range_is_worth_a_warning() -> None:
    program = load("""\
        decl n: int 0..3 := 0;
        decl s: int 1..3 saturate := 1;
        decl b: int 0..3 block := 0;
        int 0..3 f(k: int 0..1) { return 4; }
        void main() {
            n := 7;
            s := 0 - 5;
            b := 4;
            n := f(2);
            n := 3;
            n := n + 9;
        }""")
    assert program.warnings == (
        "test.bp:4: 4 is not in 0..3 and becomes 0",
        "test.bp:6: 7 is not in 0..3 and becomes 3",
        "test.bp:7: -5 is not in 1..3 and becomes 1",
        "test.bp:8: 4 is not in 0..3 and makes a thread wait here forever",
        "test.bp:9: 2 is not in 0..1 and becomes 0",
    )


def test_a_constant_index_outside_its_array_is_worth_a_warning() -> None:
    program = load("decl a: bool[2] := 0; void main() { a[1 + 2] := a[-1]; a[2 - 1] := 1; }")
    assert program.warnings == (
        "test.bp:1: 'a' has no element 3, so it is a violation to need it",
        "test.bp:1: 'a' has no element -1, so it is a violation to need it",
    )


INTEGERS = "decl n: int8 := 0, u: uint8 := 0, r: int 0..3 := 0, b := 0;\nvoid main() {{ {} }}"
NEEDED = "so it is a violation to need it"


@pytest.mark.parametrize(
    ("statement", "warning"),
    [
        ("switch (n) { case 300: skip; }", "300 is not in -128..127, so this case is never taken"),
        ("switch (r) { case -1: skip; }", "-1 is not in 0..3, so this case is never taken"),
        ("switch (r + 1) { case 5: skip; }", "5 is not in 1..4, so this case is never taken"),
        ("n := n / 0;", f"this divides by 0, {NEEDED}"),
        ("n %= 1 - 1;", f"this divides by 0, {NEEDED}"),
        ("n := n << 8;", f"a shift by 8 is not in 0..7, {NEEDED}"),
        ("n := n >> -1;", f"a shift by -1 is not in 0..7, {NEEDED}"),
        ("n >>>= 9;", f"a shift by 9 is not in 0..7, {NEEDED}"),
        ("r := r << 64;", f"a shift by 64 is not in 0..63, {NEEDED}"),
        ("r := 1 constrain r / 0 = 1;", "this divides by 0, so a step that needs it waits"),
        ("n := n + 128;", "128 is not in -128..127 and becomes -128"),
        ("n := 200 - n;", "200 is not in -128..127 and becomes -56"),
        ("n -= 100 + 100;", "200 is not in -128..127 and becomes -56"),
        ("n := n & 0xff;", "255 is not in -128..127 and becomes -1"),
        ("b := u + -1 = 0;", "-1 is not in 0..255 and becomes 255"),
        ("r := 010;", "010 is 10 here, and 8 in C"),
    ],
)
def test_other_constants_that_are_worth_a_warning(statement: str, warning: str) -> None:
    assert f"test.bp:2: {warning}" in load(INTEGERS.format(statement)).warnings


@pytest.mark.parametrize(
    "statement",
    [
        "switch (n) { case -128: skip; case 127: skip; default: skip; }",
        "switch (r + 1) { case 1: skip; case 4: skip; }",
        "switch (b) { case 0: skip; case true: skip; }",
        "n := n / 1 % -1 << 7 >> 0;",
        "n := n + 127 + -128 + 1;",
        "b := n = 200 || n < 300;",
        "n := n + 1 << 2;",
        "r := r + 300 - 300;",
        "n := 007;",
        "n := 08;",
        "n := 0x10;",
        "goto 010; 010: skip;",
    ],
)
def test_others_are_fine(statement: str) -> None:
    assert load(INTEGERS.format(statement)).warnings == ()
