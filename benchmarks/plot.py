"""Small plots with logarithmic axes, as SVG for light and dark pages.

The panels stand in a grid. Those of one row share the scale of y, so that they can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 400, 270
LEFT, RIGHT, TOP, BOTTOM = 68, 36, 34, 50
"""The margins of a panel around its plot."""

STYLE = """\
text { font: 12px system-ui, sans-serif; fill: #333 }
.title { font-weight: 600; font-size: 13px }
.grid { stroke: #ddd }
.line { stroke: #1769aa; stroke-width: 2; fill: none }
.dot { fill: #1769aa }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd }
  .grid { stroke: #444 }
  .line { stroke: #6cb6ff }
  .dot { fill: #6cb6ff }
}"""


@dataclass(frozen=True)
class Panel:
    """One plot of one series; each of its values of x gets a mark."""

    title: str
    x_label: str
    y_label: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Scale:
    """Maps values from `low` to `high` to pixels, by their logarithms."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + part * (self.end - self.start)


def svg(rows: Sequence[Sequence[Panel]]) -> str:
    """A grid of panels as the text of an SVG file."""
    width, height = WIDTH * max(len(row) for row in rows), HEIGHT * len(rows)
    drawn = [
        f'<g transform="translate({column * WIDTH} {number * HEIGHT})">{_drawn(panel, decades)}</g>'
        for number, row in enumerate(rows)
        for decades in [_decades([y for panel in row for _, y in panel.points])]
        for column, panel in enumerate(row)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' width="{width}" height="{height}" role="img">',
            f"<style>{STYLE}</style>",
            *drawn,
            "</svg>\n",
        ]
    )


def _drawn(panel: Panel, decades: Sequence[float]) -> str:
    xs = [x for x, _ in panel.points]
    across = Scale(min(xs), max(xs), LEFT, WIDTH - RIGHT)
    up = Scale(decades[0], decades[-1], HEIGHT - BOTTOM, TOP)
    places = [(across(x), up(y)) for x, y in panel.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return "\n".join(
        [
            _text(LEFT, 18, panel.title, "title", "start"),
            *(_horizontal(up(decade), decade) for decade in decades),
            *(_vertical(across(x), x) for x in xs),
            f'<polyline class="line" points="{path}"/>',
            *(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in places),
            _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, panel.x_label),
            f'<g transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)">'
            f"{_text(0, 0, panel.y_label)}</g>",
        ]
    )


def _horizontal(y: float, value: float) -> str:
    line = f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
    return line + _text(LEFT - 7, y + 4, f"{value:g}", anchor="end")


def _vertical(x: float, value: float) -> str:
    line = f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
    return line + _text(x, HEIGHT - BOTTOM + 17, f"{value:,.0f}")


def _text(x: float, y: float, text: str, kind: str = "label", anchor: str = "middle") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
    )


def _decades(values: Sequence[float]) -> list[float]:
    """The powers of ten around some values; at least two."""
    low = math.floor(math.log10(min(values)))
    high = max(low + 1, math.ceil(math.log10(max(values))))
    return [10.0**power for power in range(low, high + 1)]
