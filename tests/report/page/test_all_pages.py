"""All kinds of pages in a real browser: light, dark and on a phone, without errors.

No page prints anything on the console or uses the network. Every text has enough contrast, and no
page is wider than the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import tepui
from support.browser import hard_to_read, listened, show, wider_than_the_screen
from support.places import EXAMPLES
from support.samples.program_texts import QUESTIONS
from support.samples.reports import CALLS, about, example, philosophers, written
from support.samples.suites import outcome
from tepui.deciding import Options
from tepui.languages import load
from tepui.program.program import Program
from tepui.program.questions import deadlock
from tepui.report.page import report_page
from tepui.report.report_input import ReportInput
from tepui.suite.compare import compare
from tepui.suite.comparison_page import comparison_page
from tepui.suite.store import StoredRun
from tepui.suite.table import suite_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BEGIN_END = """\
decl x;
/* A comment
   of two lines. */
void main() begin
    decl y;
    y := T; // and a shorter one
    x := F;
    if y then x := !x; fi;
    assert(!x);
end
"""

PDS = "3\nPDA 0 2  # a thread\n0 0 -> 1 1\n1 1 -> 2 1 2\nPDA 0 2\n0 0 -> 0 1\n"

OUTCOMES = [
    outcome("a/slow", "safe", "safe", seconds=100.0),
    outcome("a/quick", "unsafe", "unsafe", seconds=9.0),
    outcome("a/proof", "safe", "unsafe", seconds=1.0),
    outcome("b/late", "timeout", "safe", seconds=20.0, detail="the time limit"),
    outcome("b/crash", "crashed", detail="killed"),
]


def _eight_threads(folder: Path) -> str:
    program = load(written(folder, "philosophers.bp", philosophers(8))).model
    assert isinstance(program, Program)
    result = tepui.verify(program, [deadlock()], options=Options(engine="delay"))
    return report_page(ReportInput("verify", program, folder / "philosophers.bp", (result,)))


def _dataflow(folder: Path) -> str:
    file = EXAMPLES / "dataflow" / "figure4.bp"
    program = load(file).model
    facts = tepui.dataflow(program, "foo:n6")
    return report_page(ReportInput("dataflow", program, file, facts=facts))


def _pds(folder: Path) -> str:
    file = written(folder, "two.pds", PDS)
    model = load(file, init="0|0,0", targets=["2|*,*"]).model
    return report_page(ReportInput("verify", model, file, (tepui.verify(model),)))


def _suite(folder: Path) -> str:
    return suite_page(StoredRun(1, "first", "{}", "1.0", "today"), OUTCOMES, folder / "page.html")


def _comparison(folder: Path) -> str:
    old = {each.task: each for each in OUTCOMES}
    new = {"a/slow": outcome("a/slow", "safe", "safe", seconds=2.0)}
    new["a/quick"] = outcome("a/quick", "timeout", "unsafe")
    return comparison_page(compare(("s:1", old), ("s:2", new)), folder / "page.html")


PAGES: dict[str, Callable[[Path], str]] = {
    "violated": lambda _: report_page(example("bluetooth1.bp")),
    "violated-system": lambda _: report_page(example("bluetooth-buggy.cpds")),
    "proved": lambda _: report_page(example("figure4.cpds")),
    "unreached": lambda _: report_page(example("bluetooth-repaired.bp")),
    "forks": lambda _: report_page(example("fork-second-worker.bp")),
    "unknown": lambda _: report_page(example("fork-crowd.bp", Options(contexts=2))),
    "delays": lambda _: report_page(example("round-robin.cpds", Options(engine="delay"))),
    "recursion": lambda folder: report_page(about(written(folder, "calls.bp", CALLS))),
    "begin-end": lambda folder: report_page(about(written(folder, "be.bp", BEGIN_END))),
    "questions": lambda folder: report_page(about(written(folder, "q.bp", QUESTIONS), each=True)),
    "eight-threads": _eight_threads,
    "dataflow": _dataflow,
    "pds": _pds,
    "suite": _suite,
    "comparison": _comparison,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_silent_fits_and_can_be_read(browser: Browser, tmp_path: Path, name: str) -> None:
    html = PAGES[name](tmp_path)
    assert len(html.encode()) < 3_000_000
    schemes: tuple[Any, ...] = ("light", "dark")
    for scheme in schemes:
        for width, height in ((1280, 900), (390, 800)):
            page = browser.new_page(
                color_scheme=scheme,
                reduced_motion="reduce",
                viewport={"width": width, "height": height},
            )
            heard = listened(page)
            show(page, tmp_path, html)
            for _ in range(2 if page.locator(".step").count() else 0):
                assert hard_to_read(page) == [], (scheme, width)
                page.keyboard.press("ArrowRight")
            page.keyboard.press("End")
            assert hard_to_read(page) == [], (scheme, width)
            assert wider_than_the_screen(page) == 0, (scheme, width)
            page.close()
            assert heard == []
