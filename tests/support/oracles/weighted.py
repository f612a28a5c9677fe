"""What weighted engines are compared with: values of paths, from their definitions (WPDS, section
4 and appendix B), with stacks as plain tuples and without automata that grow.

There are two ways, which have only the types in common, and each errs on one side only.

- `enumerated` walks from configuration to configuration and combines the weights of all paths whose
  stacks are at most `height` high. Each of these is a path of Definition 6, so what it finds is
  never below MOP(S, T); it is MOP(S, T) if no stack was left out, which it reports.
- `solved` takes stacks apart. Let X(p, γ, q) be the combine of all runs from ⟨p, γ⟩ to ⟨q, ε⟩. It
  is ⊕ f(r) ⊗ X(p', γ₁, q₁) ⊗ X(q₁, γ₂, q₂) ⊗ … over the rules r = ⟨p, γ⟩ → ⟨p', γ₁ γ₂ …⟩. Whatever
  solves these equations is below the value of every run, by induction on its length. S and T
  become rules of weight 1: some first write a stack of S, from its bottom, others in the end
  read a stack of T, from its top, so that MOP(S, T) is one such X. It is never above MOP(S, T).

So where both agree, both are exact, and that is how `exact` uses them: a mistake in one of them
shows, unless the other one makes it as well. On deep recursion the bounded one is above the other.
`weighted_contexts` has threads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any, Generic

from tepui.weighted import Configurations, Inner, Semiring, WeightedRule, WeightedSystem, is_below
from tepui.weighted.configurations import Node
from tepui.weighted.domains.semiring import W, combine_all
from tepui.weighted.system import Configuration, State, Symbol, Word


class TooMuchWorkError(Exception):
    """A sample takes more extends than the caller wants to wait for."""


class DisagreementError(Exception):
    """The two ways contradict each other: one of them is wrong."""


@dataclass(frozen=True)
class Bounded(Generic[W]):
    """What paths with stacks up to some height make."""

    weight: W
    complete: bool
    """Whether no path was left out."""


@dataclass(frozen=True)
class Exact(Generic[W]):
    weight: W
    by_paths: bool
    """Whether enumerated paths alone make this weight."""


def exact(
    system: WeightedSystem[W], start: Configurations, target: Configurations, height: int
) -> Exact[W]:
    """MOP(start, target)."""
    bounded = enumerated(system, start, target, height)
    if bounded.complete:
        return Exact(bounded.weight, by_paths=True)
    return agreed(system.domain, solved(system, start, target), bounded.weight)


def agreed(domain: Semiring[W], below: W, above: W) -> Exact[W]:
    """What equations and paths say together."""
    if not is_below(domain, below, above):
        raise DisagreementError(f"{below} is not below {above}")
    return Exact(below, by_paths=below == above)


def spent(work: int, *weights: Any) -> int:
    """What is left after one more step with some weights. Sets of tensors take as much as they have
    members, each with each."""
    left = work - prod(len(each) for each in weights if isinstance(each, frozenset))
    if left < 0:
        raise TooMuchWorkError
    return left


# Runs, one by one


def run_value(
    system: WeightedSystem[W], start: Configuration, rules: Iterable[WeightedRule[W]]
) -> W:
    """The value of one run, as `tepui.weighted.system` defines it."""
    extend = system.domain.extend
    height = len(start[1])
    value = system.domain.one
    open_calls: list[tuple[int, W]] = []
    for rule in rules:
        height += len(rule.word) - 1
        if rule.merges:
            open_calls.append((height - 1, value))
            value = rule.weight
        else:
            value = extend(value, rule.weight)
        if open_calls and height == open_calls[-1][0]:
            _, before = open_calls.pop()
            value = extend(before, _merge(system, value))
    for _, before in reversed(open_calls):
        value = extend(before, value)
    return value


def runs(
    system: WeightedSystem[W], start: Configuration, length: int
) -> Iterator[tuple[list[WeightedRule[W]], Configuration]]:
    """All runs of at most this many rules, each with the configuration where it ends."""
    yield [], start
    state, word = start
    for rule in system.rules if length and word else ():
        if (rule.state, rule.symbol) == (state, word[0]):
            after = rule.target, rule.word + word[1:]
            for rules, end in runs(system, after, length - 1):
                yield [rule, *rules], end


def _merge(system: WeightedSystem[W], weight: W) -> W:
    merge: Callable[[W], W] = getattr(system.domain, "merge")  # noqa: B009 - few domains have it
    return merge(weight)


# From configuration to configuration


def enumerated(
    system: WeightedSystem[W], start: Configurations, target: Configurations, height: int
) -> Bounded[W]:
    """The combine of all paths from `start` to `target` with stacks up to a height."""
    walk = Walk(system, height)
    weights = walk.reached(walk.members(start))
    hits = (weight for (state, word), weight in weights.items() if (state, word) in target)
    return Bounded(combine_all(system.domain, hits), not walk.cut)


@dataclass(frozen=True, slots=True)
class Held:
    """The second symbol of a merging call that does not return within the run."""

    symbol: Symbol


@dataclass
class Walk(Generic[W]):
    """All paths of one system with stacks up to a height."""

    system: WeightedSystem[W]
    height: int
    work: int = 10**6
    """How many more steps may be taken."""
    cut: bool = False
    """Whether a stack was too high."""
    _returns: dict[tuple[State, Symbol, int], dict[State, W]] = field(default_factory=dict)

    def members(self, configurations: Configurations) -> dict[Configuration, W]:
        """The members of a set with stacks that leave two symbols room, each with weight 1."""
        highest = self.height - 2
        waiting: list[tuple[State, Word, frozenset[Node]]] = []
        for state in states_of(configurations):
            waiting.append((state, (), _closed(configurations, {state})))
        found = {}
        while waiting:
            state, word, nodes = waiting.pop()
            if nodes & configurations.accepting:
                found[state, word] = self.system.domain.one
            follow: dict[Symbol, set[Node]] = defaultdict(set)
            for source, symbol, node in configurations.transitions:
                if source in nodes and symbol is not None:
                    follow[symbol].add(node)
            self.cut |= bool(follow) and len(word) == highest
            if len(word) < highest:
                waiting += [
                    (state, (*word, symbol), _closed(configurations, after))
                    for symbol, after in follow.items()
                ]
        return found

    def reached(self, start: Mapping[Configuration, W]) -> dict[Configuration, W]:
        """What each configuration is reached with, from those that are given."""
        domain = self.system.domain
        weights = self._walked(start, self.height)
        found: dict[Configuration, W] = {}
        for (state, word), weight in weights.items():
            if not (word and isinstance(word[0], Held)):
                plain = state, tuple(s.symbol if isinstance(s, Held) else s for s in word)
                found[plain] = domain.combine(found.get(plain, domain.zero), weight)
        return found

    def _walked(self, start: Mapping[Configuration, W], height: int) -> dict[Configuration, W]:
        domain = self.system.domain
        weights = dict(start)
        waiting = dict.fromkeys(weights)
        while waiting:
            configuration = next(iter(waiting))
            del waiting[configuration]
            for after, step in self._steps(configuration, height):
                self.work = spent(self.work)
                old = weights.get(after, domain.zero)
                new = domain.combine(old, domain.extend(weights[configuration], step))
                if new != old:
                    weights[after] = new
                    waiting[after] = None
        return weights

    def _steps(
        self, configuration: Configuration, height: int
    ) -> Iterator[tuple[Configuration, W]]:
        """Each step: where it leads, and its weight. A call that returns is one step."""
        state, word = configuration
        if not word:
            return
        for rule in self.system.rules:
            if (rule.state, rule.symbol) != (state, word[0]):
                continue
            if len(rule.word) + len(word) - 1 > height:
                self.cut = True
                continue
            if not rule.merges:
                yield (rule.target, rule.word + word[1:]), rule.weight
                continue
            callee, caller = rule.word
            yield (rule.target, (callee, Held(caller), *word[1:])), rule.weight
            for after, weight in self._returning(rule.target, callee, height - len(word)).items():
                whole = self.system.domain.extend(rule.weight, weight)
                yield (after, (caller, *word[1:])), _merge(self.system, whole)

    def _returning(self, state: State, symbol: Symbol, height: int) -> dict[State, W]:
        """All runs from ⟨state, symbol⟩ to the empty stack, by where they end."""
        key = state, symbol, height
        if key not in self._returns:
            weights = self._walked({(state, (symbol,)): self.system.domain.one}, height)
            self._returns[key] = {
                end: weight for (end, word), weight in weights.items() if not word
            }
        return self._returns[key]


def states_of(configurations: Configurations) -> list[State]:
    """The states at which a set may have members, in a fixed order."""
    nodes = {source for source, _, _ in configurations.transitions} | configurations.accepting
    return sorted((node for node in nodes if not isinstance(node, Inner)), key=str)


def _closed(configurations: Configurations, nodes: set[Node]) -> frozenset[Node]:
    """These nodes and all that ε leads to."""
    while True:
        more = {t for s, symbol, t in configurations.transitions if symbol is None and s in nodes}
        if more <= nodes:
            return frozenset(nodes)
        nodes = nodes | more


# Equations for what pops a symbol

Move = tuple[State, Word, Any, bool]
"""Where a rule leads, what it writes, its weight, and whether it merges."""

BOTTOM = "the bottom"
START = "the start"


@dataclass(frozen=True, slots=True)
class Writing:
    """The state in which a stack of S is written; it leads from this node to an accepting one."""

    node: Node


@dataclass(frozen=True, slots=True)
class Reading:
    """The state in which a stack of T is read; what was read leads to this node."""

    node: Node
    history: Hashable = ()


@dataclass(frozen=True, slots=True)
class End:
    """All of a stack was read."""

    history: Hashable = ()


def solved(system: WeightedSystem[W], start: Configurations, target: Configurations) -> W:
    """MOP(start, target), by the equations."""

    def moves(state: State, symbol: Symbol) -> Iterator[Move]:
        one = system.domain.one
        yield from writing(start, state, symbol, one)
        if isinstance(state, Writing) and not isinstance(state.node, Inner):
            yield state.node, (symbol,), one, False
        if not isinstance(state, Writing | Reading) and state != START:
            yield Reading(state), (symbol,), one, False
        yield from reading(target, state, symbol, one)
        for rule in system.rules:
            if (rule.state, rule.symbol) == (state, symbol):
                yield rule.target, rule.word, rule.weight, rule.merges

    pops = Pops(system.domain, moves, lambda weight: _merge(system, weight)).of(START, BOTTOM)
    return pops.get(End(), system.domain.zero)


def writing(start: Configurations, state: State, symbol: Symbol, one: Any) -> Iterator[Move]:
    """Rules that write a stack of a set, from its bottom."""
    if state == START:
        yield from ((Writing(node), (symbol,), one, False) for node in start.accepting)
    if isinstance(state, Writing):
        for source, read, node in start.transitions:
            if node == state.node:
                word = (symbol,) if read is None else (read, symbol)
                yield Writing(source), word, one, False


def reading(target: Configurations, state: State, symbol: Symbol, one: Any) -> Iterator[Move]:
    """Rules that read a stack of a set, from its top."""
    if isinstance(state, Reading):
        for source, read, node in target.transitions:
            if source == state.node and read in (None, symbol):
                word = (symbol,) if read is None else ()
                yield Reading(node, state.history), word, one, False
        if symbol == BOTTOM and state.node in target.accepting:
            yield End(state.history), (), one, False


@dataclass
class Pops(Generic[W]):
    """The weights X(p, γ, q) of all runs from ⟨p, γ⟩ to ⟨q, ε⟩, as far as they are asked for."""

    domain: Semiring[W]
    moves: Callable[[State, Symbol], Iterable[Move]]
    merge: Callable[[W], W]
    work: int = 10**6
    """How many more weights may be extended."""
    _known: dict[tuple[State, Symbol], dict[State, W]] = field(default_factory=dict)
    _users: dict[tuple[State, Symbol], dict[tuple[State, Symbol], None]] = field(
        default_factory=lambda: defaultdict(dict)
    )

    def of(self, state: State, symbol: Symbol) -> dict[State, W]:
        """X(state, symbol, q) for every q."""
        waiting = dict.fromkeys([(state, symbol)])
        while waiting:
            head = next(iter(waiting))
            del waiting[head]
            found = self._once(head, waiting)
            if found != self._known.get(head):
                self._known[head] = found
                waiting |= self._users[head]
        return self._known[state, symbol]

    def _once(
        self, head: tuple[State, Symbol], waiting: dict[tuple[State, Symbol], None]
    ) -> dict[State, W]:
        """The right-hand side of an equation, with what is known by now."""
        found: dict[State, W] = {}
        for target, word, weight, merges in self.moves(*head):
            ends = {target: weight}
            for place, symbol in enumerate(word):
                ends = self._popped(ends, symbol, head, waiting)
                if merges and place == 0:
                    ends = {q: w if _over(q) else self.merge(w) for q, w in ends.items()}
            for end, value in ends.items():
                self._add(found, end, value)
        return found

    def _popped(
        self,
        before: Mapping[State, W],
        symbol: Symbol,
        user: tuple[State, Symbol],
        waiting: dict[tuple[State, Symbol], None],
    ) -> dict[State, W]:
        after: dict[State, W] = {}
        for state, weight in before.items():
            self._users[state, symbol][user] = None
            if (state, symbol) not in self._known:
                self._known[state, symbol] = {}
                waiting[state, symbol] = None
            for end, more in self._known[state, symbol].items():
                self._add(after, end, self._extend(weight, more))
        return after

    def _extend(self, first: W, second: W) -> W:
        one = self.domain.one
        if one in (first, second):
            return second if first == one else first
        self.work = spent(self.work, first, second)
        return self.domain.extend(first, second)

    def _add(self, weights: dict[State, W], state: State, weight: W) -> None:
        weights[state] = self.domain.combine(weights.get(state, self.domain.zero), weight)


def _over(state: State) -> bool:
    """Whether the run has ended and its stack is being read: a call that is popped only now has
    not returned."""
    return isinstance(state, Reading | End)
