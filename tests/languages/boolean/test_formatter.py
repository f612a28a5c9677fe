"""The formatter: one layout, the same meaning, all comments, and nothing to do the second time."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from support.boolean_flows import load
from support.places import EXAMPLES
from tepui.errors import InputError
from tepui.languages.boolean.commented_words import words_of
from tepui.languages.boolean.formatter import format_program
from tepui.program.program import NOWHERE, Program

PROGRAMS = sorted(EXAMPLES.glob("*.bp"))

UNTIDY = """

// A file.


/* of two
     lines */
decl   x:=1 ,y , z:=* ;  // globals
decl s:enum{q0,q1}:=q0; decl n:int -2 .. 7 saturate [ 4 ]:=- 1; decl b:bool [4];
// about f
bool < 2 > f(a,b :int 0..3){ decl t;

  4:wait(x=0) ; y:=1; z := ! y; // step
  start:x:=1;
  L:M: while(x){};if(a){skip;};;
  if(a)x:=1;else{ /* why */ y, _:=f( 1 , 0 ); if(b<n[0]){ } else goto 4,L;

  // end of else
  }
  x , n[ 1 ] := *,- n[0] - -2*n[3] constrain 'x!=!( a?x:y=>schoose[a , t] ); atomic{skip;} ;
  if (x) { // head
     skip; } // tail
  else if (y)
    skip; else skip;
  x := y // because
       && z;
  x := /* small */ y;
  return 1,T; }
void h(a, b: int 0..3) { }
void main(){thread_create( h(1,2),3 );thread_create(g);}
enum {q0, q1} g() { while (*) if (y) skip; else return q0; return q1; }
// last
"""

TIDY = """\
// A file.

/* of two
     lines */
decl x := 1, y, z := *;  // globals
decl s: enum {q0, q1} := q0;
decl n: int -2..7 saturate [4] := -1;
decl b: bool[4];

// about f
bool<2> f(a, b: int 0..3) {
    decl t;

4:  wait(x = 0); y := 1; z := !y;  // step
    start: x := 1;
    L: M: while (x) {}
    if (a) {
        skip;
    }
    if (a) x := 1;
    else {  /* why */
        y, _ := f(1, 0);
        if (b < n[0]) {} else goto 4, L;

        // end of else
    }
    x, n[1] := *, -n[0] - -2 * n[3] constrain 'x != !(a ? x : y => schoose [a, t]);
    atomic {
        skip;
    }
    if (x) {  // head
        skip;
        // tail
    } else if (y)
        skip;
    else skip;
    // because
    x := y && z;
    x := /* small */ y;
    return 1, T;
}

void h(a, b: int 0..3) {}

void main() {
    thread_create(h(1, 2), 3);
    thread_create(g);
}

enum {q0, q1} g() {
    while (*)
        if (y) skip;
        else return q0;
    return q1;
}
// last
"""


def test_a_program_gets_its_layout() -> None:
    assert format_program(UNTIDY, "untidy.bp") == TIDY


def test_a_formatted_program_stays_as_it_is() -> None:
    assert format_program(TIDY, "tidy.bp") == TIDY


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_formatting_an_example_keeps_its_meaning(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    formatted = format_program(text, path.name)
    assert format_program(formatted, path.name) == formatted
    assert without_places(load(formatted)) == without_places(load(text))
    assert comments(formatted) == comments(text)


@pytest.mark.parametrize("seed", range(60))
def test_whatever_the_layout_meaning_and_comments_are_kept(seed: int) -> None:
    text = scattered(TIDY, random.Random(seed))
    formatted = format_program(text, "scattered.bp")
    assert format_program(formatted, "formatted.bp") == formatted
    assert without_places(load(formatted)) == without_places(load(text))
    assert sorted(comments(formatted)) == sorted(comments(text))


def test_statements_of_a_step_are_broken_where_the_line_would_be_too_long() -> None:
    text = "decl x; void main() { 1: " + "x := !x; " * 20 + "}"
    lines = format_program(text, "long.bp").split("\n")
    assert max(map(len, lines)) <= 100
    assert sum(line.count("x := !x;") for line in lines) == 20
    assert lines[3].startswith("1:  x := !x; x := !x;")


def test_the_semicolon_behind_an_enumeration_is_no_empty_statement() -> None:
    text = "decl s: enum {a, b};\ndecl x;\n"
    assert format_program(text, "enumeration.bp") == text


def test_a_file_of_comments_keeps_them() -> None:
    assert format_program("\n\n// one\n\n\n// two\n", "comments.bp") == "// one\n\n// two\n"


def test_an_empty_file_stays_empty() -> None:
    assert format_program("", "empty.bp") == ""


def test_what_does_not_follow_the_grammar_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        format_program("void main() { skip }", "broken.bp")
    assert (caught.value.line, caught.value.column) == (1, 20)


def test_windows_line_ends_become_plain_ones() -> None:
    assert format_program("decl x;\r\n// c\r\n", "windows.bp") == "decl x;\n// c\n"


def without_places(program: Program) -> Program:
    """A program without positions, and with texts in which blanks do not count."""
    procedures = tuple(
        replace(
            procedure,
            position=NOWHERE,
            locations=tuple(
                replace(location, position=NOWHERE, text=re.sub(r"\s", "", location.text))
                for location in procedure.locations
            ),
        )
        for procedure in program.procedures
    )
    return replace(program, procedures=procedures)


def comments(text: str) -> list[str]:
    found = re.findall(r"//[^\n]*|/\*[\s\S]*?\*/", text)
    return [" ".join(comment.split()) for comment in found]


def scattered(text: str, chance: random.Random) -> str:
    """The same words with other blanks, lines and comments between them."""
    between = [" "] * 12 + [
        "\n",
        "\n\n\n",
        "\t",
        " /* c */ ",
        "\n/* d\n e */",
        " // f\n",
        "\n//g\n",
    ]
    words = [word.text for word in words_of(text)]
    return "".join(word + chance.choice(between) for word in words)


def test_too_many_blocks_inside_each_other_are_refused() -> None:
    text = "void main() {" + "if (*) {" * 2_000 + "skip;" + "}" * 2_001
    with pytest.raises(InputError, match="at most 100 levels of nesting"):
        format_program(text, "deep.bp")


def test_two_minus_signs_stay_two() -> None:
    text = "decl x: int8 := 1;\n\nvoid main() {\n    x := - -x - - -1;\n    x--;\n}\n"
    assert format_program(text, "a.bp") == text
