"""The compiler keeps to the memory of a command, and nothing that is raised leaves it running."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.samples.java_programs import jdk_with
from tepui.errors import LimitReached
from tepui.languages.java import javac
from tepui.languages.java.javac import run_javac
from tepui.limits import held_memory, keep_memory

MEBIBYTE = 2**20


class InterruptedPopen(subprocess.Popen[str]):
    """Ctrl-C comes when the process has been made, and nobody knows it yet."""

    made: int = 0

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        InterruptedPopen.made = self.pid
        signal.raise_signal(signal.SIGINT)


@pytest.fixture
def command() -> Iterator[None]:
    """As if a command was run."""
    yield
    keep_memory(None)


def test_ctrl_c_while_the_process_is_made_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handler = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(subprocess, "Popen", InterruptedPopen)
    with pytest.raises(KeyboardInterrupt):
        run_javac(_javac(tmp_path, "exec sleep 5000.375"), [])
    with pytest.raises(ProcessLookupError):
        os.kill(InterruptedPopen.made, 0)
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_script_ends_with_all_that_it_has_started(tmp_path: Path) -> None:
    script = "sleep 5000.625 & kill -INT $PPID; wait"
    with pytest.raises(KeyboardInterrupt):
        run_javac(_javac(tmp_path, script), [])
    while "sleep 5000.625" in _running():  # Until the system has taken it away.
        time.sleep(0.05)


def _running() -> str:
    return subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout


def test_outside_of_a_command_the_heap_is_that_of_the_jvm(tmp_path: Path) -> None:
    assert "-Xmx" not in _arguments(tmp_path)


@pytest.mark.parametrize(("room", "heap"), [(300, 236), (70, 16), (-5, 16)])
def test_the_heap_fits_into_the_memory_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, heap: int
) -> None:
    monkeypatch.setattr(javac, "room", lambda: room * MEBIBYTE)
    assert f"-J-Xmx{heap}m" in _arguments(tmp_path)


def test_the_room_is_that_of_the_command(tmp_path: Path, command: None) -> None:
    keep_memory(held_memory())
    assert "-J-Xmx16m" in _arguments(tmp_path)


@pytest.mark.parametrize(
    "said",
    [
        "\n\nThe system is out of resources.\njava.lang.OutOfMemoryError: Java heap space",
        "Error occurred during initialization of VM\nCould not reserve enough space",
    ],
)
def test_too_little_memory_is_a_limit_of_the_command(
    tmp_path: Path, command: None, said: str
) -> None:
    javac = _javac(tmp_path, f"echo '{said}' >&2; exit 3")
    assert run_javac(javac, []) == f"{said}\n"
    keep_memory(held_memory() + 2**30)
    with pytest.raises(LimitReached) as caught:
        run_javac(javac, [])
    assert caught.value.limit == "memory"


def _javac(folder: Path, script: str) -> str:
    return str(jdk_with(folder / "jdk", script) / "bin" / "javac")


def _arguments(folder: Path) -> str:
    return run_javac(_javac(folder, 'echo "$@"; exit 1'), [])
