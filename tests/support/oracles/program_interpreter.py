"""What a program does, as literally as possible: the naive interpreter of the oracle.

It follows the text of `tepui.program.program`. Every variable has a value at any time: a variable
that starts with any value gets one when it is created, and every `Choice` is enumerated where it
stands. A state holds whole stacks of whole activations, and an atomic section is a search through
such states. Nothing is merged, summarised or found dead.

States in which the program has halted are left out: every thread except the one that violated the
assertion rests where it rested before, so they show nothing new.

Stacks may grow without end, so those higher than `depth` are dropped, and outcomes say so. A
program is refused with TooLargeError if it has more than `most` states, or if too many more have to
be explored inside atomic sections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple

from tepui.program.expressions import (
    Binary,
    Choice,
    Conditional,
    Constant,
    Convert,
    Expression,
    Read,
    ReadElement,
    Self,
    Unary,
    Variable,
)
from tepui.program.program import (
    Assert,
    Call,
    Create,
    Edge,
    Element,
    End,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    Target,
)
from tepui.program.types import THREAD, Bounded, Scalar

Place = tuple[str, str, int]
"""A location: the name of the thread type that is there, the procedure, the location's number."""

Valuation = tuple[tuple[int, ...], ...]
"""The values of some variables: one for a scalar, one for each element of an array."""

Store = dict[Variable, tuple[int, ...]]

OWN = Variable("the running thread", THREAD)
"""A name in every store for who it belongs to."""


class Activation(NamedTuple):
    """One entry of a stack: where in which procedure, with which values."""

    procedure: int
    location: int
    values: Valuation


class State(NamedTuple):
    """A whole state of a program."""

    globals: Valuation
    stacks: tuple[tuple[Activation, ...] | None, ...]
    """For each thread, its activations, the running one last; None while it waits for creation."""
    created: tuple[tuple[int, ...] | None, ...]
    """For each thread type that was created, what its threads inherit."""
    results: tuple[int, ...] | None = None
    """What was returned and has not been received yet."""
    holder: int | None = None
    """The thread type that has the scheduler lock."""


class Violation(NamedTuple):
    """A step that ends in the violation of an assertion."""

    assertion: int


class Outcome(NamedTuple):
    """All that one step of one thread can lead to."""

    after: frozenset[State] = frozenset()
    violated: frozenset[int] = frozenset()
    passed: frozenset[tuple[int, int]] = frozenset()
    """The locations on complete paths through atomic sections: procedure and number."""
    blocked: bool = False
    """Whether some path ends, or goes round for ever, inside an atomic section."""
    cut: bool = False
    """Whether `after` lacks states because of their height."""
    cut_inside: bool = False
    """Whether there may be more, because a stack grew too high inside an atomic section."""

    @property
    def moves(self) -> bool:
        return bool(self.after or self.violated or self.cut)


class TooLargeError(Exception):
    """The program has more states than brute force is allowed to see."""


