"""The source in a report, in colours, with a mark on every line that has a statement."""

from __future__ import annotations

from collections.abc import Mapping

from tepui.report.markup import Child, Html, element, joined
from tepui.report.page.marks import SIGNS, Mark, Marks
from tepui.report.page.sources import Library, Listing, line_anchor
from tepui.subject.coverage import Certainty
from tepui.words import counted

_MEANINGS: dict[Mark, str] = {
    "violated": "violated",
    "reached": "reached",
    "partly": "partly reached",
    "unreached": "unreached",
    "unknown": "unknown",
}

_CERTAINTIES: dict[Certainty, str] = {
    "all": "These marks are exact, for any number of contexts.",
    "reached": (
        "Lines that are marked as reached are reached. The run ended early, so the other lines are "
        "unknown: they may be reached later."
    ),
    "unreached": (
        "Lines that are marked as unreached are never reached, for any number of contexts. The "
        "proof did not need to know which other lines are reached: these are unknown, except "
        "where a trace goes through them."
    ),
}

Notes = Mapping[tuple[str, int], str]
"""Remarks that are shown below lines, by file and line."""


def listings_html(library: Library, marks: Marks | None, notes: Notes) -> Html:
    """All texts of a report, with the legend of their marks."""
    return joined(
        None if marks is None else _legend(marks),
        [
            _listing(listing, number, marks, notes)
            for number, listing in enumerate(library.listings, start=1)
        ],
    )


def _legend(marks: Marks) -> Html:
    entries = []
    for mark, meaning in _MEANINGS.items():
        count = marks.count(mark)
        if count:
            sign = element("span", SIGNS[mark], class_=f"sign {mark}", aria_hidden="true")
            entries.append(element("li", sign, f" {meaning}: {counted(count, 'line')}"))
    entries.append(
        element(
            "li",
            element(
                "label",
                element("input", type="checkbox", id="unreached-only"),
                " show unreached lines only",
            ),
            class_="filter",
        )
    )
    return joined(
        element("p", _CERTAINTIES[marks.certain]),
        element("ul", entries, class_="legend", id="legend"),
    )


def _listing(listing: Listing, number: int, marks: Marks | None, notes: Notes) -> Html:
    rows = [
        _row(listing, number, line, text, marks, notes)
        for line, text in enumerate(listing.lines, start=1)
        if text or listing.is_read
    ]
    remarks: list[Child] = []
    if not listing.is_read:
        remarks.append(
            element("p", "The file could not be read; these are its statements.", class_="muted")
        )
    if listing.left_out:
        text = f"{counted(listing.left_out, 'more line')} left out."
        remarks.append(element("p", text, class_="muted"))
    return element(
        "figure",
        element("figcaption", element("code", listing.name or listing.title)),
        element("ol", rows, class_="code"),
        remarks,
        class_="listing",
        id=f"source-{number}",
    )


def _row(
    listing: Listing, number: int, line: int, text: str, marks: Marks | None, notes: Notes
) -> Html:
    marked = None if marks is None else marks.lines.get((listing.name, line))
    note = notes.get((listing.name, line))
    sign: Child = element("span", class_="sign")
    if marked is not None:
        sign = element(
            "span",
            SIGNS[marked.mark],
            class_=f"sign {marked.mark}",
            role="img",
            title=marked.words,
            aria_label=marked.words,
        )
    classes = "line" if marked is None else f"line has-{marked.mark}"
    return element(
        "li",
        sign,
        element("span", line, class_="number"),
        element("code", text),
        None if note is None else element("span", note, class_="note"),
        class_=f"{classes} has-note" if note is not None else classes,
        id=line_anchor(number, line),
    )
