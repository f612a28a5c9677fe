"""Reachability of whole configurations within k contexts, against brute force (QR, Theorem 3)."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest

import tepui
from support.generators.automata import given_limits
from support.generators.systems import Sizes, random_system
from support.oracles import systems as oracle
from support.oracles.systems import State
from support.samples.reach import fits, random_reach
from tepui.kernels.door import ExplicitKernel, system_kernel
from tepui.languages import loads
from tepui.model import Reach, StackSet, System
from tepui.model.system import Word

pytestmark = pytest.mark.fuzz

CONTEXTS = 4
TINY = Sizes(threads=3, shared=3, symbols=2, stack=2, contexts=CONTEXTS, depth=6)
HEIGHT = 2


def test_a_configuration_is_reached_within_k_contexts_as_brute_force_says(
    fuzz_systems: int,
) -> None:
    """For every configuration with low stacks, the least k, or none up to the bound."""
    reached_at: dict[int | None, int] = {}
    for seed, system, rounds in _finite_systems(fuzz_systems // 4, 50_000_000, TINY):
        for symmetry in (False, True):
            explored = _Explored(system, symmetry=symmetry)
            for shared, stacks in _configurations(system, HEIGHT):
                asked = Reach(shared, tuple(map(_only, stacks)))
                containing = (k for k, states in enumerate(rounds) if (shared, stacks) in states)
                expected = next(containing, None)
                assert explored.least_k(asked) == expected, (seed, symmetry, shared, stacks)
                reached_at[expected] = reached_at.get(expected, 0) + 1
    assert all(reached_at.get(k, 0) > 10 for k in (None, 0, 1, 2, 3, CONTEXTS)), reached_at


def test_a_regular_set_of_configurations_is_reached_as_brute_force_says(
    fuzz_systems: int,
) -> None:
    """With the fewest contexts, and with a trace that ends in it, whatever symmetry does."""
    found = 0
    for seed, system, rounds in _finite_systems(fuzz_systems, 51_000_000, Sizes()):
        asked = random_reach(Random(seed), system)
        expected = _least_k(rounds, asked)
        for symmetry in (False, True):
            explored = _Explored(system, symmetry=symmetry)
            assert explored.least_k(asked) == expected, (seed, symmetry)
            if expected is not None:
                contexts = explored.trace(asked)
                assert len(contexts) == expected, (seed, symmetry)
                assert fits(asked, _replayed(system, contexts)), (seed, symmetry)
                found += expected > 1
    assert found > fuzz_systems // 20


def test_equal_threads_trade_places_until_all_fit() -> None:
    """Only one of the three can have gone on, whichever the question names."""
    system = loads(
        """
        initial q
        thread P * 3 {
            stack a
            q | a -> r | b
            r | b -> s | c c
        }
        """,
        "cpds",
    ).system
    for text, expected in [
        ("s | c c, a, a", 1),
        ("s | a, c c, a", 1),
        ("s | a, ., c+", 1),
        ("s | a | c+, ., c+", 1),
        ("s | c+, ., c+", None),
        ("* | *, b | c c, *", 1),
        ("q | a, a, a", 0),
        ("q | ., ., a", 0),
        ("q | *, *, -", None),
    ]:
        asked = tepui.reach(system, text).reaches[0]
        explored = _Explored(system, symmetry=True)
        assert explored.least_k(asked) == expected, text
        if expected is not None:
            assert fits(asked, _replayed(system, explored.trace(asked))), text


def test_what_was_looked_at_before_is_not_found_again() -> None:
    system = loads(COUNTING, "cpds").system
    explorer = ExplicitKernel(system_kernel(system), symmetry=True)
    asked = tepui.reach(system, "q | a*").reaches[0]
    first = explorer.first(asked, 0)
    assert first.found is not None
    assert first.next == 0
    later = explorer.first(asked, 1)
    assert (later.found, later.next) == (None, 1)
    assert explorer.advance() == "done"
    second = explorer.first(asked, 1)
    assert second.found is not None
    assert second.next > 1


def test_the_search_stops_at_a_time_limit() -> None:
    system = loads(COUNTING, "cpds").system
    explorer = ExplicitKernel(system_kernel(system), symmetry=True)
    asked = tepui.reach(system, "r | -").reaches[0]
    with pytest.raises(TimeoutError, match="time"):
        explorer.first(asked, 0, given_limits(seconds=0))


@pytest.mark.parametrize(
    "stacks",
    [
        (),
        (None, None),
        (((True,), ()),),
        (((True,), (((1, 1),),)),),
        (((True,), (((0, 0),),)),),
        (((True,), (((1, 0), (1, 0)),)),),
    ],
)
def test_the_kernel_takes_no_broken_question(
    stacks: tuple[tuple[tuple[bool, ...], tuple[tuple[tuple[int, int], ...], ...]] | None, ...],
) -> None:
    explorer = ExplicitKernel(system_kernel(loads(COUNTING, "cpds").system), symmetry=True)
    sets = tuple(None if each is None else _unchecked(*each) for each in stacks)
    with pytest.raises(ValueError, match="out of range"):
        explorer.first(Reach(None, sets), 0)


def _unchecked(
    accepting: tuple[bool, ...], edges: tuple[tuple[tuple[int, int], ...], ...]
) -> StackSet:
    """A set of stacks that the model would not take."""
    made = object.__new__(StackSet)
    object.__setattr__(made, "accepting", accepting)
    object.__setattr__(made, "edges", edges)
    return made


def test_a_question_names_its_fields() -> None:
    explorer = ExplicitKernel(system_kernel(loads(COUNTING, "cpds").system), symmetry=True)
    with pytest.raises(TypeError, match="patterns"):
        explorer.first((None, []), 0)  # type: ignore[arg-type]


COUNTING = """
initial q
thread P {
    stack a
    q | a -> r | b b
    r | b -> r | -
    r | - -> q | a a
}
"""


class _Explored:
    """The explicit engine after the last round, asked about whole stacks."""

    def __init__(self, system: System, *, symmetry: bool) -> None:
        self._kernel = ExplicitKernel(system_kernel(system), symmetry=symmetry)
        for _ in range(CONTEXTS):
            assert self._kernel.advance() == "done"

    def least_k(self, asked: Reach) -> int | None:
        found = self._kernel.first(asked, 0).found
        return None if found is None else found.round

    def trace(self, asked: Reach) -> list[tuple[int, list[int]]]:
        found = self._kernel.first(asked, 0).found
        assert found is not None
        return self._kernel.trace(found)


def _finite_systems(
    number: int, offset: int, sizes: Sizes
) -> list[tuple[int, System, list[set[State]]]]:
    """Random systems of which brute force knows the rounds up to the bound exactly."""
    found: list[tuple[int, System, list[set[State]]]] = []
    seed = offset
    while len(found) < number:
        system = random_system(Random(seed), replace(sizes, contexts=CONTEXTS))
        rounds, lacking = oracle.rounds(system, CONTEXTS, sizes.depth)
        if not any(lacking):
            found.append((seed, system, rounds))
        seed += 1
    return found


def _configurations(system: System, height: int) -> list[State]:
    """Every configuration whose stacks have at most `height` symbols."""
    words = [
        [
            word
            for length in range(height + 1)
            for word in product(range(1, len(template.symbols)), repeat=length)
        ]
        for template in system.templates
    ]
    stacks = product(*(words[template] for template in system.threads))
    return [(shared, found) for found in stacks for shared in range(len(system.shared))]


def _only(stack: Word) -> StackSet:
    """The set of one stack."""
    edges = [((symbol, place + 1),) for place, symbol in enumerate(stack)]
    return StackSet((*(False for _ in stack), True), (*edges, ()))


def _least_k(rounds: list[set[State]], asked: Reach) -> int | None:
    return next(
        (k for k, states in enumerate(rounds) if any(fits(asked, state) for state in states)), None
    )


def _replayed(system: System, contexts: list[tuple[int, list[int]]]) -> State:
    """The state in which a trace ends, every step of which must be possible."""
    state = oracle.initial_state(system)
    for thread, rules in contexts:
        for number in rules:
            rule = system.template_of(thread).rules[number]
            state = dict(oracle.steps_of_thread(system, state, thread))[rule]
    return state
