"""An observation sequence as a plot: states and visible states under each bound, and new ones
below.

Plateaus are bands. Stutters look different from the last plateau, which may never end. The collapse
and the violation are vertical lines, and an over-approximation of the visible states is a
horizontal one. Where there are infinitely many states, the plot says ∞.

Long sequences are thinned out to what a screen can show: every place where something changes is
kept, as long as there are enough pixels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tepui.errors import UsageError
from tepui.report.bounds import count_text
from tepui.report.pictures.bars import bars, bars_size
from tepui.report.pictures.plotted_sequence import (
    Mark,
    Member,
    Observed,
    observed_by,
    observed_in,
    observed_through,
)
from tepui.report.pictures.scales import Scale, count_label, exact_label, scale_for
from tepui.report.pictures.svg import SANS, Picture, number, picture, plain, text_at
from tepui.result import Result
from tepui.subject.plateaus import Plateau
from tepui.watching.watch_result import WatchResult

_WIDTH = 760
_LETTER = 6.4
"""How wide a letter is, about."""
_TOP = 50
_BOTTOM = 290
_BARS_TOP = 318
_BARS_BOTTOM = 362
_LINE = 14
_MOST_POINTS = 150
"""For longer sequences, only the lines are drawn."""
_MOST_NAMES = 4
"""If there are more stutters than this, only their number is shown."""
_INFINITE = 30
"""Room above the scale for places with infinitely many states."""

_STYLE = f"""
.tepui-plot text{{font:12px {SANS};fill:var(--tepui-muted)}}
.tepui-plot .strong{{font-weight:600}}
.tepui-plot .infinity{{font-size:16px}}
.tepui-plot .grid{{stroke:var(--tepui-line);stroke-width:1}}
.tepui-plot .states{{fill:none;stroke:var(--tepui-muted);stroke-width:1.75}}
.tepui-plot .states-point{{fill:var(--tepui-paper);stroke:var(--tepui-muted);stroke-width:1.5}}
.tepui-plot .seen{{fill:none;stroke:var(--tepui-accent);stroke-width:2.25;stroke-linejoin:round}}
.tepui-plot .seen-point{{fill:var(--tepui-accent);stroke:var(--tepui-paper);stroke-width:1}}
.tepui-plot .bar,.tepui-plot rect.accent{{fill:var(--tepui-accent)}}
.tepui-plot rect.muted{{fill:var(--tepui-muted)}}
.tepui-plot rect.safe{{fill:var(--tepui-safe)}}
.tepui-plot .bars{{stroke:var(--tepui-accent);stroke-width:1.5}}
.tepui-plot .to-infinity{{stroke-dasharray:2 4}}
.tepui-plot .stutter{{fill:var(--tepui-open-paper)}}
.tepui-plot .plateau{{fill:var(--tepui-panel)}}
.tepui-plot .collapse{{fill:var(--tepui-safe-paper)}}
.tepui-plot .ceiling{{stroke:var(--tepui-safe);stroke-width:1.25;stroke-dasharray:7 4}}
.tepui-plot .collapsed{{stroke:var(--tepui-safe);stroke-width:1.5}}
.tepui-plot .violated{{stroke:var(--tepui-unsafe);stroke-width:1.5;stroke-dasharray:5 3}}
.tepui-plot text.ink{{fill:var(--tepui-ink)}}
.tepui-plot text.accent{{fill:var(--tepui-accent)}}
.tepui-plot text.open{{fill:var(--tepui-open)}}
.tepui-plot text.safe{{fill:var(--tepui-safe)}}
.tepui-plot text.unsafe{{fill:var(--tepui-unsafe)}}
.tepui-plot .halo{{paint-order:stroke;stroke:var(--tepui-paper);stroke-width:4px}}
"""


def plot(observed: Result | WatchResult | Iterable[Member]) -> Picture:
    """The sequence of a result, of what was seen through an abstraction, or of observations that
    `tepui.observe` has made.

    >>> result = tepui.explore(tepui.load("examples/figure4.cpds"))
    >>> picture = tepui.plot(result)
    >>> picture.svg[:4]
    '<svg'
    """
    if isinstance(observed, Result):
        return Picture(observation_plot(observed))
    if isinstance(observed, WatchResult):
        return Picture(sequence_plot(observed_through(observed)))
    if isinstance(observed, Iterable):
        members = list(observed)
        if all(hasattr(member, "row") for member in members):
            return Picture(sequence_plot(observed_in(members)))
    raise UsageError(
        f"plot takes a result of tepui.verify, tepui.explore or tepui.watch, or what tepui.observe "
        f"yields, not {type(observed).__name__}"
    )


def observation_plot(result: Result) -> str:
    """The observation sequence of a result, as SVG."""
    return sequence_plot(observed_by(result))


def sequence_plot(observed: Observed) -> str:
    """Any observation sequence, as SVG."""
    title = f"Observation sequence of {observed.name}" if observed.name else "Observation sequence"
    if not observed.seen:
        body = [text_at(_WIDTH / 2, 36, "no bound was completed", "ink", "middle")]
        return _framed((_WIDTH, 60), title, observed, body)
    if len(observed.seen) == 1:
        inner = ['<g class="tepui-plot">', *bars(observed), "</g>"]
        return picture(bars_size(observed), title, observed.description(), _STYLE, inner)
    plot = _Plot(observed)
    return _framed((_WIDTH, plot.height), title, observed, plot.drawn())


def _framed(size: tuple[float, float], title: str, observed: Observed, body: list[str]) -> str:
    marked = observed.collapsed or observed.violated or observed.plateaus or not observed.seen
    up = 0 if marked else _TOP - 28
    inner = [f'<g class="tepui-plot" transform="translate(0,{-up})">', *body, "</g>"]
    return picture((size[0], size[1] - up), title, observed.description(), _STYLE, inner)


@dataclass(frozen=True)
class _Plot:
    """The scales of a plot, and what is drawn with them."""

    observed: Observed

    @property
    def height(self) -> int:
        return _BARS_BOTTOM + (60 if self._by_delays else 46)

    def drawn(self) -> list[str]:
        """Back to front."""
        return [
            *self._bands(),
            *self._value_axis(),
            *self._bars(),
            *self._bound_axis(),
            *self._ceiling(),
            *self._marks(),
            *self._series(),
            *self._end_labels(),
        ]

    # The scales.

    @cached_property
    def _by_delays(self) -> bool:
        return not isinstance(self.observed.bounds[0], int)

    @cached_property
    def _left(self) -> float:
        labels = [count_label(tick) for tick in (*self._y.ticks(7), *self._new_y.ticks(2))]
        return max(64.0, 24 + max(map(len, labels)) * _LETTER)

    @cached_property
    def _right(self) -> float:
        texts = [line for text, *_ in self._ends for line in text]
        return _WIDTH - 20 - max(map(len, texts)) * _LETTER

    @cached_property
    def _x(self) -> Scale:
        marks = [mark.place for mark in (self.observed.collapsed, self.observed.violated) if mark]
        last = max(len(self.observed.seen) - 1, *marks, 1)
        return Scale(0, last, self._left + 8, self._right - 10)

    @cached_property
    def _y(self) -> Scale:
        counts = [count for count in self.observed.states if count is not None]
        values = [*counts, *self.observed.seen]
        if self._has_ceiling:
            values.append(self.observed.z_visible or 0)
        top = _TOP + (_INFINITE if None in self.observed.states else 0)
        return scale_for(values, _BOTTOM, top + 8)

    @cached_property
    def _new_y(self) -> Scale:
        return scale_for([new for new in self.observed.new if new] or [1], _BARS_BOTTOM, _BARS_TOP)

    @cached_property
    def _has_ceiling(self) -> bool:
        """Whether the plot can show an over-approximation of this size."""
        return self.observed.z_visible is not None and self.observed.z_visible <= 1000 * max(
            self.observed.seen
        )

    @cached_property
    def _shown(self) -> list[int]:
        """The places that are drawn. In each column of pixels these are the first and the last
        place where something changes, and the place with the most new states."""
        known = list(zip(self.observed.states, self.observed.seen, strict=True))
        last = len(known) - 1
        columns: dict[int, list[int]] = {}
        for place in range(last + 1):
            around = known[max(place - 1, 0)], known[min(place + 1, last)]
            if place in (0, last) or around != (known[place], known[place]):
                columns.setdefault(int(self._x(place)), []).append(place)
        new = self.observed.new
        return sorted(
            {
                place
                for places in columns.values()
                for place in (places[0], max(places, key=lambda each: new[each]), places[-1])
            }
        )

    # What is drawn.

    def _bands(self) -> Iterator[str]:
        """The plateaus. If there are many stutters, they share one name; if there are very many,
        one band."""
        stutters = [plateau for plateau in self.observed.plateaus if not plateau.final]
        last = [[plateau] for plateau in self.observed.plateaus if plateau.final]
        each = [[plateau] for plateau in stutters]
        drawn = each if len(stutters) <= _MOST_POINTS else [stutters]
        named = each if len(stutters) <= _MOST_NAMES else [stutters]
        yield from map(self._band, [*drawn, *last])
        yield from self._names([*named, *last])

    def _band(self, plateaus: list[Plateau]) -> str:
        kind, name, _ = self._kind(plateaus[0])
        left, right = self._x(plateaus[0].first), self._x(plateaus[-1].last)
        title = self._plateau_text(plateaus[0], name)
        if len(plateaus) > 1:
            title = f"{len(plateaus):,} stutters: it pauses and grows again"
        return (
            f'<rect class="{kind}" x="{number(left)}" y="{_TOP}" '
            f'width="{number(max(right - left, 1.0))}" height="{_BOTTOM - _TOP}">'
            f"<title>{plain(title)}</title></rect>"
        )

    def _names(self, named: list[list[Plateau]]) -> Iterator[str]:
        """Names of plateaus, each above one or several plateaus; none where there is no room."""
        free_from = self._left - 30
        for plateaus in named:
            _, name, colour = self._kind(plateaus[0])
            if len(plateaus) > 1:
                name = f"{len(plateaus):,} {name}s"
            middle = (self._x(plateaus[0].first) + self._x(plateaus[-1].last)) / 2
            half = len(name) * _LETTER / 2
            middle = min(middle, self._right - half)
            if middle - half >= free_from:
                yield text_at(middle, _TOP - 5, name, f"{colour} strong", "middle")
                free_from = middle + half + 6

    def _kind(self, plateau: Plateau) -> tuple[str, str, str]:
        """Its class, its name and the colour of that."""
        if not plateau.final:
            return "stutter", "stutter", "open"
        if self.observed.collapsed is not None:
            return "collapse", "final", "safe"
        return "plateau", "plateau", "muted"

    def _plateau_text(self, plateau: Plateau, name: str) -> str:
        observed = self.observed
        end = "and is not known to grow again"
        if not plateau.final:
            end = f"and grows again: {observed.place_text(plateau.last + 1)}"
        elif observed.collapsed is not None:
            end = "and never grows again"
        return f"{name}: it pauses at {observed.place_text(plateau.first)}; {end}"

    def _value_axis(self) -> Iterator[str]:
        for tick in self._y.ticks(7):
            yield from self._gridline(self._y(tick), count_label(tick))
        if None in self.observed.states:
            yield from self._gridline(_TOP + 8, "∞")
        if self._y.logarithmic:
            yield text_at(self._left - 8, _TOP - 10, "log scale", "", "end")

    def _gridline(self, y: float, label: str) -> Iterator[str]:
        yield _line("grid", self._left, y, self._right, y)
        yield text_at(self._left - 8, y + 4, label, "", "end")

    def _bars(self) -> Iterator[str]:
        """The new states under each bound."""
        scale, x = self._new_y, self._x
        for tick in scale.ticks(2):
            yield from self._gridline(scale(tick), count_label(tick))
        yield _line("grid", self._left, _BARS_BOTTOM, self._right, _BARS_BOTTOM)
        yield text_at(self._left, _BARS_TOP - 8, f"new {self.observed.noun}s", "")
        width = max(1.0, min(14.0, 0.7 * (x(1) - x(0))))
        grown = [place for place in self._shown if self.observed.new[place]]
        tops = [min(scale(self.observed.new[place]), _BARS_BOTTOM - 2.0) for place in grown]
        if len(self._shown) > _MOST_POINTS:
            ends = (f"{number(x(at))} {number(top)}" for at, top in zip(grown, tops, strict=True))
            yield f'<path class="bars" d="{"".join(f"M{end}V{_BARS_BOTTOM}" for end in ends)}"/>'
            return
        for place, top in zip(grown, tops, strict=True):
            yield (
                f'<rect class="bar" x="{number(x(place) - width / 2)}" y="{number(top)}" '
                f'width="{number(width)}" height="{number(_BARS_BOTTOM - top)}">'
                f"<title>{plain(self.observed.place_text(place))}</title></rect>"
            )

    def _bound_axis(self) -> Iterator[str]:
        at = _BARS_BOTTOM + 16
        if self._by_delays:
            yield text_at(self._left - 8, at, "rounds", "", "end")
            yield text_at(self._left - 8, at + _LINE, "delays", "", "end")
        else:
            middle = (self._left + self._right) / 2
            yield text_at(middle, at + _LINE + 4, self.observed.counts, "", "middle")
        room = max(2, int((self._right - self._left) / 34))
        for place in self._x.ticks(room):
            for line, label in enumerate(self._bound_labels(place)):
                yield text_at(self._x(place), at + line * _LINE, label, "", "middle")

    def _bound_labels(self, place: int) -> list[str]:
        """The bound at a place, and that of a mark one place further."""
        bounds = self.observed.bounds
        if place < len(bounds):
            bound = bounds[place]
            return [str(bound)] if isinstance(bound, int) else [str(each) for each in bound]
        last, violated = bounds[-1], self.observed.violated
        return [str(last + 1)] if isinstance(last, int) and violated is not None else []

    def _ceiling(self) -> Iterator[str]:
        if not self._has_ceiling:
            return
        count = self.observed.z_visible or 0
        y = self._y(count)
        yield _line("ceiling", self._left, y, self._right, y)
        text = f"T(Z): {count_text(count)}, no more can emerge"
        yield text_at(self._left + 8, y - 6, text, "safe halo")

    def _marks(self) -> Iterator[str]:
        for mark, kind, colour in (
            (self.observed.collapsed, "collapsed", "safe"),
            (self.observed.violated, "violated", "unsafe"),
        ):
            if mark is not None:
                yield from self._mark(mark, kind, colour)

    def _mark(self, mark: Mark, kind: str, colour: str) -> Iterator[str]:
        x = self._x(mark.place)
        yield _line(kind, x, 24, x, _BOTTOM)
        half = len(mark.text) * _LETTER * 0.55
        middle = min(max(x, half + 8), _WIDTH - half - 8)
        yield text_at(middle, 18, mark.text, f"{colour} strong", "middle")

    def _series(self) -> Iterator[str]:
        observed, x, y = self.observed, self._x, self._y
        yield from self._states_line()
        yield _path("seen", [(x(place), y(observed.seen[place])) for place in self._shown])
        if len(self._shown) > _MOST_POINTS:
            return
        radius = max(2.0, min(4.0, 0.3 * (x(1) - x(0))))
        for place in self._shown:
            yield self._states_point(place, radius)
            yield (
                f'<circle class="seen-point" cx="{number(x(place))}" '
                f'cy="{number(y(observed.seen[place]))}" r="{number(radius)}">'
                f"<title>{plain(observed.place_text(place))}</title></circle>"
            )

    def _states_point(self, place: int, radius: float) -> str:
        """A square, or a sign for infinity; nothing if the other point would cover it."""
        x, y, states = self._x(place), self._states_height(place), self.observed.states[place]
        title = f"<title>{plain(self.observed.place_text(place))}</title>"
        if states is None:
            return (
                f'<text class="infinity halo strong" x="{number(x)}" y="{number(y + 5)}" '
                f'text-anchor="middle">∞{title}</text>'
            )
        if states == self.observed.seen[place]:
            return ""
        width = number(2 * radius - 1)
        return (
            f'<rect class="states-point" x="{number(x - radius + 0.5)}" '
            f'y="{number(y - radius + 0.5)}" width="{width}" height="{width}">{title}</rect>'
        )

    def _states_height(self, place: int) -> float:
        states = self.observed.states[place]
        return _TOP + 8 if states is None else self._y(states)

    def _states_line(self) -> Iterator[str]:
        """States grow along a line, and into infinity along a dotted one."""
        finite = [place for place in self._shown if self.observed.states[place] is not None]
        points = [(self._x(place), self._states_height(place)) for place in self._shown]
        yield _path("states", points[: len(finite)])
        yield _path("states to-infinity", points[max(len(finite) - 1, 0) :])

    @cached_property
    def _ends(self) -> list[tuple[tuple[str, str], str, float]]:
        """The lines of a label, its colour, and where its series ends; the upper one first."""
        states, seen = self.observed.states[-1], self.observed.seen[-1]
        upper, lower = self._states_height(-1), self._y(seen)
        if states == seen and self.observed.states == self.observed.seen:
            return [((f"states, {self.observed.noun}s", exact_label(seen)), "accent", lower)]
        return [
            (("states", exact_label(states)), "muted", upper),
            ((f"{self.observed.noun}s", exact_label(seen)), "accent", lower),
        ]

    def _end_labels(self) -> Iterator[str]:
        """Names and last values to the right of the series; the lower one is moved down if
        necessary."""
        free_from = 0.0
        for (name, value), colour, y in self._ends:
            top = max(min(y, _BOTTOM - 10) - 4, free_from)
            yield text_at(self._right + 8, top + 2, name, f"{colour} strong")
            yield text_at(self._right + 8, top + 2 + _LINE, value, colour)
            free_from = top + 2 * _LINE + 4


def _line(style: str, x1: float, y1: float, x2: float, y2: float) -> str:
    ends = " ".join(
        f'{name}="{number(value)}"'
        for name, value in (("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2))
    )
    return f'<line class="{style}" {ends}/>'


def _path(style: str, points: list[tuple[float, float]]) -> str:
    """A line through some points; nothing through fewer than two."""
    if len(points) < 2:
        return ""
    steps = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f'<path class="{style}" d="M{steps}"/>'
