"""Context-bounded analysis of threads with weights: R(S, T) of WPDS, section 4.4.

Threads share states and weights, and each has a stack of its own. R(S, T) is the combine of the
values of all runs from S to T with at most k contexts, that is, k - 1 switches. A configuration of
all threads is ⟨p | u₁, …, u_n⟩; as S and as T we take one set of configurations for each thread,
and mean those with ⟨p, u_i⟩ in the i-th set for all i.

Stacks of different threads have nothing to do with each other, so each thread is looked at alone
first, and only by the sequences of its contexts: shared states at the begin and the end of each of
them, and a tensor with a component for each (`interrupted`). Then threads are put together along
all schedules at once. What is left to do for a thread is a node of an acyclic graph, which is as
small as it gets when equal rests are one; and since all that happens from here on depends only on
these nodes and on the shared state, what has happened so far is combined in one weight for each
combination of them.

The paper puts all stacks on one tape and composes transducers of it (section 6.3); `composition`
does that, and tests compare the two.

Rules that merge are for calls that nobody interrupts, so for at most two contexts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Generic, NamedTuple

from tepui.errors import ModelError, TepuiError, UsageError
from tepui.limits import Limits, Meter, check_count
from tepui.weighted.configurations import Configurations, Inner, Node
from tepui.weighted.domains.semiring import Semiring, W
from tepui.weighted.interrupted import Gaps, Interrupted, Runs
from tepui.weighted.paths import weight_of
from tepui.weighted.saturation import post_star
from tepui.weighted.system import Rule, State, WeightedSystem
from tepui.weighted.tapes import states_of


@dataclass(frozen=True)
class Threads(Generic[W]):
    """Pushdown systems over one domain that share their states."""

    systems: tuple[WeightedSystem[W], ...]
    switches: frozenset[State] | None = None
    """The states in which another thread may go on; None if any may in all."""

    def __post_init__(self) -> None:
        if not self.systems:
            raise ModelError("there is no thread")
        first = self.systems[0].domain
        for system in self.systems[1:]:
            domain = system.domain
            if type(domain) is not type(first) or domain.one != first.one:
                raise ModelError("the weights of all threads must be of one domain")

    @property
    def domain(self) -> Semiring[W]:
        return self.systems[0].domain

    def may_switch(self, state: State) -> bool:
        return self.switches is None or state in self.switches


def context_bounded(
    threads: Threads[W],
    start: Sequence[Configurations],
    target: Sequence[Configurations],
    contexts: int,
    limits: Limits | None = None,
) -> W:
    """The combine of the values of all runs from start to target with at most so many contexts."""
    check_count("contexts", contexts)
    return _Analysis(threads, start, target, Meter(limits or Limits())).within(contexts)


def context_bounds(
    threads: Threads[W],
    start: Sequence[Configurations],
    target: Sequence[Configurations],
    limits: Limits | None = None,
) -> Iterator[tuple[int, W]]:
    """The same for 1, 2, … contexts, as far as `max_contexts` of the limits, if there is one."""
    analysis = _Analysis(threads, start, target, Meter(limits or Limits()))
    most = limits.max_contexts if limits is not None else None
    for contexts in count(1) if most is None else range(1, most + 1):
        yield contexts, analysis.within(contexts)


class Rest(Generic[W]):
    """What a thread may still do. Equal rests are one object."""

    def __init__(self, ends: frozenset[State], steps: Sequence[Step[W]]) -> None:
        self.ends = ends
        """The final shared states that are fine if the thread has no further context."""
        self.steps: dict[State, list[Step[W]]] = {}
        """What its next context may be, by the shared state in which it begins."""
        for step in steps:
            self.steps.setdefault(step.begin, []).append(step)
        self.least: int = 0 if ends else min((1 + step.rest.least for step in steps), default=0)
        """How many contexts it takes at least."""


class Step(NamedTuple, Generic[W]):
    """A context of one thread: from a state to a state, with a weight, and what is left then."""

    begin: State
    end: State
    weight: W
    rest: Rest[W]


class _Moment(NamedTuple, Generic[W]):
    """A point of a schedule: the shared state, who ran last, and what each thread has to do."""

    state: State
    last: int | None
    rests: tuple[Rest[W], ...]


@dataclass
class _Analysis(Generic[W]):
    """One question, for one bound after another."""

    threads: Threads[W]
    start: Sequence[Configurations]
    target: Sequence[Configurations]
    meter: Meter
    _begun: dict[int, list[dict[State, Rest[W]]]] = field(default_factory=dict)
    """For each number of contexts of one thread: what each thread may do, by the initial state."""

    def __post_init__(self) -> None:
        number = len(self.threads.systems)
        for what, given in (("start", self.start), ("target", self.target)):
            if len(given) != number:
                raise UsageError(
                    f"the {what} has {len(given)} sets of configurations; expected {number}, "
                    "one for each thread"
                )

    def within(self, contexts: int) -> W:
        """R(S, T) for this bound."""
        domain = self.threads.domain
        roots = self._roots(self._contexts_of_one(contexts))
        total = domain.zero
        reached = {
            _Moment(state, None, tuple(each[state] for each in roots)): domain.one
            for state in roots[0]
            if all(state in each for each in roots)
        }
        for done in range(contexts + 1):
            for moment, weight in reached.items():
                if all(moment.state in rest.ends for rest in moment.rests):
                    total = domain.combine(total, weight)
            if done < contexts:
                reached = self._after_one_more(reached, contexts - done - 1)
        return total

    def _contexts_of_one(self, contexts: int) -> int:
        """How many contexts a thread has at most: no two in a row, if there is another one."""
        return (contexts + 1) // 2 if len(self.threads.systems) > 1 else min(contexts, 1)

    def _after_one_more(self, reached: dict[_Moment[W], W], left: int) -> dict[_Moment[W], W]:
        """After one more context, of those moments from which so many others can suffice."""
        domain = self.threads.domain
        after: dict[_Moment[W], W] = {}
        for number, (moment, weight) in enumerate(reached.items()):
            if number % 1024 == 0:
                self._check_time()
            for following, more in self._steps(moment, left):
                extended = domain.extend(weight, more)
                if extended != domain.zero:
                    old = after.get(following)
                    after[following] = extended if old is None else domain.combine(old, extended)
        return after

    def _steps(self, moment: _Moment[W], left: int) -> Iterator[tuple[_Moment[W], W]]:
        state, last, rests = moment
        if last is not None and not self.threads.may_switch(state):
            return
        needed = sum(rest.least for rest in rests)
        for thread, rest in enumerate(rests):
            if thread == last:
                continue
            for step in rest.steps.get(state, ()):
                if needed - rest.least + step.rest.least <= left:
                    following = (*rests[:thread], step.rest, *rests[thread + 1 :])
                    yield _Moment(step.end, thread, following), step.weight

    def _roots(self, most: int) -> list[dict[State, Rest[W]]]:
        if most not in self._begun:
            self._refuse_merges(most)
            self._begun[most] = [
                self._roots_of(thread, most) for thread in range(len(self.threads.systems))
            ]
        return self._begun[most]

    def _refuse_merges(self, most: int) -> None:
        for system in self.threads.systems:
            for rule in system.rules:
                if rule.merges and most > 1:
                    raise UsageError(
                        f"{rule} merges, so its call must not be interrupted: "
                        "ask for at most two contexts, or keep local variables on the stack"
                    )

    def _roots_of(self, thread: int, most: int) -> dict[State, Rest[W]]:
        """What a thread may do in at most so many contexts, by the initial shared state."""
        alone = _Alone(
            self.threads, thread, self.start[thread], self.target[thread], most, self.meter
        )
        graph = _Graph(self.threads.domain)
        for sequence in alone.sequences():
            graph.add(sequence)
        return graph.roots()

    def _check_time(self) -> None:
        if self.meter.is_out_of_time():
            raise TepuiError("stopped at a limit: out of time")


@dataclass(frozen=True)
class _Before:
    """A state of the pushdown system of one thread: the thread has not run yet."""

    state: State


class _Sequence(NamedTuple, Generic[W]):
    """The contexts of one thread, with the shared states before the first and after the last."""

    initial: State
    contexts: tuple[tuple[State, State, W], ...]
    final: State


@dataclass
class _Alone(Generic[W]):
    """One thread, while others do whatever their rules could do to the shared state."""

    threads: Threads[W]
    thread: int
    start: Configurations
    target: Configurations
    most: int
    meter: Meter

    def __post_init__(self) -> None:
        self.domain = Interrupted(self.threads.domain, self.most)
        self.changes = self._changes_by_others()

    def sequences(self) -> Iterator[_Sequence[W]]:
        """All that it may do, as pure tensors."""
        automaton = post_star(self._system(), _renamed(self.start, _Before), self._limits())
        initial = states_of(self.start)
        ran = dict.fromkeys(rule.target for rule in self.threads.systems[self.thread].rules)
        ended: list[tuple[State, State]] = [(_Before(state), state) for state in initial]
        ended += [(state, state) for state in ran]
        for node, last in ended:
            for final in states_of(self.target):
                if final == last or final in self.changes.get(last, ()):
                    stacks = _only(self.target, final, node)
                    runs = weight_of(automaton, stacks, self._limits())
                    yield from self._sequences_of(runs, last, final)

    def _sequences_of(self, runs: Runs, last: State, final: State) -> Iterator[_Sequence[W]]:
        for gaps, tensor in runs.tensors.items():
            initial = gaps[0][0] if gaps else last
            for before, *weights in self.domain.pures(gaps, tensor):
                if weights:
                    weights[0] = self.threads.domain.extend(before, weights[0])
                yield _Sequence(initial, _contexts(gaps, weights, last), final)

    def _system(self) -> WeightedSystem[Runs]:
        """The rules of the thread, and each of them once more for every gap that may precede it."""
        rules = self.threads.systems[self.thread].rules
        plain = (_with(rule, rule.state, self.domain.plain(rule.weight)) for rule in rules)
        resumed = (each for rule in rules for each in self._resumed(rule))
        return WeightedSystem.of(self.domain, (*plain, *resumed))

    def _resumed(self, rule: Rule[W]) -> Iterator[Rule[Runs]]:
        """A rule as the first one after a gap."""
        for left in self._left():
            state = left.state if isinstance(left, _Before) else left
            if rule.state == state or rule.state in self.changes.get(state, ()):
                weight = self.domain.resumed((state, rule.state), rule.weight)
                yield _with(rule, left, weight)

    def _left(self) -> list[State]:
        """The states in which the thread may be interrupted, and those before it begins."""
        before: list[State] = [_Before(state) for state in states_of(self.start)]
        if self.most < 2:
            return before
        ran = dict.fromkeys(rule.target for rule in self.threads.systems[self.thread].rules)
        return before + [state for state in ran if self.threads.may_switch(state)]

    def _changes_by_others(self) -> dict[State, set[State]]:
        """Which states the rules of other threads may lead to, from each state."""
        steps: dict[State, set[State]] = {}
        for number, system in enumerate(self.threads.systems):
            if number != self.thread:
                for rule in system.rules:
                    steps.setdefault(rule.state, set()).add(rule.target)
        return {state: _closure(steps, state) for state in steps}

    def _limits(self) -> Limits:
        left = self.meter.seconds_left()
        return replace(self.meter.limits, timeout=None if left is None else max(0.0, left))


class _Graph(Generic[W]):
    """Sequences of contexts as an acyclic graph in which equal rests are one."""

    def __init__(self, domain: Semiring[W]) -> None:
        self._domain = domain
        self._tries: dict[State, _Trie[W]] = {}
        self._known: dict[tuple[frozenset[State], frozenset[Step[W]]], Rest[W]] = {}

    def add(self, sequence: _Sequence[W]) -> None:
        trie = self._tries.setdefault(sequence.initial, _Trie())
        for context in sequence.contexts:
            trie = trie.after.setdefault(context, _Trie())
        trie.ends.add(sequence.final)

    def roots(self) -> dict[State, Rest[W]]:
        return {state: self._rest(trie) for state, trie in self._tries.items()}

    def _rest(self, trie: _Trie[W]) -> Rest[W]:
        weights: dict[tuple[State, State, Rest[W]], W] = {}
        for (begin, end, weight), after in trie.after.items():
            way = begin, end, self._rest(after)
            old = weights.get(way)
            weights[way] = weight if old is None else self._domain.combine(old, weight)
        steps = [Step(begin, end, weight, rest) for (begin, end, rest), weight in weights.items()]
        key = frozenset(trie.ends), frozenset(steps)
        if key not in self._known:
            self._known[key] = Rest(frozenset(trie.ends), steps)
        return self._known[key]


class _Trie(Generic[W]):
    def __init__(self) -> None:
        self.ends: set[State] = set()
        self.after: dict[tuple[State, State, W], _Trie[W]] = {}


def _contexts(gaps: Gaps, weights: Sequence[W], last: State) -> tuple[tuple[State, State, W], ...]:
    """What happened between gaps: where each context began and ended, and its weight."""
    begins = [resumed for _, resumed in gaps]
    ends = [*(left for left, _ in gaps[1:]), last]
    return tuple(zip(begins, ends, weights, strict=True)) if gaps else ()


def _with(rule: Rule[W], state: State, weight: Runs) -> Rule[Runs]:
    return Rule(state, rule.symbol, rule.target, rule.word, weight, rule.merges)


def _renamed(configurations: Configurations, name: type[_Before]) -> Configurations:
    def renamed(node: Node) -> Node:
        return node if isinstance(node, Inner) else name(node)

    return Configurations(
        frozenset((renamed(s), symbol, t) for s, symbol, t in configurations.transitions),
        frozenset(map(renamed, configurations.accepting)),
    )


def _only(configurations: Configurations, state: State, node: State) -> Configurations:
    """The stacks at one state, moved to another one."""

    def moved(source: Node) -> Node:
        return node if source == state else source

    return Configurations(
        frozenset(
            (moved(source), symbol, target)
            for source, symbol, target in configurations.transitions
            if isinstance(source, Inner) or source == state
        ),
        frozenset(
            moved(each)
            for each in configurations.accepting
            if isinstance(each, Inner) or each == state
        ),
    )


def _closure(steps: dict[State, set[State]], start: State) -> set[State]:
    found = {start}
    waiting: list[State] = [start]
    while waiting:
        for state in steps.get(waiting.pop(), ()):
            if state not in found:
                found.add(state)
                waiting.append(state)
    return found
