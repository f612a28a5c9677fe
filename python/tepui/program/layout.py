"""How the states of a program are written as numbers, for both lowering and checker.

This module fixes *which* numbers describe a state. It says only one thing about what a program
does, and kernel and checker share it: which calls are tail calls, which leave no frame
(`is_bare_end`). A mistake there would affect both, so tests compare with an interpreter that keeps
every frame.

A *point* is where a thread can be seen: a location of some procedure, `waiting` for its creation,
or the violation of an assertion. Points are numbered throughout the program.

A frame of a thread is a point and one value per scalar of the procedure's local variables. A
shared state is one value per scalar of the global variables, followed by hidden ones:

    halted      1 after a violation; nothing moves any more
    full        1 between a Return with values and its Receive
    result K    the values returned
    holder      who holds the scheduler lock: 0 for nobody, else 1 + the index of the thread type
    created T   1 after the creation of threads of type T
    inherited   what they start with
    forked      the threads that were forked, as a number (see `forks`), if the program forks

Values are given as they are (see `types`), and None for a variable that has no value yet or whose
value no longer matters. Variables of one shared state, or of one frame, may have *the same* value,
which nobody knows yet: then the first of them has None, and the others are `SameAs` it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from tepui.program.calls import procedures_run_by
from tepui.program.expressions import Conditional, Read, ReadElement, Self, Variable, inside
from tepui.program.program import (
    Assert,
    Call,
    Derived,
    Edge,
    Location,
    Procedure,
    Program,
    Return,
    Step,
    Thread,
    scalar_of,
    thread_names,
)
from tepui.program.types import BOOLEAN, INTEGER, THREAD, Array, Bounded, Scalar, ThreadId
from tepui.program.walk import expressions_of
from tepui.records import record


@record
class SameAs:
    """What a variable has whose value is not known yet, except that it is the value of another one:
    an earlier cell of the same shared state or frame, the first that has this value."""

    cell: int


Value = int | None | SameAs

SharedState = tuple[Value, ...]


@record
class Frame:
    """One entry of a thread's stack: an activation of a procedure, and the frame of its caller, if
    it is joined to that (see `Fused`)."""

    point: int
    values: tuple[Value, ...] = ()
    below: Frame | None = None


@record
class Fused:
    """How steps are fused (`semantics.fusing`).

    `named` are the locations at which a question looks, so that steps end there. The frames of
    `joined` procedures share an entry of the stack with the frame of their caller, so that a step
    can go on after they return. Which procedures these are is a matter of cost only.
    """

    named: frozenset[int] = frozenset()
    joined: frozenset[int] = frozenset()


@record
class Cell:
    """One scalar of a state: its name, its type, and its value at the start."""

    name: str
    type: Scalar
    initial: Value = 0

    @property
    def is_of_source(self) -> bool:
        """Whether a scalar of a frame belongs to a variable of the source: others have a name with
        a dot."""
        return "." not in self.name


@record
class Assertion:
    """An assertion of the program, and where it stands."""

    procedure: int
    edge: Assert


class Layout:
    """The points and cells of a program. A program has one layout: `program.layout`."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @cached_property
    def first_points(self) -> tuple[int, ...]:
        """For each procedure, the point of its location 0."""
        firsts, count = [], 0
        for procedure in self.program.procedures:
            firsts.append(count)
            count += len(procedure.locations)
        return tuple(firsts)

    @cached_property
    def locations(self) -> tuple[tuple[int, int], ...]:
        """For each point that is a location: the procedure and the location's number in it."""
        return tuple(
            (index, number)
            for index, procedure in enumerate(self.program.procedures)
            for number in range(len(procedure.locations))
        )

    @property
    def waiting(self) -> int:
        """The point of a thread that was not created yet."""
        return len(self.locations)

    @cached_property
    def assertions(self) -> tuple[Assertion, ...]:
        """All assertions, procedure by procedure, in the order of their edges."""
        return tuple(
            Assertion(index, edge)
            for index, procedure in enumerate(self.program.procedures)
            for edge in procedure.edges
            if isinstance(edge, Assert)
        )

    @cached_property
    def limits(self) -> frozenset[int]:
        """The points of threads that have run into a limit of the translation."""
        return frozenset(
            self.violation(number)
            for number, assertion in enumerate(self.assertions)
            if assertion.edge.kind == "limit"
        )

    @cached_property
    def unknown_beyond(self) -> frozenset[int]:
        """The violations that say nothing about what comes behind them in the program as written:
        limits, and what a pass could not give."""
        lacking = self.program.lack_points if isinstance(self.program, Derived) else ()
        return self.limits.union(lacking)

    def violation(self, assertion: int) -> int:
        """The point of a thread that violated an assertion."""
        return self.waiting + 1 + assertion

    @property
    def points(self) -> int:
        """How many points there are."""
        return self.waiting + 1 + len(self.assertions)

    def point(self, procedure: int, location: int) -> int:
        return self.first_points[procedure] + location

    def location(self, point: int) -> Location | None:
        """The location that a point is; a violation is at the statement of its assertion."""
        if point < self.waiting:
            procedure, number = self.locations[point]
            return self.program.procedures[procedure].locations[number]
        if point == self.waiting:
            return None
        assertion = self.assertions[point - self.waiting - 1]
        owner = self.program.procedures[assertion.procedure]
        return owner.locations[owner.statements[assertion.edge.source]]

    def is_bare_end(self, point: int) -> bool:
        """Whether a point is the mere end of a procedure: it stands for no statement, and the
        procedure only returns there, without results. A frame that would rest there during a call
        is left out, as nothing would be done with it: tail calls need no stack.
        """
        if point >= self.waiting:
            return False
        index, number = self.locations[point]
        procedure = self.program.procedures[index]
        location = procedure.locations[number]
        named = location.text or location.labels or location.atomic
        return not named and procedure.leaving[number] == (Return(number),)

    def is_tail_call(self, caller: int, call: Call) -> bool:
        """Whether a call in a procedure leaves no frame of its caller."""
        return self.is_bare_end(self.point(caller, call.target))

    def procedure(self, point: int) -> Procedure | None:
        """The procedure whose variables a frame at this point has."""
        return self.program.procedures[self.locations[point][0]] if point < self.waiting else None

    def procedure_number(self, point: int) -> int:
        """The procedure to which a location or a violation belongs."""
        if point < self.waiting:
            return self.locations[point][0]
        return self.assertions[point - self.violation(0)].procedure

    @cached_property
    def templates(self) -> tuple[tuple[int, int], ...]:
        """For each template of the system, its thread type and its first thread.

        The threads of a type run the same rules and share a template, unless they know themselves.
        """
        starts = self.first_threads
        return tuple(
            (number, starts[number] + index)
            for number, thread in enumerate(self.program.threads)
            for index in range(thread.size if self.knows_itself(number) else 1)
        )

    @cached_property
    def first_threads(self) -> tuple[int, ...]:
        """For each thread type, its first thread."""
        counts = [thread.size for thread in self.program.threads]
        return tuple(sum(counts[:number]) for number in range(len(counts)))

    @cached_property
    def threads(self) -> tuple[int, ...]:
        """For each thread, its template."""
        firsts = [first for _, first in self.templates]
        ends = [*firsts[1:], len(self.program.thread_types)]
        return tuple(
            template
            for template, (first, end) in enumerate(zip(firsts, ends, strict=True))
            for _ in range(first, end)
        )

    def knows_itself(self, thread_type: int) -> bool:
        """Whether the threads of a type may ask who they are."""
        run = procedures_run_by(self.program, thread_type)
        return not self.knowing.isdisjoint(run)

    @cached_property
    def knowing(self) -> frozenset[int]:
        """The procedures in which `Self` occurs. What a pass has made of one knows as much."""
        known: set[str] = set()
        if isinstance(self.program, Derived):
            original = self.program.original
            known = {original.procedures[number].name for number in original.layout.knowing}
        return frozenset(
            number
            for number, procedure in enumerate(self.program.procedures)
            if procedure.name in known or any(map(_names_itself, procedure.edges))
        )

    @cached_property
    def identities(self) -> ThreadId:
        """The type of cells that name threads."""
        return ThreadId(thread_names(self.program))

    @cached_property
    def shared_cells(self) -> tuple[Cell, ...]:
        """The scalars of a shared state."""
        cells = [cell for each in self.program.globals for cell in self._cells_of(each)]
        if self.assertions or self._may_be_watched():
            cells.append(Cell("halted", BOOLEAN))
        if self._result_types:
            cells.append(Cell("full", BOOLEAN))
            for index, scalar in enumerate(self._result_types):
                cells.append(Cell(_result(index), self.held(scalar), _first(scalar)))
        if self.program.lock is not None:
            cells.append(Cell("holder", Bounded(0, len(self.program.threads))))
        for thread in self.program.threads:
            if thread.created:
                cells.append(Cell(_created(thread), BOOLEAN))
                for variable in thread.inherited:
                    for cell in self._cells_of(variable):
                        name = _inherited(thread, cell.name)
                        cells.append(Cell(name, cell.type, _first(cell.type)))
        if self.program.forks:
            cells.append(Cell("forked", INTEGER))
        return tuple(cells)

    @cached_property
    def own_cells(self) -> int:
        """How many scalars of a shared state belong to global variables. The hidden ones follow
        them."""
        return sum(variable.length for variable in self.program.globals)

    @cached_property
    def shared_variables(self) -> tuple[Variable, ...]:
        """For each scalar of a shared state that belongs to a global variable, that variable."""
        return tuple(each for each in self.program.globals for _ in range(each.length))

    @cached_property
    def frame_variables(self) -> tuple[tuple[Variable, ...], ...]:
        """For each procedure and each scalar of its frames, the variable to which it belongs."""
        return tuple(
            tuple(each for each in procedure.variables for _ in range(each.length))
            for procedure in self.program.procedures
        )

    @cached_property
    def hidden(self) -> dict[str, int]:
        """Where the hidden scalars are, by name."""
        own = self.own_cells
        return {cell.name: own + index for index, cell in enumerate(self.shared_cells[own:])}

    @cached_property
    def results(self) -> tuple[int, ...]:
        """Where the values returned are."""
        return tuple(self.hidden[_result(index)] for index in range(len(self._result_types)))

    def created(self, thread: Thread) -> int:
        """The position of the scalar that says whether the waiting threads of a type were
        created."""
        return self.hidden[_created(thread)]

    def idle(self, thread: Thread) -> tuple[int, int] | None:
        """The point at which a thread of this type has nothing to do while a scalar of the shared
        state is 0, and that scalar. The thread waits for its creation there, or in an idle slot."""
        if thread.created:
            return self.waiting, self.created(thread)
        if thread.idle is None:
            return None
        procedure = self.program.procedure_of(thread)
        start = procedure.entry if thread.start is None else thread.start
        before = self.program.globals[: self.program.globals.index(thread.idle)]
        point = self.point(self.program.numbers[thread.procedure], start)
        return point, sum(variable.length for variable in before)

    def inherited(self, thread: Thread, variable: Variable) -> int:
        """The position of the scalar that holds the start value of a variable of these threads."""
        return self.hidden[_inherited(thread, variable.name)]

    @cached_property
    def frame_cells(self) -> tuple[tuple[Cell, ...], ...]:
        """For each procedure, the scalars of its frames."""
        return tuple(
            tuple(cell for variable in procedure.variables for cell in self._cells_of(variable))
            for procedure in self.program.procedures
        )

    @cached_property
    def copies(self) -> bool:
        """Whether some variable may be a copy of another one that has no value yet, and has the
        same later. Types with two values are not worth it. Where threads are forked, in the program
        itself or into slots, a copy has a value at once: slots would have to keep account of what
        is the same."""
        if self.program.forks or self.program.made_by == "slots":
            return False
        return any(
            isinstance(each.value, Read | ReadElement | Conditional)
            and scalar_of(each.target).size > 2
            for procedure in self.program.procedures
            for edge in procedure.edges
            if isinstance(edge, Step)
            for each in edge.assignments
        )

    @cached_property
    def _result_types(self) -> tuple[Scalar, ...]:
        """For each position of a result, a type that holds whatever any procedure returns there."""
        results = [procedure.results for procedure in self.program.procedures]
        return tuple(
            covering([self.held(result[index]) for result in results if index < len(result)])
            for index in range(max(map(len, results), default=0))
        )

    def held(self, scalar: Scalar) -> Scalar:
        """What a cell for a scalar of this type holds."""
        return self.identities if isinstance(scalar, ThreadId) else scalar

    def _cells_of(self, variable: Variable) -> list[Cell]:
        return variable_cells(variable, self.identities)

    def _may_be_watched(self) -> bool:
        """Whether a location inside an atomic section could be a probe."""
        return any(
            location.atomic
            for procedure in self.program.procedures
            for location in procedure.locations
        )


