"""States of certificates in few bits: a sequence of tuples that takes some bytes for each.

Every row takes the same number of bytes. Its entries follow each other from the lowest bit on, and
each column has a number of bits. Rows are untrusted, as certificates are. A row that is damaged (it
begins with a number that stands for nothing, or is followed by bits that mean nothing) reads as one
that points outside all tables.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import overload

Row = tuple[int, ...]

MOST_BITS = 32
"""No entry has more."""


class PackedRows(Sequence[Row]):
    """Packed rows, which are equal to a list or a tuple of the same rows."""

    __slots__ = ("bits", "data", "first", "length")

    def __init__(
        self, length: int, bits: Sequence[int], data: bytes, first: Sequence[int] | None = None
    ) -> None:
        """`bits` are those of each entry of a row. If the first entries of rows stand for other
        numbers, `first` are these."""
        self.length = length
        self.bits = tuple(bits)
        self.data = data
        self.first = None if first is None else tuple(first)
        if not self.bits or not all(0 <= bits <= MOST_BITS for bits in self.bits):
            raise ValueError(f"an entry of a row has 0 to {MOST_BITS} bits")
        if not self.bytes_per_row and length > 1:
            raise ValueError("rows without bits are all the same")
        if length < 0 or length * self.bytes_per_row != len(data):
            raise ValueError(
                f"{length} rows of {self.bytes_per_row} bytes are not {len(data)} bytes"
            )

    @property
    def bytes_per_row(self) -> int:
        return -(-sum(self.bits) // 8)

    def met(self, place: int) -> set[tuple[int, int]]:
        """The first entries of rows, each with the entry at a place."""
        return {(row[0], row[place]) for row in self if len(row) > place}

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        numbers = range(self.length)[index]
        return self._row(numbers) if isinstance(numbers, int) else list(map(self._row, numbers))

    def __iter__(self) -> Iterator[Row]:
        return map(self._row, range(self.length))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PackedRows | list | tuple):
            return NotImplemented
        return len(self) == len(other) and all(map(tuple.__eq__, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def _row(self, number: int) -> Row:
        size = self.bytes_per_row
        left = int.from_bytes(self.data[number * size : (number + 1) * size], "little")
        row = []
        for bits in self.bits:
            row.append(left & ((1 << bits) - 1))
            left >>= bits
        if self.first is not None:
            row[0] = self.first[row[0]] if row[0] < len(self.first) else -1
        return (-1,) * len(row) if left else tuple(row)


def met(rows: Sequence[Row], place: int) -> set[tuple[int, int]]:
    """The first entries of rows, each with the entry at a place, if they have one."""
    if isinstance(rows, PackedRows):
        return rows.met(place)
    return {(row[0], row[place]) for row in rows if len(row) > place}


def fixed_rows(rows: Sequence[Row]) -> Sequence[Row]:
    """The same rows, made once."""
    return rows if isinstance(rows, PackedRows) else tuple(rows)


def packed(rows: Sequence[Row], width: int) -> PackedRows:
    """The same rows, packed without looking for the fewest bits; a ValueError if their widths are
    others, an OverflowError if a number is negative or too large."""
    if isinstance(rows, PackedRows):
        return rows
    if any(len(row) != width for row in rows):
        raise ValueError(f"some rows do not have {width} entries")
    entries = array("I", chain.from_iterable(rows))
    if entries.itemsize * 8 != MOST_BITS:
        raise OverflowError("numbers have another size here")
    if sys.byteorder == "big":
        entries.byteswap()
    return PackedRows(len(rows), (MOST_BITS,) * width, entries.tobytes())


def tightly_packed(rows: Sequence[Row], width: int) -> PackedRows:
    """The same rows in as few bits as possible, unless they are packed already."""
    wide = packed(rows, width)
    if wide is rows:
        return wide
    bits = [max(map(int.bit_length, column)) for column in zip(*rows, strict=True)] or [0] * width
    bits[0] = max(1, bits[0])  # Rows take some bytes.
    size = -(-sum(bits) // 8)
    return PackedRows(len(rows), bits, b"".join(_bytes(row, bits, size) for row in rows))


def _bytes(row: Iterable[int], bits: Sequence[int], size: int) -> bytes:
    number = shift = 0
    for entry, width in zip(row, bits, strict=True):
        number |= entry << shift
        shift += width
    return number.to_bytes(size, "little")
