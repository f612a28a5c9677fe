"""All errors of a file in one run: each one that is there, and no other."""

from __future__ import annotations

import pytest

from tepui.errors import InputError
from tepui.languages.boolean import load_program
from tepui.languages.source import Source


def errors(text: str) -> list[str]:
    """Everything that is wrong with a text."""
    with pytest.raises(InputError) as caught:
        load_program(Source.of_text(text, "a.bp"))
    error = caught.value
    return [f"{each.line}:{each.column} {each.message}" for each in (error, *error.others)]


def test_errors_of_grammar_and_of_meaning_come_in_order() -> None:
    text = """\
decl x := 2, y, n: int8;
decl z = 1;
bool f(a) {
  if (a) { y := ; } else { n := true; }
  return 1, 0;
}
void main() {
  decl t;
  while (n) { t := u; u := t; }
  x := 1
  skip;
  goto L;
  f(1, 0);
  for (i := 0; i < 3; i++) { y := 3; }
}
"""
    assert errors(text) == [
        "1:11 expected 0, 1, true, false or * as initial value, found 2",
        "2:8 expected ',', ':', ':=' or ';', found '='; assignment is ':='",
        "4:17 expected 'async' or an expression, found ';'",
        "4:33 expected an integer, found a Boolean",
        "5:3 expected 1 value to return from 'f', found 2",
        "9:10 expected a Boolean, found 'n', which is an integer",
        "9:20 expected a variable, found 'u', which is not declared",
        "11:3 expected ',', ';', 'constrain' or an operator, found 'skip'",
        "12:8 expected a label of 'main', found 'L'",
        "13:3 expected 1 argument for 'f', found 2",
        "14:8 expected a variable, found 'i', which is not declared",
        "14:35 expected a Boolean, found 3",
    ]


def test_nobody_complains_of_what_only_follows() -> None:
    assert errors("decl n: itn8, m: int8 := 0; void main() { n := 1; m := n; p(n); }") == [
        "1:9 expected a type, found 'itn8'; did you mean 'int8'?",
        "1:59 expected a procedure, found 'p'",
    ]
    assert errors("void f(x y) { L: skip; } void main() { f(1); goto L; g := 1; }") == [
        "1:10 expected ')', ',' or ':', found 'y'",
        "1:54 expected a variable, found 'g', which is not declared",
    ]


def test_a_brace_too_few_or_too_many_is_one_error() -> None:
    assert errors("void f() { if (*) { skip; }\nvoid main() { x := 1; }") == [
        "2:1 expected 'else', '}' or a statement, found 'void'",
        "2:15 expected a variable, found 'x', which is not declared",
    ]
    text = "void f() { skip; } }\n  skip; skip; }\nvoid main() { y; }"
    assert errors(text) == [
        "1:20 expected the end of the file or a procedure, found '}'",
        "3:16 expected '(', ',', ':', '[' or an assignment, found ';'",
    ]


def test_statements_inside_a_broken_one_are_read() -> None:
    text = """\
decl x, n: int8;
void main() {
  if x) { x = 1; } else { x := ; }
  for (n := 0; n < 3 n++) { x + 1; }
  switch (n { case 0: y := 1; x 2; }
}
"""
    assert errors(text) == [
        "3:6 expected '(', found 'x'",
        "3:13 expected '(', ',', ':', '[' or an assignment, found '='; assignment is ':='",
        "3:32 expected 'async' or an expression, found ';'",
        "4:22 expected ';' or an operator, found 'n'",
        "4:31 expected '(', ',', ':', '[' or an assignment, found '+'",
        "5:13 expected ')', '[' or an operator, found '{'",
        "5:33 expected '(', ',', ':', '[' or an assignment, found '2'",
    ]


def test_what_is_not_closed_hides_no_errors() -> None:
    assert errors("void main() { decl a: itn8 { b") == [
        "1:23 expected a type, found 'itn8'; did you mean 'int8'?",
        "1:31 expected '}', found the end of the file",
    ]
    assert errors("decl a: itn8 {") == ["1:9 expected a type, found 'itn8'; did you mean 'int8'?"]
    assert errors("void f( { switch n { case 0: skip;") == [
        "1:9 expected ')' or a name, found '{'",
        "1:18 expected '(', found 'n'",
        "1:35 expected 'case', 'default' or '}', found the end of the file",
    ]


