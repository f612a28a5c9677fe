"""Paths of a program, as terms: what one thread does at once (see `tepui.program.program`).

A thread *rests* at a control stack whose top is not atomic, receives nothing, and is not passed;
also where it waits for its creation, and where it is over. A path takes edges from one resting
control stack up to the next, or to a violation. Everything in between happens at once:

- Behind an atomic location, the path goes on until the same activation rests at a location that is
  not atomic, or returns. Calls inside, those with an atomic target and all that these call, are run
  to their return, whether or not their locations are atomic.
- Between a return with values and their receipt no other thread can move: every edge but a receipt
  waits until the results were taken.
- Behind a passed point the path goes on. Why that is sound is shown in `passing`.

The state before a path is made of variables: `g.…`, `created.…`, `inherited.…`, and for the thread
itself `@.{d}.NAME.I` and `@.self`. Choices, and local variables that start with any value, are
variables `?N` of the path. What blocks makes the condition of a path false, and a path whose
condition is seen to be false is left out.

Paths that come twice to the same control stack without resting would be infinitely many: a loop in
an atomic section is refused, as is recursion. `summaries` looks at recursive programs frame by
frame, and only at paths from one frame or two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from tepui.checker.invariants.invariant import Stack
from tepui.checker.invariants.terms import Term, Terms
from tepui.checker.invariants.values import (
    Evaluation,
    Range,
    Ranges,
    Refused,
    check_length,
    range_of,
)
from tepui.checker.patience import Patience
from tepui.program.expressions import FALSE, Variable
from tepui.program.layout import variable_cells
from tepui.program.program import (
    Assert,
    Assignment,
    Call,
    Create,
    Edge,
    Element,
    End,
    Fork,
    Join,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    Target,
    scalar_of,
    target_of,
    variable_of,
)
from tepui.program.types import BOOLEAN, INTEGER, THREAD, Scalar
from tepui.program.walk import created_by
from tepui.records import record

MAX_PATHS = 20_000
"""The most paths from one control stack."""

MAX_STACKS = 20_000
"""The most control stacks of a thread type."""


@record
class Path:
    """What a thread can do at once."""

    before: Stack
    after: Stack
    """Where it rests next; at a violation, where it is then does not matter."""
    condition: Term
    """When it exists, over the variables before and those of the path."""
    fresh: tuple[tuple[str, Range], ...]
    """The variables of the path."""
    changed: Mapping[str, Term]
    """The new values of variables. All others of the control stack `after` are as before."""
    violated: int | None = None
    """The assertion that is violated at its end, by its number in the layout."""
    places: tuple[int, ...] = ()
    """The points at which its edges begin."""


@record
class _State:
    """A place on a path. Stacks have their top first."""

    stack: Stack
    inner: tuple[bool, ...]
    """For each frame, whether it must return before the path can rest."""
    conditions: tuple[Term, ...]
    values: dict[str, Term]
    fresh: tuple[tuple[str, Range], ...]
    results: tuple[Term, ...]
    places: tuple[int, ...]
    seen: frozenset[Stack]


class Paths:
    """The control stacks and the paths of the threads of a program."""

    def __init__(
        self,
        program: Program,
        passed: Collection[int],
        terms: Terms,
        patience: Patience | None = None,
        *,
        recursive: bool = False,
    ) -> None:
        """Where paths may be `recursive`, a procedure that runs may be called again, but not inside
        an atomic section; then there may be no end to `stacks`."""
        _check_supported(program)
        self.program = program
        self.terms = terms
        self._layout = program.layout
        self._passed = frozenset(passed)
        self._recursive = recursive
        self._patience = patience or Patience(lambda: True)
        self._paths: dict[tuple[int, Stack], tuple[Path, ...]] = {}
        self._leaving: list[list[tuple[Edge, int]]] = [[] for _ in self._layout.locations]
        """For each point, its edges, each with the number of the assertion if it is one."""
        assertion = 0
        for number, procedure in enumerate(program.procedures):
            for edge in procedure.edges:
                self._leaving[self._layout.point(number, edge.source)].append((edge, assertion))
                assertion += isinstance(edge, Assert)

    def start(self, thread: int) -> Stack:
        """The control stack with which threads of a type begin."""
        found = self.program.threads[thread]
        if found.created:
            return (self._layout.waiting,)
        return self._start_stack(thread)

    def rests(self, stack: Stack) -> bool:
        """Whether a thread with this control stack stops there."""
        if not stack or stack[0] == self._layout.waiting:
            return True
        procedure, number = self._layout.locations[stack[0]]
        code = self.program.procedures[procedure]
        receives = any(isinstance(edge, Receive) for edge in code.leaving[number])
        return not (code.locations[number].atomic or receives or stack[0] in self._passed)

    @cached_property
    def stacks(self) -> tuple[tuple[Stack, ...], ...]:
        """For each type, every control stack at which its threads may rest."""
        return tuple(tuple(self._reached(number)) for number in range(len(self.program.threads)))

    def of(self, thread: int, stack: Stack) -> tuple[Path, ...]:
        """The paths of a thread of this type from a control stack at which it rests."""
        key = thread, stack
        if key not in self._paths:
            self._paths[key] = tuple(self._explored(thread, stack))
        return self._paths[key]

    def locals(self, stack: Stack) -> dict[str, Scalar]:
        """The local variables of a control stack, `{d}.NAME.I`, with their types."""
        found = {}
        for depth, point in enumerate(reversed(stack)):
            procedure = self._procedure(point)
            for variable in () if procedure is None else procedure.variables:
                for index in range(variable.length):
                    found[f"{depth}.{variable.name}.{index}"] = variable.scalar
        return found

    @cached_property
    def shared(self) -> dict[str, Scalar]:
        """The variables of the shared state, with their types."""
        found: dict[str, Scalar] = {}
        for variable in self.program.globals:
            for index in range(variable.length):
                found[f"g.{variable.name}.{index}"] = variable.scalar
        for number, thread in enumerate(self.program.threads):
            if thread.created:
                found[f"created.{number}"] = BOOLEAN
                for variable in thread.inherited:
                    found[f"inherited.{number}.{variable.name}.0"] = variable.scalar
        return found

    def initial_shared(self) -> dict[str, int | None]:
        """What the shared state starts with; None is any value."""
        found: dict[str, int | None] = {}
        for variable in self.program.globals:
            for index, cell in enumerate(variable_cells(variable)):
                assert cell.initial is None or isinstance(cell.initial, int)
                found[f"g.{variable.name}.{index}"] = cell.initial
        for name, scalar in self.shared.items():
            if name not in found:
                found[name] = 0 if scalar in (INTEGER, THREAD) else scalar.low
        return found

    def initial_locals(self, stack: Stack) -> dict[str, int | None]:
        """What the local variables start with in a control stack of one frame."""
        found: dict[str, int | None] = {}
        procedure = self._procedure(stack[0]) if stack else None
        for variable in () if procedure is None else procedure.variables:
            for index, cell in enumerate(variable_cells(variable)):
                assert cell.initial is None or isinstance(cell.initial, int)
                found[f"0.{variable.name}.{index}"] = cell.initial
        return found

    def _procedure(self, point: int) -> Procedure | None:
        return self._layout.procedure(point)

    def _start_stack(self, thread: int) -> Stack:
        found = self.program.threads[thread]
        procedure = self.program.procedure_of(found)
        start = procedure.entry if found.start is None else found.start
        return (self._layout.point(self.program.numbers[found.procedure], start),)

    def _reached(self, thread: int) -> list[Stack]:
        start = self.start(thread)
        if not self.rests(start):
            raise Refused("threads that begin where they do not rest")
        found, work = {start: None}, [start]
        while work:
            for path in self.of(thread, work.pop()):
                if path.violated is None and path.after not in found:
                    found[path.after] = None
                    work.append(path.after)
                    if len(found) > MAX_STACKS:
                        raise Refused(f"more than {MAX_STACKS:,} control stacks")
        return list(found)

    def _explored(self, thread: int, stack: Stack) -> Iterator[Path]:
        if not stack:
            return
        number = 0
        work = [_State(stack, (False,) * len(stack), (), {}, (), (), (), frozenset())]
        while work:
            state = work.pop()
            self._patience.spend(100)
            for found in _Walk(self, thread, state, stack).taken():
                if isinstance(found, Path):
                    number += 1
                    if number > MAX_PATHS:
                        raise Refused(f"more than {MAX_PATHS:,} paths through an atomic section")
                    yield found
                else:
                    work.append(found)


class _Walk:
    """Takes every edge from one place on a path."""

    def __init__(self, paths: Paths, thread: int, state: _State, before: Stack) -> None:
        self._paths, self._thread, self._before = paths, thread, before
        self._program, self._terms = paths.program, paths.terms
        self._layout = self._program.layout
        self._state = state
        self._depth = len(state.stack) - 1
        self._fresh_now: list[tuple[str, Range]] = []
        self._known: dict[str, Range] = {}

    def taken(self) -> Iterator[_State | Path]:
        """The ends of paths, and the places from which paths go on."""
        point = self._state.stack[0]
        if point == self._layout.waiting:
            yield from self._started()
            return
        procedure, _ = self._layout.locations[point]
        for edge, assertion in self._paths._leaving[point]:
            if edge.guard != FALSE:
                yield from self._edge(procedure, edge, assertion)

    def _started(self) -> Iterator[_State | Path]:
        """A thread that waits starts once it was created."""
        thread, terms = self._program.threads[self._thread], self._terms
        created = self._value(f"created.{self._thread}")
        condition = terms.equal(created, terms.constant(1))
        procedure = self._program.procedure_of(thread)
        given = {
            variable.name: self._value(f"inherited.{self._thread}.{variable.name}.0")
            for variable in thread.inherited
        }
        values = {**self._state.values, **self._frame(0, procedure, given)}
        yield from self._going_on(
            self._paths._start_stack(self._thread), (False,), condition, values
        )

    def _edge(self, procedure: int, edge: Edge, assertion: int) -> Iterator[_State | Path]:
        self._fresh_now = []
        evaluation = self._evaluation()
        guard = evaluation.condition(edge.guard)
        match edge:
            case Step():
                defined, values = self._assigned(evaluation, edge.assignments)
                after = evaluation.after(lambda variable, index: self._in(values, variable, index))
                constraint = after.condition(edge.constraint)
                condition = self._terms.conjunction((guard, defined, constraint))
                yield from self._to(procedure, edge, condition, values)
            case Call():
                yield from self._called(procedure, edge, guard, evaluation)
            case Receive():
                defined, values = self._received(edge, evaluation)
                condition = self._terms.conjunction((guard, defined))
                yield from self._to(procedure, edge, condition, values)
            case Return():
                yield from self._returned(procedure, edge, guard, evaluation)
            case Assert():
                reached, holds = self._checked(edge, guard, evaluation)
                going_on = self._terms.conjunction((reached, holds))
                yield from self._to(procedure, edge, going_on, self._state.values)
                yield from self._violated(reached, holds, assertion)
            case Create():
                defined, values = self._created(edge, evaluation)
                condition = self._terms.conjunction((guard, defined))
                yield from self._to(procedure, edge, condition, values)
            case End():
                yield from self._going_on((), (), guard, self._state.values)
            case Fork() | Join():
                raise Refused("threads that are forked or joined")

    def _assigned(
        self, evaluation: Evaluation, assignments: Sequence[Assignment]
    ) -> tuple[Term, dict[str, Term]]:
        """When assignments take place, and what all values are then."""
        values, defined = dict(self._state.values), []
        for each in assignments:
            value = evaluation.stored(each.value, scalar_of(each.target))
            defined += [value.defined, self._write(evaluation, each.target, value.term, values)]
        return self._terms.conjunction(defined), values

    def _write(
        self, evaluation: Evaluation, target: Target, term: Term, values: dict[str, Term]
    ) -> Term:
        """Change values by an assignment, and say when it takes place."""
        terms, variable = self._terms, variable_of(target)
        if not isinstance(target, Element):
            values[self._name(variable, 0)] = term
            return terms.true
        index = evaluation.index(target.index, variable.length)
        known = terms.value(index.term)
        if known is not None:
            if 0 <= known < variable.length:
                values[self._name(variable, known)] = term
            return index.defined
        check_length(variable)
        for place in range(variable.length):
            is_there = terms.equal(index.term, terms.constant(place))
            old = self._in(values, variable, place)
            values[self._name(variable, place)] = terms.ite(is_there, term, old)
        return index.defined

    def _called(
        self, caller: int, edge: Call, guard: Term, evaluation: Evaluation
    ) -> Iterator[_State | Path]:
        callee = self._program.by_name[edge.procedure]
        number = self._program.numbers[edge.procedure]
        back = self._layout.point(caller, edge.target)
        below = (back, *self._state.stack[1:])
        inside = (
            self._state.inner[0] or self._program.procedures[caller].locations[edge.target].atomic
        )
        if any(self._layout.locations[point][0] == number for point in below):
            if not self._paths._recursive:
                raise Refused(f"recursion ({callee.name})")
            if inside:
                raise Refused(f"recursion inside an atomic section ({callee.name})")
        given, defined = {}, []
        for parameter, argument in zip(callee.variables, edge.arguments, strict=False):
            value = evaluation.stored(argument, parameter.scalar)
            given[parameter.name] = value.term
            defined.append(value.defined)
        values = {**self._state.values, **self._frame(self._depth + 1, callee, given)}
        stack = (self._layout.point(number, callee.entry), *below)
        condition = self._terms.conjunction((guard, *defined))
        yield from self._going_on(stack, (inside, *self._state.inner), condition, values)

    def _received(self, edge: Receive, evaluation: Evaluation) -> tuple[Term, dict[str, Term]]:
        values, defined = dict(self._state.values), []
        for target, result in zip(edge.targets, self._state.results, strict=False):
            if target is not None:
                value = evaluation.kept(result, scalar_of(target))
                defined += [value.defined, self._write(evaluation, target, value.term, values)]
        return self._terms.conjunction(defined), values

    def _returned(
        self, procedure: int, edge: Return, guard: Term, evaluation: Evaluation
    ) -> Iterator[_State | Path]:
        found = [
            evaluation.stored(value, scalar)
            for value, scalar in zip(
                edge.values, self._program.procedures[procedure].results, strict=True
            )
        ]
        condition = self._terms.conjunction((guard, *(value.defined for value in found)))
        results = tuple(value.term for value in found)
        yield from self._back(condition, self._state.values, results)

    def _checked(self, edge: Assert, guard: Term, evaluation: Evaluation) -> tuple[Term, Term]:
        """When an assertion is looked at, and whether it holds then."""
        value = evaluation.value(edge.condition)
        reached = self._terms.conjunction((guard, value.defined))
        return reached, evaluation.holds(value.term)

    def _violated(self, reached: Term, holds: Term, assertion: int) -> Iterator[Path]:
        fails = self._terms.negation(holds)
        condition = self._terms.conjunction((*self._state.conditions, reached, fails))
        if condition != self._terms.false:
            yield self._path((), condition, {}, assertion)

    def _created(self, edge: Create, evaluation: Evaluation) -> tuple[Term, dict[str, Term]]:
        values, defined = dict(self._state.values), []
        for number, expressions in created_by(edge):
            values[f"created.{number}"] = self._terms.constant(1)
            inherited = self._program.threads[number].inherited
            for variable, expression in zip(inherited, expressions, strict=True):
                value = evaluation.stored(expression, variable.scalar)
                values[f"inherited.{number}.{variable.name}.0"] = value.term
                defined.append(value.defined)
        return self._terms.conjunction(defined), values

    def _to(
        self, procedure: int, edge: Edge, condition: Term, values: dict[str, Term]
    ) -> Iterator[_State | Path]:
        """Go on at the target of an edge, in the same procedure or after its return."""
        target = target_of(edge)
        if target is None:
            yield from self._back(condition, values, ())
            return
        stack = (self._layout.point(procedure, target), *self._state.stack[1:])
        yield from self._going_on(stack, self._state.inner, condition, values)

    def _back(
        self, condition: Term, values: dict[str, Term], results: tuple[Term, ...]
    ) -> Iterator[_State | Path]:
        """Go on where the procedure was called."""
        kept = {
            name: term for name, term in values.items() if not name.startswith(f"@.{self._depth}.")
        }
        stack, inner = self._state.stack[1:], self._state.inner[1:]
        yield from self._going_on(stack, inner, condition, kept, results)

    def _going_on(
        self,
        stack: Stack,
        inner: tuple[bool, ...],
        condition: Term,
        values: dict[str, Term],
        results: tuple[Term, ...] = (),
    ) -> Iterator[_State | Path]:
        """The end of a path, if the thread rests here, or else the place where it goes on."""
        state = self._state
        every = self._terms.conjunction((*state.conditions, condition))
        if every == self._terms.false:
            return
        if self._paths.rests(stack) and not (inner and inner[0]):
            if not stack:
                values = {name: term for name, term in values.items() if name[0] != "@"}
            yield self._path(stack, every, values)
            return
        if stack in state.seen:
            raise Refused(f"a loop inside an atomic section ({self._place(stack[0])})")
        yield _State(
            stack,
            inner,
            (*state.conditions, condition),
            values,
            (*state.fresh, *self._fresh_now),
            results,
            (*state.places, state.stack[0]),
            state.seen | {stack},
        )

    def _path(
        self, stack: Stack, condition: Term, values: dict[str, Term], violated: int | None = None
    ) -> Path:
        fresh = (*self._state.fresh, *self._fresh_now)
        places = (*self._state.places, self._state.stack[0])
        return Path(self._before, stack, condition, fresh, values, violated, places)

    def _frame(
        self, depth: int, procedure: Procedure, given: Mapping[str, Term]
    ) -> dict[str, Term]:
        """The values of the local variables of a new frame."""
        found = {}
        for variable in procedure.variables:
            for index, cell in enumerate(variable_cells(variable)):
                if variable.name in given:
                    term = given[variable.name]
                elif cell.initial is None:
                    term = self._fresh(variable.scalar)
                else:
                    assert isinstance(cell.initial, int)
                    term = self._terms.constant(cell.initial)
                found[f"@.{depth}.{variable.name}.{index}"] = term
        return found

    def _evaluation(self) -> Evaluation:
        self._known = dict(self._known_ranges())
        return Evaluation(
            self._terms,
            Ranges(self._terms, self._known),
            lambda variable, index: self._in(self._state.values, variable, index),
            self._fresh,
        )

    def _known_ranges(self) -> Iterator[tuple[str, Range]]:
        """The ranges of the variables before the path, and of those that it has had so far."""
        for name, scalar in self._paths.shared.items():
            yield name, range_of(scalar)
        for name, scalar in self._paths.locals(self._before).items():
            yield f"@.{name}", range_of(scalar)
        yield from self._state.fresh

    def _fresh(self, scalar: Scalar) -> Term:
        name = f"?{len(self._state.fresh) + len(self._fresh_now)}"
        self._fresh_now.append((name, range_of(scalar)))
        self._known[name] = range_of(scalar)
        return self._terms.variable(name)

    def _in(self, values: Mapping[str, Term], variable: Variable, index: int) -> Term:
        name = self._name(variable, index)
        return values[name] if name in values else self._terms.variable(name)

    def _value(self, name: str) -> Term:
        return self._state.values.get(name, self._terms.variable(name))

    def _name(self, variable: Variable, index: int) -> str:
        if variable.procedure is None:
            return f"g.{variable.name}.{index}"
        return f"@.{self._depth}.{variable.name}.{index}"

    def _place(self, point: int) -> str:
        location = self._layout.location(point)
        return "" if location is None else str(location.position)


def _check_supported(program: Program) -> None:
    """Refuse by name what paths do not describe."""
    if program.lock is not None:
        raise Refused("a scheduler lock")
    if program.forks:
        raise Refused("threads that are forked or joined")
    if program.layout.limits:
        raise Refused("limits of the translation")
    if program.layout.unknown_beyond:
        raise Refused("assertions behind which nothing is known")
