"""Weighted post*, pre* and meet over all paths against paths, one by one, for every domain.

`make fuzz` does it for five thousand systems of each domain and more.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from support.oracles.weighted import exact
from support.samples.weighted import CASES, Sample, how_many, random_sample
from tepui.weighted import Configurations
from tepui.weighted.paths import meet_over_all_paths, weight_of
from tepui.weighted.saturation import post_star, pre_star

pytestmark = pytest.mark.fuzz

HEIGHT = 5
"""Of the stacks on enumerated paths."""


@pytest.mark.parametrize("name", CASES)
def test_engines_find_what_all_paths_make(name: str, fuzz_systems: int) -> None:
    count = how_many(CASES[name], fuzz_systems)
    by_paths = something = 0
    for seed in range(count):
        sample = random_sample(CASES[name], Random(seed))
        expected = exact(sample.system, sample.start, sample.target, HEIGHT)
        _check(sample, expected.weight, seed)
        by_paths += expected.by_paths
        something += expected.weight != sample.system.domain.zero
    assert by_paths > 0.9 * count
    assert something > 0.7 * count


def _check(sample: Sample, expected: Any, seed: int) -> None:
    system, start, target = sample.system, sample.start, sample.target
    assert meet_over_all_paths(system, start, target) == expected, seed
    forwards, backwards = post_star(system, start), pre_star(system, target)
    assert weight_of(forwards, target) == expected, seed
    assert weight_of(backwards, start) == expected, seed
    for state, word in sample.asked:
        one = Configurations.of((state, word))
        reached = exact(system, start, one, HEIGHT).weight
        assert forwards.weight(state, word) == reached, (seed, state, word)
        reaching = exact(system, one, target, HEIGHT).weight
        assert backwards.weight(state, word) == reaching, (seed, state, word)
