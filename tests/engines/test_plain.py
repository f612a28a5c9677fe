"""The plain engine: all states, breadth first, against brute force."""

from __future__ import annotations

from random import Random

import pytest

import tepui
from support.generators.systems import Sizes, random_system
from support.oracles import systems as oracle
from support.sizes import sized
from tepui.checker.certificates.states import Certificate
from tepui.deciding import Options, explore, verify
from tepui.engines.plain import PlainEngine
from tepui.errors import UsageError
from tepui.limits import Limits
from tepui.model import System

SIZES = Sizes(contexts=12, depth=6, threads=3, states=4000)

PING_PONG = """
initial a
thread one {{
  stack x
  a | x -> b | x
  c | x -> d | x
}}
thread two {{
  stack x
  b | x -> c | x
}}
bad {bad}
"""


def all_within(system: System, steps: int, depth: int) -> set[oracle.State] | None:
    """What a number of steps reaches; None if that has a higher stack than `depth`."""
    found = {oracle.initial_state(system)}
    fresh = set(found)
    for _ in range(steps):
        fresh = {after for state in fresh for _, _, after in oracle.steps(system, state)} - found
        if any(len(stack) > depth for _, stacks in fresh for stack in stacks):
            return None
        found |= fresh
    return found


@pytest.mark.fuzz
@pytest.mark.parametrize("batch", range(2))
def test_a_round_is_what_so_many_steps_reach(batch: int) -> None:
    compared = 0
    for seed in range(batch, sized(300), 2):
        system = random_system(Random(75_000_000 + seed), SIZES)
        for symmetry in (False, True):
            engine = PlainEngine(system, symmetry=symmetry)
            for _ in range(12):
                seen = engine.last
                assert seen.steps is not None
                expected = all_within(system, seen.steps, SIZES.depth)
                if expected is None or len(expected) > SIZES.states:
                    break
                place = (seed, symmetry, seen.steps)
                assert seen.states == len(expected), place
                assert seen.visible == len(oracle.visible_states(expected)), place
                listed = {
                    oracle.orbit_representative(system, state) if symmetry else state
                    for state in expected
                }
                states = seen.list_states()
                assert len(states) == len(listed), place
                few = {oracle.orbit_representative(system, s) if symmetry else s for s in states}
                assert few == listed, place
                compared += 1
                if engine.has_collapsed:
                    assert all_within(system, seen.steps + 1, SIZES.depth) == expected
                    break
                assert engine.advance() == "done"
    assert compared > 100


@pytest.mark.fuzz
@pytest.mark.parametrize("batch", range(2))
def test_its_answers_are_those_of_the_other_engines(batch: int) -> None:
    """And its traces end in bad states, which the checker makes sure of."""
    verdicts = set()
    for seed in range(batch, sized(400), 2):
        system = random_system(Random(76_000_000 + seed), Sizes(contexts=5, depth=6, threads=3))
        for strengths in ((), Options().strengths):
            limits = Limits(timeout=0.2)
            options = Options(engine="plain", strengths=strengths, limits=limits)
            result = verify(system, options=options)
            other = verify(
                system, options=Options(strengths=strengths, limits=Limits(max_contexts=6))
            )
            if "unknown" in (result.verdict, other.verdict):
                continue
            assert (result.verdict, result.checked) == (other.verdict, True), seed
            verdicts.add(result.verdict)
            if result.verdict == "unsafe":
                assert result.resource == "contexts"
                assert result.bound is not None
                assert other.bound is not None
                assert result.bound >= other.bound, seed
    assert verdicts == {"safe", "unsafe"}


def test_a_violation_has_the_contexts_of_its_trace() -> None:
    result = verify(
        tepui.loads(PING_PONG.format(bad="d | *, *"), "cpds"), options=Options(engine="plain")
    )
    assert (result.verdict, result.resource, result.bound) == ("unsafe", "contexts", 3)
    assert result.trace is not None
    assert (result.trace.contexts, len(result.trace.steps)) == (3, 3)


def test_a_proof_by_exhaustion_is_a_list_of_states() -> None:
    finite = tepui.loads(PING_PONG.format(bad="d | *, -"), "cpds")
    result = verify(finite, options=Options(engine="plain", strengths=()))
    assert (result.verdict, result.checked, result.bound) == ("safe", True, None)
    assert isinstance(result.evidence, Certificate)
    assert len(result.evidence.states) == 4
    assert str(result.proof) == "R_s = R_{s+1}"
    assert [row.steps for row in result.rounds] == [0, 1, 2, 3, 4]


def test_it_does_not_count_contexts() -> None:
    with pytest.raises(UsageError, match="plain does not count contexts"):
        Options(engine="plain", contexts=3)
    with pytest.raises(UsageError, match="plain does not count contexts"):
        Options(engine="plain", limits=Limits(max_contexts=3))


def test_small_levels_make_one_round() -> None:
    """A counter of 200 values has 200 levels of one state."""
    rules = "\n".join(f"q{n} | x -> q{n + 1} | x" for n in range(200))
    system = tepui.loads(f"initial q0\nthread t {{\nstack x\n{rules}\n}}\n", "cpds")
    result = explore(system, Options(engine="plain", strengths=()))
    assert (result.verdict, result.states, result.bound) == ("collapsed", 201, None)
    steps = [row.steps for row in result.rounds]
    assert steps[-2:] == [201, 202]
    assert len(steps) < 30
