"""Plots of times, as SVG for the pages: the number of tasks within a time, and run against run.

Both have logarithmic axes, since the times of tasks differ by orders of magnitude.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tepui.records import record
from tepui.report.markup import plain
from tepui.suite.compare import Comparison
from tepui.suite.outcome import Outcome

_WIDTH, _HEIGHT = 560, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 24, 16, 44
_LEAST = 0.01
"""Seconds. Faster tasks count as this fast."""

_MOST_DOTS = 200
"""More points than this on a line could not be distinguished."""

_COLOURS = ("accent", "open")


@record
class _Axis:
    """Seconds between two powers of ten, from one end of a line to the other."""

    low: int
    high: int
    start: float
    end: float

    @classmethod
    def over(cls, seconds: Sequence[float], start: float, end: float) -> _Axis:
        low = math.floor(math.log10(max(min(seconds), _LEAST)))
        high = math.ceil(math.log10(max(*seconds, _LEAST)))
        return cls(low, max(high, low + 1), start, end)

    def at(self, seconds: float) -> float:
        part = (math.log10(max(seconds, _LEAST)) - self.low) / (self.high - self.low)
        return self.start + min(max(part, 0.0), 1.0) * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        powers = range(self.low, self.high + 1)
        return [(self.at(10.0**power), f"{10.0**power:g} s") for power in powers]


def quantile_plot(runs: Mapping[str, Sequence[Outcome]]) -> str:
    """The number of tasks with a verdict that is not wrong, by time, for each run."""
    times = {
        name: sorted(one.ran.seconds for one in outcomes if one.decided and not one.wrong)
        for name, outcomes in runs.items()
    }
    times = {name: seconds for name, seconds in times.items() if seconds}
    if not times:
        return ""
    longest = max(len(seconds) for seconds in times.values())
    axis = _Axis.over(
        [time for seconds in times.values() for time in seconds], _HEIGHT - _BOTTOM, _TOP
    )
    parts = _time_lines(axis) + _count_ticks(longest)
    for (name, seconds), colour in zip(times.items(), _COLOURS, strict=False):
        points = [(_across(count, longest), axis.at(time)) for count, time in enumerate(seconds, 1)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline class="{colour}" points="{path}"/>')
        dots = points if len(points) <= _MOST_DOTS else []
        parts += [f'<circle class="{colour}" cx="{x:.1f}" cy="{y:.1f}" r="2"/>' for x, y in dots]
        if len(runs) > 1:
            x, y = points[-1]
            parts.append(
                f'<text class="{colour}" x="{x - 6:.1f}" y="{max(y - 6, 12):.1f}" '
                f'text-anchor="end">{plain(name)}</text>'
            )
    parts.append(_caption("tasks with a verdict, the fastest first"))
    return _svg("Within which time how many tasks have a verdict", parts)


def scatter_plot(comparison: Comparison) -> str:
    """The time of each task in one run against that in the other, if both have a verdict."""
    pairs = [
        (pair, pair.old.ran.seconds, pair.new.ran.seconds)
        for pair in comparison.pairs
        if pair.old is not None and pair.new is not None and pair.old.decided and pair.new.decided
    ]
    if not pairs:
        return ""
    seconds = [time for _, old, new in pairs for time in (old, new)]
    across = _Axis.over(seconds, _LEFT, _WIDTH - _RIGHT)
    up = _Axis.over(seconds, _HEIGHT - _BOTTOM, _TOP)
    parts = _time_lines(up)
    for x, text in across.ticks():
        parts.append(f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{_HEIGHT - _BOTTOM}"/>')
        parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - 26}" text-anchor="middle">{text}</text>')
    parts.append(
        f'<line class="equal" x1="{across.start}" y1="{up.start}" x2="{across.end}" y2="{up.end}"/>'
    )
    for pair, old, new in pairs:
        title = plain(f"{pair.task}: {old:.2f} s, then {new:.2f} s")
        parts.append(
            f'<circle class="{_COLOURS[pair.kind == "slower"]}" cx="{across.at(old):.1f}" '
            f'cy="{up.at(new):.1f}" r="3"><title>{title}</title></circle>'
        )
    parts.append(_caption("before (across) and now (up); above the line it takes longer now"))
    return _svg("The time of each task in both runs", parts)


def _time_lines(axis: _Axis) -> list[str]:
    parts = []
    for y, text in axis.ticks():
        parts.append(f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    return parts


def _count_ticks(longest: int) -> list[str]:
    step = max(1, math.ceil(longest / 8))
    return [
        f'<text x="{_across(count, longest):.1f}" y="{_HEIGHT - 26}" text-anchor="middle">'
        f"{count}</text>"
        for count in range(step, longest + 1, step)
    ]


def _across(count: int, longest: int) -> float:
    return _LEFT + count / longest * (_WIDTH - _LEFT - _RIGHT)


def _caption(text: str) -> str:
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    return f'<text x="{middle}" y="{_HEIGHT - 6}" text-anchor="middle">{plain(text)}</text>'


def _svg(title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{plain(title)}">'
        f"{''.join(parts)}</svg>"
    )
