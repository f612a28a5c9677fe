"""Post* and pre* of random threads and random sets, against their definitions.

A set that a saturation finds is right if it has all that brute force finds, and if each of its
configurations has a run: from or to the starting set, one enabled rule after another.
"""

from __future__ import annotations

from random import Random

import pytest

from support.generators.automata import (
    accepts,
    all_configurations,
    automaton,
    given_limits,
    random_set,
    random_thread,
    reached,
)
from support.oracles.systems import top_of
from tepui.automata import Automaton, Configuration, Run
from tepui.kernels.door import PAutomaton, PostStar, PreStar, system_kernel
from tepui.model import System

pytestmark = pytest.mark.fuzz

LOW = 2
"""All configurations up to this height are asked about."""

HIGH = 6
"""Brute force goes no higher than this."""


def end_of(run: Run) -> Configuration:
    """Where a run ends, all of whose rules are enabled where they are taken."""
    *before, end = run.configurations()
    for (shared, stack), rule in zip(before, run.rules, strict=True):
        assert (rule.source, rule.top) == (shared, top_of(stack))
    return end


def test_post_star_has_what_is_reached_and_a_run_to_all_it_has(fuzz_systems: int) -> None:
    infinite = runs = 0
    for seed in range(fuzz_systems):
        rng = Random(20_000_000 + seed)
        system = random_thread(rng)
        start = random_set(rng, system)
        found = automaton(system, start).post_star()
        low = all_configurations(system, LOW)
        starts = [each for each in all_configurations(system, 3) if accepts(start, each)]
        for configuration in reached(system, starts, HIGH, 500):
            assert configuration in found, (seed, configuration)
        for configuration in low:
            if configuration in found:
                run = found.run_to(configuration)
                assert accepts(start, run.start), (seed, configuration)
                assert end_of(run) == configuration, (seed, configuration)
                runs += len(run.rules) > 1
        infinite += not found.is_finite
    assert infinite > fuzz_systems // 10
    assert runs > fuzz_systems


def test_pre_star_has_what_reaches_and_a_run_from_all_it_has(fuzz_systems: int) -> None:
    runs = 0
    for seed in range(fuzz_systems):
        rng = Random(21_000_000 + seed)
        system = random_thread(rng)
        goal = random_set(rng, system)
        found = automaton(system, goal).pre_star()
        for configuration in all_configurations(system, LOW):
            can = any(accepts(goal, end) for end in reached(system, [configuration], HIGH, 100))
            if configuration in found:
                run = found.run_from(configuration)
                assert run.start == configuration
                assert accepts(goal, end_of(run)), (seed, configuration)
                runs += len(run.rules) > 1
            else:
                assert not can, (seed, configuration)
    assert runs > fuzz_systems


def test_pre_star_and_post_star_are_dual(fuzz_systems: int) -> None:
    """c ∈ post*(C) exactly if pre*({c}) meets C."""
    answers = {True: 0, False: 0}
    for seed in range(fuzz_systems):
        rng = Random(22_000_000 + seed)
        system = random_thread(rng)
        start = automaton(system, random_set(rng, system))
        after = start.post_star()
        candidates = all_configurations(system, 3)
        for configuration in rng.sample(candidates, min(6, len(candidates))):
            before = Automaton.of_configurations(system, 0, [configuration]).pre_star()
            answer = configuration in after
            assert answer is not before.intersection(start).is_empty, (seed, configuration)
            answers[answer] += 1
    assert min(answers.values()) > fuzz_systems // 2


def test_saturating_twice_adds_nothing(fuzz_systems: int) -> None:
    """What pre* finds has transitions to shared states, which must not confuse the second time."""
    for seed in range(fuzz_systems // 4):
        rng = Random(23_000_000 + seed)
        system = random_thread(rng)
        start = automaton(system, random_set(rng, system))
        for once in (start.post_star(), start.pre_star()):
            assert once.includes(start)
        after, before = start.post_star(), start.pre_star()
        assert after.post_star().equals(after), seed
        assert before.pre_star().equals(before), seed
        assert before.post_star().includes(after), seed


def test_a_saturation_in_small_steps_ends_the_same(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 4):
        rng = Random(25_000_000 + seed)
        system = random_thread(rng)
        start = automaton(system, random_set(rng, system))
        for kind, whole in ((PostStar, start.post_star()), (PreStar, start.pre_star())):
            slow = kind(system_kernel(system), 0, start.core)
            while (outcome := slow.advance(given_limits(pause=rng.randint(1, 3)))) == "paused":
                assert not slow.is_complete
                part = Automaton(system, 0, slow.automaton(), start.kernel)
                assert whole.includes(part), seed
            assert outcome == "done"
            assert slow.automaton().transitions() == whole.core.transitions()


def test_stacks_of_the_test_of_theorem_29_are_those_that_can_move() -> None:
    for seed in range(100):
        system: System = random_thread(Random(seed))
        kernel = system_kernel(system)
        moving, _ = PAutomaton.post_star(kernel, 0)
        everything = Automaton.short(system, 0).post_star()
        assert moving is not None
        assert moving.is_finite is everything.is_finite
        moved = Automaton(system, 0, moving, kernel)
        assert everything.equals(moved.union(Automaton.short(system, 0))), seed
