"""Compiles Java sources by the javac of a JDK, into a folder that is forgotten afterwards.

A source is untrusted: no annotation processor runs. The first error of the compiler becomes an
InputError at its place. A file whose public class has another name, which javac refuses, is
compiled under that name.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Sequence

from tepui.errors import InputError, UsageError
from tepui.languages.java.javac import run_javac
from tepui.languages.java.jdk import Jdk
from tepui.languages.java.library import MODELS
from tepui.languages.source import FileName, file_error, stem_of
from tepui.parameter_names import named

_MOST_AT_ONCE = 10_000
"""The largest number of sources of a folder that are compiled."""


def compile_source(path: str, text: str, into: str, jdk: Jdk, classpath: Sequence[str]) -> str:
    """Compile one file, with the sources beside it that it needs; the name of the file that its
    public class wants."""
    root = _source_root(path, text)
    output = _compile([path], into, jdk, classpath, root)
    wanted = _WRONG_NAME.search(output)
    if wanted is None:
        if output:
            raise _error(path, output)
        return stem_of(path)
    with tempfile.TemporaryDirectory(prefix="tepui-java-") as other:
        copy = os.path.join(other, f"{wanted[1]}.java")
        shutil.copyfile(path, copy)
        output = _compile([copy], into, jdk, classpath, root)
        if output:
            raise _error(path, output.replace(copy, path))
    return wanted[1]


def compile_folder(folder: str, into: str, jdk: Jdk, classpath: Sequence[str]) -> None:
    """Compile all sources in a folder and below."""
    sources = list(sources_below(folder))
    if len(sources) > _MOST_AT_ONCE:
        raise file_error(folder, f"there are more than {_MOST_AT_ONCE:,} sources in this folder")
    output = _compile(sources, into, jdk, classpath, None)
    if output:
        raise _error(folder, output)


def sources_below(folder: str) -> Iterable[str]:
    """All sources in a folder and below, in order."""
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.join(here, name) for name in sorted(files) if name.endswith(".java"))


def package_of(text: str) -> str:
    """The package that a source says it is in, with dots; empty if it says none."""
    found = _PACKAGE.match(_COMMENT.sub(" ", text))
    return re.sub(r"\s", "", found[1]) if found else ""


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PACKAGE = re.compile(r"\s*(?:@\w+(?:\([^)]*\))?\s*)*package\s+(\w+(?:\s*\.\s*\w+)*)\s*;")
_WRONG_NAME = re.compile(
    r"error: (?:class|interface|enum|record|@interface) (\w+) is public, should be declared in a "
    "file named"
)


def _source_root(path: str, text: str) -> str | None:
    """The folder in which the packages of a source begin; None if it lies elsewhere."""
    folder = os.path.dirname(os.path.abspath(path))
    for name in reversed(package_of(text).split(".")):
        if name and os.path.basename(folder) != name:
            return None
        folder = os.path.dirname(folder) if name else folder
    return folder


def _compile(
    sources: Sequence[str], into: str, jdk: Jdk, classpath: Sequence[str], root: str | None
) -> str:
    """What the compiler says if it fails; nothing if all is well."""
    if jdk.javac is None:
        raise UsageError(
            f"{sources[0]}: sources need a compiler, and {jdk.home} has none: install a JDK, e.g. "
            f"with `apt install openjdk-17-jdk-headless`, name its folder with {named('jdk')}, or "
            "give class files"
        )
    with tempfile.TemporaryDirectory(prefix="tepui-java-") as nowhere:
        places = os.pathsep.join([str(MODELS), *map(_absolute, classpath)])
        names = os.path.join(nowhere, "sources")
        with open(names, "w", encoding="utf-8") as file:
            for each in sources:
                try:
                    file.write(f'"{_quoted(each)}"\n')
                except UnicodeEncodeError:
                    raise file_error(
                        each, "no compiler finds a file whose name is no text"
                    ) from None
        arguments = [
            "-g", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-Xmaxerrs", "1000",
            "-d", into, "-cp", places, "-sourcepath", root or nowhere, f"@{names}",
        ]  # fmt: skip
        return run_javac(jdk.javac, arguments)


def _absolute(path: FileName) -> str:
    return os.path.abspath(path)


def _quoted(path: str) -> str:
    """A name in a file of arguments."""
    quoted = path.replace("\\", "\\\\").replace('"', '\\"')
    return quoted.replace("\n", "\\n").replace("\r", "\\r")


def _error(path: str, output: str) -> InputError:
    """The first error of the compiler, at its place, and how many more there are."""
    lines = output.splitlines()
    found = [(number, match) for number, line in enumerate(lines) if (match := _ERROR.match(line))]
    if not found:
        said = next((line for line in lines if line.strip()), "it failed")
        return file_error(path, f"javac: {said.removeprefix('error: ')}")
    number, match = found[0]
    last = found[1][0] if len(found) > 1 else len(lines)
    block = lines[number + 1 : last]
    caret = next((n for n, line in enumerate(block) if line.strip() == "^"), None)
    text, column = "", 1
    if caret:
        text, column = block[caret - 1], block[caret].index("^") + 1
    about = "; ".join(" ".join(line.split()) for line in block if _ABOUT.match(line))
    message = f"javac: {match['message']}{f' ({about})' if about else ''}"
    others = len(found) - 1
    if others:
        message += f"; and {others} more {'error' if others == 1 else 'errors'}"
    return InputError(match["file"], int(match["line"]), column, message, text)


_ERROR = re.compile(r"(?P<file>.*?):(?P<line>[0-9]{1,9}): error: (?P<message>.*)")
_ABOUT = re.compile(r"  (symbol|location|required|found|reason): ")
