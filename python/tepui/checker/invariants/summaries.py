"""Summaries: certificates for threads that recurse, with integers without bounds, and any number of
threads.

Stacks may be of any height, so an invariant speaks about one *frame*: about the activation of a
procedure that is on top of the stack of a thread. A definition gives a formula for a thread type
and a point. The claim: in every reachable state, whenever a thread of the type rests at the point,
the formula of the point holds for the shared state, the local variables of the frame on top, the
shared state in which this activation began, and the arguments that it was given. A point without a
definition is not reached. (For sequential programs, such formulas are what is called summaries;
others may move meanwhile here.)

A thread that was not created is at the point `layout.waiting`; one that is over has no formula.

Variables of formulas are integers, written as quoted symbols:

    g.NAME.I                element I of a global variable (0 if it is no array)
    created.T               1 after the creation of threads of type T
    inherited.T.NAME.I      what they start with
    l.NAME.I                a local variable of the frame on top
    self                    the identity of the thread
    first.g.NAME.I, …       the shared state in which the activation began
    first.l.NAME.0          an argument that it was given
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tepui.checker.evidence import Bad, OpenCertificate, register
from tepui.records import record

if TYPE_CHECKING:
    from tepui.checker.json_values import Values
    from tepui.checker.reading import Reader
    from tepui.checker.writing import Writer
    from tepui.program.program import Program


@record
class Summary:
    """What holds when a thread of a type rests at a point."""

    thread: int
    point: int
    formula: str


@register
@record
class Summaries(OpenCertificate):
    """An invariant over the frame on top of one thread."""

    definitions: tuple[Summary, ...]

    kinds: ClassVar = ("summaries",)
    fields: ClassVar = ("definitions",)

    @property
    def size(self) -> int:
        return len(self.definitions)

    def check_program(
        self, program: Program, bad: Sequence[Bad], go_on: Callable[[], bool]
    ) -> None:
        from tepui.checker.invariants.summary_obligations import check_summaries

        check_summaries(program, self, bad, go_on)

    def fixed(self) -> Self:
        return type(self)(
            tuple(Summary(one.thread, one.point, one.formula) for one in self.definitions)
        )

    def body(self, writer: Writer | None = None) -> dict[str, Any]:
        return {
            "definitions": [
                {"thread": one.thread, "point": one.point, "formula": one.formula}
                for one in self.definitions
            ]
        }

    @classmethod
    def read(cls, reader: Reader | Values, kind: str, fields: dict[str, Any]) -> Self:
        found = []
        for number, each in enumerate(reader.items(fields["definitions"], "definitions")):
            where = f"definitions[{number}]"
            one = reader.record(each, where, ("thread", "point", "formula"))
            found.append(
                Summary(
                    reader.a(int, one["thread"], f"{where}.thread"),
                    reader.a(int, one["point"], f"{where}.point"),
                    reader.a(str, one["formula"], f"{where}.formula"),
                )
            )
        return cls(tuple(found))
