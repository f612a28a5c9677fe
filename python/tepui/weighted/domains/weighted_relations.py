"""Weighted relations (WPDS, Definitions 9 and 10): every pair of states has a weight of its own.

With min-path weights this is how a Boolean program is searched for shortest traces: the weight of a
pair is what it costs to get from one valuation to the other. The height is |G|² times that of the
weights. Pairs with weight `zero` are not stored, and the others are sorted, so that equal relations
are equal tuples. States with local variables are numbered as in `relations`.

The tensors are sets of pure tensors. These are bounded only if the weights have no infinite
antichains; so weighted relations over affine weights are for sequential analyses only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic

from tepui.errors import ModelError
from tepui.weighted.domains.semiring import Semiring, W, transposable
from tepui.weighted.domains.tensor import PureTensors

Entry = tuple[int, int, W]
WeightedRelation = tuple[Entry[W], ...]


@dataclass(frozen=True)
class WeightedRelations(Generic[W]):
    """Functions from pairs of numbers below `states` to the weights of a domain."""

    states: int
    weights: Semiring[W]
    local_states: int = 1

    def __post_init__(self) -> None:
        if self.states < 1 or self.local_states < 1 or self.states % self.local_states:
            raise ModelError(
                f"{self.states} states cannot be pairs with {self.local_states} local states"
            )

    @property
    def zero(self) -> WeightedRelation[W]:
        return ()

    @property
    def one(self) -> WeightedRelation[W]:
        return tuple((state, state, self.weights.one) for state in range(self.states))

    def combine(self, a: WeightedRelation[W], b: WeightedRelation[W]) -> WeightedRelation[W]:
        return self.relation((*a, *b))

    def extend(self, a: WeightedRelation[W], b: WeightedRelation[W]) -> WeightedRelation[W]:
        onwards = defaultdict(list)
        for source, target, weight in b:
            onwards[source].append((target, weight))
        return self.relation(
            (source, target, self.weights.extend(first, second))
            for source, middle, first in a
            for target, second in onwards[middle]
        )

    def transpose(self, weight: WeightedRelation[W]) -> WeightedRelation[W]:
        transpose = transposable(self.weights).transpose
        return self.relation((target, source, transpose(w)) for source, target, w in weight)

    def merge(self, weight: WeightedRelation[W]) -> WeightedRelation[W]:
        size = self.local_states
        return self.relation(
            (source, target - target % size + source % size, w) for source, target, w in weight
        )

    def tensors(self, order: int) -> PureTensors[WeightedRelation[W]]:
        return PureTensors(self, order)

    def relation(self, entries: Iterable[Entry[W]]) -> WeightedRelation[W]:
        """The weighted relation of these entries; those of one pair are combined."""
        found: dict[tuple[int, int], W] = {}
        for source, target, weight in entries:
            if not (0 <= source < self.states and 0 <= target < self.states):
                raise ModelError(
                    f"({source}, {target}) is no pair of states: they are below {self.states}"
                )
            before = found.get((source, target), self.weights.zero)
            found[source, target] = self.weights.combine(before, weight)
        return tuple(
            (*pair, found[pair]) for pair in sorted(found) if found[pair] != self.weights.zero
        )

    def weight(self, weight: WeightedRelation[W], source: int, target: int) -> W:
        """The weight of one pair."""
        found = (w for s, t, w in weight if (s, t) == (source, target))
        return next(found, self.weights.zero)
