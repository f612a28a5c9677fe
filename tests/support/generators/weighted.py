"""Small random weighted systems and sets of configurations, for tests of code that uses
saturation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from tepui.weighted import (
    Affine,
    Boolean,
    Configurations,
    MinPath,
    Pairs,
    Relations,
    Semiring,
    Sets,
    ShortestPath,
    TwoWay,
    WeightedRule,
    WeightedSystem,
)
from tepui.weighted.system import Configuration

Kind = tuple[Semiring[Any], Callable[[Random], Any]]
"""A domain, and how to draw a weight of it."""


def _relation(rng: Random, states: int) -> tuple[int, ...]:
    if rng.random() < 0.5:
        return tuple(1 << rng.randrange(states) for _ in range(states))
    return tuple(rng.randrange(1 << states) & rng.randrange(1 << states) for _ in range(states))


def _assignment(rng: Random, domain: Affine) -> Any:
    expression = tuple(rng.choice([0, 0, 1, 1, -1, 2]) for _ in range(domain.variables + 1))
    target = rng.randint(1, domain.variables)
    return domain.statement({target: None if rng.random() < 0.15 else expression})


RATIONAL, MODULAR, SETS = Affine(1), Affine(1, 4), Sets(2)
PATHS: TwoWay[Any] = TwoWay(ShortestPath())
TWO_WAY_SETS: TwoWay[Any] = TwoWay(SETS)

KINDS: dict[str, Kind] = {
    "Boolean": (Boolean(), lambda rng: True),
    "min-path": (MinPath(), lambda rng: rng.randint(0, 4)),
    "relations": (Relations(2), lambda rng: _relation(rng, 2)),
    "more relations": (Relations(3), lambda rng: _relation(rng, 3)),
    "affine": (RATIONAL, lambda rng: _assignment(rng, RATIONAL)),
    "affine modulo 4": (MODULAR, lambda rng: _assignment(rng, MODULAR)),
    "pairs": (
        Pairs(MinPath(), Relations(2)),
        lambda rng: (rng.randint(0, 2), _relation(rng, 2)),
    ),
    "sets both ways": (
        TWO_WAY_SETS,
        lambda rng: TWO_WAY_SETS.both(SETS.transformer(rng.randrange(4), rng.randrange(4))),
    ),
    "paths both ways": (
        PATHS,
        lambda rng: PATHS.both(ShortestPath().step(rng.randrange(9), rng.randrange(3))),
    ),
}
"""Domains that have a transpose and tensors."""

ONE_WAY: dict[str, Kind] = {
    "paths": (ShortestPath(), lambda rng: ShortestPath().step(rng.randrange(9), rng.randrange(3))),
    "sets": (SETS, lambda rng: SETS.transformer(rng.randrange(4), rng.randrange(4))),
}
"""Domains that have tensors, but no transpose."""


def costly(*rules: WeightedRule[Any]) -> WeightedSystem[Any]:
    """Rules that cost something."""
    return WeightedSystem.of(MinPath(), rules)


def random_rules(
    rng: Random, kind: Kind, states: Sequence[str], symbols: Sequence[str], most: int
) -> WeightedSystem[Any]:
    """Any rules, recursion included."""
    domain, draw = kind
    lengths = [0, 0, 1, 1, 2, 2, 3]
    return WeightedSystem.of(
        domain,
        (
            WeightedRule(
                rng.choice(states),
                rng.choice(symbols),
                rng.choice(states),
                tuple(rng.choices(symbols, k=rng.choice(lengths))),
                draw(rng),
            )
            for _ in range(rng.randint(1, most))
        ),
    )


def random_bounded_rules(
    rng: Random, kind: Kind, states: Sequence[str], symbols: Sequence[str], most: int
) -> WeightedSystem[Any]:
    """Rules that write above the last symbol only earlier symbols than they read, so that no stack
    has more than `len(symbols)` symbols above where it started."""
    domain, draw = kind
    rules = []
    for _ in range(rng.randint(2, most)):
        read = rng.randrange(len(symbols))
        words = [(), (rng.randint(0, read),), (rng.randint(0, read),)]
        if read:
            words += [(rng.randint(0, read - 1), rng.randint(0, read))] * 2
        word = tuple(symbols[number] for number in rng.choice(words))
        state, target = rng.choice(states), rng.choice(states)
        rules.append(WeightedRule(state, symbols[read], target, word, draw(rng)))
    return WeightedSystem.of(domain, rules)


def random_configuration(
    rng: Random, states: Sequence[str], symbols: Sequence[str], most: int = 3
) -> Configuration:
    return rng.choice(states), tuple(rng.choices(symbols, k=rng.randint(0, most)))


def random_set(rng: Random, states: Sequence[str], symbols: Sequence[str]) -> Configurations:
    """A few configurations, or all with some tops, or both."""
    few = Configurations.of(*(random_configuration(rng, states, symbols) for _ in range(2)))
    tops = [rng.sample(symbols, 1)] if rng.random() < 0.5 else []
    many = Configurations.topped(rng.sample(states, 1), tops, symbols)
    return rng.choice([few, many, few.union(many)])
