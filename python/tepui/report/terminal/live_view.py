"""What is shown during a run: its rounds, their shape, and the present activity.

It fits any terminal. If there is no room for all rounds, the first ones are left out; when the run
is over, the middle of a long table is left out. The line of bars has a bar for the new visible
states of each round; at a plateau there is none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from tepui.limits import current_memory
from tepui.progress import EXPLORING, Progress
from tepui.report.bounds import bounds_of
from tepui.report.terminal.estimate import next_round
from tepui.report.terminal.round_table import Line, round_table
from tepui.report.terminal.sparkline import sparkline
from tepui.report.text.paint import Paint, clipped, in_ascii, plain, text_of
from tepui.words import counted

_FIRST, _LAST = 4, 15
"""How many of the first and of the last rounds of a long table are kept."""

_LEAST_ROUNDS = 3
"""With fewer rounds, bars show no shape."""

_BARS = "new visible states  "

_LEAST_SECONDS = 1.0
"""Shorter rounds are not estimated."""

_MINUTE = 60

_MILLION, _BILLION = 6, 9
"""The number of digits after the first one."""

_LATE = 2
"""A round that takes this many times longer than estimated is shown as longer than expected."""


class LiveView:
    """What is known about a run, as lines of text."""

    def __init__(
        self,
        title: str,
        *,
        paint: Paint = plain,
        ascii_only: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._paint = paint
        self._ascii_only = ascii_only
        self._title: Line = [(title, "title")]
        self._clock = clock
        self._started = clock()
        self._rounds: list[Progress] = []
        self._current: Progress | None = None
        self._activity = EXPLORING
        self._heard = (0.0, self._started)
        """The time of the run at its last report, and when that report came."""

    def see(self, progress: Progress) -> None:
        """Record the progress of a run."""
        self._activity = progress.activity
        self._heard = progress.seconds, self._clock()
        if progress.activity != EXPLORING:
            return
        if self._rounds and _counted_in(self._rounds[-1]) != _counted_in(progress):
            self._rounds.clear()  # Another engine, which counts something else.
        if not progress.round_complete:
            self._current = progress
            return
        while self._rounds and self._rounds[-1].k >= progress.k:  # Another question, or more slots.
            self._rounds.pop()
        self._rounds.append(progress)
        self._current = None

    def frame(self, columns: int, rows: int) -> list[str]:
        """The view now, with fewer lines than a terminal has rows."""
        below = [*self._bars(columns), self._status(columns)]
        shown = [*self._rounds, *filter(None, [self._current])]
        room = max(2, rows - 3 - len(below))
        left_out = 0 if len(shown) <= room else len(shown) - room + 1
        header, lines = self._table(shown[left_out:], columns)
        if left_out:
            lines.insert(0, self._note(left_out, "before"))
        if self._current is not None:
            lines[-1] = [(text_of(lines[-1]), "inside")]
        return self._painted([self._title, header, *lines, *below], columns)[1 - rows :]

    def ending(self, columns: int) -> list[str]:
        """What stays on the screen when the run is over."""
        header, lines = self._table(self._rounds, columns)
        left_out = len(lines) - _FIRST - _LAST
        if left_out > 1:
            lines[_FIRST:-_LAST] = [self._note(left_out, "left out")]
        return self._painted([self._title, header, *lines, *self._bars(columns)], columns)

    def _note(self, count: int, where: str) -> Line:
        return [(self._signs(f"… {counted(count, 'round')} {where} …"), "inside")]

    def _table(self, rounds: list[Progress], columns: int) -> tuple[Line, list[Line]]:
        return round_table(rounds, columns, ascii_only=self._ascii_only)

    def _bars(self, columns: int) -> Iterator[Line]:
        """The new visible states of all complete rounds."""
        if len(self._rounds) < _LEAST_ROUNDS:
            return
        counts = [row.new_visible for row in self._rounds]
        room = max(1, columns - len(_BARS))
        bars = sparkline(counts, room, ascii_only=self._ascii_only)
        yield [(_BARS, "inside"), (bars, "place")]

    def _status(self, columns: int) -> Line:
        """The present activity and its estimated time, the time so far, and the memory."""
        memory = f"{current_memory() / 2**20:,.0f} MiB"
        known = f" · {clock_text(self._clock() - self._started)} · {memory}"
        texts = [self._signs(f"{activity}{known}") for activity in self._activities()]
        return [next((text for text in texts if len(text) <= columns), texts[-1])]

    def _activities(self) -> Iterator[str]:
        """The present activity, from long to short texts; long ones have the estimate of the next
        round."""
        if self._activity != EXPLORING or self._current is None:
            yield self._activity
            return
        by_contexts = _counted_in(self._current) == ["contexts"]
        activity = f"{EXPLORING} k = {self._current.k}" if by_contexts else EXPLORING
        estimate = next_round(self._rounds)
        if estimate is not None and estimate.seconds >= _LEAST_SECONDS:
            seconds, when = self._heard
            so_far = seconds + self._clock() - when - self._rounds[-1].seconds
            if so_far > _LATE * estimate.seconds:
                yield f"{activity}: {so_far:.0f} s, longer than expected"
            else:
                text = f"{activity}: {so_far:.1f} s of {_about(estimate.seconds)}"
                if estimate.states is not None:
                    yield f"{text}, {_about_states(estimate.states)}"
                yield text
        yield activity

    def _painted(self, lines: list[Line], columns: int) -> list[str]:
        return [clipped(line, columns, self._paint) for line in lines]

    def _signs(self, text: str) -> str:
        """A text in signs that can be shown."""
        return in_ascii(text) if self._ascii_only else text


def clock_text(seconds: float) -> str:
    """How long something has taken."""
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _about(seconds: float) -> str:
    """Roughly how long."""
    if seconds < 2 * _MINUTE:
        return f"about {seconds:.0f} s"
    minutes = seconds / _MINUTE
    return f"about {minutes:.0f} min" if minutes < 2 * _MINUTE else f"about {minutes / 60:.0f} h"


def _about_states(count: int) -> str:
    """Roughly how many states, in two digits."""
    digits = str(count)
    power = len(digits) - 1
    if power < _MILLION:
        return f"about {int(digits[:2]) * 10 ** max(0, power - 1):,} states"
    if power >= 2 * _MILLION:
        return f"about {digits[0]}.{digits[1]}e{power} states"
    name, unit = ("million", _MILLION) if power < _BILLION else ("billion", _BILLION)
    lead = float(f"{digits[0]}.{digits[1]}e{power - unit}")
    return f"about {lead:g} {name} states"


def _counted_in(progress: Progress) -> list[str]:
    """What the bounds of a round count."""
    return [name for name, _ in bounds_of(progress)]
