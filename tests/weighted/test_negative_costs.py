"""Costs that may be negative, against a search that takes every run up to a length."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from random import Random
from typing import Any

import pytest

from tepui.errors import TepuiError
from tepui.limits import Limits
from tepui.weighted import Configurations, Inner, MinPath, WeightedRule, WeightedSystem
from tepui.weighted.configurations import Node, Transition
from tepui.weighted.negative_costs import Cheapest, Integers, Unbounded, cheapest_run, least_costs
from tepui.weighted.paths import Run, meet_over_all_paths
from tepui.weighted.system import Configuration

System = WeightedSystem[int | None]

LENGTH = 24
HEIGHT = 7


def test_random_systems_cost_what_a_search_finds(fuzz_systems: int) -> None:
    kinds = {"no run": 0, "finite": 0, "unbounded": 0}
    for seed in range(fuzz_systems):
        system, start, target = _question(Random(seed))
        lowest = _search(system, start, target)
        try:
            found = cheapest_run(system, start, target)
        except Unbounded:
            kinds["unbounded"] += 1
            continue
        if found is None:
            kinds["no run"] += 1
            assert lowest is None
        else:
            kinds["finite"] += 1
            assert lowest is None or lowest >= found.cost
            _check_run(system, start, target, found)
    assert min(kinds.values()) > fuzz_systems / 50, kinds


def test_what_has_no_least_cost_is_found_lower_and_lower() -> None:
    checked = 0
    for seed in range(1500):
        system, start, target = _question(Random(seed))
        try:
            cheapest_run(system, start, target)
        except Unbounded:
            lower = [_search(system, start, target, length) for length in (6, 12, LENGTH)]
            if all(len(rule.word) <= 1 for rule in system.rules) and lower[0] is not None:
                assert lower[2] is not None
                assert lower[2] < lower[0]
                checked += 1
    assert checked > 5


def test_without_negative_costs_it_is_what_saturation_finds(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 2):
        system, start, target = _question(Random(seed), costs=(0, 1, 2, 5))
        found = cheapest_run(system, start, target)
        plain = WeightedSystem.of(MinPath(), system.rules)
        expected = meet_over_all_paths(plain, start, target)
        assert (None if found is None else found.cost) == expected


def test_a_negative_cycle_beside_the_way_does_no_harm() -> None:
    rules = [WeightedRule("p", "a", "q", (), -3), WeightedRule("r", "b", "r", ("b",), -1)]
    found = cheapest_run(_system(rules), Configurations.of(("p", ("a",))), _at("q"))
    assert found == Cheapest(-3, ("p", ("a",)), (0,))
    costs = least_costs(_system(rules), Configurations.of(("r", ("b",))))
    assert costs["r", "b", Inner((0, 1))] == -math.inf


def test_a_cycle_that_costs_nothing_is_no_negative_one() -> None:
    rules = [WeightedRule("p", "a", "q", ("a",), -3), WeightedRule("q", "a", "p", ("a",), 3)]
    start = Configurations.of(("p", ("a",)))
    found = cheapest_run(_system(rules), start, Configurations.of(("q", ("a",))))
    assert found == Cheapest(-3, ("p", ("a",)), (0,))


def test_pushing_and_popping_can_be_a_negative_cycle() -> None:
    rules = [WeightedRule("p", "a", "p", ("b", "a"), 1), WeightedRule("p", "b", "p", (), -2)]
    rules.append(WeightedRule("p", "a", "q", (), 0))
    with pytest.raises(Unbounded, match="cycle of negative cost"):
        cheapest_run(_system(rules), Configurations.of(("p", ("a",))), _at("q"))


def test_more_and_more_symbols_in_the_start_can_cost_less_and_less() -> None:
    start = Configurations.topped(["p"], [], ["a"])
    with pytest.raises(Unbounded):
        cheapest_run(_system([WeightedRule("p", "a", "p", (), -1)]), start, _at("p"))
    assert cheapest_run(_system([WeightedRule("p", "a", "p", (), 1)]), start, _at("p")) == Cheapest(
        0, ("p", ()), ()
    )


def test_an_exponentially_long_run_has_a_cost_but_is_not_written_out() -> None:
    rules = [WeightedRule("p", f"a{n}", "p", (f"a{n + 1}", f"a{n + 1}"), -1) for n in range(1100)]
    rules.append(WeightedRule("p", "a1100", "p", (), 0))
    found = cheapest_run(_system(rules), Configurations.of(("p", ("a0",))), _at("p"))
    assert found == Cheapest(1 - 2**1100, ("p", ("a0",)), None)


def test_an_infinite_descent_next_to_an_enormous_cost_is_still_exact() -> None:
    rules = [WeightedRule("p", f"a{n}", "p", (f"a{n + 1}", f"a{n + 1}"), 1) for n in range(1100)]
    rules += [WeightedRule("p", "a1100", "p", (), 0), WeightedRule("p", "c", "q", ("b", "a0"), 0)]
    rules += [WeightedRule("q", "b", "q", ("b",), -1), WeightedRule("q", "b", "p", (), 0)]
    with pytest.raises(Unbounded):
        cheapest_run(_system(rules), Configurations.of(("p", ("c",))), _at("p"))


def test_a_rule_with_the_cost_infinity_is_never_taken() -> None:
    rules: list[WeightedRule[Any]] = [
        WeightedRule("p", "a", "q", (), None),
        WeightedRule("p", "a", "p", (), -1),
    ]
    assert cheapest_run(_system(rules), Configurations.of(("p", ("a",))), _at("q")) is None


def test_the_rounds_end_when_time_is_over() -> None:
    rules = [WeightedRule("p", f"a{n}", "p", (f"a{n + 1}",), -1) for n in range(3000)]
    rules.append(WeightedRule("p", "a3000", "p", ("a0",), 0))
    start = Configurations.of(("p", ("a0",)))
    with pytest.raises(TepuiError, match="stopped at a limit"):
        cheapest_run(_system(rules), start, start, Limits(timeout=0.001))


def _system(rules: Iterable[WeightedRule[Any]]) -> System:
    return WeightedSystem.of(Integers(), rules)


def _at(state: str) -> Configurations:
    """The empty stack."""
    return Configurations.of((state, ()))


def _question(
    rng: Random, costs: tuple[int, ...] = (-2, -1, 0, 1, 1, 2, 3, 4)
) -> tuple[System, Configurations, Configurations]:
    states, symbols = ["p", "q", "r"][: rng.randint(1, 3)], ["a", "b"][: rng.randint(1, 2)]

    def word(size: int) -> tuple[str, ...]:
        return tuple(rng.choice(symbols) for _ in range(size))

    rules = [
        WeightedRule(
            rng.choice(states),
            rng.choice(symbols),
            rng.choice(states),
            word(rng.choice([0, 0, 1, 1, 2, 2, 3])),
            rng.choice(costs),
        )
        for _ in range(rng.randint(1, 6))
    ]
    start, target = (_random_set(rng, states, symbols) for _ in range(2))
    return _system(rules), start, target


def _random_set(rng: Random, states: list[str], symbols: list[str]) -> Configurations:
    if rng.random() < 0.5:
        return Configurations.of(
            *(
                (rng.choice(states), tuple(rng.choices(symbols, k=rng.randint(0, 3))))
                for _ in range(rng.randint(1, 2))
            )
        )
    inner = [Inner(0), Inner(1)]
    nodes: list[Node] = [*states, *inner]
    transitions: set[Transition] = {
        (rng.choice(nodes), rng.choice([*symbols, None]), rng.choice(inner))
        for _ in range(rng.randint(1, 5))
    }
    return Configurations(frozenset(transitions), frozenset(rng.sample(nodes, rng.randint(1, 2))))


def _search(
    system: System, start: Configurations, target: Configurations, length: int = LENGTH
) -> int | None:
    """The least cost of all runs up to a length, with stacks up to a height."""
    symbols = sorted(map(str, system.symbols))
    stacks = [stack for size in range(6) for stack in product(symbols, repeat=size)]
    nodes = {state for state, _, _ in start.transitions} | start.accepting
    states = [node for node in nodes if not isinstance(node, Inner)]
    at: dict[Configuration, int] = {
        (state, stack): 0 for state in states for stack in stacks if (state, stack) in start
    }
    lowest: int | None = None
    for _ in range(length + 1):
        ends = [cost for configuration, cost in at.items() if configuration in target]
        lowest = min([*ends, *([] if lowest is None else [lowest])], default=None)
        at = _after(system, at)
    return lowest


def _after(system: System, at: dict[Configuration, int]) -> dict[Configuration, int]:
    after: dict[Configuration, int] = {}
    for (state, stack), cost in at.items():
        for rule in system.rules:
            if stack and (rule.state, rule.symbol) == (state, stack[0]):
                reached = rule.target, rule.word + stack[1:]
                assert rule.weight is not None
                if len(reached[1]) <= HEIGHT:
                    after[reached] = min(after.get(reached, 10**9), cost + rule.weight)
    return after


def _check_run(
    system: System, start: Configurations, target: Configurations, found: Cheapest
) -> None:
    assert found.rules is not None
    visited = list(Run(found.start, found.rules).configurations(system))
    assert visited[0] in start
    assert visited[-1] in target
    taken = [system.rules[number] for number in found.rules]
    for rule, (state, stack) in zip(taken, visited, strict=False):
        assert (rule.state, rule.symbol) == (state, stack[0])
    assert sum(rule.weight or 0 for rule in taken) == found.cost
