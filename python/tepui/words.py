"""Numbers in words: 1 thread, 2 threads."""

from __future__ import annotations

from math import floor, log10


def plural(count: int, noun: str) -> str:
    """A noun for this number of things."""
    return noun if count == 1 else f"{noun}s"


def counted(count: int, noun: str) -> str:
    """So many of something, in words."""
    return f"{number_text(count)} {plural(count, noun)}"


def number_text(count: int) -> str:
    """A number with commas; one that is too long even for Python as a power of ten."""
    try:
        return f"{count:,}"
    except ValueError:
        return f"about 10^{floor(log10(count))}"
