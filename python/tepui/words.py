"""How messages write numbers and names, and what they say about an unknown name."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, log10

_LISTED = 8
_COMPARED = 100
"""How many first characters of a name are compared, because comparing takes quadratic time."""


def plural(count: int, noun: str) -> str:
    """A noun for this number of things."""
    return noun if count == 1 else f"{noun}s"


def counted(count: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{number_text(count)} {plural(count, noun)}"


def number_text(count: int) -> str:
    """A number with commas; one that is too long even for Python as a power of ten."""
    try:
        return f"{count:,}"
    except ValueError:
        return f"about {'-' if count < 0 else ''}10^{floor(log10(abs(count)))}"


def did_you_mean(name: str, known: Iterable[str], others: str = "", likeness: float = 0.6) -> str:
    """The end of a message about an unknown name: a known name that is like it.

    If there is none, the message lists the known names after `others`, such as «the threads are».
    """
    names = list(dict.fromkeys(known))
    close = closest(name, names, likeness)
    if close is not None:
        return f"; did you mean '{shown(close)}'?"
    return f"; {others} {listed(names)}" if others and names else ""


def closest(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """The known name that is most like this one, whatever its case; None if none is like it.

    Two numbers are not alike, whatever their digits.
    """
    from difflib import SequenceMatcher  # It takes time, and few names are mistyped.

    matcher = SequenceMatcher(b=name.lower()[:_COMPARED])
    best, found = likeness, None
    number = name.isdecimal()
    for one in sorted(one for one in known if not (number and one.isdecimal())):
        matcher.set_seq1(one.lower()[:_COMPARED])
        likely = matcher.real_quick_ratio() >= best and matcher.quick_ratio() >= best
        ratio = matcher.ratio() if likely else 0.0
        if ratio > best or (ratio == best and found is None):
            best, found = ratio, one
    return found


def listed(names: Iterable[str], most: int = _LISTED) -> str:
    """Names with commas between them; if there are many, the first ones."""
    all_names = list(names)
    more = ", …" if len(all_names) > most else ""
    return ", ".join(shown(name) for name in all_names[:most]) + more


def shown(text: str, width: int = 40) -> str:
    """A text from the input, short and printable."""
    if len(text) > width:
        text = text[: width - 1] + "…"
    return printable(text)


def printable(text: str, kept: str = "") -> str:
    r"""A text that can only be read, whatever names it has from files: line ends, control
    characters, marks of direction and all else that has no picture are escapes, such as `\n`,
    `\x1b` and `\u202e`, except those that are kept."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in kept else c.encode("unicode_escape").decode() for c in text
    )
