"""Where the files of classes lie: a folder, a jar, the modules of a JDK.

Each place looks up the name of a file, such as `java/util/Vector.class`, and makes no list of what
it has. Names come from class files, which are untrusted: a name never leads out of its folder, and
nothing is extracted from a jar. What is compressed there is read up to a limit.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from tepui.errors import AT_LIMIT, InputError
from tepui.languages.java.jimage import JImage
from tepui.languages.source import file_error
from tepui.records import record

if TYPE_CHECKING:
    from zipfile import ZipFile

MAX_BYTES = 64 * 2**20
"""The largest file that is read."""


@record
class Found:
    """The content of a file, and what messages call it."""

    data: bytes
    name: str


class ClassPlace(Protocol):
    """A place that has files."""

    def find(self, name: str, version: int) -> Found | None:
        """The file with this name, as a JVM of this version sees it."""


@record
class Folder:
    """A folder that has a folder for each package."""

    path: str

    def find(self, name: str, version: int) -> Found | None:
        parts = name.split("/")
        if not all(map(_is_plain, parts)):
            return None
        path = os.path.join(self.path, *parts)
        if not os.path.isfile(path):
            return None
        try:
            with open(path, "rb") as file:
                return Found(_limited(file.read(MAX_BYTES + 1), path), path)
        except AT_LIMIT:
            raise
        except OSError as trouble:
            raise file_error(path, f"the file cannot be read: {trouble.strerror}") from None


@record
class Jar:
    """A jar, or another zip file."""

    path: str

    def find(self, name: str, version: int) -> Found | None:
        if self._has_versions:
            for number in range(version, _FIRST_OF_SEVERAL - 1, -1):
                found = self._read(f"META-INF/versions/{number}/{name}")
                if found:
                    return found
        return self._read(name)

    def names(self) -> Iterator[str]:
        """The names of all its files, in order."""
        return iter(sorted(self._zip.NameToInfo))

    @cached_property
    def _has_versions(self) -> bool:
        """Are there classes that only newer versions of Java see?"""
        manifest = self._read("META-INF/MANIFEST.MF")
        return manifest is not None and b"multi-release: true" in manifest.data.lower()

    def _read(self, name: str) -> Found | None:
        if name not in self._zip.NameToInfo:
            return None
        shown = f"{self.path}!/{name}"
        info = self._zip.NameToInfo[name]
        if info.compress_type not in _METHODS:
            raise file_error(shown, f"it is compressed by method {info.compress_type}, not by zip")
        try:
            with self._zip.open(info) as file:
                return Found(_limited(file.read(MAX_BYTES + 1), shown), shown)
        except (InputError, *AT_LIMIT):
            raise
        except Exception as trouble:  # zipfile lets errors of many kinds through.
            raise file_error(shown, f"the jar is damaged: {trouble}") from None

    @cached_property
    def _zip(self) -> ZipFile:
        from zipfile import ZipFile

        if os.path.exists(self.path) and not os.path.isfile(self.path):  # A device has no end.
            raise file_error(self.path, "this is no jar that can be read: it is no file")
        try:
            return ZipFile(self.path)
        except AT_LIMIT:
            raise
        except Exception as trouble:  # As above.
            raise file_error(self.path, f"this is no jar that can be read: {trouble}") from None


@record
class Modules:
    """The file of modules of a JDK."""

    path: str

    def find(self, name: str, version: int) -> Found | None:
        for module in self.modules_with(name):
            resource = f"/{module}/{name}"
            data = self._image.find(resource)
            if data is not None:
                return Found(data, f"{self.path}!{resource}")
        return None

    def modules_with(self, name: str) -> tuple[str, ...]:
        """The modules that have the package of a file."""
        return self._image.modules_of(name.rpartition("/")[0])

    @cached_property
    def _image(self) -> JImage:
        return JImage(self.path)


@record
class ModuleSources:
    """The texts of a JDK's classes: a zip file with a folder for each module."""

    texts: Jar
    modules: Modules

    def find(self, name: str, version: int) -> Found | None:
        for module in self.modules.modules_with(name):
            found = self.texts.find(f"{module}/{name}", version)
            if found:
                return found
        return None


_FIRST_OF_SEVERAL = 9
"""The first version of Java for which a jar may have classes of their own."""

_METHODS = (0, 8)
"""How files in a jar may be compressed: not at all, or as zip files always were."""


def _is_plain(part: str) -> bool:
    """Is this a name of one file or folder, on every system?"""
    return part not in ("", ".", "..") and not any(each in part for each in "\\:\0")


def _limited(data: bytes, name: str) -> bytes:
    if len(data) > MAX_BYTES:
        raise file_error(name, f"the file is larger than {MAX_BYTES // 2**20} MB")
    return data
