"""Answers that once differed from the docs: the smallest program for each."""

from __future__ import annotations

from pathlib import Path

import pytest

import tepui
from support.cli import call
from support.samples.program_texts import program_of
from tepui import Options
from tepui.weighted.dataflow.answers import FewestSteps, PossibleValues

ENGINES = ("auto", "explicit", "diagram", "symbolic", "delay")

BAD_ARGUMENT = """
void f(p: int 0..1 block) { skip; }
void main() { decl l: int 1..3 := 2; async f(l); assert(0); }
"""

BAD_PARAMETER = """
decl n: int 0..3 := 2;
void f(p: int 0..1 block) { skip; }
void main() { while (1) { thread_create(f(n)); assert(0); } }
"""


@pytest.mark.parametrize("text", [BAD_ARGUMENT, BAD_PARAMETER])
@pytest.mark.parametrize(
    ("options", "verdict"),
    [
        (Options(), "safe"),
        (Options(contexts=2), "bounded"),
        (Options(slots=0), "unknown"),
    ],
)
@pytest.mark.usefixtures("without_coverability")
def test_arguments_are_evaluated_also_if_the_thread_never_runs(
    text: str, options: Options, verdict: str
) -> None:
    assert tepui.verify(program_of(text), options=options).verdict == verdict


@pytest.mark.parametrize("options", [Options(), Options(contexts=0), Options(slots=0)])
def test_who_cannot_pass_an_argument_is_stuck_at_once(options: Options) -> None:
    program = program_of(BAD_ARGUMENT.replace("assert(0);", ""))
    result = tepui.verify(program, tepui.deadlock(), options)
    assert (result.verdict, result.bound) == ("unsafe", 0)


RESULT = """
decl x := 0;
int {0} h() {{ return {1}; }}
void f() {{ decl n: int {0}; n := h(); assert(n = {1}); }}
void main() {{ thread_create(f, 2); }}
"""
PARAMETER = """
decl x := 0;
void f(p: int {0}) {{ assert(p = {1}); }}
void main() {{ x := 1; thread_create(f({1})); }}
"""


@pytest.mark.parametrize("text", [RESULT, PARAMETER])
@pytest.mark.parametrize(("values", "one"), [("1..2", 1), ("1..4", 4), ("2..3", 3), ("-2..-1", -2)])
def test_ranges_need_not_hold_0(text: str, values: str, one: int) -> None:
    right = text.format(values, one)
    wrong = right.replace(f"= {one})", f"!= {one})")
    for engine in ENGINES:
        options = Options(engine=engine)
        assert tepui.verify(program_of(right), options=options).verdict == "safe"
        assert tepui.verify(program_of(wrong), options=options).verdict == "unsafe"


LOCAL = "decl x := 0; void f() { decl l; wait(x); x := l; } void main() { thread_create(f, 2); }"


@pytest.mark.parametrize(
    ("text", "contexts"),
    [
        (LOCAL, 0),
        (f"decl y; {LOCAL}", 0),
        ("decl x; void f() { wait(x); } void main() { thread_create(f, 2); }", 0),
        ("decl x; void f() { skip; wait(!x); } void main() { thread_create(f, 2); }", 2),
        ("decl x := 0; void f() { x := *; wait(x); } void main() { thread_create(f, 2); }", 2),
        (
            "decl x := 0; bool h() { return 1; } void f() { decl l; l := h(); wait(x); } "
            "void main() { thread_create(f, 2); }",
            2,
        ),
    ],
)
@pytest.mark.parametrize("liveness", [True, False])
def test_choices_cost_no_contexts_before_a_deadlock(
    text: str, contexts: int, liveness: bool
) -> None:
    for engine in ("auto", "explicit", "diagram", "symbolic"):
        options = Options(engine=engine, liveness=liveness)
        result = tepui.verify(program_of(text), tepui.deadlock(), options)
        assert (result.verdict, result.bound, result.checked) == ("unsafe", contexts, True)
        within = Options(engine=engine, contexts=contexts)
        assert tepui.verify(program_of(text), tepui.deadlock(), within).verdict == "unsafe"


