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

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol

from tepui.errors import UsageError
from tepui.weighted.diagrams import Diagram, Diagrams
from tepui.weighted.domains.semiring import Merging, W, tensorable
from tepui.weighted.domains.tensor import PureTensors
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


class Products(Protocol[W]):
    """Tensors of one order or of all, of whatever kind."""

    @property
    def zero(self) -> Any: ...

    def tensor(self, *weights: W) -> Any: ...

    def combine(self, a: Any, b: Any, /) -> Any: ...

    def splice(self, first: Any, second: Any, /) -> Any: ...

    def detensor(self, tensor: Any, /) -> W: ...


class Interrupted(Generic[W]):
    """Runs with at most `most` gaps, over the tensor products of a domain.

    Sets of pure tensors are kept as diagrams; other tensor products are used as they are.
    """

    def __init__(self, diagrams: Diagrams[W], most: int) -> None:
        self.domain = diagrams.numbered.domain
        self.most = most
        self.diagrams = diagrams
        self._products: list[Products[W]] = [self._product(n) for n in range(1, most + 2)]
        self.zero = Runs({})
        self.one = self.plain(self.domain.one)

    def plain(self, weight: W) -> Runs:
        """A run without gaps."""
        return self._runs({(): self._with(0).tensor(weight)})

    def resumed(self, gap: Gap, weight: W) -> Runs:
        """Nothing, then a gap, then a run with this weight."""
        return self._runs({(gap,): self._with(1).tensor(self.domain.one, weight)})

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
                    product = self._with(len(gaps) + len(more))
                    self._add(tensors, gaps + more, product.splice(tensor, other))
        return self._runs(tensors)

    def merge(self, weight: Runs) -> Runs:
        """What a call does to its caller, if there is no gap but before the call."""
        if self.most > 1 or not isinstance(self.domain, Merging):
            raise UsageError("a call that merges cannot be interrupted")
        tensors = {}
        for gaps, tensor in weight.tensors.items():
            product = self._with(len(gaps))
            before = [self.domain.one] * len(gaps)
            tensors[gaps] = product.tensor(*before, self.domain.merge(product.detensor(tensor)))
        return self._runs(tensors)

    def diagram(self, gaps: Gaps, tensor: Any) -> Diagram:
        """The weights of the contexts around these gaps, as a diagram."""
        if isinstance(tensor, Diagram):
            return tensor
        diagram = self.diagrams.zero
        for pure in tensorable(self.domain).tensors(len(gaps) + 1).pures(tensor):
            missing = [self.domain.one] * (len(gaps) + 1 - len(pure))
            diagram = self.diagrams.combine(diagram, self.diagrams.tensor(*pure, *missing))
        return diagram

    def _with(self, gaps: int) -> Products[W]:
        """The tensors for so many gaps, which have one component more."""
        return self._products[gaps]

    def _product(self, order: int) -> Products[W]:
        tensors = tensorable(self.domain).tensors(order)
        return self.diagrams if isinstance(tensors, PureTensors) else tensors

    def _runs(self, tensors: Mapping[Gaps, Any]) -> Runs:
        return Runs({g: t for g, t in tensors.items() if t != self._with(len(g)).zero})

    def _add(self, tensors: dict[Gaps, Any], gaps: Gaps, tensor: Any) -> None:
        if gaps in tensors:
            tensor = self._with(len(gaps)).combine(tensors[gaps], tensor)
        tensors[gaps] = tensor
