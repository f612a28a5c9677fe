"""The types of program variables. Every value is a Python integer.

A Boolean is 0 or 1, a member of an enumeration its index, a bounded integer itself. An array holds
one value per element and is read and written element by element. All types are finite; `size` is
how many values a scalar has, and `low` the smallest of them, so that `value - low` numbers them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Overflow = Literal["wrap", "saturate", "block"]
"""What an assignment of a value outside the range does: start over at the other end, stay at the
end, or not happen at all (the step does not exist)."""


@dataclass(frozen=True, slots=True)
class Boolean:
    """False or true, as 0 and 1."""

    @property
    def low(self) -> int:
        return 0

    @property
    def size(self) -> int:
        return 2

    def text(self, value: int) -> str:
        return str(value)

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True, slots=True)
class Enumeration:
    """One of some names, by its index."""

    members: tuple[str, ...]

    @property
    def low(self) -> int:
        return 0

    @property
    def size(self) -> int:
        return len(self.members)

    def text(self, value: int) -> str:
        return self.members[value]

    def __str__(self) -> str:
        return f"enum {{{', '.join(self.members)}}}"


@dataclass(frozen=True, slots=True)
class Bounded:
    """An integer from `low` to `high`, both included, with stated overflow."""

    low: int
    high: int
    overflow: Overflow = "wrap"

    @property
    def size(self) -> int:
        return self.high - self.low + 1

    def text(self, value: int) -> str:
        return str(value)

    def __str__(self) -> str:
        overflow = "" if self.overflow == "wrap" else f" {self.overflow}"
        return f"int {self.low}..{self.high}{overflow}"


Scalar = Boolean | Enumeration | Bounded


@dataclass(frozen=True, slots=True)
class Array:
    """So many values of one scalar type, numbered from 0."""

    element: Scalar
    length: int

    def __str__(self) -> str:
        return f"{self.element}[{self.length}]"


Type = Scalar | Array

BOOLEAN = Boolean()
