"""Takes the screenshots in the docs: `python docs/pictures/take.py [NAME]`.

Two reports are written and opened in a browser without a window: of a driver with a bug, and of a
system that is safe. What a notebook shows is opened in the same way. It needs playwright and
Chromium: `make browser` finds one, and TEPUI_BROWSER names another.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import FloatRect, Page, sync_playwright

import tepui

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"

SHOTS = {
    "report-verdict.png": ("bluetooth1.bp", "#verdict"),
    "report-trace.png": ("bluetooth1.bp", "#trace-1"),
    "report-source.png": ("bluetooth1.bp", "#source"),
    "report-plot.png": ("figure4.cpds", "#exploration"),
    "report-calls.png": ("bluetooth1.bp", "#calls"),
    "report-proof.png": ("figure4.cpds", "#proof-1"),
    "notebook.png": ("bluetooth1.bp", "#cell"),
}
"""The name of each picture: the example that it is about, and the part of the page."""

STEPS = 11
"""How far the trace has been stepped: to the assignment that stops the driver."""


def main(names: list[str]) -> None:
    """Take the pictures with these names, or all of them."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        executable = os.environ.get("TEPUI_BROWSER") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 960}, device_scale_factor=1.25)
        for name in names or SHOTS:
            example, part = SHOTS[name]
            if part == "#cell":
                page.set_content(_cell(example))
            else:
                page.goto(_report(example, Path(folder)).as_uri())
                _step(page)
            page.screenshot(path=HERE / name, full_page=True, clip=_around(page, part))
        browser.close()


def _report(example: str, folder: Path) -> Path:
    """The report about an example."""
    path = folder / f"{example}.html"
    command = [sys.executable, "-m", "tepui", "report", example, "--output", str(path)]
    if not path.exists():
        subprocess.run(command, cwd=EXAMPLES, check=False, stdout=subprocess.DEVNULL)
    return path


def _cell(example: str) -> str:
    """What a notebook shows of a result."""
    shown = tepui.verify(tepui.load(EXAMPLES / example))._repr_html_()
    return f'<div id="cell" style="padding:8px 0;width:800px">{shown}</div>'


def _around(page: Page, part: str) -> FloatRect:
    """The place of a part of the page, with a margin."""
    box = page.locator(part).bounding_box()
    assert box is not None, part
    margin = 16
    return {
        "x": box["x"] - margin,
        "y": box["y"],
        "width": box["width"] + 2 * margin,
        "height": box["height"],
    }


def _step(page: Page) -> None:
    """Go some steps into the trace, if there is one."""
    following = page.locator('#trace-1 [data-go="next"]')
    for _ in range(STEPS if following.count() else 0):
        following.click()


if __name__ == "__main__":
    main(sys.argv[1:])
