"""Where threads rest: stacks of points, and the local points that a step may pass.

A thread without recursion has finitely many control stacks. It rests where nothing of its stack is
inside an atomic section, and where it neither receives results nor is at a *passed* point. What is
done at a passed point is local and always possible, so nobody can tell whether the thread has
rested there (see `program.semantics.fusing`; here the rule is stricter, so that it can be checked
from the text alone).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from tepui.horn.valuing import Refused
from tepui.program.calls import called_by, procedures_run_by
from tepui.program.expressions import (
    TRUE,
    Binary,
    Choice,
    Conditional,
    Constant,
    Expression,
    Read,
    Unary,
    inside,
    may_block,
)
from tepui.program.program import (
    Call,
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
    scalar_of,
    target_of,
    variable_of,
)
from tepui.program.semantics.sections import points_inside
from tepui.program.types import Bounded, Integer, Scalar, ThreadId
from tepui.program.walk import expressions_of, reads_of, targets_of

_TRUTHS = frozenset({"not", "and", "or", "implies", "xor", "=", "!=", "<", "<=", ">", ">="})
"""The operators whose results are 0 or 1."""

Stack = tuple[int, ...]
"""The points of a thread, top first; nothing is left when it is over."""


class Stacks:
    """The control of a program's threads, for questions that name some points."""

    def __init__(
        self,
        program: Program,
        named: Iterable[int],
        *,
        fused: bool = True,
        recursive: bool = False,
    ) -> None:
        """Where threads may be `recursive`, there may be no end to their stacks."""
        self.program = program
        self.layout = program.layout
        self._named = frozenset(named)
        _refuse(program, recursive=recursive)
        if points_inside(program) & self._named:
            raise Refused("a question about a place inside an atomic section")
        self.passed = self._passed_points() if fused else frozenset()
        if recursive:
            return
        for thread in range(len(program.threads)):
            self._check_sections(thread)

    def start(self, thread: int) -> Stack:
        """The stack with which the threads of a type begin."""
        if self.program.threads[thread].created:
            return (self.layout.waiting,)
        return (self.first(thread),)

    def first(self, thread: int) -> int:
        """The point at which the threads of a type begin to run."""
        each = self.program.threads[thread]
        procedure = self.program.procedure_of(each)
        start = procedure.entry if each.start is None else each.start
        return self.layout.point(self.program.numbers[each.procedure], start)

    def procedure(self, point: int) -> Procedure:
        return self.program.procedures[self.layout.locations[point][0]]

    def leaving(self, point: int) -> tuple[Edge, ...]:
        procedure, number = self.layout.locations[point]
        return self.program.procedures[procedure].leaving[number]

    def is_atomic(self, point: int) -> bool:
        procedure, number = self.layout.locations[point]
        return self.program.procedures[procedure].locations[number].atomic

    def receives(self, point: int) -> bool:
        return any(isinstance(edge, Receive) for edge in self.leaving(point))

    def rests(self, stack: Stack) -> bool:
        """Whether a thread with this stack can be seen."""
        if not stack or stack[0] == self.layout.waiting:
            return True
        if stack[0] in self.passed or self.receives(stack[0]):
            return False
        return not any(map(self.is_atomic, stack))

    def all_stacks(self, thread: int) -> list[Stack]:
        """All control stacks of resting threads that the control-flow graph has."""
        found = filter(self.rests, self._every_stack(thread))
        return list(dict.fromkeys([self.start(thread), *found]))

    def _every_stack(self, thread: int) -> list[Stack]:
        found: list[Stack] = [(self.first(thread),)]
        met = set(found)
        for stack in found:  # Grows while it is walked.
            new = [after for after in self._following(stack) if after not in met]
            met.update(new)
            found += dict.fromkeys(new)
        return found

    def _check_sections(self, thread: int) -> None:
        """Refuse a thread that could go round without ever coming to rest."""
        inside = [stack for stack in self._every_stack(thread) if not self.rests(stack)]
        after = {stack: set(self._following(stack)) for stack in inside}
        while after:
            last = [stack for stack, found in after.items() if not found & after.keys()]
            if not last:
                raise Refused("a loop inside an atomic section")
            for stack in last:
                del after[stack]

    def _following(self, stack: Stack) -> list[Stack]:
        if not stack:
            return []
        number = self.layout.locations[stack[0]][0]
        found = []
        for edge in self.leaving(stack[0]):
            target = target_of(edge)
            if isinstance(edge, Call):
                found.append(
                    (self._entry(edge), self.layout.point(number, edge.target), *stack[1:])
                )
            elif target is not None:
                found.append((self.layout.point(number, target), *stack[1:]))
            else:
                found.append(() if isinstance(edge, End) else stack[1:])
        return found

    def _passed_points(self) -> frozenset[int]:
        starts = {self.first(thread) for thread in range(len(self.program.threads))}
        points = range(self.layout.waiting)
        passed = {
            point
            for point in points
            if point not in starts and point not in self._named and self._is_local(point)
        }
        for point in points:
            if point in passed and self._leads_back(point, passed):
                passed.remove(point)
        return frozenset(passed)

    def _leads_back(self, point: int, passed: set[int]) -> bool:
        """Whether a way through passed points leads back, whoever called what is left on it."""
        met: set[int] = set()
        unread = [point]
        while unread:
            for after in self._next_points(unread.pop()):
                if after == point:
                    return True
                if (after in passed or self.receives(after)) and after not in met:
                    met.add(after)
                    unread.append(after)
        return False

    def _next_points(self, point: int) -> Iterator[int]:
        number = self.layout.locations[point][0]
        for edge in self.leaving(point):
            target = target_of(edge)
            if isinstance(edge, Call):
                yield self._entry(edge)
            elif target is not None:
                yield self.layout.point(number, target)
            else:
                yield from self._behind_calls[self.program.procedures[number].name]

    def _entry(self, call: Call) -> int:
        callee = self.program.numbers[call.procedure]
        return self.layout.point(callee, self.program.procedures[callee].entry)

    @cached_property
    def _behind_calls(self) -> dict[str, list[int]]:
        """For each procedure, where its callers go on."""
        found: dict[str, list[int]] = {name: [] for name in self.program.by_name}
        for number, caller in enumerate(self.program.procedures):
            for edge in caller.edges:
                if isinstance(edge, Call):
                    found[edge.procedure].append(self.layout.point(number, edge.target))
        return found

    def _is_local(self, point: int) -> bool:
        """Whether all that a thread can do at a point is local and cannot block."""
        edges = self.leaving(point)
        if not edges or self.is_atomic(point) or not _is_total([edge.guard for edge in edges]):
            return False
        procedure = self.procedure(point)
        return all(self._is_local_edge(procedure, edge) for edge in edges)

    def _is_local_edge(self, procedure: Procedure, edge: Edge) -> bool:
        if not isinstance(edge, Step | Call | Return) or not _touches_locals_only(procedure, edge):
            return False
        if any(map(may_block, expressions_of(edge))):
            return False
        target = target_of(edge)
        if target is None and procedure.name not in self._left_locally:
            return False
        if target is not None and procedure.locations[target].atomic:
            return False
        match edge:
            case Step():
                given = [(scalar_of(each.target), each.value) for each in edge.assignments]
                return edge.constraint == TRUE and all(_fits(*each) for each in given)
            case Call():
                parameters = self.program.by_name[edge.procedure].variables
                pairs = zip(parameters, edge.arguments, strict=False)
                return all(_fits(parameter.scalar, value) for parameter, value in pairs)
        pairs_ = zip(procedure.results, edge.values, strict=True)
        return all(_fits(scalar, value) for scalar, value in pairs_)

    @cached_property
    def _left_locally(self) -> frozenset[str]:
        """The procedures behind whose calls nothing happens at once that is not local."""
        loud: set[str] = set()
        while True:
            found = {
                edge.procedure
                for caller in self.program.procedures
                for edge in caller.edges
                if isinstance(edge, Call) and not self._goes_on_locally(caller, edge, loud)
            }
            if found <= loud:
                return frozenset(self.program.by_name) - loud
            loud |= found

    def _goes_on_locally(self, caller: Procedure, call: Call, loud: set[str]) -> bool:
        if caller.locations[call.target].atomic:
            return False
        results = self.program.by_name[call.procedure].results
        for edge in caller.leaving[call.target]:
            if isinstance(edge, Receive):
                if edge.guard != TRUE or not _touches_locals_only(caller, edge):
                    return False
                if edge.target is None and caller.name in loud:
                    return False
                if edge.target is not None and caller.locations[edge.target].atomic:
                    return False
                for target, result in zip(edge.targets, results, strict=True):
                    if target is not None and not _holds_all(scalar_of(target), result):
                        return False
        return True


