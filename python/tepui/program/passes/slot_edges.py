"""The procedures of a program with slots: forks, joins, and what is done with names of threads.

A fork becomes one edge for each slot, a join a step that waits until the thread has ended. Every
other edge stays. Where local variables that name threads get or lose their values, it also counts
them. An edge that cannot assign is taken together with a step that can, in one atomic section.

Only live variables are counted: a name that will never be joined counts as none. So a procedure
that returns has none left to count, and a tail call stays one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from tepui.program.expressions import (
    FALSE,
    TRUE,
    Binary,
    Constant,
    Expression,
    Read,
    Unary,
    Variable,
    reads,
)
from tepui.program.passes.slot_variables import Books, all_of
from tepui.program.program import (
    Assert,
    Assignment,
    Call,
    Create,
    Edge,
    End,
    Fork,
    Join,
    Location,
    Procedure,
    Receive,
    Return,
    Step,
    target_of,
)
from tepui.program.types import THREAD
from tepui.records import record, replace


@record
class Taken:
    """What a fork runs, and in which slot; None for a thread that never runs, and for one that
    an equal slot will take, by the number of its kind."""

    procedure: str
    slot: int | None
    kind: int | None = None


class WithSlots:
    """A procedure as it is with slots, the edges that fork, and those that find no slot."""

    def __init__(self, books: Books, procedure: Procedure) -> None:
        self.taken: dict[Edge, Taken] = {}
        self.lacks: list[Assert] = []
        self._books = books
        self._old = procedure
        self._live = books.live[procedure.name]
        self._locations = list(procedure.locations)
        self._edges: list[Edge] = []
        for edge in procedure.edges:
            self._rewrite(edge)
        self.procedure = replace(
            procedure,
            locations=tuple(self._locations),
            edges=tuple(self._edges),
            variables=tuple(map(books.variable, procedure.variables)),
        )

    def _rewrite(self, edge: Edge) -> None:
        match edge:
            case Step():
                self._edges.append(self._step(edge))
            case Fork():
                self._fork(edge)
            case Join():
                self._edges.append(self._join(edge))
            case Call():
                self._call(edge)
            case Return():
                self._first(self._counted(edge), edge)
            case End():
                self._first(self._counted(edge), self._end(edge))
            case Assert() | Receive() | Create():
                self._then(edge, self._counted(edge))
            case _:
                assert_never(edge)

    def _step(self, edge: Step) -> Step:
        books = self._books
        assignments = []
        for assignment in edge.assignments:
            target, value = assignment.target, assignment.value
            if isinstance(target, Variable):
                is_global = target.procedure is None
                value = books.published(value) if is_global else books.value(value)
                target = books.variable(target)
            assignments.append(Assignment(target, value))
        given = {
            assignment.target: assignment.value
            for assignment in edge.assignments
            if isinstance(assignment.target, Variable) and assignment.target.type == THREAD
        }
        return replace(edge, assignments=(*assignments, *self._counted(edge, given)))

    def _join(self, edge: Join) -> Step:
        assert isinstance(edge.thread, Read)
        books, variable = self._books, edge.thread.variable
        guard = all_of([books.has_ended(variable), edge.guard])
        matters = edge.target is not None and variable in self._live[edge.target]
        if not books.reuse or books.compared or not matters:
            return Step(edge.source, edge.target, guard, tuple(self._counted(edge)))
        mine = Assignment(books.variable(variable), books.done)
        counts = self._counted(edge, {variable: books.done})
        return Step(edge.source, edge.target, guard, (mine, *counts))

    def _fork(self, edge: Fork) -> None:
        books = self._books
        kind = books.kind(edge)
        if kind is not None:
            self._forks_equal(edge, kind)
            return
        edge = replace(edge, guard=self._reading(edge))
        for slot in books.slots:
            guard = all_of([books.next_free(slot), edge.guard])
            asked = Assignment(books.status(slot), books.asked(edge.procedure))
            waiting = (
                Assignment(hidden, books.value(edge.arguments[number]))
                for number, hidden in books.arguments(slot, edge.procedure).items()
            )
            passed = self._passed(edge.procedure, edge.arguments)
            stored = self._stored(edge, books.name(slot), passed)
            self._forks(edge, guard, [asked, *waiting, *stored], slot)
        if not books.reuse:
            self._forks_unrun(edge)
        if books.reuse or (books.compared and edge.variable is not None):
            self._lacks(edge, books.none_free(), books.evaluated(edge))

    def _lacks(self, edge: Fork, condition: Expression, evaluated: Sequence[Assignment]) -> None:
        """Under a condition there is no slot."""
        guard = all_of([condition, edge.guard])
        # It always fails. If it led to the target, what matters there would matter here as well.
        self._first(evaluated, Assert(edge.source, edge.source, FALSE, guard))
        lack = self._edges[-1]
        assert isinstance(lack, Assert)
        self.lacks.append(lack)

    def _forks_equal(self, edge: Fork, kind: int) -> None:
        """An equal slot will take the new thread."""
        books = self._books
        room = books.room_for_equal()
        assignments = [*books.ask_equal(kind), *self._counted(edge)]
        step = Step(edge.source, edge.target, all_of([room, edge.guard]), tuple(assignments))
        self.taken[step] = Taken(edge.procedure, None, kind)
        self._edges.append(step)
        self._lacks(edge, Unary("not", room), ())

    def _forks_unrun(self, edge: Fork) -> None:
        """The new thread never runs. If identities are compared, it needs a name to be stored."""
        books = self._books
        others = [*books.evaluated(edge), Assignment(books.others, TRUE)]
        if edge.variable is None or not books.compared:
            stored = self._stored(edge, books.never)
            self._forks(edge, edge.guard, [*others, *stored], None)
            return
        for name in books.unrun:
            guard = all_of([books.next_name(name), edge.guard])
            self._forks(edge, guard, [*others, *self._stored(edge, books.name(name))], None)

    def _forks(
        self, edge: Fork, guard: Expression, assignments: list[Assignment], slot: int | None
    ) -> None:
        step = Step(edge.source, edge.target, guard, tuple(assignments))
        self.taken[step] = Taken(edge.procedure, slot)
        self._edges.append(step)

    def _stored(
        self, edge: Fork, name: Constant, passed: Sequence[Expression] = ()
    ) -> list[Assignment]:
        """The identity of a new thread is stored. It is counted, and so are the names passed to
        it."""
        if edge.variable is None:
            return self._counted(edge, {}, passed)
        given: dict[Variable, Expression] = {}
        if isinstance(edge.variable, Variable):
            given[edge.variable] = name
        stored = self._books.stored(edge.variable, name)
        return [stored, *self._counted(edge, given, passed)]

    def _call(self, edge: Call) -> None:
        books = self._books
        callee = books.program.by_name[edge.procedure]
        arguments = tuple(
            books.value(argument) if books.is_passed(callee, number) else books.nobody
            for number, argument in enumerate(edge.arguments)
        )
        passed = self._passed(edge.procedure, edge.arguments)
        called = replace(edge, arguments=arguments, guard=self._reading(edge))
        self._first(self._counted(edge, {}, passed), called)

    def _reading(self, edge: Call | Fork) -> Expression:
        """The guard of an edge, which also reads the names that are not passed. The program as
        written reads them, so they must have their values up to here."""
        callee = self._books.program.by_name[edge.procedure]
        unpassed = (
            self._books.value(argument)
            for number, argument in enumerate(edge.arguments)
            if not self._books.is_passed(callee, number) and any(reads(argument))
        )
        return all_of([edge.guard, *(Binary("=", each, each) for each in unpassed)])

    def _passed(self, procedure: str, arguments: Sequence[Expression]) -> list[Expression]:
        """The arguments that name threads and are passed to a procedure that may join them."""
        callee = self._books.program.by_name[procedure]
        return [
            argument
            for number, argument in enumerate(arguments)
            if callee.variables[number].type == THREAD and self._books.is_passed(callee, number)
        ]

    def _end(self, edge: End) -> Edge:
        """A forked thread ends when its procedure returns."""
        if not self._books.is_forked(self._old.name):
            return edge
        return Return(edge.source, (), edge.guard)

    def _counted(
        self,
        edge: Edge,
        given: dict[Variable, Expression] | None = None,
        passed: Sequence[Expression] = (),
    ) -> list[Assignment]:
        """What an edge does to the counts: which live variables lose their values, and which get
        one."""
        given = given or {}
        target = target_of(edge)
        before = self._live[edge.source]
        after = frozenset() if target is None else self._live[target]
        mine = [variable for variable in self._old.variables if variable.type == THREAD]
        lost = [each for each in mine if each in before and (each not in after or each in given)]
        got = [given[each] for each in mine if each in given and each in after]
        return list(self._books.counted(lost, [*got, *passed]))

    def _first(self, assignments: Sequence[Assignment], edge: Edge) -> None:
        """Take an edge after some assignments, in one step."""
        if assignments:
            middle = self._inside(edge)
            self._edges.append(Step(edge.source, middle, edge.guard, tuple(assignments)))
            edge = replace(edge, source=middle, guard=TRUE)
        self._edges.append(edge)

    def _then(self, edge: Assert | Receive | Create, assignments: Sequence[Assignment]) -> None:
        """Take an edge before some assignments, in one step."""
        if assignments:
            middle = self._inside(edge)
            self._edges.append(Step(middle, edge.target, assignments=tuple(assignments)))
            edge = replace(edge, target=middle)
        self._edges.append(edge)

    def _inside(self, edge: Edge) -> int:
        """A new location inside an atomic section, in the middle of an edge."""
        position = self._locations[edge.source].position
        self._locations.append(Location(position, atomic=True))
        return len(self._locations) - 1
