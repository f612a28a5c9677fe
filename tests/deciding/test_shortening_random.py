"""Shortened traces against brute force: they are runs, they have no detours, and what is called the
fewest contexts is."""

from __future__ import annotations

from random import Random

import pytest

from support.generators.programs import random_case
from support.generators.systems import Sizes, random_system
from support.oracles.programs import Fact
from support.oracles.systems import TooManyStatesError, first_bad, rounds
from support.samples.hasty import HASTY, in_disorder
from support.sizes import sized
from tepui.checker import Trace, check
from tepui.deciding import Options, shortening, verify
from tepui.deciding.algorithm3 import Shared
from tepui.deciding.fewer_contexts import Effort, with_fewer_contexts
from tepui.engines.registry import registered
from tepui.limits import Limits
from tepui.model import System
from tepui.program.questions import assertions, deadlock
from tepui.subject import about

pytestmark = pytest.mark.fuzz

BATCHES = 4

SYSTEMS = Sizes(threads=4, shared=3, symbols=3, rules=7, word=2, stack=2, contexts=5, states=500)

LIMITS = Limits(max_contexts=20, timeout=5)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_disorderly_run_becomes_one_with_fewer_contexts(batch: int) -> None:
    shorter = fewest = 0
    for seed in range(batch, sized(2000), BATCHES):
        rng = Random(seed)
        system = random_system(rng, SYSTEMS)
        trace = in_disorder(system, rng)
        if trace is None:
            continue
        near = with_fewer_contexts(
            system, trace, system.property, Effort(rng.choice([300, 20_000]))
        )
        _is_good(system, near)
        assert near.contexts <= trace.contexts, seed
        known = shortening.shortened(Shared(about(system), Options()), trace, system.property)
        _is_good(system, known.trace)
        assert known.trace.contexts <= near.contexts, seed
        least = _fewest(system, known.trace.contexts)
        if known.is_fewest and least is not None:
            assert known.trace.contexts == least, seed
        shorter += near.contexts < trace.contexts
        fewest += known.is_fewest
    assert shorter
    assert fewest


@pytest.mark.parametrize("batch", range(BATCHES))
def test_without_time_for_an_engine_nothing_is_called_fewest(
    batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shortening, "WORK", 0)
    for seed in range(batch, sized(400), BATCHES):
        rng = Random(seed)
        system = random_system(rng, SYSTEMS)
        trace = in_disorder(system, rng)
        if trace is not None:
            known = shortening.shortened(Shared(about(system), Options()), trace, system.property)
            _is_good(system, known.trace)
            # What has one context has no fewer, unless the initial state is bad.
            assert known.is_fewest == (known.trace.contexts <= 1), seed


@pytest.mark.parametrize("batch", range(BATCHES))
def test_bounds_of_systems_are_fewest_where_they_are_called_so(batch: int) -> None:
    unsafe = 0
    with registered(HASTY):
        hurried = Options(engine=HASTY.name, limits=LIMITS)
        for seed in range(batch, sized(800), BATCHES):
            system = random_system(Random(seed), SYSTEMS)
            result = verify(system, options=hurried)
            if result.verdict != "unsafe":
                continue
            assert result.trace is not None
            assert result.checked
            assert (result.resource, result.bound) == ("contexts", result.trace.contexts), seed
            _is_good(system, result.trace)
            assert result.bound is not None
            least = _fewest(system, result.bound)
            assert least is None or least <= result.bound, seed
            if result.bound_is_fewest and least is not None:
                assert result.bound == least, seed
            unsafe += 1
    assert unsafe


@pytest.mark.parametrize("batch", range(BATCHES))
def test_bounds_of_programs_are_fewest_where_they_are_called_so(batch: int) -> None:
    unsafe = 0
    with registered(HASTY):
        hurried = Options(engine=HASTY.name, limits=LIMITS)
        for seed in range(batch, sized(800), BATCHES):
            program, findings = random_case(Random(seed))
            every = {Fact("deadlock"): [deadlock()], Fact("unsafe"): assertions(program)}
            for fact, asked in every.items():
                if not asked:
                    continue
                result = verify(program, asked, hurried)
                if result.verdict != "unsafe" or result.bound is None:
                    continue
                assert result.trace is not None
                assert result.checked
                assert result.bound == result.trace.contexts, seed
                least = findings.found.get(fact)
                is_complete = findings.exact is None or findings.exact >= result.bound
                if result.bound_is_fewest and is_complete:
                    assert result.bound == least, (seed, fact)
                elif least is not None and is_complete:
                    assert result.bound >= least, (seed, fact)
                unsafe += 1
    assert unsafe


def _is_good(system: System, trace: Trace) -> None:
    """It is a run into a bad state that never comes back to a state."""
    check(system, system.property, trace)
    states = [trace.start, *((step.shared, step.stacks) for step in trace.steps)]
    assert len(set(states)) == len(states)


def _fewest(system: System, contexts: int) -> int | None:
    """The fewest contexts into a bad state, if brute force can tell."""
    try:
        reached, lacks = rounds(system, contexts, 12, 20_000)
    except TooManyStatesError:
        return None
    return None if lacks[-1] else first_bad(system, system.property, reached)
