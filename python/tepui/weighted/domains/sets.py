"""Sets of facts (bit-vector dataflow): transformers λx. (x ∖ kill) ∪ gen.

A set of facts is the bits of an integer. A transformer is kept as the facts that it keeps and those
that it generates; no fact is in both, so that equal functions are equal pairs. What several paths
have in common is, fact by fact, the union (facts that hold on some path) or the intersection (on
all paths). A transformer does one of three things to each fact (kill it, leave it alone, generate
it), and either meet orders these. With the extra weight None for no path, which no transformer
could be, the height is 2 · facts + 1.

There is no transpose. It would have to leave `one` as it is, so it would permute the constants. If
two constants follow each other, the later one wins: a ⊗ b = b, so bᵀ ⊗ aᵀ = bᵀ. But there aᵀ is the
later one, so all constants would be the same. `TwoWay` helps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from tepui.errors import ModelError
from tepui.weighted.domains.tensor import PureTensors


class Transformer(NamedTuple):
    """λx. (x ∩ keep) ∪ gen, where keep and gen have nothing in common."""

    keep: int
    gen: int


@dataclass(frozen=True)
class Sets:
    """Transformers of sets of facts; None if there is no path."""

    facts: int
    meet: Literal["union", "intersection"] = "union"

    def __post_init__(self) -> None:
        if self.meet not in ("union", "intersection"):
            raise ModelError(f"sets are met by union or by intersection, not by {self.meet}")

    @property
    def zero(self) -> Transformer | None:
        return None

    @property
    def one(self) -> Transformer | None:
        return Transformer(self._all, 0)

    def transformer(self, kill: int = 0, gen: int = 0) -> Transformer:
        """λx. (x ∖ kill) ∪ gen."""
        if not (0 <= kill <= self._all and 0 <= gen <= self._all):
            raise ModelError(f"{kill} and {gen} are not both sets of {self.facts} facts")
        return Transformer(self._all & ~kill & ~gen, gen)

    def combine(self, a: Transformer | None, b: Transformer | None) -> Transformer | None:
        if a is None or b is None:
            return b if a is None else a
        if self.meet == "union":
            gen = a.gen | b.gen
            return Transformer((a.keep | b.keep) & ~gen, gen)
        gen = a.gen & b.gen
        return Transformer((a.keep | a.gen) & (b.keep | b.gen) & ~gen, gen)

    def extend(self, a: Transformer | None, b: Transformer | None) -> Transformer | None:
        if a is None or b is None:
            return None
        gen = (a.gen & b.keep) | b.gen
        return Transformer(a.keep & b.keep, gen)

    def tensors(self, order: int) -> PureTensors[Transformer | None]:
        return PureTensors(self, order)

    def facts_after(self, weight: Transformer | None, before: int) -> int | None:
        """The facts that hold at the end, if these hold at the start; None if there is no path."""
        return None if weight is None else (before & weight.keep) | weight.gen

    @property
    def _all(self) -> int:
        return (1 << self.facts) - 1
