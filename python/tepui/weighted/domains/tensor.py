"""Sequentializable tensor products (WPDS, sections 6.1 to 6.3, Definitions 13 and 15).

The paper makes them of Kronecker products: matrices of order rⁿ. These are never built here. A
tensor is a finite set of pure tensors (w₁, …, w_n), and the set is read as their combine. They
extend componentwise, and DeTensor is the combine of the DeTensor of each of them, so Definition 13
holds by construction. Two things are done to keep such sets small and canonical:

- a pure tensor is left out if another one is ⊑ it in every component. Extending is monotone, so
  what it would add is always ⊑-above what the other one adds;
- a pure tensor with a component `zero` is left out: this component stays `zero`, and so DeTensor
  gives `zero`.

What remains is an antichain: the minimal elements of an upward closed set of tuples, which are
unique. So equal tensors are equal sets. They are finer than the paper's: {(a, c), (b, c)} is not
{(a ⊕ b, c)}, though DeTensor cannot distinguish them.

There are no infinite descending chains if the weights have no infinite antichains either, because
then tuples of them have none (Dickson's lemma). This holds for finite domains, for min-path and for
domains made from these, but not for affine spaces, which have a tensor product of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic

from tepui.errors import UsageError
from tepui.weighted.domains.semiring import (
    Semiring,
    W,
    combine_all,
    extend_all,
    is_below,
    transposable,
)

Pure = tuple[W, ...]


@dataclass(frozen=True)
class PureTensors(Generic[W]):
    """The tensor product of `order` copies of a domain, whose weights are sets of pure tensors."""

    domain: Semiring[W]
    order: int

    def __post_init__(self) -> None:
        if self.order < 1:
            raise UsageError(f"a tensor product has at least one component, not {self.order}")

    @property
    def zero(self) -> frozenset[Pure[W]]:
        return frozenset()

    @property
    def one(self) -> frozenset[Pure[W]]:
        return self.tensor(*[self.domain.one] * self.order)

    def combine(self, a: frozenset[Pure[W]], b: frozenset[Pure[W]]) -> frozenset[Pure[W]]:
        return self._minimal(a | b)

    def extend(self, a: frozenset[Pure[W]], b: frozenset[Pure[W]]) -> frozenset[Pure[W]]:
        return self._minimal({tuple(map(self.domain.extend, s, t)) for s in a for t in b})

    def tensor(self, *weights: W) -> frozenset[Pure[W]]:
        return self._minimal([weights])

    def detensor(self, tensor: frozenset[Pure[W]]) -> W:
        return combine_all(self.domain, (extend_all(self.domain, pure) for pure in tensor))

    def transposed_detensor(self, tensor: frozenset[Pure[W]]) -> W:
        transpose = transposable(self.domain).transpose
        turned = (alternating(transpose, pure) for pure in tensor)
        return combine_all(self.domain, (extend_all(self.domain, pure) for pure in turned))

    def concatenate(
        self, first: frozenset[Pure[W]], second: frozenset[Pure[W]]
    ) -> frozenset[Pure[W]]:
        return self._minimal({s + t for s in first for t in second})

    def splice(self, first: frozenset[Pure[W]], second: frozenset[Pure[W]]) -> frozenset[Pure[W]]:
        extend = self.domain.extend
        return self._minimal(
            {(*s[:-1], extend(s[-1], t[0]), *t[1:]) for s in first for t in second}
        )

    def pures(self, tensor: frozenset[Pure[W]]) -> frozenset[Pure[W]]:
        return tensor

    def _minimal(self, tensors: Iterable[Pure[W]]) -> frozenset[Pure[W]]:
        """The pure tensors that no other one makes redundant."""
        kept: list[Pure[W]] = []
        for pure in tensors:
            if len(pure) != self.order:
                raise UsageError(f"a tensor of order {self.order} cannot have {len(pure)} weights")
            if self.domain.zero in pure or any(self._is_below(each, pure) for each in kept):
                continue
            kept = [each for each in kept if not self._is_below(pure, each)]
            kept.append(pure)
        return frozenset(kept)

    def _is_below(self, s: Pure[W], t: Pure[W]) -> bool:
        return all(is_below(self.domain, a, b) for a, b in zip(s, t, strict=True))


@dataclass(frozen=True)
class CommutativeTensors(Generic[W]):
    """A commutative domain is its own tensor product of every order (section 6.2)."""

    domain: Semiring[W]

    @property
    def zero(self) -> W:
        return self.domain.zero

    @property
    def one(self) -> W:
        return self.domain.one

    def combine(self, a: W, b: W) -> W:
        return self.domain.combine(a, b)

    def extend(self, a: W, b: W) -> W:
        return self.domain.extend(a, b)

    def tensor(self, *weights: W) -> W:
        return extend_all(self.domain, weights)

    def detensor(self, tensor: W) -> W:
        return tensor

    def transposed_detensor(self, tensor: W) -> W:
        return tensor

    def concatenate(self, first: W, second: W) -> W:
        return self.domain.extend(first, second)

    def splice(self, first: W, second: W) -> W:
        return self.domain.extend(first, second)

    def pures(self, tensor: W) -> list[Pure[W]]:
        return [(tensor,)]


def alternating(transpose: Callable[[W], W], pure: Pure[W]) -> Pure[W]:
    """A pure tensor whose second, fourth, … components are transposed."""
    return tuple(transpose(each) if i % 2 else each for i, each in enumerate(pure))
