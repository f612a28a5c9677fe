"""What context-bounded weighted engines are compared with (WPDS, section 4.4): threads that share
states, have a stack each, and run by turns.

As in `weighted` there are two ways, which err on different sides. `interleaved` walks from one
global configuration to another, one context after another, with stacks up to a height.
`solved_contexts` solves the equations of each thread on its own, with tensors that keep the weights
of each context apart, and joins threads on the states at which contexts begin and end. As runs pop
stacks in the order in which they run, each component of a tensor grows at its end only, and nothing
has to be transposed. Only `interleaved` handles rules that merge, and only for at most two
contexts, so that no call is interrupted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise, product
from typing import Any, Generic

from support.oracles.weighted import (
    BOTTOM,
    START,
    Bounded,
    End,
    Exact,
    Move,
    Pops,
    Reading,
    Walk,
    Writing,
    agreed,
    reading,
    spent,
    states_of,
    writing,
)
from tepui.weighted import Configurations, Inner, WeightedSystem
from tepui.weighted.domains.semiring import W, combine_all, tensorable
from tepui.weighted.system import Configuration, State, Symbol, Word


@dataclass(frozen=True)
class Question(Generic[W]):
    """Threads, a set of stacks to start from and one to reach for each, and a bound.

    A global configuration ⟨p | u₁, …, u_n⟩ is meant if each ⟨p, u_i⟩ is in the set of its thread.
    """

    systems: tuple[WeightedSystem[W], ...]
    start: tuple[Configurations, ...]
    target: tuple[Configurations, ...]
    contexts: int
    switches: frozenset[State] | None = None
    """The states in which a thread can be interrupted; None for all."""

    def may_switch(self, state: State) -> bool:
        return self.switches is None or state in self.switches

    @cached_property
    def states(self) -> list[State]:
        named = [state for system in self.systems for state in system.states]
        named += [state for each in (*self.start, *self.target) for state in states_of(each)]
        return list(dict.fromkeys(named))


def concurrent(question: Question[W], height: int, work: int) -> Exact[W]:
    """R(start, target) for at most this many contexts, or TooMuchWorkError."""
    bounded = interleaved(question, height, work)
    if bounded.complete:
        return Exact(bounded.weight, by_paths=True)
    return agreed(question.systems[0].domain, solved_contexts(question, work), bounded.weight)


# Interleavings, from one global configuration to another

Global = tuple[State, tuple[Word, ...]]


def interleaved(question: Question[W], height: int, work: int = 10**6) -> Bounded[W]:
    """All schedules of at most this many contexts. In a context one thread runs for as long as it
    likes. No thread follows itself: that would be one context (and a call that merges might return
    in the second part of it)."""
    domain = question.systems[0].domain
    walks = [Walk(system, height, work) for system in question.systems]
    members = [walk.members(each) for walk, each in zip(walks, question.start, strict=True)]
    begun = dict.fromkeys(_together(members), domain.one)
    reached = [*begun.items()]
    after: dict[int, dict[Global, W]] = {}
    for number in range(question.contexts):
        after = {
            thread: _context(walk, thread, _left(question, after, thread) if number else begun)
            for thread, walk in enumerate(walks)
        }
        reached += [found for each in after.values() for found in each.items()]
    hits = (
        weight
        for (state, words), weight in reached
        if all((state, word) in each for word, each in zip(words, question.target, strict=True))
    )
    return Bounded(combine_all(domain, hits), not any(walk.cut for walk in walks))


def _left(
    question: Question[W], after: Mapping[int, Mapping[Global, W]], thread: int
) -> dict[Global, W]:
    """What other threads leave, where they may be interrupted."""
    domain = question.systems[0].domain
    weights: dict[Global, W] = {}
    for other, each in after.items():
        for found, weight in each.items():
            if other != thread and question.may_switch(found[0]):
                weights[found] = domain.combine(weights.get(found, domain.zero), weight)
    return weights


def _together(members: Sequence[Mapping[Configuration, Any]]) -> Iterator[Global]:
    """All ⟨p | u₁, …, u_n⟩ with each ⟨p, u_i⟩ in its own set."""
    for state in dict.fromkeys(state for state, _ in members[0]):
        words = [[word for other, word in each if other == state] for each in members]
        yield from ((state, chosen) for chosen in product(*words))


def _context(walk: Walk[W], thread: int, weights: Mapping[Global, W]) -> dict[Global, W]:
    """What one thread reaches while the others wait."""
    waiting: dict[tuple[Word, ...], dict[Configuration, W]] = defaultdict(dict)
    for (state, words), weight in weights.items():
        others = words[:thread] + words[thread + 1 :]
        waiting[others][state, words[thread]] = weight
    return {
        (state, (*others[:thread], word, *others[thread:])): weight
        for others, configurations in waiting.items()
        for (state, word), weight in walk.reached(configurations).items()
    }


# Equations for each thread, with a component for each context

Visits = tuple[tuple[State, State], ...]
"""The states in which the contexts of a thread begin and end."""

History = tuple[State, Visits, State]
"""The first state of all, the visits of a thread, the last state of all."""


def solved_contexts(question: Question[W], work: int = 10**6) -> W:
    """R(start, target), by the equations, as the combine of all schedules. Contexts may be empty,
    so where threads may switch anywhere, the longest schedules are enough."""
    threads = range(len(question.systems))
    longest_only = question.switches is None and len(threads) > 1
    schedules = (
        schedule
        for length in range(question.contexts * longest_only, question.contexts + 1)
        for schedule in product(threads, repeat=length)
        if all(a != b for a, b in pairwise(schedule))
    )
    alone = cache(lambda *thread: Alone(question, *thread).solved(work))
    weights = (_solved_schedule(question, schedule, alone, work) for schedule in schedules)
    return combine_all(question.systems[0].domain, weights)


def _solved_schedule(
    question: Question[W],
    schedule: tuple[int, ...],
    alone: Callable[[int, tuple[int, ...], int], Mapping[Hashable, Any]],
    work: int,
) -> W:
    """All runs with one schedule. A trace is the states at which contexts begin and end."""
    domain = question.systems[0].domain
    order = max(len(schedule), 1)
    tensors = tensorable(domain).tensors(order)
    joined = {
        trace: tensors.one
        for trace in product(question.states, repeat=len(schedule) + 1)
        if all(map(question.may_switch, trace[1:-1]))
    }
    for thread in range(len(question.systems)):
        places = tuple(place for place, other in enumerate(schedule) if other == thread)
        solution = alone(thread, places, order)
        for trace in [*joined]:
            tensor, more = joined.pop(trace), solution.get(_history(trace, places))
            if more is not None:
                work = spent(work, tensor, more)
                joined[trace] = tensors.extend(tensor, more)
    return combine_all(domain, map(tensors.detensor, joined.values()))


def _history(trace: tuple[State, ...], places: tuple[int, ...]) -> History:
    return trace[0], tuple((trace[place], trace[place + 1]) for place in places), trace[-1]


@dataclass(frozen=True, slots=True)
class Visiting:
    """The state of a thread in one of its contexts, and what came before."""

    state: State
    first: State
    visits: Visits
    entered: State


@dataclass(frozen=True)
class Alone(Generic[W]):
    """One thread, whatever others do between its contexts, which have some places in a schedule."""

    question: Question[W]
    thread: int
    places: tuple[int, ...]
    order: int
    """That of the tensors: the length of the schedule, or 1."""

    @cached_property
    def tensors(self) -> Any:
        return tensorable(self.question.systems[0].domain).tensors(self.order)

    def solved(self, work: int) -> dict[Hashable, Any]:
        """What the thread does, for each history."""
        ends = Pops(self.tensors, self._moves, lambda weight: weight, work).of(START, BOTTOM)
        return {end.history: tensor for end, tensor in ends.items() if isinstance(end, End)}

    def _moves(self, state: State, symbol: Symbol) -> Iterator[Move]:
        one = self.tensors.one
        yield from writing(self.question.start[self.thread], state, symbol, one)
        yield from reading(self.question.target[self.thread], state, symbol, one)
        if isinstance(state, Writing) and not isinstance(state.node, Inner):
            yield from self._next(state.node, (), symbol)
        if isinstance(state, Visiting):
            for rule in self.question.systems[self.thread].rules:
                if (rule.state, rule.symbol) == (state.state, symbol):
                    after = Visiting(rule.target, state.first, state.visits, state.entered)
                    yield after, rule.word, self._placed(rule.weight, len(state.visits)), False
            visits = (*state.visits, (state.entered, state.state))
            yield from self._next(state.first, visits, symbol)

    def _next(self, first: State, visits: Visits, symbol: Symbol) -> Iterator[Move]:
        """The next context; or if none is left, the stack is read. Others may have changed the
        state by then, unless this is the first context of all or comes after the last one."""
        done = len(visits) == len(self.places)
        states = self.question.states
        if not done and self.places[len(visits)] == 0:
            states = [first]
        if done and visits and self.places[-1] == self.order - 1:
            states = [visits[-1][1]]
        for state in states:
            after: State = Visiting(state, first, visits, state)
            if done:
                after = Reading(state, (first, visits, state))
            yield after, (symbol,), self.tensors.one, False

    def _placed(self, weight: W, visit: int) -> Any:
        """A tensor with a weight at the place of a context, and else 1."""
        one = self.question.systems[0].domain.one
        places = (weight if place == self.places[visit] else one for place in range(self.order))
        return self.tensors.tensor(*places)
