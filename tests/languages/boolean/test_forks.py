"""Fork and join in Boolean programs: the statements, and creations that may happen again."""

from __future__ import annotations

import pytest

from support.boolean_flows import edges, load
from tepui.languages.boolean.formatter import format_program
from tepui.program.places import places
from tepui.program.program import Program
from tepui.program.types import BOOLEAN, THREAD
from tepui.program.validate import validate

F = "decl x; thread u; void f() { x := 1; } void g(a, t: thread) { x := a; } "


def checked(text: str) -> Program:
    """The program of a text, which keeps the contract."""
    program = load(text)
    validate(program)
    return program


def procedures(program: Program) -> dict[str, list[str]]:
    """For each procedure its parameters."""
    return {
        each.name: [variable.name for variable in each.variables[: each.parameters]]
        for each in program.procedures
    }


def test_threads_are_declared_like_other_variables() -> None:
    program = checked(
        "thread t, u; decl v: thread; void f(w: thread) { thread s; skip; } void main() {}"
    )
    variables = [*program.globals, *program.by_name["f"].variables]
    assert [variable.name for variable in variables] == ["t", "u", "v", "w", "s"]
    assert {(variable.type, variable.initial) for variable in variables} == {(THREAD, None)}


def test_fork_copy_and_join_are_edges() -> None:
    program = checked(
        F + "void main() { thread t; t := async g(x, u); u := t; t, u := u, t; "
        "async f(); join(u); _ := async f(); }"
    )
    assert edges(program, "main") == [
        "0 t := fork g(x, u) -> 1",
        "1 u := t -> 2",
        "2 t, u := u, t -> 3",
        "3 fork f() -> 4",
        "4 join u -> 5",
        "5 fork f() -> out",
    ]
    assert program.forks
    assert [thread.name for thread in program.threads] == ["main"]


def test_identities_are_passed_to_procedures() -> None:
    program = checked(F + "void main() { thread t; g(*, t); }")
    assert edges(program, "main") == ["0 call g(any bool, t) -> 1", "1 return"]
    assert not program.forks


def test_fork_and_join_may_be_part_of_an_atomic_section() -> None:
    program = checked(F + "void main() { thread t; atomic { t := async f(); join(t); } x := 1; }")
    assert edges(program, "main") == [
        "0 skip -> 1",
        "1~ t := fork f() -> 2",
        "2~ join t -> 3",
        "3 x := 1 -> out",
    ]


def test_a_numeric_label_opens_a_step_with_forks() -> None:
    program = checked(F + "void main() { 1: async f(); async f(); 2: x := 0; }")
    assert edges(program, "main") == ["0 fork f() -> 1", "1~ fork f() -> 2", "2 x := 0 -> out"]


def test_the_same_with_begin_and_end() -> None:
    program = checked(
        """
        decl x; decl thread u;
        void f(a, thread t) begin decl thread s; s := t; join(s); end
        void main() begin
          decl thread t;
          t := async f(T, u);
          async f(x, t);
          join(t);
        end
        """
    )
    assert edges(program, "f") == ["0 s := t -> 1", "1 join s -> out"]
    assert edges(program, "main") == [
        "0 t := fork f(1, u) -> 1",
        "1 fork f(x, t) -> 2",
        "2 join t -> out",
    ]


def test_getafix_is_not_guessed_where_threads_are_forked() -> None:
    program = checked("void init() begin skip; end void main() begin async init(); end")
    assert [thread.name for thread in program.threads] == ["main"]


def test_thread_is_a_name_like_any_other_with_begin_and_end() -> None:
    program = checked(
        "decl thread; decl thread u; void init() begin thread := T; end void thread() begin end"
    )
    assert [thread.name for thread in program.threads] == ["init", "thread"]
    assert [variable.type for variable in program.globals] == [BOOLEAN, THREAD]


def test_a_forked_procedure_may_have_results_and_be_called() -> None:
    program = checked("decl x; bool f() { return x; } void main() { async f(); x := f(); }")
    assert len(program.by_name["f"].results) == 1


