"""Small random weighted pushdown systems with questions about them, for every domain that ships and
one of a user's own, made to be hard on engines: recursion, loops, pops below where a run began,
long words, ε in automata, empty stacks, stack-qualified sets, names that no rule has.

Rules mostly start where earlier ones may lead, and targets mostly are where a random run ends, so
that most questions have an answer other than zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from random import Random
from typing import Any

from support.oracles.weighted_contexts import Question
from support.sizes import FUZZING
from tepui.weighted import (
    Affine,
    Boolean,
    Configurations,
    Inner,
    Matrices,
    MinPath,
    Pairs,
    Path,
    PureTensors,
    Relations,
    Sets,
    ShortestPath,
    TwoWay,
    WeightedRelations,
    WeightedRule,
    WeightedSystem,
)
from tepui.weighted.configurations import Node, Transition
from tepui.weighted.system import Configuration, State, Symbol, Word

Weight = Any

ORDERS = tuple(permutations(range(3)))
Order = tuple[int, int, int]


class Shuffles:
    """A user's own domain: sets of ways to shuffle three cards, which do not commute."""

    zero: frozenset[Order] = frozenset()
    one: frozenset[Order] = frozenset({(0, 1, 2)})

    def combine(self, a: frozenset[Order], b: frozenset[Order]) -> frozenset[Order]:
        return a | b

    def extend(self, a: frozenset[Order], b: frozenset[Order]) -> frozenset[Order]:
        return frozenset((s[t[0]], s[t[1]], s[t[2]]) for s in a for t in b)

    def transpose(self, weight: frozenset[Order]) -> frozenset[Order]:
        return frozenset((s.index(0), s.index(1), s.index(2)) for s in weight)

    def merge(self, weight: frozenset[Order]) -> frozenset[Order]:
        """Any function of shuffles will do; this one is no homomorphism."""
        return frozenset((s[1], s[0], s[2]) if s[0] < s[2] else (0, 2, 1) for s in weight)

    def tensors(self, order: int) -> PureTensors[frozenset[Order]]:
        return PureTensors(self, order)


@dataclass(frozen=True)
class Case:
    """A domain, and how to draw a weight of it."""

    domain: Any
    draw: Callable[[Random], Weight]
    merges: bool = False
    slow: bool = False
    contexts: int = 3
    """The most of them: two if calls merge, or if tensors of order three are too much for us."""

    @property
    def work(self) -> int:
        """How much brute force a question about threads is worth."""
        return 200 if self.slow else 2000

    def weight(self, rng: Random) -> Weight:
        """Mostly a weight that is neither 0 nor 1."""
        kind = rng.random()
        if kind < 0.03:
            return self.domain.zero
        return self.domain.one if kind < 0.15 else self.draw(rng)


def _cost(rng: Random) -> int:
    return rng.choice([0, 1, 1, 2, 3, 5])


def _path(rng: Random) -> Path:
    return ShortestPath().step(rng.randrange(6), rng.randrange(3))


def _relation(domain: Relations) -> Callable[[Random], Weight]:
    states = range(domain.states)

    def draw(rng: Random) -> Weight:
        if rng.random() < 0.5:
            return domain.relation((state, rng.choice(states)) for state in states)
        return domain.relation((rng.choice(states), rng.choice(states)) for _ in states)

    return draw


def _weighted_relation(domain: WeightedRelations[Any]) -> Callable[[Random], Weight]:
    states = range(domain.states)
    return lambda rng: domain.relation(
        (state, rng.choice(states), _cost(rng)) for state in states if rng.random() < 0.8
    )


def _transformer(domain: Sets) -> Callable[[Random], Weight]:
    facts = 1 << domain.facts
    return lambda rng: domain.transformer(rng.randrange(facts), rng.randrange(facts))


def _statement(domain: Affine) -> Callable[[Random], Weight]:
    numbers = range(-2, 3) if domain.modulus is None else range(domain.modulus)
    order = domain.variables + 1

    def draw(rng: Random) -> Weight:
        variable = rng.randint(1, domain.variables)
        if rng.random() < 0.1:
            return domain.statement({variable: None})
        if rng.random() < 0.1:
            return domain.span([tuple(rng.choice(numbers) for _ in range(order**2))])
        return domain.statement({variable: [rng.choice(numbers) for _ in range(order)]})

    return draw


def _matrix(rng: Random) -> Weight:
    return tuple(tuple(rng.choice([None, 0, 1, 4]) for _ in range(2)) for _ in range(2))


def _affine(variables: int, modulus: int | None = None, local_variables: int = 0) -> Case:
    domain = Affine(variables, modulus, local_variables)
    contexts = 3 if variables == 1 else 2
    return Case(domain, _statement(domain), local_variables > 0, slow=True, contexts=contexts)


