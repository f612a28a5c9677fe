"""The Program: the one meeting point of all input languages (CUBA, section 2.1, and beyond).

This is the contract for front ends. A language translates its text into a Program and knows
nothing of what comes after; lowering takes a Program and knows nothing of the text.

A procedure is a control-flow graph. Control rests at *locations*; the edges that leave a location
are what a thread can do there, each atomically. A thread at a location with no enabled edge waits.

- `Step`: if the guard can be true, assign all right-hand sides at once, then keep only the results
  that satisfy the constraint.
- `Call` and `Return`: arguments and results are passed by value. The frame of the caller rests at
  the target of the call. A call of a procedure with results leads to a location whose only edge is
  a `Receive`, which takes them; nothing happens between the return and the receipt.
- `Assert`: if the condition can be false, the program can halt there, as a violation; if it can be
  true, control goes on.
- `Create`: from now on, the threads of the named types may start.
- `End`: the thread is over, whatever its stack.
- `Fork`: a new thread runs a procedure, and its identity is stored. `Join` waits until the thread
  that a variable names has ended; one that names nobody waits for ever.

A call that leads to the mere end of a procedure (no statement, no label, nothing but a `Return`
without values) is a tail call: the frame of the caller is left out of the stack.

Edges with target None return from a procedure without results at once: a procedure that falls off
its end needs no step of its own to do so.

*Atomic sections.* A location with `atomic` is never seen: a step that arrives there goes on, as
part of the same step, until the same activation of the procedure rests at a location that is not
atomic, or returns, or the thread ends or violates an assertion. Calls whose target is atomic are
run to their return within the step. A call whose target is not atomic ends the section: the callee
runs as usual. A path that blocks inside, or never leaves, does not exist, and neither does
anything on it.

*Values that are not there.* A variable that starts with any value, and one that is assigned a
`Choice`, gets its value when it is first read. What can be reached is the same as if it were
chosen at once.

*Forked threads* are as many as the program forks. `slots` turns a program with them into one
without, which can be lowered. A forked thread has ended when it has taken one more step after its
last return (QR, rule SEQEND).

*Limits.* An `Assert` of kind `limit` says that the translation has run out of something: a heap, an
array, threads. Nothing is known about runs beyond. So every question is asked together with the
question whether a limit can be reached; if one can, `raised` makes a larger translation, and as
long as a limit is reached, the answer is not «safe» and not «no deadlock». A path through an atomic
section that ends at a limit is not complete: what it passes does not count as reached.

*The scheduler lock.* Where a program names a global Boolean as `lock`, then while it is true only
the thread that made it true may run. Such a program has one thread of each type.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal, TypeGuard

from tepui.errors import ModelError
from tepui.program.expressions import TRUE, Expression, Variable
from tepui.program.types import INTEGER, Scalar
from tepui.records import field, record, replace

if TYPE_CHECKING:
    from tepui.assumption import Assumption
    from tepui.program.layout import Layout


@record
class Position:
    """A place in a source text; lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def short(self) -> str:
        """The same without folders."""
        from pathlib import PurePath

        return f"{PurePath(self.file).name}:{self.line}"


NOWHERE = Position("", 0, 0)


@record
class Location:
    """A place where control can rest: where in the source, under which labels, before what.

    `text` is the statement as the source has it, in one line. A location that stands for no
    statement of the source (the end of a procedure, the receipt of results) has none.
    """

    position: Position
    text: str = ""
    labels: tuple[str, ...] = ()
    atomic: bool = False


@record
class Element:
    """An element of an array, as the target of an assignment."""

    variable: Variable
    index: Expression


Target = Variable | Element


def variable_of(target: Target) -> Variable:
    """The variable that is assigned, or of which an element is."""
    return target.variable if isinstance(target, Element) else target


def scalar_of(target: Target) -> Scalar:
    """The type of what is assigned."""
    return variable_of(target).scalar


@record
class Assignment:
    """One of the assignments of a step."""

    target: Target
    value: Expression


@record
class Step:
    """Guarded parallel assignment. In `constraint`, `Read(x, after=True)` is the new value of x.

    Of several assignments to the same scalar, the last one counts.
    """

    source: int
    target: int | None
    guard: Expression = TRUE
    assignments: tuple[Assignment, ...] = ()
    constraint: Expression = TRUE


