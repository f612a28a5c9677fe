"""States in few bits are the same states."""

from __future__ import annotations

from random import Random

import pytest

from tepui.checker.packed_rows import PackedRows, fixed_rows, met, packed, tightly_packed

ROWS = [(5, 0, 53), (0, 0, 257), (1, 0, 0)]


def test_entries_follow_each_other_from_the_lowest_bit_on() -> None:
    rows = tightly_packed(ROWS, 3)
    assert rows.bits == (3, 0, 9)
    assert rows.data == bytes([0b1010_1101, 1, 0b0000_1000, 8, 1, 0])


@pytest.mark.parametrize("pack", [packed, tightly_packed])
def test_packed_rows_are_a_sequence_of_the_same_rows(pack: object) -> None:
    assert callable(pack)
    rows = pack(ROWS, 3)
    assert isinstance(rows, PackedRows)
    assert rows == ROWS
    assert rows == tuple(ROWS)
    assert rows != ROWS[:2]
    assert rows != [*ROWS[:2], (1, 0, 1)]
    assert (rows[1], rows[-1], rows[1:]) == (ROWS[1], ROWS[2], ROWS[1:])
    assert hash(rows) == hash(tuple(ROWS))
    with pytest.raises(IndexError):
        rows[3]


def test_random_rows_are_the_same_when_they_are_packed() -> None:
    rng = Random(1)
    for _ in range(200):
        width = rng.randint(1, 6)
        most = [2 ** rng.randint(0, 32) for _ in range(width)]
        rows = [tuple(map(rng.randrange, most)) for _ in range(rng.randint(1, 30))]
        assert tightly_packed(rows, width) == packed(rows, width) == rows


def test_what_is_no_row_is_not_packed() -> None:
    with pytest.raises(ValueError, match="entries"):
        packed([(1, 2), (1,)], 2)
    for number in (-1, 2**32):
        with pytest.raises(OverflowError):
            packed([(1, number)], 2)


def test_no_rows_can_be_packed() -> None:
    assert list(packed([], 3)) == list(tightly_packed([], 3)) == []


@pytest.mark.parametrize(
    ("length", "bits", "data"),
    [(2, [8], b"1"), (-1, [8], b""), (1, [33], b"12345"), (7, [0, 0], b""), (1, [], b"")],
)
def test_rows_of_another_length_than_they_say_are_refused(
    length: int, bits: list[int], data: bytes
) -> None:
    with pytest.raises(ValueError, match=r"bits|bytes"):
        PackedRows(length, bits, data)


def test_first_entries_may_stand_for_other_numbers() -> None:
    rows = PackedRows(2, [4, 4], bytes([0x21, 0x30]), [70, 80])
    assert rows == [(80, 2), (70, 3)]
    assert met(rows, 1) == met(list(rows), 1) == {(80, 2), (70, 3)}
    assert fixed_rows(rows) is rows


def test_a_damaged_row_points_outside_of_all_tables() -> None:
    assert PackedRows(1, [4, 4], b"\x22", [70, 80])[0] == (-1, 2)
    assert PackedRows(1, [4], b"\x12")[0] == (-1,)