class Recursion(Refused):
    """A procedure may call itself."""


def _refuse(program: Program, *, recursive: bool) -> None:
    """Refuse by name what is not looked at here."""
    if program.lock is not None:
        raise Refused("a scheduler lock")
    if program.layout.limits:
        raise Refused("limits of the translation")
    types = range(len(program.threads))
    for number in {number for each in types for number in procedures_run_by(program, each)}:
        procedure = program.procedures[number]
        if any(isinstance(edge, Fork | Join) for edge in procedure.edges):
            raise Refused("threads that are forked or joined")
        met: set[str] = set()
        unread = [procedure.name]
        while unread:
            for name in called_by(program.by_name[unread.pop()].edges) - met:
                met.add(name)
                unread.append(name)
        if procedure.name in met and not recursive:
            raise Recursion(f"recursion: {procedure.name} may call itself")


def _touches_locals_only(procedure: Procedure, edge: Edge) -> bool:
    targets = targets_of(edge)
    if any(isinstance(target, Element) for target in targets):
        return False  # An index may be outside of its array.
    touched = [read.variable for read in reads_of(edge)] + list(map(variable_of, targets))
    return all(variable.procedure == procedure.name for variable in touched)


def _is_total(guards: list[Expression]) -> bool:
    """Whether some edge can always be taken, as one sees at once."""
    if TRUE in guards:
        return True
    plain = [each for each in guards if not any(isinstance(x, Choice) for x in inside(each))]
    return any(Unary("not", each) in plain for each in plain)


