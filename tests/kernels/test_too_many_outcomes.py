"""Steps with more outcomes than can be listed: engines that list have no answer, and the reason
names the variable. By default, sets of bits have one (`deciding/test_bits_driver.py`).

A few values stand for all where values are only copied and compared. So some programs here compute
with the value, and others are run with `small_sorts=False`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli import call
from tepui.deciding import Options, explore, verify
from tepui.errors import TooManyOutcomes
from tepui.kernels.lowered_system import lower
from tepui.program.build import ProcedureBuilder, ProgramBuilder
from tepui.program.expressions import Binary, Choice, Constant, Convert, Expression, Read, Variable
from tepui.program.program import Assert, Assignment, Position, Program, Step
from tepui.program.questions import deadlock
from tepui.program.types import machine
from tepui.records import replace
from tepui.result import Result

INT, LONG = machine(32, signed=True), machine(64, signed=False)
X, Y = Variable("x", INT), Variable("y", INT, initial=0)
LOCAL = Variable("mine", LONG, procedure="main")


def program(value: Expression, *, atomic: bool = False, waits: bool = False) -> Program:
    """A thread that asserts, or waits until, a value is not 3."""
    main = ProcedureBuilder("main", locals=[LOCAL])
    start = main.rest(Position("wide.toy", 4, 1), "begin")
    check = main.rest(Position("wide.toy", 5, 1), "check", atomic=atomic)
    condition = Binary("!=", value, Constant(3, INT))
    main.add(Step(start, check))
    main.add(Step(check, main.end, condition) if waits else Assert(check, main.end, condition))
    built = ProgramBuilder("wide", [X, Y])
    built.add(main.draft())
    built.run("main")
    return built.finish()


def assert_too_wide(result: Result, what: str) -> None:
    assert result.verdict in ("unknown", "stopped")
    assert result.stop is not None
    assert result.stop.kind == "choices"
    assert result.stop.text.endswith(what)
    assert result.stop.text.startswith("wide.toy:")


@pytest.mark.parametrize("engine", ["explicit", "diagram", "symbolic", "delay"])
@pytest.mark.parametrize("atomic", [False, True])
def test_reading_any_of_many_values_has_no_answer(engine: str, atomic: bool) -> None:
    options = Options(engine=engine, small_sorts=False)
    wide = program(Read(X), atomic=atomic)
    what = "x is read, which may have any of 4,294,967,296 values"
    assert_too_wide(verify(wide, options=options), what)
    assert_too_wide(explore(wide, options), what)
    wide = program(Read(LOCAL), atomic=atomic)
    what = "mine is read, which may have any of 18,446,744,073,709,551,616 values"
    assert_too_wide(verify(wide, options=options), what)
    waiting = program(Read(X), atomic=atomic, waits=True)
    assert verify(waiting, deadlock(), options).verdict == "unknown"


@pytest.mark.parametrize("engine", ["explicit", "diagram", "symbolic", "delay"])
@pytest.mark.parametrize("atomic", [False, True])
def test_neither_has_computing_with_one(engine: str, atomic: bool) -> None:
    twice = Convert(Binary("+", Read(X), Read(X)), INT)
    what = "x is read, which may have any of 4,294,967,296 values"
    assert_too_wide(verify(program(twice, atomic=atomic), options=Options(engine=engine)), what)


@pytest.mark.parametrize("engine", ["auto", "explicit", "diagram", "symbolic", "delay"])
@pytest.mark.parametrize("atomic", [False, True])
def test_a_few_values_stand_for_many_that_are_only_compared(engine: str, atomic: bool) -> None:
    options = Options(engine=engine)
    for variable in (X, LOCAL):
        assert verify(program(Read(variable), atomic=atomic), options=options).verdict == "unsafe"


@pytest.mark.parametrize("atomic", [False, True])
def test_without_a_chosen_engine_there_is_an_answer(atomic: bool) -> None:
    twice = Convert(Binary("+", Read(X), Read(X)), INT)
    result = verify(program(twice, atomic=atomic))
    assert (result.verdict, result.engine, result.checked) == ("safe", "bdd", True)
    for value in (Convert(Choice(INT), INT), Read(X), Read(LOCAL)):
        result = verify(program(value, atomic=atomic), options=Options(small_sorts=False))
        assert (result.verdict, result.bound, result.checked) == ("unsafe", 1, True)
    wide = program(Read(X), atomic=atomic, waits=True)
    options = Options(small_sorts=False)
    result = verify(wide, deadlock(), options)
    assert (result.verdict, result.bound, result.checked) == ("unsafe", 1 - atomic, True)
    listed = verify(wide, deadlock(), replace(options, engine="explicit"))
    assert_too_wide(listed, "may have any of 4,294,967,296 values")


def test_a_choice_is_named_too() -> None:
    wide = program(Convert(Choice(INT), INT))
    assert_too_wide(
        verify(wide, options=Options(engine="explicit")),
        "because a value is chosen among 4,294,967,296",
    )


def test_the_product_of_choices_counts() -> None:
    """Each alone is among few enough."""
    byte = machine(16, signed=False)
    both = Binary("+", Choice(byte), Choice(byte))
    assert_too_wide(verify(program(both), options=Options(engine="plain")), "among 65,536")


def test_a_value_that_nobody_reads_is_no_choice() -> None:
    main = ProcedureBuilder("main")
    start = main.rest(Position("wide.toy", 4, 1), "x = any")
    check = main.rest(Position("wide.toy", 5, 1), "check")
    main.add(Step(start, check, assignments=(Assignment(X, Choice(INT)),)))
    main.add(Assert(check, main.end, Binary("=", Read(Y), Constant(0, INT))))
    built = ProgramBuilder("wide", [X, Y])
    built.add(main.draft())
    built.run("main")
    assert verify(built.finish()).verdict == "safe"


def test_no_call_of_a_kernel_gives_rules_of_which_some_are_missing() -> None:
    system = lower(program(Read(X)))
    (top,) = system.templates[0].stack
    (rule,) = system.kernel.enabled(0, system.initial, top)
    after = system.templates[0].rules[rule]
    with pytest.raises(TooManyOutcomes, match="x is read"):
        system.kernel.enabled(0, after.target, after.word[0])
    with pytest.raises(TooManyOutcomes, match="x is read"):
        system.kernel.enabled(0, system.initial, top)


@pytest.mark.parametrize(
    ("condition", "options"), [("x != 3", ["--all-values"]), ("x + x != 6", [])]
)
def test_the_command_line_says_unknown(condition: str, options: list[str], tmp_path: Path) -> None:
    source = f"decl x: int 0..999999999; void main() {{ assert({condition}); }}"
    (tmp_path / "wide.bp").write_text(source)
    done = call("verify", "wide.bp", "--engine", "explicit", *options, cwd=tmp_path)
    assert done.code == 3
    assert "x is read, which may have any of 1,000,000,000 values" in " ".join(done.out.split())
