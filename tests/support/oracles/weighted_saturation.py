"""Weighted saturation by its definition: all rules are applied repeatedly until nothing changes.

Slow and short, for comparison with the kernels and with what is built on them. Rules that merge are
not supported.
"""

from __future__ import annotations

from typing import TypeVar

from tepui.weighted.configurations import Configurations, Inner, Node, Transition, WeightedAutomaton
from tepui.weighted.domains.semiring import Semiring
from tepui.weighted.system import Symbol, WeightedRule, WeightedSystem, Word

W = TypeVar("W")
Weights = dict[Transition, W]


def pre_star(system: WeightedSystem[W], target: Configurations) -> WeightedAutomaton[W]:
    """A forward automaton that accepts c with MOP({c}, target)."""
    domain = system.domain
    weights: Weights[W] = dict.fromkeys(target.transitions, domain.one)
    changed = True
    while changed:
        changed = False
        for rule in system.rules:
            for node, weight in _paths(domain, weights, rule.target, rule.word).items():
                added = domain.extend(rule.weight, weight)
                changed |= _add(domain, weights, (rule.state, rule.symbol, node), added)
    return WeightedAutomaton(domain, weights, target.accepting, "forward")


def post_star(system: WeightedSystem[W], start: Configurations) -> WeightedAutomaton[W]:
    """A backward automaton that accepts c with MOP(start, {c})."""
    domain = system.domain
    weights: Weights[W] = dict.fromkeys(start.transitions, domain.one)
    changed = True
    while changed:
        changed = False
        for rule in system.rules:
            for node, weight in _tops(domain, weights, rule).items():
                added = domain.extend(weight, rule.weight)
                for transition, more in _written(domain, rule, node, added):
                    changed |= _add(domain, weights, transition, more)
    return WeightedAutomaton(domain, weights, start.accepting, "backward")


def weight_of(automaton: WeightedAutomaton[W], configurations: Configurations) -> W:
    """The combine of what all these configurations are accepted with."""
    domain = automaton.domain
    starts = {source for source, _, _ in automaton.transitions} | automaton.accepting
    at = {(state, state): domain.one for state in starts if not isinstance(state, Inner)}
    changed = True
    while changed:
        changed = False
        for (here, there), weight in list(at.items()):
            for follower, more in _product_steps(automaton, configurations, here, there):
                step = (weight, more) if automaton.direction == "forward" else (more, weight)
                extended = domain.combine(
                    at.get(follower, domain.zero), domain.extend(step[0], step[1])
                )
                changed |= at.get(follower, domain.zero) != extended
                at[follower] = extended
    total = domain.zero
    for (here, there), weight in at.items():
        if here in automaton.accepting and there in configurations.accepting:
            total = domain.combine(total, weight)
    return total


def meet_over_all_paths(
    system: WeightedSystem[W], start: Configurations, target: Configurations
) -> W:
    return weight_of(post_star(system, start), target)


def _product_steps(
    automaton: WeightedAutomaton[W], configurations: Configurations, here: Node, there: Node
) -> list[tuple[tuple[Node, Node], W]]:
    steps: list[tuple[tuple[Node, Node], W]] = []
    for (source, symbol, target), weight in automaton.transitions.items():
        if source != here:
            continue
        if symbol is None:
            steps.append(((target, there), weight))
        else:
            steps += [
                ((target, other), weight)
                for origin, letter, other in configurations.transitions
                if origin == there and letter == symbol
            ]
    one = automaton.domain.one
    steps += [
        ((here, other), one)
        for origin, letter, other in configurations.transitions
        if origin == there and letter is None
    ]
    return steps


def _paths(domain: Semiring[W], weights: Weights[W], start: Node, word: Word) -> dict[Node, W]:
    """The weights of all paths that read a word, by where they end."""
    return _read(domain, weights, {start: domain.one}, word, forward=True)


def _tops(domain: Semiring[W], weights: Weights[W], rule: WeightedRule[W]) -> dict[Node, W]:
    """The weights of all paths that read the symbol of a rule from its state, against the path."""
    return _read(domain, weights, {rule.state: domain.one}, (rule.symbol,), forward=False)


def _read(
    domain: Semiring[W], weights: Weights[W], at: dict[Node, W], word: Word, *, forward: bool
) -> dict[Node, W]:
    at = _closed(domain, weights, at, forward=forward)
    for symbol in word:
        at = _closed(domain, weights, _step(domain, weights, at, symbol, forward), forward=forward)
    return at


def _closed(
    domain: Semiring[W], weights: Weights[W], at: dict[Node, W], *, forward: bool
) -> dict[Node, W]:
    while True:
        more = dict(at)
        for node, weight in _step(domain, weights, at, None, forward).items():
            more[node] = domain.combine(more.get(node, domain.zero), weight)
        if more == at:
            return at
        at = more


def _step(
    domain: Semiring[W],
    weights: Weights[W],
    at: dict[Node, W],
    symbol: Symbol | None,
    forward: bool,
) -> dict[Node, W]:
    after: dict[Node, W] = {}
    for (source, label, target), weight in weights.items():
        if label == symbol and source in at:
            pair = (at[source], weight) if forward else (weight, at[source])
            extended = domain.extend(*pair)
            after[target] = domain.combine(after.get(target, domain.zero), extended)
    return after


def _written(
    domain: Semiring[W], rule: WeightedRule[W], node: Node, weight: W
) -> list[tuple[Transition, W]]:
    """The transitions by which the word of a rule is read on the way to a node."""
    if not rule.word:
        return [((rule.target, None, node), weight)]
    sources: list[Node] = [rule.target]
    sources += [Inner((rule.target, rule.word[:i])) for i in range(1, len(rule.word))]
    targets = [*sources[1:], node]
    last = len(rule.word) - 1
    return [
        ((source, symbol, target), weight if i == last else domain.one)
        for i, (source, symbol, target) in enumerate(zip(sources, rule.word, targets, strict=True))
    ]


def _add(domain: Semiring[W], weights: Weights[W], transition: Transition, weight: W) -> bool:
    old = weights.get(transition, domain.zero)
    weights[transition] = domain.combine(old, weight)
    return weights[transition] != old