class Interpreter:
    """What a program does, one step at a time."""

    def __init__(self, program: Program, depth: int = 6, most: int = 4000) -> None:
        self.program = program
        self.depth = depth
        self.most = most
        self.owners = [t for t, thread in enumerate(program.threads) for _ in range(thread.size)]
        """For each thread, its type."""
        assertions = [
            (index, number)
            for index, procedure in enumerate(program.procedures)
            for number, edge in enumerate(procedure.edges)
            if isinstance(edge, Assert)
        ]
        self._assertions = {where: number for number, where in enumerate(assertions)}
        self._indices = {procedure.name: i for i, procedure in enumerate(program.procedures)}
        self._outcomes: dict[tuple[State, int], Outcome] = {}
        self._looked_at = 0

    def initial_states(self) -> Iterator[State]:
        stacks = [
            [None] if self.program.threads[owner].created else self._start_stacks(owner)
            for owner in self.owners
        ]
        nothing = (None,) * len(self.program.threads)
        openings = list(self._openings(self.program.globals, {}))
        if len(openings) * prod(map(len, stacks)) > self.most:
            raise TooLargeError
        for values in openings:
            for chosen in product(*stacks):
                state = State(values, chosen, nothing)
                if not (self._locked(state) and self._lock_is_open()):
                    yield state

    def step(self, state: State, thread: int) -> Outcome:
        """One step of a thread, with the whole of every atomic section that it enters."""
        if (state, thread) not in self._outcomes:
            self._outcomes[state, thread] = self._step(state, thread)
        return self._outcomes[state, thread]

    def place(self, thread: int, procedure: int, location: int) -> Place:
        name = self.program.threads[self.owners[thread]].name
        return name, self.program.procedures[procedure].name, location

    def _step(self, state: State, thread: int) -> Outcome:
        stack = state.stacks[thread]
        if stack == () or not self._may_run(state, thread):
            return Outcome()
        if stack is None:
            return Outcome(after=self._released(self._starts(state, thread), thread))
        return self._run_section(state, thread, len(stack))

    def _may_run(self, state: State, thread: int) -> bool:
        """Whether the scheduler lets a thread run."""
        return not self._locked(state) or state.holder == self.owners[thread]

    def _locked(self, state: State) -> bool:
        lock = self.program.lock
        return lock is not None and state.globals[self.program.globals.index(lock)] != (0,)

    def _lock_is_open(self) -> bool:
        """A lock that could start with any value is not taken at the start, for by whom?"""
        return self.program.lock is not None and self.program.lock.initial is None

    def _released(self, states: Iterable[State], thread: int) -> frozenset[State]:
        """After a step, the one who made it holds the lock, or nobody does."""
        owner = self.owners[thread]
        return frozenset(
            state._replace(holder=owner if self._locked(state) else None) for state in states
        )

    def _starts(self, state: State, thread: int) -> Iterator[State]:
        owner = self.owners[thread]
        inherited = state.created[owner]
        if inherited is not None and state.results is None:
            for stack in self._start_stacks(owner, inherited):
                yield _with_stack(state, thread, stack)

    def _start_stacks(self, owner: int, given: tuple[int, ...] = ()) -> list[tuple[Activation]]:
        thread = self.program.threads[owner]
        procedure = self.program.procedure_of(thread)
        location = procedure.entry if thread.start is None else thread.start
        fixed = dict(zip(thread.inherited, given, strict=bool(given)))
        return [
            (Activation(self._indices[procedure.name], location, values),)
            for values in self._openings(procedure.variables, fixed)
        ]

    def _openings(
        self, variables: tuple[Variable, ...], fixed: dict[Variable, int]
    ) -> Iterator[Valuation]:
        """All ways in which variables can start, some of them with a given value."""
        options: list[list[tuple[int, ...]]] = []
        for variable in variables:
            value = fixed.get(variable, 0 if variable.scalar == THREAD else variable.initial)
            if value is not None:
                options.append([(value,) * variable.length])
            elif variable.scalar.size**variable.length > self.most:
                raise TooLargeError
            else:
                options.append(list(product(_range(variable.scalar), repeat=variable.length)))
        if prod(map(len, options)) > self.most:
            raise TooLargeError
        yield from product(*options)

    def _run_section(self, start: State, thread: int, root: int) -> Outcome:
        """Follow all paths until the activation number `root` is not at an atomic location."""
        ways: dict[State, set[State]] = {}
        ends: dict[State, set[State | Violation]] = {}
        waiting, cut, cut_inside = [start], False, False
        while waiting:
            state = waiting.pop()
            if state in ways:
                continue
            ways[state], ends[state] = set(), set()
            for after in self._moves(state, thread):
                if isinstance(after, Violation) or not self._is_inside(after, thread, root):
                    cut |= self._is_too_high(after, thread)
                    ends[state].add(after)
                elif self._is_too_high(after, thread):
                    cut_inside = True
                else:
                    ways[state].add(after)
                    waiting.append(after)
            self._looked_at += 1
            if self._looked_at > 20 * self.most:
                raise TooLargeError
        complete = _leading_out(ways, ends)
        kept = {end for state in complete for end in ends[state]}
        low = [e for e in kept if isinstance(e, State) and not self._is_too_high(e, thread)]
        return Outcome(
            self._released(low, thread),
            frozenset(end.assertion for end in kept if isinstance(end, Violation)),
            frozenset(_top(state, thread)[:2] for state in complete - {start}),
            not cut_inside and not ways.keys() - {start} <= complete,
            cut,
            cut_inside,
        )

    def _is_inside(self, state: State, thread: int, root: int) -> bool:
        stack = state.stacks[thread]
        if stack is None or len(stack) < root:
            return False
        procedure, location, _ = stack[root - 1]
        return self.program.procedures[procedure].locations[location].atomic

    def _is_too_high(self, end: State | Violation, thread: int) -> bool:
        return isinstance(end, State) and len(end.stacks[thread] or ()) > self.depth

    def _moves(self, state: State, thread: int) -> Iterator[State | Violation]:
        """What the edges at the thread's location lead to, whatever is atomic."""
        top = _top(state, thread)
        procedure = self.program.procedures[top.procedure]
        store: Store = dict(zip(self.program.globals, state.globals, strict=True))
        store |= zip(procedure.variables, top.values, strict=True)
        store[OWN] = (1 + thread,)
        for number, edge in enumerate(procedure.edges):
            if edge.source != top.location:
                continue
            if isinstance(edge, Receive) != (state.results is not None):
                continue
            if any(evaluate(edge.guard, store)):
                yield from self._take(state, thread, edge, number, store)

    def _take(
        self, state: State, thread: int, edge: Edge, number: int, store: Store
    ) -> Iterator[State | Violation]:
        match edge:
            case Step():
                for after in _assigned(edge, store):
                    yield self._at(state, thread, after, edge.target)
            case Call():
                yield from self._called(state, thread, edge, store)
            case Receive():
                yield from self._received(state, thread, edge, store)
            case Return():
                yield from self._returned(state, thread, edge, store)
            case Assert():
                holds = evaluate(edge.condition, store)
                if 0 in holds:
                    yield Violation(self._assertions[_top(state, thread).procedure, number])
                if any(holds):
                    yield self._at(state, thread, store, edge.target)
            case Create():
                for created in self._creations(state, edge, store):
                    after_creation = state._replace(created=created)
                    yield self._at(after_creation, thread, store, edge.target)
            case End():
                yield _with_stack(state, thread, ())

    def _at(self, state: State, thread: int, store: Store, target: int | None) -> State:
        """The state with the values of a store, the running activation at a location or gone."""
        stack = state.stacks[thread] or ()
        index = stack[-1].procedure
        variables = self.program.procedures[index].variables
        values = tuple(store[variable] for variable in variables)
        moved = () if target is None else (Activation(index, target, values),)
        changed = state._replace(globals=tuple(store[name] for name in self.program.globals))
        return _with_stack(changed, thread, (*stack[:-1], *moved))

    def _called(self, state: State, thread: int, call: Call, store: Store) -> Iterator[State]:
        rested = self._at(state, thread, store, call.target)
        callee = self.program.by_name[call.procedure]
        for given in product(*_arguments(callee, call, store)):
            fixed = dict(zip(callee.variables, given, strict=False))
            for values in self._openings(callee.variables, fixed):
                entered = Activation(self._indices[callee.name], callee.entry, values)
                yield _with_stack(rested, thread, (*(rested.stacks[thread] or ()), entered))

    def _received(self, state: State, thread: int, edge: Receive, store: Store) -> Iterator[State]:
        pairs = zip(edge.targets, state.results or (), strict=True)
        for after in _written([(to, {value}) for to, value in pairs if to is not None], store):
            yield self._at(state._replace(results=None), thread, after, edge.target)

    def _returned(self, state: State, thread: int, edge: Return, store: Store) -> Iterator[State]:
        results = self.program.procedures[_top(state, thread).procedure].results
        values = [
            _stored(kind, evaluate(value, store))
            for kind, value in zip(results, edge.values, strict=True)
        ]
        for chosen in product(*values):
            left = self._at(state, thread, store, None)
            yield left._replace(results=chosen if results else None)

    def _creations(
        self, state: State, edge: Create, store: Store
    ) -> Iterator[tuple[tuple[int, ...] | None, ...]]:
        options = []
        for owner, given in zip(edge.threads, edge.values or [()] * len(edge.threads), strict=True):
            inherited = self.program.threads[owner].inherited
            pairs = zip(inherited, given, strict=True)
            values = [_stored(name.scalar, evaluate(value, store)) for name, value in pairs]
            options.append(list(product(*values)))
        for chosen in product(*options):
            created = list(state.created)
            for owner, inherits in zip(edge.threads, chosen, strict=True):
                created[owner] = inherits
            yield tuple(created)


