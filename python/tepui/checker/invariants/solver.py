"""Asks cvc5, in a child process with limits.

The solver is trusted for one answer only: `unsat`. Every other answer, a crash and silence
included, proves nothing. What is sent is printed from terms, so a file cannot give commands to the
solver.

The process is kept from question to question. Definitions and declarations are sent when a question
first needs them, and again after a crash. While the solver thinks, `go_on` is asked several times
per second.
"""

from __future__ import annotations

import importlib.util
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from tepui.checker.invariants.solving import UNUSABLE
from tepui.errors import CheckStopped, UsageError

SECONDS = 60
"""How long the solver may think about one question."""

BYTES = 4 * 2**30
"""How much memory it may use."""

_GRACE = 5
"""For how many seconds more it may be silent before it is ended."""

_PAUSE = 0.1

Answer = Literal["unsat", "sat", "unknown"]

_ANSWERS: dict[str, Answer] = {"unsat": "unsat", "sat": "sat", "unknown": "unknown"}


class Crash(Exception):  # noqa: N818 - it ends in another attempt
    """The solver has ended without an answer, or answered something else."""


class Silence(Exception):  # noqa: N818 - it is an answer of a kind
    """The solver says nothing for longer than it may."""


class Solver:
    """A context: the process ends with it."""

    def __init__(
        self, go_on: Callable[[], bool], *, seconds: float = SECONDS, memory: int = BYTES
    ) -> None:
        if importlib.util.find_spec("cvc5") is None:
            raise UsageError(
                "invariants are checked with the solver cvc5, which is not installed: "
                "pip install 'tepui[smt]'"
            )
        self._go_on = go_on
        self._seconds, self._memory = seconds, memory
        self._process: subprocess.Popen[bytes] | None = None
        self._always: list[str] = []
        self._sent = 0
        self.asked = 0
        """How many questions there were."""
        self.trouble = ""
        """Why there is no answer, if that is known."""

    def __enter__(self) -> Solver:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def always(self, command: str) -> None:
        """A declaration or a definition, for all questions that follow."""
        self._always.append(command)

    def forget(self) -> None:
        """Forget all declarations and definitions."""
        self._always.clear()
        if self._process is not None and self._sent:
            self._always.append("(pop 1)(push 1)")
        self._sent = 0

    def answer(self, assertions: Iterable[str]) -> Answer:
        """Whether some assertions can be true together; `unknown` if the solver does not know. A
        crash is tried once more with a new process."""
        asserted = "".join(f"(assert {each})" for each in assertions)
        self.asked += 1
        for _ in range(2):
            try:
                return self._answer(f"(push 1){asserted}(check-sat)(pop 1)")
            except Crash:
                self._end()
            except Silence:
                self._end()
                return "unknown"
        self.trouble = self.trouble or "cvc5 has failed twice"
        return "unknown"

    def _answer(self, question: str) -> Answer:
        if self._process is None:
            self._start()
        if self._sent < len(self._always):
            commands = self._always[self._sent :]
            self._sent = len(self._always)
            if self._told(commands):
                raise Crash
        answer = self._told([question])
        if answer not in _ANSWERS:
            raise Crash
        return _ANSWERS[answer]

    def _start(self) -> None:
        script = str(Path(__file__).with_name("solving.py"))
        limits = [str(int(self._seconds * 1000)), str(self._memory)]
        self._process = subprocess.Popen(
            [sys.executable, "-P", script, *limits],  # It imports nothing but cvc5.
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the parent, which ends the child.
        )
        self._sent = 0
        answer = self._told(["(set-logic QF_LIA)(push 1)"])
        if answer.startswith(UNUSABLE):
            self.trouble = f"cvc5 cannot be loaded: {answer.removeprefix(UNUSABLE).strip()}"
            raise Crash

    def _told(self, commands: Sequence[str]) -> str:
        """What the solver prints for some commands."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        data = "\n".join(commands).encode("ascii")
        try:
            process.stdin.write(b"%d\n" % len(data) + data)
            process.stdin.flush()
        except OSError:
            raise Crash from None
        return self._line(process)

    def _line(self, process: subprocess.Popen[bytes]) -> str:
        """The next line that the solver writes."""
        assert process.stdout is not None
        until = time.monotonic() + self._seconds + _GRACE
        line = b""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                if selector.select(_PAUSE):
                    piece = os.read(process.stdout.fileno(), 65536)
                    if not piece:
                        raise Crash
                    line += piece
                elif time.monotonic() > until:
                    raise Silence
                if not self._go_on():
                    raise CheckStopped("the time limit was reached first")
        return line.decode("ascii").strip()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):  # What was not written yet is lost with the process.
                    pipe.close()
