"""What a program that forks and joins does, as literally as possible (QR, section 4).

Threads are really dynamic: a state has as many as were forked, their identities are the integers 1,
2, 3, …, while other threads have negative ones, and a thread that has ended stays in the state.
Rounds are sets of whole states. Slots do not exist here. `explore` is the entry point.

A forked thread waits for its first step, makes its steps, and after its last return ends with one
more step (rule SEQEND). Creation by `Create` is the same without an identity.

With `forget`, the identities of ended threads become one value in every variable, and the others
are counted anew; this changes nothing that can be observed, since an ended thread can only be
joined, and makes endless forking and joining finite. If identities are compared, or threads ask
for their own, only ended threads that nothing names are forgotten. The tests compare both.

Growth without end is limited: higher stacks, and states with more threads, are dropped, and
`Findings.exact` says how many rounds are complete nevertheless. Scalars only, no scheduler lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from support.oracles.program_interpreter import OWN, Store, TooLargeError, evaluate
from tepui.program.expressions import Binary, Expression, Self, Variable, inside, is_identity
from tepui.program.program import (
    Assert,
    Call,
    Create,
    Edge,
    End,
    Fork,
    Join,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
)
from tepui.program.types import ThreadId
from tepui.program.walk import expressions_of

NOBODY = 0
DONE = -1
"""The identity of every thread that has ended and was forgotten."""


class Frame(NamedTuple):
    """One entry of a stack."""

    procedure: str
    location: int
    values: tuple[int, ...]


class Thread(NamedTuple):
    """A thread; `identity` is less than DONE if it was not forked."""

    identity: int
    stack: tuple[Frame, ...] = ()
    waiting: bool = False
    """Whether its first step, which does nothing but begin, is still to come."""
    ended: bool = False


class State(NamedTuple):
    values: tuple[int, ...]
    threads: tuple[Thread, ...]
    forked: int = 0
    results: tuple[int, ...] | None = None
    """What was returned and has not been received yet."""


class Violation(NamedTuple):
    line: int


Fact = tuple[str, ...] | tuple[str, int]
"""Something that can be reached: `("violated", LINE)` of an assertion, `("label", L)` where a
thread is, or passes in an atomic section, `("together", L, M)` where two are, `("deadlock",)`."""


@dataclass
class Findings:
    """What was seen, each with the smallest number of contexts that shows it.

    Rounds up to `exact` are complete, so what was not seen up to there is not there; None means
    that there is nothing more, with any number of contexts.
    """

    found: dict[Fact, int] = field(default_factory=dict)
    exact: int | None = None
    rounds: list[int] = field(default_factory=list)
    """The numbers of states for each number of contexts, from 1 on."""

    @property
    def unsafe(self) -> int | None:
        """The fewest contexts for a violation."""
        return min((k for fact, k in self.found.items() if fact[0] == "violated"), default=None)

    def lacks_from(self, k: int) -> None:
        """Note that round k and all later ones may lack something."""
        self.exact = k - 1 if self.exact is None else min(self.exact, k - 1)

    def knows(self, contexts: int | None) -> bool:
        """Whether all rounds up to this one are complete; all there are, for None."""
        return self.exact is None or (contexts is not None and contexts <= self.exact)


def explore(
    program: Program,
    contexts: int = 5,
    *,
    threads: int = 5,
    height: int = 5,
    most: int = 20_000,
    forget: bool = True,
) -> Findings:
    """R_0, R_1, … until nothing is new; TooLargeError if there are more than `most` states."""
    machine = _Machine(program, threads, height, most, forget)
    findings = Findings()
    reached: set[State] = set()
    fresh = set(machine.initial_states())
    machine.note(findings, fresh, 0)
    for k in range(1, contexts + 1):
        reached |= fresh
        closures = [machine.context(findings, fresh, who, k) for who in range(_widest(fresh))]
        fresh = set().union(*closures) - reached
        machine.note(findings, fresh, k)
        findings.rounds.append(len(reached) + len(fresh))
        if len(reached) + len(fresh) > most:
            raise TooLargeError
        if not fresh:
            return findings
    findings.exact = contexts if findings.exact is None else findings.exact
    return findings


class _Machine:
    """Takes steps."""

    def __init__(
        self, program: Program, threads: int, height: int, most: int, forget: bool
    ) -> None:
        self.program = program
        self.threads = threads
        self.height = height
        self.most = most
        self.forget = forget
        self.compares = _compares(program)

    def initial_states(self) -> Iterator[State]:
        stacks = [
            [
                Thread(self._unforked(number, which), (frame,))
                for frame in self._openings(thread.procedure, {}, thread.start)
            ]
            for number, thread in enumerate(self.program.threads)
            for which in range(0 if thread.created else thread.size)
        ]
        for values in _starting(self.program.globals, {}):
            for chosen in product(*stacks):
                yield State(values, chosen)

    def _unforked(self, thread_type: int, which: int) -> int:
        """The identity of a thread that the program begins with."""
        return DONE - 1 - self.program.thread_types.index(thread_type) - which

    def context(self, findings: Findings, start: set[State], who: int, k: int) -> set[State]:
        """What one thread reaches in context number k, and a note of all that it does."""
        reached, waiting = set(start), list(start)
        while waiting:
            state = waiting.pop()
            for after in self.step(findings, state, who, k):
                if after not in reached:
                    reached.add(after)
                    waiting.append(after)
            if len(reached) > self.most:
                raise TooLargeError
        return set(map(self._forgotten, reached)) if self.forget else reached

    def note(self, findings: Findings, states: Iterable[State], k: int) -> None:
        """What new states show by themselves."""
        for state in states:
            for who in range(len(state.threads)):
                self._note_places(findings, state, who, k)
            self._note_deadlock(findings, state, k)

    def step(self, findings: Findings, state: State, who: int, k: int) -> set[State]:
        """One step of a thread, with the whole of every atomic section that it enters."""
        if who >= len(state.threads):
            return set()
        root = len(state.threads[who].stack)
        ways: dict[State, list[State | Violation]] = {}
        waiting, complete = [state], True
        while waiting:
            inside = waiting.pop()
            if inside in ways:
                continue
            ways[inside] = []
            for after in self._moves(inside, who):
                if isinstance(after, State) and self._is_too_large(after, who):
                    complete = False
                    continue
                ways[inside].append(after)
                if isinstance(after, State) and self._is_inside(after, who, root):
                    waiting.append(after)
            if len(ways) > self.most:
                raise TooLargeError
        if not complete:
            findings.lacks_from(k)
        return self._outcome(findings, ways, state, who, k)

    def _outcome(
        self,
        findings: Findings,
        ways: dict[State, list[State | Violation]],
        start: State,
        who: int,
        k: int,
    ) -> set[State]:
        """The ends of all ways that have one; what lies on others does not exist."""
        leading = {s for s, ends in ways.items() if any(end not in ways for end in ends)}
        while more := {s for s in ways if s not in leading and leading.intersection(ways[s])}:
            leading |= more
        after = set()
        for state in leading:
            if state != start:
                self._note_places(findings, state, who, k)
            for end in ways[state]:
                if isinstance(end, Violation):
                    findings.found.setdefault(("violated", end.line), k)
                elif end not in ways:
                    after.add(end)
        return after

    def _note_places(self, findings: Findings, state: State, who: int, k: int) -> None:
        """Where a thread is, alone and together with each of the others."""
        for label in self._labels(state.threads[who]):
            findings.found.setdefault(("label", label), k)
            for other, thread in enumerate(state.threads):
                for another in self._labels(thread) if other != who else ():
                    findings.found.setdefault(("together", *sorted((label, another))), k)

    def _labels(self, thread: Thread) -> tuple[str, ...]:
        if thread.waiting or not thread.stack:
            return ()
        frame = thread.stack[-1]
        return self.program.by_name[frame.procedure].locations[frame.location].labels

    def _note_deadlock(self, findings: Findings, state: State, k: int) -> None:
        """Whether no thread can move, and one of them is not over."""
        if not any(thread.stack for thread in state.threads):
            return
        seen = Findings()
        if any(self.step(seen, state, who, 1) for who in range(len(state.threads))):
            return
        if seen.exact is not None:
            findings.lacks_from(k)
        elif seen.unsafe is None:
            findings.found.setdefault(("deadlock",), k)

    def _is_inside(self, state: State, who: int, root: int) -> bool:
        stack = state.threads[who].stack
        if not 1 <= root <= len(stack):
            return False
        frame = stack[root - 1]
        return self.program.by_name[frame.procedure].locations[frame.location].atomic

    def _is_too_large(self, state: State, who: int) -> bool:
        alive = sum(1 for thread in state.threads if thread.identity > 0 and not thread.ended)
        too_many = state.forked > self.threads if not self.forget else alive > self.threads
        return too_many or len(state.threads[who].stack) > self.height

    def _moves(self, state: State, who: int) -> Iterator[State | Violation]:
        """What the edges at a thread's location lead to, whatever is atomic."""
        thread = state.threads[who]
        if not thread.stack:
            if thread.identity > 0 and not thread.ended and state.results is None:
                yield _with(state, who, thread._replace(ended=True))
            return
        if thread.waiting:
            if state.results is None:
                yield _with(state, who, thread._replace(waiting=False))
            return
        frame = thread.stack[-1]
        procedure = self.program.by_name[frame.procedure]
        store = self._store(state, procedure, frame) | {OWN: (thread.identity,)}
        for edge in procedure.leaving[frame.location]:
            receives = isinstance(edge, Receive)
            if receives == (state.results is not None) and any(evaluate(edge.guard, store)):
                yield from self._take(state, who, edge, store)

    def _store(self, state: State, procedure: Procedure, frame: Frame) -> Store:
        pairs = [
            *zip(self.program.globals, state.values, strict=True),
            *zip(procedure.variables, frame.values, strict=True),
        ]
        return {variable: (value,) for variable, value in pairs}

    def _take(
        self, state: State, who: int, edge: Edge, store: Store
    ) -> Iterator[State | Violation]:
        match edge:
            case Step():
                for after in _written(edge, store):
                    yield self._at(state, who, after, edge.target)
            case Assert():
                holds = evaluate(edge.condition, store)
                if 0 in holds:
                    yield Violation(self._line(state, who))
                if any(holds):
                    yield self._at(state, who, store, edge.target)
            case Call() | Return() | Receive():
                yield from self._called_or_returned(state, who, edge, store)
            case End():
                yield _with(state, who, state.threads[who]._replace(stack=()))
            case Fork():
                yield from self._forked(state, who, edge, store)
            case Join():
                (identity,) = evaluate(edge.thread, store)
                if self._has_ended(state, identity):
                    yield self._at(state, who, store, edge.target)
            case Create():
                yield from self._created(state, who, edge, store)

    def _called_or_returned(
        self, state: State, who: int, edge: Call | Return | Receive, store: Store
    ) -> Iterator[State]:
        match edge:
            case Call():
                rested = self._at(state, who, store, edge.target)
                for frame in self._entered(edge.procedure, edge.arguments, store):
                    thread = rested.threads[who]
                    yield _with(rested, who, thread._replace(stack=(*thread.stack, frame)))
            case Return():
                left = self._at(state, who, store, None)
                for chosen in product(*(evaluate(value, store) for value in edge.values)):
                    yield left._replace(results=self._taken(left, who, chosen))
            case Receive():
                after = dict(store)
                for target, value in zip(edge.targets, state.results or (), strict=True):
                    if target is not None:
                        assert isinstance(target, Variable)
                        after[target] = (value,)
                yield self._at(state._replace(results=None), who, after, edge.target)

    def _taken(self, state: State, who: int, results: tuple[int, ...]) -> tuple[int, ...] | None:
        """What waits for its receipt; nobody takes the results of a whole thread."""
        return results if results and state.threads[who].stack else None

    def _forked(self, state: State, who: int, edge: Fork, store: Store) -> Iterator[State]:
        identity = state.forked + 1
        for frame in self._entered(edge.procedure, edge.arguments, store):
            after = dict(store)
            if edge.variable is not None:
                assert isinstance(edge.variable, Variable)
                after[edge.variable] = (identity,)
            moved = self._at(state, who, after, edge.target)
            new = Thread(identity, (frame,), waiting=True)
            yield moved._replace(threads=(*moved.threads, new), forked=identity)

    def _created(self, state: State, who: int, edge: Create, store: Store) -> Iterator[State]:
        """The threads of each type get the same values."""
        options = []
        for number, given in zip(edge.threads, edge.values, strict=True):
            kind = self.program.threads[number]
            names = [self._unforked(number, which) for which in range(kind.size)]
            starts = [
                [Thread(name, (frame,), waiting=True) for name in names]
                for chosen in product(*(evaluate(value, store) for value in given))
                for frame in self._openings(
                    kind.procedure, dict(zip(kind.inherited, chosen, strict=True)), kind.start
                )
            ]
            options.append(starts)
        moved = self._at(state, who, store, edge.target)
        for chosen in product(*options):
            yield moved._replace(threads=(*moved.threads, *(t for some in chosen for t in some)))

    def _has_ended(self, state: State, identity: int) -> bool:
        if identity <= 0:
            return identity == DONE
        (named,) = (thread for thread in state.threads if thread.identity == identity)
        return named.ended

    def _at(self, state: State, who: int, store: Store, target: int | None) -> State:
        """The state with the values of a store, the running frame at a location or gone."""
        thread = state.threads[who]
        frame = thread.stack[-1]
        variables = self.program.by_name[frame.procedure].variables
        values = tuple(store[variable][0] for variable in variables)
        moved = () if target is None else (Frame(frame.procedure, target, values),)
        changed = state._replace(values=tuple(store[name][0] for name in self.program.globals))
        return _with(changed, who, thread._replace(stack=(*thread.stack[:-1], *moved)))

    def _entered(
        self, procedure: str, arguments: tuple[Expression, ...], store: Store
    ) -> Iterator[Frame]:
        variables = self.program.by_name[procedure].variables
        for chosen in product(*(evaluate(argument, store) for argument in arguments)):
            fixed = dict(zip(variables, chosen, strict=False))
            yield from self._openings(procedure, fixed, None)

    def _openings(
        self, procedure: str, fixed: dict[Variable, int], start: int | None
    ) -> Iterator[Frame]:
        found = self.program.by_name[procedure]
        location = found.entry if start is None else start
        for values in _starting(found.variables, fixed):
            yield Frame(procedure, location, values)

    def _line(self, state: State, who: int) -> int:
        frame = state.threads[who].stack[-1]
        return self.program.by_name[frame.procedure].locations[frame.location].position.line

    def _forgotten(self, state: State) -> State:
        """The same without threads that have ended, their identities all the same; if identities
        are compared, those that something names are kept."""
        named = self._named(state) if self.compares else set()
        kept = [thread for thread in state.threads if not thread.ended or thread.identity in named]
        names = {thread.identity: DONE for thread in state.threads if thread.ended}
        names |= {each: each for each in (*named, NOBODY, DONE) if each <= 0}
        names |= {thread.identity: thread.identity for thread in kept if thread.identity < 0}
        alive = [thread.identity for thread in kept if thread.identity > 0]
        names |= {identity: number for number, identity in enumerate(alive, 1)}
        threads = [
            thread._replace(
                identity=names[thread.identity],
                stack=tuple(
                    frame._replace(
                        values=_renamed(
                            self.program.by_name[frame.procedure].variables, frame.values, names
                        )
                    )
                    for frame in thread.stack
                ),
            )
            for thread in kept
        ]
        values = _renamed(self.program.globals, state.values, names)
        return State(values, tuple(threads), len(alive), state.results)

    def _named(self, state: State) -> set[int]:
        """What the variables of a state name."""
        frames = (frame for thread in state.threads for frame in thread.stack)
        places = [(self.program.globals, state.values)]
        places += [(self.program.by_name[each.procedure].variables, each.values) for each in frames]
        return {
            value
            for variables, values in places
            for variable, value in zip(variables, values, strict=True)
            if isinstance(variable.type, ThreadId)
        }


