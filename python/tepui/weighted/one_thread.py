"""One thread alone: what it may do in its contexts, while other threads do anything in between.

Only one thing is known about other threads: how their rules can change the shared state. What the
thread itself may do in up to m contexts comes from one post* over runs with gaps
(`interrupted_runs`): each rule occurs as it is, and once more for every gap that may come before
it. So no context of the thread is empty.

The answer is an acyclic graph of contexts, each with the shared states at both of its ends, and a
weight. Equal rests are one node, so it is much smaller than the list of all possibilities.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple

from tepui.limits import Limits
from tepui.weighted.configurations import Configurations, Inner, Node, states_of
from tepui.weighted.domains.semiring import W
from tepui.weighted.domains.tensor_sets import NumberedWeights, TensorSet, TensorSets
from tepui.weighted.interrupted_runs import Breaks, Interrupted, Runs
from tepui.weighted.paths import weight_of
from tepui.weighted.saturation import post_star
from tepui.weighted.system import State, WeightedRule, WeightedSystem


class Rest:
    """What a thread may still do. Equal rests are the same object."""

    def __init__(self, number: int, ends: frozenset[State], steps: Sequence[ThreadContext]) -> None:
        self.number = number
        """Different for different rests of one thread."""
        self.ends = ends
        """The shared states in which the system may end if the thread has no further context."""
        self.steps: dict[State, list[ThreadContext]] = {}
        """The possible next contexts, by the shared state in which they begin."""
        for step in steps:
            self.steps.setdefault(step.begin, []).append(step)
        self.least: int = 0 if ends else min((1 + step.rest.least for step in steps), default=0)
        """The least number of contexts it takes."""


class ThreadContext(NamedTuple):
    """A context of one thread: from a state to a state, the number of its weight, and the rest."""

    begin: State
    end: State
    weight: int
    rest: Rest


@dataclass(frozen=True)
class Alone(Generic[W]):
    """A thread, its start and target, and what other threads may do."""

    system: WeightedSystem[W]
    start: Configurations
    target: Configurations
    changes: Mapping[State, frozenset[State]]
    """The shared states to which other threads may change each shared state, if they can change
    it."""
    switches: frozenset[State] | None
    """The states in which it may be interrupted; None if it may be interrupted in all."""

    def rests(
        self, tensor_sets: TensorSets[W], most: int, limits: Limits | None = None
    ) -> dict[State, Rest]:
        """What it may do in at most `most` contexts, by the initial shared state."""
        courses: dict[State, list[_Course]] = {}
        for initial, course in self._courses(Interrupted(tensor_sets, most), limits):
            courses.setdefault(initial, []).append(course)
        graph = _Graph(tensor_sets.numbered)
        return {initial: graph.rest(each) for initial, each in courses.items()}

    def _courses(
        self, domain: Interrupted[W], limits: Limits | None
    ) -> Iterator[tuple[State, _Course]]:
        start = _before(self.start)
        automaton = post_star(self._interrupted(domain), start, limits)
        ended: list[tuple[State, State]] = [(_Before(p), p) for p in states_of(self.start)]
        ended += [(state, state) for state in self._ran()]
        for node, last in ended:
            for final in states_of(self.target):
                if self._may_become(last, final):
                    runs = weight_of(automaton, _moved(self.target, final, node), limits)
                    for breaks, tensor in runs.tensors.items():
                        yield _course(domain, breaks, tensor, last, final)

    def _interrupted(self, domain: Interrupted[W]) -> WeightedSystem[Runs]:
        """The rules of the thread, and each of them once more for every gap that may precede it."""
        plain = (_with(rule, rule.state, domain.plain(rule.weight)) for rule in self.system.rules)
        opened = (
            _with(rule, _Before(state), domain.opened((state, rule.state), rule.weight))
            for rule in self.system.rules
            for state in (states_of(self.start) if domain.most > 0 else ())
            if self._may_become(state, rule.state)
        )
        resumed = (
            _with(rule, state, domain.resumed((state, rule.state), rule.weight))
            for rule in self.system.rules
            for state in (self._ran() if domain.most > 1 else ())
            if self.switches is None or state in self.switches
            if self._may_become(state, rule.state)
        )
        return WeightedSystem.of(domain, (*plain, *opened, *resumed))

    def _ran(self) -> dict[State, None]:
        """The states in which the thread may be after its first step."""
        return dict.fromkeys(rule.target for rule in self.system.rules)

    def _may_become(self, state: State, other: State) -> bool:
        return other == state or other in self.changes.get(state, ())


def changes_by(systems: Iterable[WeightedSystem[W]]) -> dict[State, frozenset[State]]:
    """The states that the rules of some threads may reach from each state, ignoring stacks."""
    steps: dict[State, set[State]] = {}
    for system in systems:
        for rule in system.rules:
            steps.setdefault(rule.state, set()).add(rule.target)
    return {state: _closure(steps, state) for state in steps}


@dataclass(frozen=True)
class _Before:
    """A state of a thread's pushdown system that says that the thread has not run yet."""

    state: State


