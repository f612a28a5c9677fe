"""Passing points changes nothing that can be asked: on random programs with local steps, the same
assertions are violated, and threads are at the same pairs of other points."""

from __future__ import annotations

from collections import Counter as Tally
from itertools import permutations
from random import Random

import pytest
from checker.invariants.test_false_invariants_random import Reached, explored
from checker.invariants.test_thread_paths_random import random_passed, without_bare_ends

from support.concrete_paths import TooManyError
from support.generators.local_steps import with_local_steps
from support.generators.programs import SMALL, any_program
from support.sizes import sized
from tepui.checker.invariants.values import Refused
from tepui.errors import TooManyOutcomes

pytestmark = pytest.mark.fuzz


def test_what_can_be_asked_is_the_same_with_passed_points() -> None:
    seen: Tally[str] = Tally()
    for seed in range(sized(160)):
        rng = Random(f"passing {seed}")
        program = with_local_steps(rng, without_bare_ends(any_program(rng, SMALL)))
        passed = random_passed(rng, program)
        try:
            every, settled = explored(program, ()), explored(program, passed)
        except (Refused, TooManyError, TooManyOutcomes) as error:
            seen[type(error).__name__] += 1
            continue
        assert every.violated == settled.violated, (program, passed)
        without = frozenset(passed)
        assert _pairs(every, without) == _pairs(settled, without), (program, passed)
        seen["compared"] += 1
        seen["passed"] += len(passed)
        seen["fewer states"] += len(settled.states) < len(every.states)
    print(seen)
    assert seen["fewer states"] > sized(20)


def _pairs(reached: Reached, without: frozenset[int]) -> set[tuple[tuple[int, int], ...]]:
    """At which points one thread is, or two threads are together."""
    found: set[tuple[tuple[int, int], ...]] = set()
    for _, threads in reached.states:
        at = [
            (kind, stack[0])
            for kind, (stack, _) in zip(reached.program.thread_types, threads, strict=True)
            if stack and stack[0] not in without
        ]
        found.update((one,) for one in at)
        found.update(permutations(at, 2))
    return found