def test_the_results_of_a_procedure_that_is_only_forked_are_left_out() -> None:
    program = checked("decl x; bool f() { return x; } void main() { async f(); }")
    assert program.by_name["f"].results == ()


@pytest.mark.parametrize(
    ("text", "forking", "edge"),
    [
        ("void main() { while (*) thread_create(f); }", "main", "1 fork f() -> 0"),
        ("void main() { L: thread_create(f); goto L; }", "main", "0 fork f() -> 1"),
        ("void h() { thread_create(f); } void main() { h(); h(); }", "h", "0 fork f() -> out"),
        (
            "void h() { thread_create(f); if (*) h(); } void main() { h(); }",
            "h",
            "0 fork f() -> 1",
        ),
        (
            "void h() { thread_create(f); } void main() { thread_create(h, 2); }",
            "h",
            "0 fork f() -> out",
        ),
        (
            "void h() { thread_create(f); } void i() { h(); } void main() { i(); skip; i(); }",
            "h",
            "0 fork f() -> out",
        ),
        ("void main() { thread_create(main); }", "main", "0 fork main() -> out"),
        (
            "void h() { thread_create(f); } void main() { while (*) async h(); }",
            "h",
            "0 fork f() -> out",
        ),
    ],
)
def test_a_creation_that_may_happen_again_is_a_fork(text: str, forking: str, edge: str) -> None:
    program = checked("decl x; void f() { x := 1; } " + text)
    assert edge in edges(program, forking)


def test_a_creation_by_a_thread_that_is_forked_once_happens_once() -> None:
    program = checked(F + "void h() { thread_create(f); } void main() { async h(); }")
    assert edges(program, "h") == ["0 create 1() -> out"]


def test_creations_that_happen_again_together_are_one_step() -> None:
    program = checked(
        F + "void main() { thread t; while (*) { thread_create(f, 2); thread_create(g(*, t)); } }"
    )
    assert edges(program, "main") == [
        "0 skip -> 1",
        "0 skip -> out",
        "1 fork f() -> 2",
        "2~ fork f() -> 3",
        "3~ fork g(any bool, t) -> 0",
    ]


def test_a_creation_that_passes_an_identity_is_a_fork() -> None:
    program = checked(F + "void main() { thread_create(g(x, u)); L: thread_create(f); }")
    assert edges(program, "main") == ["0 fork g(x, u) -> 1", "1 create 1() -> out"]
    assert [thread.name for thread in program.threads] == ["main", "f"]


def test_a_main_that_is_forked_where_nothing_runs_stays() -> None:
    program = checked(F + "void h() { async main(); } void main() { thread_create(f); }")
    assert [thread.name for thread in program.threads] == ["main", "f"]


AGAIN = """
decl x;
void main() begin
  decl a, b, c;
  a, b, c := 0, 1, 1;
  again: start_thread goto l;
  x := b;
  goto again;
  l: x := a;
  m: x := c;
  end_thread;
end
"""


def test_a_label_at_which_threads_begin_again_and_again_gets_a_procedure() -> None:
    program = checked(AGAIN)
    assert procedures(program) == {"main": [], "main@l": ["a", "c"]}
    assert edges(program, "main") == [
        "0 a, b, c := 0, 1, 1 -> 1",
        "1 fork main@l(a, c) -> 2",
        "2 x := b -> 3",
        "3 skip -> 1",
    ]
    assert edges(program, "main@l") == ["0 x := a -> 1", "1 x := c -> 2", "2 end"]


def test_what_a_procedure_and_its_copy_need_both_have() -> None:
    program = checked(AGAIN.replace("goto again", "goto again, m"))
    assert edges(program, "main")[4:] == ["3 skip -> 4", "4 x := c -> 5", "5 end"]
    assert edges(program, "main@l") == ["0 x := a -> 1", "1 x := c -> 2", "2 end"]


def test_copies_keep_their_places_in_the_source() -> None:
    original, copy = checked(AGAIN).procedures
    assert copy.position == original.position
    assert [place.position.line for place in copy.locations] == [9, 10, 11]
    assert [place.labels for place in copy.locations] == [("l",), ("m",), ()]


