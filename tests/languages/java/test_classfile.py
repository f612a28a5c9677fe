"""Classes: their members, what they say about themselves, and whatever can be wrong with them."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from support.class_bytes import ClassBytes, u2, u4
from support.java import SAMPLE, compiled
from support.sizes import sized
from tepui.errors import InputError
from tepui.languages.java import constant_pool
from tepui.languages.java.byte_reader import ClassFileError
from tepui.languages.java.class_attributes import InnerClass, RecordComponent
from tepui.languages.java.classfile import (
    ABSTRACT,
    NATIVE,
    STATIC,
    ClassFile,
    Field,
    read_class,
)
from tepui.languages.java.constants import (
    DoubleConstant,
    FloatConstant,
    IntConstant,
    LongConstant,
    StringConstant,
)
from tepui.languages.java.descriptors import is_method_descriptor

RETURN = b"\xb1"


def test_a_class_its_superclass_and_its_interfaces() -> None:
    sample = _sample("Sample")
    assert (sample.name, sample.superclass) == ("Sample", "java/util/ArrayList")
    assert sample.interfaces == ("java/lang/Runnable",)
    assert (sample.source, sample.source_file) == ("Sample.class", "Sample.java")
    assert sample.minor == 0
    assert 61 <= sample.major <= 69
    assert not sample.is_interface
    assert not sample.is_abstract
    assert not sample.is_enum
    assert _sample("Sample$Shape").is_interface
    assert _sample("Sample$Shape").is_abstract
    assert _sample("Sample$Colour").is_enum


def test_fields_and_their_constants() -> None:
    sample = _sample("Sample")
    constants = {each.name: each.constant for each in sample.fields}
    assert constants == {
        "SMALL": IntConstant(-7),
        "WIDE": LongConstant(1 << 40),
        "HALF": FloatConstant(0.5),
        "INFINITE": DoubleConstant(float("-inf")),
        "ODD": StringConstant("a\0b\n\U0001f600 \ud800 é€\"'\\"),
        "YES": IntConstant(1),
        "LETTER": IntConstant(ord("x")),
        "notStatic": None,
        "shared": None,
        "table": None,
        "cube": None,
        "$assertionsDisabled": None,
    }
    shared = _found(sample.find_field("shared", "I"))
    assert (shared.is_volatile, shared.is_static, shared.is_final) == (True, False, False)
    small = _found(sample.find_field("SMALL", "I"))
    assert (small.is_volatile, small.is_static, small.is_final) == (False, True, True)
    assert sample.find_field("shared", "J") is None


def test_methods_and_their_flags() -> None:
    sample = _sample("Sample")
    run = sample.find_method("run", "()V")
    assert run
    assert run.is_synchronized
    assert not run.is_static
    native = sample.find_method("outside", "(J)I")
    assert native
    assert native.is_native
    assert native.code is None
    numbers = sample.find_method("numbers", "(IJFDSBC)J")
    assert numbers
    assert numbers.is_static
    area = _sample("Sample$Shape").find_method("area", "()D")
    assert area
    assert area.is_abstract
    assert area.code is None
    assert sample.find_method("run", "()I") is None


def test_what_a_class_says_about_its_nest() -> None:
    deeper = _sample("Sample$Inner$Deeper")
    assert deeper.nest_host == "Sample"
    assert _sample("Sample").nest_host is None
    assert InnerClass("Sample$Inner", "Sample", "Inner", 0) in deeper.inner_classes
    (colour,) = [each for each in _sample("Sample$Colour").inner_classes if not each.simple_name]
    assert (colour.name, colour.outer) == ("Sample$Colour$1", None)
    assert read_class(ClassBytes().build(), "C").inner_classes == ()


def test_components_of_a_record() -> None:
    assert _sample("Sample").record_components is None
    assert _sample("Sample$Point").record_components == (
        RecordComponent("x", "I"),
        RecordComponent("name", "Ljava/lang/String;"),
        RecordComponent("rest", "[D"),
    )


def test_a_module() -> None:
    (data,) = compiled("module some.name { }").values()
    module = read_class(data, "module-info.class")
    assert (module.name, module.superclass) == ("module-info", None)


def test_code_is_decoded_when_it_is_asked_for_and_once() -> None:
    made = ClassBytes()
    made.static(b"\xff", "wrong")
    made.static(RETURN, "right")
    read = read_class(made.build(), "C.class")
    wrong, right = read.methods
    assert right.code is right.code is not None
    with pytest.raises(ClassFileError, match="no instruction with the number 255"):
        _ = wrong.code
    with pytest.raises(ClassFileError, match="no instruction with the number 255"):
        read.read_all()


def test_an_error_names_the_file_and_the_byte() -> None:
    with pytest.raises(InputError) as caught:
        read_class(b"\xca\xfe\xba\xbe\0\0\0\x3d\0\x02\x63", "Foo.class")
    assert str(caught.value) == "Foo.class: byte 0xa: the file ends within its constants"
    made = ClassBytes()
    made.static(b"\xff", "wrong")
    data = made.build()
    with pytest.raises(ClassFileError, match=f"byte {data.index(0xFF):#x}: "):
        read_class(data, "C.class").read_all()


@pytest.mark.parametrize("data", [b"", b"\xca\xfe", b"PK\3\4" * 10, b"\xca\xfe\xba\xbf" * 10])
def test_what_is_no_class_file(data: bytes) -> None:
    with pytest.raises(ClassFileError, match=r"^C: byte 0x0: this is no class file$"):
        read_class(data, "C")


def test_versions_of_class_files() -> None:
    made = ClassBytes()
    for made.major in (45, 52, 69):
        assert read_class(made.build(), "C").major == made.major
    made.major = 70
    with pytest.raises(ClassFileError, match=r"the class is for Java 26, .* up to Java 25"):
        read_class(made.build(), "C")
    made.major = 44
    with pytest.raises(ClassFileError, match="there is no version 44"):
        read_class(made.build(), "C")


def _no_superclass(made: ClassBytes) -> None:
    made.superclass = None


def _superclass_of_object(made: ClassBytes) -> None:
    made.name = "java/lang/Object"


def _array(made: ClassBytes) -> None:
    made.name = "[I"


def _array_above(made: ClassBytes) -> None:
    made.superclass = "[I"


def _array_as_interface(made: ClassBytes) -> None:
    made.interfaces = [made.type("[I")]


def _bad_name(made: ClassBytes) -> None:
    made.name = "a//b"


def _no_code(made: ClassBytes) -> None:
    made.method(0, "m", "()V")


def _abstract_code(made: ClassBytes) -> None:
    made.method(ABSTRACT, "m", "()V", made.code(RETURN))


def _native_code(made: ClassBytes) -> None:
    made.method(NATIVE, "m", "()V", made.code(RETURN))


def _two_codes(made: ClassBytes) -> None:
    made.method(0, "m", "()V", made.code(RETURN), made.code(RETURN))


def _two_methods(made: ClassBytes) -> None:
    made.static(RETURN)
    made.static(RETURN)


def _two_fields(made: ClassBytes) -> None:
    made.field(0, "f", "I")
    made.field(STATIC, "f", "I")


def _bad_field(made: ClassBytes) -> None:
    made.field(0, "f", "Q")


def _bad_field_name(made: ClassBytes) -> None:
    made.field(0, "a.b", "I")


def _bad_method(made: ClassBytes) -> None:
    made.method(ABSTRACT, "m", "()")


def _bad_method_name(made: ClassBytes) -> None:
    made.method(ABSTRACT, "<main>", "()V")


def _constant_of_object(made: ClassBytes) -> None:
    value = u2(made.add(3, u4(1)))
    made.field(STATIC, "f", "Ljava/lang/Object;", made.attribute("ConstantValue", value))


def _constant_of_other_kind(made: ClassBytes) -> None:
    value = u2(made.add(3, u4(1)))
    made.field(STATIC, "f", "J", made.attribute("ConstantValue", value))


def _long_constant_attribute(made: ClassBytes) -> None:
    value = u2(made.add(3, u4(1))) + b"\0"
    made.field(STATIC, "f", "I", made.attribute("ConstantValue", value))


def _long_source_file(made: ClassBytes) -> None:
    made.attributes.append(made.attribute("SourceFile", u2(made.text("C.java")) + b"\0"))


def _many_inner_classes(made: ClassBytes) -> None:
    made.attributes.append(made.attribute("InnerClasses", u2(65535)))


WRONG = {
    _no_superclass: "only java/lang/Object and modules have no superclass",
    _superclass_of_object: "only java/lang/Object and modules have no superclass",
    _array: r"'\[I' is an array, expected a class",
    _array_above: r"'\[I' cannot be a superclass",
    _array_as_interface: r"'\[I' is an array, expected a class",
    _bad_name: "'a//b' is no name of a class",
    _no_code: "the method 'm' has no code, against its flags",
    _abstract_code: "the method 'm' has code, against its flags",
    _native_code: "the method 'm' has code, against its flags",
    _two_codes: "there is a second attribute Code",
    _two_methods: "there is a second 'm' of the same type",
    _two_fields: "there is a second 'f' of the same type",
    _bad_field: "'Q' is no descriptor of a field",
    _bad_field_name: "'a.b' is no name of a field",
    _bad_method: r"'\(\)' is no descriptor of a method",
    _bad_method_name: "'<main>' is no name of a method",
    _constant_of_object: "a field of type 'Ljava/lang/Object;' cannot have a constant",
    _constant_of_other_kind: "which is an int, is of the wrong kind here",
    _long_constant_attribute: "expected the end of the attribute ConstantValue, found more bytes",
    _long_source_file: "expected the end of the attribute SourceFile, found more bytes",
    _many_inner_classes: "there are 65535 elements here, but 0 bytes left",
}


@pytest.mark.parametrize("change", WRONG, ids=lambda change: change.__name__)
def test_classes_with_one_thing_wrong(change) -> None:  # type: ignore[no-untyped-def]
    made = ClassBytes()
    change(made)
    with pytest.raises(ClassFileError, match=WRONG[change]):
        read_class(made.build(), "C").read_all()


def test_what_looks_wrong_and_is_not() -> None:
    made = ClassBytes()
    made.method(STATIC, "<clinit>", "()V", made.code(RETURN))
    made.method(0, "<init>", "(IJ[[Ljava/lang/String;)V", made.code(RETURN))
    made.field(0, "()V", "I")
    made.field(0, "()V", "[" * 255 + "I", made.attribute("ConstantValue", b"any"))
    made.attributes += [made.attribute("Unknown", b"some"), made.attribute("Unknown", b"")]
    read = read_class(made.build(), "C")
    read.read_all()
    assert read.fields[0] == Field(0, "()V", "I", None)


def test_every_class_that_is_cut_off_or_goes_on_is_refused() -> None:
    data = compiled(SAMPLE)["Sample$Point"]
    for length in range(len(data)):
        with pytest.raises(ClassFileError):
            read_class(data[:length], "C")
    with pytest.raises(ClassFileError, match="expected the end of the class, found more bytes"):
        read_class(data + b"\0", "C")


@pytest.mark.fuzz
def test_mutated_classes_raise_nothing_else() -> None:
    classes = list(compiled(SAMPLE).values())
    chance = random.Random(7)
    errors = []
    for _ in range(sized(40_000)):
        data = _mutated(chance, chance.choice(classes))
        try:
            read = read_class(data, "C")
            for method in read.methods:
                _visit(read, method.name, method.descriptor)
            read.read_all()
        except ClassFileError as error:
            errors.append(str(error))
    assert sized(40_000) > len(errors) > sized(40_000) / 4
    assert all(error.startswith("C: byte 0x") and len(error) < 400 for error in errors)


def _visit(read: ClassFile, name: str, descriptor: str) -> None:
    """What a front end asks of a method."""
    method = read.find_method(name, descriptor)
    assert method
    for instruction in method.code.instructions if method.code else ():
        assert method.code
        places = method.code.positions
        assert all(target in places for target in instruction.targets)
        method.code.line_at(instruction.pc)


def _mutated(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        at = chance.randrange(len(changed))
        match chance.randrange(5):
            case 0:
                changed[at] = chance.randrange(256)
            case 1:
                changed[at : at + 2] = chance.choice((b"\xff\xff", b"\0\0", b"\x7f\xff"))
            case 2:
                del changed[at : at + chance.choice((1, 2, 50))]
            case 3:
                changed[at:at] = chance.randbytes(chance.choice((1, 2, 50)))
            case 4:
                changed[at] ^= 1 << chance.randrange(8)
    return bytes(changed)


def test_a_long_name_that_all_constants_share_is_looked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: list[str] = []

    def look(text: str) -> bool:
        looks.append(text)
        return is_method_descriptor(text)

    monkeypatch.setattr(constant_pool, "is_method_descriptor", look)
    made = ClassBytes()
    for number in range(200):
        made.method(ABSTRACT, f"m{number}", "()V")
        made.method_ref("C", f"m{number}", "()V")
    read_class(made.build(), "C").read_all()
    assert looks == ["()V"]


def test_no_count_is_believed() -> None:
    """65535 of something are announced, and there is nothing."""
    start = ClassBytes().build()[:-8]
    for before in range(4):
        data = start + b"\0\0" * before + b"\xff\xff"
        assert _memory_for(data) < 2**16
    made = ClassBytes()
    made.static(b"\xaa\0\0\0" + u4(0) + u4(0x80000000) + u4(0x7FFFFFFF))
    assert _memory_for(made.build()) < 2**17
    made = ClassBytes()
    made.static(b"\xab\0\0\0" + u4(0) + u4(0x7FFFFFFF))
    assert _memory_for(made.build()) < 2**17
    made = ClassBytes()
    made.bootstraps()
    made.attributes[0] = made.attributes[0][:-2] + b"\xff\xff"
    assert _memory_for(made.build()) < 2**17


def test_members_take_memory_by_the_size_of_the_file() -> None:
    made = ClassBytes()
    for number in range(2000):
        made.method(ABSTRACT, f"m{number}", "()V")
    data = made.build()
    read_class(data, "C")
    tracemalloc.start()
    read = read_class(data, "C")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(read.methods) == 2000
    assert most < 40 * len(data)


def _memory_for(data: bytes) -> int:
    """The most memory that is in use while a wrong class is read."""
    tracemalloc.start()
    with pytest.raises(ClassFileError):
        read_class(data, "C").read_all()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def _sample(name: str) -> ClassFile:
    return read_class(compiled(SAMPLE)[name], f"{name}.class")


def _found(field: Field | None) -> Field:
    assert field
    return field