def known(value: Value) -> int | None:
    """The value of a variable, if it has one."""
    return None if isinstance(value, SameAs) else value


def rank(value: Value) -> tuple[int, int]:
    """A key that sorts values: first those that are not known, then the others."""
    if value is None:
        return 0, 0
    return (1, value.cell) if isinstance(value, SameAs) else (2, value)


def numbered(values: tuple[Value, ...], first: int = 0) -> tuple[Value, ...]:
    """The cells of a shared state or a frame, where those whose value is not known are `SameAs` the
    first that has it. Their numbers begin with `first`."""
    if None not in values:
        return values
    return tuple(
        SameAs(first + place)
        if value is None
        else SameAs(first + value.cell)
        if type(value) is SameAs
        else value
        for place, value in enumerate(values)
    )


def in_normal_form(values: Iterable[Value]) -> tuple[Value, ...]:
    """The other way round: those that are `SameAs` one number have the same value, so the first of
    them has None, and the others are `SameAs` that."""
    first: dict[int, int] = {}
    found: list[Value] = []
    for place, value in enumerate(values):
        if type(value) is SameAs:
            before = first.setdefault(value.cell, place)
            value = None if before == place else SameAs(before)
        found.append(value)
    return tuple(found)


def same_range(one: Scalar, other: Scalar) -> bool:
    """Whether two types have the same values."""
    return (one.low, one.size) == (other.low, other.size)


