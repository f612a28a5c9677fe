"""Leaves out variables that decide nothing: no guard, no check, and no variable that does.

A name of a thread, a counter that is only printed, a priority: values like these flow from variable
to variable and never matter. Steps that only move them around touch nothing shared any more, so
they need no turn of their own. Which statements are reached, and with how many contexts, stays the
same. Races are asked of the whole program (`JavaOptions.races`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tepui.languages.java.flows import Place, flows
from tepui.program.calls import called_by
from tepui.program.expressions import (
    Constant,
    Expression,
    Read,
    ReadElement,
    Variable,
    inside,
)
from tepui.program.program import (
    Assert,
    Call,
    Create,
    Edge,
    Element,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    variable_of,
)
from tepui.program.walk import with_variables
from tepui.records import replace


def without_idle_variables(program: Program) -> Program:
    """The same program without what decides nothing."""
    needed = _Needed(program)
    procedures = tuple(_sliced(program, each, needed) for each in program.procedures)
    return replace(
        program,
        procedures=procedures,
        globals=tuple(each for each in program.globals if each in needed.found),
    )


def without_uncalled(program: Program) -> Program:
    """The same without procedures that nothing leads to."""
    by_name = program.by_name
    found = {thread.procedure for thread in program.threads}
    waiting = list(found)
    while waiting:
        new = called_by(by_name[waiting.pop()].edges) - found
        found |= new
        waiting += new
    kept = tuple(each for each in program.procedures if each.name in found)
    return replace(program, procedures=kept)


def with_variable(procedure: Procedure, old: Variable, new: Variable) -> Procedure:
    """The same procedure with another variable in place of one."""
    change = lambda variable: new if variable == old else variable  # noqa: E731
    return replace(
        procedure,
        variables=tuple(map(change, procedure.variables)),
        edges=tuple(with_variables(edge, change) for edge in procedure.edges),
    )


class _Needed:
    """The variables and results that decide something."""

    def __init__(self, program: Program) -> None:
        self.found: set[Place] = set()
        self._sources: dict[Place, set[Place]] = {}
        self._waiting: list[Place] = []
        if program.lock is not None:
            self._add(program.lock)
        for procedure in program.procedures:
            for to, value in flows(program, procedure):
                found = {value} if isinstance(value, tuple) else set(_read(value))
                self._sources.setdefault(to, set()).update(found)
            for edge in procedure.edges:
                self._visit(edge)
        while self._waiting:
            for each in self._sources.get(self._waiting.pop(), ()):
                self._add(each)

    def _visit(self, edge: Edge) -> None:
        """What decides whether and where something happens."""
        self._decide(edge.guard)
        if isinstance(edge, Assert):
            self._decide(edge.condition)
        elif isinstance(edge, Step):
            self._decide(edge.constraint)
            for each in edge.assignments:
                if isinstance(each.target, Element):
                    found = self._sources.setdefault(each.target.variable, set())
                    found.update(_read(each.target.index))

    def _decide(self, condition: Expression) -> None:
        for each in _read(condition):
            self._add(each)

    def _add(self, place: Place) -> None:
        if place not in self.found:
            self.found.add(place)
            self._waiting.append(place)


def _read(expression: Expression) -> Iterator[Variable]:
    """The variables that an expression reads, also in indices."""
    for each in inside(expression):
        if isinstance(each, Read | ReadElement):
            yield each.variable


def _sliced(program: Program, procedure: Procedure, needed: _Needed) -> Procedure:
    edges = tuple(_edge(program, procedure, edge, needed) for edge in procedure.edges)
    parameters = procedure.variables[: procedure.parameters]
    others = procedure.variables[procedure.parameters :]
    kept = (each for each in others if each in needed.found)
    return replace(procedure, edges=edges, variables=(*parameters, *kept))


def _edge(program: Program, procedure: Procedure, edge: Edge, needed: _Needed) -> Edge:
    match edge:
        case Step():
            kept = tuple(
                each for each in edge.assignments if variable_of(each.target) in needed.found
            )
            return edge if len(kept) == len(edge.assignments) else replace(edge, assignments=kept)
        case Call():
            parameters = program.by_name[edge.procedure].variables
            return replace(edge, arguments=_only(edge.arguments, parameters, needed))
        case Return():
            results = [(procedure.name, number) for number in range(len(edge.values))]
            return replace(edge, values=_only(edge.values, results, needed))
        case Receive():
            targets = tuple(
                each if each is not None and variable_of(each) in needed.found else None
                for each in edge.targets
            )
            return replace(edge, targets=targets)
        case Create():
            values = tuple(
                _only(each, program.threads[number].inherited, needed)
                for number, each in zip(edge.threads, edge.values, strict=True)
            )
            return replace(edge, values=values)
    return edge


def _only(
    values: Iterable[Expression], places: Iterable[Place], needed: _Needed
) -> tuple[Expression, ...]:
    """Values for some places, and nothing for those that decide nothing."""
    return tuple(
        value if place in needed.found else Constant(0)
        for value, place in zip(values, places, strict=False)
    )
