"""Paths: what a thread does from where it rests to where it rests next, or to a violation.

A path is found by following edges with terms in place of values, as `program.program` describes
them. Global variables are `g.NAME.I`, and local ones `D.NAME.I`, with the depth D of their frame;
some of them are constants here, so that paths that contradict them are not found at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from tepui.horn.linear_terms import Formula, Interval, Term, choice, equal, negation
from tepui.horn.stacks import Stack, Stacks
from tepui.horn.valuing import Place, Refused, Values, Valuing, variable_name
from tepui.program.expressions import TRUE, Variable
from tepui.program.program import (
    Assert,
    Call,
    Create,
    Edge,
    Element,
    End,
    Receive,
    Return,
    Step,
    Target,
    scalar_of,
)
from tepui.program.types import ThreadId
from tepui.program.walk import created_by
from tepui.records import record

_MOST_PATHS = 4000


@record
class Path:
    """One path: where it leads, what is true on it, and all values at its end.

    `ranges` are those of the variables that stand for choices; `violated` is the number of an
    assertion, if the path ends with its violation.
    """

    stack: Stack
    conditions: tuple[Formula, ...]
    values: Mapping[str, Term]
    ranges: Mapping[str, Interval]
    violated: int | None = None


class SymbolicPaths:
    """Finds the paths of a program's threads."""

    def __init__(self, stacks: Stacks) -> None:
        self._stacks = stacks
        self._program = stacks.program
        self._layout = stacks.layout
        self._fresh = count()
        self._violations: dict[int, int] = {}
        number = 0
        for procedure in self._program.procedures:
            for edge in procedure.edges:
                if isinstance(edge, Assert):
                    self._violations[id(edge)] = number
                    number += 1

    def valuing(self, ranges: Mapping[str, Interval]) -> Valuing:
        """What evaluates expressions at the start of a path."""
        return Valuing(ranges, self._fresh)

    def paths(
        self, thread: int, stack: Stack, values: Values, ranges: Mapping[str, Interval]
    ) -> Iterator[Path]:
        """All paths of a thread of a type that rests at a stack, given the values of everything
        that it may read, and the ranges of the variables in them."""
        if not stack:
            return
        valuing = self.valuing(ranges)
        start = _State(thread, stack, dict(values), valuing)
        if stack == (self._layout.waiting,):
            unread = self._started(start)
        else:
            unread = list(self._steps(start))
        found = 0
        while unread:
            state = unread.pop()
            if False in state.valuing.conditions:
                continue
            if state.violated is not None or self._stacks.rests(state.stack):
                found += 1
                if found > _MOST_PATHS:
                    raise Refused("a step with very many paths")
                yield state.path()
            elif state.stack in state.passed:
                raise Refused("a loop inside an atomic section")
            else:
                unread += self._steps(state)

    def first_values(self, thread: int, valuing: Valuing) -> Values:
        """The local variables of a thread that begins, those that it inherits aside."""
        procedure = self._stacks.procedure(self._stacks.first(thread))
        return self._fresh_frame(procedure.variables, 0, valuing)

    def _started(self, state: _State) -> list[_State]:
        """A thread that waits begins, once it was created."""
        thread, values = self._program.threads[state.thread], state.values
        if not state.valuing.require(equal(values[f"created.{state.thread}"], 1)):
            return []
        given = self.first_values(state.thread, state.valuing)
        for variable in thread.inherited:
            for element in range(variable.length):
                name = f"inherited.{state.thread}.{variable.name}.{element}"
                given[variable_name(variable, element, 0)] = values[name]
        return [state.going((self._stacks.first(state.thread),), {**values, **given})]

    def _steps(self, state: _State) -> Iterator[_State]:
        """The next edges of a path."""
        point = state.stack[0]
        receives = state.results is not None
        for edge in self._stacks.leaving(point):
            if isinstance(edge, Receive) == receives:
                after = state.copy()
                place = after.place()
                if edge.guard == TRUE or after.valuing.require(
                    after.valuing.truth(edge.guard, place)
                ):
                    yield from self._taken(after, edge, place)

    def _taken(self, state: _State, edge: Edge, place: Place) -> Iterator[_State]:
        values = dict(state.values)
        match edge:
            case Call():
                yield self._called(state, edge, place)
                return
            case Assert():
                yield from self._asserted(state, edge, place)
                return
            case End():
                yield state.going((), values)
                return
            case Step():
                if not self._step(state, edge, place, values):
                    return
            case Receive():
                self._receive(state, edge, place, values)
            case Create():
                self._create(state, edge, place, values)
            case Return():
                self._return(state, edge, place)
            case _:
                raise Refused("threads that are forked or joined")
        yield self._going_on(state, edge, values)

    def _receive(self, state: _State, edge: Receive, place: Place, values: Values) -> None:
        valuing = state.valuing
        assert state.results is not None
        given = [
            (target, valuing.stored(scalar_of(target), result))
            for target, result in zip(edge.targets, state.results, strict=True)
            if target is not None
        ]
        for target, term in given:
            self._assign(valuing, target, term, place, values)
        state.results = None

    def _create(self, state: _State, edge: Create, place: Place, values: Values) -> None:
        for number, given in created_by(edge):
            values[f"created.{number}"] = 1
            inherited = self._program.threads[number].inherited
            for variable, value in zip(inherited, given, strict=True):
                term = state.valuing.stored(variable.scalar, state.valuing.term(value, place))
                values[f"inherited.{number}.{variable.name}.0"] = term

    def _return(self, state: _State, edge: Return, place: Place) -> None:
        results = self._stacks.procedure(state.stack[0]).results
        terms = [
            state.valuing.stored(scalar, state.valuing.term(value, place))
            for scalar, value in zip(results, edge.values, strict=True)
        ]
        if results:
            state.results = tuple(terms)

    def _going_on(self, state: _State, edge: Edge, values: Values) -> _State:
        """The state behind an edge: at its target, or where the caller goes on."""
        target = None if isinstance(edge, Return | End) else edge.target
        if target is not None:
            number = self._layout.locations[state.stack[0]][0]
            return state.going((self._layout.point(number, target), *state.stack[1:]), values)
        gone = f"{len(state.stack) - 1}."
        kept = {name: term for name, term in values.items() if not name.startswith(gone)}
        return state.going(state.stack[1:], kept)

    def _step(self, state: _State, edge: Step, place: Place, values: Values) -> bool:
        valuing = state.valuing
        given = [
            (each.target, valuing.stored(scalar_of(each.target), valuing.term(each.value, place)))
            for each in edge.assignments
        ]
        for target, term in given:
            self._assign(valuing, target, term, place, values)
        if edge.constraint == TRUE:
            return True
        after = Place(state.values, len(state.stack) - 1, place.own, values)
        return valuing.require(valuing.truth(edge.constraint, after))

    def _assign(
        self, valuing: Valuing, target: Target, term: Term, place: Place, values: Values
    ) -> None:
        if not isinstance(target, Element):
            values[place.name(target)] = term
            return
        number, elements = valuing.element(target.variable, target.index, place)
        for element in elements:
            name = place.name(target.variable, element)
            values[name] = choice(equal(number, element), term, values[name])

    def _called(self, state: _State, edge: Call, place: Place) -> _State:
        callee = self._program.numbers[edge.procedure]
        procedure = self._program.procedures[callee]
        if len(state.stack) > len(self._program.procedures) + 2:
            raise Refused("recursion inside an atomic section")
        depth, valuing = len(state.stack), state.valuing
        frame = self._fresh_frame(procedure.variables[procedure.parameters :], depth, valuing)
        for variable, value in zip(procedure.variables, edge.arguments, strict=False):
            term = valuing.stored(variable.scalar, valuing.term(value, place))
            frame[variable_name(variable, 0, depth)] = term
        number = self._layout.locations[state.stack[0]][0]
        back = self._layout.point(number, edge.target)
        entry = self._layout.point(callee, procedure.entry)
        return state.going((entry, back, *state.stack[1:]), {**state.values, **frame})

    def _asserted(self, state: _State, edge: Assert, place: Place) -> Iterator[_State]:
        condition = state.valuing.truth(edge.condition, place)
        violating = state.copy()
        if violating.valuing.require(negation(condition)):
            violating.violated = self._violations[id(edge)]
            yield violating
        if state.valuing.require(condition):
            yield self._going_on(state, edge, dict(state.values))

    def _fresh_frame(self, variables: tuple[Variable, ...], depth: int, valuing: Valuing) -> Values:
        return {
            variable_name(variable, element, depth): initial_value(variable, valuing)
            for variable in variables
            for element in range(variable.length)
        }


