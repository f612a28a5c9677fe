"""Tensor products of affine weights (WPDS, section 6.2, last paragraph).

A tensor is a space of tensors of matrices. It is kept by pure tensors (m₁, …, m_n) that span it,
each of which the others before it do not span; so there are no more of them than dimensions (or,
modulo m, steps by which a module can grow). All operations are linear, so it suffices to do them
with these.

Such generators are not unique: spaces are equal if they span each other. To see that, tensors are
written as vectors, but not with all their entries, as Kronecker products have them. Take, for each
component, the span of all matrices that occur there, and the places where its canonical basis has
pivots. Entries at these places distinguish tensors: fixing all but one index of a tensor gives an
element of the span of that component, which is zero if it is zero at the pivots; so index by index
a tensor that is zero at all combinations of pivots is zero. For a component in which only one
matrix occurs, that is a single place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import prod

from tepui.errors import Stopped, UsageError
from tepui.weighted.domains.linear import (
    Basis,
    Scalars,
    Vector,
    canonical,
    identity,
    independent,
    multiply,
    pivots,
    transpose,
)
from tepui.weighted.domains.tensor import alternating

MOST_ENTRIES = 20_000_000
"""More entries of tensors are not compared at once; these take about a gigabyte."""

Matrices = tuple[Vector, ...]
"""A pure tensor of matrices."""


@dataclass(frozen=True, eq=False)
class TensorSpace:
    """The space that some pure tensors span; no generator is spanned by those before it."""

    generators: tuple[Matrices, ...]
    size: int
    """Larger for every larger space."""
    scalars: Scalars = field(repr=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSpace):
            return NotImplemented
        if self.generators == other.generators:
            return True
        both = _spanned(self.scalars, (*self.generators, *other.generators))
        return self.size == other.size == both.size

    def __hash__(self) -> int:
        return hash(self.size)


@dataclass(frozen=True)
class AffineTensors:
    """The tensor product of `order` copies of the spaces of matrices of some order."""

    scalars: Scalars
    matrix_order: int
    order: int

    def __post_init__(self) -> None:
        if self.order < 1:
            raise UsageError(f"a tensor product has at least one component, not {self.order}")

    @cached_property
    def zero(self) -> TensorSpace:
        return self._space([])

    @cached_property
    def one(self) -> TensorSpace:
        return self._space([(identity(self.matrix_order),) * self.order])

    def combine(self, a: TensorSpace, b: TensorSpace) -> TensorSpace:
        both = self._space((*a.generators, *b.generators))
        return a if both.size == a.size else both

    def extend(self, a: TensorSpace, b: TensorSpace) -> TensorSpace:
        return self._space(
            tuple(multiply(x, y, self.matrix_order) for x, y in zip(s, t, strict=True))
            for s in a.generators
            for t in b.generators
        )

    def tensor(self, *weights: Basis) -> TensorSpace:
        return self._space(product(*weights))

    def detensor(self, tensor: TensorSpace) -> Basis:
        return canonical(self.scalars, map(self._product, tensor.generators))

    def transposed_detensor(self, tensor: TensorSpace) -> Basis:
        turned = (alternating(self._transpose, pure) for pure in tensor.generators)
        return canonical(self.scalars, map(self._product, turned))

    def concatenate(self, first: TensorSpace, second: TensorSpace) -> TensorSpace:
        return self._space(s + t for s in first.generators for t in second.generators)

    def splice(self, first: TensorSpace, second: TensorSpace) -> TensorSpace:
        return self._space(
            (*s[:-1], multiply(s[-1], t[0], self.matrix_order), *t[1:])
            for s in first.generators
            for t in second.generators
        )

    def pures(self, tensor: TensorSpace) -> list[tuple[Basis, ...]]:
        return [
            tuple(canonical(self.scalars, [matrix]) for matrix in pure)
            for pure in tensor.generators
        ]

    def _space(self, tensors: Iterable[Matrices]) -> TensorSpace:
        scaled = [tuple(map(self.scalars.scaled, pure)) for pure in tensors]
        for pure in scaled:
            if len(pure) != self.order:
                raise UsageError(f"a tensor of order {self.order} cannot have {len(pure)} weights")
        return _spanned(self.scalars, scaled)

    def _transpose(self, matrix: Vector) -> Vector:
        return transpose(matrix, self.matrix_order)

    def _product(self, pure: Iterable[Vector]) -> Vector:
        matrix = identity(self.matrix_order)
        for each in pure:
            matrix = multiply(matrix, each, self.matrix_order)
        return matrix


def _spanned(scalars: Scalars, tensors: Iterable[Matrices]) -> TensorSpace:
    """The space of some pure tensors, by those of them that the ones before do not span."""
    different = list(dict.fromkeys(tensors))
    kept, size = independent(scalars, _coordinates(scalars, different))
    return TensorSpace(tuple(different[number] for number in kept), size, scalars)


def _coordinates(scalars: Scalars, tensors: Sequence[Matrices]) -> list[list[int]]:
    """The entries of tensors at the combinations of the pivots of their components."""
    places = [pivots(canonical(scalars, set(column))) for column in zip(*tensors, strict=True)]
    if len(tensors) * prod(map(len, places)) > MOST_ENTRIES:
        raise Stopped("stopped at a limit: the tensors of affine weights are too large")
    return [_entries(pure, places) for pure in tensors]


def _entries(pure: Matrices, places: Sequence[Sequence[int]]) -> list[int]:
    entries = [1]
    for matrix, chosen in zip(pure, places, strict=True):
        entries = [entry * matrix[place] for entry in entries for place in chosen]
    return entries
