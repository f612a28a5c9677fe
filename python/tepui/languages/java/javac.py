"""Runs javac, within the memory that the command may hold.

Whatever is raised meanwhile ends javac first, even if it comes while the process is being made:
handlers of signals raise exceptions, so they have to wait until the process is known.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any

from tepui.errors import LimitReached
from tepui.limits import physical_memory, room, waiting


def run_javac(javac: str, arguments: Sequence[str]) -> str:
    """What the compiler says if it fails; nothing if all is well."""
    heap = _heap()
    status, said = _run([javac, *_QUICK, *heap, *arguments])
    if heap and status and _NO_MEMORY.search(said):
        raise LimitReached("memory")
    return "" if status == 0 else said or "javac failed"


_QUICK = (
    "-J-Duser.language=en",
    "-J-XX:TieredStopAtLevel=1",
    "-J-XX:+UseSerialGC",
    "-J-Xshare:auto",
)
"""English messages, and a machine that starts quickly."""

_BESIDE = 64 * 2**20
"""What javac takes beside its heap, in bytes."""

_LEAST = 16 * 2**20
"""The smallest heap: enough for some small files. If it is too much, the limit ends javac."""

_NO_MEMORY = re.compile(
    r"^(java\.lang\.OutOfMemoryError|Error occurred during initialization of VM)", re.MULTILINE
)


def _heap() -> list[str]:
    """How large the heap may get: by itself it would be a part of the whole machine."""
    left = room()
    if left is None:
        return []
    most = min(physical_memory() // 4, left - _BESIDE)
    return [f"-J-Xms{_LEAST >> 20}m", f"-J-Xmx{max(most, _LEAST) >> 20}m"]


def _run(command: Sequence[str]) -> tuple[int, str]:
    """The exit status, and all that was printed."""
    process = None
    try:
        with _SignalsWait():
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env=_environment(),
                start_new_session=True,  # It may be a script, which starts the real one.
            )
        with waiting():
            out, err = process.communicate()
        return process.returncode, err or out
    finally:
        if process is not None:
            _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):  # It has just ended.
            os.killpg(process.pid, signal.SIGKILL)
    with process:  # This waits for it.
        pass


class _SignalsWait:
    """Meanwhile no handler of a signal runs; those that are due run at the end."""

    def __init__(self) -> None:
        self._handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}
        self._due: list[tuple[int, FrameType | None]] = []
        self._wait = True

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # Handlers never run there.
        for number in signal.valid_signals():
            handler = signal.getsignal(number)
            if callable(handler):
                self._handlers[number] = handler
                signal.signal(number, self._on_signal)

    def __exit__(self, *_: object) -> None:
        self._wait = False  # From here on, one that was not put back yet is called at once.
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        for number, frame in self._due:
            self._handlers[number](number, frame)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._wait:
            self._due.append((number, frame))
        else:
            self._handlers[number](number, frame)


def _environment() -> dict[str, str]:
    """Without what would add options to those of javac."""
    added = ("JDK_JAVAC_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH")
    return {name: value for name, value in os.environ.items() if name not in added}
