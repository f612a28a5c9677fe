"""Cheapest runs where some rules have negative costs.

Integers with minimum and sum are no bounded semiring: a cycle of negative cost can be gone round
for ever, so that there is no cheapest run. But where it cannot, the answer is a number, and it can
be decided which of the two is the case. So these systems are not saturated like others. This module
computes rounds of pre* (WPDS, section 2.2), in which every transition gets the least cost that
derivations of one more level give it.

After k rounds a transition has the least cost of all derivations of height at most k. If there are
n transitions, and one becomes cheaper in round k > n, then some path down its cheapest derivation
has a transition twice. Removing what is between the two, repeatedly, gives a derivation of height
at most n, which costs more. So one of the removed parts has a negative cost, and inserting it
repeatedly makes the transition as cheap as one likes. Its cost is −∞, which then only spreads. The
same argument, for paths, finds the cheapest path through the product of the saturated automaton
with that of the start.

Rounds are simple and slow; for systems without negative costs, `saturation` is better.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from tepui.errors import Stopped, TepuiError
from tepui.limits import Limits, Meter
from tepui.records import record
from tepui.weighted.configurations import Configurations, Inner, Node
from tepui.weighted.domains.min_path import MinPath
from tepui.weighted.epsilon import without_epsilon
from tepui.weighted.system import Configuration, Symbol, WeightedSystem, Word

Cost = int | float
"""An integer, or −∞."""

Edge = tuple[Node, Symbol, Node]

MOST_RULES = 100_000
"""Runs can be exponentially long; longer ones are not written out."""


class Integers(MinPath):
    """Costs that may be negative, with `min` and `+`; None is ∞. No bounded semiring."""


@dataclass(frozen=True)
class Cheapest:
    """What a cheapest run costs, where it begins, and the numbers of its rules."""

    cost: int
    start: Configuration
    rules: tuple[int, ...] | None
    """None if there are more than `MOST_RULES`."""


class Unbounded(TepuiError):  # noqa: N818 - nothing is wrong: there is no least number
    """There is no cheapest run: for every cost there is a cheaper run."""


def cheapest_run(
    system: WeightedSystem[int | None],
    start: Configurations,
    target: Configurations,
    limits: Limits | None = None,
) -> Cheapest | None:
    """A cheapest run from one set to the other; None if there is no run at all."""
    meter = Meter(limits or Limits())
    found = _cheapest_path(system, without_epsilon(start), without_epsilon(target), meter)
    if found is None:
        return None
    if found.cost == -math.inf:
        raise Unbounded(
            "there is no cheapest run: some runs cost as little as one likes, because a cycle of "
            "negative cost can be gone round again and again"
        )
    begun, word = _beginning(found.derivation)
    rules = tuple(_rules(found.derivation)) if found.length <= MOST_RULES else None
    return Cheapest(int(found.cost), (begun, word), rules)


def least_costs(
    system: WeightedSystem[int | None], target: Configurations, limits: Limits | None = None
) -> dict[Edge, Cost]:
    """The transitions of pre*, and the least cost of each, which may be −∞."""
    edges = _saturated(system, without_epsilon(target), Meter(limits or Limits()))
    return {edge: least.cost for edge, least in edges.items()}


@record
class _Least:
    """A cost, its number of rules, and its derivation: a tree with rules at its leaves, in the
    order of the run. A node of a path also has the symbol that was read there."""

    cost: Cost
    length: int = 0
    derivation: tuple[Any, ...] = ()

    def then(self, other: _Least, *read: Symbol) -> _Least:
        return _Least(
            _sum(self.cost, other.cost),
            self.length + other.length,
            (self.derivation, other.derivation, *read),
        )


_Key = TypeVar("_Key", bound=Hashable)


class _Edges(dict[Edge, _Least]):
    """Transitions, also by their sources and symbols."""

    def __init__(self) -> None:
        super().__init__()
        self._targets: dict[tuple[Node, Symbol], list[Node]] = defaultdict(list)
        self._symbols: dict[Node, dict[Symbol, None]] = defaultdict(dict)

    def __setitem__(self, edge: Edge, least: _Least) -> None:
        source, symbol, target = edge
        if edge not in self:
            self._targets[source, symbol].append(target)
            self._symbols[source][symbol] = None
        super().__setitem__(edge, least)

    def targets(self, node: Node, symbol: Symbol) -> list[Node]:
        return self._targets.get((node, symbol), [])

    def symbols(self, node: Node) -> Iterable[Symbol]:
        return self._symbols.get(node, ())

    def reading(self, node: Node, word: Word, least: _Least) -> Iterable[tuple[Node, _Least]]:
        """The nodes to which a word leads from a node, each with the least cost, continuing what
        came before."""
        at = {node: least}
        for symbol in word:
            onwards: dict[Node, _Least] = {}
            for source, before in at.items():
                for target in self.targets(source, symbol):
                    _lower(onwards, target, before.then(self[source, symbol, target]))
            at = onwards
        return at.items()


def _saturated(system: WeightedSystem[int | None], target: Configurations, meter: Meter) -> _Edges:
    """pre* of an automaton without ε."""
    edges = _Edges()
    users: dict[Symbol, set[int]] = defaultdict(set)
    for source, symbol, inner in target.transitions:
        if symbol is not None:
            edges[source, symbol, inner] = _Least(0)
    for number, rule in enumerate(system.rules):
        for symbol in rule.word:
            users[symbol].add(number)
        if not rule.word and rule.weight is not None:
            _lower(edges, (rule.state, rule.symbol, rule.target), _of_rule(rule.weight, number))

    def improved(changed: Iterable[Edge]) -> Iterator[tuple[Edge, _Least]]:
        for number in sorted({user for _, symbol, _ in changed for user in users[symbol]}):
            rule = system.rules[number]
            if rule.weight is not None:
                first = _of_rule(rule.weight, number)
                for node, least in edges.reading(rule.target, rule.word, first):
                    yield (rule.state, rule.symbol, node), least

    _descend(edges, improved, meter)
    return edges


def _cheapest_path(
    system: WeightedSystem[int | None], start: Configurations, target: Configurations, meter: Meter
) -> _Least | None:
    """The least cost of what both pre* of the target and the start accept."""
    edges = _saturated(system, target, meter)
    onwards: dict[tuple[Node, Symbol | None], list[Node]] = defaultdict(list)
    for source, symbol, inner in start.transitions:
        onwards[source, symbol].append(inner)
    states = {source for source, _ in onwards} | start.accepting
    pairs: dict[tuple[Node, Node], _Least] = {
        (state, state): _Least(0, 0, ((), (), state))
        for state in states
        if not isinstance(state, Inner)
    }

    def improved(
        changed: Iterable[tuple[Node, Node]],
    ) -> Iterator[tuple[tuple[Node, Node], _Least]]:
        for node, other in changed:
            for symbol in edges.symbols(node):
                for after in onwards.get((other, symbol), ()):
                    for to in edges.targets(node, symbol):
                        least = pairs[node, other].then(edges[node, symbol, to], symbol)
                        yield (to, after), least

    _descend(pairs, improved, meter)
    accepted = [
        least
        for (node, other), least in pairs.items()
        if node in target.accepting and other in start.accepting
    ]
    return min(accepted, key=lambda least: least.cost, default=None)


def _descend(
    costs: dict[_Key, _Least],
    improved: Callable[[Iterable[_Key]], Iterator[tuple[_Key, _Least]]],
    meter: Meter,
) -> None:
    """Lower costs round by round until nothing changes. A cost that still changes after as many
    rounds as there are costs becomes −∞."""
    changed = dict.fromkeys(costs)
    rounds = 1
    while changed:
        if meter.is_out_of_time():
            raise Stopped.at_limit("time")
        if not meter.bytes_left():
            raise Stopped.at_limit("memory")
        found = list(improved(changed))
        changed = {key: None for key, least in found if _lower(costs, key, least)}
        rounds += 1
        if rounds > len(costs):
            for key in changed:
                costs[key] = _Least(-math.inf)


def _lower(costs: dict[_Key, _Least], key: _Key, least: _Least) -> bool:
    known = costs.get(key)
    if known is not None and known.cost <= least.cost:
        return False
    costs[key] = least
    return True


def _sum(a: Cost, b: Cost) -> Cost:
    """The sum, which is exact however large the numbers are."""
    return -math.inf if -math.inf in (a, b) else a + b


def _of_rule(cost: int, number: int) -> _Least:
    return _Least(cost, 1, (number,))


def _beginning(path: tuple[Any, ...]) -> Configuration:
    """The state and the stack that a path through the product reads."""
    read: list[Any] = []
    while path:
        path, _, name = path
        read.append(name)
    return read[-1], tuple(reversed(read[:-1]))


def _rules(path: tuple[Any, ...]) -> Iterator[int]:
    """The rules of a path through the product, in the order of the run."""
    transitions = []
    while path:
        path, derivation, _ = path
        transitions.append(derivation)
    while transitions:
        part = transitions.pop()
        if isinstance(part, int):
            yield part
        else:
            transitions.extend(reversed(part))
