"""R_k by transducers against brute force, and against the engines."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

import tepui
from support.generators.systems import Sizes, random_system
from support.oracles import systems as oracle
from support.places import EXAMPLES
from tepui.engines.diagram import DiagramEngine
from tepui.engines.explicit import ExplicitEngine
from tepui.engines.finite_context import finite_contexts
from tepui.errors import TepuiError, UsageError
from tepui.kernels.lowered_system import lower
from tepui.limits import Limits
from tepui.model import Block, Description, NamedRule, System, build
from tepui.program.program import Program
from tepui.weighted.transducers.reachability import reachable, reachable_rounds
from tepui.z.plain_system import written_out

SIZES = Sizes(threads=3, shared=3, symbols=3, rules=6, contexts=3, depth=5, states=800)


@pytest.mark.fuzz
def test_every_round_is_what_brute_force_finds(fuzz_systems: int) -> None:
    complete = 0
    for seed in range(fuzz_systems // 4):
        system = random_system(Random(seed), SIZES)
        expected, dropped = oracle.rounds(system, SIZES.contexts, SIZES.depth)
        for k, reached in enumerate(islice(reachable_rounds(system), SIZES.contexts + 1)):
            assert all(state in reached for state in expected[k]), (seed, k)
            if dropped[k]:
                assert oracle.visible_states(expected[k]) <= reached.visible, (seed, k)
                continue
            complete += 1
            assert oracle.visible_states(expected[k]) == reached.visible, (seed, k)
            later = {step[2] for state in expected[k] for step in oracle.steps(system, state)}
            for state in later:
                assert (state in reached) == (state in expected[k]), (seed, k)
    assert complete > fuzz_systems // 2


@pytest.mark.parametrize(
    ("name", "contexts"),
    [("dekker", 4), ("ping-pong", 4), ("deadlock", 3), ("peterson", 3), ("token-ring", 3)],
)
def test_examples_have_the_visible_states_that_the_explicit_engine_lists(
    name: str, contexts: int
) -> None:
    system = _example(name)
    exploration = ExplicitEngine(system, symmetry=False)
    for reached in islice(reachable_rounds(system), 1, contexts + 1):
        exploration.advance()
        assert reached.visible == set(exploration.last.list_visible())


@pytest.mark.parametrize("name", ["figure2", "figure3", "recursive-lock"])
def test_infinite_rounds_have_the_visible_states_of_diagrams(name: str) -> None:
    system = _example(name)
    engine = DiagramEngine(system, finite_contexts(system))
    for k in range(1, 4):
        engine.advance()
        assert reachable(system, k).visible == set(engine.last.list_visible())


def test_a_thread_starts_again_with_an_empty_stack() -> None:
    rules = [NamedRule("q", None, "q", ("a",)), NamedRule("q", "a", "r", ())]
    system = build(Description("q", [Block("thread", (), rules)]))
    reached = reachable(system, 1)
    assert reached.visible == {(0, 0), (0, 1), (1, 0)}
    assert (0, ((1,),)) in reached
    assert (1, ((1,),)) not in reached
    assert reachable(system, 0).visible == {(0, 0)}


def test_a_limit_of_time_and_a_negative_bound_are_told() -> None:
    system = _example("dekker")
    with pytest.raises(TepuiError, match="stopped at a limit"):
        reachable(system, 10, Limits(timeout=0))
    with pytest.raises(UsageError, match="contexts is -1"):
        reachable(system, -1)


def test_the_system_of_a_program_is_to_be_written_out_first() -> None:
    program = tepui.load(EXAMPLES / "peterson.bp")
    assert isinstance(program, Program)
    lowered = lower(program)
    with pytest.raises(UsageError, match="written_out"):
        reachable(lowered, 1)
    assert reachable(written_out(lowered), 2).visible


def _example(name: str) -> System:
    system = tepui.load(EXAMPLES / f"{name}.cpds")
    assert isinstance(system, System)
    return system
