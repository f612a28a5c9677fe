"""Files and texts as numbered lines, and errors that point into them.

Input is untrusted: a file is read up to a limit, decoded strictly, and whatever goes wrong is one
InputError. Byte order marks and the three kinds of line ends are removed here, once for all
languages.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from itertools import islice

from tepui.errors import InputError
from tepui.records import record
from tepui.words import closest, did_you_mean

FileName = str | os.PathLike[str]

MAX_BYTES = 256 * 2**20

_AT_ONCE = 2**20
"""How much of a file is read at once: in between, limits are looked at."""

_MUCH = 2**23
"""A text of more bytes is much at once."""

_STEM_LIKENESS = 0.7
_MOST_OTHERS = 10_000
"""The largest number of files in a folder whose names are compared with a missing one."""


@record
class Source:
    """A text by lines, its name in error messages, and its file, if it has one."""

    name: str
    lines: list[str]
    path: str | None = None

    @classmethod
    def of_text(cls, text: str, name: str, path: str | None = None) -> Source:
        text = text.removeprefix("\ufeff")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return cls(name, text.split("\n"), path)

    @classmethod
    def of_file(cls, path: FileName) -> Source:
        text = _decode(path, _bytes_of(path, MAX_BYTES + 1))
        return cls.of_text(text, os.fspath(path), os.fspath(path))

    @classmethod
    def of_old_file(cls, path: FileName) -> Source:
        """A file that may be in Latin-1, as old ones are: every byte is a character there."""
        data = _bytes_of(path, MAX_BYTES + 1)
        try:
            text = _decode(path, data)
        except InputError:
            if len(data) > MAX_BYTES:
                raise
            text = data.decode("latin-1")
        return cls.of_text(text, os.fspath(path), os.fspath(path))

    @classmethod
    def of_bytes(cls, data: bytes, name: FileName) -> Source:
        """A source that was not read from a file."""
        return cls.of_text(_decode(name, data), os.fspath(name))

    def beside(self, suffix: str) -> Source | None:
        """The file beside this one with another suffix, if there is one."""
        other = self.path and os.path.splitext(self.path)[0] + suffix
        return Source.of_file(other) if other and os.path.exists(other) else None

    @property
    def stem(self) -> str:
        """The name without folder and suffix: what the system is called."""
        return stem_of(self.name)

    def is_empty(self) -> bool:
        return self.lines == [""]

    def error(self, line: int, column: int, message: str) -> InputError:
        return InputError(self.name, line, column, message, self.lines[line - 1])

    def error_at_end(self, message: str) -> InputError:
        """An error just after the last line that has anything in it."""
        line = len(self.lines)
        while line > 1 and not self.lines[line - 1].strip():
            line -= 1
        return self.error(line, len(self.lines[line - 1].rstrip()) + 1, message)


def stem_of(path: FileName) -> str:
    """The name of a file without folder and suffix."""
    return os.path.splitext(os.path.basename(path))[0]


def suffix_of(path: FileName) -> str:
    """The suffix of a file in small letters, with its dot."""
    return os.path.splitext(os.fspath(path))[1].lower()


def is_folder(path: FileName) -> bool:
    """Whether there is a folder with this name."""
    try:
        return os.path.isdir(path)
    except ValueError:
        return False


def require_file(path: FileName) -> None:
    """An InputError if there is no file to read."""
    _bytes_of(path, 1)


def file_error(path: FileName, message: str) -> InputError:
    """An error about a file as a whole."""
    return InputError(os.fspath(path), 0, 0, message)


def _bytes_of(path: FileName, count: int) -> bytearray:
    """The first bytes of a file."""
    try:
        with _waiting_for(path), open(path, "rb") as file:
            data = bytearray()
            while len(data) < count and (some := file.read(min(_AT_ONCE, count - len(data)))):
                data += some
            return data
    except FileNotFoundError:
        raise file_error(path, f"there is no such file{_others(path)}") from None
    except IsADirectoryError:
        raise file_error(path, "this is a directory, expected a file") from None
    except PermissionError:
        raise file_error(path, "the file cannot be read: permission denied") from None
    except (OSError, ValueError) as trouble:
        reason = trouble.strerror if isinstance(trouble, OSError) else str(trouble)
        raise file_error(path, f"the file cannot be read: {reason}") from None


def _waiting_for(path: FileName) -> AbstractContextManager[None]:
    """Whoever reads a pipe waits for those who write to it."""
    if os.path.isfile(path):
        return nullcontext()
    # Nearly all are files, and the import takes time.
    from tepui.limits import waiting

    return waiting()


def _decode(path: FileName, data: bytes | bytearray) -> str:
    if len(data) > MAX_BYTES:
        raise file_error(path, f"the file is larger than {MAX_BYTES // 2**20} MB")
    if len(data) > _MUCH:
        # Nearly all texts are small, and the import takes time.
        from tepui.limits import require_room

        require_room(len(data))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as trouble:
        raise file_error(
            path, f"the file is not UTF-8 text: byte {trouble.start} is 0x{data[trouble.start]:02x}"
        ) from None


def _others(path: FileName) -> str:
    """A hint at a file in the same folder with a similar name."""
    try:
        folder, name = os.path.split(path)
        others = [other.name for other in islice(os.scandir(folder or "."), _MOST_OTHERS)]
        # Equal suffixes make all names alike, so what comes before them is compared as well.
        stem = stem_of(name)
        close = [other for other in others if closest(stem, [stem_of(other)], _STEM_LIKENESS)]
        return did_you_mean(name, close)
    except (OSError, ValueError):
        return ""
