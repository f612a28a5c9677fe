"""Weights of runs that are interrupted: what a thread does in each of its contexts, and where.

While a thread waits, others change the shared state and the data. So a run of one thread with d
gaps has no weight of its own. It has a tensor w₀ ⊙ w₁ ⊙ … ⊙ w_d, which becomes a weight when it is
known what happens in between, and for each gap the shared states at both ends of it. Two runs in a
row are spliced: the last context of the first goes on as the first context of the second, ⊙(v₀, …,
v_c) and ⊙(w₀, …, w_d) become ⊙(v₀, …, v_c ⊗ w₀, …, w_d). Gaps are appended. There is one more gap
before the first step of a thread, its *opening*, which has no context before it.

Sets of such runs are weights: one tensor for each opening and sequence of gaps. They form a bounded
idempotent semiring again, if runs with more than `most` contexts are left out. So saturation finds
what a thread can do in several contexts in the same way as in one context, and procedures are
summarised once, whatever contexts their calls are in. This needs no composition of transducers and
no transposition (WPDS, section 6.3, uses both); `one_tape` does it the paper's way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol

from tepui.errors import UsageError
from tepui.weighted.domains.semiring import Merging, W, tensorable
from tepui.weighted.domains.tensor import PureTensors
from tepui.weighted.domains.tensor_sets import TensorSet, TensorSets
from tepui.weighted.system import State

Gap = tuple[State, State]
"""The shared state in which a thread was interrupted, and the one in which it was resumed."""

Breaks = tuple[Gap | None, tuple[Gap, ...]]
"""The opening of a run, if it has one, and its gaps, one fewer than contexts."""


@dataclass(frozen=True, eq=False)
class Runs:
    """A tensor for all runs with the same breaks, with a component for each context. It is not
    `zero`."""

    tensors: Mapping[Breaks, Any]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Runs) and self.tensors == other.tensors

    def __hash__(self) -> int:
        return hash(frozenset(self.tensors))


class Products(Protocol[W]):
    """Tensors of one order or of all, of whatever kind."""

    @property
    def zero(self) -> Any: ...

    def tensor(self, *weights: W) -> Any: ...

    def combine(self, a: Any, b: Any, /) -> Any: ...

    def splice(self, first: Any, second: Any, /) -> Any: ...

    def detensor(self, tensor: Any, /) -> W: ...


class Interrupted(Generic[W]):
    """Runs with at most `most` contexts, over the tensor products of a domain.

    Sets of pure tensors are kept as `TensorSets`; other tensor products are used as they are.
    """

    def __init__(self, tensor_sets: TensorSets[W], most: int) -> None:
        self.domain = tensor_sets.numbered.domain
        self.most = most
        self.tensor_sets = tensor_sets
        self._products: dict[int, Products[W]] = {}
        self.zero = Runs({})
        self.one = self.plain(self.domain.one)

    def plain(self, weight: W) -> Runs:
        """A run in one context."""
        return self._runs({(None, ()): self._product(1).tensor(weight)})

    def opened(self, gap: Gap, weight: W) -> Runs:
        """A run in one context, the first one of the thread."""
        return self._runs({(gap, ()): self._product(1).tensor(weight)})

    def resumed(self, gap: Gap, weight: W) -> Runs:
        """Nothing, then a gap, then a run with this weight; only where `most` is 2 or more."""
        return self._runs({(None, (gap,)): self._product(2).tensor(self.domain.one, weight)})

    def combine(self, a: Runs, b: Runs) -> Runs:
        if not a.tensors or a is b:
            return b
        tensors = dict(a.tensors)
        for breaks, tensor in b.tensors.items():
            self._add(tensors, breaks, tensor)
        return Runs(tensors)

    def extend(self, a: Runs, b: Runs) -> Runs:
        """One run after another, spliced. Runs with two openings are left out."""
        self.tensor_sets.numbered.check()
        tensors: dict[Breaks, Any] = {}
        for (opening, gaps), tensor in a.tensors.items():
            for (second, more), other in b.tensors.items():
                number = len(gaps) + len(more)
                if number < max(1, self.most) and (opening is None or second is None):
                    spliced = self._product(number + 1).splice(tensor, other)
                    self._add(tensors, (opening or second, gaps + more), spliced)
        return self._runs(tensors)

    def merge(self, weight: Runs) -> Runs:
        """What a call does to its caller, if all is in one context."""
        if self.most > 1 or not isinstance(self.domain, Merging):
            raise UsageError("a call that merges cannot be interrupted")
        merge, product = self.domain.merge, self._product(1)
        return self._runs(
            {
                breaks: product.tensor(merge(product.detensor(tensor)))
                for breaks, tensor in weight.tensors.items()
            }
        )

    def tensor_set(self, breaks: Breaks, tensor: Any) -> TensorSet:
        """The weights of the contexts of runs with these breaks, as a tensor set."""
        if isinstance(tensor, TensorSet):
            return tensor
        order = len(breaks[1]) + 1
        tensor_set = self.tensor_sets.zero
        for pure in tensorable(self.domain).tensors(order).pures(tensor):
            missing = [self.domain.one] * (order - len(pure))
            tensor_set = self.tensor_sets.combine(
                tensor_set, self.tensor_sets.tensor(*pure, *missing)
            )
        return tensor_set

    def _product(self, order: int) -> Products[W]:
        known = self._products.get(order)
        if known is None:
            tensors = tensorable(self.domain).tensors(order)
            known = self.tensor_sets if isinstance(tensors, PureTensors) else tensors
            self._products[order] = known
        return known

    def _runs(self, tensors: Mapping[Breaks, Any]) -> Runs:
        return Runs({b: t for b, t in tensors.items() if t != self._product(len(b[1]) + 1).zero})

    def _add(self, tensors: dict[Breaks, Any], breaks: Breaks, tensor: Any) -> None:
        if breaks in tensors:
            tensor = self._product(len(breaks[1]) + 1).combine(tensors[breaks], tensor)
        tensors[breaks] = tensor
