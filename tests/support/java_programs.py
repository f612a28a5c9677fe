"""Java programs for tests of the translator: texts compiled once, without files of their own."""

from __future__ import annotations

from functools import cache

from support.java import compiled
from tepui.languages.java.classfile import ClassFile, read_class
from tepui.languages.java.classpath import Classpath
from tepui.languages.java.entries import Entries
from tepui.languages.java.hierarchy import Hierarchy, JavaMethod, Origin
from tepui.languages.java.java_options import JavaOptions
from tepui.languages.java.java_program import Found, translated
from tepui.languages.java.jdk import find_jdk
from tepui.languages.java.library import MODELS, Library
from tepui.languages.java.source_lines import SourceLines
from tepui.program.program import Edge, Procedure, Program


class JavaText:
    """A text, compiled, with all that the translator makes of it."""

    def __init__(self, text: str) -> None:
        self.files = compiled(text, "-g", "-cp", str(MODELS))

    def hierarchy(self) -> Hierarchy:
        """Its classes, with models and those of the JDK. Analyses add classes to it."""
        return Hierarchy(_Finder(self.files))

    def entry(self, hierarchy: Hierarchy, name: str) -> JavaMethod:
        """A method, by its name with its class."""
        return Entries("Text.java", hierarchy, sorted(self.files), None).only(name)

    def found(self, entry: str) -> Found:
        """What is reachable from a method."""
        hierarchy = self.hierarchy()
        return Found(hierarchy, self.entry(hierarchy, entry))

    def program(self, entry: str, *, races: bool = False) -> Program:
        """The Program of a method."""
        hierarchy = self.hierarchy()
        method = self.entry(hierarchy, entry)
        return translated(hierarchy, method, JavaOptions(races=races), SourceLines([], {}))


@cache
def java_text(text: str) -> JavaText:
    """A text, compiled once."""
    return JavaText(text)


def code_pcs(method: JavaMethod, operation: str) -> list[int]:
    """Where a method has some instruction."""
    assert method.code is not None
    return [each.pc for each in method.code.instructions if each.operation == operation]


def edges_of(program: Program, kind: type[Edge]) -> list[tuple[Procedure, Edge]]:
    """All edges of some kind, with their procedures."""
    return [
        (procedure, edge)
        for procedure in program.procedures
        for edge in procedure.edges
        if isinstance(edge, kind)
    ]


class _Finder:
    """Classes of a text, beside those of a library."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files

    def find(self, name: str) -> tuple[ClassFile, Origin] | None:
        if name in self._files:
            return read_class(self._files[name], f"{name}.class"), "program"
        return _library().find(name)


@cache
def _library() -> Library:
    return Library(Classpath([], find_jdk()))
