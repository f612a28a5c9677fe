"""The strengths of Z, and their names on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tepui.errors import UsageError

MAX_DEPTH = 64
"""More symbols kept would be no abstraction worth the name."""


@dataclass(frozen=True, slots=True)
class Strength:
    """How sharp an over-approximation is.

    `cut` takes every emerging symbol at every pop (CUBA, Algorithm 2), `claimed` those that a
    call-return relation allows (Algorithm 4), `matched` those that a relation *below* allows
    which is computed together with Z, keeping the top `depth` symbols of every stack.
    """

    kind: Literal["cut", "claimed", "matched"]
    depth: int = 1

    def __str__(self) -> str:
        return f"{self.kind}:{self.depth}" if self.depth > 1 else self.kind


CUT = Strength("cut")
CLAIMED = Strength("claimed")
MATCHED = Strength("matched")

ESCALATION = (MATCHED, Strength("matched", 2), Strength("matched", 3), Strength("matched", 4))
"""What `auto` tries, one after another. `cut` is not among them: it is never sharper than
`matched`, and on everything we measured it is larger, and so slower, as well."""


def parse_strength(text: str) -> tuple[Strength, ...]:
    """The strengths to try for a word of the command line: none for `off`, all for `auto`."""
    word, colon, depth = text.partition(":")
    if not colon and word in _WORDS:
        return _WORDS[word]
    if word == "matched" and depth.isascii() and depth.isdecimal():
        if len(depth) < 4 and 1 <= int(depth) <= MAX_DEPTH:
            return (Strength("matched", int(depth)),)
        raise UsageError(f"--z matched:{depth}: the depth must be from 1 to {MAX_DEPTH}")
    raise UsageError(
        f"--z {text}: expected auto, off, cut, matched, or matched:B with a number of symbols B"
    )


_WORDS = {"auto": ESCALATION, "off": (), "cut": (CUT,), "matched": (MATCHED,)}
