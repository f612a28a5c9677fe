"""Transducers of pushdown systems: Theorems 1 and 2 of WPDS against naive saturation."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from support.generators.weighted import (
    KINDS,
    ONE_WAY,
    costly,
    random_configuration,
    random_rules,
    random_set,
)
from support.oracles.weighted_saturation import meet_over_all_paths, post_star
from tepui.errors import ModelError, UsageError
from tepui.weighted import Boolean, Configurations, MinPath, Relations, WeightedRule, WeightedSystem
from tepui.weighted.transducers.tapes import Tapes
from tepui.weighted.transducers.transducer import Transducer, phases_of, transducer_of, union

FIGURE_7 = costly(
    WeightedRule("p1", "a", "p2", ("b", "b"), 2), WeightedRule("p2", "b", "p2", ("b", "b"), 1)
)


def test_figure_7_writes_n_symbols_with_weight_n() -> None:
    transducer = transducer_of(FIGURE_7)
    weights = [transducer.weight(("p1", ("a",)), ("p2", ("b",) * n)) for n in range(8)]
    assert weights == [None, None, 2, 3, 4, 5, 6, 7]
    assert transducer.weight(("p1", ("a", "a")), ("p2", ("b", "b", "b", "a"))) == 3
    assert transducer.weight(("p1", ("a",)), ("p1", ("a",))) == 0


@pytest.mark.parametrize("name", [*KINDS, *ONE_WAY])
def test_a_transducer_gives_pairs_of_configurations_the_value_of_all_runs(name: str) -> None:
    kind = (KINDS | ONE_WAY)[name]
    met = 0
    for seed in range(50):
        rng = Random(seed)
        states = ["p", "q", "r"][: rng.randint(1, 3)]
        system = random_rules(rng, kind, states, "abc", most=6)
        transducer = transducer_of(system, states, "abc")
        for _ in range(4):
            before = random_configuration(rng, states, "abc")
            after = random_configuration(rng, states, "abc", most=4)
            sets = Configurations.of(before), Configurations.of(after)
            expected = meet_over_all_paths(system, *sets)
            assert transducer.weight(before, after) == expected, (seed, before, after)
            met += expected != system.domain.zero
        start, target = random_set(rng, states, "abc"), random_set(rng, states, "abc")
        expected = meet_over_all_paths(system, start, target)
        assert transducer.between(Tapes.of(start), Tapes.of(target)) == expected, seed
        met += expected != system.domain.zero
    assert met > 20


def test_the_printed_step_6_would_change_the_state_for_nothing() -> None:
    system = costly(WeightedRule("p", "a", "q", ("a",), 5))
    transducer = transducer_of(system)
    printed = dict(transducer.arcs)
    for state in ("p", "q"):
        for other in ("p", "q"):
            printed[("pop", state), None, other, "copy"] = 0
    wrong = Transducer(
        MinPath(), printed, transducer.initial, transducer.final, transducer.backward
    )
    assert transducer.weight(("p", ("a",)), ("q", ("a",))) == 5
    assert wrong.weight(("p", ("a",)), ("q", ("a",))) == 0
    assert transducer.weight(("q", ("a",)), ("p", ("a",))) is None
    assert wrong.weight(("q", ("a",)), ("p", ("a",))) == 0


def test_popping_is_one_phase_and_growing_another() -> None:
    rules = [
        WeightedRule("p", "a", "p", ("b", "c"), 1),
        WeightedRule("p", "b", "q", (), 2),
        WeightedRule("q", "c", "p", (), 4),
    ]
    phases = phases_of(costly(*rules))
    assert phases.pop == {("p", "b", "q"): 2, ("q", "c", "p"): 4, ("p", "a", "p"): 7}
    transducer = transducer_of(costly(*rules))
    assert transducer.weight(("p", ("a", "a")), ("q", ("c",))) == 10


def test_without_weights_the_image_of_a_set_is_what_can_be_reached() -> None:
    for seed in range(150):
        rng = Random(seed)
        states = ["p", "q"]
        system = random_rules(rng, (Boolean(), lambda _: True), states, "ab", most=5)
        start = random_set(rng, states, "ab")
        image = transducer_of(system, states, "ab").image(Tapes.of(start))
        reached = post_star(system, start)
        for tapes in (image, image.deterministic()):
            for _ in range(20):
                state, word = random_configuration(rng, states, "ab", most=5)
                assert ((state, *word) in tapes) == reached.weight(state, word), seed


def test_a_union_does_what_any_of_its_transducers_does() -> None:
    cheap = transducer_of(costly(WeightedRule("p", "a", "p", ("b",), 1)))
    dear = transducer_of(
        costly(WeightedRule("p", "a", "p", ("b",), 3), WeightedRule("p", "a", "p", ("c",), 3))
    )
    both = union([dear, cheap])
    assert both.weight(("p", ("a",)), ("p", ("b",))) == 1
    assert both.weight(("p", ("a",)), ("p", ("c",))) == 3
    with pytest.raises(UsageError, match="at least one"):
        union([])


def test_states_and_symbols_without_rules_are_copied_if_they_are_named() -> None:
    system = costly(WeightedRule("p", "a", "p", ("b",), 1))
    assert transducer_of(system).weight(("p", ("a", "z")), ("p", ("b", "z"))) is None
    named = transducer_of(system, ["r"], ["z"])
    assert named.weight(("p", ("a", "z")), ("p", ("b", "z"))) == 1
    assert named.weight(("r", ("z",)), ("r", ("z",))) == 0


def test_a_state_may_have_the_name_of_a_symbol() -> None:
    system = costly(WeightedRule(0, 0, 1, (1, 0), 1), WeightedRule(1, 1, 0, (), 1))
    transducer = transducer_of(system)
    assert transducer.weight((0, (0,)), (1, (1, 0))) == 1
    assert transducer.weight((0, (0,)), (0, (0,))) == 0
    assert transducer.weight((0, (0, 0)), (1, (1, 0, 0))) == 1


def test_systems_with_rules_that_merge_have_no_transducer() -> None:
    domain = Relations(2, local_states=2)
    system = WeightedSystem.of(
        domain, [WeightedRule("p", "a", "p", ("b", "c"), domain.one, merges=True)]
    )
    with pytest.raises(UsageError, match=r"<p, a> -> <p, b c> merges"):
        transducer_of(system)


@pytest.mark.parametrize(
    ("arc", "weight", "message"),
    [
        (("second", "a", "a", "first"), 0, "the second part is never left"),
        (("first", "a", "a", "second"), 1, "into the second part, a weight is not `one`"),
    ],
)
def test_the_partition_is_checked(arc: Any, weight: int, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Transducer(
            MinPath(),
            {arc: weight},
            frozenset(["first"]),
            frozenset(["second"]),
            frozenset(["second"]),
        )
