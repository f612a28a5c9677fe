"""Code: what catches exceptions, lines, names of local variables, and wrong tables."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pytest

from support.class_bytes import ClassBytes, u2, u4
from support.java import compiled
from tepui.languages.java.byte_reader import ClassFileError
from tepui.languages.java.classfile import read_class
from tepui.languages.java.code import Code, Handler, LineNumber, LocalVariable

TEXT = """
class Lines {
    static int caught(int first) {
        try {
            long second = first / 2;
            return (int) second;
        } catch (ArithmeticException trouble) {
            int third = 3;
            return third;
        } finally {
            first++;
        }
    }
}
"""

CODE = b"\x00\x10\x07\x00\xb1"
"""Instructions at 0, 1, 3 and 4."""


def test_lines_and_variables_as_javac_writes_them() -> None:
    code = _of_text()
    assert code.line_at(0) == 5
    assert code.line_at(code.instructions[-1].pc) == 12
    (divided,) = [each.pc for each in code.instructions if each.name == "idiv"]
    assert code.line_at(divided) == 5
    assert {each.name for each in code.local_variables} == {"first", "second", "trouble", "third"}
    store = next(each for each in code.instructions if each.name == "lstore_1")
    assert code.local_at(1, store.pc) is None
    named = code.local_at(1, code.instructions[code.positions[store.pc] + 1].pc)
    assert named
    assert (named.name, named.descriptor) == ("second", "J")
    zero = code.local_at(0, 0)
    assert zero
    assert zero.name == "first"
    assert code.local_at(77, 0) is None


def test_handlers_as_javac_writes_them() -> None:
    code = _of_text()
    assert code.handlers[0].type == "java/lang/ArithmeticException"
    assert {each.type for each in code.handlers[1:]} == {None}
    assert all(each.handler in code.positions for each in code.handlers)


def test_positions_are_those_of_instructions() -> None:
    code = _code()
    assert code.positions == {0: 0, 1: 1, 3: 2, 4: 3}
    assert (code.max_stack, code.max_locals) == (9, 9)


def test_tables() -> None:
    made = ClassBytes()
    names = struct.pack(">HHHHH", 1, 4, made.text("x"), made.text("I"), 2)
    attributes = [
        made.attribute("LineNumberTable", u2(2) + struct.pack(">HHHH", 3, 8, 0, 7)),
        made.attribute("Unknown", b"any"),
        made.attribute("LineNumberTable", u2(2) + struct.pack(">HHHH", 1, 9, 3, 1)),
        made.attribute("LocalVariableTable", u2(1) + names),
    ]
    handlers = [(0, 5, 4, 0), (1, 3, 0, made.type("T"))]
    code = _code(handlers, attributes, made)
    assert code.handlers == (Handler(0, 5, 4, None), Handler(1, 3, 0, "T"))
    lines = (LineNumber(3, 8), LineNumber(0, 7), LineNumber(1, 9), LineNumber(3, 1))
    assert code.line_numbers == lines
    assert [code.line_at(pc) for pc in range(5)] == [7, 9, 9, 8, 8]
    variable = LocalVariable(1, 5, "x", "I", 2)
    assert code.local_variables == (variable,)
    assert [code.local_at(2, pc) for pc in (0, 1, 4, 5)] == [None, variable, variable, None]


def test_code_without_tables_has_no_lines() -> None:
    code = _of_text("-g:none")
    assert code.line_at(0) is None
    assert code.line_numbers == ()
    assert code.local_variables == ()


HANDLERS = {
    (0, 2, 0): "no instructions stand from 0 to 2 for a handler",
    (2, 3, 0): "no instructions stand from 2 to 3 for a handler",
    (3, 3, 0): "no instructions stand from 3 to 3 for a handler",
    (3, 1, 0): "no instructions stand from 3 to 1 for a handler",
    (0, 6, 0): "no instructions stand from 0 to 6 for a handler",
    (5, 5, 0): "no instructions stand from 5 to 5 for a handler",
    (0, 5, 2): "a handler is at 2, where no instruction begins",
    (0, 5, 5): "a handler is at 5, where no instruction begins",
}


@pytest.mark.parametrize("places", HANDLERS)
def test_handlers_that_lie_wrong(places: tuple[int, int, int]) -> None:
    with pytest.raises(ClassFileError, match=HANDLERS[places]):
        _code([(*places, 0)])
    made = ClassBytes()
    with pytest.raises(ClassFileError, match="is of the wrong kind here"):
        _code([(0, 5, 4, made.text("T"))], (), made)


def test_tables_that_are_wrong() -> None:
    made = ClassBytes()
    name, type_ = made.text("x"), made.text("I")
    wrong = {
        ("LineNumberTable", u2(1) + u2(5) + u2(9)): "line 9 begins at 5, after the code",
        ("LineNumberTable", u2(2) + u4(0)): "there are 2 elements here, but 4 bytes left",
        ("LineNumberTable", u2(0) + u2(0)): "expected the end of the attribute LineNumberTable",
        ("LocalVariableTable", u2(1) + struct.pack(">HHHHH", 1, 5, name, type_, 0)): (
            "a variable lives from 1 to 6, after the code"
        ),
        ("LocalVariableTable", u2(1) + struct.pack(">HHHHH", 0, 5, name, name, 0)): (
            "'x' is no descriptor of a field"
        ),
        ("LocalVariableTable", u2(1) + struct.pack(">HHHHH", 0, 5, 0, type_, 0)): (
            "constant 0, which is unused, is of the wrong kind here"
        ),
    }
    for (table, content), message in wrong.items():
        with pytest.raises(ClassFileError, match=message):
            _code((), [made.attribute(table, content)], made)


@pytest.mark.parametrize("size", [0, 65536])
def test_code_has_a_size(size: int) -> None:
    made = ClassBytes()
    made.static(bytes(size))
    read = read_class(made.build(), "C")
    with pytest.raises(ClassFileError, match=f"the code of a method cannot have {size} bytes"):
        _ = read.methods[0].code
    made = ClassBytes()
    made.static(bytes(65535))
    code = read_class(made.build(), "C").methods[0].code
    assert code
    assert len(code.instructions) == 65535


def test_more_bytes_after_the_code() -> None:
    made = ClassBytes()
    content = u2(1) + u2(1) + u4(1) + b"\xb1" + u2(0) + u2(0) + b"\0"
    made.method(0, "m", "()V", made.attribute("Code", content))
    with pytest.raises(ClassFileError, match="expected the end of the code, found more bytes"):
        read_class(made.build(), "C").read_all()


def _of_text(*options: str) -> Code:
    code = read_class(compiled(TEXT, *options)["Lines"], "Lines").methods[1].code
    assert code
    return code


def _code(
    handlers: Sequence[tuple[int, int, int, int]] = (),
    attributes: Sequence[bytes] = (),
    made: ClassBytes | None = None,
) -> Code:
    made = made or ClassBytes()
    made.methods.clear()
    made.method(0, "m", "()V", made.code(CODE, handlers, attributes))
    code = read_class(made.build(), "C").methods[0].code
    assert code
    return code