def _cases() -> dict[str, Case]:
    relations, locals_ = Relations(3), Relations(4, local_states=2)
    costs = WeightedRelations(2, MinPath())
    local_costs = WeightedRelations(4, MinPath(), local_states=2)
    both = Pairs(Relations(2), Affine(1, 8))
    first, second = _relation(Relations(2)), _statement(Affine(1, 8))
    two_way, two_way_sets = TwoWay(ShortestPath()), TwoWay(Sets(2))
    set_of_two = _transformer(Sets(2))
    return {
        "Boolean": Case(Boolean(), lambda rng: True),
        "min-path": Case(MinPath(), _cost),
        "shortest path": Case(ShortestPath(), _path),
        "relations": Case(relations, _relation(relations)),
        "relations with locals": Case(locals_, _relation(locals_), merges=True, contexts=2),
        "min-path relations": Case(costs, _weighted_relation(costs)),
        "min-path relations with locals": Case(
            local_costs, _weighted_relation(local_costs), merges=True, contexts=2
        ),
        "union of sets": Case(Sets(3), _transformer(Sets(3))),
        "intersection of sets": Case(
            Sets(3, "intersection"), _transformer(Sets(3, "intersection"))
        ),
        "affine over the rationals": _affine(2),
        "affine in one variable": _affine(1),
        "affine with locals": _affine(2, local_variables=1),
        "affine modulo 4": _affine(1, 4),
        "affine modulo 7": _affine(1, 7),
        "affine modulo 8": _affine(1, 8),
        "affine modulo 8 with locals": _affine(2, 8, 1),
        "affine modulo 9": _affine(1, 9),
        "pairs": Case(both, lambda rng: (first(rng), second(rng)), slow=True),
        "matrices": Case(Matrices(2, MinPath()), _matrix),
        "two-way paths": Case(two_way, lambda rng: two_way.both(_path(rng))),
        "two-way sets": Case(two_way_sets, lambda rng: two_way_sets.both(set_of_two(rng))),
        "shuffles": Case(
            Shuffles(), lambda rng: frozenset(rng.sample(ORDERS, rng.choice([1, 1, 2])))
        ),
        "shuffles with locals": Case(
            Shuffles(), lambda rng: frozenset([rng.choice(ORDERS)]), merges=True, contexts=2
        ),
    }


CASES = _cases()


def how_many(case: Case, fuzz_systems: int) -> int:
    """Half as many as `make fuzz` is asked for; in an ordinary run fewer if weights are slow."""
    return fuzz_systems // (2 if FUZZING or not case.slow else 6)


@dataclass(frozen=True)
class Sample:
    """A system, sets of configurations to start from and to reach, one of the first set, and some
    configurations, of which the first can be reached from it."""

    system: WeightedSystem[Weight]
    start: Configurations
    target: Configurations
    begun: Configuration
    asked: tuple[Configuration, ...]


def random_sample(case: Case, rng: Random) -> Sample:
    names = _random_names(rng)
    start, begun = _random_start(rng, names)
    system = _random_system(case, rng, names, [begun], [2, 3, 4, 4, 5, 5, 6])
    end = _walked(rng, system, begun)
    asked = _walked(rng, system, begun), _random_configuration(rng, names)
    return Sample(system, start, _random_target(rng, names, end), begun, asked)


def random_question(case: Case, rng: Random) -> Question[Weight]:
    """Up to three threads, some of them equal."""
    states: list[State] = list("pqr"[: rng.choice([1, 2, 2, 2, 3])])
    state = rng.choice(states)
    threads = [_random_thread(case, rng, states, state) for _ in range(rng.choice([1, 2, 2, 2, 3]))]
    for place in range(1, len(threads)):
        if rng.random() < 0.4:
            threads[place] = rng.choice(threads[:place])
    contexts = min(rng.choice([1, 2, 2, 3, 3, 3]), case.contexts)
    words = [thread.word for thread in threads]
    for place in rng.choices(range(len(threads)), k=contexts):
        state, words[place] = _walked(rng, threads[place].system, (state, words[place]))
    target = [
        _random_target(rng, thread.names, (state, word))
        for thread, word in zip(threads, words, strict=True)
    ]
    if rng.random() < 0.7:
        target = [target[threads.index(thread)] for thread in threads]
    switches = frozenset(rng.sample(states, rng.randrange(len(states))))
    return Question(
        tuple(thread.system for thread in threads),
        tuple(thread.start for thread in threads),
        tuple(target),
        contexts,
        switches if rng.random() < 0.4 else None,
    )


def random_equal_threads(case: Case, rng: Random) -> Question[Weight]:
    """Two or three equal threads that mostly leave the height of their stacks as it is, and an end
    to which a thread must come back after another one has run."""
    names = Names(list("pqr"), list("abc"))
    rules = []
    for _ in range(rng.choice([6, 7, 8])):
        state, target = rng.choice(names.states), rng.choice(names.states)
        word = _random_word(rng, names, rng.choices([1, 2], [8, 1])[0])
        rules.append(WeightedRule(state, rng.choice(names.symbols), target, word, case.weight(rng)))
    system = WeightedSystem.of(case.domain, rules)
    count = rng.choice([2, 2, 3])
    ends: list[Configuration] = [("p", ("a",))] * count
    start = Configurations.of(ends[0])
    for place in (0, 1, 0):
        state, word = _walked(rng, system, ends[place])
        ends = [(state, other) for _, other in ends]
        ends[place] = state, word
    target = Configurations.of(*dict.fromkeys(ends))
    return Question((system,) * count, (start,) * count, (target,) * count, 3)


