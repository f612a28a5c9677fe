"""Builders with which front ends make a Program: they number, patch, mark and validate.

A ProcedureBuilder makes the control-flow graph of one procedure. Edges are those of the contract
(`program`), between *places*: a place can be named before its position is known, and becomes a
location when control `rest`s there. Locations are numbered in the order of the calls of `rest`, and
a procedure begins at the first. Whatever leads to `end` falls off the end of the procedure.

A ProgramBuilder takes the procedures, and the threads that `run` from the start. Threads that are
created need no types: a creation that may happen more than once becomes a Fork, every other one a
Create of a thread type. The result keeps the promises of the contract.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import NewType

from tepui.errors import ModelError
from tepui.program.calls import called_by, forked_by
from tepui.program.drafts.draft import Creation, Draft, Drafts, Refuse
from tepui.program.drafts.executions import repeated_creations
from tepui.program.drafts.forks import Inherited, fork_creations, inherited_variables
from tepui.program.drafts.sections import mark_sections
from tepui.program.drafts.thread_types import thread_types
from tepui.program.expressions import TRUE, Choice, Expression, Variable, either
from tepui.program.passes.receipts import with_harmless_receipts
from tepui.program.passes.unused_results import without_lost_results
from tepui.program.program import (
    NOWHERE,
    Call,
    Create,
    Edge,
    Location,
    Position,
    Program,
    Receive,
    Return,
    Step,
    Target,
    Thread,
    target_of,
)
from tepui.program.types import Scalar
from tepui.program.validate import validate
from tepui.program.walk import with_ends
from tepui.records import replace
from tepui.words import did_you_mean

Place = NewType("Place", int)
"""Where control can rest, as a builder numbers it: not the number of the location."""


class ProcedureBuilder:
    """Makes the control-flow graph of a procedure."""

    def __init__(
        self,
        name: str,
        parameters: Iterable[Variable] = (),
        locals: Iterable[Variable] = (),  # noqa: A002 - as the contract calls them
        results: Iterable[Scalar] = (),
        position: Position = NOWHERE,
        last: Position = NOWHERE,
    ) -> None:
        self.name = name
        self._parameters = tuple(parameters)
        self._locals = tuple(locals)
        self._results = tuple(results)
        self._position = position
        self._last = last
        """Where the text of the procedure ends."""
        self._places = 0
        self._locations: list[Location] = []
        self._edges: list[Edge] = []
        self._numbers: dict[int, int] = {}
        self._wanted: dict[str, Place] = {}
        self._labelled: dict[str, list[Place]] = {}
        self._landings: list[tuple[Place, Place, Place]] = []
        self._creations: dict[Place, tuple[Creation, ...]] = {}
        self._begins: list[Place] = []
        self._ends: list[Place] = []
        self._depth = 0
        self.end = self.place()

    def place(self) -> Place:
        """A place at which control will rest."""
        self._places += 1
        return Place(self._places)

    def label(self, name: str) -> Place:
        """The place that has a label, wherever it is."""
        if name not in self._wanted:
            self._wanted[name] = self.place()
        return self._wanted[name]

    def local(self, type_: Scalar) -> Variable:
        """A new local variable, for what no variable of the text keeps."""
        variable = Variable(f"kept.{len(self._locals)}", type_, self.name)
        self._locals += (variable,)
        return variable

    def rest(
        self,
        position: Position = NOWHERE,
        text: str = "",
        labels: Sequence[str] = (),
        *,
        at: Place | None = None,
        atomic: bool = False,
    ) -> Place:
        """The next location: a place, a new one if none is given, at which control rests."""
        place = self.place() if at is None else at
        if place in self._numbers or place == self.end:
            raise self._mistake("control already rests at a place")
        self._numbers[place] = len(self._locations)
        for label in labels:
            self._labelled.setdefault(label, []).append(place)
        inside = atomic or self._depth > 0
        self._locations.append(Location(position, text, tuple(labels), inside))
        return place

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """An atomic section: everything that rests while it is open is inside."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def add(self, edge: Edge) -> None:
        """An edge between places; calls and creations of threads have methods of their own."""
        if isinstance(edge, Create):
            raise self._mistake("threads are created by `create`, which knows no types")
        self._edges.append(edge)

    def branch(self, source: Place, condition: Expression, then: Place, otherwise: Place) -> None:
        """Two steps: a condition decides which of them is allowed."""
        yes, no = either(condition)
        self.add(Step(source, then, yes))
        self.add(Step(source, otherwise, no))

    def call(
        self,
        source: Place,
        target: Place,
        procedure: str,
        arguments: tuple[Expression, ...] = (),
        results: tuple[Target | None, ...] = (),
        guard: Expression = TRUE,
    ) -> None:
        """Call a procedure; `results` says where each of its results goes, or None."""
        if source not in self._numbers:
            raise self._mistake("a call leaves a place at which control does not rest yet")
        back = target
        if results:
            back = self.rest(self._locations[self._numbers[source]].position)
            self.add(Receive(back, target, results))
        elif self._depth > 0:
            # The call must come back to a place inside, or it would end the section.
            back = self.place()
            self._landings.append((source, back, target))
        self.add(Call(source, back, procedure, arguments, guard))

    def create(self, source: Place, target: Place, creations: Iterable[Creation]) -> None:
        """Create threads, all of them in one step. Nothing else can be done at that place."""
        if source in self._creations:
            raise self._mistake("threads are created twice at one place")
        self._creations[source] = tuple(creations)
        self._edges.append(Create(source, target, ()))

    def begin_atomic(self, source: Place, target: Place) -> None:
        """A step after which an atomic section begins, on all paths, up to `end_atomic`."""
        self._begins.append(source)
        self.add(Step(source, target))

    def end_atomic(self, source: Place, target: Place) -> None:
        """The last step of an atomic section."""
        self._ends.append(source)
        self.add(Step(source, target))

    def draft(self) -> Draft:
        """The graph, with numbers for all places."""
        numbers = dict(self._numbers)
        for name, place in self._wanted.items():
            numbers[place] = numbers[self._only(name)]
        locations, edges = list(self._locations), list(self._edges)
        for source, landing, target in self._landings:
            number = numbers.get(target)
            if number is None or not locations[number].atomic:
                number = len(locations)
                locations.append(Location(locations[numbers[source]].position, atomic=True))
                edges.append(Step(landing, target))
            numbers[landing] = number
        end = self._needed_end(locations, edges)
        if end is not None:
            locations.append(Location(self._last))
        moved = [self._between(numbers, end, edge) for edge in edges]
        if end is not None:
            moved.append(Return(end, tuple(map(Choice, self._results))))
        creations = {
            numbers[place]: tuple(self._started(numbers, creation) for creation in some)
            for place, some in self._creations.items()
        }
        return Draft(
            self.name,
            self._parameters,
            self._locals,
            self._results,
            self._position,
            locations,
            sorted(moved, key=lambda edge: edge.source),
            creations,
            {numbers[place] for place in self._begins},
            {numbers[place] for place in self._ends},
            end,
        )

    def _only(self, label: str) -> Place:
        places = self._labelled.get(label, [])
        if len(places) != 1:
            raise self._mistake(f"{len(places)} places have the label {label}, expected one")
        return places[0]

    def _needed_end(self, locations: Sequence[Location], edges: Sequence[Edge]) -> int | None:
        """The number of the end, if it has to be a location. Falling off the end is no step of its
        own, but a call must have a place to come back to, and results need a place where they are
        returned."""
        falling = [edge for edge in edges if target_of(edge) == self.end]
        returning = falling if self._results else [e for e in falling if isinstance(e, Call)]
        return len(locations) if returning or not locations else None

    def _between(self, numbers: dict[int, int], end: int | None, edge: Edge) -> Edge:
        """An edge between locations."""
        place, target = target_of(edge), None
        if place == self.end:
            target = end if self._results or isinstance(edge, Call) else None
        elif place is not None:
            target = numbers.get(place)
            if target is None:
                raise self._mistake("an edge leads to a place at which control never rests")
        if edge.source not in numbers:
            raise self._mistake("an edge leaves a place at which control never rests")
        return with_ends(edge, numbers[edge.source], target)

    def _started(self, numbers: dict[int, int], creation: Creation) -> Creation:
        """A creation with the location of its label."""
        if not creation.label:
            return creation
        return replace(creation, start=numbers[self._only(creation.label)])

    def _mistake(self, problem: str) -> ModelError:
        return ModelError(f"procedure {self.name}: {problem}")


