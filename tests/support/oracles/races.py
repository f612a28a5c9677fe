"""Races, found by looking at every state: two threads next to conflicting accesses.

It follows the section «Races» of docs/program.md. States and moves come from the naive interpreters
(`program_interpreter`, `fork_interpreter`), in which every variable has a value; what an edge reads
is found by evaluating it and writing down what is read on the way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any, NamedTuple

from support.oracles import fork_interpreter, program_interpreter
from support.oracles.program_interpreter import Store, evaluate
from tepui.program.expressions import (
    TRUE,
    Binary,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Variable,
    operands,
    with_operands,
)
from tepui.program.program import (
    Assert,
    Call,
    Create,
    Edge,
    Element,
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

_HIGHEST = 4
"""How high a stack may grow inside an atomic section."""

Memory = tuple[str, int]

Read_ = frozenset[Memory]


class Access(NamedTuple):
    memory: Memory
    write: bool
    inside: bool


class Top(NamedTuple):
    """Where a thread is, and what it sees."""

    procedure: Procedure
    location: int
    store: Store


class Threads(ABC):
    """What an interpreter knows about states, as far as it matters here."""

    program: Program
    cut = False
    """Whether a stack grew too high inside an atomic section, so that something may be missing."""

    @abstractmethod
    def count(self, state: Any) -> int: ...

    @abstractmethod
    def top(self, state: Any, thread: int) -> Top | None: ...

    @abstractmethod
    def height(self, state: Any, thread: int) -> int: ...

    @abstractmethod
    def is_inside(self, state: Any, thread: int, root: int) -> bool: ...

    @abstractmethod
    def take(self, state: Any, thread: int, edge: Edge, store: Store) -> list[Any]:
        """Where an edge leads; anything but a state is a violation."""

    @abstractmethod
    def is_state(self, state: Any) -> bool: ...


class OfProgram(Threads):
    """Programs without forks."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._interpreter = program_interpreter.Interpreter(program, 12, 100_000)

    def count(self, state: Any) -> int:
        return len(state.stacks)

    def top(self, state: Any, thread: int) -> Top | None:
        if not state.stacks[thread]:
            return None
        index, location, values = state.stacks[thread][-1]
        procedure = self.program.procedures[index]
        store: Store = dict(zip(self.program.globals, state.globals, strict=True))
        store |= zip(procedure.variables, values, strict=True)
        return Top(procedure, location, store)

    def height(self, state: Any, thread: int) -> int:
        return len(state.stacks[thread] or ())

    def is_inside(self, state: Any, thread: int, root: int) -> bool:
        return self._interpreter._is_inside(state, thread, root)

    def take(self, state: Any, thread: int, edge: Edge, store: Store) -> list[Any]:
        if not any(evaluate(edge.guard, store)):
            return []
        return list(
            self._interpreter._take(state, thread, edge, self._number(state, thread, edge), store)
        )

    def _number(self, state: Any, thread: int, edge: Edge) -> int:
        """The number of an edge in its procedure, by which assertions are known."""
        edges = self.program.procedures[state.stacks[thread][-1].procedure].edges
        return edges.index(edge) if isinstance(edge, Assert) else -1

    def is_state(self, state: Any) -> bool:
        return isinstance(state, program_interpreter.State)


