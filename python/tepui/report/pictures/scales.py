"""Axes with the ticks that people would choose: 1, 2 and 5, times powers of ten."""

from __future__ import annotations

from collections.abc import Iterator
from math import log10

from tepui.records import record
from tepui.report.bounds import count_text

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

_LOG_HELPS = 50
"""From this ratio of the largest to the smallest value on, a linear scale would hide small
values."""


@record
class Scale:
    """Maps values from `low` to `high` to coordinates from `start` to `end`."""

    low: int
    high: int
    start: float
    end: float
    logarithmic: bool = False

    def __call__(self, value: int) -> float:
        if self.logarithmic:
            part = (_log(value) - _log(self.low)) / (_log(self.high) - _log(self.low))
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self, at_most: int) -> list[int]:
        """Round values, from the smallest to the largest that there is room for."""
        chosen = _powers(self.low, self.high, at_most) if self.logarithmic else []
        return chosen or _multiples(self.low, self.high, at_most)


def scale_for(values: list[int], start: float, end: float) -> Scale:
    """A scale with room for counts, which begins at 0 or, where a logarithm helps, at 1."""
    smallest, largest = max(min(values), 1), max(*values, 1)
    if largest > _LOG_HELPS * smallest:
        return Scale(1, largest, start, end, logarithmic=True)
    return Scale(0, largest, start, end)


def count_label(value: int) -> str:
    """A count in at most ten or so characters: 1,000 or 2·10⁶."""
    if value < 1_000_000:
        return f"{value:,}"
    power = _power(value)
    digits = str(value // 10 ** (power - 2)).rstrip("0")
    ten = "10" + str(power).translate(_SUPERSCRIPTS)
    if digits == "1":
        return ten
    return f"{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}·{ten}"


def exact_label(count: int | None) -> str:
    """A count with all of its digits, where they are few; None is infinitely many."""
    return count_text(count) if count is None or count < 10**12 else count_label(count)


def _multiples(low: int, high: int, at_most: int) -> list[int]:
    """The multiples of 1, 2 or 5 times a power of ten."""
    for step in _steps():
        first = -(-low // step)
        if high // step - first + 1 <= at_most:
            return [step * each for each in range(first, high // step + 1)]
    return []


def _steps() -> Iterator[int]:
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def _powers(low: int, high: int, at_most: int) -> list[int]:
    """Powers of ten, every second or fifth of them if need be, or with 2 and 5 between them."""
    top = _power(high)
    if top < at_most:
        fine = [unit * 10**power for power in range(top + 1) for unit in (1, 2, 5)]
        fine = [value for value in fine if low <= value <= high]
        if len(fine) <= at_most:
            return fine
    for step in _steps():
        if top // step + 1 <= at_most:
            return [10**power for power in range(0, top + 1, step)]
    return []


def _power(value: int) -> int:
    """The exponent of the largest power of ten that is not above a value. It is computed without
    decimal digits, because Python writes no more than some thousand of them."""
    power = int(_log(value))
    if 10**power > value:
        return power - 1
    return power + 1 if 10 ** (power + 1) <= value else power


def _log(value: int) -> float:
    return log10(max(value, 1))
