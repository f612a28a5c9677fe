"""Deadlocks as text."""

from __future__ import annotations

import pytest

from support.samples.deadlocking_programs import HOPELESS, JOINS, PHILOSOPHERS, TRANSFER, TWICE
from tepui.api import loads
from tepui.deciding import verify
from tepui.program.program import Program
from tepui.program.questions import deadlock
from tepui.report.text.traces import violation_lines
from tepui.result import Result


def result_of(text: str) -> Result:
    program = loads(text, "bp")
    assert isinstance(program, Program)
    return verify(program, deadlock())


def explanation(text: str, width: int | None = None) -> list[str]:
    lines = violation_lines(result_of(text), width=width)
    start = next(n for n, line in enumerate(lines) if line.startswith("deadlock  "))
    return lines[start:]


def test_each_thread_says_what_it_needs_and_who_could_help() -> None:
    assert explanation(TRANSFER) == [
        "deadlock  no thread can move:",
        "          transfer(0) at <text>:4: atomic { … }",
        "            needs   !locked[which], at <text>:5: wait(!locked[which])",
        "            but     locked[1] = 1, which = 1",
        "            set     locked[1] by transfer(1) in context 1 at <text>:6: locked[which] := 1",
        "            could   transfer(1) at <text>:14: locked[1] := 0",
        "            calls   acquire:4 (which = 1) < transfer:12 (from = 0)",
        "          transfer(1) at <text>:4: atomic { … }",
        "            needs   !locked[which], at <text>:5: wait(!locked[which])",
        "            but     locked[0] = 1, which = 0",
        "            set     locked[0] by transfer(0) in context 2 at <text>:6: locked[which] := 1",
        "            could   transfer(0) at <text>:13: locked[0] := 0",
        "            calls   acquire:4 (which = 0) < transfer:12 (from = 1)",
        "   cycle  transfer(0) waits for transfer(1), which waits for transfer(0)",
    ]


def test_a_join_says_where_the_other_thread_is() -> None:
    lines = explanation(JOINS)
    assert "            needs   the end of worker#1" in lines
    assert "            could   worker#1, now at <text>:5: wait(go && x == a)" in lines
    assert "            locals  t = worker#1, u = worker#2" in lines


def test_a_lock_that_a_thread_has_itself() -> None:
    lines = explanation(TWICE)
    assert any("itself, further on at <text>:13: owner := free" in line for line in lines)
    assert lines[-1].endswith("waits for itself")


def test_where_nobody_could_help() -> None:
    lines = explanation(HOPELESS)
    hopeless = "            could   nobody: no thread has a statement ahead that makes it true"
    assert lines.count(hopeless) == 2
    assert "            could   nobody: it is never true" in lines
    assert not any(line.startswith("   cycle") for line in lines)


def test_what_a_join_of_nobody_lacks() -> None:
    text = "void w() { skip; } void main() { decl t: thread, u: thread; u := async w(); join(t); }"
    assert "            could   nobody: that is no thread that could end" in explanation(text)


def test_many_threads_that_could_help_are_counted() -> None:
    text = """
decl go := 0, never := 0;
void waiter() { wait(go); }
void helper() { wait(never); go := 1; }
void main() { thread_create(waiter); thread_create(helper, 5); }
"""
    lines = explanation(text)
    could = [line for line in lines if line.startswith("            could   helper.")]
    assert len(could) == 3
    assert "            could   2 other threads" in lines


@pytest.mark.parametrize("width", [40, 60, 80])
def test_lines_are_wrapped_below_their_labels(width: int) -> None:
    lines = explanation(PHILOSOPHERS, width)
    assert max(map(len, lines)) <= width
    words = " ".join(" ".join(lines).split())
    assert words == " ".join(" ".join(explanation(PHILOSOPHERS)).split())
