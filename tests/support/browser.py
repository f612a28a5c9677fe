"""A real browser for tests of pages: a new page for each test, which must stay silent.

Whatever the console says, every error and every request that would leave the machine fails the
test. The browser is the one that TEPUI_BROWSER names, else Chromium or Chrome on the PATH, else
playwright's own. `conftest` makes both fixtures known everywhere.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Playwright, Request

_NAMES = ("chromium", "chromium-browser", "google-chrome")

_NONE = (
    "there is no browser for this test: put Chromium on the PATH, name one with TEPUI_BROWSER, or "
    "get one with `make browser`"
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser without a window, for all tests. Where there is none, tests are skipped; but not in
    CI, which must have one."""
    playwright = pytest.importorskip("playwright.sync_api", reason=_NONE, exc_type=ImportError)
    with playwright.sync_playwright() as running:
        executable = _executable(running)
        if executable is None:
            (pytest.fail if os.environ.get("CI") else pytest.skip)(_NONE)
        launched = running.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that fails the test if it complains, or asks the network for anything."""
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    heard = listened(opened)
    yield opened
    opened.close()
    assert heard == []


def listened(page: Page) -> list[str]:
    """What a page says on the console, its errors, and the requests that it makes from now on,
    except for files and data."""
    heard: list[str] = []

    def asked(request: Request) -> None:
        if not request.url.startswith(("file:", "data:", "about:")):
            heard.append(f"request: {request.url}")

    page.on("console", lambda message: heard.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: heard.append(f"error: {error}"))
    page.on("request", asked)
    return heard


def hard_to_read(page: Page) -> list[str]:
    """The texts that are shown with less contrast than WCAG asks for. Buttons that do nothing now
    may be pale."""
    found: list[str] = page.evaluate(_HARD_TO_READ)
    return found


def wider_than_the_screen(page: Page) -> int:
    """By how many pixels a page can be scrolled sideways."""
    wider: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return max(0, wider)


def show(page: Page, folder: Path, html: str) -> Path:
    """Open a text as a file, as people do who double-click on it."""
    path = folder / "page.html"
    path.write_text(html, encoding="utf-8")
    page.goto(path.as_uri())
    return path


def _executable(playwright: Playwright) -> str | None:
    """The browser to use; None if there is none."""
    named = os.environ.get("TEPUI_BROWSER")
    if named:
        return named
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    own = playwright.chromium.executable_path
    return found or (own if Path(own).exists() else None)


_HARD_TO_READ = """() => {
    const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = (colour) => numbers(colour).slice(0, 3).map((part) => part / 255)
        .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
    const paper = (one) => {
        const colour = getComputedStyle(one).backgroundColor;
        const seen = numbers(colour)[3] !== 0;
        return seen || !one.parentElement ? colour : paper(one.parentElement);
    };
    const hasText = (one) => Array.from(one.childNodes).some(
        (child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
    const found = [];
    for (const one of document.querySelectorAll("body *:not(script, svg *)")) {
        const isShown = one.getClientRects().length > 0;
        if (!hasText(one) || !isShown || one.closest("[aria-disabled=true]")) continue;
        const style = getComputedStyle(one);
        const both = [light(style.color), light(paper(one))].sort((a, b) => b - a);
        const contrast = style.opacity * (both[0] + 0.05) / (both[1] + 0.05);
        if (contrast < 4.5) {
            const name = `${one.localName}.${one.className}`;
            found.push(`${name} ${one.textContent.slice(0, 20)}: ${contrast.toFixed(1)}`);
        }
    }
    return found;
}"""
