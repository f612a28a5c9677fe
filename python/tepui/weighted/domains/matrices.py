"""Matrix weight domains (WPDS, Definition 14): square matrices over a commutative domain.

The height is that of the entries times the number of them. The domain of the entries need not be
commutative for this to be a semiring, nor for its tensors, which are sets of pure tensors; the
paper's Kronecker products need it. Entries must not have infinite antichains if there are to be
tensors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from tepui.errors import ModelError
from tepui.weighted.domains.semiring import Semiring, W, combine_all, transposable
from tepui.weighted.domains.tensor import PureTensors

Matrix = tuple[tuple[W, ...], ...]


@dataclass(frozen=True)
class Matrices(Generic[W]):
    """Matrices with `order` rows and columns; combine is by entries, extend is the product."""

    order: int
    entries: Semiring[W]

    def __post_init__(self) -> None:
        if self.order < 1:
            raise ModelError(f"a matrix has at least one row, not {self.order}")

    @property
    def zero(self) -> Matrix[W]:
        return ((self.entries.zero,) * self.order,) * self.order

    @property
    def one(self) -> Matrix[W]:
        zero, one = self.entries.zero, self.entries.one
        indices = range(self.order)
        return tuple(tuple(one if i == j else zero for j in indices) for i in indices)

    def combine(self, a: Matrix[W], b: Matrix[W]) -> Matrix[W]:
        return tuple(tuple(map(self.entries.combine, s, t)) for s, t in zip(a, b, strict=True))

    def extend(self, a: Matrix[W], b: Matrix[W]) -> Matrix[W]:
        columns = tuple(zip(*b, strict=True))
        return tuple(tuple(self._inner(row, column) for column in columns) for row in a)

    def transpose(self, weight: Matrix[W]) -> Matrix[W]:
        transpose = transposable(self.entries).transpose
        return tuple(tuple(map(transpose, column)) for column in zip(*weight, strict=True))

    def tensors(self, order: int) -> PureTensors[Matrix[W]]:
        return PureTensors(self, order)

    def _inner(self, row: tuple[W, ...], column: tuple[W, ...]) -> W:
        return combine_all(self.entries, map(self.entries.extend, row, column))
