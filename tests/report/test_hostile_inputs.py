"""Reports, witnesses and answers on the terminal, about hostile inputs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
import yaml

from support.browser import hard_to_read, show
from support.cli import call
from support.places import EXAMPLES
from support.samples.reports import about, written
from tepui.cli import report
from tepui.deciding import Options, verify_all
from tepui.program.program import Program
from tepui.program.questions import Question
from tepui.report.page import report_page
from tepui.result import Answer, Stop

if TYPE_CHECKING:
    from playwright.sync_api import Page

CROWD = """\
decl x := 0;
void f() { x := 1; assert(!x); }
void main() { thread_create(f, 300); }
"""
"""With 300 threads, the number of visible states has about a hundred and fifty digits."""


def test_a_report_that_is_interrupted_explores_nothing_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(
        program: Program, questions: Sequence[Question], options: Options
    ) -> list[Answer]:
        stop = Stop("interrupted", "the run was interrupted")
        return [
            Answer(answer.question, replace(answer.result, verdict="unknown", stop=stop))
            for answer in verify_all(program, questions, options)
        ]

    def explore(*_: object) -> NoReturn:
        pytest.fail("the user interrupted the run")

    monkeypatch.setattr(report, "verify_all", interrupted)
    monkeypatch.setattr(report, "explore", explore)
    done = call("report", str(EXAMPLES / "peterson.bp"), cwd=tmp_path)
    assert done.code == 3
    assert (tmp_path / "peterson-report.html").exists()


@pytest.mark.parametrize("line", ["thread P1 * x {", "thread P1 *", f"thread P1 * {'9' * 9}"])
def test_a_system_whose_file_has_become_nonsense_still_has_a_report(
    tmp_path: Path, line: str
) -> None:
    text = (EXAMPLES / "figure4.cpds").read_text(encoding="utf-8")
    told = about(written(tmp_path, "figure4.cpds", text))
    written(tmp_path, "figure4.cpds", text.replace("thread P1 {", line))
    assert line in re.sub("<[^>]*>", "", report_page(told))


def test_a_number_of_many_digits_does_not_widen_the_page(page: Page, tmp_path: Path) -> None:
    show(page, tmp_path, report_page(about(written(tmp_path, "crowd.bp", CROWD))))
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["bluetooth1.bp", "deadlock.cpds"])
def test_every_step_of_a_trace_can_be_read(
    page: Page, tmp_path: Path, name: str, scheme: Any
) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    show(page, tmp_path, report_page(about(EXAMPLES / name)))
    assert hard_to_read(page) == []
    page.click("[data-go=next]")
    assert page.locator(".step.later").count() > 0
    assert hard_to_read(page) == []


def test_with_forced_colours_the_current_step_and_line_have_an_outline(
    page: Page, tmp_path: Path
) -> None:
    page.emulate_media(forced_colors="active")
    show(page, tmp_path, report_page(about(EXAMPLES / "bluetooth1.bp")))
    page.click("[data-go=next]")
    for current in (".step.current", ".pane .line.current"):
        style = page.locator(current).evaluate("(one) => getComputedStyle(one).outlineStyle")
        assert style == "solid"


def test_headings_beside_a_trace_are_one_level_below_its_own(page: Page, tmp_path: Path) -> None:
    show(page, tmp_path, report_page(about(EXAMPLES / "bluetooth1.bp")))
    assert page.locator("#trace-1 h2").count() == 1
    assert page.locator(".state h4").first.get_attribute("aria-level") == "3"


@pytest.mark.parametrize("condition", ["{x==0}", "!{x==0}"], ids=["unsafe", "safe"])
def test_a_witness_leaves_out_variables_that_c_cannot_name(tmp_path: Path, condition: str) -> None:
    text = "decl {x==0}, y;\nvoid main() begin\n{x==0} := F;\ny := T;\n"
    written(tmp_path, "a.bp", f"{text}assert({condition});\nend\n")
    call("verify", "a.bp", "--witness", "w.yml", cwd=tmp_path)
    found = (tmp_path / "w.yml").read_text(encoding="utf-8")
    assert "value: " in found
    assert "{x==0}" not in found


def test_the_end_of_a_thread_is_no_waypoint(tmp_path: Path) -> None:
    text = """\
thread t;
decl x := 0;
void child() {
    x := 1;
}
void main() {
    t := async child();
    join(t);
    assert(!x);
}
"""
    written(tmp_path, "a.bp", text)
    assert call("verify", "a.bp", "--witness", "w.yml", cwd=tmp_path).code == 1
    (entry,) = yaml.safe_load((tmp_path / "w.yml").read_text(encoding="utf-8"))
    steps = [each["waypoint"] for segment in entry["content"] for each in segment["segment"]]
    assert [each["location"]["line"] for each in steps] == [7, 4, 8, 9]


def test_names_cannot_steer_the_terminal(tmp_path: Path) -> None:
    text = (
        'initial "a\x1b]0;title\x07"\nthread T {\n stack s\n "a\x1b]0;title\x07" | s -> b | s\n}\n'
    )
    written(tmp_path, "a.cpds", f"{text}bad b | *\n")
    done = call("verify", "a.cpds", cwd=tmp_path)
    assert r"start  a\x1b]0;title\x07 | s" in done.out
