"""The certificate that contains all states, for questions that name none of them.

Some questions hold whatever a program does: a label does not occur, an assertion is `true`. What
they call bad is a place that the program does not have. The set of all states contains the initial
one, no step leads out of it, and no state in it is bad. So it is a proof, also for programs that
fork without end, for which there is no other one.

Which places a program has, its layout says. A System has no such places, so there it proves
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tepui.checker.evidence import AnyCertificate, Pair, register
from tepui.errors import EvidenceError
from tepui.model import Property, System
from tepui.records import record

if TYPE_CHECKING:
    from tepui.checker.reading import Reader
    from tepui.checker.writing import Writer
    from tepui.program.program import Program


@register
@record
class AllStates(AnyCertificate):
    """All states of a program."""

    kinds: ClassVar = ("all states",)
    fields: ClassVar = ()

    @property
    def size(self) -> int:
        """It lists none of them."""
        return 0

    def check(self, system: System, asked: Property, go_on: Callable[[], bool]) -> None:
        raise EvidenceError("all states are no evidence: something bad may be among them")

    def check_places(self, program: Program, asked: Property) -> None:
        """Refuse a property that a state of the program may have."""
        if program.as_written.layout.limits:
            raise EvidenceError("all states are no evidence: a limit may be reached")
        if not names_nothing(program, asked):
            raise EvidenceError("all states are no evidence: something bad may be among them")

    def pairs(self, system: System, go_on: Callable[[], bool]) -> list[set[Pair]]:
        return [set() for _ in system.threads]

    def fixed(self) -> Self:
        return self

    def body(self, writer: Writer) -> dict[str, Any]:
        return {}

    @classmethod
    def read(cls, reader: Reader, kind: str, fields: dict[str, Any]) -> Self:
        return cls()


def names_nothing(program: Program, asked: Property) -> bool:
    """Whether something is asked, and every pattern wants all threads at places that do not exist.
    The class of a place is its number + 1. A pattern that wants only some thread there may stand
    for places at which too few threads can be, and with more slots there are more threads."""
    if asked.deadlock or asked.reaches or not asked.patterns:
        return False
    return all(
        top is not None and top > program.layout.points
        for pattern in asked.patterns
        for top in pattern.tops
    )
