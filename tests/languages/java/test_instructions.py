"""Instructions: every kind of operand, jumps, switches, and bytes that are none."""

from __future__ import annotations

import random
import struct

import pytest

from support.class_bytes import ClassBytes, u1, u2, u4
from support.sizes import sized
from tepui.languages.java.byte_reader import ClassFileError
from tepui.languages.java.classfile import read_class
from tepui.languages.java.constants import (
    ClassRef,
    Dynamic,
    FieldRef,
    IntConstant,
    InvokeDynamic,
    LongConstant,
    MethodRef,
    StringConstant,
)
from tepui.languages.java.instructions import Increment, Instruction, NewArrays, Switch

NOP, RETURN, GOTO, WIDE = b"\x00", b"\xb1", b"\xa7", b"\xc4"


def test_operands_in_names() -> None:
    read = _decoded(b"\x02\x08\x0a\x0d\x0e\x1d\x4b\x01" + RETURN)
    assert [(each.name, each.operation, each.operand) for each in read] == [
        ("iconst_m1", "iconst", -1),
        ("iconst_5", "iconst", 5),
        ("lconst_1", "lconst", 1),
        ("fconst_2", "fconst", 2.0),
        ("dconst_0", "dconst", 0.0),
        ("iload_3", "iload", 3),
        ("astore_0", "astore", 0),
        ("aconst_null", "aconst", None),
        ("return", "return", None),
    ]
    assert [type(each.operand) for each in read[3:5]] == [float, float]
    others = _decoded(b"\x57\x5a\x9f\x00\x03" + RETURN)
    assert [each.operation for each in others] == ["pop", "dup_x1", "if_icmpeq", "return"]


def test_numbers_locals_and_increments() -> None:
    code = b"\x10\x80\x11\xff\x7f\x15\x08\x84\x01\xff\xbc\x0b" + RETURN
    assert _decoded(code) == (
        Instruction(0, "bipush", -128),
        Instruction(2, "sipush", -129),
        Instruction(5, "iload", 8),
        Instruction(7, "iinc", Increment(1, -1)),
        Instruction(10, "newarray", "J"),
        Instruction(12, "return", None),
    )


def test_types_of_elements() -> None:
    code = b"".join(b"\xbc" + u1(number) for number in range(4, 12)) + RETURN
    assert "".join(str(each.operand) for each in _decoded(code)[:-1]) == "ZCFDBSIJ"


def test_wide_is_a_part_of_the_instruction() -> None:
    code = WIDE + b"\x15\x01\x2c" + WIDE + b"\x84\x01\x2c\xfc\x18" + WIDE + b"\x37\x01\x2b" + RETURN
    assert _decoded(code, most_locals=301) == (
        Instruction(0, "iload", 300),
        Instruction(4, "iinc", Increment(300, -1000)),
        Instruction(10, "lstore", 299),
        Instruction(14, "return", None),
    )


def test_constants_as_operands() -> None:
    made = ClassBytes()
    made.bootstraps((made.handle(6, made.method_ref("B", "b", "()V")), ()))
    number, wide = made.add(3, u4(7)), made.add(5, u4(0) + u4(9))
    text, array = made.add(8, u2(made.text("t"))), made.type("[[I")
    field = made.field_ref("O", "f", "J")
    method, of_interface = (
        made.method_ref("[I", "clone", "()V"),
        made.method_ref("I", "m", "()V", 11),
    )
    code = b"\x12" + u1(number) + b"\x13" + u2(text) + b"\x14" + u2(wide) + b"\xb2" + u2(field)
    code += (
        b"\xb6" + u2(method) + b"\xb9" + u2(of_interface) + b"\x01\0" + b"\xb8" + u2(of_interface)
    )
    code += b"\xba" + u2(made.dynamic(0, "d", "()I", 18)) + b"\0\0"
    code += b"\x13" + u2(made.dynamic(0, "c", "I")) + b"\x14" + u2(made.dynamic(0, "c", "J"))
    code += b"\xc5" + u2(array) + b"\x02" + b"\xc0" + u2(array) + b"\xbb" + u2(made.type("O"))
    clone = MethodRef("[I", "clone", "()V", False)
    assert [each.operand for each in _decoded(code + RETURN, made)] == [
        IntConstant(7),
        StringConstant("t"),
        LongConstant(9),
        FieldRef("O", "f", "J"),
        clone,
        MethodRef("I", "m", "()V", True),
        MethodRef("I", "m", "()V", True),
        InvokeDynamic(0, "d", "()I"),
        Dynamic(0, "c", "I"),
        Dynamic(0, "c", "J"),
        NewArrays(ClassRef("[[I"), 2),
        ClassRef("[[I"),
        ClassRef("O"),
        None,
    ]


