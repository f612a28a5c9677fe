"""Stepping through a trace in a real browser: keys, addresses, local variables, many lanes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.browser import listened, show
from support.samples.reports import CALLS, about, example, philosophers, written
from tepui.deciding import Options, verify
from tepui.languages import load
from tepui.program.program import Program
from tepui.program.questions import deadlock
from tepui.report.page import report_page
from tepui.report.report_input import ReportInput

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, ViewportSize

LAST = 16
"""How many steps the trace of bluetooth1.bp has."""

PHONE: ViewportSize = {"width": 390, "height": 800}

FOCUS = (
    "body",
    "header nav a >> nth=-1",
    "#theme",
    ".controls [data-go=next]",
    ".controls [data-fold=close]",
    ".diagram",
    ".context summary >> nth=0",
    ".pane",
    ".state",
    "#exploration .picture",
    "#exploration summary >> nth=0",
    "#states",
    "#unreached-only",
    "#calls .picture",
    "#about pre",
)
"""All kinds of elements that can have the focus, except fields to type in."""


@pytest.fixture(scope="module")
def driver() -> str:
    return report_page(example("bluetooth1.bp"))


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report on eight threads, all of which run."""
    folder = tmp_path_factory.mktemp("eight")
    program = load(written(folder, "philosophers.bp", philosophers(8))).model
    assert isinstance(program, Program)
    result = verify(program, [deadlock()], Options(engine="delay"))
    return report_page(ReportInput("verify", program, folder / "philosophers.bp", (result,)))


def test_keys_step_wherever_the_focus_is(page: Page, tmp_path: Path, driver: str) -> None:
    show(page, tmp_path, driver)
    for focus in FOCUS:
        page.locator(focus).evaluate("(one) => { document.activeElement.blur(); one.focus(); }")
        for key, step in (
            ("End", LAST),
            ("ArrowLeft", LAST - 1),
            ("Home", 0),
            ("Shift+ArrowRight", 2),
        ):
            page.keyboard.press(key)
            assert _where(page) == step, (focus, key)
            assert _is_on_screen(page, page.locator(".step.current")), (focus, key)


@pytest.mark.parametrize("place", ["#source .line >> nth=30", "#states li >> nth=3", "#proof-1 p"])
def test_keys_step_after_a_click_anywhere_and_bring_the_trace_into_view(
    page: Page, tmp_path: Path, driver: str, place: str
) -> None:
    show(page, tmp_path, driver)
    page.locator(place).first.click()
    assert not _is_on_screen(page, page.locator(".step.current"))
    page.keyboard.press("End")
    assert _where(page) == LAST
    assert _is_on_screen(page, page.locator(".step.current"))
    assert _is_on_screen(page, page.locator(".ending"))


def test_keys_that_are_typed_into_a_field_stay_there(
    page: Page, tmp_path: Path, driver: str
) -> None:
    show(page, tmp_path, driver)
    search = page.locator("#search")
    search.fill("ab")
    for key in ("Home", "j", "End", "k", "ArrowLeft", "ArrowRight"):
        search.press(key)
    assert search.input_value() == "jabk"
    assert _where(page) == 0


def test_keys_with_ctrl_are_left_to_the_browser(page: Page, tmp_path: Path, driver: str) -> None:
    show(page, tmp_path, driver)
    page.keyboard.press("Control+End")
    assert _where(page) == 0


def test_keys_go_to_the_trace_on_the_screen_or_to_the_last_one(page: Page, tmp_path: Path) -> None:
    text = "decl x := 0;\nvoid main() {\n    x := *;\n    assert(!x);\n    assert(x);\n}\n"
    show(page, tmp_path, report_page(about(written(tmp_path, "two.bp", text), each=True)))
    page.keyboard.press("End")
    assert page.locator(".where").all_text_contents() == ["step 2 of 2", "step 0 of 3"]
    page.locator("#trace-2 .stage").scroll_into_view_if_needed()
    page.keyboard.press("End")
    assert page.locator(".where").all_text_contents() == ["step 2 of 2", "step 3 of 3"]
    page.locator("#about").scroll_into_view_if_needed()
    page.keyboard.press("k")
    assert page.locator(".where").all_text_contents() == ["step 2 of 2", "step 2 of 3"]
    assert _is_on_screen(page, page.locator("#trace-2 .step.current"))


