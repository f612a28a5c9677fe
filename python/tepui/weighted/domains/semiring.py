"""Weight domains: bounded idempotent semirings (WPDS, Definition 4) and what else they may offer.

A weight says what a rule does to data. `extend` puts one path after another, in the order in which
they are run; `combine` is what several paths have in common. `one` does nothing, `zero` is the
weight of no path at all. Weights are immutable and hashable, and equal weights are `==`: a domain
keeps them in a canonical form, so that saturation sees when nothing has changed.

Nothing is inherited: whatever has these methods is a domain. Python cannot see the laws;
`tepui.weighted.domains.laws` tests them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import reduce
from typing import Any, Protocol, TypeVar, runtime_checkable

from tepui.errors import UsageError

W = TypeVar("W", bound=Hashable)
"""The weights of a domain."""

T = TypeVar("T", bound=Hashable)
"""The tensors of such weights, which are weights themselves."""


class Semiring(Protocol[W]):
    """A bounded idempotent semiring (Definition 4)."""

    @property
    def zero(self) -> W:
        """Neutral for `combine`, and annihilates what it extends."""

    @property
    def one(self) -> W:
        """Neutral for `extend`."""

    def combine(self, a: W, b: W, /) -> W:
        """a ⊕ b: associative, commutative and idempotent."""

    def extend(self, a: W, b: W, /) -> W:
        """a ⊗ b, first a, then b: associative, and distributes over ⊕ on both sides."""


@runtime_checkable
class Transposable(Semiring[W], Protocol[W]):
    """A domain whose paths can be turned round (Definition 15)."""

    def transpose(self, weight: W, /) -> W:
        """Its own inverse, with aᵀ ⊗ bᵀ = (b ⊗ a)ᵀ, and distributes over ⊕."""


class Tensors(Semiring[T], Protocol[W, T]):
    """A sequentializable tensor product of some order n (Definitions 13 and 15)."""

    def tensor(self, *weights: W) -> T:
        """⊙(w₁, …, w_n). Tensors of weights extend componentwise."""

    def detensor(self, tensor: T, /) -> W:
        """Sends ⊙(w₁, …, w_n) to w₁ ⊗ … ⊗ w_n, and distributes over ⊕."""

    def transposed_detensor(self, tensor: T, /) -> W:
        """TDeTensor: sends ⊙(w₁, …, w_n) to w₁ ⊗ w₂ᵀ ⊗ w₃ ⊗ w₄ᵀ …, and distributes over ⊕."""

    def concatenate(self, first: T, second: T, /) -> T:
        """first ⊙ second, whose orders add up to this one: ⊙(v…) ⊙ ⊙(w…) = ⊙(v…, w…)."""

    def splice(self, first: T, second: T, /) -> T:
        """One path continues as another one: ⊙(v…, a) and ⊙(b, w…) make ⊙(v…, a ⊗ b, w…). Their
        orders add up to one more than this order."""

    def pures(self, tensor: T, /) -> Iterable[tuple[W, ...]]:
        """Tuples of weights such that the tensor is the combine of their ⊙. At the end of a tuple,
        weights that are `one` may be missing."""


@runtime_checkable
class Tensorable(Semiring[W], Protocol[W]):
    """A domain that has a tensor product of every order."""

    def tensors(self, order: int, /) -> Tensors[W, Any]:
        """The tensor product of `order` copies of this domain."""


@runtime_checkable
class Merging(Semiring[W], Protocol[W]):
    """A domain that knows which part of the data is local to a procedure (WPDS, appendix B)."""

    def merge(self, weight: W, /) -> W:
        """What a call does to its caller, given what the callee did: the callee's locals are gone,
        those of the caller are untouched. Distributes over ⊕, and leaves `zero` as it is."""


def is_below(domain: Semiring[W], a: W, b: W) -> bool:
    """a ⊑ b, that is, a ⊕ b = a."""
    return domain.combine(a, b) == a


def combine_all(domain: Semiring[W], weights: Iterable[W]) -> W:
    return reduce(domain.combine, weights, domain.zero)


def extend_all(domain: Semiring[W], weights: Iterable[W]) -> W:
    return reduce(domain.extend, weights, domain.one)


def transposable(domain: Semiring[W]) -> Transposable[W]:
    """The same domain, which must be able to transpose."""
    if isinstance(domain, Transposable):
        return domain
    name = type(domain).__name__
    raise UsageError(f"weights of {name} cannot be transposed; use TwoWay({name}(…)) instead")


def tensorable(domain: Semiring[W]) -> Tensorable[W]:
    """The same domain, which must have tensor products."""
    if isinstance(domain, Tensorable):
        return domain
    raise UsageError(f"{type(domain).__name__} declares no tensor product")
