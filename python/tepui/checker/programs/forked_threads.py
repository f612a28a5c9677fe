"""A program whose forked threads are threads of types, for evidence about all that it does.

What it does must be at least what the program as written does. So every fork must create a type
whose threads can do whatever the forked one can, and a join may wait for no more than it does in
the program as written. Everything else must be the same, edge by edge. Let a run of the program as
written be given. The other program has a run with the same steps:

- A fork takes the edge that creates a type. A thread of that type that has not started stands for
  the forked one: there is one, as there is any number of them, or the fork is taken at most once.
  It starts, in a step of its own, and calls the procedure with the same arguments: any are
  possible, or they are those of the fork, which nobody gives anew, as the fork is taken once.
- When the forked thread has ended, that thread says so, if anything depends on it.
- A join was possible, so the thread that its variable names has ended. The other edge can be taken:
  it waits for nothing, or for a thread of a type with one thread, which ends only by its return.
  Then the variable is assigned nowhere but by the fork of that thread, so that is who has ended.

Nobody compares the identities of forked threads, so it does not matter that they are not stored.
"""

from __future__ import annotations

from tepui.errors import EvidenceError
from tepui.program.calls import called_by, forked_by, with_all_called
from tepui.program.expressions import (
    NOBODY,
    TRUE,
    Binary,
    Choice,
    Constant,
    Expression,
    Read,
    Variable,
)
from tepui.program.identities import only_joined
from tepui.program.program import (
    Assignment,
    Call,
    Create,
    Derived,
    Edge,
    End,
    Fork,
    Join,
    Procedure,
    Receive,
    Return,
    Step,
    Thread,
    target_of,
    variable_of,
)
from tepui.program.types import BOOLEAN, THREAD
from tepui.program.walk import targets_of
from tepui.records import replace


