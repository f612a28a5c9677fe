"""Verdicts about whole stacks against brute force: one wrong «safe» would be one too many."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

import tepui
from support.generators.systems import Sizes, random_system
from support.oracles import systems as oracle
from support.samples.reach import fits, random_reach
from tepui.deciding import Options
from tepui.limits import Limits
from tepui.model import Property

pytestmark = pytest.mark.fuzz

SIZES = Sizes()


def test_every_verdict_about_whole_stacks_agrees_with_brute_force(fuzz_systems: int) -> None:
    """A trace is as short as it can be, and nothing that is reached is called safe."""
    verdicts: Counter[str] = Counter()
    for seed in range(fuzz_systems // 2):
        rng = Random(53_000_000 + seed)
        system = random_system(rng, SIZES)
        asked = Property(reaches=tuple(random_reach(rng, system) for _ in range(rng.randint(1, 2))))
        if rng.random() < 0.2:
            asked = replace(asked, patterns=system.property.patterns)
        reached, lacking = oracle.rounds(system, SIZES.contexts, SIZES.depth)
        bounds = [
            k
            for k, states in enumerate(reached)
            if any(
                any(fits(reach, state) for reach in asked.reaches)
                or oracle.is_bad(system, asked, oracle.visible(state))
                for state in states
            )
        ]
        bounded = rng.random() < 0.3
        options = Options(
            symmetry=rng.random() < 0.7,
            contexts=SIZES.contexts if bounded else None,
            limits=Limits(max_contexts=SIZES.contexts),
        )
        result = tepui.verify(system, asked, options)
        verdicts[result.verdict] += 1
        place = (seed, result.verdict, result.bound, bounds[:1])
        if result.verdict in ("safe", "bounded"):
            assert not bounds, place
        elif result.verdict == "unsafe":
            assert result.checked, place
            assert result.bound is not None, place
            if bounds:
                assert result.bound <= bounds[0], place
            if not any(lacking[: result.bound + 1]):
                assert result.bound == bounds[0], place
        else:
            assert not bounds or any(lacking), place
    assert all(verdicts[each] > fuzz_systems // 100 for each in ("safe", "unsafe", "bounded"))
