"""Finds summaries: formulas about the frame on top of a thread that may recurse, with Spacer
(`checker.invariants.summaries` says what they say).

There is one predicate for each thread type and point. A clause for a step has one premise; one for
a return has two, the formula at the call and that at the return. Steps that change the shared state
are seen by others through one predicate for each type, which relates the shared state before and
after, so that every place has one clause about others. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import z3

from tepui.checker.evidence import Bad
from tepui.checker.invariants.summaries import Summaries, Summary
from tepui.horn.linear_terms import (
    Formula,
    Interval,
    Term,
    at_most,
    conjunction,
    equal,
    negation,
    text,
)
from tepui.horn.rungs import Report
from tepui.horn.spacer import DEFAULTS, free_variables
from tepui.horn.stacks import Stacks
from tepui.horn.symbolic_paths import Path, SymbolicPaths, initial_value
from tepui.horn.valuing import Refused, Values, variable_name
from tepui.horn.z3_terms import Translation, read_formula
from tepui.program.expressions import Variable
from tepui.program.program import Procedure, Program, variable_of
from tepui.program.types import BOOLEAN, Integer, Scalar, ThreadId
from tepui.program.walk import targets_of
from tepui.records import record

Place = tuple[int, int]
"""A thread type and a point."""


@record
class _Atom:
    """A predicate and its arguments."""

    predicate: Place | int
    """A place, or a type whose steps others see."""
    terms: tuple[Term, ...]


@record
class _Clause:
    body: tuple[_Atom, ...]
    conditions: tuple[Formula, ...]
    head: _Atom | None
    ranges: Mapping[str, Interval]


class SummaryClauses:
    """The clauses of a question about a program."""

    def __init__(self, program: Program, bad: tuple[Bad, ...]) -> None:
        named = {point for each in bad for _, point in each}
        self._stacks = Stacks(program, named, fused=False, recursive=True)
        self._paths = SymbolicPaths(self._stacks)
        self._program, self._layout, self._bad = program, program.layout, bad
        self.constants = dict(_constants(program))
        """Global variables that nothing assigns, with their values: they are no arguments."""
        self._shared = {name: kind for name, kind in _shared(program) if name not in self.constants}
        self._met: dict[Place, None] = {}

    def all(self) -> Iterator[_Clause]:
        """All of them; places to which nothing leads have none."""
        work: list[Place] = []
        for thread in range(len(self._program.threads)):
            yield self._initial(thread, work)
        while work:
            place = work.pop()
            yield from self._steps(place, work)
            yield from self._seen(place)
        yield from self._never_together()

    def parameters(self, place: Place) -> tuple[str, ...]:
        """The variables that are arguments of the predicate of a place."""
        point = place[1]
        if point == self._layout.waiting:
            return ("self", *self._shared)
        first = [f"first.{name}" for name in self._shared]
        first += [f"first.l.{name}" for name, _ in self._given(point)]
        return ("self", *self._shared, *first, *(f"l.{name}" for name, _ in self._locals(point)))

    def _ranges(self, place: Place, prefix: str = "") -> dict[str, Interval]:
        kinds: dict[str, Scalar] = dict(self._shared)
        found: dict[str, Interval] = {f"{prefix}self": (1, None)}
        if place[1] != self._layout.waiting:
            kinds |= {f"first.{name}": kind for name, kind in self._shared.items()}
            kinds |= {f"first.l.{name}": kind for name, kind in self._given(place[1])}
            kinds |= {f"l.{name}": kind for name, kind in self._locals(place[1])}
        return found | {f"{prefix}{name}": _range(kind) for name, kind in kinds.items()}

    def _initial(self, thread: int, work: list[Place]) -> _Clause:
        (point,) = self._stacks.start(thread)
        valuing = self._paths.valuing({"self": (1, None)})
        values: Values = dict.fromkeys(self._shared, 0)
        for variable in self._program.globals:
            for element in range(variable.length):
                values[variable_name(variable, element, 0)] = initial_value(variable, valuing)
        if point != self._layout.waiting:
            values |= self._paths.first_values(thread, valuing)
        head = self._begun((thread, point), values, 0, work)
        return _Clause((), tuple(valuing.conditions), head, valuing.ranges)

    def _steps(self, place: Place, work: list[Place]) -> Iterator[_Clause]:
        """The steps from a place, those of others aside."""
        thread, point = place
        ranges = self._ranges(place)
        body = (self._atom(place),)
        calls = False
        for path in self._paths.paths(thread, (point,), self._before(place), ranges):
            if path.violated is not None:
                if ((thread, self._layout.violation(path.violated)),) in self._bad:
                    yield self._clause(body, path, None, ranges)
                continue
            yield from self._shown(thread, body, path, ranges)
            if len(path.stack) == 2:
                head = self._begun((thread, path.stack[0]), path.values, 1, work)
                yield self._clause(body, path, head, ranges)
                calls = True
            elif path.stack and point == self._layout.waiting:
                head = self._begun((thread, path.stack[0]), path.values, 0, work)
                yield self._clause(body, path, head, ranges)
            elif path.stack:
                head = self._same(place, path.stack[0], path.values, work)
                yield self._clause(body, path, head, ranges)
        if calls:
            yield from self._returns(place, work)
        if (place,) in self._bad:
            yield _Clause(body, (), None, ranges)

    def _returns(self, place: Place, work: list[Place]) -> Iterator[_Clause]:
        """The ways back from all calls that are made from a place."""
        thread, point = place
        old = {name: f"calls.{name}" for name in self.parameters(place) if name != "self"}
        ranges = self._ranges(place, "calls.") | self._ranges(place)
        before: Values = {**self.constants}
        before |= {name: old.get(name, name) for name in self._shared}
        before |= {f"0.{name}": f"calls.l.{name}" for name, _ in self._locals(point)}
        caller = self._atom(place, old)
        for call in self._paths.paths(thread, (point,), before, ranges):
            if call.violated is not None or len(call.stack) != 2:
                continue
            entry, back = call.stack
            for exit_ in self._points(entry):
                yield from self._return(place, (thread, exit_), back, caller, call, work)

    def _return(
        self, place: Place, inside: Place, back: int, caller: _Atom, call: Path, work: list[Place]
    ) -> Iterator[_Clause]:
        thread, point = inside
        ranges = {**self._ranges(place, "calls."), **call.ranges, **self._ranges(inside)}
        first: dict[str, Term] = {f"first.{name}": call.values[name] for name in self._shared}
        for name, _ in self._given(point):
            first[f"first.l.{name}"] = call.values[f"1.{name}"]
        body = (caller, self._atom(inside, first))
        before: Values = {**self.constants, **{name: name for name in self._shared}}
        before |= {name: term for name, term in call.values.items() if name.startswith("0.")}
        before |= {f"1.{name}": f"l.{name}" for name, _ in self._locals(point)}
        for path in self._paths.paths(thread, (point, back), before, ranges):
            if path.violated is not None or len(path.stack) != 1:
                continue
            path = _with_conditions(path, call)
            names = self.parameters((thread, path.stack[0]))
            terms = {name: f"calls.{name}" for name in names if name.startswith("first.")}
            head = self._head((thread, path.stack[0]), path.values, terms, 0, work)
            yield self._clause(body, path, head, ranges)
            yield from self._shown(thread, body, path, ranges)

    def _shown(
        self, thread: int, body: tuple[_Atom, ...], path: Path, ranges: Mapping[str, Interval]
    ) -> Iterator[_Clause]:
        """A step that changes the shared state is seen by others."""
        after = [path.values[name] for name in self._shared]
        if after != list(self._shared):
            yield self._clause(body, path, _Atom(thread, ("self", *self._shared, *after)), ranges)

    def _seen(self, place: Place) -> Iterator[_Clause]:
        """The steps of others, seen from a place."""
        ranges = self._ranges(place)
        new = {name: f"new.{name}" for name in self._shared}
        ranges |= {f"new.{name}": _range(kind) for name, kind in self._shared.items()}
        ranges["other"] = 1, None
        for thread, each in enumerate(self._program.threads):
            if thread == place[0] and each.count == 1:
                continue
            seen = _Atom(thread, ("other", *self._shared, *new.values()))
            differ = negation(equal("self", "other"))
            yield _Clause((self._atom(place), seen), (differ,), self._atom(place, new), ranges)

    def _never_together(self) -> Iterator[_Clause]:
        """Two threads at two bad places."""
        for bad in self._bad:
            if len(bad) == 2 and set(bad) <= self._met.keys():
                one, other = bad
                if one[0] == other[0] and self._program.threads[one[0]].count == 1:
                    continue
                named = {name: f"other.{name}" for name in self.parameters(other)}
                named |= {name: name for name in self._shared}
                ranges = self._ranges(one) | self._ranges(other, "other.")
                differ = negation(equal("self", "other.self"))
                body = self._atom(one), self._atom(other, named)
                yield _Clause(body, (differ,), None, ranges)

    def _before(self, place: Place) -> Values:
        found: Values = {**self.constants, **{name: name for name in self._shared}}
        if place[1] != self._layout.waiting:
            found |= {f"0.{name}": f"l.{name}" for name, _ in self._locals(place[1])}
        return found

    def _begun(
        self, place: Place, values: Mapping[str, Term], depth: int, work: list[Place]
    ) -> _Atom:
        """The formula of an activation that begins with these values."""
        first = {f"first.{name}": values[name] for name in self._shared}
        if place[1] != self._layout.waiting:
            for name, _ in self._given(place[1]):
                first[f"first.l.{name}"] = values[f"{depth}.{name}"]
        return self._head(place, values, first, depth, work)

    def _same(
        self, place: Place, point: int, values: Mapping[str, Term], work: list[Place]
    ) -> _Atom:
        return self._head((place[0], point), values, {}, 0, work)

    def _head(
        self,
        place: Place,
        values: Mapping[str, Term],
        first: Mapping[str, Term],
        depth: int,
        work: list[Place],
    ) -> _Atom:
        if place not in self._met:
            self._met[place] = None
            work.append(place)
        terms = {name: values[name] for name in self._shared} | dict(first)
        if place[1] != self._layout.waiting:
            for name, _ in self._locals(place[1]):
                terms[f"l.{name}"] = values[f"{depth}.{name}"]
        return self._atom(place, terms)

    def _atom(self, place: Place, terms: Mapping[str, Term] | None = None) -> _Atom:
        known = terms or {}
        return _Atom(place, tuple(known.get(name, name) for name in self.parameters(place)))

    def _clause(
        self,
        body: tuple[_Atom, ...],
        path: Path,
        head: _Atom | None,
        ranges: Mapping[str, Interval],
    ) -> _Clause:
        return _Clause(body, path.conditions, head, {**ranges, **path.ranges})

    def _points(self, entry: int) -> list[int]:
        """Where a thread can rest in the procedure with this entry."""
        number = self._layout.locations[entry][0]
        points = range(self._layout.waiting)
        return [
            point
            for point in points
            if self._layout.locations[point][0] == number and self._stacks.rests((point,))
        ]

    def _locals(self, point: int) -> list[tuple[str, Scalar]]:
        return list(_elements(self._stacks.procedure(point).variables))

    def _given(self, point: int) -> list[tuple[str, Scalar]]:
        procedure: Procedure = self._stacks.procedure(point)
        return list(_elements(procedure.variables[: procedure.parameters]))


class SummaryFinder:
    """Asks Spacer for summaries."""

    def __init__(self, program: Program, bad: tuple[Bad, ...]) -> None:
        self._clauses = SummaryClauses(program, bad)
        self._all = list(self._clauses.all())
        self._translation = Translation()
        self._predicates: dict[Place | int, Any] = {}

    def run(self, settings: Mapping[str, bool | int], seconds: float) -> Report:
        """Ask, with some settings, for at most some time."""
        for name, value in {**DEFAULTS, **settings}.items():
            z3.set_param(name, value)
        solver = z3.SolverFor("HORN")
        solver.set("timeout", max(1, int(seconds * 1000)))
        for clause in self._all:
            solver.add(self._formula(clause))
        result = solver.check()
        if result == z3.unsat:
            return Report("refuted")
        if result != z3.sat:
            return Report("unknown", reason=solver.reason_unknown())
        try:
            return Report("proved", invariant=self._read(solver.model()))
        except Refused as reason:
            return Report("unknown", reason=str(reason))

    def _formula(self, clause: _Clause) -> Any:
        facts: list[Formula] = list(clause.conditions)
        for name, (low, high) in clause.ranges.items():
            facts += [] if low is None else [at_most(low, name)]
            facts += [] if high is None else [at_most(name, high)]
        body = [self._atom(atom) for atom in clause.body]
        body += [self._translation.formula(each) for each in facts if each is not True]
        head = z3.BoolVal(False) if clause.head is None else self._atom(clause.head)
        formula = z3.Implies(z3.And(body), head)
        free = free_variables(formula)
        return z3.ForAll(free, formula) if free else formula

    def _atom(self, atom: _Atom) -> Any:
        if atom.predicate not in self._predicates:
            sorts = [z3.IntSort()] * len(atom.terms)
            name = f"summary.{len(self._predicates)}"
            self._predicates[atom.predicate] = z3.Function(name, *sorts, z3.BoolSort())
        return self._predicates[atom.predicate](*map(self._translation.term, atom.terms))

    def _read(self, model: Any) -> Summaries:
        found = []
        for place, predicate in self._predicates.items():
            if isinstance(place, int):
                continue
            value = model[predicate]
            formula: Formula = True
            if value is not None:
                names = self._clauses.parameters(place)
                body = value.else_value() if isinstance(value, z3.FuncInterp) else value
                body = z3.substitute_vars(body, *map(z3.Int, names))
                formula = read_formula(body, {name: name for name in names})
            known = (equal(name, value) for name, value in self._clauses.constants.items())
            found.append(Summary(*place, text(conjunction((*known, formula)))))
        return Summaries(tuple(sorted(found, key=lambda one: (one.thread, one.point))))


def _with_conditions(path: Path, call: Path) -> Path:
    """A path back, which needs that of the call."""
    return Path(
        path.stack,
        (*call.conditions, *path.conditions),
        path.values,
        {**call.ranges, **path.ranges},
        path.violated,
    )


def _constants(program: Program) -> Iterator[tuple[str, int]]:
    edges = (edge for procedure in program.procedures for edge in procedure.edges)
    assigned = {variable_of(target) for edge in edges for target in targets_of(edge)}
    for variable in program.globals:
        starts = 0 if isinstance(variable.scalar, ThreadId) else variable.initial
        if variable not in assigned and starts is not None:
            for element in range(variable.length):
                yield variable_name(variable, element, 0), starts


def _shared(program: Program) -> Iterator[tuple[str, Scalar]]:
    for variable in program.globals:
        for element in range(variable.length):
            yield variable_name(variable, element, 0), variable.scalar
    for number, thread in enumerate(program.threads):
        if thread.created:
            yield f"created.{number}", BOOLEAN
            for variable in thread.inherited:
                yield f"inherited.{number}.{variable.name}.0", variable.scalar


def _elements(variables: tuple[Variable, ...]) -> Iterator[tuple[str, Scalar]]:
    for variable in variables:
        for element in range(variable.length):
            yield f"{variable.name}.{element}", variable.scalar


def _range(scalar: Scalar) -> Interval:
    if isinstance(scalar, Integer):
        return None, None
    return (0, None) if isinstance(scalar, ThreadId) else (scalar.low, scalar.low + scalar.size - 1)