def _fits(scalar: Scalar, value: Expression) -> bool:
    """Whether storing a value never blocks, as one sees at once."""
    if _is_open(scalar):
        return True
    assert not isinstance(scalar, Integer | ThreadId)
    match value:
        case Constant():
            return scalar.low <= value.value < scalar.low + scalar.size
        case Choice():
            return _holds_all(scalar, value.type)
        case Read():
            return _holds_all(scalar, value.variable.scalar)
        case Conditional():
            return _fits(scalar, value.then) and _fits(scalar, value.otherwise)
        case Unary(operator=operator) | Binary(operator=operator):
            return operator in _TRUTHS and scalar.low <= 0 and scalar.low + scalar.size >= 2
    return False


def _is_open(scalar: Scalar) -> bool:
    """Whether a type takes every value."""
    if isinstance(scalar, Integer | ThreadId):
        return True
    return isinstance(scalar, Bounded) and scalar.overflow != "block"


def _holds_all(scalar: Scalar, given: Scalar) -> bool:
    """Whether storing any value of a type never blocks."""
    if _is_open(scalar):
        return True
    assert not isinstance(scalar, Integer | ThreadId)
    if isinstance(given, Integer | ThreadId):
        return False
    return scalar.low <= given.low and given.low + given.size <= scalar.low + scalar.size
