"""The HTML table of two runs: every task in both of them, those that have become worse first."""

from __future__ import annotations

from pathlib import Path

from tepui.report.markup import plain
from tepui.suite.compare import FACTOR, FLOOR, KINDS, WORSE, Comparison, Kind, Pair
from tepui.suite.outcome import Outcome
from tepui.suite.page import Cell, Page, Row, link, mark, number, seconds
from tepui.suite.plots import quantile_plot, scatter_plot
from tepui.suite.table import answer_cell
from tepui.suite.text import kind_text

_HEADINGS = (
    ("task", ""),
    ("change", ""),
    ("before", ""),
    ("now", ""),
    ("seconds before", "number"),
    ("seconds now", "number"),
    ("times", "number"),
)


def comparison_page(comparison: Comparison, page: Path) -> str:
    """A page about two runs, to be written to this place."""
    counts = {kind: len(comparison.of(kind)) for kind in KINDS}
    old = [pair.old for pair in comparison.pairs if pair.old is not None]
    new = [pair.new for pair in comparison.pairs if pair.new is not None]
    return Page(
        f"tepui suite, {comparison.old} and {comparison.new}",
        _introduction(comparison),
        {kind: count for kind, count in counts.items() if count},
        WORSE,
        (scatter_plot(comparison), quantile_plot({"before": old, "now": new})),
        _HEADINGS,
        [_row(pair, page) for kind in KINDS for pair in comparison.of(kind)],
    ).html()


def _introduction(comparison: Comparison) -> str:
    worse = sum(pair.kind in WORSE for pair in comparison.pairs)
    alarm = f'<p class="alarm" role="alert">Answers that are worse: {worse}.</p>' if worse else ""
    return (
        f"<p>{len(comparison.pairs)} tasks: {plain(comparison.old)} before, "
        f"{plain(comparison.new)} now.</p>{alarm}"
        f'<p class="muted">Slower and faster are times that differ by {FLOOR:g} s or more, and by '
        f"a factor of more than {FACTOR:g}.</p>"
    )


def _row(pair: Pair, page: Path) -> Row:
    here = pair.new or pair.old
    assert here is not None
    cells = (
        link(pair.task, here.file, page),
        mark(kind_text(pair.kind), _css(pair.kind)),
        _answer(pair.old),
        _answer(pair.new),
        seconds(None if pair.old is None else pair.old.ran.seconds),
        seconds(None if pair.new is None else pair.new.ran.seconds),
        number(pair.ratio, f"{pair.ratio or 0:.2f}"),
    )
    return Row(pair.kind, cells)


def _answer(outcome: Outcome | None) -> Cell:
    return Cell("") if outcome is None else answer_cell(outcome.ran.answer, outcome.wrong)


def _css(kind: Kind) -> str:
    if kind in WORSE:
        return "bad"
    if kind in ("slower", "missing", "changed input", "other"):
        return "open"
    return "good" if kind in ("faster", "better") else ""