class _Course(NamedTuple):
    """Ways for one thread to go on: a tensor set of weights, one for each of some contexts. It is
    known where these contexts begin and end, and the final shared state."""

    weights: TensorSet
    contexts: tuple[tuple[State, State], ...]
    final: State


class _Graph:
    """Courses of one thread as an acyclic graph in which equal rests are one node."""

    def __init__(self, numbered: NumberedWeights[Any]) -> None:
        self._numbered = numbered
        self._of_courses: dict[frozenset[_Course], Rest] = {}
        self._known: dict[tuple[frozenset[State], frozenset[ThreadContext]], Rest] = {}

    def rest(self, courses: Iterable[_Course]) -> Rest:
        """What is left to do if all of these are possible."""
        key = frozenset(courses)
        if key not in self._of_courses:
            ends = frozenset(course.final for course in key if not course.contexts)
            self._of_courses[key] = self._one(ends, self._steps(key))
        return self._of_courses[key]

    def _steps(self, courses: Iterable[_Course]) -> list[ThreadContext]:
        """Contexts with the same effect become one, with the union of what may follow. Contexts
        with the same rest become one, with the union of their effects."""
        following: dict[tuple[State, State, int], list[_Course]] = {}
        for weights, contexts, final in courses:
            if contexts:
                for rest, number in weights.terms:
                    shorter = _Course(rest, contexts[1:], final)
                    following.setdefault((*contexts[0], number), []).append(shorter)
        numbers: dict[tuple[State, State, Rest], int] = {}
        for (begin, end, number), after in following.items():
            way = begin, end, self.rest(after)
            old = numbers.get(way, self._numbered.zero)
            numbers[way] = self._numbered.combine(old, number)
        return [
            ThreadContext(begin, end, number, rest)
            for (begin, end, rest), number in numbers.items()
        ]

    def _one(self, ends: frozenset[State], steps: Sequence[ThreadContext]) -> Rest:
        key = ends, frozenset(steps)
        if key not in self._known:
            self._known[key] = Rest(len(self._known), ends, steps)
        return self._known[key]


def _course(
    domain: Interrupted[W], breaks: Breaks, tensor: Any, last: State, final: State
) -> tuple[State, _Course]:
    """The initial state and the contexts of runs with these breaks; runs without an opening have no
    initial state."""
    opening, gaps = breaks
    if opening is None:
        return last, _Course(domain.tensor_sets.unit, (), final)
    begins = (resumed for _, resumed in (opening, *gaps))
    ends = (*(left for left, _ in gaps), last)
    contexts = tuple(zip(begins, ends, strict=True))
    return opening[0], _Course(domain.tensor_set(breaks, tensor), contexts, final)


def _with(rule: WeightedRule[W], state: State, weight: Runs) -> WeightedRule[Runs]:
    return WeightedRule(state, rule.symbol, rule.target, rule.word, weight, rule.merges)


def _before(configurations: Configurations) -> Configurations:
    """The same, where the thread has not run yet."""

    def renamed(node: Node) -> Node:
        return node if isinstance(node, Inner) else _Before(node)

    return Configurations(
        frozenset((renamed(s), symbol, t) for s, symbol, t in configurations.transitions),
        frozenset(map(renamed, configurations.accepting)),
    )


def _moved(configurations: Configurations, state: State, node: State) -> Configurations:
    """The set with the stacks of one state, at another state, and nothing else."""

    def renamed(each: Node) -> Node:
        return each if isinstance(each, Inner) else node

    return Configurations(
        frozenset(
            (renamed(source), symbol, target)
            for source, symbol, target in configurations.transitions
            if isinstance(source, Inner) or source == state
        ),
        frozenset(
            renamed(each)
            for each in configurations.accepting
            if isinstance(each, Inner) or each == state
        ),
    )


def _closure(steps: Mapping[State, Iterable[State]], start: State) -> frozenset[State]:
    found = {start}
    waiting: list[State] = [start]
    while waiting:
        for state in steps.get(waiting.pop(), ()):
            if state not in found:
                found.add(state)
                waiting.append(state)
    return frozenset(found)
