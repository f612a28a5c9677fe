"""Affine relations between variables (WPDS, section 4.2.1 and appendix B.2).

It abstracts a set of runs by the affine relations a₀ + a₁x₁ + … + a_n x_n = 0 that they establish:
over the rationals for integer variables, or modulo m for machine words and counters that wrap
around. For affine programs it finds all relations that hold.

A statement is a matrix M of order n + 1 that sends valuations to valuations, (1, x) M = (1, x'),
and so relations backwards: a, a column, holds afterwards iff M a holds before. So a path is the
product of its matrices in the order in which they are run. What a set of paths establishes depends
only on the span of its matrices; a weight is this span, by its canonical basis (see `linear`).
A descending chain is one of growing spans, so the height is (n + 1)² over the rationals, and
modulo m this times the number of prime factors of m.

`x := ?` may assign any integer. A relation holds for all of them iff it holds for 0 and for 1, so
two matrices suffice.

Conditions are not interpreted, and over the rationals divisibility is not seen: `x := ?; x := 2x`
leaves no relation there. Modulo 4 it leaves 2x = 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tepui.errors import ModelError
from tepui.weighted.domains.affine_tensor import AffineTensors
from tepui.weighted.domains.linear import (
    Basis,
    Scalars,
    Vector,
    annihilator,
    canonical,
    identity,
    multiply,
    transpose,
)
from tepui.weighted.domains.modular import Modulo
from tepui.weighted.domains.rationals import Rationals


@dataclass(frozen=True)
class Affine:
    """Spans of matrices for the variables x₁, …, x_n, of which the last ones may be local."""

    variables: int
    modulus: int | None = None
    """None for the rationals."""
    local_variables: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.local_variables <= self.variables:
            raise ModelError(
                f"of {self.variables} variables, {self.local_variables} cannot be local"
            )
        if self.modulus is not None:
            Modulo(self.modulus)

    @cached_property
    def scalars(self) -> Scalars:
        return Rationals() if self.modulus is None else Modulo(self.modulus)

    @property
    def zero(self) -> Basis:
        return ()

    @cached_property
    def one(self) -> Basis:
        return self.span([identity(self._order)])

    def combine(self, a: Basis, b: Basis) -> Basis:
        return a if a == b else self.span((*a, *b))

    def extend(self, a: Basis, b: Basis) -> Basis:
        return self.span(multiply(s, t, self._order) for s in a for t in b)

    def transpose(self, weight: Basis) -> Basis:
        return self.span(transpose(matrix, self._order) for matrix in weight)

    def merge(self, weight: Basis) -> Basis:
        """What a call does to its caller: the locals of the callee are 0 when it begins.

        Only what globals do to globals remains, and the caller's locals are left alone. They are
        multiplied with the first entry of the matrix, 1 for a path, as the map must be linear.
        """
        return self.span(map(self._merged, weight))

    def tensors(self, order: int) -> AffineTensors:
        return AffineTensors(self.scalars, self._order, order)

    def span(self, matrices: Iterable[Vector]) -> Basis:
        """The weight of some matrices, each given row after row."""
        return canonical(self.scalars, matrices)

    def statement(self, assigned: Mapping[int, Sequence[int] | None]) -> Basis:
        """The weight of assignments that happen at once.

        `{j: (a0, a1, …, an)}` is x_j := a₀ + a₁x₁ + … + a_n x_n, and `{j: None}` is x_j := ?.
        """
        for target, expression in assigned.items():
            self._check(target, expression)
        zeros = (0,) * self._order
        known = {j: zeros if each is None else each for j, each in assigned.items()}
        one = (1, *zeros[1:])
        unknown = ({**known, j: one} for j, each in assigned.items() if each is None)
        return self.span(map(self._assigning, (known, *unknown)))

    def holding(self, weight: Basis, start: Sequence[int | None] | None = None) -> Basis:
        """The relations (a₀, …, a_n) that hold at the end of all paths, by a canonical basis.

        `start` is the valuation that paths start with, and None where anything is possible, as it
        is for all variables if there is no start. The basis is in echelon form with the constant
        as the last column, so that known values are shown as such. Where no path leads, everything
        holds, 1 = 0 included.
        """
        ends = [self._moved(point, matrix) for matrix in weight for point in self._points(start)]
        constants_last = [(*end[1:], end[0]) for end in ends]
        relations = annihilator(self.scalars, constants_last, self._order)
        return tuple((relation[-1], *relation[:-1]) for relation in relations)

    @property
    def _order(self) -> int:
        return self.variables + 1

    def _assigning(self, columns: Mapping[int, Sequence[int]]) -> Vector:
        """The identity with some columns replaced."""
        order = range(self._order)
        return tuple(columns[j][i] if j in columns else int(i == j) for i in order for j in order)

    def _merged(self, matrix: Vector) -> Vector:
        order, shared = self._order, self._order - self.local_variables
        return tuple(
            matrix[i * order + j] if i < shared and j < shared else matrix[0] * (i == j)
            for i in range(order)
            for j in range(order)
        )

    def _points(self, start: Sequence[int | None] | None) -> list[Vector]:
        """What spans all (1, x) with a valuation x that is possible at the start."""
        values = [None] * self.variables if start is None else list(start)
        if len(values) != self.variables:
            raise ModelError(f"a start has {self.variables} values, not {len(values)}")
        order = range(self._order)
        free = (j for j, value in enumerate(values, 1) if value is None)
        units = [tuple(int(i == j) for i in order) for j in free]
        return [(1, *(value or 0 for value in values)), *units]

    def _moved(self, point: Vector, matrix: Vector) -> Vector:
        columns = (matrix[j :: self._order] for j in range(self._order))
        return tuple(sum(x * y for x, y in zip(point, each, strict=True)) for each in columns)

    def _check(self, target: int, expression: Sequence[int] | None) -> None:
        if not 1 <= target <= self.variables:
            raise ModelError(f"there is no variable {target}: they are 1 to {self.variables}")
        if expression is not None and len(expression) != self._order:
            raise ModelError(
                f"an expression has {self._order} coefficients, the constant first,"
                f" not {len(expression)}"
            )
