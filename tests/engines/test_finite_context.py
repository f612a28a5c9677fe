"""Post* and the test of Theorem 29 against brute force on random threads."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest

from support.generators.systems import random_system
from support.oracles import systems as oracle
from tepui.automata.pattern import LAST
from tepui.engines.explicit import ExplicitEngine
from tepui.engines.finite_context import has_finite_context_reachability, reachable_stacks
from tepui.model import EPSILON, System
from tepui.model.system import Word

pytestmark = pytest.mark.fuzz

SHORT = 3
"""Every stack up to this height is asked about."""


def one_thread(system: System, template: int, shared: int, stack: Word) -> System:
    """The system of one thread of a template, started somewhere."""
    alone = replace(system.templates[template], stack=stack)
    return replace(
        system, initial=shared, templates=(alone,), threads=(0,), thread_names=("alone",)
    )


def reached_alone(
    system: System, template: int, starts: list[tuple[int, Word]], depth: int
) -> tuple[set[tuple[int, Word]], bool]:
    """What the thread reaches from all starts with stacks up to a height, and if that cut any."""
    found: set[tuple[int, Word]] = set()
    cut = False
    for shared, stack in starts:
        alone = one_thread(system, template, shared, stack)
        rounds, dropped = oracle.rounds(alone, 1, depth, limit=3000)
        found |= {(state[0], state[1][0]) for state in rounds[1]}
        cut |= dropped[1]
    return found, cut


def test_post_star_accepts_exactly_what_a_thread_reaches(fuzz_systems: int) -> None:
    compared = 0
    for seed in range(fuzz_systems // 2):
        rng = Random(8_000_000 + seed)
        system = random_system(rng)
        template = rng.randrange(len(system.templates))
        symbols = range(1, len(system.templates[template].symbols))
        start = (system.initial, system.templates[template].stack)
        automaton = reachable_stacks(system, template, [start])
        accepted = {
            (shared, word)
            for shared in range(len(system.shared))
            for height in range(SHORT + 1)
            for word in product(symbols, repeat=height)
            if automaton.accepts(shared, word)
        }
        for depth in (8, 12, 20):  # A run to a low stack may need a high one on the way.
            try:
                found, _ = reached_alone(system, template, [start], depth)
            except oracle.TooManyStatesError:
                break
            assert all(automaton.accepts(shared, word) for shared, word in found), seed
            if {state for state in found if len(state[1]) <= SHORT} == accepted:
                compared += 1
                break
        else:
            pytest.fail(f"post* accepts what no run reaches: seed {seed}")
    assert compared > fuzz_systems // 4


def test_the_transitions_of_an_automaton_are_all_there_is_to_it() -> None:
    """Reading a stack and then the mark for its bottom, by hand, gives the same answers."""
    for seed in range(100):
        system = random_system(Random(seed))
        automaton = reachable_stacks(system, 0, [(system.initial, system.templates[0].stack)])
        steps: dict[tuple[int, int], set[int]] = {}
        for source, symbol, target in automaton.transitions():
            assert min(source, target) >= -automaton.inner_nodes
            steps.setdefault((source, symbol), set()).add(target)
        symbols = range(1, len(system.templates[0].symbols))
        for shared in range(len(system.shared)):
            for word in product(symbols, repeat=2):
                here = {shared}
                for symbol in (*word, EPSILON):
                    here = set().union(*(steps.get((node, symbol), set()) for node in here))
                assert (LAST in here) is automaton.accepts(shared, word), seed


def test_theorem_29_tells_finite_contexts_from_infinite_ones(fuzz_systems: int) -> None:
    answers = set()
    for seed in range(fuzz_systems // 2):
        system = random_system(Random(9_000_000 + seed))
        for template, finite in enumerate(has_finite_context_reachability(system)):
            tops = range(1, len(system.templates[template].symbols))
            short: list[Word] = [(), *((top,) for top in tops)]
            starts = [(shared, stack) for shared in range(len(system.shared)) for stack in short]
            try:
                _, cut = reached_alone(system, template, starts, depth=20)
            except oracle.TooManyStatesError:
                cut = True
            # No thread of these sizes climbs 20 symbols and then stops for ever.
            assert finite is not cut, (seed, template)
            answers.add(finite)
    assert answers == {True, False}


def test_with_finite_contexts_every_round_ends(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 4):
        system = random_system(Random(10_000_000 + seed))
        if all(has_finite_context_reachability(system)):
            exploration = ExplicitEngine(system)
            for _ in range(2):
                assert exploration.advance() == "done"