def test_targets_are_places_in_the_method() -> None:
    code = NOP + GOTO + b"\xff\xff" + b"\xc6\x00\x08" + b"\xc8\xff\xff\xff\xfa" + RETURN
    jumps = _decoded(code)[1:4]
    assert [(each.name, each.operand, each.targets) for each in jumps] == [
        ("goto", 0, (0,)),
        ("ifnull", 12, (12,)),
        ("goto_w", 1, (1,)),
    ]
    assert _decoded(b"\x10\x01" + RETURN)[0].targets == ()


@pytest.mark.parametrize("before", range(4))
def test_switches_at_every_alignment(before: int) -> None:
    at, padding = before, bytes(3 - before % 4)
    table = b"\xaa" + padding + struct.pack(">iiiii", -at, -1, 1, -at, 0)[:16]
    table += struct.pack(">ii", 0, 0)
    (switch,) = [each for each in _decoded(NOP * before + table) if each.name == "tableswitch"]
    assert switch.operand == Switch(0, ((-1, 0), (0, at), (1, at)))
    assert switch.targets == (0, 0, at, at)
    lookup = b"\xab" + padding + struct.pack(">iiiiii", 0, 2, -(2**31), -at, 5, 0)
    (switch,) = [each for each in _decoded(NOP * before + lookup) if each.name == "lookupswitch"]
    assert switch.operand == Switch(at, ((-(2**31), 0), (5, at)))
    empty = b"\xab" + padding + struct.pack(">ii", 0, 0)
    assert _decoded(NOP * before + empty)[-1].operand == Switch(at, ())


WRONG = {
    b"\xca": "there is no instruction with the number 202",
    b"\xff": "there is no instruction with the number 255",
    b"\x10": "the code ends within an instruction",
    b"\xc8\0\0\0": "the code ends within an instruction",
    b"\xaa\0\0\0" + bytes(11): "the code ends within an instruction",
    b"\xab\0\0\0" + u4(0) + u4(1) + u4(0): "the code ends within an instruction",
    b"\xc4\x15": "the code ends within an instruction",
    b"\xc4\x84\0\1\0": "the code ends within an instruction",
    b"\xaa\0\0\0" + u4(0) + u4(2) + u4(1): "'tableswitch' goes from 2 to 1",
    b"\xab\0\0\0" + u4(0) + u4(2**31): "'lookupswitch' has -2147483648 cases",
    b"\xab\0\0\0" + u4(0) + u4(2) + u4(1) + u4(0) + u4(1) + u4(0): "do not ascend",
    b"\xa7\0\4\xb1": "a jump leads to 4, where no instruction begins",
    b"\xa7\0\1\xb1": "a jump leads to 1, where no instruction begins",
    b"\xa7\xff\xff\xb1": "a jump leads to -1, where no instruction begins",
    b"\xc8\x7f\xff\xff\xff\xb1": "a jump leads to 2147483647, where no",
    b"\xaa\0\0\0" + u4(1) + u4(0) + u4(0) + u4(0): "a jump leads to 1, where no",
    b"\xab\0\0\0" + u4(0) + u4(1) + u4(7) + u4(3): "a jump leads to 3, where no",
    b"\x15\x09": "there is no local variable 9, the method has 9",
    b"\x16\x08": "there is no local variable 9, the method has 9",
    b"\x84\x09\x00": "there is no local variable 9, the method has 9",
    b"\xc4\x15\xff\xff": "there is no local variable 65535, the method has 9",
    b"\xc4\xb1\0\0": "'wide' cannot stand before 'return'",
    b"\xbc\x03": "there is no type of elements 3",
    b"\xbc\x0c": "there is no type of elements 12",
    b"\xb6\0\0": "constant 0, which is unused, is of the wrong kind here",
    b"\xb6\xff\xff": "there is no constant 65535, the last one is",
}


@pytest.mark.parametrize("code", WRONG, ids=bytes.hex)
def test_bytes_that_are_no_instructions(code: bytes) -> None:
    with pytest.raises(ClassFileError, match=WRONG[code]):
        _decoded(code)


def test_short_forms_need_their_local_variables() -> None:
    assert _decoded(b"\x1c" + RETURN, most_locals=3)
    for code in (b"\x1d", b"\x20", b"\x28", b"\x49", b"\x4e"):
        with pytest.raises(ClassFileError, match="there is no local variable 3"):
            _decoded(code + RETURN, most_locals=3)


def _ldc_long(made: ClassBytes) -> bytes:
    return b"\x13" + u2(made.add(5, bytes(8)))


def _ldc2_int(made: ClassBytes) -> bytes:
    return b"\x14" + u2(made.add(3, bytes(4)))


def _ldc_field(made: ClassBytes) -> bytes:
    return b"\x13" + u2(made.field_ref("C", "f", "I"))


def _ldc_text(made: ClassBytes) -> bytes:
    return b"\x13" + u2(made.text("t"))