def initial_value(variable: Variable, valuing: Valuing) -> Term:
    """What a variable holds at the start."""
    if isinstance(variable.scalar, ThreadId):
        return 0
    return valuing.any_of(variable.scalar) if variable.initial is None else variable.initial


class _State:
    """Where a path is."""

    def __init__(self, thread: int, stack: Stack, values: Values, valuing: Valuing) -> None:
        self.thread, self.stack, self.values, self.valuing = thread, stack, values, valuing
        self.results: tuple[Term, ...] | None = None
        self.violated: int | None = None
        self.passed: tuple[Stack, ...] = ()

    def copy(self) -> _State:
        other = _State(self.thread, self.stack, self.values, self.valuing.copy())
        other.results, other.passed = self.results, self.passed
        return other

    def going(self, stack: Stack, values: Values) -> _State:
        self.passed = (*self.passed, self.stack)
        self.stack, self.values = stack, values
        return self

    def place(self) -> Place:
        return Place(self.values, len(self.stack) - 1, "self")

    def path(self) -> Path:
        valuing = self.valuing
        chosen = {name: each for name, each in valuing.ranges.items() if name.startswith("any.")}
        conditions = tuple(dict.fromkeys(valuing.conditions))
        return Path(self.stack, conditions, self.values, chosen, self.violated)
