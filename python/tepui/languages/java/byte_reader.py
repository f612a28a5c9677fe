"""The bytes of a class file, read one after another, and the error that all its readers raise.

Class files are untrusted: every read looks whether there are enough bytes, and every error says at
which byte of the file it was noticed. Numbers begin with their most significant byte (JVMS 4.1).
"""

from __future__ import annotations

from struct import Struct

from tepui.errors import InputError


class ClassFileError(InputError):
    """A class file that cannot be read, and the byte where that was noticed."""


class ByteReader:
    """A part of a file that is read from its beginning to its end."""

    __slots__ = ("at", "data", "end", "name")

    def __init__(self, data: bytes, name: str, start: int = 0, end: int | None = None) -> None:
        self.data, self.name = data, name
        self.at, self.end = start, len(data) if end is None else end

    def u1(self) -> int:
        return self.data[self.skip(1)]

    def u2(self) -> int:
        number: int = _U2.unpack_from(self.data, self.skip(2))[0]
        return number

    def u4(self) -> int:
        number: int = _U4.unpack_from(self.data, self.skip(4))[0]
        return number

    def skip(self, count: int) -> int:
        """Go on by some bytes; the offset where they begin."""
        start = self.at
        if count > self.end - start:
            raise self.error(start, f"expected {_bytes(count)}, found {_bytes(self.end - start)}")
        self.at = start + count
        return start

    def part(self, length: int) -> ByteReader:
        """The next bytes, to be read by themselves."""
        start = self.skip(length)
        return ByteReader(self.data, self.name, start, start + length)

    def again(self) -> ByteReader:
        """The bytes that are left, to be read independently of this reader."""
        return ByteReader(self.data, self.name, self.at, self.end)

    def count(self, size: int) -> int:
        """A number of elements that follow, each of which takes at least `size` bytes."""
        start = self.at
        number = self.u2()
        if number * size > self.end - self.at:
            raise self.error(
                start, f"there are {number} elements here, but {_bytes(self.end - self.at)} left"
            )
        return number

    def expect_end(self, what: str) -> None:
        if self.at != self.end:
            raise self.error(self.at, f"expected the end of {what}, found more bytes")

    def error(self, offset: int, message: str) -> ClassFileError:
        """An error at a byte of the file."""
        return ClassFileError(self.name, 0, 0, f"byte {offset:#x}: {message}")


def short(text: str) -> str:
    """A name from a file for a message, which it must not fill."""
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


_MOST_SHOWN = 100

_U2, _U4 = Struct(">H"), Struct(">I")


def _bytes(count: int) -> str:
    return f"{count} byte{'' if count == 1 else 's'}"