def test_a_page_without_a_trace_leaves_keys_to_the_browser(page: Page, tmp_path: Path) -> None:
    show(page, tmp_path, report_page(example("figure4.cpds")))
    page.keyboard.press("End")
    _wait_until(page, "() => scrollY > 0")


@pytest.mark.parametrize("step", [0, 10, LAST])
def test_an_address_opens_a_step(page: Page, tmp_path: Path, driver: str, step: int) -> None:
    path = show(page, tmp_path, driver)
    page.goto("about:blank")
    page.goto(f"{path.as_uri()}#trace-1-step-{step}")
    assert _where(page) == step
    _wait_until(page, _ON_SCREEN, f"#trace-1-step-{step}")


def test_an_address_that_changes_opens_its_step(page: Page, tmp_path: Path, driver: str) -> None:
    show(page, tmp_path, driver)
    page.evaluate("location.hash = '#trace-1-step-5'")
    page.wait_for_selector("#trace-1-step-5.current")
    assert _is_on_screen(page, page.locator(".stage"))


def test_an_address_of_no_step_changes_nothing(page: Page, tmp_path: Path, driver: str) -> None:
    path = show(page, tmp_path, driver)
    for address in ("trace-1-step-99", "trace-7-step-1", "trace-1-step-x", "source-1-40", "%"):
        page.goto("about:blank")
        page.goto(f"{path.as_uri()}#{address}")
        assert _where(page) == 0


def test_the_address_is_that_of_the_current_step(page: Page, tmp_path: Path, driver: str) -> None:
    path = show(page, tmp_path, driver)
    assert page.url == path.as_uri()
    page.locator("[data-go=next]").click()
    assert page.url == f"{path.as_uri()}#trace-1-step-1"
    page.keyboard.press("End")
    assert page.url == f"{path.as_uri()}#trace-1-step-{LAST}"
    page.reload()
    assert _where(page) == LAST


def test_all_local_variables_of_the_running_thread_are_shown(page: Page, tmp_path: Path) -> None:
    show(page, tmp_path, report_page(about(written(tmp_path, "calls.bp", CALLS))))
    heading = page.locator(".state h4 >> nth=1")
    assert heading.text_content() == "Local variables"
    seen = {}
    for step in range(1, 7):
        page.keyboard.press("ArrowRight")
        seen[step] = _locals(page)
    assert heading.text_content() == "Local variables of main"
    main = ["main:12", "r=3", "u=1"]
    assert seen[1] == ["f:4", "a=0", "b=1", "c=2", "d[0]=–", "d[1]=–", *main]
    assert seen[2] == ["f:5", "a=0", "b=1", "c=0", "d[0]=–", "d[1]=–", *main]
    caller = ["f:5", *seen[2][1:]]
    assert seen[4] == ["f:4", "a=1", "b=1", "c=2", "d[0]=–", "d[1]=–", *caller]
    assert page.locator(".locals .changed .name").all_text_contents() == []
    page.locator("#trace-1-step-8 code").click()
    assert _locals(page)[:6] == ["f:8", "a=1", "b=–", "c=1", "d[0]=–", "d[1]=1"]
    page.keyboard.press("End")
    assert _locals(page) == ["r=1", "u=1"]
    page.keyboard.press("ArrowLeft")
    assert page.locator(".locals .changed").all_text_contents() == ["r–1"]


def test_what_a_line_for_no_value_means_is_said_where_there_is_one(
    page: Page, tmp_path: Path
) -> None:
    show(page, tmp_path, report_page(about(written(tmp_path, "calls.bp", CALLS))))
    note = page.get_by_text("stands for any value")
    page.keyboard.press("ArrowRight")
    assert note.is_visible()
    page.keyboard.press("End")
    assert note.count() == 0


def test_a_thread_that_has_ended_has_no_local_variables(
    page: Page, tmp_path: Path, driver: str
) -> None:
    show(page, tmp_path, driver)
    page.locator("#trace-1-step-11 code").click()
    assert page.locator(".state .none >> nth=0").text_content() == "finished"