@record
class Call:
    """Call a procedure; the caller will go on at `target`."""

    source: int
    target: int
    procedure: str
    arguments: tuple[Expression, ...] = ()
    guard: Expression = TRUE


@record
class Receive:
    """Take the results of the call that has just returned; None ignores one of them."""

    source: int
    target: int | None
    targets: tuple[Target | None, ...]
    guard: Expression = TRUE


@record
class Return:
    """Leave the procedure, with as many values as it has results."""

    source: int
    values: tuple[Expression, ...] = ()
    guard: Expression = TRUE


ViolationKind = Literal["assertion", "exception", "bounds", "overflow", "division", "limit", "race"]
"""What it means that an assertion is violated. All but `limit` are errors of the program: that one
says that the translation has run out of something, so that nothing is known beyond."""


@record
class Assert:
    """Violated if the condition can be false.

    `message` says what is wrong then, in words, where the text of the statement does not.
    """

    source: int
    target: int | None
    condition: Expression
    guard: Expression = TRUE
    kind: ViolationKind = "assertion"
    message: str = ""


@record
class Create:
    """Let the threads of these types start (indices into `Program.threads`).

    `values` are, for each of these types, what its `inherited` variables start with.
    """

    source: int
    target: int | None
    threads: tuple[int, ...]
    values: tuple[tuple[Expression, ...], ...] = ()
    guard: Expression = TRUE


@record
class End:
    """The thread is over."""

    source: int
    guard: Expression = TRUE


@record
class Fork:
    """A new thread runs a procedure with these arguments; its results, if any, are lost.

    Its identity is stored in `variable`, a scalar of type `ThreadId`, or nowhere.
    """

    source: int
    target: int | None
    procedure: str
    arguments: tuple[Expression, ...] = ()
    variable: Target | None = None
    guard: Expression = TRUE


@record
class Join:
    """Wait until the thread that `thread`, a `Read` of a `ThreadId` variable, names has ended."""

    source: int
    target: int | None
    thread: Expression
    guard: Expression = TRUE


Edge = Step | Call | Receive | Return | Assert | Create | End | Fork | Join


def target_of(edge: Edge) -> int | None:
    """The location that an edge leads to; None if it leaves the procedure."""
    return None if isinstance(edge, Return | End) else edge.target


@record
class Procedure:
    """A procedure: its variables, its control-flow graph, and where it begins.

    `variables` are all local variables, parameters first. `edges` may be in any order; the order of
    those that leave one location is the order in which they are tried and listed.
    """

    name: str
    locations: tuple[Location, ...]
    edges: tuple[Edge, ...]
    variables: tuple[Variable, ...] = ()
    parameters: int = 0
    results: tuple[Scalar, ...] = ()
    entry: int = 0
    position: Position = NOWHERE

    @cached_property
    def leaving(self) -> tuple[tuple[Edge, ...], ...]:
        """For each location, the edges that leave it."""
        leaving: list[list[Edge]] = [[] for _ in self.locations]
        for edge in self.edges:
            leaving[edge.source].append(edge)
        return tuple(tuple(edges) for edges in leaving)

    @cached_property
    def statements(self) -> tuple[int, ...]:
        """For each location, where the statement begins to which it belongs: behind a check, a
        statement goes on at a location inside it, which has no text."""
        checked = {
            edge.target: edge.source
            for edge in self.edges
            if is_check(edge) and edge.target is not None and is_inside_statement(self, edge.target)
        }
        begins = []
        for number in range(len(self.locations)):
            passed = {number}
            while number in checked and checked[number] not in passed:
                number = checked[number]
                passed.add(number)
            begins.append(number)
        return tuple(begins)


def is_check(edge: Edge) -> TypeGuard[Assert]:
    """Whether an edge is an assertion that no user has written: what must hold before a statement
    can be executed."""
    return isinstance(edge, Assert) and edge.kind != "assertion"


def is_inside_statement(procedure: Procedure, number: int) -> bool:
    """Whether a location can be one at which a statement goes on behind a check."""
    location = procedure.locations[number]
    return location.atomic and not location.text and not location.labels