def test_what_nothing_reaches_stays_where_it_is_written() -> None:
    program = checked(
        "decl x; void main() begin l: start_thread goto m; goto l; m: end_thread; x := 1; end"
    )
    assert edges(program, "main") == ["0 fork main@m() -> 1", "1 skip -> 0", "2 x := 1 -> out"]
    assert edges(program, "main@m") == ["0 end"]


def test_threads_from_labels_that_start_others_pass_on_what_these_need() -> None:
    program = checked(
        """
        decl x;
        void main() begin
          decl a, b;
          k: start_thread goto l;
          goto k;
          l: x := a;
          start_thread goto m;
          end_thread;
          m: x := b;
        end
        """
    )
    assert procedures(program) == {"main": [], "main@l": ["a", "b"], "main@m": ["b"]}
    assert edges(program, "main@l") == ["0 x := a -> 1", "1 fork main@m(b) -> 2", "2 end"]


@pytest.mark.parametrize(
    ("text", "copies"),
    [
        ("void main() begin l: start_thread goto l; end", ["main@l"]),
        (
            "void main() begin start_thread goto l; end_thread; l: skip; m: start_thread goto m; "
            "end",
            ["main@l", "main@m"],
        ),
        (
            "void main() begin start_thread goto l; l: start_thread goto m; m: skip; end",
            ["main@l", "main@m"],
        ),
        (
            "void f() begin start_thread goto l; l: skip; end void main() begin f(); f(); end",
            ["f@l"],
        ),
        (
            "void main() begin decl thread t; t := async main(); start_thread goto l; l: join(t); "
            "end",
            ["main@l"],
        ),
    ],
)
def test_a_thread_from_a_label_that_may_start_again_is_forked(text: str, copies: list[str]) -> None:
    program = checked(text)
    assert [each.name for each in program.procedures if "@" in each.name] == copies


def test_a_thread_from_a_label_that_inherits_an_identity_is_forked() -> None:
    program = checked(
        "void f() begin end void main() begin decl thread t; t := async f(); start_thread goto l; "
        "end_thread; l: join(t); end"
    )
    assert edges(program, "main") == ["0 t := fork f() -> 1", "1 fork main@l(t) -> 2", "2 end"]
    assert edges(program, "main@l") == ["0 join t -> out"]


def test_sections_are_sections_in_copies() -> None:
    program = checked(
        "decl x; void main() begin l: start_thread goto m; goto l; "
        "m: atomic_begin; x := 1; atomic_end; end"
    )
    assert edges(program, "main@m") == ["0 skip -> 1", "1~ x := 1 -> 2", "2~ skip -> out"]


def test_a_warning_about_a_statement_is_given_once() -> None:
    program = checked(
        "decl x; void main() begin l: start_thread goto m; goto l; m: x, x := 0, 1; end"
    )
    assert len(program.warnings) == 1


def test_a_copied_procedure_gets_a_name_that_nobody_has() -> None:
    program = checked(
        "void {main@l}() begin end void main() begin l: start_thread goto l; {main@l}(); end"
    )
    assert len(procedures(program)) == 3


def test_forks_and_joins_have_a_canonical_form() -> None:
    text = (
        "thread t;\n"
        "\n"
        "void f(x, u: thread) {\n"
        "    thread v, w;\n"
        "    v := async f(!x, u);\n"
        "    async f(1, v);\n"
        "    join(v);\n"
        "}\n"
    )
    loose = text.replace("join(v)", "join ( v )").replace("async f(1", "async   f (1")
    assert format_program(text, "f.bp") == text
    assert format_program(loose.replace("thread v, w;", "thread v ,w ;"), "f.bp") == text


def test_a_place_in_a_copy_is_named_after_the_procedure_in_the_text() -> None:
    program = checked(AGAIN.replace("goto again", "goto again, m"))
    assert len(places(program, "main:m")) == len(places(program, "m")) == 2
    assert len(places(program, "main:l")) == len(places(program, "main:9")) == 1
