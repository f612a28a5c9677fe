"""What a class says about itself besides its members: nested classes, bootstrap methods, components
of a record (JVMS 4.7).

Each function reads the content of one attribute.
"""

from __future__ import annotations

from tepui.languages.java.byte_reader import ByteReader
from tepui.languages.java.constant_pool import LOADABLE, ConstantPool
from tepui.languages.java.constants import Dynamic, Loadable, MethodHandle
from tepui.records import record


@record
class BootstrapMethod:
    """What finds the target of a dynamic call, or computes a constant."""

    handle: MethodHandle
    arguments: tuple[Loadable, ...]


@record
class InnerClass:
    """A class that is declared inside of another, as every class that mentions it says."""

    name: str
    outer: str | None
    """The class of which it is a member; None if it is local or anonymous."""
    simple_name: str | None
    """Its name in the source; None if it is anonymous."""
    flags: int


@record
class RecordComponent:
    """A component of a record."""

    name: str
    descriptor: str


def read_text(reader: ByteReader, pool: ConstantPool) -> str:
    at = reader.at
    return pool.text(reader.u2(), at)


def read_class_name(reader: ByteReader, pool: ConstantPool) -> str:
    at = reader.at
    return pool.class_name(reader.u2(), at)


def read_inner_classes(reader: ByteReader, pool: ConstantPool) -> tuple[InnerClass, ...]:
    return tuple([_inner_class(reader, pool) for _ in range(reader.count(8))])


def read_record(reader: ByteReader, pool: ConstantPool) -> tuple[RecordComponent, ...]:
    return tuple([_component(reader, pool) for _ in range(reader.count(6))])


def read_bootstrap_methods(reader: ByteReader, pool: ConstantPool) -> tuple[BootstrapMethod, ...]:
    at = reader.at
    found = tuple([_bootstrap_method(reader, pool) for _ in range(reader.count(4))])
    if _is_cyclic(found):
        raise reader.error(at, "a constant is needed to compute itself")
    return found


def attributes(reader: ByteReader, pool: ConstantPool) -> dict[str, ByteReader]:
    """The attributes that follow, by their names, unread."""
    found: dict[str, ByteReader] = {}
    for _ in range(reader.count(6)):
        at = reader.at
        name = pool.text(reader.u2(), at)
        if name in found and name in _ONCE:
            raise reader.error(at, f"there is a second attribute {name}")
        found[name] = reader.part(reader.u4())
    return found


_ONCE = {
    "BootstrapMethods",
    "Code",
    "ConstantValue",
    "InnerClasses",
    "NestHost",
    "Record",
    "SourceFile",
}
"""What is read here and in `classfile`, and may be there no more than once."""


def read_annotations(reader: ByteReader, pool: ConstantPool) -> tuple[str, ...]:
    """The types of annotations, as descriptors; their values are passed over."""
    return tuple(_annotation(reader, pool, 0) for _ in range(reader.count(4)))


def _annotation(reader: ByteReader, pool: ConstantPool, depth: int) -> str:
    at = reader.at
    type_ = pool.text(reader.u2(), at)
    for _ in range(reader.count(3)):
        reader.u2()
        _pass_value(reader, pool, depth)
    return type_


_DEEPEST = 100
"""How deep values of annotations may be in each other."""


def _pass_value(reader: ByteReader, pool: ConstantPool, depth: int) -> None:
    at = reader.at
    tag = chr(reader.u1())
    if depth > _DEEPEST:
        raise reader.error(at, "annotations are too deep in each other")
    if tag in "BCDFIJSZsc":
        reader.u2()
    elif tag == "e":
        reader.u4()
    elif tag == "@":
        _annotation(reader, pool, depth + 1)
    elif tag == "[":
        for _ in range(reader.count(3)):
            _pass_value(reader, pool, depth + 1)
    else:
        raise reader.error(at, f"{ord(tag)} is no kind of value of an annotation")


def _inner_class(reader: ByteReader, pool: ConstantPool) -> InnerClass:
    at = reader.at
    return InnerClass(
        pool.class_name(reader.u2(), at),
        pool.optional_class_name(reader.u2(), at),
        pool.optional_text(reader.u2(), at),
        reader.u2(),
    )


def _component(reader: ByteReader, pool: ConstantPool) -> RecordComponent:
    at = reader.at
    name, descriptor = pool.text(reader.u2(), at), pool.text(reader.u2(), at)
    pool.check_field(name, descriptor, at)
    attributes(reader, pool)
    return RecordComponent(name, descriptor)


def _bootstrap_method(reader: ByteReader, pool: ConstantPool) -> BootstrapMethod:
    at = reader.at
    handle = pool.of_kind(MethodHandle, reader.u2(), at)
    arguments = [_argument(reader, pool) for _ in range(reader.count(2))]
    return BootstrapMethod(handle, tuple(arguments))


def _argument(reader: ByteReader, pool: ConstantPool) -> Loadable:
    at = reader.at
    index = reader.u2()
    found = pool.constant(index, at)
    if not isinstance(found, LOADABLE):
        raise reader.error(at, f"constant {index} cannot be given to a bootstrap method")
    return found


def _is_cyclic(methods: tuple[BootstrapMethod, ...]) -> bool:
    """Does the argument of a bootstrap method need the same bootstrap method?

    Those that need nothing are taken away until none is left, or only circles.
    """
    needed_by: dict[int, list[int]] = {}
    needs = [0] * len(methods)
    for index, method in enumerate(methods):
        for argument in method.arguments:
            if isinstance(argument, Dynamic):
                needed_by.setdefault(argument.bootstrap, []).append(index)
                needs[index] += 1
    ready = [index for index, count in enumerate(needs) if not count]
    left = len(methods)
    while ready:
        left -= 1
        for index in needed_by.get(ready.pop(), ()):
            needs[index] -= 1
            if not needs[index]:
                ready.append(index)
    return left > 0
