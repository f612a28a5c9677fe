"""The classes of a program, where they come from, and how names in them are resolved.

A class comes from a model of ours, from the user, or from the JDK, in this order. Whatever the JDK
implements natively or in a very complicated way is not entered: a call of it is a limit of the
translation (`Library.is_entered`).

Resolution is that of JVMS 5.4.3 and 5.4.6, without checks of access: bytecode that was compiled
passes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, Protocol

from tepui.languages.java.classfile import ClassFile
from tepui.languages.java.code import Code
from tepui.languages.java.constants import FieldRef
from tepui.languages.java.descriptors import method_descriptor
from tepui.languages.java.record_methods import RECORD, record_code

Origin = Literal["model", "program", "jdk"]

OBJECT, THREAD, THROWABLE = "java/lang/Object", "java/lang/Thread", "java/lang/Throwable"
STRING, CLASS = "java/lang/String", "java/lang/Class"

STATIC, PRIVATE, ABSTRACT, INTERFACE, SYNCHRONIZED, VOLATILE, FINAL, NATIVE = (
    0x8, 0x2, 0x400, 0x200, 0x20, 0x40, 0x10, 0x100,
)  # fmt: skip

MethodKey = tuple[str, str, str]
"""A method, by its class, its name and its descriptor."""


class JavaField:
    """A field of a class, static or of its objects."""

    __slots__ = ("constant", "descriptor", "flags", "name", "owner")

    def __init__(
        self, owner: str, name: str, descriptor: str, flags: int, constant: object = None
    ) -> None:
        self.owner, self.name, self.descriptor = owner, name, descriptor
        self.flags, self.constant = flags, constant

    @property
    def key(self) -> tuple[str, str]:
        return self.owner, self.name

    @property
    def is_static(self) -> bool:
        return bool(self.flags & STATIC)


class JavaMethod:
    """A method of a class. Its code is decoded when it is first asked for."""

    __slots__ = ("_code", "_read", "descriptor", "flags", "name", "owner")

    def __init__(
        self,
        owner: JavaClass,
        name: str,
        descriptor: str,
        flags: int,
        read: Callable[[], Code | None],
    ) -> None:
        self.owner, self.name, self.descriptor, self.flags = owner, name, descriptor, flags
        self._read: Callable[[], Code | None] | None = read
        self._code: Code | None = None

    @property
    def code(self) -> Code | None:
        if self._read is not None:
            self._code, self._read = self._read(), None
        return self._code

    @property
    def key(self) -> MethodKey:
        return self.owner.name, self.name, self.descriptor

    @property
    def is_static(self) -> bool:
        return bool(self.flags & STATIC)

    @property
    def is_synchronized(self) -> bool:
        return bool(self.flags & SYNCHRONIZED)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The types of its parameters, without `this`."""
        return method_descriptor(self.descriptor).parameters

    @property
    def result(self) -> str:
        return method_descriptor(self.descriptor).result

    def __repr__(self) -> str:
        return f"<{self.owner.name}.{self.name}{self.descriptor}>"


class JavaClass:
    """A class or an interface, read from a file or made for a lambda."""

    def __init__(
        self,
        name: str,
        superclass: str | None,
        interfaces: tuple[str, ...] = (),
        flags: int = 0,
        origin: Origin = "program",
        source_file: str | None = None,
    ) -> None:
        self.name, self.superclass, self.interfaces = name, superclass, interfaces
        self.flags, self.origin, self.source_file = flags, origin, source_file
        self.fields: dict[str, JavaField] = {}
        self.methods: dict[tuple[str, str], JavaMethod] = {}
        self.file: ClassFile | None = None

    @property
    def is_interface(self) -> bool:
        return bool(self.flags & INTERFACE)

    @property
    def has_default_methods(self) -> bool:
        """Whether an interface has a method of objects with code."""
        return any(not each.flags & (ABSTRACT | STATIC) for each in self.methods.values())

    @property
    def simple_name(self) -> str:
        """The name without packages and enclosing classes."""
        name = self.name.rsplit("/", 1)[-1]
        parts = [part for part in name.split("$") if part]
        if parts and parts[-1].isdigit():
            return "$".join(parts[-2:])
        return parts[-1].lstrip("0123456789") if parts else name

    @staticmethod
    def of_file(file: ClassFile, origin: Origin) -> JavaClass:
        made = JavaClass(
            file.name, file.superclass, tuple(file.interfaces), file.flags, origin,
            file.source_file,
        )  # fmt: skip
        made.file = file
        for field in file.fields:
            made.fields[field.name] = JavaField(
                file.name, field.name, field.descriptor, field.flags, field.constant
            )
        for method in file.methods:
            # It is decoded when it is needed.
            read = lambda method=method: method.code  # noqa: E731
            if file.superclass == RECORD:
                read = lambda method=method: record_code(  # noqa: E731
                    method.name, method.descriptor, method.code, file.bootstrap_methods
                )
            made.methods[method.name, method.descriptor] = JavaMethod(
                made, method.name, method.descriptor, method.flags, read
            )
        return made


class Finder(Protocol):
    """Where classes are found by name."""

    def find(self, name: str) -> tuple[ClassFile, Origin] | None: ...


