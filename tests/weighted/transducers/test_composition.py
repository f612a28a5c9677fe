"""Composition of transducers: Theorem 4 of WPDS, and contexts on one tape as the paper has them."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

from support.generators.weighted import KINDS, Kind, costly, random_rules, random_set
from support.oracles.weighted_saturation import post_star, pre_star
from tepui.errors import UsageError
from tepui.weighted import (
    Boolean,
    Configurations,
    Relations,
    Sets,
    WeightedAutomaton,
    WeightedRule,
    WeightedSystem,
    combine_all,
)
from tepui.weighted.contexts import Threads, context_bounded
from tepui.weighted.transducers.composition import Composition
from tepui.weighted.transducers.one_tape import context_bounded_on_one_tape, tapes_of
from tepui.weighted.transducers.tapes import Tapes
from tepui.weighted.transducers.transducer import Arc, Transducer, copying, transducer_of


@pytest.mark.parametrize("name", KINDS)
def test_a_composition_is_the_combine_over_all_tapes_in_between(name: str) -> None:
    kind = KINDS[name]
    domain = kind[0]
    met = 0
    for seed in range(150):
        rng = Random(seed)
        first, second = (_random_transducer(rng, kind) for _ in range(2))
        before, after = (tuple(rng.choices("ab", k=rng.randint(0, 2))) for _ in range(2))
        expected = combine_all(
            domain,
            (
                domain.extend(
                    first.between(Tapes.word(before), Tapes.word(middle)),
                    second.between(Tapes.word(middle), Tapes.word(after)),
                )
                for length in range(len(before) + 1)
                for middle in product("ab", repeat=length)
            ),
        )
        composed = Composition.of(first, second)
        assert composed.between(Tapes.word(before), Tapes.word(after)) == expected, seed
        met += expected != domain.zero
    assert met > 10


@pytest.mark.parametrize("name", ["Boolean", "min-path", "relations", "paths both ways"])
def test_runs_after_runs_are_runs(name: str) -> None:
    for seed in range(25):
        rng = Random(seed)
        system = random_rules(rng, KINDS[name], ["p", "q"], "ab", most=4)
        start, target = (Tapes.of(random_set(rng, ["p", "q"], "ab")) for _ in range(2))
        once = transducer_of(system, ["p", "q"], "ab")
        expected = once.between(start, target)
        twice = Composition.of(once, once)
        assert twice.between(start, target) == expected, seed
        assert twice.reading(start).then(once).writing(target) == expected, seed


@pytest.mark.parametrize("saturate", [pre_star, post_star])
def test_a_transducer_is_applied_to_a_weighted_automaton_by_composing_the_two(
    saturate: Any,
) -> None:
    kind = KINDS["relations"]
    domain: Relations = kind[0]  # type: ignore[assignment]
    for seed in range(25):
        rng = Random(seed)
        system = random_rules(rng, kind, ["p", "q"], "ab", most=3)
        states = ["p", "q"]
        given = Configurations.of(
            *((rng.choice(states), tuple(rng.choices("ab", k=rng.randint(0, 2)))) for _ in "12")
        )
        automaton: WeightedAutomaton[Any] = saturate(
            random_rules(rng, kind, states, "ab", most=2), given
        )
        transducer = transducer_of(system, states, "ab")
        few = [
            (state, word) for state in states for n in range(3) for word in product("ab", repeat=n)
        ]
        only = Tapes.of(Configurations.of(*few))
        after = rng.choice(few)
        expected = combine_all(
            domain,
            (domain.extend(automaton.weight(*c), transducer.weight(c, after)) for c in few),
        )
        composed = Composition.of(copying(automaton), transducer)
        assert composed.between(only, Tapes.word((after[0], *after[1]))) == expected, seed


def test_weights_without_a_transpose_are_to_be_made_two_way() -> None:
    domain = Sets(1)
    rules: list[WeightedRule[Any]] = [WeightedRule("p", "a", "p", ("b",), domain.transformer(1))]
    system = WeightedSystem.of(domain, rules)
    with pytest.raises(UsageError, match=r"use TwoWay\(Sets"):
        Composition.of(transducer_of(system))


def test_only_places_that_are_of_use_are_composed() -> None:
    system = WeightedSystem.of(
        Boolean(),
        [WeightedRule("p", "a", "p", ("b",), True), WeightedRule("q", "c", "q", ("d", "d"), True)],
    )
    once = transducer_of(system)
    everything = Composition.of(once, once).whole
    little = Composition.of(once).reading(Tapes.word("pa")).then(once).whole
    assert 0 < len(little.arcs) < len(everything.arcs) < len(once.arcs) ** 2


@pytest.mark.parametrize("name", ["Boolean", "min-path", "relations", "affine modulo 4", "pairs"])
def test_contexts_on_one_tape_give_what_threads_apart_give(name: str) -> None:
    kind = KINDS[name]
    met = 0
    for seed in range(8):
        rng = Random(seed)
        states = ["p", "q"][: rng.randint(1, 2)]
        alphabets = [["a", "b"], ["c", "d"]]
        systems = tuple(random_rules(rng, kind, states, each, most=3) for each in alphabets)
        switches = rng.choice([None, None, frozenset(rng.sample(states, 1))])
        threads = Threads(systems, switches)
        start, target = ([random_set(rng, states, each) for each in alphabets] for _ in range(2))
        for contexts in (1, 2, 3) if name == "Boolean" else (1, 2):
            expected = context_bounded(threads, start, target, contexts)
            found = context_bounded_on_one_tape(threads, start, target, contexts)
            assert found == expected, (seed, contexts)
        met += expected != kind[0].zero
    assert met > 1


def test_a_tape_has_the_shared_state_and_all_stacks() -> None:
    stacks = [Configurations.of(("p", ("a",)), ("q", ())), Configurations.of(("p", ("a", "b")))]
    tapes = tapes_of(stacks)
    assert ["p", (0, "a"), "#", (1, "a"), (1, "b")] in tapes
    assert ["q", "#", (1, "a"), (1, "b")] not in tapes
    assert ["p", (0, "a"), "#", (1, "a")] not in tapes


def test_three_stacks_on_one_tape() -> None:
    step = costly(WeightedRule("p", "a", "p", ("b",), 1))
    threads = Threads((step, step, step))
    start = [Configurations.of(("p", ("a",)))] * 3
    target = [Configurations.of(("p", ("b",)))] * 3
    found = [context_bounded_on_one_tape(threads, start, target, k) for k in (1, 2, 3)]
    assert found == [None, None, 3]


def _random_transducer(rng: Random, kind: Kind) -> Transducer[Any]:
    """Two places in either part; what is written is never longer than what is read, and nothing is
    written without reading, so that there are few tapes in between."""
    domain, draw = kind
    places = [0, 1, 2, 3]
    arcs: dict[Arc, Any] = {}
    for _ in range(rng.randint(8, 16)):
        source = rng.choice(places)
        target = rng.choice(places[2:] if source > 1 else places)
        read = rng.choice("ab")
        crosses = source < 2 <= target
        weight = domain.one if crosses else draw(rng)
        arcs[source, read, rng.choice(["a", "b", None]), target] = weight
    arcs[rng.choice([0, 1]), None, None, rng.choice([2, 3])] = domain.one
    return Transducer(
        domain,
        arcs,
        frozenset([0]),
        frozenset(rng.sample(places, 2)),
        frozenset([2, 3]),
    )