def _compares(program: Program) -> bool:
    """Whether identities are compared, or asked for."""
    return any(
        isinstance(part, Self) or (isinstance(part, Binary) and is_identity(part.left))
        for procedure in program.procedures
        for edge in procedure.edges
        for expression in expressions_of(edge)
        for part in inside(expression)
    )


def _written(edge: Step, store: Store) -> Iterator[Store]:
    """The stores that a step can lead to."""
    options = [evaluate(assignment.value, store) for assignment in edge.assignments]
    for chosen in product(*options):
        after = dict(store)
        for assignment, value in zip(edge.assignments, chosen, strict=True):
            assert isinstance(assignment.target, Variable)
            after[assignment.target] = (value,)
        if any(evaluate(edge.constraint, store, after)):
            yield after


def _starting(
    variables: tuple[Variable, ...], fixed: dict[Variable, int]
) -> Iterator[tuple[int, ...]]:
    """All ways in which variables can start, some of them with a given value."""
    options: list[list[int]] = []
    for variable in variables:
        low, size = variable.scalar.low, variable.scalar.size
        if variable in fixed:
            options.append([fixed[variable]])
        elif isinstance(variable.type, ThreadId):
            options.append([NOBODY])
        elif variable.initial is not None:
            options.append([variable.initial])
        else:
            options.append(list(range(low, low + size)))
    yield from product(*options)


def _renamed(
    variables: tuple[Variable, ...], values: tuple[int, ...], names: dict[int, int]
) -> tuple[int, ...]:
    pairs = zip(variables, values, strict=True)
    return tuple(names[v] if isinstance(var.type, ThreadId) else v for var, v in pairs)


def _with(state: State, who: int, thread: Thread) -> State:
    return state._replace(threads=(*state.threads[:who], thread, *state.threads[who + 1 :]))


def _widest(states: Iterable[State]) -> int:
    """The number of threads of the state that has most."""
    return max((len(state.threads) for state in states), default=0)