class ForkedThreads:
    """The comparison of both programs."""

    def __init__(self, program: Derived) -> None:
        self._made, self._written = program, program.original
        self._own = len(self._written.threads)
        """How many types there are as written; those of forked threads follow."""
        every = [edge for each in self._written.procedures for edge in each.edges]
        self._forks = [edge for edge in every if isinstance(edge, Fork)]
        self._has_joins = any(isinstance(edge, Join) for edge in every)
        self._called = called_by(every) | forked_by(every)
        self._stored = [variable_of(target) for edge in every for target in targets_of(edge)]
        self._ended: dict[Variable, Variable] = {}
        """For what says that a thread has ended: the one variable that names the thread."""

    def check(self) -> None:
        """Refuse a program that may do less than the one as written."""
        made, written = self._made, self._written
        _require(not isinstance(written, Derived), "original")
        _require(made.lock is None and written.lock is None, "scheduler lock")
        stores = any(fork.variable is not None for fork in self._forks)
        _require(only_joined(written) or not (stores or self._has_joins), "use of identities")
        _require(made.globals[: len(written.globals)] == written.globals, "variables")
        _require(made.threads[: self._own] == written.threads, "threads")
        runners = made.procedures[len(written.procedures) :]
        _require(all(map(self._is_type, made.threads[self._own :])), "threads of forked types")
        _require(len(runners) == len(made.threads) - self._own, "procedures")
        _require(len(made.procedures) == len(written.procedures) + len(runners), "procedures")
        pairs = list(zip(written.procedures, made.procedures, strict=False))
        for number, (old, new) in enumerate(pairs):
            _require(replace(new, edges=old.edges) == old, f"procedure {old.name}")
            _require(len(new.edges) == len(old.edges), f"edges of {old.name}")
            for before, now in zip(old.edges, new.edges, strict=True):
                if isinstance(before, Fork):
                    self._check_fork(number, before, now)
        for old, new in pairs:
            for before, now in zip(old.edges, new.edges, strict=True):
                if isinstance(before, Join):
                    self._check_join(before, now)
                elif not isinstance(before, Fork):
                    _require(before == now, f"edges of {old.name}")

    def _is_type(self, thread: Thread) -> bool:
        """Whether threads of a type wait for their creation, and run a procedure of their own."""
        of_these = [each for each in self._made.threads if each.procedure == thread.procedure]
        runs = self._made.numbers.get(thread.procedure, 0)
        return (
            thread.created
            and thread.count in (1, None)
            and (thread.start, thread.idle) == (None, None)
            and len(of_these) == 1
            and runs >= len(self._written.procedures)
        )

    def _check_fork(self, procedure: int, fork: Fork, now: Edge) -> None:
        """A fork creates a type whose threads can do what the forked one does."""
        _require(isinstance(now, Create) and len(now.threads) == 1, "forks")
        assert isinstance(now, Create)
        (kind,) = now.threads
        _require(self._own <= kind < len(self._made.threads), "forks")
        thread = self._made.threads[kind]
        given = fork.arguments if thread.count == 1 else ()
        _require(now == Create(fork.source, fork.target, (kind,), (given,), fork.guard), "forks")
        runner = self._made.procedure_of(thread)
        callee = self._written.by_name[fork.procedure]
        parameters = callee.variables[: callee.parameters]
        arguments: tuple[Expression, ...]
        if thread.count == 1:
            _require(self._is_taken_once(procedure, fork), "forks that are taken once")
            creating = [
                edge
                for each in self._made.procedures
                for edge in each.edges
                if isinstance(edge, Create) and kind in edge.threads
            ]
            _require(len(creating) == 1, "forks that are taken once")
            kinds = [(each.name, each.type) for each in runner.variables]
            _require(kinds == [(each.name, each.type) for each in parameters], "arguments")
            _require(thread.inherited == runner.variables, "arguments")
            arguments = tuple(map(Read, runner.variables))
        else:
            _require((thread.inherited, runner.variables) == ((), ()), "arguments")
            arguments = tuple(
                NOBODY if each.scalar == THREAD else Choice(each.scalar) for each in parameters
            )
        self._check_runner(runner, callee, arguments, fork if thread.count == 1 else None)

    def _check_runner(
        self,
        runner: Procedure,
        callee: Procedure,
        arguments: tuple[Expression, ...],
        fork: Fork | None,
    ) -> None:
        """A thread of a type calls the procedure, and perhaps says then that it has ended."""
        _require((runner.entry, runner.parameters, runner.results) == (0, 0, ()), "new procedures")
        _require(not any(each.atomic or each.labels for each in runner.locations), "new procedures")
        rest = list(runner.edges)
        _require(rest[:1] == [Call(0, 1, callee.name, arguments)], "new procedures")
        last, receipt = 1, Receive(1, 2, (None,) * len(callee.results))
        if callee.results:
            _require(rest[1:2] == [receipt], "new procedures")
            last = 2
        _require(len(rest) == last + 1 and len(runner.locations) == last + 1, "new procedures")
        end = rest[last]
        if end == Return(last):
            return
        _require(isinstance(end, Step) and len(end.assignments) == 1, "new procedures")
        assert isinstance(end, Step)
        flag = variable_of(end.assignments[0].target)
        says = Step(last, None, TRUE, (Assignment(flag, Constant(1)),))
        _require(end == says, "new procedures")
        is_new = flag in self._made.globals and flag not in self._written.globals
        _require(is_new and flag.type == BOOLEAN and flag.initial == 0, "new variables")
        _require(flag not in self._ended, "new variables")
        _require(fork is not None and self._only_returns(callee), "ends of threads")
        assert fork is not None
        variable = fork.variable
        _require(isinstance(variable, Variable) and self._stored.count(variable) == 1, "joins")
        assert isinstance(variable, Variable)
        self._ended[flag] = variable

    def _check_join(self, join: Join, now: Edge) -> None:
        """A join waits for nothing, or for the one thread that its variable can name."""
        if now == Step(join.source, join.target, join.guard):
            return
        guard = now.guard
        _require(isinstance(guard, Binary) and isinstance(guard.right, Read), "joins")
        assert isinstance(guard, Binary)
        assert isinstance(guard.right, Read)
        waits = Binary("and", join.guard, Read(guard.right.variable))
        _require(now == Step(join.source, join.target, waits), "joins")
        assert isinstance(join.thread, Read)
        _require(self._ended.get(guard.right.variable) == join.thread.variable, "joins")

    def _is_taken_once(self, number: int, edge: Edge) -> bool:
        """Whether nothing leads back to an edge, in a procedure that is run by one thread, once."""
        procedure = self._written.procedures[number]
        if procedure.name in self._called:
            return False
        if [t.count for t in self._written.threads if t.procedure == procedure.name] != [1]:
            return False
        behind = {target_of(edge)}
        for _ in procedure.locations:
            behind |= {target_of(each) for each in procedure.edges if each.source in behind}
        return edge.source not in behind

    def _only_returns(self, callee: Procedure) -> bool:
        """Whether a thread that runs a procedure can end in no other way than by its return."""
        run = with_all_called(self._written, [self._written.numbers[callee.name]])
        edges = (edge for number in run for edge in self._written.procedures[number].edges)
        return not any(isinstance(edge, End) for edge in edges)


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise EvidenceError(f"forked threads were not made types as they should be: {what}")
