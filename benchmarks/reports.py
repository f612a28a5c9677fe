"""The table of reports: how large the pages are, and how fast a browser opens them.

Each model is made here, so that its trace, or what is visible of it, has a size of choice.
"""

from __future__ import annotations

from dataclasses import dataclass

from measure_report import Page
from processes import run_alone
from tables import DASH, Line, Part, Say, number, seconds

COLUMNS = ["model", "steps", "visible", "seconds", "page", "opens", "busy"]

BEFORE = """\
Each row is one `tepui report` in a process of its own, and its page in a real browser.
`steps` are those of the trace, and `visible` the visible states, every permutation counted.
`seconds` is how long it takes to make the page, after the answers are there.
`page` is its size in kB.
`opens` is the time in the browser until the page is there and its script has run, in seconds, and
`busy` the part of it in which the browser computes; both are medians of 5."""


@dataclass(frozen=True)
class Row:
    """A model by its kind and size; see `measure_report`."""

    name: str
    kind: str
    size: int


ROWS = [
    Row("trace, 60 times round a loop", "trace", 60),
    Row("trace, 1,200 times", "trace", 1_200),
    Row("7 different threads", "visible", 7),
    Row("9 different threads", "visible", 9),
]


def measure_reports(*, quick: bool, say: Say) -> Part:
    """Make the pages and open them; quickly, only the small ones."""
    lines, complaints = [], []
    for row in ROWS[::2] if quick else ROWS:
        say(row.name)
        run = run_alone("measure_report.py", row.kind, str(row.size), seconds=600)
        page = None if run.found is None else Page(**run.found)
        lines.append(Line(_cells(row, page), wrong=page is None))
        if run.failure is not None:
            complaints.append(f"{row.name}: {run.failure}")
    return Part(title="Reports", before=BEFORE, columns=COLUMNS, lines=lines, complaints=complaints)


def _cells(row: Row, page: Page | None) -> list[str]:
    if page is None:
        return [row.name, *[DASH] * (len(COLUMNS) - 1)]
    return [
        row.name,
        number(page.steps),
        number(page.visible),
        seconds(page.seconds),
        number(page.bytes / 1000),
        number(page.opens, 2),
        number(page.busy, 2),
    ]
