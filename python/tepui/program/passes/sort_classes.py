"""Which values of a program flow into each other, and which of these sorts are data-independent.

A *sort* is a class of variables (arrays stand for their elements), parameters and results between
which values are copied or compared by `=` and `!=`, directly or not. Constants and choices that
are copied there or compared with them belong to it.

A sort is data-independent if nothing else is done with its values: they are copied as a whole (by
assignments, arguments, results, what created threads inherit, through both branches of a
conditional, and through conversions to the type that they have) and compared with each other. An
operator, an index, a condition, another type on the way or a constant that the type does not have:
each of them spoils a sort. Every expression that is not known here does, too.

`sorts` proves how many values such a sort needs; `Sort.needed` counts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import inf

from tepui.program.expressions import (
    TRUE,
    Binary,
    Choice,
    Conditional,
    Constant,
    Convert,
    Expression,
    Read,
    ReadElement,
    Variable,
    operands,
)
from tepui.program.program import (
    Call,
    Create,
    Edge,
    Element,
    Fork,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    Target,
    variable_of,
)
from tepui.program.types import Bounded, Enumeration, Scalar
from tepui.program.walk import created_by, expressions_of

Place = tuple[str | None, str | int]
"""A variable, by its procedure and its name; a result, by its procedure and its number."""


@dataclass(eq=False, slots=True)
class Sort:
    """Values that flow into each other."""

    places: list[Place] = field(default_factory=list)
    types: set[Scalar] = field(default_factory=set)
    constants: set[int] = field(default_factory=set)
    compared: dict[int, int] = field(default_factory=dict)
    """By the number of an edge, how many choices it compares."""
    spoiled: bool = False

    def take(self, other: Sort) -> None:
        """Become one with another sort."""
        self.places += other.places
        self.types |= other.types
        self.constants |= other.constants
        self.spoiled |= other.spoiled
        for edge, count in other.compared.items():
            self.compared[edge] = self.compared.get(edge, 0) + count

    @property
    def scalar(self) -> Bounded | Enumeration | None:
        """The type of its values, if it is data-independent."""
        if self.spoiled or len(self.types) != 1:
            return None
        (scalar,) = self.types
        if not isinstance(scalar, Bounded | Enumeration):
            return None
        inside = range(scalar.low, scalar.low + scalar.size)
        return scalar if all(value in inside for value in self.constants) else None

    def needed(self, program: Program, forked: int) -> int | None:
        """How many values it needs if at most this many forked threads are alive at once; None if
        its cells are in unboundedly many frames."""
        places = frozenset(self.places)
        stacks = _cells_of_stacks(program, places)
        edges = (edge for procedure in program.procedures for edge in procedure.edges)
        started = {edge.procedure for edge in edges if isinstance(edge, Fork)}
        counts = [thread.size * stacks[thread.procedure] for thread in program.threads]
        if forked:
            counts.append(forked * max((stacks[name] for name in started), default=0))
        cells = _shared_cells(program, places) + sum(counts)
        if cells == inf:
            return None
        return max(1, int(cells) + len(self.constants) + max(self.compared.values(), default=0))


def _shared_cells(program: Program, places: frozenset[Place]) -> int:
    """How many cells of a shared state are of a sort: of global variables, of results, and of what
    created threads inherit."""
    results = {number for _, number in places if isinstance(number, int)}
    created = (thread for thread in program.threads if thread.created)
    inherited = (variable for thread in created for variable in thread.inherited)
    return _cells([*program.globals, *inherited], places) + len(results)


def _cells_of_stacks(program: Program, places: frozenset[Place]) -> dict[str, float]:
    """For each procedure, how many cells of a sort all frames together can have at once of a
    thread that begins with it.

    Counts grow from round to round. In as many rounds as there are procedures, every count that
    does not grow for ever is complete, and in as many more, every other one has grown.
    """
    own: dict[str, float] = {
        each.name: _cells(each.variables, places) for each in program.procedures
    }
    called = {
        each.name: {edge.procedure for edge in each.edges if isinstance(edge, Call)}
        for each in program.procedures
    }

    def later(counts: dict[str, float]) -> dict[str, float]:
        for _ in own:
            before = counts
            counts = {
                name: own[name] + max((before[callee] for callee in called[name]), default=0)
                for name in own
            }
            if counts == before:
                break
        return counts

    counts = later(own)
    return {
        name: inf if later_ > counts[name] else later_ for name, later_ in later(counts).items()
    }


def _cells(variables: Iterable[Variable], places: frozenset[Place]) -> int:
    return sum(each.length for each in variables if (each.procedure, each.name) in places)


def sorts_of(program: Program) -> list[Sort]:
    """All sorts of a program, in the order of their first places."""
    return _Flow(program).sorts()


class _Flow:
    """Follows the values of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._parents: dict[Sort, Sort] = {}
        self._places: dict[Place, Sort] = {}
        self._edge = 0
        for variable in program.globals:
            self._declare(variable)
        for procedure in program.procedures:
            for variable in procedure.variables:
                self._declare(variable)
            for number, scalar in enumerate(procedure.results):
                place = procedure.name, number
                self._places[place] = Sort([place], {scalar})

    def sorts(self) -> list[Sort]:
        for procedure in self._program.procedures:
            for edge in procedure.edges:
                self._edge += 1
                self._follow(procedure, edge)
        for thread in self._program.threads:
            if thread.idle is not None:
                self._variable(thread.idle).spoiled = True
        if self._program.lock is not None:
            self._variable(self._program.lock).spoiled = True
        return list(dict.fromkeys(self._root(sort) for sort in self._places.values()))

    def _declare(self, variable: Variable) -> None:
        place = variable.procedure, variable.name
        initial = set() if variable.initial is None else {variable.initial}
        self._places[place] = Sort([place], {variable.scalar}, initial)

    def _root(self, sort: Sort) -> Sort:
        while sort in self._parents:
            sort = self._parents[sort]
        return sort

    def _join(self, one: Sort, other: Sort) -> Sort:
        one, other = self._root(one), self._root(other)
        if one is not other:
            if len(one.places) < len(other.places):
                one, other = other, one
            self._parents[other] = one
            one.take(other)
        return one

    def _variable(self, variable: Variable) -> Sort:
        return self._root(self._places[variable.procedure, variable.name])

    def _follow(self, procedure: Procedure, edge: Edge) -> None:
        """What one edge does with values."""
        # What a constraint compares may have been chosen by the same step.
        compared = isinstance(edge, Step) and edge.constraint != TRUE
        places = destinations(self._program, procedure, edge)
        for expression in expressions_of(edge):
            value, place = self._value(expression, compared=compared), next(places, None)
            if place is None:
                value.spoiled = True
            else:
                self._join(value, self._places[place])
        if isinstance(edge, Fork) and edge.variable is not None:
            self._root(self._places[place_of(edge.variable)]).spoiled = True
        if isinstance(edge, Receive):
            for callee in _returning_to(procedure, edge.source):
                for number, target in enumerate(edge.targets):
                    if target is not None:
                        self._join(self._places[callee, number], self._places[place_of(target)])

    def _use(self, expression: Expression) -> None:
        """Something depends on the value itself."""
        self._value(expression).spoiled = True

    def _value(self, expression: Expression, *, compared: bool = False) -> Sort:
        """The sort to which the value of an expression belongs."""
        match expression:
            case Read():
                return self._variable(expression.variable)
            case ReadElement():
                self._use(expression.index)
                return self._variable(expression.variable)
            case Constant():
                return Sort(constants={expression.value})
            case Choice():
                choices = {self._edge: 1} if compared else {}
                return Sort(types={expression.type}, compared=choices)
            case Conditional():
                self._use(expression.condition)
                then = self._value(expression.then, compared=compared)
                return self._join(then, self._value(expression.otherwise, compared=compared))
            case Convert():
                # To the type that it has, or else there are two types.
                value = self._value(expression.operand, compared=compared)
                return self._join(value, Sort(types={expression.type}))
            case Binary(operator="=" | "!="):
                left = self._value(expression.left, compared=True)
                self._join(left, self._value(expression.right, compared=True))
            case _:
                for operand in operands(expression):
                    self._use(operand)
        return Sort(spoiled=True)


def destinations(program: Program, procedure: Procedure, edge: Edge) -> Iterator[Place | None]:
    """For the expressions of an edge, in the order of `expressions_of`: the place to which the
    value is copied, or None. Nothing is copied after the last of them."""
    yield None  # The guard.
    match edge:
        case Step():
            for assignment in edge.assignments:
                if isinstance(assignment.target, Element):
                    yield None  # The index.
                yield place_of(assignment.target)
        case Call() | Fork():
            callee = program.by_name[edge.procedure]
            yield from map(place_of, callee.variables[: callee.parameters])
        case Return():
            yield from ((procedure.name, number) for number in range(len(edge.values)))
        case Create():
            for number, _ in created_by(edge):
                yield from map(place_of, program.threads[number].inherited)


def place_of(target: Target) -> Place:
    """The place to which something is assigned; of an array, all elements are one."""
    variable = variable_of(target)
    return variable.procedure, variable.name


def _returning_to(procedure: Procedure, location: int) -> Iterator[str]:
    """The procedures whose results are received at a location."""
    for edge in procedure.edges:
        if isinstance(edge, Call) and edge.target == location:
            yield edge.procedure