def evaluate(expression: Expression, store: Store, after: Store | None = None) -> set[int]:
    """All values that an expression can have; none where its evaluation blocks."""
    match expression:
        case Constant():
            return {expression.value}
        case Read():
            values = after if expression.after and after is not None else store
            return set(values[expression.variable])
        case ReadElement():
            elements = store[expression.variable]
            indices = evaluate(expression.index, store, after)
            return {elements[index] for index in indices if 0 <= index < len(elements)}
        case Self():
            return set(store[OWN])
        case Choice():
            return set(_range(expression.type))
        case Unary():
            negate: Callable[[int], int] = _UNARY[expression.operator]
            return {negate(value) for value in evaluate(expression.operand, store, after)}
        case Binary():
            return _evaluate_binary(expression, store, after)
        case Convert():
            return set(_stored(expression.type, evaluate(expression.operand, store, after)))
        case Conditional():
            return {
                value
                for holds in evaluate(expression.condition, store, after)
                for value in evaluate(
                    expression.then if holds else expression.otherwise, store, after
                )
            }


def _evaluate_binary(expression: Binary, store: Store, after: Store | None) -> set[int]:
    values = set()
    for left in evaluate(expression.left, store, after):
        match expression.operator, bool(left):
            case ("and", False):
                values.add(0)
            case ("or", True) | ("implies", False):
                values.add(1)
            case _:
                for right in evaluate(expression.right, store, after):
                    if _has_value(expression.operator, right):
                        values.add(int(_BINARY[expression.operator](left, right)))
    return values


