"""Broken programs in braces: every one is refused with the right words at the right place."""

from __future__ import annotations

import random

import pytest

from support.samples.broken_fork_programs import BROKEN_FORK_PROGRAMS
from support.samples.broken_habits import BROKEN_HABITS
from support.samples.broken_programs import BROKEN_PROGRAMS, BrokenProgram
from support.samples.broken_statements import BROKEN_STATEMENTS
from tepui.errors import InputError
from tepui.languages.boolean import load_program
from tepui.languages.source import Source

ALONE = [*BROKEN_STATEMENTS, *BROKEN_HABITS]
"""The programs with a single error."""
BROKEN = [*BROKEN_PROGRAMS, *BROKEN_FORK_PROGRAMS, *ALONE]

FINE = """
decl x := 1, n: int -2..7 saturate [2], s: enum {q0, q1} := q0;
thread last;
bool<2> pair(a, b: int 0..3) {
  decl t := 0;
  4: wait(x = 0); t := a ? b < 2 : schoose [x, !x];
  atomic { x, n[1] := *, n[0] * 2 - 1 constrain 'x != x; }
  if (t) return 0, T; else if (*) goto 4, L; else { skip; }
  L: while (s != q1) { s := q1; }
  return t, 1;
}
void main() { decl y; y, _ := pair(x, 2); thread_create(foo); assert(!y || x => y ^ 1); }
void foo() { foo(); }
void bar(t: thread, x) { thread u; u := async bar(t, *); last := u; join(u); async foo(); }
"""


@pytest.mark.parametrize("case", BROKEN, ids=str)
def test_a_broken_program_is_refused_at_the_right_place(case: BrokenProgram) -> None:
    with pytest.raises(InputError) as caught:
        load_program(Source.of_text(case.text, "broken.bp"))
    error = caught.value
    assert (error.line, error.column, error.message) == (case.line, case.column, case.message)
    assert error.source == "broken.bp"
    assert error.others == () or case not in ALONE
    assert error.text == case.text.split("\n")[case.line - 1]


def test_broken_programs_have_different_names() -> None:
    assert len({case.name for case in BROKEN}) == len(BROKEN) >= 50


def test_whatever_is_cut_out_of_a_program_it_is_read_or_refused() -> None:
    assert refusal(FINE) is None
    chance = random.Random(1)
    errors = []
    for _ in range(300):
        start = chance.randrange(len(FINE))
        text = FINE[:start] + FINE[start + chance.randrange(1, 9) :]
        errors.append(refusal(text))
        assert errors[-1] is None or 1 <= errors[-1].line <= text.count("\n") + 1
        assert errors[-1] is None or errors[-1].column >= 1
    assert errors.count(None) < 200


def test_whatever_words_are_exchanged_a_program_is_read_or_refused() -> None:
    chance = random.Random(2)
    words = FINE.split(" ")
    for _ in range(300):
        mixed = list(words)
        for _ in range(chance.randrange(1, 4)):
            mixed[chance.randrange(len(mixed))] = chance.choice(words)
        error = refusal(" ".join(mixed))
        assert error is None or error.line >= 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("decl x; void main() { x := " + "!" * 5000 + "x; }", "nested operators"),
        ("decl n: int 0..9; void main() { n := " + "n - " * 5000 + "n; }", "nested operators"),
        ("decl x; void main() { x := " + "x ? x : " * 5000 + "x; }", "levels of nesting"),
        ("decl x; void main() { assert(x = (" + "x ? 1 : " * 5000 + "1)); }", "levels of nesting"),
        ("decl x; void main() { " + "if (x) { " * 3000 + "}" * 3000 + " }", "levels of nesting"),
        ("decl x; void main() { " + "if (x) { " * 70 + "}" * 70 + " }", "inside each other"),
        ("decl x; void main() { x := " + "x => " * 5000 + "x; }", "levels of nesting"),
        ("decl x; void main() { " + "while (x) " * 3000 + "skip; }", "levels of nesting"),
        ("decl x; void main() { x := " + "(" * 5000, "levels of nesting"),
    ],
)
def test_what_is_nested_too_deeply_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_program(Source.of_text(text, "deep.bp"))


@pytest.mark.parametrize("head", ["{ ", "L: { ", "if x) { ", "switch x { case 0: "])
def test_so_is_what_is_broken_as_well(head: str) -> None:
    error = refusal("decl x; void main() { " + head * 5000)
    assert error is not None
    assert error.others[-1].message == "expected at most 100 levels of nesting, found more"


def test_what_is_only_long_is_read() -> None:
    terms = " || ".join(["x", "!x"] * 2000)
    choices = "if (x) skip; " + "else if (!x) skip; " * 1000
    brackets = "(" * 90 + "x" + ")" * 90
    text = f"decl x; void main() {{ x := {terms}; {choices} x := {brackets}; }}"
    assert len(load_program(Source.of_text(text, "long.bp")).procedures[0].locations) == 2004


def refusal(text: str) -> InputError | None:
    """Why a text is refused, if it is."""
    try:
        load_program(Source.of_text(text, "refused.bp"))
    except InputError as error:
        return error
    return None
