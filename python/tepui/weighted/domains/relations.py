"""The relational weight domain (WPDS, Definition 7): binary relations on a finite set G.

It abstracts nothing: with G the valuations of the variables of a Boolean program, a weight is
exactly what a path does to them. Its height is |G|².

A relation is a bit matrix: a tuple of rows, each an integer whose bit j says whether the state of
that row is related to state j. With local variables (appendix B.1) a state is a pair (g, l) of a
global and a local valuation, and has the number g · locals + l.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tepui.errors import ModelError
from tepui.weighted.domains.tensor import PureTensors

Relation = tuple[int, ...]


@dataclass(frozen=True)
class Relations:
    """Relations on the numbers below `states`; combine is union, extend is composition."""

    states: int
    local_states: int = 1
    """How many valuations local variables have; `states` is a multiple of it."""

    def __post_init__(self) -> None:
        if self.states < 1 or self.local_states < 1 or self.states % self.local_states:
            raise ModelError(
                f"{self.states} states cannot be pairs with {self.local_states} local states"
            )

    @property
    def zero(self) -> Relation:
        return (0,) * self.states

    @property
    def one(self) -> Relation:
        return tuple(1 << state for state in range(self.states))

    def combine(self, a: Relation, b: Relation) -> Relation:
        return tuple(s | t for s, t in zip(a, b, strict=True))

    def extend(self, a: Relation, b: Relation) -> Relation:
        return tuple(_union(b, row) for row in a)

    def transpose(self, weight: Relation) -> Relation:
        return self.relation((target, source) for source, target in self.pairs(weight))

    def merge(self, weight: Relation) -> Relation:
        """Relates (g₁, l₁) and (g₂, l₁) if the weight relates (g₁, l₁) and some (g₂, l₂)."""
        size = self.local_states
        return self.relation(
            (source, target - target % size + source % size)
            for source, target in self.pairs(weight)
        )

    def tensors(self, order: int) -> PureTensors[Relation]:
        return PureTensors(self, order)

    def relation(self, pairs: Iterable[tuple[int, int]]) -> Relation:
        """The relation that consists of these pairs."""
        rows = [0] * self.states
        for source, target in pairs:
            if not (0 <= source < self.states and 0 <= target < self.states):
                raise ModelError(
                    f"({source}, {target}) is no pair of states: they are below {self.states}"
                )
            rows[source] |= 1 << target
        return tuple(rows)

    def pairs(self, weight: Relation) -> Iterator[tuple[int, int]]:
        """The pairs of a relation, in order."""
        return ((source, target) for source, row in enumerate(weight) for target in _bits(row))

    def image(self, weight: Relation, sources: Iterable[int] | None = None) -> list[int]:
        """The states that some of the sources are related to: all that can be reached from them.

        Without sources this is the range of the relation.
        """
        chosen = sum(1 << each for each in (range(self.states) if sources is None else {*sources}))
        return list(_bits(_union(weight, chosen)))


def _union(rows: Relation, chosen: int) -> int:
    """The union of the rows whose bits are set."""
    union = 0
    for index in _bits(chosen):
        union |= rows[index]
    return union


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
