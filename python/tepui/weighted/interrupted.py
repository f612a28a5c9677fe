"""Weights of runs that are interrupted: what a thread does in each of its contexts, and where.

While a thread waits, others change the shared state and the data. So a run of one thread that has
been resumed d times has no weight of its own, but a tensor w₀ ⊙ w₁ ⊙ … ⊙ w_d, which gets one when
it is known what happens in between, and for each of the d gaps the shared states at both ends of
it. One run after another is spliced: the last context of the one goes on as the first of the other,
⊙(v₀, …, v_c) and ⊙(w₀, …, w_d) become ⊙(v₀, …, v_c ⊗ w₀, …, w_d). Gaps are appended.

With sets of such runs as weights, for each sequence of gaps one tensor, this is again a bounded
idempotent semiring, if runs with more than `most` gaps are left out. So saturation finds what a
thread can do in up to `most` contexts in the same way as what it can do in one, and procedures are
summarised once, whatever contexts their calls are in. No transducer is composed for that and
nothing is transposed (WPDS, section 6.3, does both); `composition` does it the paper's way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic

from tepui.errors import UsageError
from tepui.weighted.domains.semiring import (
    Merging,
    Semiring,
    Tensors,
    W,
    extend_all,
    tensorable,
)
from tepui.weighted.system import State

Gap = tuple[State, State]
"""The shared state in which a thread was interrupted, and the one in which it was resumed."""

Gaps = tuple[Gap, ...]


@dataclass(frozen=True, eq=False)
class Runs:
    """For each sequence of gaps a tensor, which is not `zero`, with one component more."""

    tensors: Mapping[Gaps, Any]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Runs) and self.tensors == other.tensors

    def __hash__(self) -> int:
        return hash(frozenset(self.tensors))


@dataclass(frozen=True)
class Interrupted(Generic[W]):
    """Runs with at most so many gaps, over the tensor products of a domain."""

    domain: Semiring[W]
    most: int
    _products: dict[int, Tensors[W, Any]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def zero(self) -> Runs:
        return Runs({})

    @cached_property
    def one(self) -> Runs:
        return self.plain(self.domain.one)

    def plain(self, weight: W) -> Runs:
        """A run without gaps."""
        return self._runs({(): self.product(1).tensor(weight)})

    def resumed(self, gap: Gap, weight: W) -> Runs:
        """Nothing, then a gap, then a run with this weight."""
        return self._runs({(gap,): self.product(2).tensor(self.domain.one, weight)})

    def combine(self, a: Runs, b: Runs) -> Runs:
        if not a.tensors or a is b:
            return b
        tensors = dict(a.tensors)
        for gaps, tensor in b.tensors.items():
            self._add(tensors, gaps, tensor)
        return Runs(tensors)

    def extend(self, a: Runs, b: Runs) -> Runs:
        tensors: dict[Gaps, Any] = {}
        for gaps, tensor in a.tensors.items():
            for more, other in b.tensors.items():
                if len(gaps) + len(more) <= self.most:
                    product = self.product(len(gaps) + len(more) + 1)
                    self._add(tensors, gaps + more, product.splice(tensor, other))
        return self._runs(tensors)

    def merge(self, weight: Runs) -> Runs:
        """What a call does to its caller, if there is no gap but before the call."""
        if self.most > 1 or not isinstance(self.domain, Merging):
            raise UsageError("a call that merges cannot be interrupted")
        tensors: dict[Gaps, Any] = {}
        for gaps, tensor in weight.tensors.items():
            for pure in self.pures(gaps, tensor):
                merged = self.domain.merge(extend_all(self.domain, pure))
                added = self.product(len(gaps) + 1).tensor(*[self.domain.one] * len(gaps), merged)
                self._add(tensors, gaps, added)
        return self._runs(tensors)

    def pures(self, gaps: Gaps, tensor: Any) -> Iterator[tuple[W, ...]]:
        """The weights of each context, one tuple of them after another."""
        for pure in self.product(len(gaps) + 1).pures(tensor):
            yield pure + (self.domain.one,) * (len(gaps) + 1 - len(pure))

    def product(self, order: int) -> Tensors[W, Any]:
        if order not in self._products:
            self._products[order] = tensorable(self.domain).tensors(order)
        return self._products[order]

    def _runs(self, tensors: Mapping[Gaps, Any]) -> Runs:
        return Runs({g: t for g, t in tensors.items() if t != self.product(len(g) + 1).zero})

    def _add(self, tensors: dict[Gaps, Any], gaps: Gaps, tensor: Any) -> None:
        if gaps in tensors:
            tensor = self.product(len(gaps) + 1).combine(tensors[gaps], tensor)
        tensors[gaps] = tensor
