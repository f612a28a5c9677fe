"""The hidden variables of a program with slots, and what they say about forked threads.

A slot is a thread that runs one forked thread after another. For each there is a *status*: idle,
asked to start a procedure, or running. The arguments of the procedure wait beside it. Variables
that name threads become enumerations: nobody, done, and one name for each slot.

A name must not outlive its thread and come to mean the next one in the same slot. So when a thread
ends, every global variable that names it becomes done. Local variables may lie deep in stacks;
they are counted for each slot, as long as they are live, and a slot is free only when it is idle
and none of them names it. The count ends at *many*, which stays: such a slot is never free again.
That wastes slots, but never makes an answer wrong.

With a bound on contexts (`reuse` off) a slot is used once, so nothing is counted and no name
becomes done: what a slot has run is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from tepui.program.calls import forked_by
from tepui.program.expressions import (
    FALSE,
    TRUE,
    Binary,
    BinaryOperator,
    Conditional,
    Constant,
    Expression,
    Read,
    Unary,
    Variable,
    may_block,
)
from tepui.program.liveness import live_variables
from tepui.program.program import Assignment, Fork, Procedure, Program
from tepui.program.types import BOOLEAN, THREAD, Bounded, Enumeration, Scalar

NOBODY = 0
DONE = 1
NEVER = 1
"""The value that takes the place of `DONE` where slots are used once: a thread that never runs."""

IDLE = 0

MANY = 3
"""The count stops at this number of local variables."""


class Books:
    """The hidden variables for some slots, numbered from 1."""

    def __init__(self, program: Program, slots: int, *, reuse: bool) -> None:
        self.program = program
        self.slots = range(1, slots + 1)
        self.reuse = reuse
        self.forked = _forked(program)
        names = (f"#{slot}" for slot in self.slots)
        self.names = Enumeration(("nobody", "done" if reuse else "never", *names))
        asked = (f"start_{name}" for name in self.forked)
        over = () if reuse else ("over",)
        self.statuses = Enumeration(("idle", *asked, "running", *over))
        self.live = {each.name: _live_names(each) for each in program.procedures}
        """For each procedure and location, the local variables that name threads and matter."""

    @cached_property
    def hidden(self) -> tuple[Variable, ...]:
        """All hidden variables."""
        found = list(self._statuses) + list(self._counts)
        for slot in self.slots:
            for name in self.forked:
                found += self.arguments(slot, name).values()
        for name in self.forked:
            found += self._lost[name].values()
        return (*found, self.others) if not self.reuse else tuple(found)

    @property
    def others(self) -> Variable:
        """Whether a thread was forked that never runs."""
        return Variable("#others", BOOLEAN, None, 0)

    def status(self, slot: int) -> Variable:
        return self._statuses[slot - 1]

    def running(self, slot: int) -> Assignment:
        return Assignment(self.status(slot), self._status(1 + len(self.forked)))

    def over(self, slot: int) -> list[Assignment]:
        """What happens to the hidden variables when a thread ends, and to those that name it."""
        if not self.reuse:
            return [Assignment(self.status(slot), self._status(2 + len(self.forked)))]
        freed = [Assignment(self.status(slot), self._status(IDLE))]
        for variable in self.program.globals:
            if variable.type == THREAD:
                mine, named = self.variable(variable), self.name(slot)
                value = Conditional(_equal(Read(mine), named), self.done, Read(mine))
                freed.append(Assignment(mine, value))
        return freed

    def asked(self, procedure: str) -> Constant:
        """The status of a slot that is to run a procedure."""
        return self._status(1 + self.forked.index(procedure))

    def is_asked(self, slot: int, procedure: str) -> Expression:
        return _equal(Read(self.status(slot)), self.asked(procedure))

    def next_free(self, slot: int) -> Expression:
        """Whether a slot is the one that the next thread gets: the first free one."""
        if not self.reuse:
            before = [self._is(slot - 1, IDLE)] if slot > 1 else []
            return all_of([self._is(slot, IDLE), *map(_not, before)])
        return all_of([self._is_free(slot), *(_not(self._is_free(s)) for s in range(1, slot))])

    def none_free(self) -> Expression:
        return all_of(_not(self._is_free(slot)) for slot in self.slots)

    def has_ended(self, variable: Variable) -> Expression:
        """Whether the thread that a variable names, if it names one, has ended."""
        mine = self.variable(variable)
        if self.reuse and variable.procedure is None:
            return _equal(Read(mine), self.done)
        status = IDLE if self.reuse else 2 + len(self.forked)
        ended: list[Expression] = [_equal(Read(mine), self.done)] if self.reuse else []
        for slot in self.slots:
            ended.append(_both(_equal(Read(mine), self.name(slot)), self._is(slot, status)))
        return _any_of(ended)

    def name(self, slot: int) -> Constant:
        return Constant(DONE + slot, self.names)

    @property
    def done(self) -> Constant:
        return Constant(DONE, self.names)

    @property
    def never(self) -> Constant:
        return Constant(NEVER, self.names)

    @property
    def nobody(self) -> Constant:
        return Constant(NOBODY, self.names)

    def variable(self, variable: Variable) -> Variable:
        """A variable of the program as it is with slots."""
        if variable.type != THREAD:
            return variable
        return Variable(variable.name, self.names, variable.procedure, NOBODY)

    def value(self, value: Expression) -> Expression:
        """What is assigned or passed, as it is with slots."""
        if isinstance(value, Read) and value.variable.type == THREAD:
            return Read(self.variable(value.variable))
        return value

    def published(self, value: Expression) -> Expression:
        """The same for a global variable, which never names a thread that has ended."""
        if not (self.reuse and isinstance(value, Read) and value.variable.type == THREAD):
            return self.value(value)
        if value.variable.procedure is None:
            return self.value(value)
        return Conditional(self.has_ended(value.variable), self.done, self.value(value))

    def arguments(self, slot: int, procedure: str) -> dict[int, Variable]:
        """Where the arguments of a procedure wait for their slot, by the number of the parameter.

        A parameter that names a thread and does not matter gets none.
        """
        callee = self.program.by_name[procedure]
        return {
            number: Variable(
                f"#{slot}:{procedure}:{parameter.name}",
                self.variable(parameter).type,
                None,
                parameter.scalar.low,
            )
            for number, parameter in enumerate(callee.variables[: callee.parameters])
            if self.is_passed(callee, number)
        }

    def evaluated(self, procedure: str, arguments: Sequence[Expression]) -> list[Assignment]:
        """The assignments that evaluate the arguments of a thread without a slot: the forking
        thread waits where one of them cannot be evaluated or passed. They go to hidden variables,
        which lose them in the same step."""
        found = []
        for number, lost in self._lost[procedure].items():
            emptied = Assignment(lost, Constant(lost.scalar.low, lost.scalar))
            found += [Assignment(lost, arguments[number]), emptied]
        return found

    def is_passed(self, callee: Procedure, number: int) -> bool:
        """Whether an argument is passed to a procedure; one that is never joined is not counted."""
        parameter = callee.variables[number]
        return parameter.type != THREAD or parameter in self.live[callee.name][callee.entry]

    def counted(self, lost: list[Variable], got: list[Expression]) -> Iterator[Assignment]:
        """The counts after local variables have lost their values, and others got some."""
        moved = [value for value in got if isinstance(value, Read) and value.variable in lost]
        for read in moved:
            if read.variable in lost:
                lost.remove(read.variable)
                got.remove(read)
        if not self._counts or not (lost or got):
            return
        for slot, count in zip(self.slots, self._counts, strict=True):
            total: Expression = Read(count)
            for value in got:
                total = _sum("+", total, self._names_slot(self.value(value), slot))
            for variable in lost:
                total = _sum("-", total, self._names_slot(Read(self.variable(variable)), slot))
            if total != Read(count):
                many = Constant(MANY, count.scalar)
                yield Assignment(count, Conditional(_equal(Read(count), many), Read(count), total))

    @cached_property
    def _statuses(self) -> tuple[Variable, ...]:
        return tuple(Variable(f"#{slot}", self.statuses, None, IDLE) for slot in self.slots)

    @cached_property
    def _counts(self) -> tuple[Variable, ...]:
        """How many local variables name each slot, where some can."""
        if not self.reuse or not any(here for live in self.live.values() for here in live):
            return ()
        counts = Bounded(0, MANY, "saturate")
        return tuple(Variable(f"#{slot}:names", counts, None, 0) for slot in self.slots)

    @cached_property
    def _lost(self) -> dict[str, dict[int, Variable]]:
        """For each procedure that is forked, where its arguments go if its thread gets no slot, by
        the number of the parameter; those that can always be passed go nowhere."""
        found: dict[str, dict[int, Variable]] = {name: {} for name in self.forked}
        forks = [
            edge
            for procedure in self.program.procedures
            for edge in procedure.edges
            if isinstance(edge, Fork)
        ]
        for name, variables in found.items():
            callee = self.program.by_name[name]
            for number, parameter in enumerate(callee.variables[: callee.parameters]):
                given = [edge.arguments[number] for edge in forks if edge.procedure == name]
                if any(_may_block(argument, parameter.scalar) for argument in given):
                    low = parameter.scalar.low
                    lost = Variable(f"#lost:{name}:{parameter.name}", parameter.scalar, None, low)
                    variables[number] = lost
        return found

    def _status(self, value: int) -> Constant:
        return Constant(value, self.statuses)

    def _is(self, slot: int, status: int) -> Expression:
        return _equal(Read(self.status(slot)), self._status(status))

    def _is_free(self, slot: int) -> Expression:
        idle = self._is(slot, IDLE)
        if not self._counts:
            return idle
        count = self._counts[slot - 1]
        return _both(idle, _equal(Read(count), Constant(0, count.scalar)))

    def _names_slot(self, value: Expression, slot: int) -> Expression:
        if isinstance(value, Constant):
            return TRUE if value == self.name(slot) else FALSE
        return _equal(value, self.name(slot))


def _may_block(argument: Expression, scalar: Scalar) -> bool:
    """Whether passing an argument to a parameter of this type may have to wait."""
    if may_block(argument):
        return True
    if not isinstance(scalar, Bounded) or scalar.overflow != "block":
        return False
    return not (isinstance(argument, Read) and argument.variable.scalar == scalar)


def slot_named(value: int) -> int | None:
    """The slot that a value of a variable names; slots are counted from 1."""
    return value - DONE if value > DONE else None


def all_of(conditions: Iterable[Expression]) -> Expression:
    """The conjunction of some conditions, without those that always hold."""
    return _joined("and", [each for each in conditions if each != TRUE], TRUE)


def _any_of(conditions: Iterable[Expression]) -> Expression:
    return _joined("or", list(conditions), FALSE)


def _joined(
    operator: BinaryOperator, conditions: list[Expression], otherwise: Expression
) -> Expression:
    if not conditions:
        return otherwise
    result = conditions[0]
    for condition in conditions[1:]:
        result = Binary(operator, result, condition)
    return result


def _both(left: Expression, right: Expression) -> Expression:
    return Binary("and", left, right)


def _equal(left: Expression, right: Expression) -> Expression:
    return Binary("=", left, right)


def _not(condition: Expression) -> Expression:
    return Unary("not", condition)


def _sum(operator: BinaryOperator, left: Expression, right: Expression) -> Expression:
    return left if right == FALSE else Binary(operator, left, right)


def _forked(program: Program) -> list[str]:
    """The procedures that are forked, in the order of the program."""
    names = forked_by(edge for procedure in program.procedures for edge in procedure.edges)
    return [procedure.name for procedure in program.procedures if procedure.name in names]


def _live_names(procedure: Procedure) -> tuple[frozenset[Variable], ...]:
    return tuple(
        frozenset(variable for variable in live if variable.type == THREAD)
        for live in live_variables(procedure)
    )