class OfForks(Threads):
    """Programs that fork and join."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._machine = fork_interpreter._Machine(program, 9, 9, 100_000, True)

    def count(self, state: Any) -> int:
        return len(state.threads)

    def top(self, state: Any, thread: int) -> Top | None:
        one = state.threads[thread]
        if one.waiting or not one.stack:
            return None
        procedure = self.program.by_name[one.stack[-1].procedure]
        store = self._machine._store(state, procedure, one.stack[-1])
        return Top(procedure, one.stack[-1].location, store)

    def height(self, state: Any, thread: int) -> int:
        return len(state.threads[thread].stack)

    def is_inside(self, state: Any, thread: int, root: int) -> bool:
        return self._machine._is_inside(state, thread, root)

    def take(self, state: Any, thread: int, edge: Edge, store: Store) -> list[Any]:
        if not any(evaluate(edge.guard, store)):
            return []
        return list(self._machine._take(state, thread, edge, store))

    def is_state(self, state: Any) -> bool:
        return isinstance(state, fork_interpreter.State)


def racing(threads: Threads, states: Iterable[Any]) -> set[str]:
    """The variables for which two threads race in some state."""
    volatile = {variable.name for variable in threads.program.globals if variable.volatile}
    found = set()
    for state in states:
        next_to = [set(_next_to(threads, state, n)) for n in range(threads.count(state))]
        for some, others in combinations(next_to, 2):
            for one, other in product(some, others):
                conflict = one.memory == other.memory and (one.write or other.write)
                if conflict and not (one.inside and other.inside):
                    found.add(one.memory[0])
    return found - volatile


def _next_to(threads: Threads, state: Any, thread: int) -> Iterator[Access]:
    """What a thread is next to, even if it has to wait until another one has its results."""
    top = threads.top(state, thread)
    if top is None:
        return
    receives = any(isinstance(edge, Receive) for edge in top.procedure.leaving[top.location])
    if receives and state.results is not None:
        accesses = _accesses(threads, state, thread)
        yield from (access for access in accesses if not access.inside)
    elif not receives:
        yield from _accesses(threads, state._replace(results=None), thread)


def _accesses(threads: Threads, state: Any, thread: int) -> Iterator[Access]:
    """What the next step of a thread accesses, with the receipt of the results that it returns."""
    top = threads.top(state, thread)
    if top is None:
        return
    entering = []
    for edge in top.procedure.leaving[top.location]:
        if isinstance(edge, Receive) != (state.results is not None):
            continue
        goes_on = _goes_on(top.procedure, edge)
        if _enters(top.procedure, edge) and not goes_on:
            entering.append(edge)
            continue
        for memory, write in (*_asked(edge, top.store), *_done(threads, state, thread, edge, top)):
            yield Access(memory, write, False)
        if goes_on:
            for after in filter(threads.is_state, threads.take(state, thread, edge, top.store)):
                yield from _accesses(threads, after, thread)
        if isinstance(edge, Return):
            for after in threads.take(state, thread, edge, top.store):
                if after.results is not None:
                    yield from _accesses(threads, after, thread)
    if entering:
        yield from _in_section(threads, state, thread, entering)


def _enters(procedure: Procedure, edge: Edge) -> bool:
    target = target_of(edge)
    return target is not None and procedure.locations[target].atomic


def _goes_on(procedure: Procedure, edge: Edge) -> bool:
    """Whether an edge only checks something before the statement from which it leads."""
    if not isinstance(edge, Assert) or edge.kind == "assertion" or edge.guard != TRUE:
        return False
    if edge.target is None or len(procedure.leaving[edge.source]) > 1:
        return False
    if [each.source for each in procedure.edges if target_of(each) == edge.target] != [edge.source]:
        return False
    behind = procedure.locations[edge.target]
    if not behind.atomic or behind.text or behind.labels:
        return False
    leaving = procedure.leaving[edge.target]
    if any(_goes_on(procedure, each) for each in leaving):
        return True
    return not leaving or not all(_enters(procedure, each) for each in leaving)


class End(NamedTuple):
    """Where a path leaves a section, perhaps in the state in which it began; or a violation."""

    state: Any


class _Section:
    """All paths through the atomic section in front of which a thread is."""

    def __init__(self, threads: Threads, start: Any, thread: int, entering: Sequence[Edge]) -> None:
        self._threads = threads
        self._thread = thread
        self._root = threads.height(start, thread)
        self.edges: dict[Any, list[tuple[Edge, list[Any]]]] = {}
        """For each state inside, where each edge leads."""
        waiting = [start]
        while waiting:
            state = waiting.pop()
            if state in self.edges:
                continue
            top = self.top(state)
            leaving = entering if state == start else top.procedure.leaving[top.location]
            self.edges[state] = [
                (edge, self.led(state, edge))
                for edge in leaving
                if isinstance(edge, Receive) == (state.results is not None)
            ]
            inside = (each for _, after in self.edges[state] for each in after)
            waiting += (each for each in inside if not isinstance(each, End))
        self.complete: set[Any] = set()
        size = -1
        while size < len(self.complete):
            size = len(self.complete)
            for state, some in self.edges.items():
                if any(self.leads_out(after) for _, after in some):
                    self.complete.add(state)

    def top(self, state: Any) -> Top:
        top = self._threads.top(state, self._thread)
        assert top is not None
        return top

    def led(self, state: Any, edge: Edge) -> list[Any]:
        """Where an edge leads from a state; stacks that are too high are left out."""
        threads, found = self._threads, []
        for after in threads.take(state, self._thread, edge, self.top(state).store):
            if not threads.is_state(after) or not threads.is_inside(
                after, self._thread, self._root
            ):
                found.append(End(after))
            elif threads.height(after, self._thread) <= self._root + _HIGHEST:
                found.append(after)
            else:
                threads.cut = True
        return found

    def leads_out(self, states: Iterable[Any]) -> bool:
        return any(isinstance(state, End) or state in self.complete for state in states)


def _in_section(
    threads: Threads, start: Any, thread: int, entering: Sequence[Edge]
) -> Iterator[Access]:
    """What is accessed on complete paths."""
    section = _Section(threads, start, thread, entering)
    for state in section.complete:
        top = section.top(state)
        for edge, after in section.edges[state]:
            found = list(_asked(edge, top.store))
            for variant, written in _variants(edge, top.store):
                if section.leads_out(section.led(state, variant)):
                    found += written
            if section.leads_out(after):
                found += ((m, w) for m, w in _done(threads, state, thread, edge, top) if not w)
            yield from (Access(memory, write, True) for memory, write in found)
            ends = (end.state for end in after if isinstance(end, End))
            for end in filter(threads.is_state, ends):
                if end.results is not None:
                    yield from _accesses(threads, end, thread)


def _asked(edge: Edge, store: Store) -> Iterator[tuple[Memory, bool]]:
    """What the guard reads."""
    for _, memories in _outcomes(edge.guard, store, None, frozenset()):
        yield from ((memory, False) for memory in memories)


def _done(
    threads: Threads, state: Any, thread: int, edge: Edge, top: Top
) -> Iterator[tuple[Memory, bool]]:
    """What an edge reads if its guard holds, and writes if it can be taken."""
    store = top.store
    if not any(evaluate(edge.guard, store)):
        return
    for expression in _expressions(edge):
        for _, memories in _outcomes(expression, store, None, frozenset()):
            yield from ((memory, False) for memory in memories)
    if isinstance(edge, Step) and edge.constraint != TRUE:
        own = frozenset(
            each.target for each in edge.assignments if isinstance(each.target, Variable)
        )
        for after in program_interpreter._assigned(replace(edge, constraint=TRUE), store):
            for _, memories in _outcomes(edge.constraint, store, after, own):
                yield from ((memory, False) for memory in memories)
    for variant, written in _variants(edge, store):
        if threads.take(state, thread, variant, store):
            yield from written


def _variants(edge: Edge, store: Store) -> Iterator[tuple[Edge, list[tuple[Memory, bool]]]]:
    """The edge for each element that it may write, and what it writes then."""
    targets: Sequence[Target | None] = ()
    match edge:
        case Step():
            targets = [each.target for each in edge.assignments]
        case Receive():
            targets = edge.targets
        case Fork():
            targets = [edge.variable]
    for number, target in enumerate(targets):
        if isinstance(target, Variable):
            if target.procedure is None:
                yield edge, [((target.name, 0), True)]
        elif isinstance(target, Element) and target.variable.procedure is None:
            for index in evaluate(target.index, store):
                if 0 <= index < target.variable.length:
                    fixed = Element(target.variable, Constant(index))
                    yield _with_target(edge, number, fixed), [((target.variable.name, index), True)]


def _with_target(edge: Edge, number: int, target: Element) -> Edge:
    match edge:
        case Step():
            changed = list(edge.assignments)
            changed[number] = replace(changed[number], target=target)
            return replace(edge, assignments=tuple(changed))
        case Receive():
            targets = list(edge.targets)
            targets[number] = target
            return replace(edge, targets=tuple(targets))
    raise AssertionError


def _expressions(edge: Edge) -> list[Expression]:
    """All that an edge evaluates, except guard and constraint."""
    match edge:
        case Step():
            found = [each.value for each in edge.assignments]
            return found + _indices([each.target for each in edge.assignments])
        case Call():
            return list(edge.arguments)
        case Return():
            return list(edge.values)
        case Receive():
            return _indices(edge.targets)
        case Assert():
            return [edge.condition]
        case Create():
            return [value for some in edge.values for value in some]
        case Fork():
            return list(edge.arguments)
        case Join():
            return [edge.thread]
    return []


def _indices(targets: Iterable[Target | None]) -> list[Expression]:
    return [target.index for target in targets if isinstance(target, Element)]


def _outcomes(
    expression: Expression, store: Store, after: Store | None, own: frozenset[Variable]
) -> Iterator[tuple[int | None, Read_]]:
    """Every way to evaluate an expression: its value, None if it blocks, and what it reads."""
    nothing: Read_ = frozenset()
    match expression:
        case Read():
            new = expression.after and expression.variable in own
            read = nothing if new else _memory(expression.variable, 0)
            yield from ((value, read) for value in evaluate(expression, store, after))
        case ReadElement():
            for index, read in _outcomes(expression.index, store, after, own):
                if index is None or not 0 <= index < expression.variable.length:
                    yield None, read
                else:
                    more = _memory(expression.variable, index)
                    yield store[expression.variable][index], read | more
        case Binary(operator="and" | "or" | "implies"):
            for left, read in _outcomes(expression.left, store, after, own):
                if left is None or bool(left) == (expression.operator == "or"):
                    yield None if left is None else int(expression.operator != "and"), read
                    continue
                for right, more in _outcomes(expression.right, store, after, own):
                    yield None if right is None else int(right != 0), read | more
        case Conditional():
            for condition, read in _outcomes(expression.condition, store, after, own):
                chosen = expression.then if condition else expression.otherwise
                if condition is None:
                    yield None, read
                    continue
                yield from (
                    (value, read | more) for value, more in _outcomes(chosen, store, after, own)
                )
        case _:
            yield from _strict(expression, store, after, own, list(operands(expression)), ())


def _strict(
    expression: Expression,
    store: Store,
    after: Store | None,
    own: frozenset[Variable],
    left: list[Expression],
    values: tuple[int, ...],
) -> Iterator[tuple[int | None, Read_]]:
    """An operator that evaluates all its operands, one after the other."""
    if not left:
        constants = iter([Constant(value) for value in values])
        results = evaluate(with_operands(expression, lambda _: next(constants)), {})
        yield from ((value, frozenset()) for value in results or [None])
        return
    for value, read in _outcomes(left[0], store, after, own):
        if value is None:
            yield None, read
            continue
        for result, more in _strict(expression, store, after, own, left[1:], (*values, value)):
            yield result, read | more


def _memory(variable: Variable, index: int) -> Read_:
    return frozenset() if variable.procedure is not None else frozenset([(variable.name, index)])


def fork_states(
    program: Program, contexts: int = 4, most: int = 20_000
) -> tuple[set[fork_interpreter.State], bool]:
    """The states of a program that forks, and whether these are all of them."""
    machine = fork_interpreter._Machine(program, 4, 5, most, True)
    findings = fork_interpreter.Findings()
    reached: set[fork_interpreter.State] = set()
    fresh = set(machine.initial_states())
    for k in range(1, contexts + 1):
        reached |= fresh
        widest = max((len(state.threads) for state in fresh), default=0)
        closures = [machine.context(findings, fresh, who, k) for who in range(widest)]
        fresh = set().union(*closures) - reached
        if not fresh:
            break
        if len(reached) + len(fresh) > most:
            raise program_interpreter.TooLargeError
    return reached, not fresh and findings.exact is None
