"""Evidence about an instance: some number of threads, and integers within bounds.

An instance is claimed to be the program as it was written, place by place, except that types of
which there is any number have some number of threads, and that integers without bounds have them,
where a step that would leave the bounds does not exist. The checker compares both programs, and
calls no pass. Then every step of the instance is one of the program: it evaluates the same
expressions to the same values, or does not exist. So a run of the instance is a run of the program.
But where integers have been given bounds, a thread of the instance may be stuck that could move in
the program. So a trace that ends in a deadlock and in nothing else shows nothing there, and is
rejected. A certificate about an instance proves nothing about other instances, and is rejected.

Where a program forks threads, an instance may be given slots (`slot_evidence`). Or forked threads
are made threads of types before (`forked_threads`): such an instance shows nothing by its runs.

What holds for any number of threads is shown by evidence about the program itself
(`OpenCertificate`). An instance is needed there as well, because what is asked names threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from tepui.checker.evidence import Bad
from tepui.checker.programs.derivation import AsWritten, named_places
from tepui.checker.programs.replay import Claim
from tepui.checker.trace import Trace
from tepui.errors import EvidenceError
from tepui.model import Property
from tepui.program.expressions import (
    Choice,
    Convert,
    Expression,
    Read,
    ReadElement,
    Variable,
    with_operands,
)
from tepui.program.program import Derived, Program
from tepui.program.questions import Question, posed
from tepui.program.semantics.meaning import Meaning, MeaningOptions
from tepui.program.types import INTEGER, Array, Bounded, Scalar
from tepui.program.walk import with_expressions
from tepui.records import replace

_STANDING = 2
"""A question names two threads at most, so with two of a type it names all that there could be."""


class InInstance(AsWritten):
    """A program with a fixed number of threads and integers within bounds."""

    def __init__(self, program: Derived) -> None:
        super().__init__(program)
        self._original = program.original
        self._integers = cast(Bounded | None, getattr(program, "integers_as", None))

    def check(self) -> None:
        super().check()
        self.check_made()

    def check_made(self) -> None:
        """Refuse an instance that was made in another way than it should have been."""
        if isinstance(self._original, Derived):
            # Few instances are of programs that fork, and importing this takes time.
            from tepui.checker.programs.forked_threads import ForkedThreads

            ForkedThreads(self._original).check()
        if self._integers is not None and (
            self._integers.overflow != "block" or self._integers.size < 1
        ):
            raise EvidenceError("integers were not given bounds that no step leaves")
        expected = _as_instance(self._original, self.program, self._integers)
        if expected != replace(expected, **_parts(self.program)):
            raise EvidenceError("an instance is not the program that it is said to be")

    def said(self) -> dict[str, Any]:
        threads = {
            new.name: new.count
            for old, new in zip(self._original.threads, self.program.threads, strict=True)
            if old.count is None
        }
        bounds = None if self._integers is None else [self._integers.low, self._integers.high]
        types = {"forked": "types"} if self._has_forked_types else {}
        return {**super().said(), "instance": {"threads": threads, "integers": bounds, **types}}

    @property
    def proved(self) -> Program:
        if not isinstance(self._original, Derived):
            return super().proved
        return Program(**_parts(self._original), name=self._original.name)

    @property
    def _has_forked_types(self) -> bool:
        """Whether it is an instance of a program that does more than the one as written."""
        return isinstance(self._original, Derived)

    def replay(
        self,
        options: MeaningOptions,
        asked: Property,
        claims: Sequence[Claim],
        trace: Trace,
        go_on: Callable[[], bool],
    ) -> None:
        if self._has_forked_types:
            raise EvidenceError(
                "where forked threads were made types, a run need not be one of the program"
            )
        super().replay(options, self.shown(asked), claims, trace, go_on)

    def shown(self, asked: Property) -> Property:
        """What a trace can show of what is asked."""
        if self._integers is None or not asked.deadlock:
            return asked
        if not asked.patterns:
            raise EvidenceError("where integers were given bounds, no deadlock is known to be one")
        return replace(asked, deadlock=False)

    def bad(self, asked: Property) -> list[Bad]:
        """Two threads stand for any number of them where a property names threads."""
        pairs = zip(self._original.threads, self.program.threads, strict=True)
        if any(old.count is None and (new.count or 0) < _STANDING for old, new in pairs):
            raise EvidenceError("one thread does not stand for any number of them")
        types = self.program.thread_types
        return [
            tuple((types[thread], point) for thread, point in named)
            for named in named_places(self.program, asked)
        ]

    def posed(self, question: Question) -> Question:
        if isinstance(self._original, Derived):
            question = posed(self._original, question)
        return posed(cast(Derived, self.program), question)

    def meaning(self, options: MeaningOptions) -> Meaning:
        raise EvidenceError("what holds for some threads and integers need not hold for others")


def _as_instance(original: Program, made: Program, integers: Bounded | None) -> Program:
    """The program as written, with the numbers of threads of what was made, and with bounds."""
    if len(original.threads) != len(made.threads):
        raise EvidenceError("an instance has other thread types")

    def variable(old: Variable) -> Variable:
        if integers is None or old.scalar != INTEGER:
            return old
        return replace(old, type=Array(integers, old.length) if _is_array(old) else integers)

    def scalar(old: Scalar) -> Scalar:
        return integers if integers is not None and old == INTEGER else old

    def expression(old: Expression) -> Expression:
        match old:
            case Read() | ReadElement():
                old = replace(old, variable=variable(old.variable))
            case Choice() | Convert():
                old = replace(old, type=scalar(old.type))
        return with_operands(old, expression)

    threads = []
    for old, new in zip(original.threads, made.threads, strict=True):
        if new.count is None or new.count < 1 or old.count not in (None, new.count):
            raise EvidenceError(f"an instance has another number of threads {old.name}")
        idle = None if old.idle is None else variable(old.idle)
        inherited = tuple(map(variable, old.inherited))
        threads.append(replace(old, count=new.count, idle=idle, inherited=inherited))
    procedures = [
        replace(
            old,
            edges=tuple(with_expressions(edge, expression, variable) for edge in old.edges),
            variables=tuple(map(variable, old.variables)),
            results=tuple(map(scalar, old.results)),
        )
        for old in original.procedures
    ]
    return replace(
        original,
        procedures=tuple(procedures),
        threads=tuple(threads),
        globals=tuple(map(variable, original.globals)),
    )


def _parts(program: Program) -> dict[str, Any]:
    return {
        "procedures": program.procedures,
        "threads": program.threads,
        "globals": program.globals,
        "lock": program.lock,
    }


def _is_array(variable: Variable) -> bool:
    return isinstance(variable.type, Array)