@record
class Thread:
    """A thread type: `count` equal threads that run a procedure from a location of it; None is any
    number of them.

    Threads that are `created` wait until a `Create` names their type. `inherited` are the local
    variables to which its values are given; all others start with their initial values.
    """

    name: str
    procedure: str
    count: int | None = 1
    created: bool = False
    start: int | None = None
    """Where to begin, if not at the entry of the procedure."""
    inherited: tuple[Variable, ...] = ()
    idle: Variable | None = None
    """A global variable: while it is 0, a thread that is where it begins is not stuck."""

    @property
    def size(self) -> int:
        """How many threads there are; a ModelError if any number is possible."""
        if self.count is None:
            from tepui.parameter_names import named  # The checker does without it.

            raise ModelError(
                f"there is any number of threads {self.name}, so there are infinitely many states: "
                f"{named('threads')} says how many threads there are"
            )
        return self.count

    @property
    def label(self) -> str:
        """Its name, with the number of threads if that is not 1."""
        if self.count is None:
            return f"{self.name} × any number"
        return self.name if self.count == 1 else f"{self.name} × {self.count}"


Raised = Callable[[frozenset[str]], "Program | None"]
"""Makes a larger translation of a source, given the messages of the limits that were reached. It
must have the same procedures with the same locations and assertions; variables, types, expressions
and numbers of threads may differ. None says that there is no larger one."""


@record
class Program:
    """A concurrent program.

    >>> tepui.load_program("examples/bluetooth1.bp")
    <Program bluetooth1: threads add, stop>
    """

    procedures: tuple[Procedure, ...]
    threads: tuple[Thread, ...]
    globals: tuple[Variable, ...] = ()
    lock: Variable | None = None
    name: str = "program"
    error_labels: tuple[str, ...] = ()
    """Labels that the program itself calls errors, besides its assertions."""
    warnings: tuple[str, ...] = field(default=(), compare=False)
    raised: Raised | None = field(default=None, compare=False)
    """Makes a larger translation of the same source, where some limits were reached."""
    samples: tuple[str, ...] = field(default=(), compare=False)
    """What `raised` takes to make translations that know fewer inputs: their violations are those
    of the program, and they prove nothing, since their limits are reached."""
    title: str = field(default="", compare=False)
    """What it is called in a headline, if not as the file that it comes from."""
    own_files: tuple[str, ...] = field(default=(), compare=False)
    """The files that its user has written, if others come from libraries."""
    unseen: frozenset[str] = field(default=frozenset(), compare=False)
    """The global variables that only say how libraries work, which nobody wants to see."""
    unraced: frozenset[str] = field(default=frozenset(), compare=False)
    """The global variables on which no threads race, such as those that a lock is made of."""
    asks_deadlock: bool = False
    """Whether it asks itself that there is no deadlock, besides its assertions."""
    refuses_races: bool = field(default=False, compare=False)
    """Whether accesses are left out that matter for data races."""
    assumptions: tuple[Assumption, ...] = field(default=(), compare=False)
    """What stands for something else in this translation, such as a model of a library."""
    raises: tuple[tuple[str, ...], ...] = field(default=(), compare=False)
    """The limits that were raised, one time after another, to get this translation."""

    made_by: ClassVar[str | None] = None
    """The pass that made it from another program; None if it is as it was written."""

    @property
    def as_written(self) -> Program:
        """The program as it was written."""
        return self

    @cached_property
    def by_name(self) -> dict[str, Procedure]:
        return {procedure.name: procedure for procedure in self.procedures}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """For each procedure, by name, its place in `procedures`."""
        return {procedure.name: number for number, procedure in enumerate(self.procedures)}

    @cached_property
    def thread_types(self) -> tuple[int, ...]:
        """For each thread, its type (an index into `threads`)."""
        return tuple(
            number for number, thread in enumerate(self.threads) for _ in range(thread.size)
        )

    @property
    def any_number(self) -> tuple[str, ...]:
        """The types of which there is any number of threads, by name."""
        return tuple(thread.name for thread in self.threads if thread.count is None)

    @cached_property
    def integers(self) -> tuple[Variable, ...]:
        """The variables that are integers without bounds."""
        local = (each for procedure in self.procedures for each in procedure.variables)
        return tuple(each for each in (*self.globals, *local) if each.scalar == INTEGER)

    @cached_property
    def is_open(self) -> bool:
        """Whether it has no system of its own: there is any number of threads of some type, or
        there are integers without bounds. Its instances have systems."""
        return bool(self.any_number) or self.has_integers

    @cached_property
    def has_integers(self) -> bool:
        """Whether there are integers without bounds."""
        return bool(self.integers) or any(INTEGER in each.results for each in self.procedures)

    @cached_property
    def layout(self) -> Layout:
        """Which numbers describe its states."""
        from tepui.program.layout import Layout

        return Layout(self)

    def larger(self, limits: Iterable[str]) -> Program | None:
        """The translation of the same source with some limits raised, if there is one; a
        ModelError if its places are others."""
        names = tuple(sorted(set(limits)))
        found = None if self.raised is None else self.raised(frozenset(names))
        if found is None:
            return None
        if list(map(_places, found.procedures)) != list(map(_places, self.procedures)):
            raise ModelError(f"{self.name}: a larger translation has other places than the first")
        return replace(found, raises=(*self.raises, names))

    @cached_property
    def forks(self) -> bool:
        """Whether threads are forked or joined."""
        return any(
            isinstance(edge, Fork | Join)
            for procedure in self.procedures
            for edge in procedure.edges
        )

    def __repr__(self) -> str:
        return f"<Program {self.name}: threads {', '.join(each.label for each in self.threads)}>"

    def procedure_of(self, thread: Thread) -> Procedure:
        return self.by_name[thread.procedure]

    def _repr_html_(self) -> str | None:
        from tepui.report.pictures.program_graphs import call_graph

        return call_graph(self)._repr_html_()


