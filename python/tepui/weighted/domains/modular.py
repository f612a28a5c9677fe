"""Spans modulo any number m ≥ 2, by their Howell form.

The integers modulo m are no field, so echelon forms of equal spans may differ: modulo 4, (2, 1)
spans (0, 2), too, which no echelon form of (2, 1) alone shows. J. A. Howell (1986, *Spans in the
module (Z_m)^s*) found the form that does; A. Storjohann and T. Mulders (1998, *Fast algorithms for
linear algebra modulo N*) compute it fast. Rows begin in different columns, and

1. each begins with a divisor of m;
2. whatever in the span begins with zeros up to some column is spanned by the rows that do;
3. entries in a column where another row begins are smaller than the entry it begins with.

It is unique. The first entries of what begins in one column form an ideal, of which 1 takes the
one generator that divides m. Two rows that begin in this way in the same column differ by
something that begins later, where 2 makes its first entry a multiple of a divisor that is there,
and 3 leaves room for 0 only.

Condition 2 holds if, for each row that begins with d, the multiple by m/d, whose first entry
vanishes, is spanned by later rows: a combination of rows whose first entry vanishes can then do
without the first row. So whenever a row becomes the one of its column, this multiple is inserted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, prod

from tepui.errors import ModelError
from tepui.weighted.domains.linear import Basis, Vector


@dataclass(frozen=True)
class Modulo:
    """The integers modulo m."""

    modulus: int

    def __post_init__(self) -> None:
        if self.modulus < 2:
            raise ModelError(f"a modulus is at least 2, not {self.modulus}")

    def span(self) -> ModularSpan:
        return ModularSpan(self.modulus)

    def scaled(self, vector: Sequence[int]) -> Vector:
        return tuple(entry % self.modulus for entry in vector)


class ModularSpan:
    """A submodule. `_rows` satisfies 1 and 2 above whenever `insert` is done."""

    def __init__(self, modulus: int) -> None:
        self._modulus = modulus
        self._rows: dict[int, list[int]] = {}

    @property
    def size(self) -> int:
        """The number of vectors."""
        return prod(self._modulus // row[column] for column, row in self._rows.items())

    def insert(self, vector: Sequence[int]) -> bool:
        before = self.size
        if before == self._modulus ** len(vector):
            return False
        waiting = [[entry % self._modulus for entry in vector]]
        while waiting:
            rest = waiting.pop()
            for column in range(len(rest)):
                if rest[column] and (row := self._enter(rest, column)):
                    waiting.append(self._multiple(row, self._modulus // row[column]))
        return self.size > before

    def basis(self) -> Basis:
        done: dict[int, list[int]] = {}
        for column in sorted(self._rows, reverse=True):
            row = self._rows[column]
            for other in sorted(done):
                row = self._minus(row, row[other] // done[other][other], done[other])
            done[column] = row
        return tuple(tuple(done[column]) for column in sorted(done))

    def _enter(self, rest: list[int], column: int) -> list[int] | None:
        """Clears, in place, the first entry of a vector, which is in this column.

        Returns the new row that begins there, or None if the old one stays.
        """
        row = self._rows.get(column)
        entry = rest[column]
        if row is None:
            row = self._multiple(rest, _unit(entry, self._modulus))
            rest[:] = [0] * len(rest)
        elif entry % row[column] == 0:
            rest[:] = self._minus(rest, entry // row[column], row)
            return None
        else:
            row, rest[:] = self._exchanged(row, rest, column)
        self._rows[column] = row
        return row

    def _exchanged(
        self, row: list[int], rest: list[int], column: int
    ) -> tuple[list[int], list[int]]:
        """Two vectors with the same span, of which the first begins with the common divisor of
        both, and the second has 0 there: they are multiplied with a matrix of determinant 1."""
        x, y = row[column], rest[column]
        common = gcd(x, y)
        t = pow(y // common, -1, x // common)
        s = (common - t * y) // x
        first = [(s * a + t * b) % self._modulus for a, b in zip(row, rest, strict=True)]
        second = self._minus(self._multiple(rest, x // common), y // common, row)
        return first, second

    def _multiple(self, vector: Sequence[int], factor: int) -> list[int]:
        return [factor * entry % self._modulus for entry in vector]

    def _minus(self, vector: Sequence[int], factor: int, row: Sequence[int]) -> list[int]:
        return [(x - factor * y) % self._modulus for x, y in zip(vector, row, strict=True)]


def _unit(entry: int, modulus: int) -> int:
    """An invertible number whose product with an entry is the common divisor of the entry and the
    modulus."""
    common = gcd(entry, modulus)
    rest = modulus // common
    inverse = pow(entry // common, -1, rest)
    return next(unit for unit in range(inverse, modulus, rest) if gcd(unit, modulus) == 1)
