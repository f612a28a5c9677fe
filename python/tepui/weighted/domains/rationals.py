"""Spans over the rationals, by their reduced row echelon form.

This form is unique up to the scale of each row; here a row has coprime integers, and its first one
is positive. Elimination multiplies rows with integers and divides them by what their entries have
in common, so all of it is exact and no fraction is ever made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from tepui.weighted.domains.linear import Basis, Vector


@dataclass(frozen=True)
class Rationals:
    """The rational numbers."""

    @property
    def modulus(self) -> None:
        return None

    def span(self) -> RationalSpan:
        return RationalSpan()

    def scaled(self, vector: Sequence[int]) -> Vector:
        return tuple(_primitive(vector)) if any(vector) else tuple(vector)


class RationalSpan:
    """A vector space. `_rows` is an echelon form: one row for each column where one begins."""

    def __init__(self) -> None:
        self._rows: dict[int, list[int]] = {}

    @property
    def size(self) -> int:
        """The dimension."""
        return len(self._rows)

    def insert(self, vector: Sequence[int]) -> bool:
        if len(self._rows) == len(vector):
            return False
        rest = list(vector)
        for column in range(len(rest)):
            if not rest[column]:
                continue
            row = self._rows.get(column)
            if row is None:
                self._rows[column] = _primitive(rest)
                return True
            rest = _cleared(rest, row, column)
        return False

    def basis(self) -> Basis:
        done: dict[int, list[int]] = {}
        for column in sorted(self._rows, reverse=True):
            row = self._rows[column]
            for other in sorted(done):
                row = _cleared(row, done[other], other)
            done[column] = _primitive(row)
        return tuple(tuple(done[column]) for column in sorted(done))


def _cleared(vector: list[int], row: list[int], column: int) -> list[int]:
    """A multiple of a vector minus one of a row, such that nothing is left in a column."""
    common = gcd(vector[column], row[column])
    mine, yours = row[column] // common, vector[column] // common
    return [mine * x - yours * y for x, y in zip(vector, row, strict=True)]


def _primitive(vector: Sequence[int]) -> list[int]:
    """A vector that is not zero, scaled to coprime entries of which the first is positive."""
    common = gcd(*vector)
    if next(entry for entry in vector if entry) < 0:
        common = -common
    return [entry // common for entry in vector]
