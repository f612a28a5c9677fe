"""The strengths of Z, and their names on the command line."""

from __future__ import annotations

from typing import Literal

from tepui.errors import UsageError
from tepui.parameter_names import given
from tepui.records import record
from tepui.words import did_you_mean

MAX_DEPTH = 64
"""Keeping more symbols would hardly be an abstraction."""


Kind = Literal["cut", "omega", "omega-l", "omega-ll", "matched"]


@record
class Strength:
    """How sharp an over-approximation is.

    `cut` takes every emerging symbol at every pop (CUBA, Algorithm 2), `omega`, `omega-l` and
    `omega-ll` those that the call-return relations Ω, Ω_L and Ω_LL of a program allow (Algorithm 4
    with Definitions 18, 22 and 24), `matched` those that a relation *below* allows. That relation
    is computed together with Z, and the top `depth` symbols of every stack are kept.
    """

    kind: Kind
    depth: int = 1

    @property
    def is_call_return(self) -> bool:
        """Whether it needs a program."""
        return self.kind in ("omega", "omega-l", "omega-ll")

    def __str__(self) -> str:
        return f"{self.kind}:{self.depth}" if self.depth > 1 else self.kind


CUT = Strength("cut")
OMEGA = Strength("omega")
OMEGA_L = Strength("omega-l")
OMEGA_LL = Strength("omega-ll")
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
        raise UsageError(f"{given('z', text)}: the depth must be from 1 to {MAX_DEPTH}")
    raise UsageError(
        f"{given('z', text)}: expected auto, off, cut, omega, omega-l, omega-ll, matched, or "
        f"matched:B with a number of symbols B{did_you_mean(word, _WORDS)}"
    )


_WORDS: dict[str, tuple[Strength, ...]] = {
    "auto": ESCALATION,
    "off": (),
    "cut": (CUT,),
    "omega": (OMEGA,),
    "omega-l": (OMEGA_L,),
    "omega-ll": (OMEGA_LL,),
    "matched": (MATCHED,),
}