def test_braces_that_belong_to_nothing_hide_no_errors() -> None:
    text = """\
decl n: int8;
void main() {
  switch (n) {
    case 1: { n := 2; n := ; break; }
    default: { x := 1; goto L; }
  }
  L: { { n := true; } decl y; y := 1; }
  n := ;
}
"""
    braces = "braces belong to if, else, while, for, do, switch and atomic, so leave them out here"
    assert errors(text) == [
        f"4:13 expected 'case', 'default', '}}' or a statement, found '{{'; {braces}",
        "4:28 expected 'async' or an expression, found ';'",
        f"5:14 expected 'case', 'default', '}}' or a statement, found '{{'; {braces}",
        "5:16 expected a variable, found 'x', which is not declared",
        f"7:6 expected a statement, found '{{'; {braces}",
        f"7:8 expected '}}' or a statement, found '{{'; {braces}",
        "7:15 expected an integer, found a Boolean",
        "7:23 expected '}' or a statement, found 'decl'; declarations come first",
        "8:8 expected 'async' or an expression, found ';'",
    ]


def test_every_variable_of_a_declaration_is_read() -> None:
    text = """\
decl a: long, b: enum {x, 1, y}, c: int8 := 300, d = 0,
     e: int8, f: byte;
void main() {
  decl g: char, h: int8
  a, d, f, g, x := 1, 1, 1, 1, 1;
  e := true;
}
"""
    assert errors(text) == [
        "1:9 expected a type, found 'long'; write 'int64' for 'long'",
        "1:27 expected a name, found '1'",
        "1:45 expected a number from -128 to 127 or * as initial value, found 300",
        "1:52 expected ',', ':', ':=' or ';', found '='; assignment is ':='",
        "2:18 expected a type, found 'byte'; write 'int8' for 'byte'",
        "4:11 expected a type, found 'char'; write 'int8' for 'char'",
        "5:3 expected ',', ':=', ';' or '[', found 'a'",
        "6:8 expected an integer, found a Boolean",
    ]


def test_every_case_of_a_switch_is_read() -> None:
    text = """\
decl n: int8, s: enum {A, B};
void main() {
  switch (n) {
    case 1: n := true;
    case 1: case n: skip;
    default: s := C;
    default: skip;
  }
}
"""
    assert errors(text) == [
        "4:18 expected an integer, found a Boolean",
        "5:10 expected a new case, but line 4 already has it",
        "5:18 expected a constant behind 'case', found a variable",
        "6:19 expected a variable, found 'C', which is not declared",
        "7:5 expected a new case, but line 6 already has it",
    ]


def test_errors_with_begin_and_end() -> None:
    text = """\
decl x y;
void main() begin
  decl t;
  t := ;
  if t do skip; fi;
  while t do z := T; fi
  u := T; u := F;
  assert(t;
  t := t & t = t;
end
void f( begin skip; end
void g() begin g(T); end
"""
    assert errors(text) == [
        "1:8 expected ',', ':=' or ';', found 'y'",
        "4:8 expected an expression or 'async', found ';'",
        "5:8 expected 'then', found 'do'",
        "6:22 expected 'od' for the 'while' of line 6, found 'fi'",
        "7:3 expected a variable, found 'u', which is not declared",
        "8:11 expected ')', found ';'",
        "9:14 expected parentheses to group '&' and '=', on which the dialects differ",
        "11:9 expected a name or ')', found 'begin'",
        "12:16 expected no arguments for 'g', found 1",
    ]


def test_a_message_has_all_errors_up_to_twenty() -> None:
    text = "void main() {\n" + "  x := ;\n" * 25 + "}"
    with pytest.raises(InputError) as caught:
        load_program(Source.of_text(text, "a.bp"))
    message = str(caught.value)
    assert message.startswith("a.bp:2:8: expected 'async' or an expression, found ';'\n")
    assert message.count("expected 'async'") == 20
    assert message.endswith("\na.bp: and 5 more errors")
    assert len(caught.value.others) == 24


def test_many_errors_take_no_more_work_for_each() -> None:
    text = "void main() {\n" + "  x := ; if ( { y y; }\n" * 3000 + "}"
    assert len(errors(text)) == 9000
