"""Spans of integer vectors in canonical form, over the rationals or modulo a number.

Equal spans have equal bases, so a span can be compared and hashed by its basis. Vectors are tuples
of integers in both cases: over the rationals every vector of a basis is scaled to coprime integers.
`rationals` and `modular` have the two kinds of scalars; this module has what does not depend on
them.

As long as numbers fit into machine words, a kernel does the work. It reports when they do not fit,
and then the work is done here.

Square matrices are vectors, too: row after row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Protocol

from tepui.kernels.door import canonical_basis, independent_vectors

Vector = tuple[int, ...]
Basis = tuple[Vector, ...]


class Span(Protocol):
    """A span that grows."""

    @property
    def size(self) -> int:
        """A number that is larger for every larger span of vectors."""

    def insert(self, vector: Sequence[int], /) -> bool:
        """Add a vector. Returns whether the span has grown."""

    def basis(self) -> Basis:
        """The canonical basis, in echelon form: each vector begins to the right of the one before
        it."""


class Scalars(Protocol):
    """The numbers by which vectors are multiplied."""

    @property
    def modulus(self) -> int | None:
        """None for the rationals."""

    def span(self) -> Span:
        """The span of no vector."""

    def scaled(self, vector: Sequence[int], /) -> Vector:
        """A vector with the same span, with small numbers."""


def canonical(scalars: Scalars, vectors: Iterable[Sequence[int]]) -> Basis:
    """The canonical basis of what the vectors span."""
    given = list(vectors)
    try:
        return tuple(map(tuple, canonical_basis(given, scalars.modulus)))
    except OverflowError:
        span = scalars.span()
        for vector in given:
            span.insert(vector)
        return span.basis()


def independent(scalars: Scalars, vectors: Sequence[Sequence[int]]) -> tuple[list[int], int]:
    """The numbers of the vectors that are not spanned by those before them, and the size of the
    whole span, which is larger for every larger span."""
    try:
        kept, first_entries = independent_vectors(vectors, scalars.modulus)
    except OverflowError:
        span = scalars.span()
        return [i for i, vector in enumerate(vectors) if span.insert(vector)], span.size
    if scalars.modulus is None:
        return kept, len(first_entries)
    return kept, prod(scalars.modulus // entry for entry in first_entries)


def annihilator(scalars: Scalars, vectors: Sequence[Sequence[int]], width: int) -> Basis:
    """The canonical basis of all x of this width with v · x = 0 for every one of the vectors.

    The i-th unit vector is put behind the i-th entries of all vectors. So what is spanned is, for
    every x, all products v · x followed by x itself. In echelon form, the rows in which the
    products are zero span all of this kind (modulo a number, this is what a Howell form is for).
    """
    count = len(vectors)
    rows = (
        [*(vector[i] for vector in vectors), *(int(i == j) for j in range(width))]
        for i in range(width)
    )
    return tuple(row[count:] for row in canonical(scalars, rows) if not any(row[:count]))


def pivots(basis: Basis) -> list[int]:
    """Where the vectors of a canonical basis begin.

    A vector of the span is determined by its entries there: if these are zero, so is the vector.
    """
    return [next(i for i, entry in enumerate(vector) if entry) for vector in basis]


def identity(order: int) -> Vector:
    return tuple(int(i == j) for i in range(order) for j in range(order))


def multiply(a: Vector, b: Vector, order: int) -> Vector:
    columns = [b[j::order] for j in range(order)]
    rows = [a[i : i + order] for i in range(0, order * order, order)]
    return tuple(
        sum(x * y for x, y in zip(row, column, strict=True)) for row in rows for column in columns
    )


def transpose(matrix: Vector, order: int) -> Vector:
    return tuple(entry for j in range(order) for entry in matrix[j::order])
