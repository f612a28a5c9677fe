"""What one edge does, taken alone (see `meaning`): neither atomic sections nor the scheduler lock.

A move is one way to take an edge: the shared state after it, and the frames that take the place of
the frame it starts from. Each edge is evaluated by itself, from the same state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, assert_never

from tepui.program.layout import (
    Frame,
    Layout,
    SharedState,
    Value,
    in_normal_form,
    numbered,
)
from tepui.program.program import (
    Assert,
    Assignment,
    Call,
    Create,
    Edge,
    End,
    Fork,
    Join,
    Receive,
    Return,
    Step,
    Target,
    target_of,
)
from tepui.program.semantics.evaluation import (
    Evaluation,
    Store,
    ValuesOf,
    stored,
    values_of,
)
from tepui.program.semantics.forks import Forked, Registers
from tepui.program.semantics.resting import Resting
from tepui.program.walk import created_by

Word = tuple[Frame, ...]
"""Frames, top first."""

Configuration = tuple[SharedState, Word]
"""A shared state, and the frames that a rule puts in the place of one."""


class Move(NamedTuple):
    """One way to take an edge."""

    edge: Edge
    shared: SharedState
    word: Word


class Moves(Protocol):
    """What gives the moves from a frame, for the thread with an identity: `Edges`, or something
    derived from it."""

    def moves(self, shared: SharedState, frame: Frame, own: int) -> Iterator[Move]: ...

    def without_results(self, shared: SharedState) -> SharedState: ...


class OwnMoves(NamedTuple):
    """The moves of one thread."""

    edges: Moves
    own: int

    def moves(self, shared: SharedState, frame: Frame) -> Iterator[Move]:
        return self.edges.moves(shared, frame, self.own)


class Edges:
    """Takes the edges of a program."""

    def __init__(
        self,
        layout: Layout,
        resting: Resting,
        registers: Registers,
        *,
        choose: bool = False,
        share: bool = True,
        values: ValuesOf = values_of,
    ) -> None:
        self._layout = layout
        self._registers = registers
        self._choose = choose
        """Whether a variable that is assigned a choice gets its value at once."""
        self._share = share and not choose and layout.copies
        """Whether a copy of a variable without a value gets the same value later."""
        self._resting = resting
        procedures = range(len(layout.program.procedures))
        self._evaluations = [Evaluation(layout, procedure, values) for procedure in procedures]
        self._leaving: list[list[tuple[Edge, int]]] = [[] for _ in layout.locations]
        """For each point, its edges, each with the point of its violation if it is an assertion."""
        violation = layout.violation(0)
        for number, procedure in enumerate(layout.program.procedures):
            for edge in procedure.edges:
                self._leaving[layout.point(number, edge.source)].append((edge, violation))
                violation += isinstance(edge, Assert)

    def moves(self, shared: SharedState, frame: Frame, own: int) -> Iterator[Move]:
        """Every way to take every edge that leaves the location of a frame."""
        full = "full" in self._layout.hidden and shared[self._layout.hidden["full"]] == 1
        procedure, _ = self._layout.locations[frame.point]
        store = Store(numbered(shared) + numbered(frame.values, len(shared)), own=own)
        for edge, violation in self._leaving[frame.point]:
            if isinstance(edge, Receive) == full:
                for enabled in self._evaluations[procedure].holding(edge.guard, store):
                    yield from self._take(procedure, edge, violation, enabled)

    def without_results(self, shared: SharedState) -> SharedState:
        """The shared state after results were lost."""
        return self._with_results(Store(shared), full=0, values=()).result()

    def _take(self, procedure: int, edge: Edge, violation: int, store: Store) -> Iterator[Move]:
        match edge:
            case Step():
                stores = self._step(procedure, edge, store)
            case Call():
                yield from self._call(procedure, edge, store)
                return
            case Receive():
                stores = self._receive(procedure, edge, store)
            case Return():
                stores = self._return(procedure, edge, store)
            case Assert():
                yield from self._assert(procedure, edge, violation, store)
                return
            case Create():
                stores = self._create(procedure, edge, store)
            case End():
                stores = iter([store])
            case Fork():
                stores = self._fork(procedure, edge, store)
            case Join():
                stores = self._join(procedure, edge, store)
            case _:
                assert_never(edge)
        target = target_of(edge)
        for after in stores:
            yield self._going_to(procedure, edge, target, after)

    def _step(self, procedure: int, edge: Step, store: Store) -> Iterator[Store]:
        for after in self._assign(procedure, edge.assignments, store):
            yield from self._evaluations[procedure].holding(edge.constraint, after)

    def _assign(
        self, procedure: int, assignments: Sequence[Assignment], store: Store
    ) -> Iterator[Store]:
        if not assignments:
            yield store
            return
        evaluation, first = self._evaluations[procedure], assignments[0]
        for address, decided in evaluation.targeted(first.target, store):
            for value, after in evaluation.assigned(
                first.value, address, decided, choose=self._choose, share=self._share
            ):
                yield from self._assign(procedure, assignments[1:], after.write(address, value))

    def _call(self, procedure: int, edge: Call, store: Store) -> Iterator[Move]:
        callee = self._layout.program.numbers[edge.procedure]
        entry = self._layout.program.procedures[callee].entry
        scalars = [cell.type for cell in self._layout.frame_cells[callee]]
        given = self._evaluations[procedure].all_given(
            edge.arguments, scalars, store, choose=self._choose
        )
        for values, after in given:
            _, shared, word = self._going_to(procedure, edge, edge.target, after)
            start = self._resting.fresh(callee, entry, dict(enumerate(values)))
            yield Move(edge, shared, (start, *word))

    def _receive(self, procedure: int, edge: Receive, store: Store) -> Iterator[Store]:
        results = [store.values[address] for address in self._layout.results]
        for after in self._deliver(procedure, edge.targets, results, store):
            yield self._with_results(after, full=0, values=())

    def _deliver(
        self,
        procedure: int,
        targets: Sequence[Target | None],
        results: Sequence[Value],
        store: Store,
    ) -> Iterator[Store]:
        if not targets:
            yield store
            return
        target, result = targets[0], results[0]
        if target is None:
            yield from self._deliver(procedure, targets[1:], results[1:], store)
            return
        assert isinstance(result, int), "a result always has a value"
        evaluation = self._evaluations[procedure]
        for address, decided in evaluation.targeted(target, store):
            kept = stored(evaluation.scalar(address), result)
            if kept is not None:
                after = decided.write(address, kept)
                yield from self._deliver(procedure, targets[1:], results[1:], after)

    def _return(self, procedure: int, edge: Return, store: Store) -> Iterator[Store]:
        results = self._layout.program.procedures[procedure].results
        given = self._evaluations[procedure].all_given(edge.values, results, store, choose=True)
        for values, after in given:
            yield self._with_results(after, full=1, values=values) if results else after

    def _assert(self, procedure: int, edge: Assert, violation: int, store: Store) -> Iterator[Move]:
        for value, decided in self._evaluations[procedure].outcomes(edge.condition, store):
            if value:
                yield self._going_to(procedure, edge, edge.target, decided)
            else:
                halted = decided.write(self._layout.hidden["halted"], 1)
                _, shared, _ = self._going_to(procedure, edge, None, halted)
                yield Move(edge, shared, (Frame(violation),))

    def _create(self, procedure: int, edge: Create, store: Store) -> Iterator[Store]:
        addresses, scalars, expressions = [], [], []
        for number, values in created_by(edge):
            thread = self._layout.program.threads[number]
            store = store.write(self._layout.created(thread), 1)
            for variable, value in zip(thread.inherited, values, strict=True):
                addresses.append(self._layout.inherited(thread, variable))
                scalars.append(variable.scalar)
                expressions.append(value)
        evaluation = self._evaluations[procedure]
        for given, after in evaluation.all_given(expressions, scalars, store, choose=True):
            for address, inherited in zip(addresses, given, strict=True):
                after = after.write(address, inherited)
            yield after

    def _fork(self, procedure: int, edge: Fork, store: Store) -> Iterator[Store]:
        callee = self._layout.program.numbers[edge.procedure]
        scalars = [cell.type for cell in self._layout.frame_cells[callee]]
        evaluation, place = self._evaluations[procedure], self._layout.hidden["forked"]
        given = evaluation.all_given(edge.arguments, scalars, store, choose=self._choose)
        for arguments, evaluated in given:
            register = (*self._registers[store.values[place]], Forked(callee, arguments))
            identity = len(self._layout.program.thread_types) + len(register)
            if not self._registers.allow(register):
                continue
            after = evaluated.write(place, self._registers.number(register))
            if edge.variable is None:
                yield after
                continue
            for address, decided in evaluation.targeted(edge.variable, after):
                yield decided.write(address, identity)

    def _join(self, procedure: int, edge: Join, store: Store) -> Iterator[Store]:
        register = self._registers[store.values[self._layout.hidden["forked"]]]
        for identity, decided in self._evaluations[procedure].outcomes(edge.thread, store):
            forked = identity - len(self._layout.program.thread_types)
            if forked > 0 and register[forked - 1].status == "over":
                yield decided

    def _going_to(self, procedure: int, edge: Edge, target: int | None, store: Store) -> Move:
        """The move to a location of the same procedure, or out of it."""
        values, users = store.result(), len(self._layout.shared_cells)
        shared = in_normal_form(values[:users])
        if target is None:
            return Move(edge, shared, ())
        return Move(edge, shared, (self._resting.frame(procedure, target, values[users:]),))

    def _with_results(self, store: Store, *, full: int, values: Sequence[Value]) -> Store:
        """Fill or empty the place for results; unused parts of it have their initial values."""
        store = store.write(self._layout.hidden["full"], full)
        for number, address in enumerate(self._layout.results):
            unused = self._layout.shared_cells[address].initial
            store = store.write(address, values[number] if number < len(values) else unused)
        return store
