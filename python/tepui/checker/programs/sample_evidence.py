"""Evidence about a sample: a program in which choices have fewer values.

A sample is claimed to be the program as it was written, place by place, except for two things:

- A `Choice` of a type that is not Boolean may have become an expression that is made of constants
  of that type, and of `Conditional`s that choose between such expressions by a Boolean `Choice`.
- A variable that starts with any value of its type may start with one of them.

The checker compares both programs, and calls no pass.

*Every run of a sample is a run of the program.* What can be reached is the same if values are
chosen at once, where a `Choice` is evaluated and where a variable begins to be (`program`). So let
them be chosen at once: then a state has a value for each variable. The initial states of the sample
are initial states of the program, as both have the same variables of the same types, and the sample
leaves out some first values. The same holds for the frames of procedures that are called or
started: variables that are given something have that in both.

An expression is evaluated in a store and has outcomes: a value, and the store after it. Each
outcome of an expression of the sample is one of the expression of the program. What has taken the
place of a `Choice` reads nothing, never blocks, leaves the store as it is, and has values of the
type only, each of which is an outcome of the `Choice` in the same store. All other expressions have
the same operator in both. Their outcomes are the union, over the outcomes of the operands from left
to right, of what the operator makes of them. Whether an operand is evaluated (`and`, `or`,
`implies`, `Conditional`), and whether the operator blocks, depends on the outcomes before it only.
By induction these are outcomes in the program as well, so the same operands are evaluated there, in
the same order and in the same stores. So neither order nor short circuits matter.

An edge can be taken if there are such outcomes of its expressions, and an assertion can be violated
if its condition has the outcome 0. So each move of the sample is a move of the program. A path
through an atomic section is made of moves, and it is complete if it ends where sections end, which
is the same in both. Who may move depends on the state, on the lock and on the types of threads,
which are the same. So are the points: the same locations, and the same assertions. Tail calls are
the same, because the mere end of a procedure is an edge without any choice: it stays as it is, and
no other edge becomes one, as what takes the place of a choice is never the constant `true` of
Booleans. So a run of the sample is a run of the program, with the same contexts, and it ends at the
same points.

The converse does not hold. So a certificate about a sample proves nothing about the program, and is
rejected. A thread of the sample may be stuck where one of the program can choose another value. So
a deadlock of the sample counts only if all edges that its threads could take, up to where they come
to rest again, are the same in both, and no variable that starts on the way has other first values.
Then the threads have the same moves in both.

A sample is made of a program as it was written, without forks and with finitely many states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from tepui.checker.programs.derivation import AsWritten
from tepui.checker.programs.replay import Claim, replay
from tepui.checker.trace import Trace
from tepui.errors import EvidenceError
from tepui.model import Property
from tepui.program.expressions import (
    ANY,
    Choice,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Variable,
    operands,
    with_operands,
)
from tepui.program.program import Call, Derived, Edge, Procedure, Program, Thread, target_of
from tepui.program.semantics.meaning import Meaning, MeaningOptions
from tepui.program.semantics.sections import is_atomic
from tepui.program.types import Bounded, Enumeration, Scalar
from tepui.program.walk import expressions_of, with_expressions
from tepui.records import replace

_OTHER = "a sample is not the program that it is said to be"


class InSample(AsWritten):
    """A program in which choices have fewer values."""

    def __init__(self, program: Derived) -> None:
        super().__init__(program)
        self._original = program.original

    def check(self) -> None:
        super().check()
        if isinstance(self._original, Derived):
            raise EvidenceError("a sample was made of what another pass has made")
        if self._original.is_open:
            raise EvidenceError("a sample was made of a program without a system of its own")
        self._comparison = _Comparison(self._original, self.program)
        self._comparison.check()

    def said(self) -> dict[str, Any]:
        """What the pass was asked for. It need not be true: whoever reads the file makes the
        program again, and that one is compared."""
        made = cast(Any, self.program)
        names = [procedure.name for procedure in self._original.procedures]
        choices = [
            {"procedure": names[number], "location": location, "edge": edge, "values": list(values)}
            for (number, location, edge), values in sorted(made.chosen.items())
        ]
        globals_: dict[str, int | None] = {}
        locals_: dict[str, dict[str, int | None]] = {}
        for (owner, name), value in made.initial.items():
            (globals_ if owner is None else locals_.setdefault(owner, {}))[name] = value
        sample = {"few": made.few, "choices": choices, "globals": globals_, "locals": locals_}
        return {**super().said(), "sample": sample}

    def replay(
        self,
        options: MeaningOptions,
        asked: Property,
        claims: Sequence[Claim],
        trace: Trace,
        go_on: Callable[[], bool],
    ) -> None:
        replay(
            self.program,
            None,
            self._sorts,
            options.probes,
            asked,
            claims,
            trace,
            go_on,
            self._comparison.has_the_same_moves,
        )

    def meaning(self, options: MeaningOptions) -> Meaning:
        raise EvidenceError("what holds for some values need not hold for others")


class _Comparison:
    """Compares a sample with the program that it was made of."""

    def __init__(self, original: Program, made: Program) -> None:
        self._original = original
        self._made = made
        self._changed: dict[Variable, Variable] = {}
        """For each variable of the program, that of the sample."""
        self._other: set[tuple[int, int]] = set()
        """The places of edges in which a choice has become something else: procedure and number."""
        self._at = 0, 0
        """The place of the edge that is being compared."""

    def check(self) -> None:
        """Build the sample again from the program, with the values that it has, and compare."""
        old, new = self._original, self._made
        if len(old.procedures) != len(new.procedures):
            raise EvidenceError(_OTHER)
        self._note(old.globals, new.globals)
        for one, other in zip(old.procedures, new.procedures, strict=True):
            self._note(one.variables, other.variables)
        numbers = range(len(old.procedures))
        expected = (
            tuple(map(self._procedure, numbers, old.procedures, new.procedures)),
            tuple(map(self._thread, old.threads)),
            tuple(map(self._variable, old.globals)),
            None if old.lock is None else self._variable(old.lock),
        )
        if expected != (new.procedures, new.threads, new.globals, new.lock):
            raise EvidenceError(_OTHER)

    def has_the_same_moves(self, point: int) -> bool:
        """Whether a thread that is at a point has the same moves in the program, with the same
        values. It has if all edges on its way to where it rests again are the same, and no variable
        of a procedure that is called there starts with fewer values."""
        layout, procedures = self._original.layout, self._original.procedures
        if point >= layout.waiting:
            return True  # It begins or not, whatever it will choose.
        open_, met = [layout.locations[point]], set[tuple[int, int]]()
        while open_:
            here = open_.pop()
            if here in met:
                continue
            met.add(here)
            number, location = here
            for place, edge in enumerate(procedures[number].edges):
                if edge.source != location:
                    continue
                if (number, place) in self._other:
                    return False
                if isinstance(edge, Call):
                    callee = self._original.numbers[edge.procedure]
                    if not self._changed.keys().isdisjoint(procedures[callee].variables):
                        return False
                    open_ += [(callee, each.source) for each in procedures[callee].edges]
                target = target_of(edge)
                if target is not None and is_atomic(layout, layout.point(number, target)):
                    open_.append((number, target))
        return True

    def _note(self, old: Sequence[Variable], new: Sequence[Variable]) -> None:
        """Note what has become of variables; each may have got an initial value."""
        if len(old) != len(new):
            raise EvidenceError(_OTHER)
        for one, other in zip(old, new, strict=True):
            if other.initial != one.initial:
                if one.initial is not None or not _is_value(one.scalar, other.initial):
                    raise EvidenceError(
                        f"in a sample, the variable {one.name} starts with what it cannot have"
                    )
                self._changed[one] = replace(one, initial=other.initial)

    def _variable(self, old: Variable) -> Variable:
        return self._changed.get(old, old)

    def _thread(self, old: Thread) -> Thread:
        inherited = tuple(map(self._variable, old.inherited))
        return replace(
            old, inherited=inherited, idle=None if old.idle is None else self._variable(old.idle)
        )

    def _procedure(self, number: int, old: Procedure, new: Procedure) -> Procedure:
        if len(old.edges) != len(new.edges):
            raise EvidenceError(_OTHER)
        edges = []
        for place, pair in enumerate(zip(old.edges, new.edges, strict=True)):
            self._at = number, place
            edges.append(self._edge(*pair))
        return replace(
            old,
            edges=tuple(edges),
            variables=tuple(map(self._variable, old.variables)),
        )

    def _edge(self, old: Edge, new: Edge) -> Edge:
        """The edge of the program, with the choices of the sample."""
        found = expressions_of(new)
        return with_expressions(old, lambda each: self._expression(each, found), self._variable)

    def _expression(self, old: Expression, found: Iterator[Expression]) -> Expression:
        """An expression of the program with the choices of the next one of the sample."""
        new = next(found, None)
        if new is None:
            raise EvidenceError(_OTHER)
        return self._with_choices(old, new)

    def _with_choices(self, old: Expression, new: Expression) -> Expression:
        if isinstance(old, Choice):
            if new != old and not _is_one_of(new, old.type):
                raise EvidenceError("in a sample, a choice has become something else")
            if new != old:
                self._other.add(self._at)
            return new
        if isinstance(old, Read | ReadElement):
            old = replace(old, variable=self._variable(old.variable))
        found = iter(operands(new))
        return with_operands(old, lambda each: self._expression(each, found))


def _is_one_of(expression: Expression, scalar: Scalar) -> bool:
    """Whether all values of an expression are values of a type that is not Boolean, and it says
    so without reading anything."""
    match expression:
        case Constant():
            return expression.type == scalar and _is_value(scalar, expression.value)
        case Conditional():
            ways = expression.then, expression.otherwise
            return expression.condition == ANY and all(_is_one_of(way, scalar) for way in ways)
    return False


def _is_value(scalar: Scalar, value: int | None) -> bool:
    """Whether a value is one of a type. Integers without bounds and identities of threads have no
    others than they were given, and Booleans need none."""
    if type(value) is not int or not isinstance(scalar, Bounded | Enumeration):
        return False
    return scalar.low <= value < scalar.low + scalar.size
