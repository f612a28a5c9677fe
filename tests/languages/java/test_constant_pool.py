"""Constants: texts as class files have them, references between constants, and wrong ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.class_bytes import ClassBytes, u1, u2, u4
from tepui.languages.java.byte_reader import ByteReader, ClassFileError
from tepui.languages.java.classfile import read_class
from tepui.languages.java.constant_pool import ConstantPool, modified_utf8
from tepui.languages.java.constants import (
    Constant,
    Dynamic,
    FieldRef,
    IntConstant,
    LongConstant,
    MethodHandle,
    MethodRef,
    MethodType,
    StringConstant,
)


def _encoded(text: str) -> bytes:
    """Modified UTF-8 by its definition (JVMS 4.4.7), one UTF-16 unit after another."""
    done = b""
    units = text.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        unit = high << 8 | low
        if 0 < unit < 0x80:
            done += bytes([unit])
        elif unit < 0x800:
            done += bytes([0xC0 | unit >> 6, 0x80 | unit & 0x3F])
        else:
            done += bytes([0xE0 | unit >> 12, 0x80 | unit >> 6 & 0x3F, 0x80 | unit & 0x3F])
    return done


@given(st.text(st.characters(exclude_categories=())))
def test_texts_come_back(text: str) -> None:
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    assert modified_utf8(_encoded(text)) == joined


@given(st.binary(max_size=6))
def test_any_bytes_are_a_text_that_is_written_like_this_or_none(data: bytes) -> None:
    try:
        text = modified_utf8(data)
    except ValueError:
        return
    assert _encoded(text) == data


TEXTS = {
    b"": "",
    b"abc": "abc",
    b"a\xc0\x80b": "a\0b",
    b"\xed\xa0\xbd\xed\xb8\x80": "\U0001f600",
    b"\xed\xa0\xbd": "\ud83d",
    b"\xed\xb8\x80\xed\xa0\xbd": "\ude00\ud83d",
}


@pytest.mark.parametrize("data", TEXTS)
def test_texts(data: bytes) -> None:
    assert modified_utf8(data) == TEXTS[data]


@pytest.mark.parametrize(
    "data",
    [
        b"a\0",
        b"\xc3\xa9\0",
        b"\xf0\x9f\x98\x80",
        b"\xc1\x81",
        b"\xe0\x80\x80",
        b"\xc3",
        b"\x80",
        b"\xff",
    ],
)
def test_what_is_no_text(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"^|codec"):
        modified_utf8(data)
    made = ClassBytes()
    made.text(data)
    with pytest.raises(ClassFileError, match="this is no text in modified UTF-8"):
        read_class(made.build(), "C").read_all()


def test_a_constant_knows_all_that_it_refers_to() -> None:
    made = ClassBytes()
    field, method = made.field_ref("A", "f", "I"), made.method_ref("A", "m", "()V")
    of_interface = made.method_ref("A", "m", "()V", 11)
    made.bootstraps((made.handle(6, method), ()))
    of_field, wide = FieldRef("A", "f", "I"), made.add(5, b"\xff" * 8)
    expected = {
        field: of_field,
        method: MethodRef("A", "m", "()V", False),
        of_interface: MethodRef("A", "m", "()V", True),
        made.handle(4, field): MethodHandle(4, of_field),
        made.handle(9, of_interface): MethodHandle(9, MethodRef("A", "m", "()V", True)),
        made.add(16, u2(made.text("(I)V"))): MethodType("(I)V"),
        made.add(3, b"\xff" * 4): IntConstant(-1),
        wide: LongConstant(-1),
        made.add(8, u2(made.text("s"))): StringConstant("s"),
        made.dynamic(0, "d", "I"): Dynamic(0, "d", "I"),
    }
    pool = _pool(made)
    assert {index: pool.constant(index, 0) for index in expected} == expected
    with pytest.raises(ClassFileError, match="which is unused, is of the wrong kind"):
        pool.constant(wide + 1, 0)
    assert pool.constant(field, 0) is pool.constant(field, 0)


def _wrong(made: ClassBytes) -> dict[int, str]:
    """Constants with one thing wrong, and what is said about each."""
    field, method = made.field_ref("A", "f", "I"), made.method_ref("A", "m", "()V")
    of_interface = made.method_ref("A", "m", "()V", 11)
    type_, text, last = made.type("A"), made.text("t"), 99
    pair, wrong_pair = made.pair("f", "I"), made.add(12, u2(type_) + u2(text))
    return {
        made.type("a.b"): "'a.b' is no name of a class",
        made.type("[Q"): r"'\[Q' is no name of a class",
        made.type(""): "'' is no name of a class",
        made.type("/" * 200): "'/{100}…' is no name of a class",
        made.field_ref("A", "f", "()V"): r"'\(\)V' is no descriptor of a field",
        made.field_ref("A", "a;b", "I"): "'a;b' is no name of a field",
        made.method_ref("A", "m", "I"): "'I' is no descriptor of a method",
        made.method_ref("A", "<m>", "()V"): "'<m>' is no name of a method",
        made.add(16, u2(text)): "'t' is no descriptor of a method",
        made.add(7, u2(last)): "there is no constant 99",
        made.add(7, u2(type_)): "which is a class, is of the wrong kind here",
        made.add(8, u2(0)): "constant 0, which is unused, is of the wrong kind",
        made.add(9, u2(text) + u2(pair)): "which is a text, is of the wrong kind here",
        made.add(9, u2(pair) + u2(pair)): "which is a name with a type, is of the wrong kind",
        made.add(10, u2(type_) + u2(type_)): "which is a class, is of the wrong kind here",
        made.add(9, u2(type_) + u2(wrong_pair)): "which is a class, is of the wrong kind here",
        made.handle(0, field): "a method handle of kind 0 cannot refer to this",
        made.handle(10, method): "a method handle of kind 10 cannot refer to this",
        made.handle(1, method): "a method handle of kind 1 cannot refer to this",
        made.handle(5, field): "a method handle of kind 5 cannot refer to this",
        made.handle(5, of_interface): "a method handle of kind 5 cannot refer to this",
        made.handle(9, method): "a method handle of kind 9 cannot refer to this",
        made.dynamic(0, "d", "I"): "there is no bootstrap method 0, the class has 0",
        made.dynamic(0, "d", "()V", 18): "there is no bootstrap method 0, the class has 0",
    }


def test_wrong_constants() -> None:
    made = ClassBytes()
    for index, message in _wrong(made).items():
        pool = _pool(made)
        with pytest.raises(ClassFileError, match=message):
            pool.constant(index, 0)
        with pytest.raises(ClassFileError, match=message):
            pool.of_kind(FieldRef, index, 0)


def test_an_index_beyond_the_last_constant_says_where_it_stands() -> None:
    pool = _pool(ClassBytes())
    with pytest.raises(ClassFileError, match=r"^C: byte 0x2a: there is no constant 77, the last"):
        pool.constant(77, 0x2A)
    with pytest.raises(ClassFileError, match=r"^C: byte 0x2a: there is no constant 77, the last"):
        pool.text(77, 0x2A)


CUT = {
    u2(2): "the file ends within its constants",
    u2(2) + b"\1\0\2a": "the constants end within one of them",
    u2(2) + b"\5" + bytes(7): "the constants end within one of them",
    u2(2) + b"\5" + bytes(8): "the constants end within one of them",
    u2(2) + b"\2\0\0": "there is no kind 2 of constants",
    u2(2) + b"\0\0\0": "there is no kind 0 of constants",
    u2(3) + b"\3" + u4(0) + b"\xff\0\0": "there is no kind 255 of constants",
}


@pytest.mark.parametrize("data", CUT, ids=bytes.hex)
def test_pools_that_are_cut_off(data: bytes) -> None:
    with pytest.raises(ClassFileError, match=CUT[data]):
        ConstantPool(ByteReader(data, "C"))


def test_the_index_after_the_last_constant_is_none() -> None:
    pool = _pool(ClassBytes())
    pool.constant(2, 0)
    with pytest.raises(ClassFileError, match="there is no constant 5, the last one is 4"):
        pool.constant(5, 0)


def test_kinds_that_say_nothing_about_code_are_skipped() -> None:
    made = ClassBytes()
    made.add(19, u2(made.text("some.module")))
    made.add(20, u2(made.text("some/package")))
    read_class(made.build(), "C").read_all()
    assert u1(19) in made.build()


def _pool(made: ClassBytes) -> ConstantPool:
    pool = ConstantPool(ByteReader(made.build()[8:], "C"))
    pool.bootstraps = len(made.attributes)
    return pool


def test_constants_of_other_types_are_different() -> None:
    constants: list[Constant] = [IntConstant(1), LongConstant(1)]
    assert constants[0] != constants[1]
