"""Make one report, open it in a browser, and print its measures as a JSON object.

`python benchmarks/measure_report.py trace 60` is about a program whose trace goes 60 times round a
loop, `visible 7` about 7 different threads that step through six places each. The browser is the
one that TEPUI_BROWSER names, or Chromium or Chrome on the PATH.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

import tepui
from tepui.deciding import Options
from tepui.report.page import report_page
from tepui.report.report_input import ReportInput

TIMES = 5

LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd"
"""Milliseconds from the start of the navigation to the end of loading."""


@dataclass(frozen=True)
class Page:
    """What was measured."""

    steps: int | None
    visible: int | None
    seconds: float
    bytes: int
    opens: float
    busy: float


def main() -> None:
    kind, size = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        suffix, text = (".bp", _loop(size)) if kind == "trace" else (".cpds", _walkers(size))
        file = Path(folder) / f"model{suffix}"
        file.write_text(text, encoding="utf-8")
        model = tepui.load(file)
        results = (tepui.verify(model),) if kind == "trace" else ()
        explicit = Options(engine="explicit", strengths=())
        exploration = tepui.explore(model, explicit if kind == "visible" else None)
        begun = time.perf_counter()
        data = ReportInput("report", model, file, results, exploration)
        html = report_page(data)
        seconds = time.perf_counter() - begun
        page = Path(folder) / "page.html"
        page.write_text(html, encoding="utf-8")
        opens, busy = _opened(page)
    trace = results[0].trace if results else None
    steps = None if trace is None else len(trace.steps)
    measured = Page(steps, exploration.visible_states, seconds, len(html.encode()), opens, busy)
    print(json.dumps(asdict(measured)))


def _opened(page: Path) -> tuple[float, float]:
    """Until the page is there and its script has run, and how much of it was work."""
    names = ("chromium", "chromium-browser", "google-chrome")
    named = os.environ.get("TEPUI_BROWSER")
    executable = named or next(filter(None, map(shutil.which, names)), None)
    opens, busy = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for _ in range(TIMES):
            tab = browser.new_page(viewport={"width": 1280, "height": 900})
            session = tab.context.new_cdp_session(tab)
            session.send("Performance.enable")
            tab.goto(page.as_uri(), wait_until="load")
            opens.append(tab.evaluate(LOADED))
            found = session.send("Performance.getMetrics")["metrics"]
            busy += [one["value"] for one in found if one["name"] == "TaskDuration"]
            tab.close()
        browser.close()
    return median(opens) / 1000, median(busy)


def _loop(times: int) -> str:
    """A program with a trace of some steps for each time round its loop."""
    return f"""\
decl count: int 0..{times} := 0, turn := 0;
void work() {{
    decl mine;
    while (count < {times}) {{
        mine := turn;
        count := count + 1;
        turn := !mine;
    }}
    assert(0);
}}
void other() {{
    wait(count = {times // 2});
    count := count + 1;
}}
void main() {{
    thread_create(work);
    thread_create(other);
}}
"""


def _walkers(threads: int) -> str:
    """Threads, no two equal, that walk through six places each, whatever the others do."""
    blocks = []
    for name in range(threads):
        steps = "\n".join(f"    q | t{name}p{at} -> q | t{name}p{at + 1}" for at in range(5))
        blocks.append(f"thread T{name} {{\n    stack t{name}p0\n{steps}\n}}\n")
    return "initial q\n" + "".join(blocks)


if __name__ == "__main__":
    main()