@dataclass(frozen=True, eq=False)
class Thread:
    """A system, and the stacks that it may start with, one of which is given."""

    names: Names
    system: WeightedSystem[Weight]
    start: Configurations
    word: Word


def _random_thread(case: Case, rng: Random, states: list[State], state: State) -> Thread:
    names = Names(states, list("abc"[: rng.choice([2, 2, 3])]))
    word = _random_word(rng, names, rng.choice([0, 1, 1, 1, 2]))
    tops = [(each, word) for each in states]
    system = _random_system(case, rng, names, tops, [1, 2, 3, 3, 4])
    return Thread(names, system, _start_like(rng, names, (state, word)), word)


@dataclass(frozen=True)
class Names:
    """States and symbols; the last ones may be in no rule."""

    states: list[State]
    symbols: list[Symbol]


def _random_names(rng: Random) -> Names:
    states, symbols = rng.choice([1, 2, 2, 3]), rng.choice([2, 2, 3, 3, 4])
    return Names(list("pqr"[:states]), list("abcd"[:symbols]))


def _random_word(rng: Random, names: Names, length: int) -> Word:
    return tuple(rng.choice(names.symbols) for _ in range(length))


def _random_configuration(rng: Random, names: Names) -> Configuration:
    return rng.choice(names.states), _random_word(rng, names, rng.choice([0, 1, 1, 2, 3]))


def _random_start(rng: Random, names: Names) -> tuple[Configurations, Configuration]:
    """A set, and one of its members; mostly a single one, as programs have it."""
    state, word = _random_configuration(rng, names)
    begun = state, word or _random_word(rng, names, rng.choice([0, 1, 1]))
    return _start_like(rng, names, begun), begun


def _start_like(rng: Random, names: Names, begun: Configuration) -> Configurations:
    kind = rng.random()
    if kind < 0.5:
        return Configurations.of(begun)
    if kind < 0.65:
        return Configurations.of(begun, _random_configuration(rng, names))
    if kind < 0.8:
        return _topped(rng, names, begun)
    return _random_automaton(rng, names).union(Configurations.of(begun))


def _random_target(rng: Random, names: Names, end: Configuration) -> Configurations:
    kind = rng.random()
    if kind < 0.3:
        return Configurations.of(end)
    if kind < 0.4:
        return Configurations.of(end, _random_configuration(rng, names))
    if kind < 0.65:
        return _topped(rng, names, end)
    if kind < 0.7:
        return Configurations.topped(names.states, [], names.symbols)
    if kind < 0.85:
        return _random_automaton(rng, names)
    return _random_automaton(rng, names).union(Configurations.of(end))


def _topped(rng: Random, names: Names, like: Configuration) -> Configurations:
    """All stacks at a state that have the same first symbols as another one."""
    state, word = like
    tops = [{symbol, *rng.sample(names.symbols, rng.choice([0, 0, 1]))} for symbol in word[:2]]
    return Configurations.topped({state, rng.choice(names.states)}, tops, names.symbols)


def _random_automaton(rng: Random, names: Names) -> Configurations:
    inner: list[Node] = [Inner(number) for number in range(rng.choice([1, 2, 3]))]
    nodes: list[Node] = [*names.states, *inner]
    transitions: set[Transition] = {
        (
            rng.choice(nodes),
            None if rng.random() < 0.15 else rng.choice(names.symbols),
            rng.choice(inner),
        )
        for _ in range(rng.choice([2, 3, 4, 5]))
    }
    return Configurations(frozenset(transitions), frozenset(rng.sample(nodes, rng.choice([1, 2]))))


def _random_system(
    case: Case, rng: Random, names: Names, begun: list[Configuration], counts: Sequence[int]
) -> WeightedSystem[Weight]:
    tops = [(state, word[0]) for state, word in begun if word]
    below = [symbol for _, word in begun for symbol in word[1:]] or names.symbols[:1]
    rules = []
    for _ in range(rng.choice(counts)):
        state, symbol = rng.choice(names.states), rng.choice(names.symbols)
        if tops and rng.random() < 0.85:
            state, symbol = rng.choice(tops)
        target = rng.choice(names.states)
        word = _random_word(rng, names, rng.choices([0, 1, 2, 3], [9, 8, 9, 2])[0])
        merges = case.merges and len(word) == 2 and rng.random() < 0.7
        rules.append(WeightedRule(state, symbol, target, word, case.weight(rng), merges))
        below += word[1:]
        tops.append((target, word[0] if word else rng.choice(below)))
    return WeightedSystem.of(case.domain, rules)


def _walked(
    rng: Random, system: WeightedSystem[Weight], configuration: Configuration
) -> Configuration:
    """Where a random run ends."""
    state, word = configuration
    for _ in range(rng.choice([0, 1, 2, 3, 3, 4, 5, 6, 8])):
        enabled = [r for r in system.rules if word and (r.state, r.symbol) == (state, word[0])]
        if not enabled:
            break
        rule = rng.choice(enabled)
        state, word = rule.target, rule.word + word[1:]
    return state, word
