"""Class files made byte by byte, to be as wrong as a test wants them."""

from __future__ import annotations

import struct
from collections.abc import Sequence


def u1(number: int) -> bytes:
    return bytes([number])


def u2(number: int) -> bytes:
    return struct.pack(">H", number)


def u4(number: int) -> bytes:
    return struct.pack(">I", number)


class ClassBytes:
    """A class in the making: constants are numbered as they come, all else is added as bytes."""

    def __init__(self, name: str = "C", superclass: str | None = "java/lang/Object") -> None:
        self.constants: list[bytes] = [b""]
        self._numbers: dict[bytes, int] = {}
        self.name, self.superclass = name, superclass
        self.major, self.flags = 61, 0x21
        self.interfaces: list[int] = []
        self.fields: list[bytes] = []
        self.methods: list[bytes] = []
        self.attributes: list[bytes] = []

    def add(self, tag: int, content: bytes) -> int:
        """The number of a constant, which is new if there is none like it."""
        data = u1(tag) + content
        if data not in self._numbers:
            self._numbers[data] = len(self.constants)
            self.constants += [data, b""] if tag in (5, 6) else [data]
        return self._numbers[data]

    def text(self, text: str | bytes) -> int:
        data = text if isinstance(text, bytes) else text.encode("utf-8")
        return self.add(1, u2(len(data)) + data)

    def type(self, name: str) -> int:
        return self.add(7, u2(self.text(name)))

    def pair(self, name: str, descriptor: str) -> int:
        return self.add(12, u2(self.text(name)) + u2(self.text(descriptor)))

    def field_ref(self, owner: str, name: str, descriptor: str) -> int:
        return self.add(9, u2(self.type(owner)) + u2(self.pair(name, descriptor)))

    def method_ref(self, owner: str, name: str, descriptor: str, tag: int = 10) -> int:
        return self.add(tag, u2(self.type(owner)) + u2(self.pair(name, descriptor)))

    def handle(self, kind: int, target: int) -> int:
        return self.add(15, u1(kind) + u2(target))

    def dynamic(self, bootstrap: int, name: str, descriptor: str, tag: int = 17) -> int:
        return self.add(tag, u2(bootstrap) + u2(self.pair(name, descriptor)))

    def attribute(self, name: str, content: bytes) -> bytes:
        return u2(self.text(name)) + u4(len(content)) + content

    def field(self, flags: int, name: str, descriptor: str, *attributes: bytes) -> None:
        self.fields.append(self._member(flags, name, descriptor, attributes))

    def method(self, flags: int, name: str, descriptor: str, *attributes: bytes) -> None:
        self.methods.append(self._member(flags, name, descriptor, attributes))

    def code(
        self,
        code: bytes,
        handlers: Sequence[tuple[int, int, int, int]] = (),
        attributes: Sequence[bytes] = (),
        most_locals: int = 9,
    ) -> bytes:
        """The attribute with this code."""
        content = u2(9) + u2(most_locals) + u4(len(code)) + code + u2(len(handlers))
        content += b"".join(struct.pack(">HHHH", *each) for each in handlers)
        return self.attribute("Code", content + u2(len(attributes)) + b"".join(attributes))

    def static(self, code: bytes, name: str = "m") -> None:
        """A method `static void m()` with this code."""
        self.method(0x0008, name, "()V", self.code(code))

    def bootstraps(self, *methods: tuple[int, Sequence[int]]) -> None:
        content = u2(len(methods))
        for handle, arguments in methods:
            content += u2(handle) + u2(len(arguments)) + b"".join(map(u2, arguments))
        self.attributes.append(self.attribute("BootstrapMethods", content))

    def build(self) -> bytes:
        this = self.type(self.name)
        above = self.type(self.superclass) if self.superclass else 0
        parts = [b"\xca\xfe\xba\xbe", u2(0), u2(self.major)]
        parts += [u2(len(self.constants)), *self.constants, u2(self.flags), u2(this), u2(above)]
        parts += [u2(len(self.interfaces)), *map(u2, self.interfaces)]
        for several in (self.fields, self.methods, self.attributes):
            parts += [u2(len(several)), *several]
        return b"".join(parts)

    def _member(self, flags: int, name: str, descriptor: str, attributes: Sequence[bytes]) -> bytes:
        start = u2(flags) + u2(self.text(name)) + u2(self.text(descriptor))
        return start + u2(len(attributes)) + b"".join(attributes)
