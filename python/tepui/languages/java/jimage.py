"""The file `lib/modules` of a JDK, which holds its classes (OpenJDK: imageFile.hpp).

It is a perfect hash table: looking up a name takes two hashes and no list of all names, so that
opening the file, which is mapped and not read, is nearly free. A header has the sizes of four
parts: a number for each slot that finds the right hash, the place of the entry of each slot,
entries, and strings. An entry is a list of attributes: where its four parts of a name are among the
strings, where its content is, and how long. Content may be compressed; that by zip is read, the
other kind, which shares strings between classes, is refused.
"""

from __future__ import annotations

import mmap
from struct import Struct

from tepui.errors import AT_LIMIT, InputError
from tepui.languages.source import file_error

MAX_BYTES = 64 * 2**20
"""The largest content that is read."""


class JImage:
    """An open file of modules."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._data = _mapped(path)
        self._order = "<" if self._data[:4] == _MAGIC[::-1] else ">"
        header = Struct(f"{self._order}IIIIIII")
        if len(self._data) < header.size or self._data[:4] not in (_MAGIC, _MAGIC[::-1]):
            raise self._error("this is no file of Java modules")
        _, version, _, _, self._length, locations, strings = header.unpack_from(self._data)
        if version != _VERSION:
            raise self._error(f"version {version >> 16}.{version & 0xFFFF} is not known")
        self._redirects = header.size
        self._offsets = self._redirects + 4 * self._length
        self._locations = self._offsets + 4 * self._length
        self._strings = self._locations + locations
        self._contents = self._strings + strings
        if self._contents > len(self._data):
            raise self._error("the file ends within its table of names")
        self._modules: dict[str, tuple[str, ...]] = {}

    def find(self, resource: str) -> bytes | None:
        """The content with a name such as `/java.base/java/util/Vector.class`."""
        name = resource.encode("utf-8", "surrogatepass")
        entry = self._entry(name)
        return None if entry is None or self._name(entry) != name else self._content(entry)

    def modules_of(self, package: str) -> tuple[str, ...]:
        """The modules that have classes in a package, such as `java/util`."""
        if package not in self._modules:
            self._modules[package] = tuple(self._read_modules(package.replace("/", ".")))
        return self._modules[package]

    def _read_modules(self, package: str) -> list[str]:
        """The content is pairs of numbers: whether the package is empty there, and the module."""
        content = self.find(f"/packages/{package}") or b""
        if len(content) % 8:
            raise self._error(f"the list of modules of {package} is cut off")
        pairs = Struct(f"{self._order}II").iter_unpack(content)
        return [
            self._string(module).decode("utf-8", "replace") for empty, module in pairs if not empty
        ]

    def _entry(self, name: bytes) -> dict[int, int] | None:
        """The attributes of the only entry that can have this name."""
        if not self._length:
            return None
        redirect = self._number("i", self._redirects + 4 * (_hash(name) % self._length))
        if not redirect:
            return None
        slot = -1 - redirect if redirect < 0 else _hash(name, redirect) % self._length
        if slot >= self._length:
            raise self._error("the table of names is damaged")
        return self._attributes(self._locations + self._number("I", self._offsets + 4 * slot))

    def _attributes(self, at: int) -> dict[int, int]:
        """Attributes are bytes with kind and length, each followed by a number."""
        found: dict[int, int] = {}
        while at < self._strings:
            kind, length = self._data[at] >> 3, (self._data[at] & 7) + 1
            if kind == _END:
                return found
            found[kind] = int.from_bytes(self._data[at + 1 : at + 1 + length], "big")
            at += 1 + length
        raise self._error("the table of names is damaged")

    def _name(self, entry: dict[int, int]) -> bytes:
        """The name of an entry: `/module/parent/base.extension`, where parts may be missing."""
        module, parent, base, extension = [self._string(entry.get(kind, 0)) for kind in _NAME_PARTS]
        name = b"/" + module + b"/" if module else b""
        name += parent + b"/" if parent else b""
        return name + base + (b"." + extension if extension else b"")

    def _string(self, offset: int) -> bytes:
        start = self._strings + offset
        end = self._data.find(b"\0", start, self._contents)
        if end < 0:
            raise self._error("a name is damaged")
        return self._data[start:end]

    def _content(self, entry: dict[int, int]) -> bytes:
        start = self._contents + entry.get(_OFFSET, 0)
        compressed, length = entry.get(_COMPRESSED, 0), entry.get(_LENGTH, 0)
        stored = compressed or length
        if start + stored > len(self._data):
            raise self._error("the file ends within a content")
        if max(stored, length) > MAX_BYTES:
            raise self._error(f"a content is larger than {MAX_BYTES // 2**20} MB")
        content = self._data[start : start + stored]
        return self._expanded(content, length) if compressed else content

    def _expanded(self, content: bytes, length: int) -> bytes:
        """Undo compressions, each of which has put a header before the content."""
        header = Struct(f"{self._order}IQQIIB")
        for _ in range(_MOST_COMPRESSIONS):
            if len(content) < header.size:
                break
            magic, size, expanded, method, _, _ = header.unpack_from(content)
            if magic != _COMPRESSED_MAGIC:
                break
            if self._string(method) != b"zip":
                name = self._string(method).decode("utf-8", "replace")
                raise self._error(
                    f"its contents are compressed by '{name}', which is not supported"
                )
            content = self._unzipped(content[header.size : header.size + size], expanded)
        if len(content) != length:
            raise self._error("a compressed content is damaged")
        return content

    def _unzipped(self, content: bytes, length: int) -> bytes:
        import zlib

        try:
            return zlib.decompressobj().decompress(content, min(length, MAX_BYTES) or 1)
        except zlib.error:
            raise self._error("a compressed content is damaged") from None

    def _number(self, form: str, at: int) -> int:
        number: int = Struct(self._order + form).unpack_from(self._data, at)[0]
        return number

    def _error(self, message: str) -> InputError:
        return file_error(self.path, message)


_MAGIC = b"\xca\xfe\xda\xda"
_VERSION = 1 << 16
_COMPRESSED_MAGIC = 0xCAFEFAFA
_MOST_COMPRESSIONS = 4

_END, _OFFSET, _COMPRESSED, _LENGTH = 0, 5, 6, 7
_NAME_PARTS = (1, 2, 3, 4)
"""The kinds of attributes: the module, the folder, the name and its suffix come first."""

_MULTIPLIER = 0x01000193


def _hash(name: bytes, seed: int = _MULTIPLIER) -> int:
    for byte in name:
        seed = (seed * _MULTIPLIER & 0xFFFFFFFF) ^ byte
    return seed & 0x7FFFFFFF


def _mapped(path: str) -> mmap.mmap:
    try:
        with open(path, "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except AT_LIMIT:
        raise
    except (OSError, ValueError) as trouble:
        raise file_error(path, f"the file cannot be read: {trouble}") from None
