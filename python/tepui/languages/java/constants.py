"""The constants of a class file, as instructions and attributes refer to them (JVMS 4.4).

The numbers have types of their own, because 1, 1L, 1.0f and 1.0 are different constants.
"""

from __future__ import annotations

from typing import TypeAlias

from tepui.records import record


@record
class IntConstant:
    """An int, or a smaller type that the JVM treats as one."""

    value: int


@record
class LongConstant:
    value: int


@record
class FloatConstant:
    value: float


@record
class DoubleConstant:
    value: float


@record
class StringConstant:
    """A string; surrogates without a partner are possible in Java, and stay as they are."""

    text: str


@record
class ClassRef:
    """A class by its internal name, `java/util/Vector`, or an array by its descriptor, `[I`."""

    name: str


@record
class FieldRef:
    """A field, by the class where the search for it begins."""

    owner: str
    name: str
    descriptor: str


@record
class MethodRef:
    """A method, by the class, array type or interface where the search for it begins."""

    owner: str
    name: str
    descriptor: str
    is_interface: bool


@record
class MethodHandle:
    """A method handle; its kind is that of JVMS 4.4.8, from 1 (`getField`) to 9
    (`invokeInterface`)."""

    kind: int
    target: FieldRef | MethodRef


@record
class MethodType:
    """The type of a method as a value."""

    descriptor: str


@record
class Dynamic:
    """A constant that a bootstrap method computes; `bootstrap` is its index in the class."""

    bootstrap: int
    name: str
    descriptor: str


@record
class InvokeDynamic:
    """A call of what a bootstrap method finds; `bootstrap` is its index in the class."""

    bootstrap: int
    name: str
    descriptor: str


Loadable: TypeAlias = (
    IntConstant
    | LongConstant
    | FloatConstant
    | DoubleConstant
    | StringConstant
    | ClassRef
    | MethodHandle
    | MethodType
    | Dynamic
)
"""What `ldc` can load, and bootstrap methods can be given."""

Constant: TypeAlias = Loadable | FieldRef | MethodRef | InvokeDynamic
