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
