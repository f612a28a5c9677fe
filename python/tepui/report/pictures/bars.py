"""Bars for a sequence with only one known member, since there is no course to plot.

A proof by Z that needs no exploration has such a sequence. Its bars show how much was seen, and how
much can exist at most.
"""

from __future__ import annotations

from collections.abc import Iterator

from tepui.report.bounds import count_text
from tepui.report.pictures.plotted_sequence import Observed
from tepui.report.pictures.scales import exact_label, scale_for
from tepui.report.pictures.svg import number, plain, shortened, text_at
from tepui.report.text.watch_result import bound_text

_WIDTH = 760
_LEFT = 180
_RIGHT = 480
_FIRST = 52
_APART = 26
_LONGEST = 72
"""Longer sentences are shortened; the description has the whole sentence."""


def bars_size(observed: Observed) -> tuple[int, int]:
    """The width and the height of the bars."""
    return _WIDTH, _FIRST + _APART * len(_rows(observed)) - 2


def bars(observed: Observed) -> Iterator[str]:
    """What is known under the one bound, and what was concluded."""
    place = f"within {bound_text(observed.bounds[0])}"
    yield text_at(_LEFT - 12, 28, place, "", "end")
    mark = observed.collapsed or observed.violated
    outcome, colour = observed.outcome, "ink"
    if mark is not None:
        outcome, colour = mark.text, "safe" if mark is observed.collapsed else "unsafe"
    yield text_at(_LEFT, 28, shortened(outcome, _LONGEST), f"{colour} strong")
    rows = _rows(observed)
    scale = scale_for([count for _, count, *_ in rows if count is not None], 0, _RIGHT - _LEFT)
    for row, (name, count, colour, more) in enumerate(rows):
        middle = _FIRST + row * _APART
        width = _RIGHT - _LEFT if count is None else max(scale(count), 2)
        yield text_at(_LEFT - 12, middle + 4, name, f"{colour} strong", "end")
        yield (
            f'<rect class="{colour}" x="{_LEFT}" y="{middle - 7}" width="{number(width)}" '
            f'height="14"><title>{plain(f"{name}: {count_text(count)}")}</title></rect>'
        )
        yield text_at(_LEFT + width + 8, middle + 4, exact_label(count) + more, colour)
    if scale.logarithmic:
        yield text_at(_WIDTH - 16, _FIRST + 4, "log scale", "", "end")


def _rows(observed: Observed) -> list[tuple[str, int | None, str, str]]:
    """The name of each bar, its length, its colour, and the text after the number."""
    rows: list[tuple[str, int | None, str, str]] = [
        ("states", observed.states[0], "muted", ""),
        (f"{observed.noun}s", observed.seen[0], "accent", ""),
    ]
    if observed.z_visible is not None:
        rows.append(("T(Z)", observed.z_visible, "safe", ", no more can emerge"))
    return rows