def _refused(position: Position, message: str) -> Exception:
    return ModelError(message if position == NOWHERE else f"{position}: {message}")


class ProgramBuilder:
    """Makes a Program from procedures and from threads that run from the start.

    For a mistake in the user's text, the error that `refuse` makes is raised.
    """

    def __init__(
        self,
        name: str,
        globals: Iterable[Variable] = (),  # noqa: A002 - as the contract calls them
        *,
        lock: Variable | None = None,
        error_labels: tuple[str, ...] = (),
        warnings: tuple[str, ...] = (),
        refuse: Refuse = _refused,
    ) -> None:
        self.drafts: Drafts = {}
        self._name = name
        self._globals = tuple(globals)
        self._lock = lock
        self._error_labels = error_labels
        self._warnings = warnings
        self._refuse = refuse
        self._named: list[Thread] = []
        self._run: list[Creation] = []
        self._inherited: Inherited | None = None

    def add(self, draft: Draft) -> None:
        """A procedure."""
        if draft.name in self.drafts:
            raise ModelError(f"two procedures have the name {draft.name}")
        self.drafts[draft.name] = draft

    def run(self, procedure: str, *arguments: Expression, count: int = 1) -> None:
        """Equal threads that run from the start."""
        self._run.append(Creation(procedure, arguments, count))

    def run_named(self, name: str, procedure: str, count: int = 1) -> None:
        """The same without arguments, and with a name of their own instead of a derived one."""
        self._named.append(Thread(name, procedure, count))

    def settle_creations(self) -> None:
        """Turn creations into forks, where threads are created more than once or know other
        threads."""
        self._check_procedures()
        for draft in self.drafts.values():
            mark_sections(draft, self._refuse)
        named = [Creation(thread.procedure, count=thread.count) for thread in self._named]
        repeated = repeated_creations(self.drafts, [*named, *self._run])
        for name, location in sorted(repeated):
            for creation in self.drafts[name].creations[location]:
                if creation.count is None:
                    message = "any number of threads is created once: nobody could tell more apart"
                    raise self._refuse(creation.position, message)
        self._inherited = inherited_variables(self.drafts)
        fork_creations(self.drafts, self._inherited, repeated)

    def leave_out(self, procedure: str) -> None:
        """Remove a procedure that does nothing but create threads: these run from the start."""
        self._named = [thread for thread in self._named if thread.procedure != procedure]
        self._run += self.drafts.pop(procedure).all_creations()

    @cached_property
    def threads(self) -> tuple[Thread, ...]:
        """All thread types, after all creations are resolved."""
        if self._inherited is None:
            self.settle_creations()
        assert self._inherited is not None
        return thread_types(self.drafts, self._named, self._run, self._inherited, self._refuse)

    def finish(self) -> Program:
        """The Program, or a ModelError if it breaks the contract."""
        threads = self.threads
        program = without_lost_results(
            Program(
                tuple(draft.procedure() for draft in self.drafts.values()),
                threads,
                self._globals,
                self._lock,
                self._name,
                self._error_labels,
                self._warnings,
            )
        )
        validate(program)
        return with_harmless_receipts(program)

    def _check_procedures(self) -> None:
        edges = [edge for draft in self.drafts.values() for edge in draft.edges]
        creations = [each for draft in self.drafts.values() for each in draft.all_creations()]
        run = {each.procedure for each in (*self._run, *creations)}
        run |= {thread.procedure for thread in self._named}
        for name in sorted(run | called_by(edges) | forked_by(edges)):
            if name not in self.drafts:
                hint = did_you_mean(name, self.drafts)
                raise ModelError(f"{self._name}: there is no procedure {name} to run{hint}")
        for each in self._run:
            wanted = len(self.drafts[each.procedure].parameters)
            if len(each.arguments) != wanted:
                raise ModelError(
                    f"{self._name}: a thread passes {len(each.arguments)} values, "
                    f"{each.procedure} has parameters: {wanted}"
                )
