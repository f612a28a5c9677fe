"""What `tepui suite` writes: a page for browsers, JUnit XML, and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
from jsonschema import Draft202012Validator
from junitparser import Error, Failure, JUnitXml, Skipped

from support.browser import listened
from support.samples.suites import outcome
from support.schemas import schema
from tepui.suite.as_json import comparison_object, suite_object
from tepui.suite.compare import KINDS, Comparison, compare
from tepui.suite.comparison_page import comparison_page
from tepui.suite.junit import junit_xml
from tepui.suite.outcome import FAILURES, JUDGEMENTS, VERDICTS, Open
from tepui.suite.store import StoredRun
from tepui.suite.table import suite_page
from tepui.tasks.task import Counts

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SCHEMA = schema("suite")
HASH = "0" * 64
RUN = StoredRun(
    1, "<first>", '{"timeout": "9", "options": {"verify": ["--z", "off"]}}', "1.0", "today"
)
OUTCOMES = [
    outcome("a/slow", "safe", "safe", seconds=100.0, inputs=HASH),
    outcome("a/quick", "unsafe", "unsafe", seconds=9.0, inputs=HASH),
    outcome("a/proof", "safe", "unsafe", seconds=1.0, inputs=HASH),
    outcome("b/counted", "collapsed", counts=Counts(1, 3), found=Counts(1, 3, 9), inputs=HASH),
    outcome("b/late", "timeout", "safe", seconds=20.0, detail="the time limit", inputs=HASH),
    outcome("b/<i>&'\"\x00\x1b", "crashed", detail="killed\n<b>\x00</b>]]>", inputs=HASH),
    outcome("free", "safe", seconds=0.0, inputs=HASH),
]
LATER = [
    outcome("a/slow", "safe", "safe", seconds=2.0, inputs=HASH),
    outcome("a/quick", "timeout", "unsafe", inputs=HASH),
    outcome("z", "safe", inputs=HASH),
]


def test_the_table_opens_sorts_and_filters_without_a_complaint(
    browser: Browser, tmp_path: Path
) -> None:
    page, heard = _open(browser, tmp_path / "t.html", _suite_page(tmp_path))
    assert page.title() == "tepui suite, run <first>"
    assert _tasks(page)[0] == "a/proof"
    assert page.locator("tbody tr").first.get_by_text("WRONG PROOF").is_visible()
    assert page.get_by_role("alert").inner_text().startswith("WRONG: 1 of the answers")
    assert page.locator(".tiles button.bad").all_inner_texts() == ["1 wrong proof"]
    page.get_by_role("button", name="seconds").click()
    assert _tasks(page)[:2] == ["free", "a/proof"]
    page.keyboard.press("Enter")  # The heading has the focus.
    assert _tasks(page)[:3] == ["a/slow", "b/late", "a/quick"]
    assert page.locator("th[aria-sort=descending]").inner_text() == "seconds"
    page.keyboard.press("/")
    page.keyboard.type("unsafe A/")
    assert _tasks(page) == ["a/quick", "a/proof"]
    assert page.get_by_role("status").inner_text() == "2 of 7 tasks are shown"
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="1 undecided").press("Space")
    assert _tasks(page) == ["b/late"]
    page.get_by_role("button", name="1 undecided").click()
    assert len(_tasks(page)) == 7
    assert page.get_by_role("link", name="a/slow").get_attribute("href") == _way_to_models(tmp_path)
    page.get_by_text("why").click()
    assert page.locator("pre").inner_text().startswith("killed\n<b>")
    assert heard == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_follow_the_scheme_and_fit_a_narrow_window(
    browser: Browser, tmp_path: Path, scheme: str
) -> None:
    pages = {
        "t.html": _suite_page(tmp_path),
        "c.html": comparison_page(_compared(), tmp_path / "c"),
    }
    papers = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 31)"}
    for name, text in pages.items():
        page, heard = _open(browser, tmp_path / name, text, scheme=scheme, width=400)
        assert page.evaluate("document.documentElement.scrollWidth") == 400
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == papers[scheme]
        assert heard == []
        page.close()


def test_the_page_of_a_comparison_shows_the_worst_first_and_the_times(
    browser: Browser, tmp_path: Path
) -> None:
    text = comparison_page(_compared(), tmp_path / "c.html")
    page, heard = _open(browser, tmp_path / "c.html", text)
    assert _tasks(page)[0] == "a/quick"
    assert page.get_by_role("alert").inner_text() == "Answers that are worse: 1."
    scatter, quantiles = page.get_by_role("img").all()
    assert scatter.locator("circle").count() == 1
    assert quantiles.locator("polyline").count() == 2
    page.get_by_role("button", name="1 faster").click()
    assert _tasks(page) == ["a/slow"]
    assert heard == []
    page.close()


def test_a_page_without_scripts_has_the_whole_table(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "t.html").write_text(_suite_page(tmp_path), encoding="utf-8")
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto((tmp_path / "t.html").as_uri())
    assert page.locator("tbody tr").count() == 7
    assert not page.get_by_role("searchbox").is_visible()
    page.close()


def test_pages_without_any_verdict_have_no_picture(tmp_path: Path) -> None:
    page = suite_page(RUN, [outcome("t", "timeout")], tmp_path / "t.html")
    assert "<svg" not in page
    assert "<svg" not in comparison_page(compare(("1", {}), ("2", {})), tmp_path / "t.html")


def test_a_page_of_thousands_of_tasks_stays_small(tmp_path: Path) -> None:
    many = [outcome(f"folder/task-{number}", "safe", "safe") for number in range(5000)]
    assert len(suite_page(RUN, many, tmp_path / "t.html")) < 3_000_000


def test_junit_tells_failures_errors_and_skipped_apart(tmp_path: Path) -> None:
    path = tmp_path / "j.xml"
    path.write_text(junit_xml(OUTCOMES), encoding="utf-8")
    document = JUnitXml.fromfile(str(path))
    assert isinstance(document, JUnitXml)
    assert (document.tests, document.failures, document.errors) == (7, 1, 1)
    suites = {suite.name: suite for suite in document}
    assert [suite.skipped for suite in suites.values()] == [0, 1, 0]
    assert list(suites) == ["a", "b", "tepui"]
    results = {case.name: case.result for suite in suites.values() for case in suite}
    assert list(results) == [
        "slow",
        "quick",
        "proof",
        "counted",
        "late",
        "<i>&'\"\\x00\\x1b",
        "free",
    ]
    (failure,) = results["proof"]
    assert isinstance(failure, Failure)
    assert failure.message == "WRONG PROOF: safe, but unsafe was expected"
    (error,) = results["<i>&'\"\\x00\\x1b"]
    assert isinstance(error, Error)
    assert error.text == "killed\n<b>\\x00</b>]]>"
    (skipped,) = results["late"]
    assert isinstance(skipped, Skipped)
    assert skipped.message == "timeout"
    assert [results[name] for name in ("slow", "quick", "counted", "free")] == [[], [], [], []]
    assert suites["a"].time == 110.0


def test_the_json_of_a_suite_has_its_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    shown = json.loads(json.dumps(suite_object("s", RUN, OUTCOMES, stopped=True)))
    Draft202012Validator(SCHEMA).validate(shown)
    assert shown["judgements"]["wrong proof"] == 1
    compared = json.loads(json.dumps(comparison_object(_compared())))
    Draft202012Validator(SCHEMA).validate(compared)
    assert compared["worse"] is True
    assert compared["kinds"] == {"worse": 1, "missing": 5, "new": 1, "faster": 1}


def test_the_schema_knows_every_word() -> None:
    words = SCHEMA["$defs"]
    assert set(words["answer"]["enum"]) == {*VERDICTS, *get_args(Open), *FAILURES}
    assert set(words["judgement"]["enum"]) == set(JUDGEMENTS)
    assert set(words["kind"]["enum"]) == set(KINDS)


def _suite_page(folder: Path) -> str:
    return suite_page(RUN, OUTCOMES, folder / "t.html")


def _compared() -> Comparison:
    old, new = ({each.task: each for each in outcomes} for outcomes in (OUTCOMES, LATER))
    return compare(("s:1", old), ("s:2", new))


def _open(
    browser: Browser, path: Path, text: str, *, scheme: Any = "light", width: int = 1200
) -> tuple[Page, list[str]]:
    """A page in a browser, with all that it complains about and asks the network for."""
    path.write_text(text, encoding="utf-8")
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})
    heard = listened(page)
    page.goto(path.as_uri())
    return page, heard


def _tasks(page: Page) -> list[str]:
    """The tasks that are shown, in their order."""
    return page.locator("tbody tr:not([hidden]) td:first-child").all_inner_texts()


def _way_to_models(folder: Path) -> str:
    return "../" * (len(folder.resolve().parts) - 1) + "models/a/slow.cpds"
