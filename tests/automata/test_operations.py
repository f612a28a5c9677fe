"""All operations on automata, against sets of configurations up to a height."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from support.generators.automata import (
    accepts,
    all_configurations,
    automaton,
    given_limits,
    random_set,
    random_thread,
)
from tepui.automata.pattern import LAST
from tepui.kernels.door import PAutomaton
from tepui.model import EPSILON

pytestmark = pytest.mark.fuzz


def test_automata_combine_like_sets(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 2):
        rng = Random(34_000_000 + seed)
        system = random_thread(rng)
        sets = [random_set(rng, system) for _ in range(2)]
        left, right = (automaton(system, each) for each in sets)
        low = all_configurations(system, 3)
        of_left, of_right = ({each for each in low if accepts(one, each)} for one in sets)
        assert set(left.words(3)) == of_left, seed
        assert set(left.union(right).words(3)) == of_left | of_right, seed
        assert set(left.intersection(right).words(3)) == of_left & of_right, seed
        assert left.words(3) == sorted(of_left), seed
        assert left.words(3, at_most=2) == sorted(of_left)[:2], seed
        for shared in range(len(system.shared)):
            tops = {stack[0] if stack else EPSILON for state, stack in of_left if state == shared}
            assert set(left.tops(shared)) >= tops, seed
        missing = left.missing_from(right)
        assert (missing is None) is right.includes(left)
        if missing is None:
            assert of_left <= of_right, seed
        else:
            assert accepts(sets[0], missing), seed
            assert not accepts(sets[1], missing), seed
            assert all(len(stack) >= len(missing[1]) for _, stack in of_left - of_right), seed
        if (count := left.count()) is not None:
            assert count == len(left.words(20)), seed
        assert (count is None) is not left.is_finite
        assert left.is_empty is (not left.words(8)), seed


def test_a_language_that_grows_exponentially_stops_at_a_limit() -> None:
    """The 30th symbol from the bottom is a 1: a set with 31 nodes, and 2^30 sets of nodes."""
    nodes = [0, *range(LAST - 30, LAST)]
    transitions = [(0, 1, 0), (0, 2, 0), (0, 1, nodes[1])]
    for here, there in pairwise(nodes[1:]):
        transitions += [(here, 1, there), (here, 2, there)]
    transitions.append((nodes[-1], EPSILON, LAST))
    large = PAutomaton(transitions)
    limits = given_limits(states=1000)
    assert large.language(0, limits) == (None, "states")
    assert large.missing_from(large, limits) == (None, "states")
    limits = given_limits(seconds=0.05)
    assert large.language(0, limits) == (None, "time")
