"""What programs with `begin` and `end` do: small ones of every dialect, by brute force."""

from __future__ import annotations

import pytest

from support.oracles.programs import explore
from tepui.languages.boolean import load_program
from tepui.languages.source import Source
from tepui.program.program import Program
from tepui.program.validate import validate


def program(text: str) -> Program:
    made = load_program(Source.of_text(text, "a.bp"))
    validate(made)
    return made


def violated(text: str) -> bool:
    """Whether some assertion can be violated."""
    findings = explore(program(text))
    assert findings.collapsed
    return findings.first("unsafe") is not None


def main_violated(statements: str) -> bool:
    return violated(f"decl x, y; void main() begin {statements} end")


def threads(made: Program) -> list[tuple[str, str, int, bool]]:
    return [(t.name, t.procedure, t.size, t.created) for t in made.threads]


@pytest.mark.parametrize(
    "statements",
    [
        "x, y := *, * constrain 'x = 'y; assert(x = y);",
        "x := 0; x := 1 constrain !x; assert(x)",
        "x := schoose[T, *]; y := schoose[F, T]; assert(x & !y);",
        "x := y ? !y : y; assert(!x)",
        "abortif x; assert(!x)",
        "constrain(x | y); if !x then assert(y) fi",
        "if x then y := 0; elsif ? then y := 1; else y := 0; fi assert(x => !y);",
        "while (x) do x := *; od assert(!x);",
        "12: goto 3, 4; 3: x := 1; goto 5; 4: x := 1; 5: assert(x);",
        "x := 0; if * then x := 0; return fi assert(!x); assert(F => x);",
        "decl l := 1; assert(l); l: l := 0; decl m := 1; assert(m | l); m := l; assert(!m)",
        "enforce x; y := 1; x := *; assert(x)",
        "end_thread; assert(F)",
        "print(x, y); dead x; assert(T)",
    ],
)
def test_what_must_hold_does(statements: str) -> None:
    assert not main_violated(statements)


@pytest.mark.parametrize(
    "statements",
    [
        "assert(x)",
        "decl l; assert(!l)",
        "decl l := *; assert(l)",
        "x := schoose[F, F]; assert(!x)",
        "if x then skip; elsif y then assert(F); fi",
        "while ? do assert(F) od",
        "x := 1; dead x; assert(x)",
        "1: x := 0; 2: assert(x);",
    ],
)
def test_what_need_not_hold_does_not(statements: str) -> None:
    assert main_violated(statements)


def test_a_declaration_in_a_loop_gives_its_value_every_time() -> None:
    text = "x := 1; while * do decl l := 1; assert(l); l := 0; od"
    assert not main_violated(text)
    assert main_violated(text.replace(" := 1; assert", "; assert"))


def test_results_are_passed_and_ignored() -> None:
    text = "bool<2> f(a, b) begin return b, a; end void main() begin decl x, y; {} end"
    assert not violated(text.replace("{}", "x, y := f(T, F); assert(!x & y); _, y := f(x, x);"))
    assert violated(text.replace("{}", "x, _ := f(T, F); assert(x);"))


def test_a_procedure_that_falls_off_its_end_returns_anything() -> None:
    assert violated("bool f() begin end void main() begin decl x; x := f(); assert(x); end")


def test_a_main_with_results_runs_and_nobody_takes_them() -> None:
    assert violated("bool<2> main() begin if * then assert(F); fi return T, T; end")
    assert not violated("bool<2> main() begin return T, T; assert(F); end")


def test_numbered_statements_are_steps_of_their_own() -> None:
    text = """
        decl s := 0;
        void other() begin assert(!s); end
        void main() begin start_thread other(); 1: s := 1; s := 0; 2: skip; end
    """
    assert violated(text)
    assert not violated(text.replace("s := 1; s := 0", "atomic_begin; s := 1; s := 0; atomic_end"))


def test_a_thread_that_starts_at_a_label_has_a_copy_of_the_locals() -> None:
    text = """
        void main() begin
            decl l := 1;
            0: start_thread goto 3;
            1: l := 0;
            2: end_thread;
            3: assert(l);
        end
    """
    assert not violated(text)
    assert threads(program(text)) == [("main", "main", 1, False), ("main#2", "main", 1, True)]
    assert violated(text.replace("goto 3", "goto 1").replace("end_thread", "skip"))


def test_a_thread_started_twice_in_a_row_is_one_type_of_two() -> None:
    text = """
        decl lock, in := 0;
        void main() begin lock := F; start_thread f(); start_thread f(); end
        void f() begin
            atomic_begin; lock := T constrain !lock; atomic_end;
            SLIC_ERROR: assert(!in); in := 1; in := 0; lock := F;
        end
    """
    made = program(text)
    assert threads(made) == [("main", "main", 1, False), ("f", "f", 2, True)]
    assert made.error_labels == ("SLIC_ERROR",)
    assert not violated(text)
    assert violated(text.replace("constrain !lock", ""))


def test_an_asynchronous_call_runs_beside_its_caller() -> None:
    text = (
        "decl g; void t() begin assert(g); end void main() begin g := T; ASYNC_1: t(); g := F; end"
    )
    assert violated(text)
    assert not violated(text.replace("ASYNC_1:", "SYNC_1:"))


GETAFIX = """
    decl atomic, a;
    void init() begin if * then return; fi a := F; endinit: skip; end
    void thread1() begin atomic := T; a := T; a := F; atomic := F; assume(T); end
    void main() begin assume(!a); check(); assume(T); end
    void check() begin assert(!a); return; end
"""


def test_getafix_threads_run_after_init_under_a_lock() -> None:
    made = program(GETAFIX)
    assert threads(made) == [
        ("init", "init", 1, False),
        ("thread1", "thread1", 1, True),
        ("main", "main", 1, True),
    ]
    assert made.lock is not None
    assert (made.lock.name, made.lock.initial) == ("atomic", 0)


def test_the_getafix_lock_hides_what_happens_under_it() -> None:
    assert not violated(GETAFIX)
    assert violated(GETAFIX.replace("atomic := T; ", ""))


def test_a_getafix_program_needs_no_lock() -> None:
    made = program("void init() begin skip; end void main() begin skip; end")
    assert threads(made) == [("init", "init", 1, False), ("main", "main", 1, True)]
    assert made.lock is None


def test_a_variable_called_atomic_is_no_lock_elsewhere() -> None:
    text = GETAFIX.replace("init()", "first()") + "void g() begin start_thread thread1(); end"
    assert program(text).lock is None


def test_error_labels_may_stand_at_several_places() -> None:
    made = program("void main() begin E: skip; if * then SLIC_ERROR: skip; fi SLIC_ERROR: E: end")
    assert made.error_labels == ("SLIC_ERROR",)
    places = [location.labels for location in made.procedures[0].locations]
    assert places == [("E",), (), ("SLIC_ERROR",), ("SLIC_ERROR", "E")]


def test_a_location_shows_its_statement() -> None:
    (main,) = program("decl x; void main() begin l: x :=\n // why\n !x; end").procedures
    (place,) = main.locations
    assert (place.text, place.labels, place.position.line) == ("x := !x", ("l",), 1)