def _places(procedure: Procedure) -> tuple[object, ...]:
    """All that questions and stories may name in a procedure."""
    asserts = [edge for edge in procedure.edges if isinstance(edge, Assert)]
    kinds = [(edge.source, edge.kind) for edge in asserts]
    return procedure.name, procedure.locations, kinds


def thread_names(program: Program) -> tuple[str, ...]:
    """The names of all threads: those of one type are numbered from 1. Any number of them has one
    name."""
    return tuple(
        thread.name if thread.count in (1, None) else f"{thread.name}.{number}"
        for thread in program.threads
        for number in range(1, (thread.count or 1) + 1)
    )


@record
class Derived(Program, ABC):
    """A program that a pass made from another one. Tables say, by the name of the pass, how the
    checker makes sure of it, and how it is described to people."""

    original: Program = field(kw_only=True)

    @property
    def as_written(self) -> Program:
        return self.original.as_written

    @property
    def lack_points(self) -> list[int]:
        """The violations at which this program stops and the original goes on: something that it
        needs is not there."""
        return []

    @abstractmethod
    def point(self, original: int) -> int:
        """A point of the original program in this one."""


def refuse_integers(program: Program) -> None:
    """A ModelError if a program has integers without bounds: it has no finite states."""
    for variable in program.integers:
        owner = "" if variable.procedure is None else f" of {variable.procedure}"
        place = variable.position
        where = f"{place}:{place.column}" if place else program.name
        raise ModelError(_without_bounds(where, f"{variable.name}{owner}"))
    for procedure in program.procedures:
        if INTEGER in procedure.results:
            raise ModelError(_without_bounds(program.name, f"the result of {procedure.name}"))


def _without_bounds(where: str, what: str) -> str:
    from tepui.parameter_names import named  # The checker does without it.

    return (
        f"{where}: {what} is an integer without bounds, so there are infinitely many states: give "
        f"it bounds, as in 'int 0..7'. Without bounds, {named('verify')} answers about assertions "
        "and places, and dataflow in the domain affine finds the relations that hold"
    )


def refuse_forks(program: Program) -> None:
    """A ModelError if a program forks or joins threads: without slots, their number is
    unbounded."""
    if program.forks:
        raise ModelError(
            f"{program.name} forks threads, as many as it likes, so it is not one system: `verify` "
            "and `explore` find out how many slots they need, and "
            "`tepui.program.passes.slots.with_slots` gives them some"
        )


def refuse_limits(program: Program) -> None:
    """A ModelError if the translation has limits: what holds up to there may not hold beyond."""
    if program.layout.limits:
        raise ModelError(
            f"{program.name} is translated up to limits, and only `verify` and `explore` say what "
            "they mean for an answer"
        )