def _ldc_wide_dynamic(made: ClassBytes) -> bytes:
    made.bootstraps((made.handle(6, made.method_ref("B", "b", "()V")), ()))
    return b"\x13" + u2(made.dynamic(0, "c", "D"))


def _get_method(made: ClassBytes) -> bytes:
    return b"\xb4" + u2(made.method_ref("C", "m", "()V"))


def _call_field(made: ClassBytes) -> bytes:
    return b"\xb6" + u2(made.field_ref("C", "f", "I"))


def _virtual_of_interface(made: ClassBytes) -> bytes:
    return b"\xb6" + u2(made.method_ref("C", "m", "()V", 11))


def _interface_of_class(made: ClassBytes) -> bytes:
    return b"\xb9" + u2(made.method_ref("C", "m", "()V")) + b"\1\0"


def _interface_without_count(made: ClassBytes) -> bytes:
    return b"\xb9" + u2(made.method_ref("C", "m", "()V", 11)) + b"\0\0"


def _interface_with_more(made: ClassBytes) -> bytes:
    return b"\xb9" + u2(made.method_ref("C", "m", "()V", 11)) + b"\1\1"


def _dynamic_with_more(made: ClassBytes) -> bytes:
    made.bootstraps((made.handle(6, made.method_ref("B", "b", "()V")), ()))
    return b"\xba" + u2(made.dynamic(0, "c", "()V", 18)) + b"\0\1"


def _virtual_constructor(made: ClassBytes) -> bytes:
    return b"\xb6" + u2(made.method_ref("C", "<init>", "()V"))


def _call_of_initializer(made: ClassBytes) -> bytes:
    return b"\xb7" + u2(made.method_ref("C", "<clinit>", "()V"))


def _new_array(made: ClassBytes) -> bytes:
    return b"\xbb" + u2(made.type("[I"))


def _too_many_dimensions(made: ClassBytes) -> bytes:
    return b"\xc5" + u2(made.type("[[I")) + b"\3"


def _no_dimensions(made: ClassBytes) -> bytes:
    return b"\xc5" + u2(made.type("[[I")) + b"\0"


WRONG_CONSTANTS = {
    _ldc_long: "is of the wrong kind for this instruction",
    _ldc2_int: "is of the wrong kind for this instruction",
    _ldc_field: "is of the wrong kind for this instruction",
    _ldc_text: "which is a text, is of the wrong kind here",
    _ldc_wide_dynamic: "is of the wrong kind for this instruction",
    _get_method: "which is a method, is of the wrong kind here",
    _call_field: "which is a field, is of the wrong kind here",
    _virtual_of_interface: "this instruction needs a method of another kind of class",
    _interface_of_class: "this instruction needs a method of another kind of class",
    _interface_without_count: "'invokeinterface' has a wrong count of arguments",
    _interface_with_more: "'invokeinterface' has a wrong count of arguments",
    _dynamic_with_more: "the last two bytes of 'invokedynamic' must be 0",
    _virtual_constructor: "this instruction cannot call <init>",
    _call_of_initializer: "this instruction cannot call <clinit>",
    _new_array: "'new' cannot make an array",
    _too_many_dimensions: "'multianewarray' cannot make 3 dimensions of this",
    _no_dimensions: "'multianewarray' cannot make 0 dimensions of this",
}


@pytest.mark.parametrize("make", WRONG_CONSTANTS, ids=lambda make: make.__name__)
def test_constants_of_the_wrong_kind(make) -> None:  # type: ignore[no-untyped-def]
    made = ClassBytes()
    with pytest.raises(ClassFileError, match=WRONG_CONSTANTS[make]):
        _decoded(make(made) + RETURN, made)


@pytest.mark.fuzz
def test_random_bytes_are_instructions_or_an_error() -> None:
    chance = random.Random(3)
    read = 0
    for _ in range(sized(8000)):
        # Instructions that need constants would nearly always be wrong.
        code = bytes(chance.choice(range(0x12)) for _ in range(chance.randrange(1, 9)))
        code += bytes([chance.choice((0xA7, 0x99, 0xAA, 0xAB, 0xC4, 0x84, 0xC8))])
        code += bytes(chance.choice((0, 0, 1, 3, 0x15, 255)) for _ in range(chance.randrange(20)))
        try:
            instructions = _decoded(code)
        except ClassFileError:
            continue
        read += 1
        places = {each.pc for each in instructions}
        assert all(set(each.targets) <= places for each in instructions)
        assert min(places) == 0
        assert max(places) < len(code)
    assert read > sized(8000) / 50


def _decoded(
    code: bytes, made: ClassBytes | None = None, most_locals: int = 9
) -> tuple[Instruction, ...]:
    made = made or ClassBytes()
    made.method(0x0008, "m", "()V", made.code(code, most_locals=most_locals))
    read = read_class(made.build(), "C").methods[0].code
    assert read
    return read.instructions