_UNARY: dict[str, Callable[[int], int]] = {
    "not": lambda value: int(value == 0),
    "minus": lambda value: -value,
    "complement": lambda value: -1 - value,
}

_BINARY: dict[str, Callable[[int, int], int]] = {
    # The left side alone has not decided these three.
    "and": lambda left, right: right != 0,
    "or": lambda left, right: right != 0,
    "implies": lambda left, right: right != 0,
    "xor": lambda left, right: (left != 0) != (right != 0),
    "=": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: int(Fraction(left, right)),
    "%": lambda left, right: left - right * int(Fraction(left, right)),
    "&": lambda left, right: left & right,
    "|": lambda left, right: left | right,
    "^": lambda left, right: left ^ right,
    "<<": lambda left, right: left * 2**right,
    ">>": lambda left, right: left // 2**right,
}


def _has_value(operator: str, right: int) -> bool:
    match operator:
        case "/" | "%":
            return right != 0
        case "<<" | ">>":
            return right in range(64)
    return True


def _assigned(edge: Step, store: Store) -> Iterator[Store]:
    """The stores that a step can lead to."""
    written = [(item.target, evaluate(item.value, store)) for item in edge.assignments]
    for after in _written(written, store):
        if any(evaluate(edge.constraint, store, after)):
            yield after


def _written(written: list[tuple[Target, set[int]]], store: Store) -> Iterator[Store]:
    """The store with values written to all targets at once, later ones over earlier ones."""
    options = []
    for target, values in written:
        variable = target.variable if isinstance(target, Element) else target
        indices = evaluate(target.index, store) if isinstance(target, Element) else {0}
        inside = [index for index in indices if 0 <= index < variable.length]
        options.append(list(product([variable], inside, _stored(variable.scalar, values))))
    for chosen in product(*options):
        after = dict(store)
        for variable, index, value in chosen:
            elements = after[variable]
            after[variable] = (*elements[:index], value, *elements[index + 1 :])
        yield after


def _arguments(callee: Procedure, call: Call, store: Store) -> list[list[int]]:
    parameters = callee.variables[: callee.parameters]
    return [
        _stored(parameter.scalar, evaluate(argument, store))
        for parameter, argument in zip(parameters, call.arguments, strict=True)
    ]


def _stored(kind: Scalar, values: set[int]) -> list[int]:
    """What becomes of values that are stored in a variable of some type."""
    kept = set()
    for value in values:
        if kind == THREAD or value in _range(kind):
            kept.add(value)
        elif isinstance(kind, Bounded) and kind.overflow == "wrap":
            kept.add(kind.low + (value - kind.low) % kind.size)
        elif isinstance(kind, Bounded) and kind.overflow == "saturate":
            kept.add(kind.low if value < kind.low else kind.high)
    return sorted(kept)


def _range(kind: Scalar) -> range:
    return range(kind.low, kind.low + kind.size)


def _leading_out(
    ways: dict[State, set[State]], ends: dict[State, set[State | Violation]]
) -> set[State]:
    """The states from which some path comes to an end."""
    found: set[State] = set()
    while True:
        more = {state for state in ways.keys() - found if ends[state] or ways[state] & found}
        if not more:
            return found
        found |= more


def _top(state: State, thread: int) -> Activation:
    return (state.stacks[thread] or ())[-1]


def _with_stack(state: State, thread: int, stack: tuple[Activation, ...]) -> State:
    stacks = state.stacks
    return state._replace(stacks=(*stacks[:thread], stack, *stacks[thread + 1 :]))
