"""The hidden variables of a program with slots, and what they say about forked threads.

A slot is a thread that runs one forked thread after another. For each there is a *status*: idle,
asked to start a procedure, or running. The arguments of the procedure wait beside it. Variables
that name threads become enumerations: nobody, done, and one name for each slot.

A name must not outlive its thread and come to mean the next one in the same slot. So when a thread
ends, every global variable that names it becomes done. Local variables may lie deep in stacks;
they are counted for each slot, as long as they are live, and a slot is free only when it is idle
and none of them names it. The count ends at *many*, which stays: such a slot is never free again.
That wastes slots, but never makes an answer wrong.

Where identities are *compared*, or threads ask for their own, two threads that have ended must
differ, so there is no done. Variables keep their type, as a slot is a thread that has an identity:
it is that of the forked thread in it. A slot is free only when no global variable names it, either.

If all threads are *equal* before they start, they need not get a slot when they are forked: nobody
learns who they are (`identities.kinds_of_equals`). They are only counted, by what they are to run,
and any equal slot may take one. So it does not matter which slot is which, and engines exchange
them. An equal slot is used once. That costs nothing: nobody can wait for the end of its thread, so
there is a run in which none of these threads has ended.

With a bound on contexts (`reuse` off) a slot is used once, so nothing is counted and no name
becomes done: what a slot has run is over. A thread that never runs needs no slot; but where
identities are compared and its own is stored, it takes a *name*, which is free again when nothing
names the thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    ReadElement,
    Unary,
    Variable,
    may_block,
)
from tepui.program.identities import kind_of, kinds_of_equals, only_joined
from tepui.program.liveness import live_variables
from tepui.program.program import Assignment, Element, Fork, Procedure, Program, Target
from tepui.program.types import BOOLEAN, THREAD, Bounded, Enumeration, Scalar, ThreadId

NOBODY = 0
DONE = 1
NEVER = 1
"""The value that takes the place of `DONE` where slots are used once: a thread that never runs."""

IDLE = 0

MANY = 3
"""The count stops at this number of local variables."""

MOST_NAMES = 16
"""How many threads that never run may be named at once."""


class Books:
    """The hidden variables for some slots, numbered from 1."""

    def __init__(self, program: Program, slots: int, *, reuse: bool, equal: bool = False) -> None:
        self.program = program
        self.reuse = reuse
        self.most = slots
        self.kinds = kinds_of_equals(program) if equal else []
        """What threads run that take an equal slot. If there are some, there are no other slots."""
        self.forked = [] if self.kinds else _forked(program)
        self.slots = range(1, 1 if self.kinds else slots + 1)
        self.compared = not only_joined(program)
        self._own_threads = len(program.thread_types)
        names = (f"#{slot}" for slot in self.slots)
        second = "done" if reuse else "never"
        self.names: Enumeration | ThreadId = (
            THREAD if self.compared else Enumeration(("nobody", second, *names))
        )
        """The type of what names threads: their identities if these are compared, else nobody, done
        or never, and then the slots in their order."""
        asked = (f"start_{name}" for name in self.forked)
        over = () if reuse else ("over",)
        self.statuses = Enumeration(("idle", *asked, "running", *over))
        self.live = {each.name: _live_names(each) for each in program.procedures}
        """For each procedure and location, the local variables that name threads and matter."""

    @cached_property
    def hidden(self) -> tuple[Variable, ...]:
        """All hidden variables."""
        found = [*self._statuses, *self._counts.values()]
        for slot in self.slots:
            for name in self.forked:
                found += self.arguments(slot, name).values()
        for name in self.forked:
            found += self._lost[name].values()
        if self.kinds:
            found += [*self._asked_equals, self._forked_equals]
        return (*found, self.others) if not self.reuse else tuple(found)

    @property
    def others(self) -> Variable:
        """Whether a thread was forked that never runs."""
        return Variable("#others", BOOLEAN, None, 0)

    @cached_property
    def unrun(self) -> range:
        """The names of threads that never run: they are numbered after the slots. There are enough
        of them for the variables of a program without recursion, unless these are many."""
        if self.reuse or not self.compared or not any(fork.variable for fork in self._forks):
            return range(0)
        local = sum(max(map(len, live), default=0) for live in self.live.values())
        threads = self._own_threads + len(self.slots)
        names = min(1 + len(self._globals) + local * threads, MOST_NAMES)
        return range(len(self.slots) + 1, len(self.slots) + names + 1)

    @property
    def has_equals(self) -> Variable:
        """What is 0 only if no thread of the first kind waits for an equal slot."""
        return self._asked_equals[0]

    def is_forked(self, procedure: str) -> bool:
        """Whether some thread that runs in a slot begins with a procedure."""
        return any(fork.procedure == procedure for fork in self._forks)

    def kind(self, fork: Fork) -> int | None:
        """The number of the kind of thread that a fork starts in an equal slot."""
        kind = kind_of(self.program, fork) if self.kinds else None
        return None if kind is None else self.kinds.index(kind)

    def ask_equal(self, kind: int) -> list[Assignment]:
        """One more thread is to start in an equal slot."""
        return [_more(self._asked_equals[kind], "+"), _more(self._forked_equals, "+")]

    def is_equal_asked(self, kind: int) -> Expression:
        """Whether a thread of a kind is to start in an equal slot."""
        asked = self._asked_equals[kind]
        return Binary(">", Read(asked), Constant(0, asked.scalar))

    def take_equal(self, kind: int) -> Assignment:
        """An equal slot takes a thread of a kind."""
        return _more(self._asked_equals[kind], "-")

    def room_for_equal(self) -> Expression:
        """Whether there is an equal slot for one more thread."""
        forked = self._forked_equals
        return Binary("<", Read(forked), Constant(self.most, forked.scalar))

    @cached_property
    def _asked_equals(self) -> tuple[Variable, ...]:
        """For each kind of equal threads, how many are to start."""
        counts = Bounded(0, self.most)
        names = (f"#new{number}:{name}" for number, (name, _) in enumerate(self.kinds, 1))
        return tuple(Variable(name, counts, None, 0) for name in names)

    @cached_property
    def _forked_equals(self) -> Variable:
        """How many equal threads were forked."""
        return Variable("#forked", Bounded(0, self.most), None, 0)

    def status(self, slot: int) -> Variable:
        return self._statuses[slot - 1]

    def running(self, slot: int) -> Assignment:
        return Assignment(self.status(slot), self._status(1 + len(self.forked)))

    def over(self, slot: int) -> list[Assignment]:
        """What happens to the hidden variables when a thread ends, and to those that name it."""
        if not self.reuse:
            return [Assignment(self.status(slot), self._status(2 + len(self.forked)))]
        freed = [Assignment(self.status(slot), self._status(IDLE))]
        for variable in () if self.compared else self.program.globals:
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
        return self._is_first(slot, self.slots)

    def next_name(self, number: int) -> Expression:
        """Whether a name is the one that the next thread gets that never runs."""
        return self._is_first(number, self.unrun)

    def none_free(self) -> Expression:
        """Whether there is no slot for another thread; no name, where slots are used once."""
        numbers = self.slots if self.reuse else self.unrun
        return all_of(_not(self._is_free(number)) for number in numbers)

    def has_ended(self, variable: Variable) -> Expression:
        """Whether the thread that a variable names, if it names one, has ended."""
        mine = self.variable(variable)
        has_done = self.reuse and not self.compared
        if has_done and variable.procedure is None:
            return _equal(Read(mine), self.done)
        status = IDLE if self.reuse else 2 + len(self.forked)
        ended: list[Expression] = [_equal(Read(mine), self.done)] if has_done else []
        for slot in self.slots:
            ended.append(_both(_equal(Read(mine), self.name(slot)), self._is(slot, status)))
        return _any_of(ended)

    def name(self, slot: int) -> Constant:
        before = self._own_threads if self.compared else DONE
        return Constant(before + slot, self.names)

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
        if variable.type != THREAD or self.compared:
            return variable
        return Variable(variable.name, self.names, variable.procedure, NOBODY)

    def value(self, value: Expression) -> Expression:
        """What is assigned or passed, as it is with slots."""
        if isinstance(value, Read) and value.variable.type == THREAD:
            return Read(self.variable(value.variable))
        return value

    def published(self, value: Expression) -> Expression:
        """The same for a global variable, which never names a thread that has ended, unless
        identities are compared."""
        if self.compared or not self.reuse or not isinstance(value, Read):
            return self.value(value)
        if value.variable.type != THREAD or value.variable.procedure is None:
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

    def evaluated(self, fork: Fork) -> list[Assignment]:
        """The assignments that evaluate the arguments of a thread without a slot, and where its
        identity is to be stored: the forking thread waits where one of them cannot be evaluated or
        passed. Arguments go to hidden variables, which lose them in the same step."""
        found = []
        for number, lost in self._lost[fork.procedure].items():
            emptied = Assignment(lost, Constant(lost.scalar.low, lost.scalar))
            found += [Assignment(lost, fork.arguments[number]), emptied]
        if isinstance(fork.variable, Element):
            same = ReadElement(fork.variable.variable, fork.variable.index)
            found.append(Assignment(fork.variable, same))
        return found

    def stored(self, target: Target, name: Constant) -> Assignment:
        """The assignment that stores the identity of a new thread."""
        return Assignment(target if isinstance(target, Element) else self.variable(target), name)

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
        if not lost and not got:
            return
        for slot, count in self._counts.items():
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
    def _counts(self) -> dict[int, Variable]:
        """How many local variables name each slot, where some can; or each name of a thread that
        never runs, where slots are used once."""
        if not any(here for live in self.live.values() for here in live):
            return {}
        counts = Bounded(0, MANY, "saturate")
        numbers = self.slots if self.reuse else self.unrun
        return {number: Variable(f"#{number}:names", counts, None, 0) for number in numbers}

    @cached_property
    def _globals(self) -> list[Read | ReadElement]:
        """What names threads and is global, one by one."""
        found: list[Read | ReadElement] = []
        for variable in self.program.globals:
            if variable.type == THREAD:
                found.append(Read(variable))
            elif variable.scalar == THREAD:
                places = Bounded(0, variable.length - 1)
                numbers = (Constant(number, places) for number in range(variable.length))
                found += [ReadElement(variable, number) for number in numbers]
        return found

    @cached_property
    def _forks(self) -> list[Fork]:
        edges = (edge for procedure in self.program.procedures for edge in procedure.edges)
        return [edge for edge in edges if isinstance(edge, Fork)]

    @cached_property
    def _lost(self) -> dict[str, dict[int, Variable]]:
        """For each procedure that is forked, where its arguments go if its thread gets no slot, by
        the number of the parameter; those that can always be passed go nowhere."""
        found: dict[str, dict[int, Variable]] = {name: {} for name in self.forked}
        for name, variables in found.items():
            callee = self.program.by_name[name]
            for number, parameter in enumerate(callee.variables[: callee.parameters]):
                given = [edge.arguments[number] for edge in self._forks if edge.procedure == name]
                if any(_may_block(argument, parameter.scalar) for argument in given):
                    low = parameter.scalar.low
                    lost = Variable(f"#lost:{name}:{parameter.name}", parameter.scalar, None, low)
                    variables[number] = lost
        return found

    def _status(self, value: int) -> Constant:
        return Constant(value, self.statuses)

    def _is(self, slot: int, status: int) -> Expression:
        return _equal(Read(self.status(slot)), self._status(status))

    def _is_first(self, number: int, among: range) -> Expression:
        """Whether a slot or a name is the first free one."""
        before = range(among.start, number)
        return all_of([self._is_free(number), *(_not(self._is_free(each)) for each in before)])

    def _is_free(self, number: int) -> Expression:
        """Whether a slot is idle and nothing names it; or whether nothing has a name."""
        needed = [self._is(number, IDLE)] if number in self.slots else []
        if number in self._counts:
            count = self._counts[number]
            needed.append(_equal(Read(count), Constant(0, count.scalar)))
        if self.compared:
            needed += [Binary("!=", each, self.name(number)) for each in self._globals]
        return all_of(needed)

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


def _more(count: Variable, operator: BinaryOperator) -> Assignment:
    """One more, or one less."""
    return Assignment(count, Binary(operator, Read(count), Constant(1, count.scalar)))


def _forked(program: Program) -> list[str]:
    """The procedures that are forked, in the order of the program."""
    names = forked_by(edge for procedure in program.procedures for edge in procedure.edges)
    return [procedure.name for procedure in program.procedures if procedure.name in names]


def _live_names(procedure: Procedure) -> tuple[frozenset[Variable], ...]:
    return tuple(
        frozenset(variable for variable in live if variable.type == THREAD)
        for live in live_variables(procedure)
    )
