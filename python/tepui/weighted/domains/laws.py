"""The laws of weight domains, to be run on weights of any domain (WPDS, Definitions 4, 13 and 15).

Trying a law cannot prove it, only refute it. Give these functions weights that differ in kind. Many
calls with a few weights are better than one call with many, because all triples are tried, and for
tensors all pairs of tuples. `zero` and `one` are added to the weights. The first broken law is
raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise, product

from tepui.errors import TepuiError
from tepui.weighted.domains.semiring import (
    Merging,
    Semiring,
    T,
    Tensorable,
    Tensors,
    Transposable,
    W,
    extend_all,
)
from tepui.weighted.domains.tensor import alternating


class BrokenLaw(TepuiError):  # noqa: N818 - it names what it is about
    """A law that some weights of a domain break."""

    def __init__(self, law: str, weights: dict[str, object]) -> None:
        super().__init__(law, weights)
        self.law, self.weights = law, weights

    def __str__(self) -> str:
        shown = "".join(f"\n  {name} = {weight!r}" for name, weight in self.weights.items())
        return f"the law «{self.law}» is broken:{shown}"


def check_laws(domain: Semiring[W], weights: Iterable[W]) -> None:
    """Definition 4, items 1 to 3: combine, extend, and how they go together."""
    sample = _sample(domain, weights)
    for a in sample:
        _check_one(domain, a)
    for a, b in product(sample, repeat=2):
        _expect("a ⊕ b = b ⊕ a", domain.combine(a, b), domain.combine(b, a), a=a, b=b)
    for a, b, c in product(sample, repeat=3):
        _check_three(domain, a, b, c)


def check_descent(domain: Semiring[W], weights: Iterable[W], height: int) -> None:
    """Definition 4, item 4: combined one after another, weights descend at most `height` times.

    Give it all the weights that an analysis could meet, in any order, or as many as you have.
    """
    total, steps = domain.zero, 0
    for weight in weights:
        before, total = total, domain.combine(total, weight)
        _expect("(a ⊕ b) ⊕ a = a ⊕ b", domain.combine(total, before), total, a=before, b=weight)
        steps += total != before
        if steps > height:
            law = f"chains descend at most {height} times"
            raise BrokenLaw(law, {"sum": before, "weight": weight, "next sum": total})


def check_transpose(domain: Transposable[W], weights: Iterable[W]) -> None:
    """Definition 15, the transpose; and that it distributes over combine, as TDeTensor must."""
    sample = _sample(domain, weights)
    transpose, combine, extend = domain.transpose, domain.combine, domain.extend
    for a in sample:
        _expect("(aᵀ)ᵀ = a", transpose(transpose(a)), a, a=a)
    for a, b in product(sample, repeat=2):
        left = extend(transpose(a), transpose(b))
        _expect("aᵀ ⊗ bᵀ = (b ⊗ a)ᵀ", left, transpose(extend(b, a)), a=a, b=b)
        left = transpose(combine(a, b))
        _expect("(a ⊕ b)ᵀ = aᵀ ⊕ bᵀ", left, combine(transpose(a), transpose(b)), a=a, b=b)


def check_merge(domain: Merging[W], weights: Iterable[W]) -> None:
    """Appendix B: merge distributes over combine, and the merge of no path is no path."""
    sample = _sample(domain, weights)
    merge, combine = domain.merge, domain.combine
    _expect("merge(0) = 0", merge(domain.zero), domain.zero)
    for a, b in product(sample, repeat=2):
        right = combine(merge(a), merge(b))
        _expect("merge(a ⊕ b) = merge(a) ⊕ merge(b)", merge(combine(a, b)), right, a=a, b=b)


def check_tensor(domain: Tensorable[W], weights: Iterable[W], order: int = 2) -> None:
    """Definition 13 for one order, and that the tensors are a weight domain themselves."""
    sample = _sample(domain, weights)
    tensors = domain.tensors(order)
    tuples = list(product(sample, repeat=order))
    zero, one = (domain.zero,) * order, (domain.one,) * order
    _expect("⊙(0, …, 0) is zero", tensors.tensor(*zero), tensors.zero)
    _expect("⊙(1, …, 1) is one", tensors.tensor(*one), tensors.one)
    for v in tuples:
        left = tensors.detensor(tensors.tensor(*v))
        _expect("DeTensor(⊙(v…)) = v₁ ⊗ … ⊗ vₙ", left, extend_all(domain, v), v=v)
    for v, w in product(tuples, repeat=2):
        left = tensors.extend(tensors.tensor(*v), tensors.tensor(*w))
        right = tensors.tensor(*map(domain.extend, v, w))
        _expect("⊙(v…) ⊗ ⊙(w…) = ⊙(v₁ ⊗ w₁, …, vₙ ⊗ wₙ)", left, right, v=v, w=w)
    for s, t in _pairs(tensors, tuples):
        left = tensors.detensor(tensors.combine(s, t))
        right = domain.combine(tensors.detensor(s), tensors.detensor(t))
        _expect("DeTensor(s ⊕ t) = DeTensor(s) ⊕ DeTensor(t)", left, right, s=s, t=t)
    for cut in range(1, order):
        _check_parts(domain, sample, (cut, order - cut))
    check_laws(tensors, _sums(tensors, tuples)[:3])


def check_transposed_tensor(domain: Tensorable[W], weights: Iterable[W], order: int = 2) -> None:
    """Definition 15, TDeTensor, for one order: the domain must also have a transpose."""
    if not isinstance(domain, Transposable):
        raise BrokenLaw("a domain with TDeTensor has a transpose", {"domain": domain})
    sample = _sample(domain, weights)
    tensors = domain.tensors(order)
    tuples = list(product(sample, repeat=order))
    for v in tuples:
        left = tensors.transposed_detensor(tensors.tensor(*v))
        right = extend_all(domain, alternating(domain.transpose, v))
        _expect("TDeTensor(⊙(v…)) = v₁ ⊗ v₂ᵀ ⊗ v₃ ⊗ …", left, right, v=v)
    for s, t in _pairs(tensors, tuples):
        left = tensors.transposed_detensor(tensors.combine(s, t))
        right = domain.combine(tensors.transposed_detensor(s), tensors.transposed_detensor(t))
        _expect("TDeTensor(s ⊕ t) = TDeTensor(s) ⊕ TDeTensor(t)", left, right, s=s, t=t)


def _check_one(domain: Semiring[W], a: W) -> None:
    zero, one, combine, extend = domain.zero, domain.one, domain.combine, domain.extend
    _expect("a ⊕ a = a", combine(a, a), a, a=a)
    _expect("a ⊕ 0 = a", combine(a, zero), a, a=a)
    _expect("a ⊗ 1 = a", extend(a, one), a, a=a)
    _expect("1 ⊗ a = a", extend(one, a), a, a=a)
    _expect("a ⊗ 0 = 0", extend(a, zero), zero, a=a)
    _expect("0 ⊗ a = 0", extend(zero, a), zero, a=a)


def _check_three(domain: Semiring[W], a: W, b: W, c: W) -> None:
    combine, extend = domain.combine, domain.extend
    left, right = combine(combine(a, b), c), combine(a, combine(b, c))
    _expect("(a ⊕ b) ⊕ c = a ⊕ (b ⊕ c)", left, right, a=a, b=b, c=c)
    left, right = extend(extend(a, b), c), extend(a, extend(b, c))
    _expect("(a ⊗ b) ⊗ c = a ⊗ (b ⊗ c)", left, right, a=a, b=b, c=c)
    left, right = extend(a, combine(b, c)), combine(extend(a, b), extend(a, c))
    _expect("a ⊗ (b ⊕ c) = (a ⊗ b) ⊕ (a ⊗ c)", left, right, a=a, b=b, c=c)
    left, right = extend(combine(a, b), c), combine(extend(a, c), extend(b, c))
    _expect("(a ⊕ b) ⊗ c = (a ⊗ c) ⊕ (b ⊗ c)", left, right, a=a, b=b, c=c)


def _check_parts(domain: Tensorable[W], sample: list[W], orders: tuple[int, int]) -> None:
    """Tensors can be made from tensors of lower order, as is done when transducers are composed one
    by one."""
    whole, first, second = (domain.tensors(order) for order in (sum(orders), *orders))
    firsts, seconds = (list(product(sample, repeat=order)) for order in orders)
    join = whole.concatenate
    for v, w in product(firsts, seconds):
        left = join(first.tensor(*v), second.tensor(*w))
        _expect("⊙(v…) ⊙ ⊙(w…) = ⊙(v…, w…)", left, whole.tensor(*v, *w), v=v, w=w)
    sums = product(pairwise(_sums(first, firsts)), pairwise(_sums(second, seconds)))
    for (s, t), (u, v) in sums:
        left, right = whole.combine(join(s, u), join(t, u)), join(first.combine(s, t), u)
        _expect("(s ⊙ u) ⊕ (t ⊙ u) = (s ⊕ t) ⊙ u", left, right, s=s, t=t, u=u)
        left, right = whole.combine(join(s, u), join(s, v)), join(s, second.combine(u, v))
        _expect("(s ⊙ u) ⊕ (s ⊙ v) = s ⊙ (u ⊕ v)", left, right, s=s, u=u, v=v)
        left = whole.extend(join(s, u), join(t, v))
        right = join(first.extend(s, t), second.extend(u, v))
        _expect("(s ⊙ u) ⊗ (t ⊙ v) = (s ⊗ t) ⊙ (u ⊗ v)", left, right, s=s, t=t, u=u, v=v)


def _pairs(tensors: Tensors[W, T], tuples: list[tuple[W, ...]]) -> Iterator[tuple[T, T]]:
    """All pairs of pure tensors, and some pairs of others."""
    yield from product([tensors.tensor(*each) for each in tuples], repeat=2)
    yield from product(_sums(tensors, tuples), repeat=2)


def _sums(tensors: Tensors[W, T], tuples: list[tuple[W, ...]]) -> list[T]:
    """Tensors that are not pure, spread over the sample, and products of such."""
    pure = [tensors.tensor(*each) for each in tuples[:: len(tuples) // 6 + 1]]
    sums = [tensors.combine(s, t) for s, t in pairwise(pure)]
    return [*(tensors.extend(s, t) for s, t in pairwise(sums)), *sums]


def _sample(domain: Semiring[W], weights: Iterable[W]) -> list[W]:
    sample = [*weights, domain.zero, domain.one]
    for weight in sample:
        try:
            hash(weight)
        except TypeError:
            raise BrokenLaw("weights are hashable", {"weight": weight}) from None
    return list(dict.fromkeys(sample))


def _expect(law: str, left: object, right: object, **weights: object) -> None:
    if left != right:
        raise BrokenLaw(law, {**weights, "left side": left, "right side": right})
    if hash(left) != hash(right):
        raise BrokenLaw("equal weights have equal hashes", {"one": left, "other": right})
