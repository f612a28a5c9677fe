"""The HTML table of a run: every task with its answer, wrong ones first."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tepui.report.markup import plain
from tepui.suite.outcome import JUDGEMENTS, WRONG, Answer, Judgement, Outcome, Tally
from tepui.suite.page import Cell, Page, Row, link, mark, number, seconds
from tepui.suite.plots import quantile_plot
from tepui.suite.store import StoredRun
from tepui.suite.text import judgement_text, tally_text

_HEADINGS = (
    ("task", ""),
    ("judgement", ""),
    ("answer", ""),
    ("expected", ""),
    ("seconds", "number"),
    ("MiB", "number"),
    ("bound", "number"),
    ("engine", ""),
    ("remarks", ""),
)
_MARKS: dict[Judgement, str] = {
    "correct": "good",
    "no expectation": "",
    "undecided": "open",
    "failed": "bad",
    "wrong proof": "bad",
    "wrong alarm": "bad",
    "wrong counts": "bad",
}


def suite_page(run: StoredRun, outcomes: Sequence[Outcome], page: Path) -> str:
    """A page about a run, to be written to this place."""
    tally = Tally.of(outcomes)
    in_order = sorted(outcomes, key=lambda outcome: JUDGEMENTS.index(outcome.judgement))
    return Page(
        f"tepui suite, run {run.name}",
        _introduction(run, tally),
        {name: tally.judgements[name] for name in JUDGEMENTS if name in tally.judgements},
        WRONG,
        (quantile_plot({run.name: outcomes}),),
        _HEADINGS,
        [_row(outcome, page) for outcome in in_order],
    ).html()


def answer_cell(answer: Answer, wrong: bool) -> Cell:
    """An answer in its colour."""
    colours = {"safe": "good", "unsafe": "violated", "collapsed": "good", "crashed": "bad"}
    return mark(answer, "bad" if wrong else colours.get(answer, "open"))


def _introduction(run: StoredRun, tally: Tally) -> str:
    settings = json.loads(run.settings)
    options = settings.pop("options", {}).get("verify", [])
    said = [f"{name} {value}" for name, value in sorted(settings.items())]
    said += [" ".join(options)] if options else []
    wrong = (
        f'<p class="alarm" role="alert">WRONG: {tally.wrong} of the answers, which contradict what '
        "was expected. They are the first in the table.</p>"
        if tally.wrong
        else ""
    )
    return (
        f"<p>{plain(tally_text(tally))}</p>{wrong}"
        f'<p class="muted">tepui {plain(run.version)}, begun {plain(run.started)}, '
        f"{plain(', '.join(said) or 'no limits')}</p>"
    )


def _row(outcome: Outcome, page: Path) -> Row:
    ran = outcome.ran
    mebibytes = None if ran.memory is None else ran.memory / 2**20
    cells = (
        link(outcome.task, outcome.file, page),
        mark(judgement_text(outcome.judgement), _MARKS[outcome.judgement]),
        answer_cell(ran.answer, outcome.wrong),
        Cell(plain(outcome.expectation)),
        seconds(ran.seconds),
        number(mebibytes, f"{mebibytes or 0:,.0f}"),
        number(ran.bound),
        Cell(plain(ran.engine or "")),
        _remarks(outcome),
    )
    return Row(outcome.judgement, cells)


def _remarks(outcome: Outcome) -> Cell:
    ran = outcome.ran
    parts: list[str] = []
    if ran.counts is not None:
        parts.append(plain(outcome.found))
    if ran.checked is False:
        parts.append("unchecked")
    if ran.detail:
        first, _, more = ran.detail.partition("\n")
        shown: str = plain(first)
        if more or len(first) > 100:
            shown = f"<details><summary>why</summary><pre>{plain(ran.detail)}</pre></details>"
        parts.append(shown)
    return Cell(", ".join(parts))
