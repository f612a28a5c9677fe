"""Domains made of two: pairs, and a domain that runs both ways.

`Pairs` does two analyses at once; its height is the sum of the heights.

`TwoWay` gives a transpose to a domain that has none, so that its transducers can be composed as
well (WPDS, Definition 15 and Theorem 4). Next to the weight of a path it keeps that of the same
path read backwards. To transpose is to exchange them.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tepui.weighted.domains.semiring import Semiring, Tensors, W, tensorable, transposable
from tepui.weighted.domains.tensor import PureTensors

V = TypeVar("V", bound=Hashable)


@dataclass(frozen=True)
class Pairs(Generic[V, W]):
    """Pairs of weights of two domains, componentwise."""

    first: Semiring[V]
    second: Semiring[W]

    @property
    def zero(self) -> tuple[V, W]:
        return self.first.zero, self.second.zero

    @property
    def one(self) -> tuple[V, W]:
        return self.first.one, self.second.one

    def combine(self, a: tuple[V, W], b: tuple[V, W]) -> tuple[V, W]:
        return self.first.combine(a[0], b[0]), self.second.combine(a[1], b[1])

    def extend(self, a: tuple[V, W], b: tuple[V, W]) -> tuple[V, W]:
        return self.first.extend(a[0], b[0]), self.second.extend(a[1], b[1])

    def transpose(self, weight: tuple[V, W]) -> tuple[V, W]:
        first, second = transposable(self.first), transposable(self.second)
        return first.transpose(weight[0]), second.transpose(weight[1])

    def tensors(self, order: int) -> PairTensors[V, W]:
        return PairTensors(
            tensorable(self.first).tensors(order), tensorable(self.second).tensors(order)
        )


@dataclass(frozen=True)
class PairTensors(Generic[V, W]):
    """Pairs of tensors: the tensor product of a domain of pairs is that of each side."""

    first: Tensors[V, Any]
    second: Tensors[W, Any]

    @property
    def zero(self) -> tuple[Any, Any]:
        return self.first.zero, self.second.zero

    @property
    def one(self) -> tuple[Any, Any]:
        return self.first.one, self.second.one

    def combine(self, a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
        return self.first.combine(a[0], b[0]), self.second.combine(a[1], b[1])

    def extend(self, a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
        return self.first.extend(a[0], b[0]), self.second.extend(a[1], b[1])

    def tensor(self, *weights: tuple[V, W]) -> tuple[Any, Any]:
        return (
            self.first.tensor(*(weight[0] for weight in weights)),
            self.second.tensor(*(weight[1] for weight in weights)),
        )

    def detensor(self, tensor: tuple[Any, Any]) -> tuple[V, W]:
        return self.first.detensor(tensor[0]), self.second.detensor(tensor[1])

    def transposed_detensor(self, tensor: tuple[Any, Any]) -> tuple[V, W]:
        return (
            self.first.transposed_detensor(tensor[0]),
            self.second.transposed_detensor(tensor[1]),
        )

    def concatenate(self, first: tuple[Any, Any], second: tuple[Any, Any]) -> tuple[Any, Any]:
        return (
            self.first.concatenate(first[0], second[0]),
            self.second.concatenate(first[1], second[1]),
        )

    def splice(self, first: tuple[Any, Any], second: tuple[Any, Any]) -> tuple[Any, Any]:
        return self.first.splice(first[0], second[0]), self.second.splice(first[1], second[1])

    def pures(self, tensor: tuple[Any, Any]) -> list[tuple[tuple[V, W], ...]]:
        """Those of either side, with the other side `zero`."""
        first, second = self.detensor(self.zero)
        return [
            *(tuple((each, second) for each in pure) for pure in self.first.pures(tensor[0])),
            *(tuple((first, each) for each in pure) for pure in self.second.pures(tensor[1])),
        ]


@dataclass(frozen=True)
class TwoWay(Generic[W]):
    """Pairs of what a path does forwards and what it does backwards."""

    domain: Semiring[W]

    @property
    def zero(self) -> tuple[W, W]:
        return self.both(self.domain.zero)

    @property
    def one(self) -> tuple[W, W]:
        return self.both(self.domain.one)

    def both(self, weight: W) -> tuple[W, W]:
        """The weight of one rule: a path of one rule is the same both ways."""
        return weight, weight

    def combine(self, a: tuple[W, W], b: tuple[W, W]) -> tuple[W, W]:
        return self.domain.combine(a[0], b[0]), self.domain.combine(a[1], b[1])

    def extend(self, a: tuple[W, W], b: tuple[W, W]) -> tuple[W, W]:
        return self.domain.extend(a[0], b[0]), self.domain.extend(b[1], a[1])

    def transpose(self, weight: tuple[W, W]) -> tuple[W, W]:
        return weight[1], weight[0]

    def tensors(self, order: int) -> PureTensors[tuple[W, W]]:
        return PureTensors(self, order)
