"""The report in a real browser: stepping, keys, source, search, colours, printing, and no
errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.browser import listened, show
from support.places import EXAMPLES
from support.samples.reports import (
    HOSTILE_PROGRAM,
    HOSTILE_SYSTEM,
    about,
    example,
    long_program,
    written,
)
from tepui.deciding import explore, verify
from tepui.languages import load
from tepui.report.page import report_page
from tepui.report.report_input import ReportInput

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

VIOLATED = 16
"""How many steps the trace of bluetooth1.bp has."""


@pytest.fixture(scope="module")
def driver() -> str:
    """The report on a driver that is wrong."""
    return report_page(example("bluetooth1.bp"))


def test_every_button_goes_where_it_says(page: Page, tmp_path: Path, driver: str) -> None:
    show(page, tmp_path, driver)
    assert _where(page) == 0
    for button, step in (
        ("next", 1),
        ("next", 2),
        ("back", 1),
        ("context-next", 2),
        ("context-next", 11),
        ("context-back", 2),
        ("last", VIOLATED),
        ("context-back", 11),
        ("first", 0),
    ):
        page.locator(f"[data-go={button}]").click()
        assert _where(page) == step, button


def test_the_trace_can_be_walked_with_keys_alone(page: Page, tmp_path: Path, driver: str) -> None:
    show(page, tmp_path, driver)
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.className") == "diagram":
            break
    else:
        pytest.fail("no number of tabs leads to the trace")
    for key, step in (
        ("ArrowRight", 1),
        ("j", 2),
        ("j", 3),
        ("k", 2),
        ("ArrowLeft", 1),
        ("Shift+ArrowRight", 2),
        ("Shift+ArrowRight", 11),
        ("Shift+ArrowLeft", 2),
        ("End", VIOLATED),
        ("ArrowRight", VIOLATED),
        ("Home", 0),
        ("k", 0),
    ):
        page.keyboard.press(key)
        assert _where(page) == step, key
    page.keyboard.press("End")
    told = page.locator("[aria-live]").text_content()
    assert told == f"step {VIOLATED} of {VIOLATED}. add: add:40 assert(!stopped)"


def test_keys_belong_to_a_field_that_has_the_focus(page: Page, tmp_path: Path, driver: str) -> None:
    show(page, tmp_path, driver)
    page.locator("#search").press("j")
    assert _where(page) == 0


def test_a_click_on_a_step_goes_there_and_the_line_is_in_view(
    page: Page, tmp_path: Path, driver: str
) -> None:
    show(page, tmp_path, driver)
    page.locator("#trace-1-step-12 code").click()
    assert _where(page) == 12
    current = page.locator(".pane .current")
    assert current.get_attribute("data-line") == "source-1-23"
    assert _is_inside(page, ".pane", ".pane .current")
    assert _is_inside(page, ".diagram", "#trace-1-step-12")


def test_stepping_never_moves_the_page(page: Page, tmp_path: Path, driver: str) -> None:
    show(page, tmp_path, driver)
    page.locator(".diagram").scroll_into_view_if_needed()
    boxes = "['.controls', '.diagram', '.pane', '.state'].map((name) => { const box = "
    boxes += "document.querySelector(name).getBoundingClientRect(); "
    boxes += "return [box.x, box.y, box.width, box.height]; })"
    before = page.evaluate(boxes)
    for _ in range(VIOLATED):
        page.locator("[data-go=next]").click()
        assert page.evaluate(boxes) == before
        assert _is_inside(page, ".diagram", ".step.current")


def test_a_context_can_be_closed_and_opens_when_a_step_in_it_is_shown(
    page: Page, tmp_path: Path, driver: str
) -> None:
    show(page, tmp_path, driver)
    page.locator("[data-fold=close]").click()
    assert not page.locator("#trace-1-step-1").is_visible()
    page.locator("[data-go=next]").click()
    assert page.locator("#trace-1-step-1").is_visible()
    assert not page.locator("#trace-1-step-3").is_visible()
    page.locator("[data-fold=open]").click()
    assert page.locator("#trace-1-step-3").is_visible()


def test_steps_inside_an_atomic_section_look_different(
    page: Page, tmp_path: Path, driver: str
) -> None:
    show(page, tmp_path, driver)
    assert page.locator(".step.inside code").all_text_contents() == [
        "pendingIo := pendingIo - 1",
        "last := (pendingIo = 0)",
    ]


def test_each_of_several_traces_steps_by_itself(page: Page, tmp_path: Path) -> None:
    text = "decl x := 0;\nvoid main() {\n    x := *;\n    assert(!x);\n    assert(x);\n}\n"
    show(page, tmp_path, report_page(about(written(tmp_path, "two.bp", text), each=True)))
    assert page.locator("#questions li").count() == 2
    assert page.locator("#trace-1, #trace-2").count() == 2
    page.locator("#trace-2 [data-go=last]").click()
    page.keyboard.press("k")
    wheres = page.locator(".where").all_text_contents()
    assert wheres == ["step 0 of 2", "step 2 of 3"]


def test_the_button_switches_between_light_and_dark(
    browser: Browser, tmp_path: Path, driver: str
) -> None:
    page = browser.new_page(color_scheme="dark")
    show(page, tmp_path, driver)
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(colour)
    page.locator("#theme").click()
    light = page.evaluate(colour)
    page.locator("#theme").click()
    assert page.evaluate(colour) == dark
    page.close()
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(20, 24, 31)")


def test_nothing_is_fetched_even_if_a_page_tries(page: Page, tmp_path: Path, driver: str) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    path = show(page, tmp_path, driver)
    page.locator("[data-go=last]").click()
    page.wait_for_load_state("networkidle")
    assert requests == [path.as_uri()]
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "http:" not in driver.replace('xmlns="http://www.w3.org/2000/svg"', "")


def test_lines_can_be_filtered_to_those_that_are_unreached(page: Page, tmp_path: Path) -> None:
    text = "decl x := 0;\nvoid main() {\n    if (x) {\n        x := 0;\n    }\n    assert(!x);\n}\n"
    show(page, tmp_path, report_page(about(written(tmp_path, "dead.bp", text))))
    lines = page.locator("#source .line")
    assert lines.count() == 7
    page.locator("#unreached-only").check()
    visible = [text for text in lines.all() if text.is_visible()]
    assert [line.get_attribute("id") for line in visible] == ["source-1-4"]
    assert visible[0].locator(".sign").get_attribute("title") == "never reached"


def test_visible_states_are_searched(page: Page, tmp_path: Path, driver: str) -> None:
    exploration = explore(load(EXAMPLES / "bluetooth1.bp").model)
    listed = [exploration.system.visible_text(one) for one in exploration.list_visible()]
    show(page, tmp_path, driver)
    states = page.locator("#states code")
    assert states.all_text_contents() == listed
    page.locator("#search").fill("STOPPED=1 add:40")
    wanted = [text for text in listed if "stopped=1" in text and "add:40" in text]
    page.wait_for_selector("#matches:not(:empty)")
    assert page.locator("#matches").text_content() == f"{len(wanted)} match"
    assert wanted
    assert states.all_text_contents() == wanted


def test_without_a_script_everything_can_still_be_read(
    browser: Browser, tmp_path: Path, driver: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    show(page, tmp_path, driver)
    assert page.locator(".verdict").inner_text().startswith("✗")
    assert page.locator(".step").count() == VIOLATED + 1
    assert page.locator("#trace-1-step-16").is_visible()
    assert not page.locator(".controls").is_visible()
    assert not page.locator(".search").is_visible()
    page.locator("#trace-1-step-16 a").click()
    assert page.url.endswith("#source-1-40")
    context.close()


def test_paper_has_the_whole_trace_dark_on_white(
    browser: Browser, tmp_path: Path, driver: str
) -> None:
    page = browser.new_page(color_scheme="dark")
    heard = listened(page)
    show(page, tmp_path, driver)
    page.locator("[data-fold=close]").click()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert all(step.is_visible() for step in page.locator(".step").all())
    assert not page.locator(".controls").is_visible()
    assert not page.locator(".beside").is_visible()
    inner = "document.querySelector('.diagram')"
    assert page.evaluate(f"{inner}.scrollHeight <= {inner}.clientHeight + 1")
    ink = page.evaluate("getComputedStyle(document.body).color")
    page.close()
    assert ink == "rgb(28, 35, 48)"
    assert heard == []


def test_a_phone_scrolls_down_only(browser: Browser, tmp_path: Path, driver: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    heard = listened(page)
    for html in (driver, report_page(example("bluetooth-buggy.cpds"))):
        show(page, tmp_path, html)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()
    assert heard == []


@pytest.mark.parametrize(
    ("name", "text"), [("evil.cpds", HOSTILE_SYSTEM), ("evil.bp", HOSTILE_PROGRAM)]
)
def test_hostile_names_are_shown_and_do_nothing(
    page: Page, tmp_path: Path, name: str, text: str
) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    show(page, tmp_path, report_page(about(written(tmp_path, name, text))))
    page.locator("[data-go=last]").click()
    assert dialogs == []
    assert page.locator("script").count() == 2
    assert page.locator("main :is(img, i, [onclick], [onerror])").count() == 0
    lines = page.locator("#source .line code").all_text_contents()
    assert lines == text.removesuffix("\n").split("\n")
    if name == "evil.cpds":
        assert page.locator(".head b").all_text_contents() == ["<b onclick='alert(3)'>T</b>"]
        assert page.locator(".stacks .top").text_content() == "]]>"


def test_a_long_trace_is_stepped_through_from_both_ends(page: Page, tmp_path: Path) -> None:
    file = written(tmp_path, "long.bp", long_program(60))
    model = load(file).model
    html = report_page(ReportInput("verify", model, file, (verify(model),)))
    show(page, tmp_path, html)
    last = page.locator(".step").count() - 1
    assert last > 200
    page.locator("[data-go=last]").click()
    assert _where(page) == last
    assert _is_inside(page, ".diagram", ".step.current")
    assert page.locator(".globals b").first.text_content() == "60"
    page.locator("[data-go=first]").click()
    assert page.locator(".globals b").first.text_content() == "0"


def test_whatever_a_page_says_or_asks_for_is_heard(browser: Browser) -> None:
    page = browser.new_page()
    page.route("http://**", lambda route: route.abort())
    heard = listened(page)
    page.set_content("<script>console.log('hi'); throw 1;</script><img src='http://x.test/y'>")
    page.close()
    assert {text.partition(":")[0] for text in heard} >= {"log", "error", "request"}


def _where(page: Page) -> int:
    """The step that is shown, as the page says, which must be the one that is marked."""
    text = page.locator(".where").first.text_content()
    marked = page.locator(".step.current").first.get_attribute("data-step")
    assert text is not None
    assert marked is not None
    assert int(text.split()[1]) == int(marked)
    return int(marked)


def _is_inside(page: Page, outer: str, inner: str) -> bool:
    """Whether an element can be seen in a box that scrolls."""
    boxes = [page.locator(name).bounding_box() for name in (outer, inner)]
    around, box = boxes
    assert around is not None
    assert box is not None
    below = box["y"] + box["height"] <= around["y"] + around["height"] + 1
    return box["y"] >= around["y"] - 1 and below
