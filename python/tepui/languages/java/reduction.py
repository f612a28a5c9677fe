"""Steps that nobody can come between usefully are made one (Lipton, 1975).

An access is a *mover* if it does not matter whether steps of other threads come just before or just
after it: it reads what never changes once others know it, it touches an object that nobody else
knows, or all accesses of the same variable hold the same monitor. Leaving a monitor can always be
moved ahead of what others do. So a place at which only such things happen, and where nothing waits,
becomes part of the step before: it is atomic. No place does at which a procedure begins or a call
comes back, and each loop keeps one that does not.

A check that fails is not made inside such a step: the thread rests in front of it, as others may do
something else first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from tepui.languages.java.held_monitors import HeldMonitors, is_owner_test, monitor_effect
from tepui.languages.java.stack_values import negated
from tepui.program.expressions import (
    FALSE,
    TRUE,
    Choice,
    Constant,
    Expression,
    Variable,
    inside,
    reads,
)
from tepui.program.program import (
    Assert,
    Call,
    Edge,
    Element,
    Location,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    target_of,
    variable_of,
)
from tepui.program.walk import expressions_of
from tepui.records import replace

Steady = Callable[[Variable], bool]
"""Whether a variable does not change once several threads know it."""


def reduced(program: Program, steady: Steady, restoring: Collection[str]) -> Program:
    """The same program with larger steps. Some procedures give up monitors and take them back
    before they return."""
    return _Reduction(program, steady, restoring).program()


class _Reduction:
    """Decides which places become atomic."""

    def __init__(self, program: Program, steady: Steady, restoring: Collection[str]) -> None:
        self._program = program
        self._globals = set(program.globals)
        self._held = HeldMonitors(program, restoring)
        self._free = {each for each in program.globals if steady(each)}
        self._guarded = self._guarded_variables()

    def program(self) -> Program:
        return replace(
            self._program, procedures=tuple(map(self._procedure, self._program.procedures))
        )

    def _guarded_variables(self) -> set[Variable]:
        """Variables all of whose accesses hold a common monitor, except before any other thread
        runs."""
        common: dict[Variable, frozenset[int] | None] = {}
        for procedure in self._program.procedures:
            for edge in procedure.edges:
                place = procedure.name, edge.source
                if not self._held.is_shared(*place):
                    continue
                held = self._held.at(*place)
                for variable in self._touched(edge):
                    known = common.get(variable)
                    common[variable] = held if known is None else known & held
        return {each for each, held in common.items() if held}

    def _touched(self, edge: Edge) -> Iterator[Variable]:
        """The global variables that an edge reads or writes."""
        for expression in expressions_of(edge):
            for each in reads(expression):
                if each.variable in self._globals:
                    yield each.variable
        for variable in _assigned(edge):
            if variable in self._globals:
                yield variable

    def _procedure(self, procedure: Procedure) -> Procedure:
        kept = {procedure.entry, *_loop_heads(procedure)}
        kept |= {each.target for each in procedure.edges if isinstance(each, Call)}
        kept |= {
            thread.start
            for thread in self._program.threads
            if thread.procedure == procedure.name and thread.start is not None
        }
        changed = {
            number
            for number, location in enumerate(procedure.locations)
            if number not in kept and not location.atomic
            if self._moves(procedure, number)
        }
        return _with_atomic(procedure, changed) if changed else procedure

    def _moves(
        self, procedure: Procedure, number: int, passed: frozenset[int] = frozenset()
    ) -> bool:
        """Whether all that can happen at a place, up to where the thread rests again, can move
        ahead of what others do, and something always can."""
        edges = procedure.leaving[number]
        if not edges or number in passed:
            return False
        if len(edges) == 1 and isinstance(edges[0], Step) and edges[0].guard != TRUE:
            return False
        if not all(self._is_mover(edge) for edge in edges):
            return False
        targets = {target_of(edge) for edge in edges}
        inside = (each for each in targets if each is not None)
        return all(
            self._moves(procedure, each, passed | {number})
            for each in inside
            if procedure.locations[each].atomic
        )

    def _is_mover(self, edge: Edge) -> bool:
        match edge:
            case Step():
                return edge.constraint == TRUE and self._is_moving_step(edge)
            case Assert():
                known = isinstance(edge.condition, Constant) or _chooses(edge.condition)
                return not known and edge.guard == TRUE and self._is_known(edge.condition)
            case Call():
                return all(map(self._is_known, (*edge.arguments, edge.guard)))
            case Return():
                return all(map(self._is_known, (*edge.values, edge.guard)))
            case Receive():
                return not any(each in self._globals for each in _assigned(edge))
        return False

    def _is_moving_step(self, edge: Step) -> bool:
        effect = monitor_effect(edge)
        if effect is not None:
            if effect.enters or not self._is_known(edge.guard):
                return False
            others = (a for a in edge.assignments if variable_of(a.target).name not in _MONITORS)
            return all(
                variable_of(a.target) not in self._globals or self._is_free(variable_of(a.target))
                for a in others
            )
        if any(_chooses(expression) for expression in expressions_of(edge)):
            return False
        targets = (each.target for each in edge.assignments)
        for target in targets:
            variable = variable_of(target)
            if variable in self._globals and not self._is_free(variable):
                return False
            if isinstance(target, Element) and not self._is_known(target.index):
                return False
        values = (each.value for each in edge.assignments)
        return all(map(self._is_known, (edge.guard, *values)))

    def _is_free(self, variable: Variable) -> bool:
        return variable in self._free or variable in self._guarded

    def _is_known(self, expression: Expression) -> bool:
        """Whether nobody else can change the value of an expression meanwhile."""
        if isinstance(expression, Constant):
            return True
        if is_owner_test(expression):
            return True
        if _is_entry_check(expression):
            return True
        return all(
            each.variable not in self._globals or self._is_free(each.variable)
            for each in reads(expression)
        )


_MONITORS = ("monitor", "entries")


def _is_entry_check(expression: Expression) -> bool:
    """Whether an expression asks how often the thread itself is in a monitor."""
    from tepui.program.expressions import Binary

    return (
        isinstance(expression, Binary)
        and expression.operator == "or"
        and isinstance(expression.left, Binary)
        and expression.left.operator == "!="
        and is_owner_test(replace(expression.left, operator="="))
        and all(each.variable.name == "entries" for each in reads(expression.right))
    )


def _chooses(expression: Expression) -> bool:
    return any(isinstance(each, Choice) for each in inside(expression))


def _assigned(edge: Edge) -> Iterator[Variable]:
    if isinstance(edge, Step):
        for each in edge.assignments:
            yield variable_of(each.target)
    elif isinstance(edge, Receive):
        for target in edge.targets:
            if target is not None:
                yield variable_of(target)


def _loop_heads(procedure: Procedure) -> set[int]:
    """Places such that each way around a loop passes one of them."""
    heads: set[int] = set()
    done: set[int] = set()
    path: set[int] = set()
    for start in range(len(procedure.locations)):
        if start in done:
            continue
        stack: list[tuple[int, Iterator[int]]] = [(start, _successors(procedure, start))]
        path.add(start)
        while stack:
            at, following = stack[-1]
            for other in following:
                if other in path:
                    heads.add(other)
                elif other not in done:
                    path.add(other)
                    stack.append((other, _successors(procedure, other)))
                    break
            else:
                stack.pop()
                path.discard(at)
                done.add(at)
    return heads


def _successors(procedure: Procedure, number: int) -> Iterator[int]:
    for edge in procedure.leaving[number]:
        target = target_of(edge)
        if target is not None:
            yield target


def _with_atomic(procedure: Procedure, changed: Iterable[int]) -> Procedure:
    """The procedure with some places made atomic, and checks at them so that they cannot fail
    there."""
    locations = list(procedure.locations)
    for number in changed:
        locations[number] = replace(locations[number], atomic=True)
    edges: list[Edge] = []
    for edge in procedure.edges:
        if isinstance(edge, Assert) and edge.source in changed:
            front = len(locations)
            old = procedure.locations[edge.source]
            locations.append(Location(old.position, old.text))
            edges.append(Step(edge.source, edge.target, edge.condition))
            edges.append(Step(edge.source, front, negated(edge.condition)))
            edges.append(Assert(front, edge.target, FALSE, TRUE, edge.kind, edge.message))
        else:
            edges.append(edge)
    return replace(procedure, locations=tuple(locations), edges=tuple(edges))