@pytest.mark.parametrize("width", [390, 1280])
def test_with_eight_lanes_every_box_can_be_read(
    page: Page, tmp_path: Path, eight: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    show(page, tmp_path, eight)
    assert page.locator(".heads .head").count() == 8
    diagram = _box(page.locator(".diagram"))
    for key, box in (("End", ".ending"), ("Home", ".start")):
        page.keyboard.press(key)
        texts = page.locator(f"{box} b, {box} li, {box} span").all()
        assert texts
        for text in [page.locator(box), *texts]:
            inner = _box(text)
            assert inner["x"] >= diagram["x"] - 1
            assert inner["x"] + inner["width"] <= diagram["x"] + diagram["width"] + 1
    assert page.locator(".resting li").count() == 8


def test_the_last_step_shows_what_is_violated(page: Page, tmp_path: Path, driver: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 500})
    show(page, tmp_path, driver)
    diagram, row = page.locator(".diagram"), page.locator(f"#trace-1-step-{LAST}")
    diagram.evaluate(
        """(box) => {
            const row = box.querySelector(".violation");
            const below = row.getBoundingClientRect().bottom - box.getBoundingClientRect().bottom;
            box.scrollTop += below + 12;
        }"""
    )
    assert _is_within(diagram, row)
    assert not _is_within(diagram, page.locator(".ending"))
    page.keyboard.press("End")
    assert _is_within(diagram, row)
    assert _is_within(diagram, page.locator(".ending"))


def test_a_phone_shows_the_stacks_of_all_threads_without_a_box_that_scrolls(
    browser: Browser, tmp_path: Path, eight: str
) -> None:
    page = browser.new_page(viewport=PHONE)
    heard = listened(page)
    show(page, tmp_path, eight)
    page.locator("[data-go=last]").click()
    state, stacks = page.locator(".state"), page.locator(".stacks dt, .stacks dd")
    assert stacks.count() == 16
    assert all(_is_within(state, stack) for stack in stacks.all())
    fits = "(one) => one.scrollHeight <= one.clientHeight + 1"
    assert state.evaluate(fits)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.close()
    assert heard == []


def test_on_a_phone_the_controls_the_step_and_the_state_are_together(
    browser: Browser, tmp_path: Path, driver: str
) -> None:
    page = browser.new_page(viewport=PHONE)
    show(page, tmp_path, driver)
    page.evaluate("location.hash = '#trace-1-step-15'")
    page.wait_for_selector("#trace-1-step-15.current")
    for part in (".controls", ".step.current", ".state"):
        assert _is_on_screen(page, page.locator(part)), part
    page.close()


def _where(page: Page) -> int:
    """The step that is shown, as the page says, which must be the one that is marked."""
    text = page.locator(".where").first.text_content()
    marked = page.locator(".step.current").first.get_attribute("data-step")
    assert text is not None
    assert marked is not None
    assert int(text.split()[1]) == int(marked)
    return int(marked)


def _locals(page: Page) -> list[str]:
    """The local variables with their values, below the activations that they belong to."""
    found: list[str] = page.evaluate(
        """() => Array.from(document.querySelectorAll(".activation, .locals li"), (one) =>
            one.matches("li")
                ? `${one.querySelector(".name").textContent}=${one.querySelector("b").textContent}`
                : one.textContent)"""
    )
    return found


def _wait_until(page: Page, condition: str, argument: str | None = None) -> None:
    """Ask again and again from outside: the page lets no text become a script, so that nothing in
    it can ask a second time."""
    for _ in range(200):
        if page.evaluate(condition, argument):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never holds: {condition}")


_ON_SCREEN = """(name) => {
    const box = document.querySelector(name).getBoundingClientRect();
    const middle = [box.left + Math.min(20, box.width / 2), box.top + box.height / 2];
    const there = document.elementFromPoint(...middle);
    return there !== null && there.closest(name) !== null;
}"""
"""Whether an element is on the screen, and nothing in front of it."""


def _is_on_screen(page: Page, element: Locator) -> bool:
    box, height = _box(element), page.evaluate("innerHeight")
    return bool(box["y"] >= 0 and box["y"] + box["height"] <= height)


def _box(element: Locator) -> dict[str, float]:
    box = element.first.bounding_box()
    assert box is not None
    return {"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]}


def _is_within(outer: Locator, inner: Locator) -> bool:
    around, box = _box(outer), _box(inner)
    return (
        box["x"] >= around["x"] - 1
        and box["y"] >= around["y"] - 1
        and box["x"] + box["width"] <= around["x"] + around["width"] + 1
        and box["y"] + box["height"] <= around["y"] + around["height"] + 1
    )
