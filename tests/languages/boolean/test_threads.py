"""The threads of Boolean programs: main, creation, arguments, and threads that start at a label."""

from __future__ import annotations

import pytest

from support.boolean_flows import edges, load
from tepui.program.program import Program

F = "decl x, y; void f() { x := 1; } void g(a, b: int 0..3) { x := a; } "


def threads(program: Program) -> list[str]:
    """Each thread as `name: procedure * count from start with inherited`."""
    found = []
    for thread in program.threads:
        text = f"{thread.name}: {thread.procedure}"
        text += f" * {thread.size}" if thread.size > 1 else ""
        text += f" from {thread.start}" if thread.start is not None else ""
        text += " created" if thread.created else ""
        found.append(" ".join([text, *(variable.name for variable in thread.inherited)]))
    return found


def test_without_creation_main_is_the_only_thread() -> None:
    program = load("decl x; void main() { x := 1; }")
    assert threads(program) == ["main: main"]


def test_equal_threads_of_a_main_that_is_left_out_are_one_type() -> None:
    program = load(F + "void main() { thread_create(f); 4: thread_create(f, 2); }")
    assert threads(program) == ["f: f * 3"]
    assert "main" not in program.by_name


@pytest.mark.parametrize(
    "body", ["thread_create(f); skip;", "L: thread_create(f);", "L: skip; thread_create(f, 2);"]
)
def test_a_main_that_does_anything_else_or_has_a_label_is_a_thread(body: str) -> None:
    assert load(F + f"void main() {{ {body} }}").threads[0].name == "main"


def test_arguments_of_threads_that_run_at_once_are_assigned_first() -> None:
    program = load(F + "void main() { thread_create(g(1, 2)); thread_create(g(0, *), 2); }")
    assert threads(program) == ["g(1,2): g from 1", "g(0,*): g * 2 from 2"]
    assert edges(program, "g") == [
        "0 x := a -> out",
        "1 a, b := 1, 2 -> 0",
        "2 a, b := 0, any int 0..3 -> 0",
    ]
    assert [place.text for place in program.by_name["g"].locations] == [
        "x := a",
        "",
        "",
    ]


def test_a_main_that_does_more_is_the_first_thread_and_creates_the_others() -> None:
    program = load(F + "void main() { x := 0; thread_create(f); thread_create(g(x, 2)); y := 1; }")
    assert threads(program) == ["main: main", "f: f created", "g: g created a b"]
    assert edges(program, "main") == [
        "0 x := 0 -> 1",
        "1 create 1(), 2(x 2) -> 2",
        "2 y := 1 -> out",
    ]
    assert program.by_name["main"].locations[1].text == "thread_create(f); thread_create(g(x, 2))"


def test_a_main_whose_arguments_read_variables_is_a_thread() -> None:
    program = load(F + "void main() { thread_create(g(x, 2)); }")
    assert threads(program) == ["main: main", "g: g created a b"]


def test_a_main_that_is_called_somewhere_stays() -> None:
    program = load(F + "void again() { main(); } void main() { thread_create(f); }")
    assert threads(program) == ["main: main", "f: f created"]
    assert edges(program, "again") == ["0 call main() -> 1", "1 return"]


def test_creations_with_values_that_are_not_constant_are_types_of_their_own() -> None:
    program = load(F + "void main() { thread_create(g(x, 1)); thread_create(g(x, 1)); }")
    assert threads(program) == ["main: main", "g(x,1)#1: g created a b", "g(x,1)#2: g created a b"]


def test_creations_together_are_one_step_and_equal_ones_one_type() -> None:
    body = "thread_create(f); thread_create(g(1, 1)); thread_create(f, 2); thread_create(g(1, 1));"
    program = load(F + f"void main() {{ {body} skip; thread_create(f); x := 0; }}")
    assert threads(program) == [
        "main: main",
        "f#1: f * 3 created",
        "g: g * 2 created a b",
        "f#2: f created",
    ]
    assert edges(program, "main")[:3] == [
        "0 create 1(), 2(1 1) -> 1",
        "1 skip -> 2",
        "2 create 3() -> 3",
    ]


def test_negative_numbers_are_named_and_equal_like_others() -> None:
    text = "decl n: int -1..1 := 0; void h(p: int -1..1) { n := p; } void main() {"
    several = load(text + " thread_create(h(-1)); thread_create(h(1)); thread_create(h(-1)); }")
    assert threads(several) == ["h(-1): h * 2 from 1", "h(1): h from 2"]
    created = load(text + " skip; thread_create(h(-1)); thread_create(h(-1)); }")
    assert threads(created) == ["main: main", "h: h * 2 created p"]


def test_a_label_between_creations_makes_two_steps() -> None:
    program = load(F + "void main() { thread_create(f); L: thread_create(f); x := 0; }")
    assert threads(program) == ["main: main", "f#1: f created", "f#2: f created"]


def test_threads_that_choose_their_arguments_are_types_of_their_own() -> None:
    program = load(
        F + "void main() { x := 0; thread_create(g(*, 1), 2); thread_create(g(x, 1), 2); }"
    )
    assert threads(program) == [
        "main: main",
        "g(*,1)#1: g created a b",
        "g(*,1)#2: g created a b",
        "g(x,1): g * 2 created a b",
    ]


def test_threads_may_create_threads() -> None:
    program = load(F + "void h() { thread_create(f, 2); } void main() { thread_create(h); }")
    assert threads(program) == ["h: h", "f: f * 2 created"]
    assert edges(program, "h") == ["0 create 1() -> out"]


def test_a_procedure_called_once_may_create_threads() -> None:
    program = load(F + "void h() { thread_create(f); } void main() { if (x) h(); }")
    assert threads(program) == ["main: main", "f: f created"]


def test_creation_behind_a_loop_that_never_runs_is_no_loop() -> None:
    program = load(F + "void main() { while (0) { L: skip; } thread_create(f); if (0) goto L; }")
    assert threads(program) == ["main: main", "f: f created"]


def test_what_nothing_runs_creates_nothing_but_is_checked() -> None:
    program = load(F + "void never() { thread_create(f); } void main() { x := 1; }")
    assert threads(program) == ["main: main"]
    assert edges(program, "never") == ["0 skip -> out"]


def test_a_thread_gives_its_results_to_nobody() -> None:
    program = load("decl x; bool f() { return x; } void main() { thread_create(f); }")
    assert program.by_name["f"].results == ()
    assert edges(program, "f") == ["0 returned.0 := x -> out"]


def test_a_thread_from_a_label_inherits_what_is_live_there() -> None:
    program = load(
        """
        decl x;
        void main() begin
          decl a, b, c;
          a, b, c := 0, 1, 1;
          start_thread goto l;
          x := b;
          end_thread;
          l: x := a;
          start_thread goto m;
          end_thread;
          m: x := c;
        end
        """
    )
    assert threads(program) == [
        "main: main",
        "main#2: main from 4 created a c",
        "main#3: main from 7 created c",
    ]
    assert edges(program, "main") == [
        "0 a, b, c := 0, 1, 1 -> 1",
        "1 create 1(a c) -> 2",
        "2 x := b -> 3",
        "3 end",
        "4 x := a -> 5",
        "5 create 2(c) -> 6",
        "6 end",
        "7 x := c -> out",
    ]
