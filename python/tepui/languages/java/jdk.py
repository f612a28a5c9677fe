"""The installed JDK, whose classes a Java program uses, and whose compiler compiles it.

A JDK is looked for where the user says, in JAVA_HOME, on the PATH, and in the usual folders of each
system. No program is started to find it. A JRE has the same classes, and no compiler.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cached_property

from tepui.errors import InputError, UsageError
from tepui.languages.java.class_places import ClassPlace, Jar, Modules, ModuleSources
from tepui.languages.java.classfile import NEWEST
from tepui.languages.source import FileName
from tepui.parameter_names import given, named
from tepui.records import record

OLDEST_JAVA, NEWEST_JAVA = 8, NEWEST - 44


@record
class Jdk:
    """An installed JDK, or JRE."""

    home: str

    @cached_property
    def version(self) -> int:
        """Its version of Java, such as 8 or 17."""
        return _feature(self.full_version) or self._version_of_classes

    @cached_property
    def _version_of_classes(self) -> int:
        """The version for which its classes are; 0 if they cannot be read."""
        try:
            found = [place.find("java/lang/Object.class", 0) for place in self.places]
        except InputError:
            return 0
        majors = [each.data[_MAJOR] for each in found if each and len(each.data) > _MAJOR]
        return majors[0] - 44 if majors else 0

    @cached_property
    def full_version(self) -> str:
        """Its version in full, such as `17.0.15` or `1.8.0_392`; empty if it does not say."""
        return _released(os.path.join(self.home, "release"))

    @cached_property
    def javac(self) -> str | None:
        """Its compiler; None if it is a JRE."""
        return _program(self.home, "javac")

    @cached_property
    def java(self) -> str | None:
        """What runs Java programs."""
        return _program(self.home, "java")

    @cached_property
    def places(self) -> tuple[ClassPlace, ...]:
        """Where its classes are: one file of modules, or the jars of Java 8."""
        modules = _modules(self.home)
        if modules:
            return (Modules(modules),)
        return tuple([Jar(path) for path in _old_jars(self.home)])

    @cached_property
    def sources(self) -> ClassPlace | None:
        """Where the texts of its classes are, if they are installed."""
        new, old = [os.path.join(self.home, *each, "src.zip") for each in (("lib",), ())]
        modules = _modules(self.home)
        if modules and os.path.isfile(new):
            return ModuleSources(Jar(new), Modules(modules))
        return Jar(old) if os.path.isfile(old) else None


_MAJOR = 7
"""The byte of a class file that has its version."""


def find_jdk(path: FileName | None = None) -> Jdk:
    """The JDK at this path, or else the first one that is found and not too new."""
    if path is not None:
        return _require_readable(_jdk_at(os.fspath(path)))
    found = None
    for home in filter(_is_home, _likely_homes()):
        found = Jdk(home)
        if found.version <= NEWEST_JAVA:
            return found
    if found:
        return _require_readable(found)
    raise UsageError(
        "there is no Java on this computer, and a Java program needs the classes of a JDK: install "
        f"one (17 or newer), e.g. with `apt install openjdk-17-jdk-headless`, or name its folder "
        f"with {named('jdk')}"
    )


def _jdk_at(path: str) -> Jdk:
    """The JDK that a user names; on macOS, the folder that has it inside is also called so."""
    for home in (path, os.path.join(path, "Contents", "Home")):
        if _is_home(home):
            return Jdk(home)
    raise UsageError(
        f"{given('jdk', path)}: this is no folder of a JDK, which has its classes in lib/modules, "
        "or in lib/rt.jar up to Java 8"
    )


def _require_readable(jdk: Jdk) -> Jdk:
    if jdk.version > NEWEST_JAVA:
        raise UsageError(
            f"{jdk.home} is Java {jdk.version}, and its classes are read up to Java {NEWEST_JAVA}: "
            f"name the folder of an older JDK with {named('jdk')}"
        )
    return jdk


def _is_home(home: str) -> bool:
    return bool(_modules(home) or _old_jars(home))


def _modules(home: str) -> str | None:
    path = os.path.join(home, "lib", "modules")
    return path if os.path.isfile(path) else None


def _old_jars(home: str) -> list[str]:
    """The jars that have the classes of Java 8; there are none without rt.jar."""
    for folder in (os.path.join(home, "jre", "lib"), os.path.join(home, "lib")):
        jars = [os.path.join(folder, name) for name in ("rt.jar", "jsse.jar", "jce.jar")]
        if os.path.isfile(jars[0]):
            return [jar for jar in jars if os.path.isfile(jar)]
    return []


def _likely_homes() -> Iterator[str]:
    """Folders that may be those of a JDK, the best first."""
    if os.environ.get("JAVA_HOME"):
        yield os.environ["JAVA_HOME"]
    for name in ("javac", "java"):
        yield from _homes_on_path(name)
    found = [home for folder in _usual_folders() for home in _homes_in(folder) if _is_home(home)]
    yield from sorted(found, key=_rank, reverse=True)


def _homes_on_path(name: str) -> Iterator[str]:
    """The folders above `bin` with a program, where links to it end."""
    for folder in os.get_exec_path():
        program = os.path.join(folder, name + _SUFFIX)
        if folder and os.path.isfile(program):
            home = os.path.dirname(os.path.dirname(os.path.realpath(program)))
            if os.path.basename(home) == "jre":  # Java 8 has a JRE within its JDK.
                yield os.path.dirname(home)
            yield home


def _usual_folders() -> list[str]:
    """Folders that contain JDKs."""
    own = [os.path.expanduser(path) for path in ("~/.sdkman/candidates/java", "~/.jdks")]
    if sys.platform == "darwin":
        libraries = ["/Library", os.path.expanduser("~/Library")]
        return [os.path.join(path, "Java", "JavaVirtualMachines") for path in libraries] + own
    if sys.platform == "win32":
        programs = os.environ.get("PROGRAMFILES", "C:\\Program Files")
        makers = ("Java", "Eclipse Adoptium", "Microsoft", "Zulu", "Amazon Corretto", "BellSoft")
        return [os.path.join(programs, maker) for maker in makers] + own
    return ["/usr/lib/jvm", "/usr/lib64/jvm", "/usr/java", "/opt/java", *own]


def _homes_in(folder: str) -> list[str]:
    try:
        found = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    except OSError:
        return []
    if sys.platform == "darwin":
        found += [os.path.join(home, "Contents", "Home") for home in found]
    return found


def _rank(home: str) -> tuple[bool, bool, int]:
    """One that can be read is better, then one with a compiler, then a newer one."""
    jdk = Jdk(home)
    return OLDEST_JAVA <= jdk.version <= NEWEST_JAVA, jdk.javac is not None, jdk.version


def _program(home: str, name: str) -> str | None:
    path = os.path.join(home, "bin", name + _SUFFIX)
    return path if os.path.isfile(path) else None


_SUFFIX = ".exe" if sys.platform == "win32" else ""

_MOST_OF_RELEASE = 2**16


def _released(path: str) -> str:
    """The version in the file `release` of a JDK."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read(_MOST_OF_RELEASE).splitlines()
    except OSError:
        return ""
    for line in lines:
        key, _, value = line.partition("=")
        if key.strip() == "JAVA_VERSION":
            return value.strip().strip('"')
    return ""


def _feature(version: str) -> int:
    """The first number of a version, or the second up to Java 8, which is called 1.8."""
    parts = version.replace("-", ".").replace("_", ".").split(".")
    number = parts[1] if parts[0] == "1" and len(parts) > 1 else parts[0]
    return int(number) if number.isascii() and number.isdigit() and len(number) < 4 else 0
