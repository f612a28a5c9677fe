"""The command line for tests: as a process of its own, or in this process where there are many.

In this process, everything is as in the real one, except the interpreter: the arguments, the
working directory, the two streams and the exit code go the same way.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import tepui.cli
from support.places import EXAMPLES

TEPUI = str(Path(sys.executable).with_name("tepui"))
"""The command as it is installed beside this Python."""


FIGURE4 = str(EXAMPLES / "figure4.cpds")

TOKEN_RING = str(EXAMPLES / "token-ring.cpds")
"""Without Z, one engine is not enough for it."""

HANGS = 400
"""Seconds after which a run that should have ended long ago is taken to hang."""

COMMANDS = ("verify", "explore", "check", "convert", "inspect")
"""Those that take systems; `format` takes only programs."""

ALL_COMMANDS = (
    *COMMANDS,
    "format",
    "automaton",
    "dataflow",
    "watch",
    "weigh",
    "report",
    "suite",
)

COLLAPSING = """\
initial q
thread P {
    stack a
    q | a -> r | b
    r | b -> q | -
}
"""
"""Three states, no property."""

DEADLOCKING = """\
initial q
thread P * 2 {
    stack a
    q | a -> r | b
}
bad deadlock
"""
"""Unsafe within one context: the second thread never moves."""

INFINITE = """\
initial q
thread P {
    stack a
    q | a -> q | a a
    q | a -> r | -
    r | a -> q | -
}
thread R {
    stack c
    r | c -> s | d
}
bad s | -, c
"""
"""P reaches infinitely many stacks within one context; safe."""


def many_threads(count: int) -> str:
    """A safe system whose states grow with the power of the threads, if symmetry is off.

    Loading it gives a warning, which so is the sign that it has started."""
    return f"""\
initial q
thread P * {count} {{
{_RULES}}}
bad nowhere | * * {count}
"""


def different_threads(count: int) -> str:
    """The same with threads that are no longer equal, since each ends in a symbol of its own."""
    threads = [
        f"thread P{number} {{\n{_RULES}    r | e -> q | only{number}\n}}\n"
        for number in range(count)
    ]
    return f"initial q\n{''.join(threads)}bad nowhere | * * {count}\n"


_RULES = """\
    stack a
    q | a -> r | b
    r | b -> q | c
    q | c -> r | d a
    r | d -> q | -
    r | a -> q | e
    q | e -> r | -
"""

LONG = different_threads(12)
"""Takes the explicit engine minutes and gigabytes."""

BITS = 30

HARD = "\n".join(
    [
        f"decl {', '.join(f'b{bit} := 0' for bit in range(BITS))};",
        *(f"void f{b}() {{ while (1) {{ b{b} := 1; b{b} := 0; }} }}" for b in range(BITS)),
        f"void main() {{ {' '.join(f'thread_create(f{bit});' for bit in range(BITS))} }}",
    ]
)
"""A program that is hard for every engine: each thread is where a bit of its own says."""


@dataclass(frozen=True, slots=True)
class Completed:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run(
    *args: str,
    cwd: Path | None = None,
    input: str | None = None,  # noqa: A002
    env: dict[str, str] | None = None,
) -> Completed:
    """Run the installed command to its end."""
    process = subprocess.run(
        [TEPUI, *args],
        cwd=cwd,
        input=input,
        env=os.environ | (env or {}),
        capture_output=True,
        encoding="utf-8",
        timeout=HANGS,
        check=False,
    )
    return Completed(process.returncode, process.stdout, process.stderr)


def call(*args: str, cwd: Path | None = None, stdin: str = "") -> Completed:
    """Run a command in this process, which is a hundred times faster."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    with (
        mock.patch.object(sys, "argv", ["tepui", *args]),
        mock.patch.object(sys, "stdin", given),
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            tepui.cli.main()
        except SystemExit as leaving:
            code = leaving.code
    assert isinstance(code, int)
    return Completed(code, _text(out), _text(err))


@contextlib.contextmanager
def started(*args: str, cwd: Path) -> Iterator[subprocess.Popen[str]]:
    """A command that is running: it has read its file, which must give a warning."""
    with subprocess.Popen(
        [TEPUI, *args],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        try:
            assert process.stderr is not None
            assert process.stderr.readline().startswith("warning: ")
            yield process
        finally:
            process.kill()


def files(folder: Path) -> dict[str, bytes | None]:
    """Everything in a folder: files with their content, folders with None."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8")
