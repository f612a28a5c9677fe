"""The classes in a file or folder that a user names, and where they begin.

A class file lies in the folder of its package, and its root is where packages begin. A source, and
a folder that has sources only, is compiled first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from tempfile import TemporaryDirectory

from tepui.errors import InputError
from tepui.languages.java.class_places import Jar
from tepui.languages.java.classfile import ClassFile, read_class
from tepui.languages.java.classpath import Classpath
from tepui.languages.java.compiling import (
    compile_folder,
    compile_source,
    package_of,
    sources_below,
)
from tepui.languages.java.entries import Entries
from tepui.languages.java.hierarchy import Hierarchy
from tepui.languages.java.java_options import JavaOptions
from tepui.languages.java.jdk import find_jdk
from tepui.languages.java.library import Library
from tepui.languages.java.source_lines import SourceLines
from tepui.languages.source import Source, file_error, is_folder, require_file, suffix_of

_MOST_CLASSES = 100_000


class JavaFiles:
    """The classes of a source, a class file, an archive or a folder, while it is open."""

    def __init__(self, path: str, options: JavaOptions, text: Source | None = None) -> None:
        self.path = path
        self._stack = ExitStack()
        self._text = text
        self._options = options
        self._main_class: str | None = None
        self._files: dict[str, str] = {}
        self._sources: list[str] = []

    def __enter__(self) -> JavaFiles:
        self._require_classes()
        self.jdk = find_jdk(self._options.jdk)
        with ExitStack() as stack:
            self._root = self._opened(stack)
            self.classpath = Classpath([self._root, *self._options.classpath], self.jdk)
            self._names = list(_class_names(self._root))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def jdk_name(self) -> str:
        """The JDK in words."""
        return f"JDK {self.jdk.full_version or self.jdk.version} in {self.jdk.home}"

    def hierarchy(self) -> Hierarchy:
        """All classes, as one program sees them."""
        return Hierarchy(Library(self.classpath))

    def entries(self, hierarchy: Hierarchy) -> Entries:
        """The methods to begin with."""
        return Entries(self.path, hierarchy, self._names, self._main_class)

    def sources(self) -> SourceLines:
        """The sources of the classes."""
        texts = {} if self._text is None else {self.path: self._text.lines}
        folders = [*self._sources, *self._options.classpath]
        return SourceLines(folders, self._files, texts)

    def _opened(self, stack: ExitStack) -> str:
        """The root of the classes, compiled if need be."""
        suffix, path = suffix_of(self.path), self.path
        if self._text is None and is_folder(path):
            return self._opened_folder(stack)
        if suffix == ".java" or self._text is not None:
            return self._compiled(stack)
        if suffix == ".class":
            found = read_file_class(path)
            self._main_class = found.name
            root = os.path.abspath(path)
            for _ in range(found.name.count("/") + 1):
                root = os.path.dirname(root)
            self._sources = [root, os.path.dirname(os.path.abspath(path))]
            return root
        self._main_class = _main_class_of_jar(path)
        self._sources = [os.path.dirname(os.path.abspath(path))]
        return path

    def _require_classes(self) -> None:
        """An InputError if there is no such file, or a folder has nothing that is Java."""
        path = self.path
        if self._text is not None:
            return
        if not is_folder(path):
            require_file(path)
        else:
            for some in (_class_names(path), sources_below(path)):
                if any(True for _ in some):
                    return
            raise file_error(
                path, "this is a directory, expected a file, or a folder with Java classes"
            )

    def _opened_folder(self, stack: ExitStack) -> str:
        path = self.path
        self._sources = [path]
        if any(True for _ in _class_names(path)):
            return path
        folder = stack.enter_context(TemporaryDirectory(prefix="tepui-java-"))
        compile_folder(path, folder, self.jdk, self._options.classpath)
        self._files = {os.path.relpath(each, path): each for each in sources_below(path)}
        return folder

    def _compiled(self, stack: ExitStack) -> str:
        folder = stack.enter_context(TemporaryDirectory(prefix="tepui-java-"))
        path = self.path
        if self._text is not None:
            path = os.path.join(stack.enter_context(TemporaryDirectory()), "Main.java")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(self._text.lines))
        text = Source.of_file(path)
        try:
            name = compile_source(path, "\n".join(text.lines), folder, self.jdk, self._classpath)
        except InputError as error:
            if self._text is None or error.source != path:
                raise
            raise InputError(
                self.path, error.line, error.column, error.message, error.text
            ) from None
        package = package_of("\n".join(text.lines)).replace(".", "/")
        before = f"{package}/" if package else ""
        self._files = {f"{before}{name}.java": self.path}
        if self._text is None:
            here = os.path.dirname(path)
            above = [".."] * (package.count("/") + 1 if package else 0)
            self._sources = [here or ".", os.path.join(here, *above) or "."]
        if os.path.isfile(os.path.join(folder, f"{before}{name}.class")):
            self._main_class = before + name
        return folder

    @property
    def _classpath(self) -> Sequence[str]:
        return self._options.classpath


def read_file_class(path: str) -> ClassFile:
    """The class in a file."""
    from tepui.languages.java.class_places import Folder

    found = Folder(os.path.dirname(path) or ".").find(os.path.basename(path), 0)
    if found is None:
        require_file(path)
        raise file_error(path, "the file cannot be read")
    return read_class(found.data, path)


def _main_class_of_jar(path: str) -> str | None:
    """The class that an archive says it begins with."""
    found = Jar(path).find("META-INF/MANIFEST.MF", 0)
    lines = [] if found is None else found.data.decode("utf-8", "replace").splitlines()
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip().lower() == "main-class":
            return value.strip().replace(".", "/")
    return None


def _class_names(root: str) -> Iterator[str]:
    """The internal names of the classes in a folder or an archive, in order."""
    files = _files_of_folder(root) if is_folder(root) else Jar(root).names()
    for number, name in enumerate(files):
        if number > _MOST_CLASSES:
            raise file_error(root, f"there are more than {_MOST_CLASSES:,} files in it")
        if name.endswith(".class") and not name.startswith("META-INF/"):
            yield name.removesuffix(".class")


def _files_of_folder(root: str) -> Iterator[str]:
    for here, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = os.path.relpath(here, root).replace(os.sep, "/")
        before = "" if inside == "." else f"{inside}/"
        yield from (before + name for name in sorted(files))
