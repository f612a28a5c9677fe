"""Class files up to Java 25 (JVMS 4), as a front end needs them.

`read_class` reads what a class is and which members it has. The code of a method is decoded when
it is first asked for, because of most classes few methods are needed; only then errors in it are
noticed, and `read_all` asks for everything. Generic types and frames are left out, and of
annotations all but the types of those of methods.

Input is untrusted: all that is wrong with a class is a ClassFileError, and no count is believed
before there are as many bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from tepui.languages.java.byte_reader import ByteReader, short
from tepui.languages.java.class_attributes import (
    BootstrapMethod,
    InnerClass,
    RecordComponent,
    attributes,
    read_annotations,
    read_bootstrap_methods,
    read_class_name,
    read_inner_classes,
    read_record,
    read_text,
)
from tepui.languages.java.code import Code, read_code
from tepui.languages.java.constant_pool import ConstantPool
from tepui.languages.java.constants import (
    DoubleConstant,
    FloatConstant,
    IntConstant,
    LongConstant,
    StringConstant,
)
from tepui.records import field, record

_T = TypeVar("_T")

PUBLIC, PRIVATE, PROTECTED = 0x0001, 0x0002, 0x0004
STATIC, FINAL, SYNCHRONIZED, VOLATILE = 0x0008, 0x0010, 0x0020, 0x0040
BRIDGE, VARARGS, TRANSIENT, NATIVE = 0x0040, 0x0080, 0x0080, 0x0100
INTERFACE, ABSTRACT, SYNTHETIC, ENUM = 0x0200, 0x0400, 0x1000, 0x4000
MODULE = 0x8000
"""The flags of classes and members that have any effect (JVMS 4.1, 4.5, 4.6)."""

OLDEST, NEWEST = 45, 69
"""The versions of class files that are read; 69 is Java 25."""

ConstantValue = IntConstant | LongConstant | FloatConstant | DoubleConstant | StringConstant


@record
class Field:
    """A field of a class."""

    flags: int
    name: str
    descriptor: str
    constant: ConstantValue | None
    """The value that a static field begins with, if it is written down as a constant."""

    @property
    def is_static(self) -> bool:
        return bool(self.flags & STATIC)

    @property
    def is_final(self) -> bool:
        return bool(self.flags & FINAL)

    @property
    def is_volatile(self) -> bool:
        return bool(self.flags & VOLATILE)


@record
class Method:
    """A method of a class."""

    flags: int
    name: str
    descriptor: str
    _content: ByteReader | None = field(repr=False, compare=False)
    """The bytes of its code."""
    _pool: ConstantPool = field(repr=False, compare=False)
    _annotations: ByteReader | None = field(default=None, repr=False, compare=False)

    @cached_property
    def annotations(self) -> tuple[str, ...]:
        """The types of the annotations that the machine can see."""
        return read_annotations(self._annotations.again(), self._pool) if self._annotations else ()

    @cached_property
    def code(self) -> Code | None:
        """What it does, decoded at the first call; None if it is abstract or native."""
        return read_code(self._content.again(), self._pool) if self._content else None

    @property
    def is_static(self) -> bool:
        return bool(self.flags & STATIC)

    @property
    def is_abstract(self) -> bool:
        return bool(self.flags & ABSTRACT)

    @property
    def is_native(self) -> bool:
        return bool(self.flags & NATIVE)

    @property
    def is_synchronized(self) -> bool:
        return bool(self.flags & SYNCHRONIZED)


@record
class ClassFile:
    """A class, an interface or a module."""

    source: str
    """What the file is called in messages."""
    major: int
    minor: int
    flags: int
    name: str
    superclass: str | None
    interfaces: tuple[str, ...]
    fields: tuple[Field, ...]
    methods: tuple[Method, ...]
    _attributes: dict[str, ByteReader] = field(repr=False, compare=False)
    _pool: ConstantPool = field(repr=False, compare=False)

    @property
    def is_interface(self) -> bool:
        return bool(self.flags & INTERFACE)

    @property
    def is_abstract(self) -> bool:
        return bool(self.flags & ABSTRACT)

    @property
    def is_enum(self) -> bool:
        return bool(self.flags & ENUM)

    def find_field(self, name: str, descriptor: str) -> Field | None:
        """The field that is declared here with this name and type."""
        return self._fields.get((name, descriptor))

    def find_method(self, name: str, descriptor: str) -> Method | None:
        """The method that is declared here with this name and these types."""
        return self._methods.get((name, descriptor))

    @cached_property
    def source_file(self) -> str | None:
        """The name of the file with its source, without folders."""
        return self._read("SourceFile", read_text)

    @cached_property
    def nest_host(self) -> str | None:
        """The class whose private members it shares; None if it is itself the host."""
        return self._read("NestHost", read_class_name)

    @cached_property
    def inner_classes(self) -> tuple[InnerClass, ...]:
        return self._read("InnerClasses", read_inner_classes) or ()

    @cached_property
    def record_components(self) -> tuple[RecordComponent, ...] | None:
        """The components of a record; None if it is no record."""
        return self._read("Record", read_record)

    @cached_property
    def bootstrap_methods(self) -> tuple[BootstrapMethod, ...]:
        """What dynamic calls and computed constants refer to by its index."""
        return self._read("BootstrapMethods", read_bootstrap_methods) or ()

    def read_all(self) -> None:
        """Decode everything, for the errors in what is not needed."""
        self._pool.read_all()
        for method in self.methods:
            _ = method.code
        _ = self.source_file, self.nest_host, self.inner_classes
        _ = self.record_components, self.bootstrap_methods

    def _read(self, name: str, read: Callable[[ByteReader, ConstantPool], _T]) -> _T | None:
        """The content of an attribute, if the class has it."""
        if name not in self._attributes:
            return None
        reader = self._attributes[name].again()
        found = read(reader, self._pool)
        reader.expect_end(f"the attribute {name}")
        return found

    @cached_property
    def _fields(self) -> dict[tuple[str, str], Field]:
        return {(each.name, each.descriptor): each for each in self.fields}

    @cached_property
    def _methods(self) -> dict[tuple[str, str], Method]:
        return {(each.name, each.descriptor): each for each in self.methods}


def read_class(data: bytes, source: str) -> ClassFile:
    """The class in these bytes; `source` is what messages call them."""
    reader = ByteReader(data, source)
    major, minor = _version(reader)
    pool = ConstantPool(reader)
    flags = reader.u2()
    name, superclass = _names(reader, pool, flags)
    interfaces = tuple([_class_name(reader, pool) for _ in range(reader.count(2))])
    fields = _members(reader, pool, _field)
    methods = _members(reader, pool, _method)
    found = attributes(reader, pool)
    reader.expect_end("the class")
    if "BootstrapMethods" in found:
        pool.bootstraps = found["BootstrapMethods"].again().u2()
    return ClassFile(
        source, major, minor, flags, name, superclass, interfaces, fields, methods, found, pool
    )


_Member = TypeVar("_Member", Field, Method)

_MAGIC = 0xCAFEBABE


def _version(reader: ByteReader) -> tuple[int, int]:
    if reader.end < 4 or reader.u4() != _MAGIC:
        raise reader.error(0, "this is no class file")
    minor, major = reader.u2(), reader.u2()
    if major > NEWEST:
        raise reader.error(
            6,
            f"the class is for Java {major - 44}, and class files are read up to Java "
            f"{NEWEST - 44}: compile it for an older version",
        )
    if major < OLDEST:
        raise reader.error(6, f"there is no version {major} of class files")
    return major, minor


def _names(reader: ByteReader, pool: ConstantPool, flags: int) -> tuple[str, str | None]:
    """The names of the class and of its superclass, which two kinds of classes do not have."""
    at = reader.at
    name = _class_name(reader, pool)
    superclass = pool.optional_class_name(reader.u2(), at + 2)
    if superclass is not None and superclass.startswith("["):
        raise reader.error(at + 2, f"'{short(superclass)}' cannot be a superclass")
    if (superclass is None) != (name == "java/lang/Object" or bool(flags & MODULE)):
        raise reader.error(at + 2, "only java/lang/Object and modules have no superclass")
    return name, superclass


def _class_name(reader: ByteReader, pool: ConstantPool) -> str:
    """The name of a class that is no array."""
    at = reader.at
    name = pool.class_name(reader.u2(), at)
    if name.startswith("["):
        raise reader.error(at, f"'{short(name)}' is an array, expected a class")
    return name


def _members(
    reader: ByteReader, pool: ConstantPool, read: Callable[[ByteReader, ConstantPool], _Member]
) -> tuple[_Member, ...]:
    """The fields or methods that follow, of which no two are called and typed alike."""
    found: dict[tuple[str, str], _Member] = {}
    for _ in range(reader.count(8)):
        at = reader.at
        each = read(reader, pool)
        if (each.name, each.descriptor) in found:
            raise reader.error(at, f"there is a second '{short(each.name)}' of the same type")
        found[each.name, each.descriptor] = each
    return tuple(found.values())


def _field(reader: ByteReader, pool: ConstantPool) -> Field:
    at = reader.at
    flags, name, descriptor = reader.u2(), pool.text(reader.u2(), at), pool.text(reader.u2(), at)
    pool.check_field(name, descriptor, at)
    content = attributes(reader, pool).get("ConstantValue")
    constant = _constant(content, pool, descriptor) if content and flags & STATIC else None
    return Field(flags, name, descriptor, constant)


def _constant(content: ByteReader, pool: ConstantPool, descriptor: str) -> ConstantValue:
    at = content.at
    kind = _KINDS.get(descriptor)
    if kind is None:
        raise content.error(at, f"a field of type '{short(descriptor)}' cannot have a constant")
    found = pool.of_kind(kind, content.u2(), at)
    content.expect_end("the attribute ConstantValue")
    return found


_KINDS: dict[str, type[ConstantValue]] = {
    **dict.fromkeys("ZBCSI", IntConstant),
    "J": LongConstant,
    "F": FloatConstant,
    "D": DoubleConstant,
    "Ljava/lang/String;": StringConstant,
}
"""The kind of constant that a field of a type can have."""


def _method(reader: ByteReader, pool: ConstantPool) -> Method:
    at = reader.at
    flags, name, descriptor = reader.u2(), pool.text(reader.u2(), at), pool.text(reader.u2(), at)
    pool.check_method(name, descriptor, at)
    found = attributes(reader, pool)
    content = found.get("Code")
    if (content is None) != bool(flags & (ABSTRACT | NATIVE)):
        has = "no code" if content is None else "code"
        raise reader.error(at, f"the method '{short(name)}' has {has}, against its flags")
    annotations = found.get("RuntimeVisibleAnnotations")
    return Method(flags, name, descriptor, content, pool, annotations)
