"""Programs whose data-independent sorts have fewer values (see `sort_classes`).

The values of such a sort are only copied, and compared by `=` and `!=` with each other and with
constants. So it does not matter which values they are, only which of them are equal. The sort
keeps its constants and as many further values as are ever needed at once. How many these are, and
why that is enough, is in `checker.programs.small_sorts`, which makes sure of it.

The type of a smaller sort is an enumeration, whose members are the texts of the values kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, islice
from typing import ClassVar

from tepui.errors import ModelError
from tepui.program.expressions import (
    Binary,
    Choice,
    Conditional,
    Constant,
    Convert,
    Expression,
    Read,
    ReadElement,
    Variable,
    with_operands,
)
from tepui.program.passes.sort_classes import Place, Sort, destinations, place_of, sorts_of
from tepui.program.program import (
    Derived,
    Edge,
    Procedure,
    Program,
)
from tepui.program.types import Array, Bounded, Enumeration, Scalar
from tepui.program.walk import with_expressions
from tepui.records import field, record, replace


@record
class SmallSort:
    """A sort with fewer values: where they are, their type in the original, and which are kept."""

    places: frozenset[Place]
    original: Scalar
    values: tuple[int, ...]

    @property
    def type(self) -> Enumeration:
        """The type of what is kept."""
        return Enumeration(tuple(map(self.original.text, self.values)))


@record
class Shrunk(Derived):
    """A program with smaller sorts, and what it was made from."""

    made_by: ClassVar[str] = "sorts"

    sorts: Mapping[str, SmallSort] = field(kw_only=True)
    """By the name of the first variable of each."""

    def point(self, original: int) -> int:
        return original


def with_small_sorts(program: Program, forked: int = 0) -> Program:
    """The program with fewer values of each sort that needs fewer than it has, while at most this
    many forked threads are alive; the program itself if there is no such sort."""
    kept = {}
    for name, sort in _named(program).items():
        needed = sort.needed(program, forked)
        if sort.scalar is not None and needed is not None and needed < sort.scalar.size:
            kept[name] = _kept(sort.scalar, sort.constants, needed)
    return with_values(program, kept) if kept else program


def with_values(program: Program, kept: Mapping[str, Sequence[int]]) -> Shrunk:
    """The program with these values of some sorts, which are given by their first variables."""
    named = _named(program)
    sorts = {}
    for name, values in kept.items():
        sort = named.get(name)
        scalar = None if sort is None else sort.scalar
        if sort is None or scalar is None:
            raise ModelError(f"{program.name} has no data-independent variable {name}")
        inside = range(scalar.low, scalar.low + scalar.size)
        distinct = set(values)
        fits = sort.constants <= distinct and all(value in inside for value in distinct)
        if not fits or len(distinct) < len(values):
            raise ModelError(f"these values of {name} are not enough for {program.name}")
        sorts[name] = SmallSort(frozenset(sort.places), scalar, tuple(values))
    return _Shrinking(program, sorts).program()


def _named(program: Program) -> dict[str, Sort]:
    """The data-independent sorts of a program, each by its first variable."""
    order = [*program.globals, *chain(*(each.variables for each in program.procedures))]
    found = {place: sort for sort in sorts_of(program) for place in sort.places}
    named: dict[Sort, str] = {}
    for variable in order:
        sort = found[place_of(variable)]
        if sort.scalar is not None:
            owner = "" if variable.procedure is None else f"{variable.procedure}."
            named.setdefault(sort, f"{owner}{variable.name}")
    return {name: sort for sort, name in named.items()}


def _kept(scalar: Bounded | Enumeration, constants: set[int], count: int) -> list[int]:
    """The constants of a sort, and others of its values that are near to 0."""
    last = scalar.low + scalar.size - 1
    others = chain(range(max(scalar.low, 0), last + 1), range(min(last, -1), scalar.low - 1, -1))
    fresh = (value for value in others if value not in constants)
    return sorted([*constants, *islice(fresh, count - len(constants))])


class _Shrinking:
    """Gives a program smaller sorts."""

    def __init__(self, program: Program, sorts: Mapping[str, SmallSort]) -> None:
        self._program = program
        self._sorts = sorts
        self._places = {place: sort for sort in sorts.values() for place in sort.places}
        self._changed: dict[Variable, Variable] = {}

    def program(self) -> Shrunk:
        program = self._program
        return Shrunk(
            procedures=tuple(map(self._procedure, program.procedures)),
            threads=tuple(
                replace(thread, inherited=tuple(map(self._variable, thread.inherited)))
                for thread in program.threads
            ),
            globals=tuple(map(self._variable, program.globals)),
            lock=program.lock,
            name=program.name,
            error_labels=program.error_labels,
            warnings=program.warnings,
            original=program,
            sorts=self._sorts,
        )

    def _procedure(self, procedure: Procedure) -> Procedure:
        results = (self._places.get((procedure.name, n)) for n in range(len(procedure.results)))
        return replace(
            procedure,
            edges=tuple(self._edge(procedure, edge) for edge in procedure.edges),
            variables=tuple(map(self._variable, procedure.variables)),
            results=tuple(
                scalar if sort is None else sort.type
                for scalar, sort in zip(procedure.results, results, strict=True)
            ),
        )

    def _variable(self, variable: Variable) -> Variable:
        if variable not in self._changed:
            self._changed[variable] = self._with_type(variable)
        return self._changed[variable]

    def _with_type(self, variable: Variable) -> Variable:
        sort = self._sort(variable)
        if sort is None:
            return variable
        old = variable.type
        type_ = replace(old, element=sort.type) if isinstance(old, Array) else sort.type
        initial = None if variable.initial is None else sort.values.index(variable.initial)
        return replace(variable, type=type_, initial=initial)

    def _sort(self, variable: Variable) -> SmallSort | None:
        return self._places.get(place_of(variable))

    def _edge(self, procedure: Procedure, edge: Edge) -> Edge:
        places = destinations(self._program, procedure, edge)

        def change(expression: Expression) -> Expression:
            place = next(places, None)
            return self._copied(expression, None if place is None else self._places.get(place))

        return with_expressions(edge, change, self._variable)

    def _copied(self, expression: Expression, sort: SmallSort | None) -> Expression:
        """An expression whose value belongs to a sort."""
        if sort is None:
            return self._expression(expression)
        match expression:
            case Constant():
                return Constant(sort.values.index(expression.value), sort.type)
            case Choice():
                return Choice(sort.type)
            case Convert():
                return Convert(self._copied(expression.operand, sort), sort.type)
            case Conditional():
                return Conditional(
                    self._expression(expression.condition),
                    self._copied(expression.then, sort),
                    self._copied(expression.otherwise, sort),
                )
        return self._expression(expression)

    def _expression(self, expression: Expression) -> Expression:
        """Any other expression."""
        match expression:
            case Read() | ReadElement():
                expression = replace(expression, variable=self._variable(expression.variable))
            case Binary(operator="=" | "!="):
                sort = self._known(expression.left) or self._known(expression.right)
                return replace(
                    expression,
                    left=self._copied(expression.left, sort),
                    right=self._copied(expression.right, sort),
                )
        return with_operands(expression, self._expression)

    def _known(self, expression: Expression) -> SmallSort | None:
        """The sort of a value, if a variable in it tells."""
        match expression:
            case Read() | ReadElement():
                return self._sort(expression.variable)
            case Convert():
                return self._known(expression.operand)
            case Conditional():
                return self._known(expression.then) or self._known(expression.otherwise)
        return None
