"""The parts of one answer besides its trace: the observation sequence, and the proof in words."""

from __future__ import annotations

from collections.abc import Sequence

from tepui.engines.rounds import Round
from tepui.report.bounds import bounds_of, count_text
from tepui.report.invariant_text import InvariantText
from tepui.report.markup import Html, element, joined
from tepui.report.pictures.plot import observation_plot
from tepui.report.proof_text import explained, invariant_of
from tepui.result import Result
from tepui.words import counted, number_text

MOST_ROWS = 400
"""The middle of a longer table is left out."""


def proof_html(result: Result) -> Html:
    """Why the answer holds, paragraph by paragraph."""
    paragraphs = []
    for paragraph in explained(result):
        items = [element("li", item) for item in paragraph.items]
        paragraphs.append(
            element(
                "li",
                element("b", paragraph.title),
                element("p", paragraph.text),
                element("ul", items) if items else None,
            )
        )
    invariant = invariant_of(result)
    return joined(
        element("ol", paragraphs, class_="proof"),
        None if invariant is None else _invariant(invariant),
    )


def _invariant(invariant: InvariantText) -> Html:
    """What holds at which places, as a table."""
    rows: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    if invariant.everywhere:
        rows.append((("everywhere",), invariant.everywhere))
    rows += [(clause.places, clause.lines) for clause in invariant.clauses]
    cells = [
        element("tr", element("td", _lines(places)), element("td", _lines(said)))
        for places, said in rows
    ]
    head = element("tr", element("th", "where", scope="col"), element("th", "what holds"))
    table = element("table", element("thead", head), element("tbody", cells), class_="invariant")
    return element(
        "div",
        element("h3", "The invariant"),
        element("p", f"It {invariant.about}."),
        element("div", table, class_="scroll", tabindex="0"),
        element("p", invariant.more) if invariant.more else None,
    )


def _lines(texts: Sequence[str]) -> list[Html]:
    return [element("div", text) for text in texts]


def observations_html(result: Result) -> Html:
    """The plot of states and visible states under each bound, and the same as a table."""
    return joined(
        element("div", Html(observation_plot(result)), class_="picture", tabindex="0"),
        element(
            "details",
            element("summary", f"Table of {counted(len(result.rounds), 'row')}"),
            element("div", _table(result), class_="scroll", tabindex="0"),
        ),
    )


def _table(result: Result) -> Html:
    names = [name for name, _ in _cells(result.rounds[0], result.tops)]
    head = element("tr", [element("th", name, scope="col") for name in names])
    return element(
        "table", element("thead", head), element("tbody", _rows(result)), class_="rounds"
    )


def _rows(result: Result) -> list[Html]:
    rows = [
        element(
            "tr",
            [element("td", text) for _, text in _cells(row, result.tops)],
            class_="" if row.new_visible else "plateau",
        )
        for row in result.rounds
    ]
    if len(rows) <= MOST_ROWS:
        return rows
    half = MOST_ROWS // 2
    columns = len(_cells(result.rounds[0], result.tops))
    text = f"… {len(rows) - 2 * half:,} rounds left out …"
    gap = element("tr", element("td", text, colspan=columns, class_="gap"))
    return [*rows[:half], gap, *rows[-half:]]


def _cells(row: Round, tops: int) -> list[tuple[str, str]]:
    """The columns of a round: the name of each, and what is in it."""
    bounds = [(name, str(count)) for name, count in bounds_of(row)]
    words = []
    if row.delays is not None and tops > 1:
        words = [(f"top {tops}", f"{row.delays.top_words:,}")]
    return [
        *bounds,
        ("states", count_text(row.states)),
        ("visible", number_text(row.visible)),
        *words,
        ("new", f"+{number_text(row.new_visible)}" if row.new_visible else "plateau"),
        ("seconds", f"{row.seconds:.3f}"),
    ]
