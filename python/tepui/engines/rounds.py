"""Descriptions of the rounds of an engine, and of what follows from them."""

from __future__ import annotations

from typing import Literal

from tepui.records import record

Resource = Literal["contexts", "delays", "steps"]
"""What a bound counts."""


@record
class Delayed:
    """What is known about R(r, d) beyond how many states it has."""

    rounds: int
    delays: int
    top_words: int
    """How many different states there are by several top symbols of each stack."""
    images: int
    """How often the successors of a state were computed until then."""


@record
class Round:
    """One row of the table: what was known after k contexts, or about the k-th R(r, d) or number of
    steps on the way. Permutations are counted."""

    k: int
    states: int | None
    visible: int
    new_visible: int
    seconds: float
    delays: Delayed | None = None
    steps: int | None = None


@record
class Proof:
    """Why an answer holds for any number of contexts: as a formula, and in words."""

    kind: Literal[
        "no new state",
        "all emerged",
        "closed",
        "Z is free",
        "Z is exact",
        "nothing is bad",
        "modular",
        "upward-closed",
        "invariant",
        "summaries",
    ]
    formula: str
    words: str = ""
    """What that means, in a line."""
    because: str = ""
    """Why it is final, where that depends on what was explored."""

    def __str__(self) -> str:
        return self.formula
