"""Class files as our reader and as javap see them: samples, and all of java.base in `make fuzz`."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.java import SAMPLE, compiled, installed_jdks
from support.javap import ShownClass, ShownMember, javap
from support.sizes import FUZZING
from tepui.languages.java.classfile import ClassFile, Field, Method, read_class
from tepui.languages.java.constants import (
    ClassRef,
    DoubleConstant,
    Dynamic,
    FieldRef,
    FloatConstant,
    IntConstant,
    InvokeDynamic,
    LongConstant,
    MethodHandle,
    MethodRef,
    MethodType,
    StringConstant,
)
from tepui.languages.java.instructions import (
    Increment,
    Instruction,
    NewArrays,
    Switch,
)
from tepui.languages.java.jimage import JImage

AT_ONCE = 200
"""How many files javap is given."""

PARTS = 8 if FUZZING else 1
"""In how many tests the classes are compared: for several cores."""

SOME = [
    "java/lang/Object",
    "java/lang/String",
    "java/lang/Thread",
    "java/util/Vector",
    "java/util/concurrent/ConcurrentHashMap",
    "java/util/concurrent/locks/AbstractQueuedSynchronizer",
    "java/lang/invoke/MethodHandles",
    "java/math/BigInteger",
    "java/text/DecimalFormatSymbols",
    "java/lang/Character",
    "sun/security/ssl/CipherSuite",
    "java/util/regex/Pattern",
    "java/util/Formatter",
    "java/lang/Float",
    "java/lang/Enum",
    "java/lang/StringConcatHelper",
]


def test_the_sample_is_read_as_javap_reads_it(tmp_path: Path) -> None:
    classes = compiled(SAMPLE)
    assert len(classes) > 12
    _compare(classes, tmp_path)


def test_code_that_needs_wide_instructions(tmp_path: Path) -> None:
    variables = "".join(f"long v{n} = {n} + x; " for n in range(130))
    body = "".join(f"x += {n}00003 * v{n % 130}; " for n in range(4000))
    text = (
        f"class Far {{ long far(long x, float f, double d, Object o, int i) {{ {variables}"
        f"float g = f; double e = d; Object p = o; int j = i; j += 40000; j++; p = null; "
        f"for (int k = 0; k < j; k++) {{ {body} e += g; }} return x + j + (long) e; }} }}"
    )
    classes = compiled(text)
    _compare(classes, tmp_path)
    method = read_class(classes["Far"], "Far").find_method("far", "(JFDLjava/lang/Object;I)J")
    assert method
    assert method.code
    names = {each.name for each in method.code.instructions}
    assert {"goto_w", "iinc", "lload", "ldc2_w", "ldc_w", "dstore", "astore", "fload"} <= names
    assert Increment(273, 40000 - 32768) not in [each.operand for each in method.code.instructions]


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("home", installed_jdks(), ids=lambda home: home.name)
def test_classes_of_the_jdk_are_read_as_javap_reads_them(
    home: Path, part: int, tmp_path: Path
) -> None:
    image = JImage(str(home / "lib" / "modules"))
    names = (_names_of_java_base(home) if FUZZING else SOME)[part::PARTS]
    for first in range(0, len(names), AT_ONCE):
        some = {
            name: image.find(f"/java.base/{name}.class") for name in names[first : first + AT_ONCE]
        }
        _compare(
            {name: data for name, data in some.items() if data}, tmp_path, home / "bin" / "javap"
        )
        assert sum(data is not None for data in some.values()) > 0.9 * len(some)


def _names_of_java_base(home: Path) -> list[str]:
    program, image = str(home / "bin" / "jimage"), str(home / "lib" / "modules")
    command = [program, "list", "--include", "regex:/java.base/.*[.]class", image]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    package, names = "", []
    for line in done.stdout.splitlines():
        if line.strip().startswith("Package: "):
            package = line.split()[1].replace(".", "/") + "/"
        elif line.endswith(".class"):
            names.append(package + line.strip().removesuffix(".class"))
    assert len(names) > 5000
    return names


def _compare(classes: dict[str, bytes], folder: Path, program: str | Path = "javap") -> None:
    paths = []
    for number, data in enumerate(classes.values()):
        paths.append(folder / f"{number}.class")
        paths[-1].write_bytes(data)
    for shown, (name, data) in zip(javap(paths, program), classes.items(), strict=True):
        read = read_class(data, name)
        read.read_all()
        assert read.name == name
        _compare_class(read, shown)


def _compare_class(read: ClassFile, shown: ShownClass) -> None:
    numbers = shown.numbers
    assert (read.major, read.minor) == (numbers["major"], numbers["minor"])
    assert read.flags == numbers["flags"]
    assert _plain(ClassRef(read.name)) == shown.constant(numbers["this_class"])
    superclass = numbers["super_class"]
    assert (read.superclass and _plain(ClassRef(read.superclass))) == (
        shown.constant(superclass) if superclass else None
    )
    assert len(read.interfaces) == numbers["interfaces"]
    fields, methods = shown.members[: numbers["fields"]], shown.members[numbers["fields"] :]
    assert len(methods) == numbers["methods"]
    for field, each in zip(read.fields, fields, strict=True):
        _compare_field(field, each)
    for method, each in zip(read.methods, methods, strict=True):
        _compare_method(method, each)
    assert read.source_file == shown.source_file
    assert read.nest_host == shown.nest_host
    assert [
        (each.name, each.outer, each.simple_name) for each in read.inner_classes
    ] == shown.inner_classes
    assert (read.record_components is not None) == shown.is_record
    assert [(each.name, each.descriptor) for each in read.record_components or ()] == [
        (each.name, each.descriptor) for each in shown.components
    ]
    bootstraps = [
        (_plain(each.handle), list(map(_plain, each.arguments))) for each in read.bootstrap_methods
    ]
    assert bootstraps == [
        (_number(handle), list(map(_number, arguments)))
        for handle, arguments in shown.bootstrap_methods
    ]


def _compare_field(read: Field, shown: ShownMember) -> None:
    assert (read.flags, read.name, read.descriptor) == (shown.flags, shown.name, shown.descriptor)
    if read.constant is None:
        assert shown.constant is None or not read.is_static
        return
    assert shown.constant is not None
    kind, _, text = shown.constant.partition(" ")
    tags = {"int": "Integer", "long": "Long", "float": "Float", "double": "Double"}
    plain = _plain(read.constant)
    if kind == "String":
        assert plain[1][1] == text.rstrip(" ")
    else:
        assert plain == _number((tags[kind], text.removesuffix("l")))


def _compare_method(read: Method, shown: ShownMember) -> None:
    assert (read.flags, read.name, read.descriptor) == (shown.flags, shown.name, shown.descriptor)
    code = read.code
    assert (code is None) == (shown.stack is None)
    if code is None:
        return
    assert (code.max_stack, code.max_locals) == shown.stack
    assert len(code.instructions) == len(shown.instructions)
    for instruction, each in zip(code.instructions, shown.instructions, strict=True):
        assert (instruction.pc, instruction.name, _operand(instruction)) == _shown(each)
    handlers = [(each.start, each.end, each.handler, each.type) for each in code.handlers]
    assert handlers == shown.handlers
    assert [(each.pc, each.line) for each in code.line_numbers] == shown.lines
    variables = [
        (each.start, each.end, each.name, each.descriptor, each.index)
        for each in code.local_variables
    ]
    assert variables == shown.variables


ELEMENTS = {
    "Z": "boolean",
    "C": "char",
    "F": "float",
    "D": "double",
    "B": "byte",
    "S": "short",
    "I": "int",
    "J": "long",
}


def _operand(instruction: Instruction) -> Any:
    """The operand as javap prints it; constants are tuples."""
    operand = instruction.operand
    match operand:
        case None:
            return ""
        case int() | float() if instruction.operation != instruction.name:
            assert instruction.name.replace("m1", "-1").endswith(f"_{operand:.0f}")
            return ""
        case int():
            return str(operand)
        case str():
            return ELEMENTS[operand]
        case Increment():
            return f"{operand.local}, {operand.amount}"
        case NewArrays():
            return (_plain(operand.type), operand.dimensions)
        case Switch():
            cases = [(str(value), target) for value, target in operand.cases]
            return [*cases, ("default", operand.default)]
    return (_plain(operand),)


def _shown(each: tuple[Any, ...]) -> tuple[Any, ...]:
    pc, name, operand = each
    name = name if name in ("goto_w", "jsr_w", "ldc_w", "ldc2_w") else name.removesuffix("_w")
    if name in ("invokeinterface", "invokedynamic"):
        operand = operand[:1]
    if isinstance(operand, tuple):
        operand = (_number(operand[0]), *operand[1:])
    return pc, name, operand


def _number(shown: Any) -> Any:
    """A constant of javap, with numbers as numbers and without spaces at ends."""
    tag, *rest = shown
    if tag in ("Integer", "Long"):
        return tag, int(rest[0])
    if tag in ("Float", "Double"):
        return tag, _bits(tag, float(rest[0].rstrip("fd")))
    if tag == "Utf8":
        return tag, rest[0].rstrip(" ")
    return (tag, *(_number(each) if isinstance(each, tuple) else each for each in rest))


def _bits(tag: str, value: float) -> bytes:
    return struct.pack(">f" if tag == "Float" else ">d", float("nan") if value != value else value)


def _plain(constant: Any) -> Any:
    """A constant of ours in the form of those that javap prints."""
    match constant:
        case IntConstant() | LongConstant():
            return ("Long" if isinstance(constant, LongConstant) else "Integer"), constant.value
        case FloatConstant() | DoubleConstant():
            tag = type(constant).__name__.removesuffix("Constant")
            return tag, _bits(tag, constant.value)
        case StringConstant(text):
            return "String", _text(text)
        case ClassRef(name):
            return "Class", _text(name)
        case MethodType(descriptor):
            return "MethodType", _text(descriptor)
        case MethodHandle(kind, target):
            return "MethodHandle", kind, _plain(target)
        case FieldRef(owner, name, descriptor):
            return "Fieldref", _plain(ClassRef(owner)), _pair(name, descriptor)
        case MethodRef(owner, name, descriptor, is_interface):
            tag = "InterfaceMethodref" if is_interface else "Methodref"
            return tag, _plain(ClassRef(owner)), _pair(name, descriptor)
        case Dynamic(bootstrap, name, descriptor) | InvokeDynamic(bootstrap, name, descriptor):
            return type(constant).__name__, bootstrap, _pair(name, descriptor)
    raise AssertionError(constant)


def _pair(name: str, descriptor: str) -> Any:
    return "NameAndType", _text(name), _text(descriptor)


ESCAPES = {"\t": r"\t", "\n": r"\n", "\r": r"\r", "\b": r"\b", "\f": r"\f"} | {
    "'": r"\'",
    '"': r"\"",
    "\\": r"\\",
}


def _text(text: str) -> Any:
    """A text as javap escapes it; it prints a surrogate without partner as a question mark."""
    shown = "".join(map(_character, text)).rstrip(" ")
    return "Utf8", shown.encode("utf-8", "replace").decode("utf-8")


def _character(each: str) -> str:
    if each in ESCAPES:
        return ESCAPES[each]
    return f"\\u{ord(each):04x}" if ord(each) < 0x20 or 0x7F <= ord(each) < 0xA0 else each