def point_class(point: int) -> int:
    """The class by which properties name the frames at a point; the empty stack has class 0."""
    return point + 1


def variable_cells(variable: Variable, identities: ThreadId = THREAD) -> list[Cell]:
    """The scalars of a variable. If they name threads, they name nobody at first."""
    initial, scalar = variable.initial, variable.scalar
    if isinstance(scalar, ThreadId):
        initial, scalar = 0, identities
    if not isinstance(variable.type, Array):
        return [Cell(variable.name, scalar, initial)]
    names = variable.type.names or [f"{variable.name}[{n}]" for n in range(variable.length)]
    return [Cell(name, scalar, initial) for name in names]


def _result(index: int) -> str:
    return f"result {index}"


def _created(thread: Thread) -> str:
    return f"created {thread.name}"


def _inherited(thread: Thread, variable: str) -> str:
    return f"{thread.name} gets {variable}"


def _names_itself(edge: Edge) -> bool:
    """Whether an edge asks which thread takes it."""
    return any(isinstance(each, Self) for some in expressions_of(edge) for each in inside(some))


def _first(scalar: Scalar) -> int:
    """A value for what is not used yet."""
    return 0 if scalar == INTEGER else scalar.low


def covering(types: list[Scalar]) -> Scalar:
    """A type that holds every value of some types."""
    if all(scalar == types[0] for scalar in types):
        return types[0]
    if INTEGER in types:
        return INTEGER
    low = min(scalar.low for scalar in types)
    return Bounded(low, max(scalar.low + scalar.size - 1 for scalar in types))