def test_one_value_for_all_threads_makes_a_deadlock() -> None:
    """One thread waits for x and the other for !x: no value of x stops both."""
    text = "decl x; void f() { wait(x); } void g() { wait(!x); } "
    program = program_of(text + "void main() { thread_create(f); thread_create(g); }")
    result = tepui.verify(program, tepui.deadlock())
    assert (result.verdict, result.bound) == ("unsafe", 1)
    assert "no thread can move, if x=" not in str(result)


def test_the_values_that_a_deadlock_needs_are_told(tmp_path: Path) -> None:
    (tmp_path / "p.bp").write_text("decl x, y := 0; void main() { decl l; wait(x || y || l); }")
    done = call("verify", "p.bp", "--property", "deadlock", cwd=tmp_path)
    assert "deadlock  no thread can move, if x=0, main l=0:" in done.out


@pytest.mark.parametrize(
    "text",
    [
        "int 0..1 block f() { decl n: int 0..3 := 3; return n; }",
    ],
)
def test_a_thread_waits_where_it_cannot_return(text: str) -> None:
    for main in ("thread_create(f);", "async f();", "f();"):
        program = program_of(text + f"void main() {{ {main} }}")
        assert tepui.verify(program, tepui.deadlock()).verdict == "unsafe"


TAIL = """
decl x := 0;
void g() { L: x := 1; if (*) { B: g(); } }
void f() { A: g(); C: skip; }
void main() { thread_create(f); }
"""


def test_who_calls_itself_last_is_called_by_itself() -> None:
    program = program_of(TAIL)

    def values(*called_from: str, domain: str = "relation") -> list[object]:
        answer = tepui.dataflow(
            program,
            "f:L",
            called_from=called_from,
            contexts=1,
            domain=domain,  # type: ignore[arg-type]
        )
        assert isinstance(answer, PossibleValues | FewestSteps)
        return [(*valuation.values, valuation.steps) for valuation in answer.valuations]

    assert values("A") == [(0, None)]
    assert values("B") == [(1, None)]
    assert values("B", "A", domain="shortest") == [(1, 4)]
    assert values("B", "B", domain="shortest") == [(1, 7)]


def test_the_return_from_a_call_in_last_position_is_no_step() -> None:
    answer = tepui.dataflow(program_of(TAIL), "f:C", domain="shortest")
    assert isinstance(answer, FewestSteps)
    assert answer.steps == 3


def test_a_constant_outside_an_array_is_a_warning() -> None:
    program = program_of("decl a: bool[2] := 0; void main() { wait(a[2]); assert(0); }")
    assert "'a' has no element 2, so it is a violation to need it" in program.warnings[0]
    assert tepui.verify(program, tepui.violations(program, "bounds")).verdict == "unsafe"
    assert tepui.verify(program, tepui.violations(program, "assertion")).verdict == "safe"


def test_a_main_with_a_label_is_a_thread() -> None:
    program = program_of("void f() { skip; } void main() { L: skip; thread_create(f, 2); }")
    result = tepui.verify(program, tepui.unreachable(program, "L"))
    assert (result.verdict, result.bound) == ("unsafe", 0)


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [("(p ? 1 : 2) != 1", "unsafe"), ("1 != (p ? 2 : 2)", "safe"), ("(p ? 1 : 2) != 3", "safe")],
)
def test_numbers_on_both_sides_are_integers(condition: str, verdict: str) -> None:
    program = program_of(f"decl p; void main() {{ assert({condition}); }}")
    assert tepui.verify(program).verdict == verdict


def test_a_lock_that_is_closed_from_the_start_is_shown_so() -> None:
    program = program_of(
        "decl atomic := 1; void init() begin L: skip; end void main() begin skip; end"
    )
    answer = tepui.dataflow(program, "init:L")
    assert isinstance(answer, PossibleValues)
    assert [valuation.values for valuation in answer.valuations] == [(1,)]


def test_a_lack_of_slots_inside_a_section_reaches_no_place() -> None:
    program = program_of(
        """
        thread t;
        void g() { skip; }
        void f() { atomic { M: t := async g(); join(t); } }
        void main() { async g(); async f(); g(); }
        """
    )
    for engine in ENGINES:
        options = Options(engine=engine)
        result = tepui.verify(program, tepui.unreachable(program, "M"), options)
        assert (result.verdict, result.checked) == ("safe", True)
        (answer, _) = tepui.verify_all(
            program, [tepui.unreachable(program, "M"), tepui.deadlock()], options
        )
        assert answer.result.verdict == "safe"
