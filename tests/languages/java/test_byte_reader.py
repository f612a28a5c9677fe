"""Bytes in sequence: numbers, parts, and ends that come too early."""

from __future__ import annotations

import pytest

from tepui.languages.java.byte_reader import ByteReader, ClassFileError, short


def test_numbers_begin_with_their_most_significant_byte() -> None:
    reader = ByteReader(bytes(range(1, 8)), "x")
    assert (reader.u1(), reader.u2(), reader.u4()) == (1, 0x0203, 0x04050607)
    reader.expect_end("it")


def test_a_part_ends_before_the_file_does() -> None:
    reader = ByteReader(bytes(range(6)), "x")
    reader.u1()
    part = reader.part(2)
    again = part.again()
    assert part.u2() == again.u2() == 0x0102
    with pytest.raises(ClassFileError, match=r"^x: byte 0x3: expected 1 byte, found 0 bytes$"):
        part.u1()
    assert reader.u1() == 3
    with pytest.raises(ClassFileError, match=r"^x: byte 0x4: expected the end of it, found more"):
        reader.expect_end("it")
    with pytest.raises(ClassFileError, match=r"^x: byte 0x4: expected 4 bytes, found 2 bytes$"):
        reader.u4()
    with pytest.raises(ClassFileError, match="expected 3 bytes, found 2 bytes"):
        reader.part(3)


def test_a_count_needs_as_many_elements() -> None:
    assert ByteReader(b"\0\2abcd", "x").count(2) == 2
    with pytest.raises(ClassFileError, match=r"byte 0x0: there are 2 elements here, but 3 bytes"):
        ByteReader(b"\0\2abc", "x").count(2)


def test_long_names_do_not_fill_messages() -> None:
    assert short("a" * 100) == "a" * 100
    assert short("a" * 101) == "a" * 100 + "…"
