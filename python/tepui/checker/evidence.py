"""What every kind of evidence has: its check, its form in files, and the states it is about.

A kind is one class in one file: the data, which may say anything; `check`, which believes none of
it, with a proof in the documentation of why its conditions are enough; and `body` and `read`, which
write it to a file and read it back. `register` makes a kind known.

Evidence is a trace, which claims that a bad state is reachable, or a certificate: a set of states
that claims to contain all reachable ones and no bad one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from tepui.errors import EvidenceError
from tepui.model import Property, System

if TYPE_CHECKING:
    from tepui.checker.reading import Reader
    from tepui.checker.writing import Writer
    from tepui.program.program import Program

_Kind = TypeVar("_Kind", bound="type[Evidence]")

KINDS: dict[str, type[Evidence]] = {}
"""The kinds of evidence known so far, by their names in files."""

_HERE = (
    "trace",
    "certificates.states",
    "certificates.orbits",
    "certificates.diagram",
    "certificates.products",
    "certificates.all_states",
    "certificates.system_covering",
    "programs.bits_certificate",
    "programs.modular_z",
    "programs.program_covering",
    "invariants.invariant",
    "invariants.summaries",
)
"""The modules of this package that have kinds; most runs need one or two of them."""


def register(kind: _Kind) -> _Kind:
    """Trust a kind of evidence from now on: its check, and its list of the states that the check
    looks at."""
    for name in kind.kinds:
        if name in KINDS:
            raise ValueError(f"there is a kind of evidence {name!r} already")
        KINDS[name] = kind
    return kind


def all_kinds() -> dict[str, type[Evidence]]:
    """All kinds that a file may have, those of this package first."""
    here = [import_module(f"tepui.checker.{module}").__name__ for module in _HERE]

    def place(name: str) -> int:
        home = KINDS[name].__module__
        return (*here, home).index(home)

    return {name: KINDS[name] for name in sorted(KINDS, key=place)}


Pair = tuple[int, int]
"""A shared state and the top of a stack: what the next step of a thread depends on."""


class Evidence(ABC):
    """A claim about a system and a property, and what makes it worth believing."""

    __slots__ = ()

    kinds: ClassVar[tuple[str, ...]]
    """Its name in files; a kind that has several forms may have a name for each."""
    fields: ClassVar[tuple[str, ...]]
    """What a file has to say about it, besides what every file says."""
    optional: ClassVar[tuple[str, ...]] = ()
    """What a file may say."""

    @property
    def file_kind(self) -> str:
        """Which of its names is written to a file."""
        return self.kinds[0]

    @abstractmethod
    def check(self, system: System, asked: Property, go_on: Callable[[], bool]) -> None:
        """Return if it proves its claim; raise EvidenceError with the first reason if not.

        `go_on` is called now and then, and CheckStopped is raised when it returns false.
        """

    @abstractmethod
    def pairs(self, system: System, go_on: Callable[[], bool]) -> list[set[Pair]]:
        """For each thread, the shared states and tops for which the check looks at its rules.

        The check of a program asks for the rules of no other pairs. So a pair that is left out here
        makes the check unsound, and one too many does no harm.
        """

    @abstractmethod
    def fixed(self) -> Self:
        """The same evidence with its lists made once, so that everything that follows looks at the
        same data."""

    @abstractmethod
    def body(self, writer: Writer) -> dict[str, Any]:
        """What a file says, field by field. An iterator stands for a list, a line for each item,
        which is JSON already."""

    @classmethod
    @abstractmethod
    def read(cls, reader: Reader, kind: str, fields: dict[str, Any]) -> Self:
        """What a file of this kind says; an InputError if that is of another form."""


class AnyCertificate(Evidence):
    """A set of states that claims to contain all reachable ones and no bad one."""

    __slots__ = ()

    @property
    @abstractmethod
    def size(self) -> int:
        """How many entries it has. The more there are, the longer the check takes."""


Bad = tuple[tuple[int, int], ...]
"""What must not be in a program with any number of threads: for one thread, or for two different
ones, its type and the point where it is."""


class ProgramCertificate(AnyCertificate):
    """A certificate about a program as it was written, and not about its system."""

    __slots__ = ()

    def check(self, system: System, asked: Property, go_on: Callable[[], bool]) -> None:
        raise EvidenceError("this is evidence about a program, and about no system")

    def pairs(self, system: System, go_on: Callable[[], bool]) -> list[set[Pair]]:
        return [set() for _ in system.threads]


class OpenCertificate(ProgramCertificate):
    """A certificate about a program that may have any number of threads, or integers without
    bounds, and so no system."""

    __slots__ = ()

    @abstractmethod
    def check_program(
        self, program: Program, bad: Sequence[Bad], go_on: Callable[[], bool]
    ) -> None:
        """Return if it proves that nothing bad is reachable; raise EvidenceError with the first
        reason if not.

        `go_on` is called now and then, and CheckStopped is raised when it returns false.
        """


class ClosedCertificate(ProgramCertificate):
    """A certificate about the threads that a program has, whose data may be too large to list."""

    __slots__ = ()

    @abstractmethod
    def check_program(
        self,
        program: Program,
        bad: Sequence[Bad],
        go_on: Callable[[], bool],
        *,
        deadlock: bool = False,
    ) -> None:
        """The same, and that there is no deadlock if that is asked."""
