"""The threads of a program as pushdown rules that assign affine forms to variables.

All data is in the weights. A pushdown state says only whether a thread is inside an atomic section
(`held`), whether a result was returned and not yet received (`full`), and which threads were
created. Threads are observed only where no thread holds a section, and another thread may run only
where nothing is full either. A symbol is a point of the program and whether its frame was called
*inside* a section: such frames run to their end in it, and return into it (see
`tepui.program.program`).

Conditions are not interpreted (WPDS, section 4.2.1): every edge can be taken unless its guard is
the constant false. The scheduler lock is a condition, too. Elements of arrays and identities of
threads take no part, and a value that is assigned from them is unknown.

Local variables are variables of their thread. Each variable of a procedure appears once, for its
newest activation, and gets its initial value with every call. If a procedure is recursive, the
activation to which a return leads back has lost its values: they become unknown, which is sound. A
variable that is never read again becomes 0, so that spaces stay small, unless it is to be `shown`.
With `merging`, calls are rules that merge (appendix B.2), and every activation keeps its values;
arguments are then handed over in variables of their own, because a merge forgets what was local.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import Enum
from typing import NamedTuple

from tepui.program.calls import with_all_called
from tepui.program.expressions import Choice, Constant, Expression, Variable
from tepui.program.liveness import live_variables
from tepui.program.program import (
    Assert,
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
    target_of,
)
from tepui.program.types import Array, Scalar, ThreadId
from tepui.program.walk import created_by
from tepui.records import record
from tepui.weighted.dataflow.affine_forms import (
    ZERO,
    Form,
    Forms,
    Key,
    Range,
    range_of,
    variable_form,
)

MOST_CREATED = 32
"""If more sets of created threads are possible, all threads count as created from the start."""


class State(NamedTuple):
    """A pushdown state."""

    held: bool
    full: bool
    created: frozenset[int]

    @property
    def is_seen(self) -> bool:
        """Whether all threads are outside of atomic sections."""
        return not self.held

    @property
    def may_switch(self) -> bool:
        """Whether another thread may run."""
        return not self.held and not self.full


@record
class At:
    """A stack symbol: a frame at a point, and whether it was called inside a section."""

    point: int
    inside: bool = False


@record
class Calling:
    """A stack symbol: a frame about to make a call, its arguments evaluated."""

    point: int
    inside: bool
    number: int
    """The number of the edge, among those that leave the point."""


@record
class Starting:
    """A stack symbol: a procedure about to take its arguments."""

    procedure: int
    inside: bool


@record
class Waiting:
    """A stack symbol: a thread that waits for its creation."""

    kind: int


Symbol = At | Calling | Starting | Waiting


class Unknown(Enum):
    """Why a variable gets an unknown value."""

    CHOSEN = "the program says that it may be any"
    NOT_AFFINE = "what is assigned is not affine"
    OUTSIDE = "what is assigned may be outside the range"
    LOST = "a recursive call has come between"


Assigned = dict[Key, Form | Unknown]
"""The assignments of a rule."""


@record
class Local:
    """A local variable of a thread."""

    thread: int
    variable: Variable


@record
class Hidden:
    """A place where a result, an argument or an inherited value waits until it is received."""

    kind: str
    number: int
    owner: int = 0


class Move(NamedTuple):
    """A rule ⟨state, symbol⟩ → ⟨target, word⟩ that assigns."""

    state: State
    symbol: Symbol
    target: State
    word: tuple[Symbol, ...]
    assigned: Assigned
    merges: bool = False
    point: int | None = None
    """Where it starts, for messages."""


def takes_part(variable: Variable) -> bool:
    """Whether a variable is one of the analysis."""
    return not isinstance(variable.type, Array | ThreadId)


def created_sets(program: Program) -> tuple[frozenset[int], ...]:
    """The sets of threads that may have been created at some time; the initial set comes first."""
    made = {
        frozenset(edge.threads)
        for procedure in program.procedures
        for edge in procedure.edges
        if isinstance(edge, Create)
    }
    sets: dict[frozenset[int], None] = {frozenset(): None}
    for each in sorted(made, key=sorted):
        sets.update({known | each: None for known in sets})
        if len(sets) > MOST_CREATED:
            return (frozenset(range(len(program.threads))),)
    return tuple(sets)


class Moves:
    """The moves of one thread of a program."""

    def __init__(
        self,
        program: Program,
        thread: int,
        modulus: int | None,
        shown: Collection[Key],
        *,
        merging: bool,
    ) -> None:
        self._program = program
        self._layout = program.layout
        self._thread = thread
        self._kind = program.thread_types[thread]
        self._shown = shown
        self._merging = merging
        self._forms = Forms(self.key, self.range, modulus)
        self._created = created_sets(program)
        self._results = _result_ranges(program)
        self._live = [live_variables(procedure) for procedure in program.procedures]

    def key(self, variable: Variable) -> Key | None:
        """The key of a variable, as this thread sees it."""
        if not takes_part(variable):
            return None
        return variable if variable.procedure is None else Local(self._thread, variable)

    def range(self, key: Key) -> Range:
        """The range of a variable."""
        match key:
            case Variable():
                return range_of(key.scalar)
            case Local():
                return range_of(key.variable.scalar)
            case Hidden(kind="result"):
                return self._results[key.number]
        return Range(None, None)

    def start(self) -> Symbol:
        """What is on the stack at the start."""
        if self._program.threads[self._kind].created:
            return Waiting(self._kind)
        return At(self._start_point())

    def initial(self) -> Assigned:
        """The initial values of the thread's local variables; variables that are not listed are not
        read."""
        if self._program.threads[self._kind].created:
            return {}
        return self._fresh(self._program.procedure_of(self._program.threads[self._kind]))

    def all(self) -> Iterator[Move]:
        """Every move of the thread."""
        if self._program.threads[self._kind].created:
            yield from self._begin()
        usual, inside = self._run()
        for number in usual:
            yield from self._procedure(number, inside=False)
        for number in inside:
            yield from self._procedure(number, inside=True)

    def _run(self) -> tuple[list[int], list[int]]:
        """The procedures that run outside of sections, and those that run inside."""
        procedures = self._program.procedures
        start = self._program.numbers[self._program.threads[self._kind].procedure]
        usual = with_all_called(
            self._program,
            [start],
            lambda caller, call: not procedures[caller].locations[call.target].atomic,
        )
        called = {
            self._program.numbers[edge.procedure]
            for number in usual
            for edge in procedures[number].edges
            if isinstance(edge, Call) and procedures[number].locations[edge.target].atomic
        }
        return usual, with_all_called(self._program, called)

    def _begin(self) -> Iterator[Move]:
        """A waiting thread starts once it has been created."""
        thread = self._program.threads[self._kind]
        assigned = self._fresh(self._program.procedure_of(thread))
        for number, variable in enumerate(thread.inherited):
            key = self.key(variable)
            if key is not None:
                assigned[key] = variable_form(Hidden("inherited", number, self._kind))
        for created in self._created:
            if self._kind in created:
                state = State(False, False, created)
                yield Move(state, Waiting(self._kind), state, (At(self._start_point()),), assigned)

    def _start_point(self) -> int:
        thread = self._program.threads[self._kind]
        procedure = self._program.procedure_of(thread)
        start = procedure.entry if thread.start is None else thread.start
        return self._layout.point(self._program.numbers[thread.procedure], start)

    def _procedure(self, number: int, *, inside: bool) -> Iterator[Move]:
        procedure = self._program.procedures[number]
        if self._merging:
            yield from self._take_arguments(number, inside=inside)
        for edges in procedure.leaving:
            for place, edge in enumerate(edges):
                if edge.guard != Constant(0):
                    yield from self._edge(number, place, edge, inside=inside)

    def _edge(self, number: int, place: int, edge: Edge, *, inside: bool) -> Iterator[Move]:
        procedure = self._program.procedures[number]
        point = self._layout.point(number, edge.source)
        held = inside or procedure.locations[edge.source].atomic
        for created in self._created:
            state = State(held, isinstance(edge, Receive), created)
            if isinstance(edge, Call):
                yield from self._call(number, place, edge, state, inside=inside)
                continue
            target = target_of(edge)
            assigned = self._effect(procedure, edge)
            assigned |= self._leaving(number) if target is None else self._dead(number, target)
            after = State(
                inside or (target is not None and procedure.locations[target].atomic),
                isinstance(edge, Return) and bool(procedure.results),
                created | frozenset(edge.threads) if isinstance(edge, Create) else created,
            )
            if after.created in self._created:
                word = () if target is None else (At(self._layout.point(number, target), inside),)
                yield Move(state, At(point, inside), after, word, assigned, point=point)

    def _call(
        self, number: int, place: int, edge: Call, state: State, *, inside: bool
    ) -> Iterator[Move]:
        procedure = self._program.procedures[number]
        callee = self._program.numbers[edge.procedure]
        called = self._program.procedures[callee]
        point = self._layout.point(number, edge.source)
        held = inside or procedure.locations[edge.target].atomic
        after = state._replace(held=held)
        tail = self._layout.is_tail_call(number, edge)
        below = () if tail else (At(self._layout.point(number, edge.target), inside),)
        arguments = self._arguments(called, edge)
        if not self._merging:
            assigned = self._leaving(number) if tail else self._dead(number, edge.target)
            assigned |= self._fresh(called)
            given = zip(called.variables, arguments, strict=False)
            assigned |= {key: form for v, form in given if (key := self.key(v)) is not None}
            assigned |= self._dead(callee, called.entry)
            entry = At(self._layout.point(callee, called.entry), held)
            yield Move(state, At(point, inside), after, (entry, *below), assigned, point=point)
            return
        handed: Assigned = {Hidden("argument", n): form for n, form in enumerate(arguments)}
        handed |= self._dead(number, edge.target)
        calling = Calling(point, inside, place)
        yield Move(state, At(point, inside), state, (calling,), handed, point=point)
        word = (Starting(callee, held), *below)
        yield Move(state, calling, after, word, {}, merges=not tail, point=point)

    def _take_arguments(self, number: int, *, inside: bool) -> Iterator[Move]:
        procedure = self._program.procedures[number]
        assigned = self._fresh(procedure)
        for place, variable in enumerate(procedure.variables[: procedure.parameters]):
            argument = Hidden("argument", place)
            assigned[argument] = ZERO
            key = self.key(variable)
            if key is not None:
                assigned[key] = variable_form(argument)
        assigned |= self._dead(number, procedure.entry)
        entry = At(self._layout.point(number, procedure.entry), inside)
        for created in self._created:
            state = State(inside, False, created)
            yield Move(state, Starting(number, inside), state, (entry,), assigned)

    def _arguments(self, called: Procedure, edge: Call) -> list[Form | Unknown]:
        return [
            self._given(argument, parameter.scalar)
            for argument, parameter in zip(edge.arguments, called.variables, strict=False)
        ]

    def _fresh(self, procedure: Procedure) -> Assigned:
        """The values of local variables when a procedure begins."""
        return {
            key: Unknown.CHOSEN if variable.initial is None else Form(variable.initial, {})
            for variable in procedure.variables
            if (key := self.key(variable)) is not None
        }

    def _dead(self, number: int, location: int) -> Assigned:
        """The local variables that are never read after a location."""
        return {
            key: ZERO
            for variable in self._program.procedures[number].variables
            if variable not in self._live[number][location]
            and (key := self.key(variable)) is not None
            and key not in self._shown
        }

    def _leaving(self, number: int) -> Assigned:
        """The values of local variables after a procedure is left. They are not read any more,
        unless another activation is on the stack; then its values are lost."""
        again = [] if self._merging else self._recursive_with(number)
        return {
            key: Unknown.LOST if again and self._is_read_after_calls(each, variable) else ZERO
            for each in (again or [number])
            for variable in self._program.procedures[each].variables
            if (key := self.key(variable)) is not None
        }

    def _is_read_after_calls(self, number: int, variable: Variable) -> bool:
        return self.key(variable) in self._shown or any(
            variable in self._live[number][edge.target]
            for edge in self._program.procedures[number].edges
            if isinstance(edge, Call)
        )

    def _recursive_with(self, number: int) -> list[int]:
        """The procedures that call this one and are called by it, directly or not; none if it is
        not recursive."""
        program = self._program
        called = {
            program.numbers[edge.procedure]
            for edge in program.procedures[number].edges
            if isinstance(edge, Call)
        }
        below = with_all_called(program, called)
        if number not in below:
            return []
        return [each for each in below if number in with_all_called(program, [each])]

    def _effect(self, procedure: Procedure, edge: Edge) -> Assigned:
        """The assignments of an edge that is not a call."""
        match edge:
            case Step():
                pairs = [(one.target, one.value) for one in edge.assignments]
                return {
                    key: self._given(value, target.scalar)
                    for target, value in pairs
                    if isinstance(target, Variable) and (key := self.key(target)) is not None
                }
            case Receive():
                return self._received(edge)
            case Return():
                return {
                    Hidden("result", place): self._given(value, scalar)
                    for place, (value, scalar) in enumerate(
                        zip(edge.values, procedure.results, strict=True)
                    )
                }
            case Create():
                return self._inherited(edge)
            case Assert() | End():
                return {}
            case Call() | Fork() | Join():
                raise AssertionError("calls are no effects, and forks were refused")

    def _received(self, edge: Receive) -> Assigned:
        assigned: Assigned = {Hidden("result", n): ZERO for n in range(len(edge.targets))}
        for place, target in enumerate(edge.targets):
            key = None if target is None else self._target(target)
            if key is not None and isinstance(target, Variable):
                result = variable_form(Hidden("result", place))
                kept = self._forms.assigned(result, target.scalar)
                assigned[key] = Unknown.OUTSIDE if kept is None else kept
        return assigned

    def _inherited(self, edge: Create) -> Assigned:
        threads = self._program.threads
        return {
            Hidden("inherited", place, kind): self._given(value, variable.scalar)
            for kind, given in created_by(edge)
            for place, (variable, value) in enumerate(
                zip(threads[kind].inherited, given, strict=True)
            )
        }

    def _target(self, target: Target) -> Key | None:
        return None if isinstance(target, Element) else self.key(target)

    def _given(self, value: Expression, scalar: Scalar) -> Form | Unknown:
        if isinstance(value, Choice):
            return Unknown.CHOSEN
        form = self._forms.of(value)
        if form is None:
            return Unknown.NOT_AFFINE
        return self._forms.assigned(form, scalar) or Unknown.OUTSIDE


def _result_ranges(program: Program) -> list[Range]:
    """The range of each place of a result, over all procedures."""
    results = [procedure.results for procedure in program.procedures]
    return [
        _covering([range_of(result[place]) for result in results if place < len(result)])
        for place in range(max(map(len, results), default=0))
    ]


def _covering(ranges: list[Range]) -> Range:
    lows = [low for low, _ in ranges if low is not None]
    highs = [high for _, high in ranges if high is not None]
    if len(lows) < len(ranges) or len(highs) < len(ranges):
        return Range(None, None)
    return Range(min(lows), max(highs))
