"""Whether actions respect an abstraction (DrUBA, Definition 4), as far as explored states show it.

An action of a pushdown system is a rule. An action of a program is a statement, whatever the values
of its variables. An action may lead to several abstract states. Then it must lead to the same ones
from all states with one abstract state. Definition 4 requires that it leads to only one, which
Theorem 7 does not need.

Actions are total, as in DrUBA (section 2.1): where one is disabled, it leads nowhere else. So an
action disrespects an abstraction in two ways: it leads to different abstract states from two states
with one abstract state, or it leads to another one from the first of them and cannot be taken in
the second. The proof of Theorem 7 needs both, as it takes an action of one state in another that
has the same abstract state.

Only explored states are looked at, so this is never a proof of respect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from tepui.kernels.door import system_kernel
from tepui.model import EPSILON, System
from tepui.model.system import Word
from tepui.records import record
from tepui.watching.abstraction import State
from tepui.watching.views import views_of

Kind = Literal["successors", "enabled"]
"""How an action disrespects an abstraction: it leads to different abstract states, or it can be
taken in one of two states only."""


@record
class Pair:
    """Two states with one abstract state, in which an action of a thread does different things."""

    kind: Kind
    thread: int
    action: int
    abstract_state: int
    states: tuple[State, State]
    after: tuple[frozenset[int], frozenset[int]]
    """The abstract states after the action; if it is disabled, the one before it."""


class Actions:
    """What the threads of a system can do, each step with the action that it belongs to."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._views = views_of(system)
        self._kernel = system_kernel(system)
        self._known: dict[tuple[int, int, int], list[tuple[int, int, Word]]] = {}

    def steps(self, state: State, thread: int) -> dict[int, list[State]]:
        """The actions that a thread can take, and where they lead."""
        shared, stacks = state
        stack = stacks[thread]
        found: dict[int, list[State]] = {}
        for action, target, word in self._rules(thread, shared, stack[0] if stack else EPSILON):
            after = target, (*stacks[:thread], word + stack[1:], *stacks[thread + 1 :])
            found.setdefault(action, []).append(after)
        return found

    def text(self, thread: int, action: int) -> str:
        """An action in words: a rule, or a statement and its place."""
        return self._views.action_text(thread, action)

    def _rules(self, thread: int, shared: int, top: int) -> list[tuple[int, int, Word]]:
        key = self._system.threads[thread], shared, top
        if key not in self._known:
            self._known[key] = list(self._enabled(*key))
        return self._known[key]

    def _enabled(self, template: int, shared: int, top: int) -> Iterator[tuple[int, int, Word]]:
        for number in self._kernel.enabled(template, shared, top):
            rule = self._system.templates[template].rules[number]
            yield self._views.action(template, shared, top, number), rule.target, rule.word


class Respect:
    """What was learned from the states that were looked at, and what lies one step ahead of
    them."""

    def __init__(self, system: System, abstract: Callable[[State], int]) -> None:
        self.actions = Actions(system)
        self._threads = range(len(system.threads))
        self._abstract = abstract
        self._looked_at: set[State] = set()
        self._by_abstract_state: dict[int, list[State]] = {}
        """The states that were looked at, by abstract state."""
        self._ahead: set[State] = set()
        """The states that a step leads to and that were not looked at."""
        self._taken: dict[tuple[int, int, int], _Taken] = {}
        """By abstract state, thread and action."""

    def look(self, state: State) -> None:
        """Look at a state that is new, and at what can happen in it."""
        abstract_state = self._abstract(state)
        steps = [
            (thread, action, ends, frozenset(map(self._abstract, ends)))
            for thread in self._threads
            for action, ends in self.actions.steps(state, thread).items()
        ]
        self._looked_at.add(state)
        self._ahead.discard(state)
        for thread, action, ends, after in steps:
            self._ahead.update(end for end in ends if end not in self._looked_at)
            key = abstract_state, thread, action
            if key not in self._taken:
                self._taken[key] = _Taken(state, after)
            self._taken[key].add(state, after)
        # Last, so that an interruption can make no action look as if it were disabled here.
        self._by_abstract_state.setdefault(abstract_state, []).append(state)

    @property
    def is_closed(self) -> bool:
        """Whether every step leads to a state that was looked at."""
        return not self._ahead

    def has_only_known_ahead(self) -> bool:
        """Whether no step leads to an abstract state that no state looked at has."""
        return all(self._abstract(state) in self._by_abstract_state for state in self._ahead)

    def pairs(self) -> list[Pair]:
        """For each thread and each action that disrespects the abstraction, two states that show
        it: if possible, two in which it leads to different abstract states."""
        found: dict[tuple[int, int], Pair] = {}
        for (start, thread, action), taken in self._taken.items():
            if taken.other is not None and (thread, action) not in found:
                other, after = taken.other
                states, afters = (taken.first, other), (taken.after, after)
                found[thread, action] = Pair("successors", thread, action, start, states, afters)
        for (start, thread, action), taken in self._taken.items():
            is_always_possible = taken.states >= len(self._by_abstract_state.get(start, ()))
            changes = taken.after != {start}
            if changes and not is_always_possible and (thread, action) not in found:
                states = taken.first, self._without(action, thread, start)
                afters = taken.after, frozenset([start])
                found[thread, action] = Pair("enabled", thread, action, start, states, afters)
        return [found[key] for key in sorted(found)]

    def _without(self, action: int, thread: int, abstract_state: int) -> State:
        """The first state with an abstract state in which an action cannot be taken."""
        states = self._by_abstract_state[abstract_state]
        return next(state for state in states if action not in self.actions.steps(state, thread))


@dataclass(slots=True)
class _Taken:
    """What an action of a thread does in the states with one abstract state."""

    first: State
    """The first state in which it can be taken."""
    after: frozenset[int]
    """The abstract states to which it leads there."""
    other: tuple[State, frozenset[int]] | None = None
    """A state in which it leads to other ones, and these."""
    states: int = 0
    """In how many states it can be taken."""

    def add(self, state: State, after: frozenset[int]) -> None:
        self.states += 1
        if after != self.after and self.other is None:
            self.other = state, after
