"""Java programs from files: sources are compiled, classes found, and the entry is chosen."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence

from tepui.errors import InputError, UsageError
from tepui.languages.java.classpath import Classpath
from tepui.languages.java.hierarchy import STATIC, Hierarchy, JavaClass, JavaMethod
from tepui.languages.java.jdk import Jdk, find_jdk
from tepui.languages.java.library import MODELS, Library
from tepui.languages.java.options import JavaOptions
from tepui.languages.java.source_lines import SourceLines
from tepui.languages.java.translation import translated
from tepui.languages.source import file_error, stem_of, suffix_of
from tepui.parameter_names import named
from tepui.program.program import Program
from tepui.words import did_you_mean

_MAIN = ("main", "([Ljava/lang/String;)V")


def load_java(path: str, options: JavaOptions) -> Program:
    """The Program of a source file, a class file, an archive or a folder."""
    jdk = find_jdk(options.jdk)
    name, files = stem_of(path), dict[str, str]()
    with tempfile.TemporaryDirectory(prefix="tepui-java-") as folder:
        if suffix_of(path) == ".java":
            name = _compile(path, folder, jdk, options)
            roots = [folder]
            sources = [os.path.dirname(os.path.abspath(path))]
            files[f"{name}.java"] = path
        else:
            roots = [_root(path)]
            sources = [roots[0] if os.path.isdir(roots[0]) else os.path.dirname(roots[0])]
        classpath = Classpath([*roots, *options.classpath], jdk)
        hierarchy = Hierarchy(Library(classpath))
        entry = _entry(path, hierarchy, roots[0], name, options)
        return translated(hierarchy, entry, options, SourceLines([*sources, *options.classpath], files))


def _root(path: str) -> str:
    """The folder or archive in which classes are found by their names."""
    if suffix_of(path) != ".class":
        return path
    from tepui.languages.java.classfile import read_class

    with open(path, "rb") as file:
        name = read_class(file.read(), path).name
    folder = os.path.abspath(path)
    for _ in range(name.count("/") + 1):
        folder = os.path.dirname(folder)
    return folder


def _compile(path: str, folder: str, jdk: Jdk, options: JavaOptions) -> str:
    """Compile a source into a folder; the name of the file that the compiler wants it to have."""
    if jdk.javac is None:
        raise UsageError(
            f"{path}: sources need a compiler, and {jdk.home} has none: install a JDK, or give "
            "class files"
        )
    here = os.path.dirname(os.path.abspath(path))
    classpath = os.pathsep.join([str(MODELS), *options.classpath])
    command = [
        jdk.javac, "-g", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", folder,
        "-cp", classpath, "-sourcepath", here,
    ]  # fmt: skip
    output = _compiled(command, path)
    wanted = _WRONG_NAME.search(output)
    if wanted is None:
        if output:
            raise _compiler_error(path, output)
        return stem_of(path)
    # A public class must be in a file of its name: give it one.
    with tempfile.TemporaryDirectory(prefix="tepui-java-") as other:
        copy = os.path.join(other, f"{wanted[1]}.java")
        shutil.copyfile(path, copy)
        output = _compiled(command, copy)
        if output:
            raise _compiler_error(path, output.replace(copy, path))
    return wanted[1]


_WRONG_NAME = re.compile(r"error: class (\w+) is public, should be declared in a file named")


def _compiled(command: list[str], path: str) -> str:
    """What the compiler says if it fails."""
    done = subprocess.run([*command, path], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr or done.stdout or "javac failed"


def _compiler_error(path: str, output: str) -> InputError:
    """The first error of the compiler, at its line."""
    lines = output.splitlines()
    for number, line in enumerate(lines):
        head, _, message = line.partition(": error: ")
        name, _, where = head.rpartition(":")
        if message and where.isdigit():
            text = lines[number + 1] if number + 1 < len(lines) else ""
            column = lines[number + 2].find("^") + 1 if number + 2 < len(lines) else 0
            return InputError(name, int(where), max(column, 1), f"javac: {message}", text)
    return file_error(path, f"javac: {output.strip() or 'failed'}")


def _entry(
    path: str, hierarchy: Hierarchy, root: str, name: str, options: JavaOptions
) -> JavaMethod:
    """The method with which the program begins."""
    owner, method = _split(options.entry)
    if owner is None:
        owner = _main_class(path, hierarchy, root, name)
    found = hierarchy.find(owner)
    if found is None:
        raise file_error(path, f"there is no class {owner.replace('/', '.')}")
    return _method(path, hierarchy, found, method)


def _split(entry: str | None) -> tuple[str | None, str | None]:
    """The class and the method that an entry names."""
    if entry is None:
        return None, None
    name, bracket, rest = entry.partition("(")
    owner, _, method = name.replace("#", ".").rpartition(".")
    return owner.replace(".", "/") or None, method + bracket + rest


def _method(
    path: str, hierarchy: Hierarchy, owner: JavaClass, wanted: str | None
) -> JavaMethod:
    if wanted is None:
        found = hierarchy.method(owner.name, *_MAIN)
        if found is None or not found.flags & STATIC:
            raise file_error(
                path,
                f"{owner.name.replace('/', '.')} has no main method; name one to begin with by "
                f"{named('entry')}{_known(owner)}",
            )
        return found
    name, bracket, rest = wanted.partition("(")
    fitting = [
        method
        for each in hierarchy.superclasses(owner.name)
        for method in each.methods.values()
        if method.name == name and method.descriptor.startswith(bracket + rest)
        if method.code is not None
    ]
    if not fitting:
        names = sorted({each.name for each in owner.methods.values()})
        raise UsageError(
            f"{path}: {owner.name.replace('/', '.')} has no method {wanted} to begin with"
            f"{did_you_mean(name, names)}"
        )
    if len({each.descriptor for each in fitting}) > 1:
        forms = ", ".join(sorted({f"{each.name}{each.descriptor}" for each in fitting}))
        raise UsageError(f"{path}: there are several methods {wanted}: name one of {forms}")
    return fitting[0]


def _known(owner: JavaClass) -> str:
    names = [each.name for each in owner.methods.values() if "<" not in each.name]
    shown: Sequence[str] = names[:5]
    return f", such as {', '.join(shown)}" if shown else ""


def _main_class(path: str, hierarchy: Hierarchy, root: str, stem: str) -> str:
    """The class that a file is called after."""
    from tepui.languages.java.classfile import read_class

    if suffix_of(path) == ".class":
        with open(path, "rb") as file:
            return read_class(file.read(), path).name
    if suffix_of(path) != ".java":
        raise UsageError(f"{path}: name the class to begin with by {named('entry')}")
    names = [name for folder, _, files in sorted(os.walk(root)) for name in _classes(root, folder, files)]
    for name in names:
        if name.rsplit("/", 1)[-1] == stem:
            return name
    with_main = [name for name in names if hierarchy.method(name, *_MAIN)]
    if len(with_main) == 1:
        return with_main[0]
    raise file_error(path, f"the source declares no class {stem}; name one by {named('entry')}")


def _classes(root: str, folder: str, files: Sequence[str]) -> list[str]:
    """The internal names of the classes in a folder."""
    package = os.path.relpath(folder, root).replace(os.sep, "/")
    before = "" if package == "." else f"{package}/"
    return [before + file.removesuffix(".class") for file in sorted(files) if file.endswith(".class")]
