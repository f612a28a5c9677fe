"""Sets of pure tensors that share what they have in common.

A tensor set of order n is a sum of w ⊙ r, where w is a weight and r, the rest, a tensor set of
order n - 1; the only one of order 0 has no component. Tensor sets are interned: equal ones are the
same object, and results about them are remembered. Weights are numbered for this purpose. Since ⊙
distributes over ⊕ in every component, two terms become one where either part is the same:

    w ⊙ r ⊕ w ⊙ r'  =  w ⊙ (r ⊕ r')        w ⊙ r ⊕ w' ⊙ r  =  (w ⊕ w') ⊙ r

A term is left out if another one *covers* it: if its weight is ⊑ and its rest covers the rest.

Unlike with `PureTensors`, different tensor sets may be the same tensor. Their meaning, that is, the
result when weights are put in between, is the same, and no order of operations changes that.
Combining with something that is covered already changes nothing, so a saturation sees when it is
done. It ends: whatever it adds is not covered by what was there before, everything covered stays
covered, and covering is a well-quasi-order if ⊑ is one (as finite sets of pairs of such, by
Higman's lemma). ⊑ is one for all domains with `PureTensors`, see there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic

from tepui.weighted.domains.semiring import Semiring, W

Term = tuple["TensorSet", int]
"""A rest, and the number of the weight before it."""


class NumberedWeights(Generic[W]):
    """A domain whose weights are numbered, and which computes nothing twice.

    `check` is called now and then, and may raise something if limits are reached.
    """

    def __init__(self, domain: Semiring[W], check: Callable[[], None] = lambda: None) -> None:
        self.domain = domain
        self.check = check
        self._weights: list[W] = []
        self._numbers: dict[W, int] = {}
        self._extended: dict[tuple[int, int], int] = {}
        self._combined: dict[tuple[int, int], int] = {}
        self.zero = self.number(domain.zero)
        self.one = self.number(domain.one)

    def number(self, weight: W) -> int:
        number = self._numbers.get(weight)
        if number is None:
            number = self._numbers[weight] = len(self._weights)
            self._weights.append(weight)
            if number % 32 == 0:
                self.check()
        return number

    def weight(self, number: int) -> W:
        return self._weights[number]

    def extend(self, a: int, b: int) -> int:
        number = self._extended.get((a, b))
        if number is None:
            number = self.number(self.domain.extend(self._weights[a], self._weights[b]))
            self._extended[a, b] = number
        return number

    def combine(self, a: int, b: int) -> int:
        if a == b:
            return a
        key = (a, b) if a < b else (b, a)
        number = self._combined.get(key)
        if number is None:
            number = self.number(self.domain.combine(self._weights[a], self._weights[b]))
            self._combined[key] = number
        return number


class TensorSet:
    """A sum of terms, no two with the same rest or the same weight. Made by `TensorSets` only."""

    __slots__ = ("terms",)

    def __init__(self, terms: frozenset[Term]) -> None:
        self.terms = terms


class TensorSets(Generic[W]):
    """The tensor sets over one domain, of all orders."""

    def __init__(self, numbered: NumberedWeights[W]) -> None:
        self.numbered = numbered
        self.zero = TensorSet(frozenset())
        self.unit = TensorSet(frozenset())
        """The tensor set of order 0."""
        self._interned: dict[frozenset[Term], TensorSet] = {frozenset(): self.zero}
        self._sums: dict[tuple[TensorSet, TensorSet], TensorSet] = {}
        self._spliced: dict[tuple[TensorSet, TensorSet], TensorSet] = {}
        self._covered: dict[tuple[TensorSet, TensorSet], bool] = {}

    def tensor(self, *weights: W) -> TensorSet:
        """⊙(w₁, …, w_n)."""
        tensor_set = self.unit
        for weight in reversed(weights):
            tensor_set = self._tensor_set([(tensor_set, self.numbered.number(weight))])
        return tensor_set

    def combine(self, a: TensorSet, b: TensorSet) -> TensorSet:
        if a is b:
            return a
        if (a, b) not in self._sums:
            self._sums[a, b] = self._sum(a, b)
        return self._sums[a, b]

    def splice(self, first: TensorSet, second: TensorSet) -> TensorSet:
        """⊙(v…, a) and ⊙(b, w…) make ⊙(v…, a ⊗ b, w…)."""
        if (first, second) not in self._spliced:
            terms: list[Term] = []
            for rest, number in first.terms:
                if rest is self.unit:
                    terms += [(r, self.numbered.extend(number, more)) for r, more in second.terms]
                else:
                    terms.append((self.splice(rest, second), number))
            self._spliced[first, second] = self._tensor_set(terms)
        return self._spliced[first, second]

    def detensor(self, tensor_set: TensorSet) -> W:
        """Sends ⊙(w₁, …, w_n) to w₁ ⊗ … ⊗ w_n, and distributes over ⊕."""
        return self.numbered.weight(self._detensored(tensor_set))

    def covers(self, a: TensorSet, b: TensorSet) -> bool:
        if a is b:
            return True
        if (a, b) not in self._covered:
            self._covered[a, b] = all(self._has(a.terms, term) for term in b.terms)
        return self._covered[a, b]

    def _detensored(self, tensor_set: TensorSet) -> int:
        if tensor_set is self.unit:
            return self.numbered.one
        total = self.numbered.zero
        for rest, number in tensor_set.terms:
            value = self.numbered.extend(number, self._detensored(rest))
            total = self.numbered.combine(total, value)
        return total

    def _sum(self, a: TensorSet, b: TensorSet) -> TensorSet:
        if self.covers(a, b):
            return a
        if self.covers(b, a):
            return b
        more = [term for term in b.terms if not self._has(a.terms, term)]
        kept = (term for term in a.terms if not self._has(more, term))
        return self._tensor_set((*kept, *more))

    def _tensor_set(self, terms: Iterable[Term]) -> TensorSet:
        """The interned sum of some terms."""
        found = [
            term for term in terms if term[1] != self.numbered.zero and term[0] is not self.zero
        ]
        while len(found) > 1:
            number = len(found)
            found = list(self._by_rest(found).items())
            found = [(rest, weight) for weight, rest in self._by_weight(found).items()]
            if len(found) == number:
                break
        key = frozenset(self._uncovered(found))
        if key not in self._interned:
            self._interned[key] = TensorSet(key)
        return self._interned[key]

    def _by_rest(self, terms: Iterable[Term]) -> dict[TensorSet, int]:
        numbers: dict[TensorSet, int] = {}
        for rest, number in terms:
            numbers[rest] = (
                self.numbered.combine(numbers[rest], number) if rest in numbers else number
            )
        return numbers

    def _by_weight(self, terms: Iterable[Term]) -> dict[int, TensorSet]:
        rests: dict[int, TensorSet] = {}
        for rest, number in terms:
            rests[number] = self.combine(rests[number], rest) if number in rests else rest
        return rests

    def _uncovered(self, terms: list[Term]) -> list[Term]:
        kept: list[Term] = []
        for place, term in enumerate(terms):
            if not self._has(kept, term) and not self._has(terms[place + 1 :], term):
                kept.append(term)
        return kept

    def _has(self, terms: Iterable[Term], term: Term) -> bool:
        """Whether one of the terms covers another one."""
        rest, number = term
        return any(
            self.numbered.combine(weight, number) == weight and self.covers(other, rest)
            for other, weight in terms
        )
