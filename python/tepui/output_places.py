"""Places where files are to be written: what speaks against them, and how they are opened.

A place may be a pipe. Opening one waits for a reader, and if none comes that would be for ever.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

_PATIENCE = 5.0
"""Seconds to wait for the reader of a pipe."""

_PAUSE = 0.05


def problem_at(path: Path) -> str | None:
    """Why no file can be written to a place, as far as that can be known before it is done."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        parent = path.parent
        if parent.is_dir():
            return None if os.access(parent, os.W_OK) else os.strerror(errno.EACCES)
        return os.strerror(errno.ENOENT)
    except OSError as error:
        return error.strerror
    if stat.S_ISDIR(mode):
        return os.strerror(errno.EISDIR)
    return None if os.access(path, os.W_OK) else os.strerror(errno.EACCES)


def final_place(path: str | os.PathLike[str]) -> Path:
    """Where a file really is, behind all links; an OSError if these lead nowhere."""
    with _as_os_errors():
        final = Path(os.path.realpath(path))
    if final.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path))
    return final


def open_place(path: Path, buffering: int = -1) -> TextIO:
    """A file or a pipe to write text to. It is an OSError if nobody reads the pipe."""
    with _as_os_errors():
        return open(path, "w", buffering, encoding="utf-8", newline="\n", opener=_opened)


@contextmanager
def _as_os_errors() -> Iterator[None]:
    """A name that no file can have is an error of the system, too."""
    try:
        yield
    except ValueError as error:
        raise OSError(errno.EINVAL, f"no file has such a name: {error}") from None


def write_text(path: Path, text: str) -> None:
    """Write a whole text."""
    with open_place(path) as file:
        file.write(text)


def _opened(path: str, flags: int) -> int:
    if not _is_pipe(path):
        return os.open(path, flags, 0o666)
    from tepui.limits import waiting  # The checker writes files, too, and loads no limits.

    end = time.monotonic() + _PATIENCE
    with waiting():
        while True:
            try:
                pipe = os.open(path, flags | os.O_NONBLOCK)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                if time.monotonic() > end:
                    raise OSError(errno.ENXIO, "nobody reads this pipe", path) from None
                time.sleep(_PAUSE)
            else:
                os.set_blocking(pipe, True)
                return pipe


def _is_pipe(path: str) -> bool:
    try:
        return stat.S_ISFIFO(Path(path).stat().st_mode)
    except OSError:
        return False
