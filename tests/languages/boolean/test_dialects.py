"""How the syntax of a text is recognised, and what a dialect decides about its program."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.boolean_flows import edges, load
from tepui.errors import InputError
from tepui.languages.boolean import is_begin_end
from tepui.languages.boolean.braces import parse_braces
from tepui.languages.boolean.syntax import Dialect
from tepui.languages.boolean.translate import translate
from tepui.languages.source import Source
from tepui.program.expressions import Variable
from tepui.program.program import Program


def in_dialect(text: str, dialect: Dialect) -> Program:
    """The program of a text in braces under other conventions than its own."""
    return translate(replace(parse_braces(Source.of_text(text, "test.bp")), dialect=dialect))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("void main() begin end", True),
        ("void main()\n  // here\n  begin skip; end", True),
        ("void main() { }", False),
        ("void main() { } // not f() begin", False),
        ("/* f() begin end */ void main() { }", False),
        ("void main() { begin(); } void begin() { }", False),
        ("decl begin; void main() { wait(begin) ; }", False),
        ("", False),
    ],
)
def test_begin_behind_a_parenthesis_tells_the_two_apart(text: str, expected: bool) -> None:
    assert is_begin_end(Source.of_text(text, "test.bp")) == expected


def test_both_ways_of_writing_give_the_same_control_flow() -> None:
    braces = load("decl x; void main() { if (x) { x := 0; } else { f(); } } void f() {}")
    begin_end = load(
        "decl x; void main() begin if (x) then x := 0; else f(); fi; end void f() begin end"
    )
    assert edges(braces, "main") == edges(begin_end, "main")


def test_another_procedure_may_be_the_first_one() -> None:
    program = in_dialect("void init() { skip; } void main() {}", Dialect(main="init"))
    assert [thread.procedure for thread in program.threads] == ["init"]


def test_the_first_procedure_must_be_there() -> None:
    with pytest.raises(InputError, match="expected a procedure 'init', which runs first"):
        in_dialect("void main() {}", Dialect(main="init"))


def test_a_main_that_only_creates_threads_may_have_to_stay() -> None:
    text = "void f() {} void main() { thread_create(f); }"
    program = in_dialect(text, Dialect(omit_main=False))
    assert [(thread.name, thread.created) for thread in program.threads] == [
        ("main", False),
        ("f", True),
    ]


def test_a_main_with_an_error_label_stays() -> None:
    text = "void f() {} void main() { ERROR: thread_create(f); }"
    program = in_dialect(text, Dialect(error_labels=("ERROR",)))
    assert [thread.name for thread in program.threads] == ["main", "f"]
    assert program.error_labels == ("ERROR",)


def test_error_labels_are_kept_whether_they_occur_or_not() -> None:
    program = in_dialect("void main() { L: skip; }", Dialect(error_labels=("ERROR", "L")))
    assert program.error_labels == ("ERROR", "L")


def test_the_lock_is_a_global_boolean() -> None:
    text = "decl atomic_, n: int 0..3; void main() {}"
    assert in_dialect(text, Dialect(lock="atomic_")).lock == Variable("atomic_")
    assert in_dialect(text, Dialect(lock="n")).lock is None
    assert in_dialect(text, Dialect(lock="missing")).lock is None


def test_where_a_dialect_says_so_falling_off_the_end_returns_any_values() -> None:
    text = "decl x; bool<2> f() { if (x) return 0, 1; } void main() { f(); }"
    program = in_dialect(text, Dialect(falls_off_with_any_result=True))
    assert edges(program, "f") == [
        "0 [x] skip -> 1",
        "0 [!x] skip -> 2",
        "1 return 0 1",
        "2 return any bool any bool",
    ]


def test_where_a_dialect_says_so_a_label_that_nothing_goes_to_may_be_repeated() -> None:
    text = "void main() { L: skip; M: goto M; L: skip; }"
    places = in_dialect(text, Dialect(repeated_labels=True)).procedures[0].locations
    assert [place.labels for place in places] == [("L",), ("M",), ("L",)]


def test_a_repeated_label_is_no_place_to_go_to() -> None:
    text = "void main() {\nL: skip;\ngoto L;\nL: skip;\n}"
    with pytest.raises(InputError, match="expected a new label, but line 2 already") as caught:
        in_dialect(text, Dialect(repeated_labels=True))
    assert (caught.value.line, caught.value.column) == (4, 1)
