"""Which methods a Java program can begin with, and which one, or which ones, a user means.

An entry is named as `method`, `Class.method` or `package.Class.method`, and by its types where
several methods have one name: `test(int, boolean)`, or as class files have it, `test(IZ)V`. With
`*` and `?` a name is a pattern for all methods that can be called from outside, and `@Test` stands
for those with an annotation of this name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase

from tepui.errors import InputError, UsageError
from tepui.languages.java.classfile import ABSTRACT, PRIVATE, SYNTHETIC
from tepui.languages.java.hierarchy import STATIC, Hierarchy, JavaClass, JavaMethod
from tepui.languages.java.java_options import is_pattern
from tepui.languages.source import file_error
from tepui.parameter_names import given, named
from tepui.words import did_you_mean

MAIN = ("main", "([Ljava/lang/String;)V")

_SHOWN = 5


class Entries:
    """The methods of some classes with which a program can begin."""

    def __init__(
        self, path: str, hierarchy: Hierarchy, classes: Sequence[str], main_class: str | None
    ) -> None:
        self._path, self._hierarchy = path, hierarchy
        self._names = classes
        self._main_class = main_class
        """The class that is meant where none is named."""

    def only(self, entry: str | None) -> JavaMethod:
        """The one method that is meant."""
        if entry is None:
            return self._main()
        if not is_pattern(entry):
            return self._named(entry)
        found = self.all_of(entry)
        if len(found) > 1:
            raise UsageError(
                f"{given('entry', entry)}: there are {len(found)} such methods, and here one is "
                f"expected: {_some(map(entry_name, found))}"
            )
        return found[0]

    def all_of(self, entry: str) -> list[JavaMethod]:
        """All methods that are meant; at least one."""
        if not is_pattern(entry):
            return [self._named(entry)]
        if entry.startswith("@"):
            return self._annotated(entry)
        name, _, types = entry.replace("#", ".").partition("(")
        owner, dot, own = name.rpartition(".")
        found = [
            method
            for each in self._classes()
            if not dot or any(fnmatchcase(called, owner) for called in _class_names(each.name))
            for method in _startable(each)
            if fnmatchcase(method.name, own) and _has_types(method, types)
        ]
        if not found:
            known = [entry_name(each) for some in self._classes() for each in _startable(some)]
            hint = did_you_mean(entry, known) or (f"; there are {_some(known)}" if known else "")
            raise UsageError(f"{given('entry', entry)}: {self._path} has no such method{hint}")
        return found

    def _annotated(self, entry: str) -> list[JavaMethod]:
        """All methods with an annotation."""
        found = [
            method
            for each in self._classes()
            for method in _startable(each)
            if any(entry[1:] in _class_names(name) for name in _annotations_of(method))
        ]
        if not found:
            raise UsageError(
                f"{given('entry', entry)}: {self._path} has no method with this annotation"
            )
        return found

    def _main(self) -> JavaMethod:
        """The main method, of the class that the file is called after if there is such a one."""
        if self._main_class is not None:
            found = self._hierarchy.find(self._main_class)
            if found is None:
                name = self._main_class.replace("/", ".")
                raise UsageError(
                    f"{self._path}: its main class {name or '(no name)'} cannot be found; name a "
                    f"method with {named('entry')}"
                )
            main = self._hierarchy.method(found.name, *MAIN)
            if main is not None and main.flags & STATIC:
                return main
        with_main = [
            method
            for each in self._classes()
            if (method := each.methods.get(MAIN)) and method.flags & STATIC
        ]
        if len(with_main) == 1:
            return with_main[0]
        if with_main:
            raise UsageError(
                f"{self._path}: there are several main methods; name one with {named('entry')}: "
                f"{_some(map(entry_name, with_main))}"
            )
        known = [entry_name(each) for some in self._classes() for each in _startable(some)]
        hint = f", such as {_some(known)}" if known else ""
        raise file_error(
            self._path,
            f"there is no main method; name a method to begin with by {named('entry')}{hint}",
        )

    def _named(self, entry: str) -> JavaMethod:
        name, bracket, types = entry.replace("#", ".").partition("(")
        owner, _, method = name.rpartition(".")
        classes = self._owners(entry, owner)
        found = [
            each for one in classes for each in self._declared(one, method)
            if not bracket or _has_types(each, types)
        ]  # fmt: skip
        if not found:
            raise UsageError(f"{given('entry', entry)}: {self._nothing(classes, method)}")
        if len(found) > 1:
            forms = _some(entry_name(each) + shown_types(each) for each in found)
            raise UsageError(f"{given('entry', entry)}: there are several, name one of {forms}")
        self._check(entry, found[0])
        return found[0]

    def _owners(self, entry: str, owner: str) -> list[JavaClass]:
        """The classes that a name before a method means; any, if there is none."""
        if not owner:
            if self._main_class is None:
                return list(self._classes())
            found = self._hierarchy.find(self._main_class)
            return [] if found is None else [found]
        classes = [each for each in self._classes() if owner in _class_names(each.name)]
        if classes:
            return classes
        parts = owner.split(".")
        for split in range(len(parts), 0, -1):
            found = self._hierarchy.find(
                "/".join(parts[:split]) + "".join(f"${each}" for each in parts[split:])
            )
            if found is not None:
                return [found]
        known = [name for each in self._classes() for name in _class_names(each.name)]
        raise UsageError(
            f"{given('entry', entry)}: {self._path} has no class {owner}"
            f"{did_you_mean(owner, known)}"
        )

    def _declared(self, owner: JavaClass, name: str) -> Iterator[JavaMethod]:
        """The methods with a name that a class has, its own or inherited, as its own."""
        seen = set[str]()
        for each in self._hierarchy.superclasses(owner.name):
            if each.origin != owner.origin:
                return
            for method in each.methods.values():
                is_new = method.name == name and method.descriptor not in seen
                if is_new and "<" not in name and method.code and not method.flags & SYNTHETIC:
                    seen.add(method.descriptor)
                    yield method if method.is_static else _as_own(method, owner)

    def _nothing(self, classes: Sequence[JavaClass], method: str) -> str:
        names = sorted({each.name for one in classes for each in _startable(one)})
        where = f"class {dotted(classes[0].name)}" if len(classes) == 1 else self._path
        hint = did_you_mean(method, names)
        others = f"; it has {_some(names)}" if names and not hint else ""
        return f"{where} has no method {method or '?'} with code{hint}{others}"

    def _check(self, entry: str, method: JavaMethod) -> None:
        """Refuse a method of objects that cannot be made."""
        owner = method.owner
        if method.is_static:
            return
        if owner.flags & ABSTRACT:
            raise UsageError(
                f"{given('entry', entry)}: {dotted(owner.name)} is abstract, so there is no object "
                "to call it with; name a static method, or one of a class that extends it"
            )
        if ("<init>", "()V") not in owner.methods:
            raise UsageError(
                f"{given('entry', entry)}: {dotted(owner.name)} has no constructor without "
                "parameters to make an object by; name a static method, or add such a constructor"
            )

    def _classes(self) -> Iterator[JavaClass]:
        """The classes that can be read; in a folder or archive there may be others."""
        for name in self._names:
            with suppress(InputError):
                found = self._hierarchy.find(name)
                if found is not None:
                    yield found


def entry_name(method: JavaMethod) -> str:
    """How a user can name a method."""
    return f"{dotted(method.owner.name)}.{method.name}"


def shown_types(method: JavaMethod) -> str:
    """The types of the parameters of a method, as Java writes them."""
    return f"({', '.join(map(_java_type, method.parameters))})"


def dotted(name: str) -> str:
    """A class as Java writes it."""
    return re.sub(r"\$(?=[^0-9])", ".", name.replace("/", "."))


def _startable(owner: JavaClass) -> Iterator[JavaMethod]:
    """The methods of a class that patterns stand for: those that can be called from outside, on an
    object that can be made."""
    made = not owner.flags & ABSTRACT and ("<init>", "()V") in owner.methods
    for method in owner.methods.values():
        hidden = method.flags & (PRIVATE | SYNTHETIC | ABSTRACT)
        if not hidden and "<" not in method.name and (made or method.is_static) and method.code:
            yield method


def _annotations_of(method: JavaMethod) -> Iterator[str]:
    """The internal names of the annotations of a method."""
    file = method.owner.file
    found = None if file is None else file.find_method(method.name, method.descriptor)
    for descriptor in () if found is None else found.annotations:
        yield descriptor.removeprefix("L").removesuffix(";")


def _class_names(name: str) -> list[str]:
    """How a class may be called: with or without its package and what encloses it."""
    whole = name.replace("/", ".")
    simple = whole.rpartition(".")[2]
    return list(
        dict.fromkeys(
            (whole, dotted(name), simple, dotted(simple), dotted(simple).rpartition(".")[2])
        )
    )


def _has_types(method: JavaMethod, types: str) -> bool:
    """Whether a method has parameters, as Java or as class files write them."""
    wanted = types.strip()
    if not wanted or method.descriptor[1:].startswith(wanted):
        return True
    texts = [each.strip() for each in wanted.rstrip(") ").split(",")]
    names = [_java_type(each) for each in method.parameters]
    return [each for each in texts if each] == names


_PRIMITIVES = {
    "Z": "boolean", "B": "byte", "C": "char", "S": "short", "I": "int", "J": "long",
    "F": "float", "D": "double",
}  # fmt: skip


def _java_type(descriptor: str) -> str:
    element = descriptor.lstrip("[")
    name = _PRIMITIVES.get(element) or dotted(element[1:-1]).rpartition(".")[2]
    return name + "[]" * (len(descriptor) - len(element))


def _as_own(method: JavaMethod, owner: JavaClass) -> JavaMethod:
    """A method as one of a class that inherits it."""
    if method.owner is owner:
        return method
    return JavaMethod(owner, method.name, method.descriptor, method.flags, lambda: method.code)


def _some(names: Iterator[str] | Sequence[str]) -> str:
    listed = list(dict.fromkeys(names))
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more
