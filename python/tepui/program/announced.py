"""Programs in which threads announce what they are about to do, so that races can be asked for.

A race is a state in which two threads are next to accesses (`accesses`) of the same location in
memory, at least one of them a write, and not both inside atomic sections. `announced` makes a
program with places at which a thread is next to an access, so that a race is two threads at two
places, like any mutual exclusion. Engines, certificates and the checker need to know nothing of it.
There are three kinds of places:

- *At*: the source of an edge. A thread that rests there is next to each access that is certain.
- *Announced*: where a variable has an access outside atomic sections that is not certain, or very
  many accesses, threads announce all of these. An announcement leads to a place from which nothing
  leads on, if the thread is next to the access, and changes nothing. A hidden variable is 1 from
  then on, and stops every step that assigns a global variable. So what was announced remains true,
  and others can only announce what they are next to in the same state of the memory.
- *Inside*: an access in an atomic section gets a place in the section just before it. A thread is
  never seen there, except by a probe (`meaning`), which knows that the path is complete and halts
  the program. A section that is entered after an announcement runs as the last thing that matters:
  the hidden variable becomes 2, and stops announcements, too.

A statement that is checked before it is executed is one step, but no atomic section: it does what
the statement does, where the check holds. A thread that rests in front of the check is next to what
both of them access.

At most one of two racing threads is inside a section, and may be the last to move, so nothing is
missed. A thread in front of a `Return` is next to what is done with the results, as nothing happens
in between: so a receipt that has accesses is divided. It takes the results into hidden variables,
and an atomic location later assigns them. That belongs to the step of the return, so it can be
announced even if this was the end of the last section.

Procedures that are called inside sections get a copy for this purpose, so that each place is either
inside or outside. What is called *as written* elsewhere is here the program with announcements: it
is what a question about races means, for engines and checker alike. Tests compare it with an
interpreter that looks for two conflicting accesses in every state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from tepui.errors import UsageError
from tepui.program.accesses import (
    Access,
    Memory,
    accesses_of,
    evaluates,
    given_by,
    is_certain,
)
from tepui.program.calls import called_by, forked_by, with_all_called
from tepui.program.expressions import (
    TRUE,
    Binary,
    ComparisonOperator,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Variable,
    conjunction,
    with_operands,
)
from tepui.program.layout import covering
from tepui.program.program import (
    Assignment,
    Call,
    Edge,
    Element,
    Location,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    is_check,
    is_inside_statement,
    refuse_integers,
    target_of,
    variable_of,
)
from tepui.program.types import BOOLEAN, THREAD, Bounded, Scalar
from tepui.program.validate import validate
from tepui.program.walk import targets_of, with_ends, with_variables
from tepui.records import field, record, replace

Place = tuple[int, int]
"""A procedure, and a location in it."""

Pair = tuple[frozenset[Place], frozenset[Place]]
"""Places that two threads must not be at, one at one of the first, one at one of the second."""

_LEVEL = Bounded(0, 2)
_FREE, _ANNOUNCED, _LAST = (Constant(number, _LEVEL) for number in range(3))
_STATE = Variable("race.state", _LEVEL, initial=0)


_MOST_PAIRS = 1000
"""Where there would be more pairs of places for a variable, its accesses are announced: there are
few places for announcements."""


@record
class Announced(Program):
    """A program with places for accesses, and the program that it was made from."""

    source: Program = field(kw_only=True)
    conflicts: Mapping[Variable, tuple[Pair, ...]] = field(kw_only=True, compare=False)
    """For each variable that may race, the places at which two threads do."""
    accesses: Mapping[Place, tuple[str, ...]] = field(kw_only=True, compare=False)
    """What a thread is about to do at these places, in words."""
    origins: Mapping[Place, int] = field(kw_only=True, compare=False)
    """For each location that was added, the one for which it stands; places where threads have
    announced something stand for none, and have -1."""

    def larger(self, limits: Iterable[str]) -> Announced | None:
        """The same for a larger translation, which may have more elements to race for."""
        found = self.source.larger(limits)
        return None if found is None else announced(found)


def announced(program: Program) -> Announced:
    """The program with places for accesses. All other locations keep their numbers."""
    refuse_integers(program)
    validate(program)
    if program.lock is not None:
        raise UsageError(
            f"{program.name} has the scheduler lock {program.lock.name}: races are asked of "
            "programs without one"
        )
    copied = _run_inside(program)
    copies = {name: f"{name}@atomic" for name in copied}
    bodies = [
        *(_Body(program, each, None, copies) for each in program.procedures),
        *(_Body(program, program.by_name[name], copies[name], copies) for name in copied),
    ]
    plan = _Plan.of(program, _run(program, bodies))
    for body in bodies:
        body.finish(plan)
    globals_ = (*program.globals, _STATE) if plan.announcing else program.globals
    return Announced(
        procedures=tuple(body.procedure() for body in bodies),
        threads=program.threads,
        globals=globals_,
        name=program.name,
        error_labels=program.error_labels,
        warnings=program.warnings,
        raised=program.raised,
        raises=program.raises,
        title=program.title,
        own_files=program.own_files,
        unseen=program.unseen,
        assumptions=program.assumptions,
        source=program,
        conflicts={
            variable: pairs
            for variable in program.globals
            if (pairs := tuple(_conflicts(bodies, variable)))
        },
        accesses={
            (number, place): tuple(words)
            for number, body in enumerate(bodies)
            for place, words in body.words.items()
        },
        origins={
            (number, place): origin
            for number, body in enumerate(bodies)
            for place, origin in body.origins.items()
        },
    )


@record
class _Plan:
    """Which variables may race, and which of them are announced."""

    racing: frozenset[Variable]
    announcing: frozenset[Variable]

    @staticmethod
    def of(program: Program, bodies: list[_Body]) -> _Plan:
        outside: Counter[Variable] = Counter()
        written: Counter[Variable] = Counter()
        uncertain = set()
        for body in bodies:
            for edge in body.edges:
                plain = body.is_outside(edge)
                for access in body.accesses(edge):
                    variable = access.memory.variable
                    written[variable] += access.write
                    outside[variable] += plain
                    if plain and not (
                        edge.source not in body.receipts and is_certain(program, edge, access)
                    ):
                        uncertain.add(variable)
        racing = frozenset(
            variable for variable in outside if outside[variable] and written[variable]
        )
        many = {each for each in racing if outside[each] * written[each] > _MOST_PAIRS}
        return _Plan(racing, racing & (uncertain | many))


class _Body:
    """A procedure that gets places for accesses; with a new `name`, the copy of it that is called
    inside atomic sections."""

    def __init__(
        self, program: Program, procedure: Procedure, name: str | None, copies: Mapping[str, str]
    ) -> None:
        self._program = program
        self._before = procedure
        self.name = name or procedure.name
        self._is_copy = name is not None
        self.locations = list(procedure.locations)
        self.variables = list(procedure.variables)
        self.receipts: set[int] = set()
        """The locations at which threads that were resting before assign results."""
        self.origins: dict[int, int] = {}
        self.words: dict[int, dict[str, None]] = {}
        self.places: dict[tuple[Memory, bool, bool], set[int]] = {}
        """The places of accesses: to what, whether it is a write, whether it is inside."""
        self._announcements: dict[tuple[Memory, bool], int] = {}
        self._hidden: dict[tuple[int, Scalar], Variable] = {}
        self._frozen = False
        self._checked = {} if self._is_copy else _inside_statements(procedure)
        self.edges: list[Edge] = []
        for edge in procedure.edges:
            if isinstance(edge, Call) and (
                self._is_copy or procedure.locations[edge.target].atomic
            ):
                edge = replace(edge, procedure=copies[edge.procedure])
            if isinstance(edge, Receive) and self._is_divided(edge):
                self.edges += self._divided(edge)
            else:
                self.edges.append(edge)

    def is_outside(self, edge: Edge) -> bool:
        """Whether an edge is a step outside atomic sections, or a part of a single statement."""
        return self._is_resting(self._begin(edge)) and not self._enters(edge)

    def accesses(self, edge: Edge) -> Iterator[Access]:
        """The accesses of an edge, to which a thread is next if what is checked before holds."""
        _, holds = self._checked.get(edge.source, (edge.source, TRUE))
        for access in accesses_of(edge):
            yield replace(access, guard=conjunction(holds, access.guard))

    def finish(self, plan: _Plan) -> None:
        """Add the places for accesses."""
        self._frozen = bool(plan.announcing)
        edges, self.edges = self.edges, []
        leaving: dict[int, list[Edge]] = {}
        for edge in edges:
            if self.is_outside(edge):
                self._outside(edge, plan)
            else:
                leaving.setdefault(edge.source, []).append(edge)
        for source, some in leaving.items():
            self._inside(source, some, plan)

    def procedure(self) -> Procedure:
        """What has become of the procedure."""
        before, name = self._before, self.name
        made = replace(
            before,
            name=name,
            locations=tuple(self.locations),
            edges=tuple(self.edges),
            variables=(*self.variables, *self._hidden.values()),
        )
        if not self._is_copy:
            return made

        def own(variable: Variable) -> Variable:
            return variable if variable.procedure is None else replace(variable, procedure=name)

        return replace(
            made,
            edges=tuple(with_variables(edge, own) for edge in made.edges),
            variables=tuple(map(own, made.variables)),
        )

    def _is_resting(self, location: int) -> bool:
        """Whether a thread rests at a location, or has just done so in front of a receipt."""
        if self._is_copy:
            return False
        return not self.locations[location].atomic or location in self.receipts

    def _begin(self, edge: Edge) -> int:
        """Where a thread rests before it takes an edge outside atomic sections."""
        begin, _ = self._checked.get(edge.source, (edge.source, TRUE))
        return begin

    def _enters(self, edge: Edge) -> bool:
        """Whether an edge leads on inside an atomic section."""
        target = target_of(edge)
        if target is None or target in self._checked:
            return False
        return self.locations[target].atomic

    def _is_divided(self, edge: Receive) -> bool:
        """Whether a receipt has accesses, or enters an atomic section."""
        enters = self._is_resting(edge.source) and self._enters(edge)
        return enters or any(accesses_of(edge))

    def _divided(self, edge: Receive) -> Iterator[Edge]:
        """Take the results, and then assign them, as one step."""
        taken = [
            None if target is None else self._hidden_variable(number, scalar)
            for number, (target, scalar) in enumerate(
                zip(edge.targets, self._received(edge), strict=True)
            )
        ]
        later = self._added(edge.source, atomic=True)
        if self._is_resting(edge.source):
            self.receipts.add(later)
        yield Receive(edge.source, later, tuple(taken))
        assignments = tuple(
            Assignment(target, Read(variable))
            for target, variable in zip(edge.targets, taken, strict=True)
            if target is not None and variable is not None
        )
        yield Step(later, edge.target, edge.guard, assignments)

    def _received(self, receipt: Receive) -> list[Scalar]:
        """For each result, a type that holds whatever is received there."""
        calls = [
            self._program.by_name[edge.procedure].results
            for edge in self._before.edges
            if isinstance(edge, Call) and edge.target == receipt.source
        ]
        if not calls:
            return [BOOLEAN] * len(receipt.targets)
        return [covering(list(types)) for types in zip(*calls, strict=True)]

    def _outside(self, edge: Edge, plan: _Plan) -> None:
        """A step outside atomic sections, and what threads are next to at its source."""
        kept = edge
        if self._frozen and any(
            variable_of(target).procedure is None for target in targets_of(edge)
        ):
            kept = replace(edge, guard=conjunction(_state_is("=", _FREE), edge.guard))
        elif self._frozen and isinstance(edge, Return) and edge.values:
            kept = replace(edge, guard=conjunction(_state_is("!=", _LAST), edge.guard))
        self.edges.append(kept)
        for access in self.accesses(edge):
            if access.memory.variable in plan.announcing:
                self._announce(edge, access)
            elif access.memory.variable in plan.racing:
                self._note(access, self._begin(edge), inside=False)

    def _announce(self, edge: Edge, access: Access) -> None:
        """Let a thread announce an access."""
        key, begin = (access.memory, access.write), self._begin(edge)
        if key not in self._announcements:
            place = self._announcements[key] = self._added(begin, atomic=False)
            self.origins[place] = -1
            self._note(access, place, inside=False)
        guard, tried = access.guard, list[Assignment]()
        constraint: Expression = TRUE
        if access.late and not is_certain(self._program, edge, replace(access, guard=TRUE)):
            guard = conjunction(guard, _has_elements(edge))
            tried, constraint = self._tried(edge, access)
        level: Expression = _ANNOUNCED
        if edge.source in self.receipts:
            level = Conditional(_state_is("=", _LAST), _LAST, _ANNOUNCED)
        else:
            guard = conjunction(_state_is("!=", _LAST), guard)
        assignments = (Assignment(_STATE, level), *tried)
        self.edges.append(Step(begin, self._announcements[key], guard, assignments, constraint))

    def _tried(self, edge: Edge, access: Access) -> tuple[list[Assignment], Expression]:
        """Assignments to hidden variables that block where those of the edge do, and what must hold
        of them."""
        values = given_by(self._program, edge)
        hidden = [self._hidden_variable(n, scalar) for n, (_, scalar) in enumerate(values)]
        tried = [
            Assignment(variable, value)
            for variable, (value, scalar) in zip(hidden, values, strict=True)
            if scalar != THREAD
        ]
        if not isinstance(edge, Step):
            return tried, TRUE
        last = {
            each.target: variable
            for each, variable in zip(edge.assignments, hidden, strict=True)
            if isinstance(each.target, Variable)
        }
        return tried, _of_hidden(edge.constraint if access.write else access.constraint, last)

    def _inside(self, source: int, edges: list[Edge], plan: _Plan) -> None:
        """The steps from a location that belong to atomic sections, and the places in front of
        their accesses."""
        rests = self._is_resting(source) or source in self._checked
        entering = rests and not isinstance(edges[0], Receive)
        first = source
        if entering and self._frozen:
            first = self._added(source, atomic=True)
            level = Conditional(_state_is("=", _FREE), _FREE, _LAST)
            guard = TRUE if source in self.receipts else _state_is("!=", _LAST)
            self.edges.append(Step(source, first, guard, (Assignment(_STATE, level),)))
        self.edges += (with_ends(edge, first, target_of(edge)) for edge in edges)
        for edge in edges:
            for access in accesses_of(edge):
                if access.memory.variable not in plan.racing:
                    continue
                alone = access.asks or len(edges) == 1
                if alone and not entering and is_certain(self._program, edge, access):
                    self._note(access, source, inside=True)
                else:
                    self._mark(first, edge, edges, access)

    def _mark(self, first: int, edge: Edge, edges: list[Edge], access: Access) -> None:
        """A place that a path may go through if it comes to an access."""
        place = self._added(first, atomic=True)
        self._note(access, place, inside=True)
        self.edges.append(Step(first, place, access.guard))
        for each in edges if access.asks else [edge]:
            if isinstance(each, Step):
                each = replace(each, constraint=conjunction(access.constraint, each.constraint))
            self.edges.append(with_ends(each, place, target_of(each)))

    def _note(self, access: Access, place: int, *, inside: bool) -> None:
        self.places.setdefault((access.memory, access.write, inside), set()).add(place)
        self.words.setdefault(place, {}).setdefault(access.words)

    def _added(self, origin: int, *, atomic: bool) -> int:
        """A new location that stands for another one."""
        number = len(self.locations)
        self.locations.append(Location(self.locations[origin].position, atomic=atomic))
        self.origins[number] = self.origins.get(origin, origin)
        return number

    def _hidden_variable(self, number: int, scalar: Scalar) -> Variable:
        name = f"tried.{len(self._hidden)}"
        variable = Variable(name, scalar, self._before.name, initial=scalar.low)
        return self._hidden.setdefault((number, scalar), variable)


def _inside_statements(procedure: Procedure) -> dict[int, tuple[int, Expression]]:
    """The locations behind checks at which the rest of a statement is done, and not only the rest
    of an atomic section: for each the location at which threads rest before the statement, and what
    holds behind the checks."""
    arriving = Counter(target_of(edge) for edge in procedure.edges)
    found: dict[int, tuple[int, Expression]] = {}
    for begin, location in enumerate(procedure.locations):
        at = begin
        holds: Expression = TRUE
        inside: dict[int, tuple[int, Expression]] = {}
        while not location.atomic and len(procedure.leaving[at]) == 1:
            (edge,) = procedure.leaving[at]
            if not is_check(edge) or edge.target is None or edge.guard != TRUE:
                break
            if arriving[edge.target] > 1 or not is_inside_statement(procedure, edge.target):
                break
            at, holds = edge.target, conjunction(holds, edge.condition)
            inside[at] = begin, holds
        entering = [
            (target := target_of(edge)) is not None and procedure.locations[target].atomic
            for edge in procedure.leaving[at]
        ]
        if not entering or not all(entering):
            found |= inside
    return found


def _run_inside(program: Program) -> list[str]:
    """The procedures that are called inside atomic sections, directly or not."""
    called = called_by(
        edge
        for procedure in program.procedures
        for edge in procedure.edges
        if isinstance(edge, Call) and procedure.locations[edge.target].atomic
    )
    run = with_all_called(program, (program.numbers[name] for name in called))
    return [program.procedures[number].name for number in run]


def _run(program: Program, bodies: list[_Body]) -> list[_Body]:
    """What threads run, forked ones included."""
    by_name = {body.name: body for body in bodies}
    waiting = [thread.procedure for thread in program.threads]
    run: dict[str, _Body] = {}
    while waiting:
        name = waiting.pop()
        if name not in run:
            run[name] = by_name[name]
            waiting += called_by(by_name[name].edges) | forked_by(by_name[name].edges)
    return [body for body in bodies if body.name in run]


def _conflicts(bodies: list[_Body], variable: Variable) -> Iterator[Pair]:
    """The places at which two threads race for a variable or one of its elements."""
    memories = dict.fromkeys(
        memory for body in bodies for memory, _, _ in body.places if memory.variable == variable
    )

    def places(memory: Memory, *, write: bool, inside: bool) -> frozenset[Place]:
        found = (
            ((number, place) for place in body.places.get((memory, write, inside), ()))
            for number, body in enumerate(bodies)
        )
        return frozenset(chain.from_iterable(found))

    for memory in memories:
        read, written = (places(memory, write=write, inside=False) for write in (False, True))
        read_inside, written_inside = (
            places(memory, write=write, inside=True) for write in (False, True)
        )
        any_access = written | read | written_inside | read_inside
        if written:
            yield written, any_access
        if read and written_inside:
            yield read, written_inside


def _state_is(operator: ComparisonOperator, level: Constant) -> Expression:
    return Binary(operator, Read(_STATE), level)


def _has_elements(edge: Edge) -> Expression:
    """Whether all elements that an edge assigns exist."""
    condition: Expression = TRUE
    for target in targets_of(edge):
        if isinstance(target, Element):
            there = evaluates(ReadElement(target.variable, target.index))
            condition = conjunction(condition, there)
    return condition


def _of_hidden(expression: Expression, hidden: Mapping[Variable, Variable]) -> Expression:
    """A constraint with hidden variables in place of those that are assigned."""
    if isinstance(expression, Read) and expression.after and expression.variable in hidden:
        return Read(hidden[expression.variable], after=True)
    return with_operands(expression, lambda operand: _of_hidden(operand, hidden))
