"""Programs with fewer values of some sorts: what the checker makes sure of, and what values mean.

A pass keeps only some values of variables that are only copied and compared. It is not trusted, and
how it finds such variables is not asked. It claims *sorts*: which variables and results belong to
each, and which values it keeps. Both programs are then walked side by side, once:

- A value that goes to a place of a sort is a variable of this sort, a constant that was kept, a
  choice of its type, or a conditional between such values, or is converted to this type. Values
  compared by `=` and `!=` are of one sort, or of none. Anywhere else there is no variable of a
  sort. So values of a sort are only copied within it, and compared with each other and with
  constants.
- Apart from the types, the initial values and the constants of sorts, the programs are equal.

Then each sort needs enough values:

    cells       all that hold one of its values in one state: global variables, results, what
                created threads inherit, and the frames of all threads, forked ones included
    constants   that are copied to them or compared with them, initial values included
    choices     that one edge compares; where a step has a constraint, all that it makes

A cell of a frame counts as often as some stack can have that frame at once with the others: stacks
are as deep as calls can be, and with recursion infinitely deep. Of forked threads, as many count as
there are slots.

*Why that is enough.* Let every variable get its value at once, which reaches the same as when it is
first read. Let V be the values of the sort, V' those that are kept, and C its constants, so C is in
V' and V' in V. Relate a state s over V to a state s' over V' if some injection p from the values in
the cells of s to V', which leaves C as it is, makes s' of s. Initial states are related in both
directions: there are enough values in V' for the cells. Related states can do the same:

- An edge taken from s evaluates conditions, and each value of the sort in them comes from a cell,
  from C or from a choice of this edge. Extend p to the choices that the edge compares; V' has
  enough values, so p stays an injection. All comparisons have the same results, so the edge can be
  taken from s', and does the same except for what it copies.
- A choice that is copied only, and not compared by this edge, needs no value besides those of the
  cells *after* the edge: let q be p for all other values that are in cells after the edge. These
  are fewer than the cells, so V' without C and without them has a value left, for each such choice
  in turn. The states after the edge are related by q.
- Conversely, V' is a part of V. A step of s' is a step of the same state over V, which is related
  to s by a bijection of V that extends p, and what a program does is the same under each bijection
  that leaves C as it is.

So the two programs have related runs, with the same threads at the same places: the same violations
with as many contexts, and the same deadlocks. Inside an atomic section, each edge is related in
this way. If threads are forked, this holds as long as no more are alive than were counted; and the
first step to more of them is a step of both programs (`slot_evidence`). Threads that are forked,
but never run within a bound, hold arguments that nobody reads.  ∎
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import zip_longest
from typing import Any, Protocol, cast

from tepui.errors import EvidenceError
from tepui.program.calls import called_by, forked_by, with_all_called
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
    with_operands,
)
from tepui.program.layout import Cell, Value
from tepui.program.program import (
    Call,
    Create,
    Derived,
    Edge,
    Element,
    Fork,
    Procedure,
    Receive,
    Return,
    Step,
    scalar_of,
    variable_of,
)
from tepui.program.semantics.evaluation import values_of
from tepui.program.types import Array, Bounded, Enumeration, Scalar
from tepui.program.walk import created_by, expressions_of, targets_of, with_expressions

Place = tuple[str | None, str | int]
"""A variable, by its procedure and its name; a result, by its procedure and its number."""

_MANY = 1 << 20
"""If a type has more values, a choice among them is of some sort: no step with more outcomes is
listed."""


class ClaimedSort(Protocol):
    """What a program with smaller sorts says about one of them."""

    @property
    def places(self) -> frozenset[Place]: ...

    @property
    def original(self) -> Scalar: ...

    @property
    def values(self) -> tuple[int, ...]: ...


class SortsClaimed(Protocol):
    """What such a program says about itself; `SmallSorts.check` makes sure of it."""

    @property
    def sorts(self) -> Mapping[str, ClaimedSort]: ...


class SmallSorts:
    """What stands between a program with smaller sorts and the original."""

    def __init__(self, program: Derived) -> None:
        self._program = program
        self.original = program.original
        self._sorts = cast(SortsClaimed, program).sorts
        self._of = {place: name for name, sort in self._sorts.items() for place in sort.places}
        self._constants: dict[str, set[int]] = {name: set() for name in self._sorts}
        self._compared: dict[str, int] = dict.fromkeys(self._sorts, 0)
        """For each sort, how many choices an edge compares at most."""
        self._choices: Counter[str] = Counter()
        """How many of them the edge that is looked at compares."""

    def said(self) -> dict[str, Any]:
        """What a file of evidence says about the sorts."""
        return {"sorts": {name: list(sort.values) for name, sort in self._sorts.items()}}

    def check(self, forked: int) -> None:
        """Refuse a program that is not the original with smaller sorts, or whose sorts are too
        small while at most this many forked threads are alive."""
        if isinstance(self.original, Derived):
            raise EvidenceError("smaller sorts were given to what another pass has made")
        self._check_claims()
        self._check_parts()
        for before, after in zip(self.original.procedures, self._program.procedures, strict=True):
            for old, new in zip(before.edges, after.edges, strict=True):
                self._choices.clear()
                self._check_edge(before, old, new)
                for name, count in self._choices.items():
                    self._compared[name] = max(self._compared[name], count)
        for name, sort in self._sorts.items():
            needed = len(self._constants[name]) + self._compared[name] + self._cells(name, forked)
            _require(len(sort.values) >= needed, "a sort has too few values")

    def decoded(self, before: Cell, after: Cell, value: Value) -> Value:
        """A value of the smaller program as it is in the original, of which these are cells."""
        values = self._decoding.get((before.type, after.type))
        return value if values is None or not isinstance(value, int) else values[value]

    def some_values(self, scalar: Scalar, variable: Variable | None) -> Sequence[int]:
        """The values that a variable of the original may get: those that were kept, if it is of a
        sort. Without a variable, a choice may be of any sort of its type, or of none."""
        if variable is None:
            return self._kept.get(scalar) or values_of(scalar)
        sort = self._sort(variable)
        return values_of(scalar) if sort is None else self._sorts[sort].values

    @cached_property
    def _decoding(self) -> dict[tuple[Scalar, Scalar], tuple[int, ...]]:
        return {(sort.original, _type(sort)): sort.values for sort in self._sorts.values()}

    @cached_property
    def _kept(self) -> dict[Scalar, list[int]]:
        found: dict[Scalar, set[int]] = {}
        for sort in self._sorts.values():
            found.setdefault(sort.original, set()).update(sort.values)
        left = set(_scalars(self._program.procedures, self._program.globals))
        return {
            scalar: sorted(values)
            for scalar, values in found.items()
            if scalar.size > _MANY or scalar not in left
        }

    def _check_claims(self) -> None:
        """A sort has places of one type, no place has two sorts, and values are different values of
        that type."""
        places = [place for sort in self._sorts.values() for place in sort.places]
        _require(len(places) == len(set(places)), "a place belongs to two sorts")
        types = dict(_places(self.original.procedures, self.original.globals))
        for sort in self._sorts.values():
            # Identities of threads are no such values: `Self` is neither constant nor choice.
            _require(isinstance(sort.original, Bounded | Enumeration), "types")
            _require(all(types.get(place) == sort.original for place in sort.places), "types")
            distinct = len(set(sort.values)) == len(sort.values)
            inside = all(value in values_of(sort.original) for value in sort.values)
            _require(distinct and inside, "values")
            # Texts tell values apart wherever states have names.
            _require(len(set(_type(sort).members)) == len(sort.values), "values")

    def _check_parts(self) -> None:
        """Apart from types, initial values and edges, the programs are equal."""
        before, after = self.original, self._program
        _require(tuple(map(self._variable, before.globals)) == after.globals, "variables")
        wanted = tuple(
            replace(thread, inherited=tuple(map(self._variable, thread.inherited)))
            for thread in before.threads
        )
        _require(wanted == after.threads, "threads")
        plain = (before.lock, *(thread.idle for thread in before.threads))
        _require(before.lock == after.lock and not any(v and self._sort(v) for v in plain), "lock")
        _require(before.error_labels == after.error_labels, "labels")
        _require(len(before.procedures) == len(after.procedures), "procedures")
        for old, new in zip(before.procedures, after.procedures, strict=True):
            results = tuple(
                scalar if sort is None else _type(self._sorts[sort])
                for scalar, sort in zip(old.results, self._results(old), strict=True)
            )
            variables = tuple(map(self._variable, old.variables))
            wanted_procedure = replace(old, variables=variables, results=results, edges=new.edges)
            _require(wanted_procedure == new, "procedures")
            _require(len(old.edges) == len(new.edges), "edges")

    def _variable(self, variable: Variable) -> Variable:
        """A variable of the original as it has to be."""
        name = self._sort(variable)
        if name is None:
            return variable
        small, values = _type(self._sorts[name]), self._sorts[name].values
        old = variable.type
        type_ = replace(old, element=small) if isinstance(old, Array) else small
        initial = variable.initial
        if initial is not None:
            _require(initial in values, "an initial value is missing")
            self._constants[name].add(initial)
            initial = values.index(initial)
        return replace(variable, type=type_, initial=initial)

    def _sort(self, variable: Variable) -> str | None:
        return self._of.get((variable.procedure, variable.name))

    def _results(self, procedure: Procedure) -> Iterator[str | None]:
        return (self._of.get((procedure.name, n)) for n in range(len(procedure.results)))

    def _check_edge(self, procedure: Procedure, old: Edge, new: Edge) -> None:
        """Both edges are equal apart from their expressions and variables, and these correspond."""
        blank = with_expressions(old, lambda _: TRUE, self._variable)
        _require(blank == with_expressions(new, lambda _: TRUE), "edges")
        counts = isinstance(old, Step) and old.constraint != TRUE
        going = list(self._destinations(procedure, old))
        pairs = zip_longest(expressions_of(old), expressions_of(new))
        for number, (mine, theirs) in enumerate(pairs):
            sort = going[number] if number < len(going) else None
            self._check_value(sort, mine, theirs, compared=counts)
        if isinstance(old, Receive):
            self._check_receipt(procedure, old)

    def _destinations(self, procedure: Procedure, edge: Edge) -> Iterator[str | None]:
        """For each expression of an edge, in their order, the sort of the place to which its value
        goes, if it goes to one."""
        yield None  # The guard.
        match edge:
            case Step():
                for assignment in edge.assignments:
                    target = assignment.target
                    if isinstance(target, Element):
                        yield None
                        target = target.variable
                    yield self._sort(target)
            case Call() | Fork():
                callee = self._program.by_name[edge.procedure]
                yield from map(self._sort, callee.variables[: callee.parameters])
            case Return():
                yield from self._results(procedure)
            case Create():
                for number, _ in created_by(edge):
                    yield from map(self._sort, self.original.threads[number].inherited)

    def _check_receipt(self, procedure: Procedure, edge: Receive) -> None:
        """Every result that may be received here is of the sort of what receives it."""
        for call in procedure.edges:
            if isinstance(call, Call) and call.target == edge.source:
                results = list(self._results(self.original.by_name[call.procedure]))
                for sort, target in zip(results, edge.targets, strict=True):
                    if target is not None:
                        mine = self._sort(variable_of(target))
                        _require(mine == sort, "a result of another sort")

    def _check_value(
        self, name: str | None, old: Expression, new: Expression, *, compared: bool
    ) -> None:
        """An expression whose value goes to a place of a sort, or is of no sort."""
        if name is None:
            self._check_other(old, new)
            return
        sort = self._sorts[name]
        match old, new:
            case Constant(), Constant():
                _require(old.value in sort.values, "a constant is missing")
                right = Constant(sort.values.index(old.value), _type(sort))
                _require(new == right, "constants")
                self._constants[name].add(old.value)
            case Choice(), Choice():
                _require((old.type, new.type) == (sort.original, _type(sort)), "choices")
                self._choices[name] += compared
            case Read(), Read():
                _require(old.after == new.after, "expressions")
                self._check_read(name, old.variable, new.variable)
            case ReadElement(), ReadElement():
                self._check_read(name, old.variable, new.variable)
                self._check_other(old.index, new.index)
            case Convert(), Convert():
                _require((old.type, new.type) == (sort.original, _type(sort)), "conversions")
                self._check_value(name, old.operand, new.operand, compared=compared)
            case Conditional(), Conditional():
                self._check_other(old.condition, new.condition)
                self._check_value(name, old.then, new.then, compared=compared)
                self._check_value(name, old.otherwise, new.otherwise, compared=compared)
            case _:
                raise EvidenceError(_BAD.format("a value of a sort is computed"))

    def _check_read(self, name: str, old: Variable, new: Variable) -> None:
        _require(self._sort(old) == name and self._variable(old) == new, "a value of another sort")

    def _check_other(self, old: Expression, new: Expression) -> None:
        """An expression whose value is of no sort."""
        if isinstance(old, Binary) and old.operator in ("=", "!="):
            names = {name for side in operands(old) for name in self._named(side)}
            if names:
                _require(len(names) == 1, "values of two sorts are compared")
                _require(isinstance(new, Binary) and new.operator == old.operator, "expressions")
                for mine, theirs in zip(operands(old), operands(new), strict=True):
                    self._check_value(min(names), mine, theirs, compared=True)
                return
        if isinstance(old, Read | ReadElement):
            _require(self._sort(old.variable) is None, "a value of a sort is used")
        _require(
            with_operands(old, lambda _: TRUE) == with_operands(new, lambda _: TRUE), "expressions"
        )
        for mine, theirs in zip(operands(old), operands(new), strict=True):
            self._check_other(mine, theirs)

    def _named(self, expression: Expression) -> Iterator[str]:
        """The sorts of the variables that may give an expression its value."""
        match expression:
            case Read() | ReadElement():
                name = self._sort(expression.variable)
                if name is not None:
                    yield name
            case Convert():
                yield from self._named(expression.operand)
            case Conditional():
                yield from self._named(expression.then)
                yield from self._named(expression.otherwise)

    def _cells(self, name: str, forked: int) -> int:
        """How many values of a sort a state can hold."""
        program = self.original
        places = self._sorts[name].places
        deepest = [self._deepest(name, thread.procedure) for thread in program.threads]
        counts = [
            thread.size * depth for thread, depth in zip(program.threads, deepest, strict=True)
        ]
        started = forked_by(edge for each in program.procedures for edge in each.edges)
        if forked:
            counts.append(forked * max((self._deepest(name, each) for each in started), default=0))
        counts += [self._own(name, thread.inherited) for thread in program.threads]
        counts.append(self._own(name, program.globals))
        return sum(counts) + len({number for _, number in places if isinstance(number, int)})

    def _own(self, name: str, variables: Iterable[Variable]) -> int:
        return sum(each.length for each in variables if self._sort(each) == name)

    def _deepest(self, name: str, procedure: str) -> int:
        """How many cells of a sort the frames of a thread can have that begins with a procedure."""
        weights = [self._own(name, each.variables) for each in self.original.procedures]
        first, below = self.original.numbers[procedure], self._below
        known: dict[int, int] = {}
        # Whatever a procedure can call comes before it, other members of its cycle aside.
        for number in sorted(
            {first, *below[first]}, key=lambda each: (len(below[each]), each not in below[each])
        ):
            cycle = {each for each in below[number] if number in below[each]}
            recursive = "a recursive procedure has variables of a sort"
            _require(not any(weights[each] for each in cycle), recursive)
            under = (known[each] for each in below[number] - cycle)
            known[number] = weights[number] + max(under, default=0)
        return known[first]

    @cached_property
    def _below(self) -> list[set[int]]:
        """For each procedure, all that it can call, directly or not."""
        program = self.original
        called = (
            [program.numbers[n] for n in called_by(each.edges)] for each in program.procedures
        )
        return [set(with_all_called(program, callees)) for callees in called]


def _type(sort: ClaimedSort) -> Enumeration:
    return Enumeration(tuple(map(sort.original.text, sort.values)))


def _places(
    procedures: Iterable[Procedure], variables: Iterable[Variable]
) -> Iterator[tuple[Place, Scalar]]:
    """All places of a program, with their types."""
    for variable in variables:
        yield (variable.procedure, variable.name), variable.scalar
    for procedure in procedures:
        for variable in procedure.variables:
            yield (procedure.name, variable.name), variable.scalar
        for number, scalar in enumerate(procedure.results):
            yield (procedure.name, number), scalar


def _scalars(procedures: Sequence[Procedure], variables: Iterable[Variable]) -> Iterator[Scalar]:
    """The types of all places and choices of a program."""
    yield from (scalar for _, scalar in _places(procedures, variables))
    for procedure in procedures:
        for edge in procedure.edges:
            yield from map(scalar_of, targets_of(edge))
            for expression in expressions_of(edge):
                yield from _chosen(expression)


def _chosen(expression: Expression) -> Iterator[Scalar]:
    if isinstance(expression, Choice):
        yield expression.type
    for operand in operands(expression):
        yield from _chosen(operand)


_BAD = "the program with smaller sorts is not made as it should be: {}"


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise EvidenceError(_BAD.format(what))
