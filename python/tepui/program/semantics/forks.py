"""Forked threads as the reference semantics has them: as many as the program forks (QR, section 4).

Forked threads are numbered in the order of forks, from 1 on; their identities follow those of the
threads that the program begins with. A *register* is what is known about these threads besides
their stacks. It is part of the shared state, which is a tuple of numbers; so registers are numbered
too, in the order in which they are met.

A forked thread begins with an empty stack. It is *asked* to run its procedure, and starts with a
step of its own. When its procedure has returned, and its results, if there are any, are lost by a
step of their own, one more step ends it (QR, rule SEQEND).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from tepui.program.layout import Value

Status = Literal["asked", "running", "returned", "over"]


class Forked(NamedTuple):
    """A forked thread: what it runs, with which arguments, and how far it is."""

    procedure: int
    arguments: tuple[Value, ...]
    status: Status = "asked"


Register = tuple[Forked, ...]
"""All forked threads, by their numbers less 1."""


class Registers:
    """Registers and their numbers; the empty one has number 0.

    Within one step, an atomic section, a program may fork without end. To look at all its steps,
    set `most` to the number of threads that there may be. Paths with more threads are left out, and
    `left_out` says that there were some.
    """

    def __init__(self) -> None:
        self._registers: list[Register] = [()]
        self._numbers: dict[Register, int] = {(): 0}
        self.most: int | None = None
        self.left_out = False

    def __getitem__(self, number: Value) -> Register:
        assert isinstance(number, int)
        return self._registers[number]

    def number(self, register: Register) -> int:
        number = self._numbers.setdefault(register, len(self._registers))
        if number == len(self._registers):
            self._registers.append(register)
        return number

    def allow(self, register: Register) -> bool:
        """Whether there may be this number of threads."""
        if self.most is None or len(register) <= self.most:
            return True
        self.left_out = True
        return False

    def with_status(self, number: Value, forked: int, status: Status) -> int:
        """The register in which one thread has another status."""
        register = self[number]
        changed = register[forked - 1]._replace(status=status)
        return self.number((*register[: forked - 1], changed, *register[forked:]))
