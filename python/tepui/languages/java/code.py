"""The code of a method: its instructions, what catches exceptions, and its names for debuggers.

This is the Code attribute (JVMS 4.7.3), without the frames that only the verifier of the JVM reads.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from tepui.languages.java.byte_reader import ByteReader
from tepui.languages.java.constant_pool import ConstantPool
from tepui.languages.java.instructions import Instruction, decode
from tepui.records import record


@record
class Handler:
    """What catches exceptions between two places, the second not included; earlier ones in the
    list go first."""

    start: int
    end: int
    handler: int
    type: str | None
    """The class of the exceptions; None is any."""


@record
class LineNumber:
    """From this place on, instructions belong to this line."""

    pc: int
    line: int


@record
class LocalVariable:
    """The name of a local variable between two places, the second not included.

    The scope of a variable begins after the instruction that gives it its first value.
    """

    start: int
    end: int
    name: str
    descriptor: str
    index: int


@record
class Code:
    """What a method does."""

    max_stack: int
    max_locals: int
    instructions: tuple[Instruction, ...]
    handlers: tuple[Handler, ...]
    line_numbers: tuple[LineNumber, ...]
    local_variables: tuple[LocalVariable, ...]

    @cached_property
    def positions(self) -> dict[int, int]:
        """Where in `instructions` the one at a place is."""
        return {each.pc: index for index, each in enumerate(self.instructions)}

    def line_at(self, pc: int) -> int | None:
        """The line of the source to which a place belongs."""
        index = bisect_right(self._line_starts, pc)
        return self._lines[index - 1][1] if index else None

    def local_at(self, index: int, pc: int) -> LocalVariable | None:
        """The variable of the source that lies there, at a place in the code."""
        for each in self.local_variables:
            if each.index == index and each.start <= pc < each.end:
                return each
        return None

    @cached_property
    def _lines(self) -> list[tuple[int, int]]:
        """Places and lines in the order of places, where the first line for a place counts."""
        lines: dict[int, int] = {}
        for each in self.line_numbers:
            lines.setdefault(each.pc, each.line)
        return sorted(lines.items())

    @cached_property
    def _line_starts(self) -> list[int]:
        return [pc for pc, _ in self._lines]


def read_code(reader: ByteReader, pool: ConstantPool) -> Code:
    """The code of a method, from the content of its attribute."""
    max_stack, max_locals, at = reader.u2(), reader.u2(), reader.at
    length = reader.u4()
    if not 0 < length <= _MOST_BYTES:
        raise reader.error(at, f"the code of a method cannot have {length} bytes")
    instructions = decode(reader.part(length), pool, max_locals)
    places = {each.pc for each in instructions}
    handlers = tuple([_handler(reader, pool, places, length) for _ in range(reader.count(8))])
    lines: list[LineNumber] = []
    variables: list[LocalVariable] = []
    for _ in range(reader.count(6)):
        name = pool.text(reader.u2(), reader.at)
        inside = reader.part(reader.u4())
        if name == "LineNumberTable":
            lines += [_line_number(inside, length) for _ in range(inside.count(4))]
        elif name == "LocalVariableTable":
            variables += [_variable(inside, pool, length) for _ in range(inside.count(10))]
        else:
            continue
        inside.expect_end(f"the attribute {name}")
    reader.expect_end("the code")
    return Code(max_stack, max_locals, instructions, handlers, tuple(lines), tuple(variables))


_MOST_BYTES = 65535
"""The code of a method has no more (JVMS 4.7.3)."""


def _handler(reader: ByteReader, pool: ConstantPool, places: set[int], length: int) -> Handler:
    at = reader.at
    start, end, handler = reader.u2(), reader.u2(), reader.u2()
    if start not in places or (end not in places and end != length) or start >= end:
        raise reader.error(at, f"no instructions stand from {start} to {end} for a handler")
    if handler not in places:
        raise reader.error(at, f"a handler is at {handler}, where no instruction begins")
    return Handler(start, end, handler, pool.optional_class_name(reader.u2(), at))


def _line_number(reader: ByteReader, length: int) -> LineNumber:
    at = reader.at
    pc, line = reader.u2(), reader.u2()
    if pc >= length:
        raise reader.error(at, f"line {line} begins at {pc}, after the code")
    return LineNumber(pc, line)


def _variable(reader: ByteReader, pool: ConstantPool, length: int) -> LocalVariable:
    at = reader.at
    start, size = reader.u2(), reader.u2()
    name, descriptor = pool.text(reader.u2(), at), pool.text(reader.u2(), at)
    if start + size > length:
        raise reader.error(at, f"a variable lives from {start} to {start + size}, after the code")
    pool.check_field(name, descriptor, at)
    return LocalVariable(start, start + size, name, descriptor, reader.u2())
