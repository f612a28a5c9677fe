"""A program in which wide choices have a few values only: those of some run, for example.

A sample is the same program, place by place. Each choice among many values has become one among
some of them, and each variable of many values that starts with any of them starts with one. So
every run of a sample is a run of the program, and a sample can be explored where the program has
too many states to list. What no sample does, the program may do all the same.

Choices of Booleans stay, and so do integers without bounds and identities of threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from tepui.errors import ModelError
from tepui.program.expressions import (
    ANY,
    Choice,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Variable,
    inside,
    with_operands,
)
from tepui.program.program import Derived, Edge, Procedure, Program, Thread
from tepui.program.types import Bounded, Enumeration, Scalar
from tepui.program.walk import expressions_of, with_expressions
from tepui.records import field, record, replace

EdgeAt = tuple[int, int, int]
"""An edge: its procedure, the location that it leaves, and its place among those that do."""

Place = tuple[str | None, str]
"""A variable: its procedure, if it is a local one, and its name."""


@record
class Sampled(Derived):
    """A program with fewer choices, and which ones. Choices on edges that are not named have the
    lowest value of their type, and 0."""

    made_by: ClassVar[str] = "samples"

    few: int = field(kw_only=True)
    """A type with no more values keeps all of them."""
    chosen: Mapping[EdgeAt, tuple[int, ...]] = field(kw_only=True)
    """The values that choices on an edge may have, each as far as its type has them."""
    initial: Mapping[Place, int | None] = field(kw_only=True)
    """What variables of large types start with that had no initial value; None where they still
    have none."""

    def point(self, original: int) -> int:
        return original


def sampled(
    program: Program,
    chosen: Mapping[EdgeAt, Sequence[int]],
    globals_: Mapping[int, int],
    locals_: Mapping[tuple[int, int], int],
    few: int = 16,
) -> Sampled:
    """The program in which a choice among more than a `few` values has some of them only: of those
    that are `chosen` for its edge, all that its type has, or else the lowest value of its type.

    `globals_` says for cells of the shared state what they start with, and `locals_` for cells of
    the frames of a procedure, if they had no initial value; others start with 0, or else the lowest
    value. An array has one initial value for all elements, so one whose elements should start with
    different values still starts with any.
    """
    given: dict[int | None, dict[int, int]] = {None: dict(globals_)}
    for (owner, cell), value in locals_.items():
        given.setdefault(owner, {})[cell] = value
    initial: dict[Place, int | None] = {}
    scopes: list[tuple[int | None, Sequence[Variable]]] = [(None, program.globals)]
    scopes += [(number, each.variables) for number, each in enumerate(program.procedures)]
    for number, variables in scopes:
        cell, values = 0, given.get(number, {})
        for variable in variables:
            cells = range(cell, cell + variable.length)
            cell += variable.length
            if _starts_with_any(variable, few):
                wanted = {values[each] for each in cells if each in values}
                initial[place_of(variable)] = _initial(variable, wanted)
    return with_samples(program, chosen, initial, few)


def with_samples(
    program: Program,
    chosen: Mapping[EdgeAt, Sequence[int]],
    initial: Mapping[Place, int | None],
    few: int,
) -> Sampled:
    """The same, given what each variable starts with that has no initial value and more than a
    `few`; None leaves it without one."""
    return _Sampling(program, chosen, initial, few).program()


def place_of(variable: Variable) -> Place:
    """What names a variable in a program."""
    return variable.procedure, variable.name


class _Sampling:
    """Takes values from choices."""

    def __init__(
        self,
        program: Program,
        chosen: Mapping[EdgeAt, Sequence[int]],
        initial: Mapping[Place, int | None],
        few: int,
    ) -> None:
        self._program = program
        self._few = few
        self._given = chosen
        self._used: dict[EdgeAt, tuple[int, ...]] = {}
        self._initial = {
            place_of(each): initial.get(place_of(each))
            for each in _variables(program)
            if _starts_with_any(each, few)
        }

    def program(self) -> Sampled:
        program = self._program
        procedures = tuple(
            self._procedure(number, each) for number, each in enumerate(program.procedures)
        )
        return Sampled(
            procedures,
            tuple(map(self._thread, program.threads)),
            tuple(map(self._variable, program.globals)),
            None if program.lock is None else self._variable(program.lock),
            program.name,
            program.error_labels,
            program.warnings,
            original=program,
            few=self._few,
            chosen=self._used,
            initial=self._initial,
        )

    def _thread(self, old: Thread) -> Thread:
        inherited = tuple(map(self._variable, old.inherited))
        return replace(
            old, inherited=inherited, idle=None if old.idle is None else self._variable(old.idle)
        )

    def _procedure(self, number: int, old: Procedure) -> Procedure:
        met = [0] * len(old.locations)
        """For each location, how many of the edges that leave it have been met."""
        edges = []
        for edge in old.edges:
            edges.append(self._edge((number, edge.source, met[edge.source]), edge))
            met[edge.source] += 1
        return replace(old, edges=tuple(edges), variables=tuple(map(self._variable, old.variables)))

    def _edge(self, at: EdgeAt, old: Edge) -> Edge:
        types = list(self._wide_choices(old))
        given = self._given.get(at)
        if given is not None and types:
            used = {value for value in given if any(_has(each, value) for each in types)}
            self._used[at] = tuple(sorted(used))
        values = self._used.get(at)

        def change(expression: Expression) -> Expression:
            if isinstance(expression, Choice) and self._is_wide(expression.type):
                return _one_of(_kept(expression.type, values), expression.type)
            if isinstance(expression, Read | ReadElement):
                expression = replace(expression, variable=self._variable(expression.variable))
            return with_operands(expression, change)

        return with_expressions(old, change, self._variable)

    def _wide_choices(self, edge: Edge) -> Iterator[Scalar]:
        """The types of the choices on an edge among more than a few values."""
        for expression in expressions_of(edge):
            for part in inside(expression):
                if isinstance(part, Choice) and self._is_wide(part.type):
                    yield part.type

    def _is_wide(self, scalar: Scalar) -> bool:
        return _is_wide(scalar, self._few)

    def _variable(self, old: Variable) -> Variable:
        value = self._initial.get(place_of(old))
        return old if value is None else replace(old, initial=value)


def _variables(program: Program) -> Iterator[Variable]:
    yield from program.globals
    for procedure in program.procedures:
        yield from procedure.variables


def _starts_with_any(variable: Variable, few: int) -> bool:
    """Whether a variable starts with any of more than a few values."""
    return variable.initial is None and _is_wide(variable.scalar, few)


def _is_wide(scalar: Scalar, few: int) -> bool:
    return isinstance(scalar, Bounded | Enumeration) and scalar.size > few


def _has(scalar: Scalar, value: int) -> bool:
    """Whether a value is one of a type."""
    return scalar.low <= value < scalar.low + scalar.size


def _initial(variable: Variable, wanted: set[int]) -> int | None:
    """What a variable starts with whose elements should start with these values; None if there is
    no such value."""
    if len(wanted) > 1:
        return None
    (value,) = wanted or {_usual(variable.scalar)}
    if not _has(variable.scalar, value):
        raise ModelError(f"the variable {variable.name} starts with {value}, which it cannot have")
    return value


def _usual(scalar: Scalar) -> int:
    """A value of a type that nobody has asked for."""
    return 0 if _has(scalar, 0) else scalar.low


def _kept(scalar: Scalar, values: Iterable[int] | None) -> list[int]:
    """The values that a choice keeps, given those of its edge, if these are said."""
    if values is None:
        return sorted({scalar.low, _usual(scalar)})
    return sorted({value for value in values if _has(scalar, value)}) or [scalar.low]


def _one_of(values: Sequence[int], scalar: Scalar) -> Expression:
    """An expression that has any of some values; it is as flat as it can be."""
    if len(values) == 1:
        return Constant(values[0], scalar)
    half = len(values) // 2
    return Conditional(ANY, _one_of(values[:half], scalar), _one_of(values[half:], scalar))
