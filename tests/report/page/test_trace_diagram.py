"""The trace in a real browser: at every step, the state is that of the engine's own trace."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from support.browser import show
from support.generators.programs import random_program
from support.places import EXAMPLES
from support.samples.program_texts import CREATING, QUESTIONS, RACE, STUCK
from support.samples.reports import CALLS, about, locals_after, seen_after, written
from tepui.deciding import Options, verify
from tepui.kernels.lowered_system import LoweredSystem
from tepui.languages import load
from tepui.limits import Limits
from tepui.program.program import Program
from tepui.program.questions import deadlock, own_questions, unreachable
from tepui.report.page import report_page
from tepui.report.report_input import ReportInput
from tepui.result import Result
from tepui.subject.story import ProgramStory

if TYPE_CHECKING:
    from playwright.sync_api import Page

WALK = """() => {
    const next = document.querySelector("[data-go=next]");
    const text = (all) => Array.from(all, (one) => one.textContent);
    const look = () => ({
        values: text(document.querySelectorAll(".globals .now b")),
        changed: text(document.querySelectorAll(".globals .changed .name")),
        locals: Array.from(document.querySelectorAll(".locals .changed"),
            (one) => text(one.querySelectorAll(".name, s, b"))),
        top: Array.from(document.querySelector(".locals")?.children ?? [],
            (one) => text(one.querySelectorAll(".name, b"))),
        stacks: text(document.querySelectorAll(".stacks dd")),
        threads: text(document.querySelectorAll(".stacks dt")),
        running: text(document.querySelectorAll(".stacks .running")),
        lines: Array.from(document.querySelectorAll(".pane .current"), (one) => one.dataset.line),
        rows: Array.from(document.querySelectorAll(".step.current"), (one) => one.id),
    });
    const seen = [look()];
    while (next.getAttribute("aria-disabled") === "false") { next.click(); seen.push(look()); }
    return seen;
}"""
"""Clicks from the first step to the last, and says what can be seen at each."""

FILES = (
    "bluetooth1.bp",
    "bluetooth2.bp",
    "flip.bp",
    "fork-second-worker.bp",
    "irp-cancellation.bp",
    "bluetooth-buggy.cpds",
    "deadlock.cpds",
    "two-wheels.cpds",
)

CALLING = """\
decl x := 0;
void inner() {
    Called: x := 1;
}
void middle() {
    inner();
}
void outer() {
    middle();
    Back: x := 0;
}
void main() {
    thread_create(outer);
}
"""
"""The call of `inner` is the last thing that `middle` does, and leaves no frame."""

TEXTS = {"race": RACE, "creating": CREATING, "questions": QUESTIONS, "calls": CALLS}


@pytest.mark.parametrize("name", FILES)
def test_every_state_of_an_example_is_that_of_its_trace(
    page: Page, tmp_path: Path, name: str
) -> None:
    _compare(page, tmp_path, about(EXAMPLES / name))


@pytest.mark.parametrize("name", TEXTS)
def test_every_state_of_a_program_is_that_of_its_trace(
    page: Page, tmp_path: Path, name: str
) -> None:
    _compare(page, tmp_path, about(written(tmp_path, "test.bp", TEXTS[name])))


def test_every_state_of_a_deadlock_is_that_of_its_trace(page: Page, tmp_path: Path) -> None:
    told = about(written(tmp_path, "test.bp", STUCK), questions=[deadlock()])
    _compare(page, tmp_path, told)
    resting = page.locator(".resting li").all_text_contents()
    assert resting == ["first: over", "second at test.bp:7: atomic { … }"]


@pytest.mark.parametrize("label", ["Called", "Back"])
def test_the_last_state_is_right_also_after_a_call_and_after_a_return(
    page: Page, tmp_path: Path, label: str
) -> None:
    file = written(tmp_path, "test.bp", CALLING)
    program = load(file).model
    assert isinstance(program, Program)
    told = about(file, questions=[unreachable(program, label)])
    _compare(page, tmp_path, told)
    last = {"Called": "inner:3 ‹ middle:6 ‹ outer:9", "Back": "outer:10"}
    assert page.locator(".stacks dd").all_text_contents() == [last[label]]


def test_every_state_under_a_scheduler_with_delays_is_that_of_its_trace(
    page: Page, tmp_path: Path
) -> None:
    told = about(EXAMPLES / "bluetooth-buggy.cpds", Options(engine="delay"))
    _compare(page, tmp_path, told)
    assert page.locator(".delayed").all_text_contents() == ["delayed before: adder.1"]


def test_every_state_of_random_programs_is_that_of_their_traces(page: Page, tmp_path: Path) -> None:
    rng, compared = Random(7), 0
    while compared < 12:
        program = random_program(rng)
        if not own_questions(program):
            continue
        result = verify(program, None, Options(limits=Limits(max_contexts=6), check=False))
        if result.trace is None or not result.trace.steps:
            continue
        _compare(page, tmp_path, ReportInput("verify", program, None, (result,)))
        compared += 1


def _compare(page: Page, folder: Path, data: ReportInput) -> None:
    """Walk through the only trace of a report, and compare all that can be seen on the way."""
    show(page, folder, report_page(data))
    seen = page.evaluate(WALK)
    result = data.results[0]
    expected = seen_after(result)
    assert set(expected) <= set(range(len(seen)))
    assert max(expected) == len(seen) - 1
    for number, (values, stacks) in expected.items():
        assert seen[number]["values"] == [_shown(value) for value in values], number
        _compare_stacks(seen[number], stacks, result)
    for number, one in enumerate(seen):
        assert one["rows"] == [f"trace-1-step-{number}"]
        before = seen[number - 1]["values"] if number else one["values"]
        assert len(one["changed"]) == sum(map(str.__ne__, before, one["values"]))
    if isinstance(result.system, LoweredSystem):
        _compare_with_source(seen, result, shows_lines=data.file is not None)
        _compare_locals(seen, result)


def _shown(value: str | None) -> str:
    return "–" if value is None else value


def _compare_stacks(seen: dict[str, Any], stacks: list[list[str]], result: Result) -> None:
    """What is seen of stacks has more than the engine has only where calls leave no frame. Forked
    threads run in slots, which have other names than they."""
    system = result.system
    names = [name for name in seen["threads"] if "#" not in name]
    assert names == list(system.thread_names)[: len(names)]
    assert len(names) == len(seen["threads"]) or isinstance(system, LoweredSystem)
    for words, stack in zip(seen["stacks"][: len(names)], stacks, strict=False):
        shown = [] if words in ("empty", "finished", "not started") else words.split(" ‹ ")
        if not isinstance(system, LoweredSystem):
            assert shown == stack
            continue
        assert shown[:1] == stack[:1]
        procedures = iter(word.rpartition(":")[0] for word in shown[1:])
        assert all(frame in procedures for frame in stack[1:]), (shown, stack)


def _compare_locals(seen: list[dict[str, Any]], result: Result) -> None:
    """All local variables of the running thread have the values of its frame. What a frame says
    about forked threads is said in slots, not in their names."""
    assert result.trace is not None
    names = list(result.system.thread_names)
    for number, tops in locals_after(result).items():
        (running,) = seen[number]["running"]
        if isinstance(result.trace.story, ProgramStory) and not result.trace.story.forked:
            top = tops[names.index(running)]
            shown = dict(seen[number]["top"])
            assert {name: shown.get(name) for name in top} == top, number


def _compare_with_source(seen: list[dict[str, Any]], result: Result, *, shows_lines: bool) -> None:
    """Lines, threads and local variables are those of the story."""
    assert result.trace is not None
    told = result.trace.story
    assert isinstance(told, ProgramStory)
    names = {change.name for change in told.start}
    steps = [(step.thread, step) for step in told.steps]
    assert len(steps) == len(seen) - 1
    assert not seen[0]["lines"]
    for one, (thread, step) in zip(seen[1:], steps, strict=True):
        assert one["running"] == [thread]
        if shows_lines:
            assert one["lines"] == [f"source-1-{step.position.line}"]
        shared = [change.name for change in step.changes if change.name in names]
        assert one["changed"] == shared
        if not step.statement.startswith("starts with "):
            local = [change for change in step.changes if change.name not in names]
            assert one["locals"] == [
                [change.name, _shown(change.before), _shown(change.after)] for change in local
            ]