class Hierarchy:
    """All classes that have been asked for, and what their names mean."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self._classes: dict[str, JavaClass | None] = {}
        self._supertypes: dict[str, tuple[str, ...]] = {}

    def add(self, made: JavaClass) -> None:
        """A class that stands in no file."""
        self._classes[made.name] = made

    def find(self, name: str) -> JavaClass | None:
        """The class with this name, if there is one."""
        if name not in self._classes:
            found = self._finder.find(name)
            self._classes[name] = None if found is None else JavaClass.of_file(*found)
        return self._classes[name]

    def superclasses(self, name: str) -> Iterator[JavaClass]:
        """A class and those that it extends, the nearest first; arrays extend Object."""
        at: str | None = OBJECT if name.startswith("[") else name
        seen = set[str]()
        while at is not None and at not in seen:
            seen.add(at)
            found = self.find(at)
            if found is None:
                return
            yield found
            at = found.superclass

    def missing_above(self, name: str) -> str | None:
        """A superclass or interface of a class that cannot be found, if there is one."""
        return next((each for each in self.supertypes(name) if self.find(each) is None), None)

    def initialised_with(self, name: str) -> list[JavaClass]:
        """A class and all that is initialised before it: what it extends, and the interfaces that
        have methods with code (JVMS 5.5, step 7). For an interface that is only itself."""
        own = self.find(name)
        if own is None or own.is_interface:
            return [own] if own else []
        found = list(self.superclasses(name))
        for each in self.supertypes(name):
            interface = self.find(each)
            if interface and interface.is_interface and interface.has_default_methods:
                found.append(interface)
        return found

    def initialised_before(self, name: str) -> list[str]:
        """What a class initialises itself, in this order: its superclass, then the interfaces
        with default methods that it has and its superclass has not."""
        own = self.find(name)
        if own is None or own.is_interface:
            return []
        above = [own.superclass] if own.superclass else []
        done = set(self.supertypes(own.superclass)) if own.superclass else set()
        for interface in own.interfaces:
            above += [each for each in self._default_interfaces(interface) if each not in done]
        return list(dict.fromkeys(above))

    def _default_interfaces(self, name: str) -> Iterator[str]:
        """An interface and those that it extends, these first, as far as they have code."""
        found = self.find(name)
        if found is None:
            return
        for each in found.interfaces:
            yield from self._default_interfaces(each)
        if found.has_default_methods:
            yield name

    def supertypes(self, name: str) -> tuple[str, ...]:
        """All types that an object of some class has, its own first."""
        if name not in self._supertypes:
            self._supertypes[name] = tuple(dict.fromkeys(self._all_supertypes(name)))
        return self._supertypes[name]

    def is_subtype(self, name: str, of: str) -> bool:
        return of == OBJECT or of in self.supertypes(name)

    def method(self, owner: str, name: str, descriptor: str) -> JavaMethod | None:
        """The method that a reference means (JVMS 5.4.3.3, 5.4.3.4)."""
        for each in self.superclasses(owner):
            if found := each.methods.get((name, descriptor)):
                return found
        return self._of_interfaces(owner, name, descriptor)

    def selected(self, dynamic: str, name: str, descriptor: str) -> JavaMethod | None:
        """The method that is executed for an object of some class (JVMS 5.4.6)."""
        for each in self.superclasses(dynamic):
            found = each.methods.get((name, descriptor))
            if found and not found.flags & (STATIC | PRIVATE | ABSTRACT):
                return found
        return self._of_interfaces(dynamic, name, descriptor)

    def field(self, reference: FieldRef) -> JavaField | None:
        """The field that a reference means (JVMS 5.4.3.2)."""
        for name in self.supertypes(reference.owner):
            each = self.find(name)
            found = each and each.fields.get(reference.name)
            if found and found.descriptor == reference.descriptor:
                return found
        return None

    def _of_interfaces(self, owner: str, name: str, descriptor: str) -> JavaMethod | None:
        """The most specific method of an interface, one with code if there is such a one."""
        found = [
            method
            for each in map(self.find, self.supertypes(owner))
            if each and each.is_interface and (method := each.methods.get((name, descriptor)))
            if not method.flags & (STATIC | PRIVATE)
        ]
        concrete = [method for method in found if not method.flags & ABSTRACT]
        for method in concrete:
            others = (each for each in concrete if each is not method)
            if all(self.is_subtype(method.owner.name, each.owner.name) for each in others):
                return method
        return concrete[0] if concrete else found[0] if found else None

    def _all_supertypes(self, name: str) -> Iterator[str]:
        waiting, seen = [name], set[str]()
        while waiting:
            at = waiting.pop(0)
            if at in seen:
                continue
            seen.add(at)
            yield at
            if at.startswith("["):
                waiting += self._array_supertypes(at)
            elif found := self.find(at):
                waiting += [found.superclass] if found.superclass else []
                waiting += found.interfaces

    def _array_supertypes(self, name: str) -> list[str]:
        """Arrays of objects are arrays of what these are, too."""
        above = [OBJECT, "java/lang/Cloneable", "java/io/Serializable"]
        element = name[1:]
        if element.startswith("["):
            upper = self.supertypes(element)[1:]
            return [*(f"[{e}" if e.startswith("[") else f"[L{e};" for e in upper), *above]
        if element.startswith("L"):
            others = self.supertypes(element[1:-1])[1:]
            return [*(f"[L{each};" for each in others), *above]
        return above


def class_of_descriptor(descriptor: str) -> str | None:
    """The class, or type of arrays, that a descriptor of a reference names."""
    if descriptor.startswith("L"):
        return descriptor[1:-1]
    return descriptor if descriptor.startswith("[") else None
