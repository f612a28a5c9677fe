"""Invariants over observed threads: certificates that hold for any number of threads.

For each thread type T, k_T threads are *observed*. Positions 0, 1, 2, … are the observed threads:
first those of type 0, then those of type 1, and so on. A definition gives a formula for a vector of
control stacks, one for each position. The claim: in every reachable state, and for all different
threads of the right types that are put at the positions, the formula of the vector of their control
stacks holds. A vector without a definition does not occur.

A control stack is a tuple of points, top first; the frame of a caller is at the target of its
call. A thread that was not created has `(layout.waiting,)`, one that is over has `()`. Between two
control stacks a thread takes a path (see `thread_paths`). At `passed` points it does not stop.

Variables of formulas are integers, written as quoted symbols:

    g.NAME.I            element I of a global variable (0 if it is no array)
    created.T           1 after the creation of threads of type T
    inherited.T.NAME.I  what they start with
    t{i}.{d}.NAME.I     a local variable of the frame at depth d (0 is the bottom) at position i
    t{i}.self           the identity of the thread at position i
    c.{j}               how many threads counter j counts

A counter counts the threads of its type with exactly this control stack and these values of local
variables, named `{d}.NAME.I`. Formulas are texts in a part of SMT-LIB (see `formulas`).
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

Stack = tuple[int, ...]
"""A control stack: points, top first."""


@record
class Counter:
    """Counts the threads of a type with a control stack and with these values of variables."""

    thread: int
    stack: Stack
    where: tuple[tuple[str, int], ...] = ()


@record
class Definition:
    """What holds when the observed threads have these control stacks, one for each position."""

    stacks: tuple[Stack, ...]
    formula: str


@register
@record
class Invariant(OpenCertificate):
    """An invariant over observed threads."""

    observed: tuple[int, ...]
    """How many threads of each type are observed."""
    passed: tuple[int, ...]
    """The points at which a thread does not stop."""
    counters: tuple[Counter, ...]
    definitions: tuple[Definition, ...]

    kinds: ClassVar = ("invariant",)
    fields: ClassVar = ("observed", "passed", "counters", "definitions")

    @property
    def size(self) -> int:
        return len(self.definitions)

    def check_program(
        self, program: Program, bad: Sequence[Bad], go_on: Callable[[], bool]
    ) -> None:
        from tepui.checker.invariants.obligations import check_invariant

        check_invariant(program, self, bad, go_on)

    def fixed(self) -> Self:
        return type(self)(
            tuple(self.observed),
            tuple(self.passed),
            tuple(
                Counter(one.thread, tuple(one.stack), tuple((name, n) for name, n in one.where))
                for one in self.counters
            ),
            tuple(
                Definition(tuple(tuple(stack) for stack in one.stacks), one.formula)
                for one in self.definitions
            ),
        )

    def body(self, writer: Writer | None = None) -> dict[str, Any]:
        return {
            "observed": list(self.observed),
            "passed": list(self.passed),
            "counters": [
                {"thread": one.thread, "stack": list(one.stack), "where": dict(one.where)}
                for one in self.counters
            ],
            "definitions": [
                {"stacks": [list(stack) for stack in one.stacks], "formula": one.formula}
                for one in self.definitions
            ],
        }

    @classmethod
    def read(cls, reader: Reader | Values, kind: str, fields: dict[str, Any]) -> Self:
        return cls(
            reader.integers(fields["observed"], "observed"),
            reader.integers(fields["passed"], "passed"),
            tuple(
                _counter(reader, each, f"counters[{number}]")
                for number, each in enumerate(reader.items(fields["counters"], "counters"))
            ),
            tuple(
                _definition(reader, each, f"definitions[{number}]")
                for number, each in enumerate(reader.items(fields["definitions"], "definitions"))
            ),
        )


def _counter(values: Values, value: Any, where: str) -> Counter:
    fields = values.record(value, where, ("thread", "stack", "where"))
    wanted = values.a(dict, fields["where"], f"{where}.where")
    return Counter(
        values.a(int, fields["thread"], f"{where}.thread"),
        values.integers(fields["stack"], f"{where}.stack"),
        tuple((name, values.a(int, n, f"{where}.where")) for name, n in wanted.items()),
    )


def _definition(values: Values, value: Any, where: str) -> Definition:
    fields = values.record(value, where, ("stacks", "formula"))
    stacks = values.items(fields["stacks"], f"{where}.stacks")
    return Definition(
        tuple(values.integers(stack, f"{where}.stacks") for stack in stacks),
        values.a(str, fields["formula"], f"{where}.formula"),
    )
