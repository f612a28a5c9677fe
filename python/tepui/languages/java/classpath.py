"""Classes by their names: those of the program, in folders and jars, and those of the JDK.

As in a JVM, the JDK goes first, so that no program can replace `java/lang/Object`. A class is read
once, and found again by its name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from tepui.languages.java.byte_reader import short
from tepui.languages.java.class_places import ClassPlace, Folder, Found, Jar
from tepui.languages.java.classfile import NEWEST, ClassFile, read_class
from tepui.languages.java.descriptors import is_class_name
from tepui.languages.java.jdk import Jdk
from tepui.languages.source import FileName, Source, file_error, require_file


class Classpath:
    """Where the classes of a program come from."""

    def __init__(self, paths: Iterable[FileName] = (), jdk: Jdk | None = None) -> None:
        self._of_jdk: tuple[ClassPlace, ...] = jdk.places if jdk else ()
        self._own = [_place(os.fspath(path)) for path in paths]
        self._version = (jdk.version if jdk else 0) or NEWEST - 44
        self._sources = jdk.sources if jdk else None
        self._found: dict[str, tuple[ClassFile, ClassPlace] | None] = {}

    def find(self, name: str) -> ClassFile | None:
        """The class with this internal name, such as `java/util/Vector`; its `source` says where
        it was found."""
        found = self._find(name)
        return found[0] if found else None

    def is_of_jdk(self, name: str) -> bool:
        """Is there such a class, and does it come from the JDK?"""
        found = self._find(name)
        return found is not None and found[1] in self._of_jdk

    def source_of(self, name: str) -> Source | None:
        """The text of a class, if it lies beside it, or beside the JDK."""
        found = self._find(name)
        if found is None or not found[0].source_file:
            return None
        package, slash, _ = name.rpartition("/")
        file = package + slash + found[0].source_file
        if found[1] not in self._of_jdk:
            return _text(found[1].find(file, self._version))
        return _text(self._sources.find(file, self._version)) if self._sources else None

    def _find(self, name: str) -> tuple[ClassFile, ClassPlace] | None:
        if name not in self._found:
            self._found[name] = self._search(name)
        return self._found[name]

    def _search(self, name: str) -> tuple[ClassFile, ClassPlace] | None:
        if not is_class_name(name):
            return None
        for place in (*self._of_jdk, *self._own):
            found = place.find(f"{name}.class", self._version)
            if found:
                return _class(found, name), place
        return None


def _place(path: str) -> ClassPlace:
    if os.path.isdir(path):
        return Folder(path)
    require_file(path)
    return Jar(path)


def _class(found: Found, name: str) -> ClassFile:
    read = read_class(found.data, found.name)
    if read.name != name:
        raise file_error(found.name, f"expected the class {short(name)}, found {short(read.name)}")
    return read


def _text(found: Found | None) -> Source | None:
    return Source.of_bytes(found.data, found.name) if found else None
