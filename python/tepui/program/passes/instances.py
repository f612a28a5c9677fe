"""Finite instances of a program with any number of threads, or with integers without bounds.

An instance is the same program, place by place. It has a fixed number of threads of each type, and
its integers have bounds: a step that would leave them does not exist. So every run of an instance
is a run of the program. What no instance does, the program may do all the same, unless it is shown
by other means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from tepui.program.expressions import (
    Choice,
    Constant,
    Convert,
    Expression,
    Read,
    ReadElement,
    Variable,
    inside,
    with_operands,
)
from tepui.program.program import Derived, Edge, Procedure, Program, Thread
from tepui.program.types import INTEGER, Array, Bounded, Scalar
from tepui.program.walk import expressions_of, with_expressions
from tepui.records import field, record, replace

_LOWEST, _HIGHEST = -(2**63), 2**64 - 1
"""What a variable can hold."""

_FAR = 1000
"""Larger constants are not near anything that a small instance reaches; initial values are."""


@record
class Instance(Derived):
    """A program with a fixed number of threads, and integers within bounds."""

    made_by: ClassVar[str] = "instance"
    integers_as: Bounded | None = field(default=None, kw_only=True)
    """What integers without bounds have become; None if there are none."""

    def point(self, original: int) -> int:
        return original

    @property
    def counts(self) -> dict[str, int]:
        """How many threads there are of each type of which there is any number."""
        return {each.name: each.size for each in self.threads if each.name in self._any}

    @property
    def _any(self) -> tuple[str, ...]:
        return self.original.any_number


def within(largest: int) -> Bounded:
    """The integers up to a number and down to its negative, as far as variables have such values;
    no step leaves them."""
    return Bounded(max(-largest, _LOWEST), min(largest, _HIGHEST), "block")


def around(program: Program, distance: int) -> Bounded:
    """Integers around those that a program names: up to some distance from the largest."""
    named = {abs(each.initial) for each in program.integers if each.initial is not None}
    for procedure in program.procedures:
        for edge in procedure.edges:
            for expression in expressions_of(edge):
                for part in inside(expression):
                    if isinstance(part, Constant) and abs(part.value) <= _FAR:
                        named.add(abs(part.value))
    return within(max(named, default=0) + distance)


def instance(program: Program, counts: Mapping[str, int], integers: Bounded) -> Instance:
    """The instance with these numbers of threads, for each type of which there is any number."""
    narrowing = _Narrowing(integers)
    has_integers = program.has_integers
    return Instance(
        tuple(map(narrowing.procedure, program.procedures)) if has_integers else program.procedures,
        tuple(narrowing.thread(each, counts) for each in program.threads),
        tuple(map(narrowing.variable, program.globals)),
        program.lock,
        program.name,
        program.error_labels,
        program.warnings,
        original=program,
        integers_as=integers if has_integers else None,
    )


class _Narrowing:
    """Gives bounds to integers."""

    def __init__(self, integers: Bounded) -> None:
        self._integers = integers

    def thread(self, old: Thread, counts: Mapping[str, int]) -> Thread:
        inherited = tuple(map(self.variable, old.inherited))
        idle = None if old.idle is None else self.variable(old.idle)
        count = counts[old.name] if old.count is None else old.count
        return replace(old, count=count, inherited=inherited, idle=idle)

    def procedure(self, old: Procedure) -> Procedure:
        return replace(
            old,
            edges=tuple(map(self._edge, old.edges)),
            variables=tuple(map(self.variable, old.variables)),
            results=tuple(map(self._scalar, old.results)),
        )

    def variable(self, old: Variable) -> Variable:
        if old.scalar != INTEGER:
            return old
        narrow = self._integers
        return replace(
            old, type=Array(narrow, old.length) if isinstance(old.type, Array) else narrow
        )

    def _edge(self, old: Edge) -> Edge:
        return with_expressions(old, self._expression, self.variable)

    def _expression(self, old: Expression) -> Expression:
        new = with_operands(old, self._expression)
        if isinstance(new, Choice | Convert):
            return replace(new, type=self._scalar(new.type))
        return _reading(new, self.variable)

    def _scalar(self, old: Scalar) -> Scalar:
        return self._integers if old == INTEGER else old


def _reading(expression: Expression, change: Callable[[Variable], Variable]) -> Expression:
    """An expression that reads other variables itself; its operands stay."""
    if isinstance(expression, Read | ReadElement):
        return replace(expression, variable=change(expression.variable))
    return expression
