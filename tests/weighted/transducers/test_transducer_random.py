"""The transducer of a system (WPDS, Theorem 2) against paths, one by one, for every domain.

`make fuzz` does it for many more systems.
"""

from __future__ import annotations

from random import Random

import pytest

from support.oracles.weighted import exact
from support.samples.weighted import CASES, how_many, random_sample
from tepui.weighted import Configurations
from tepui.weighted.transducers.transducer import transducer_of

pytestmark = pytest.mark.fuzz

HEIGHT = 5
"""Of the stacks on enumerated paths."""


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.merges])
def test_a_transducer_relates_configurations_as_paths_do(name: str, fuzz_systems: int) -> None:
    case = CASES[name]
    something = 0
    count = how_many(case, fuzz_systems) // 3
    for seed in range(count):
        sample = random_sample(case, Random(seed))
        transducer = transducer_of(sample.system, "pqr", "abcd")
        pairs = [(before, after) for before in sample.asked for after in sample.asked]
        for before, after in [(sample.begun, sample.asked[0]), *pairs]:
            start, target = Configurations.of(before), Configurations.of(after)
            expected = exact(sample.system, start, target, HEIGHT).weight
            assert transducer.weight(before, after) == expected, (seed, before, after)
            something += before != after and expected != case.domain.zero
    assert something > 0.3 * count
