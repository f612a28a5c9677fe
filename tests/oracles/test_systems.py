"""Pins the oracle itself: Figure 4 of CUBA by hand, the corners of the model, and its theorems.

The engines are tested against this oracle, so it must not be tested against them: every number here
was worked out on paper, and every law is checked on random systems by brute force alone.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import example, given

from support.generators.systems import Sizes, random_system, systems
from support.oracles.systems import (
    TooManyStatesError,
    all_visible_states,
    emerging_symbols,
    first_bad,
    initial_state,
    is_bad,
    is_bad_up_to_symmetry,
    is_generator,
    orbit_representative,
    overapproximation_depth1,
    permuted,
    rounds,
    steps,
    thread_orders,
    visible_states,
)
from tepui.model import Block, Description, NamedPattern, NamedRule, Property, System, build

FIGURE_4 = build(
    Description(
        initial="q0",
        blocks=[
            Block(
                "P1",
                ("1",),
                [NamedRule("q0", "1", "q1", ("2",)), NamedRule("q3", "2", "q0", ("1",))],
            ),
            Block(
                "P2",
                ("4",),
                [
                    NamedRule("q0", "4", "q0", ()),
                    NamedRule("q1", "4", "q2", ("5",)),
                    NamedRule("q2", "5", "q3", ("4", "6")),
                ],
            ),
        ],
        name="Figure 4",
    )
)

FIGURE_4_NEW_STATES = [
    {"q0 | 1, 4"},
    {"q1 | 2, 4", "q0 | 1, -"},
    {"q1 | 2, -", "q2 | 2, 5", "q3 | 2, 4 6"},
    {"q0 | 1, 4 6", "q1 | 2, 4 6"},
    {"q0 | 1, 6", "q2 | 2, 5 6", "q3 | 2, 4 6 6"},
    {"q1 | 2, 6", "q0 | 1, 4 6 6", "q1 | 2, 4 6 6"},
    {"q0 | 1, 6 6", "q2 | 2, 5 6 6", "q3 | 2, 4 6 6 6"},
]

FIGURE_4_NEW_VISIBLE = [
    {"q0 | 1, 4"},
    {"q1 | 2, 4", "q0 | 1, -"},
    {"q1 | 2, -", "q2 | 2, 5", "q3 | 2, 4"},
    set(),
    {"q0 | 1, 6"},
    {"q1 | 2, 6"},
    set(),
    set(),
    set(),
]


LONG = Sizes(contexts=6, depth=7, states=1000)


def test_figure_4_has_exactly_these_new_states_in_each_round() -> None:
    reached, dropped = rounds(FIGURE_4, contexts=6, depth=4)
    assert not any(dropped)
    new = [reached[0], *(later - earlier for earlier, later in pairwise(reached))]
    texts = [{FIGURE_4.state_text(*state) for state in states} for states in new]
    assert texts == FIGURE_4_NEW_STATES


def test_figure_4_stutters_at_2_and_collapses_at_5_with_eight_visible_states() -> None:
    seen = _visible_rounds(FIGURE_4, contexts=8, depth=6)
    new = [seen[0], *(later - earlier for earlier, later in pairwise(seen))]
    texts = [{FIGURE_4.visible_text(visible) for visible in states} for states in new]
    assert texts == FIGURE_4_NEW_VISIBLE
    assert len(seen[5]) == 8


def test_algorithm_2_is_exact_on_figure_4() -> None:
    assert overapproximation_depth1(FIGURE_4) == _visible_rounds(FIGURE_4, 5, 4)[5]


def test_figure_4_has_the_four_generators_of_example_17_and_those_with_an_empty_thread_1() -> None:
    generators = {
        FIGURE_4.visible_text(visible)
        for visible in all_visible_states(FIGURE_4)
        if is_generator(FIGURE_4, visible)
    }
    printed = {"q0 | 1, -", "q0 | 1, 6", "q0 | 2, -", "q0 | 2, 6"}
    assert generators == printed | {"q0 | -, -", "q0 | -, 6"}


def test_a_stack_that_grows_too_high_is_dropped_and_the_round_says_so() -> None:
    reached, dropped = rounds(FIGURE_4, contexts=4, depth=2)
    assert dropped == [False, False, False, False, True]
    assert max(len(stack) for _, stacks in reached[4] for stack in stacks) == 2


def test_an_initial_stack_that_is_too_high_leaves_nothing_to_explore() -> None:
    system = _one_thread(("a", "b"), [])
    assert rounds(system, contexts=1, depth=1) == ([set(), set()], [True, True])


def test_a_limit_on_states_is_kept() -> None:
    assert len(rounds(FIGURE_4, contexts=2, depth=2, limit=6)[0][2]) == 6
    with pytest.raises(TooManyStatesError):
        rounds(FIGURE_4, contexts=2, depth=2, limit=5)


def test_a_pop_on_the_last_symbol_leaves_the_empty_stack() -> None:
    system = _one_thread(("a",), [NamedRule("q", "a", "q", ())])
    assert _step_texts(system) == ["q | -"]


def test_a_rule_on_the_empty_stack_needs_an_empty_stack() -> None:
    rules = [NamedRule("q", None, "p", ()), NamedRule("q", None, "q", ("a", "b"))]
    assert _step_texts(_one_thread((), rules)) == ["p | -", "q | a b"]
    assert _step_texts(_one_thread(("a",), rules)) == []


def test_a_long_word_replaces_the_top_in_one_step() -> None:
    system = _one_thread(("a", "d"), [NamedRule("q", "a", "q", ("a", "b", "c"))])
    assert _step_texts(system) == ["q | a b c d"]


def test_symbols_emerge_from_long_words_and_from_initial_stacks() -> None:
    system = _one_thread(("a", "d", "e"), [NamedRule("q", "a", "q", ("a", "b", "c"))])
    template = system.templates[0]
    assert {template.symbols[symbol] for symbol in emerging_symbols(template)} == set("bcde")


def test_a_symbol_of_the_initial_stack_emerges_in_the_overapproximation() -> None:
    system = _one_thread(("a", "b"), [NamedRule("q", "a", "p", ())])
    texts = {system.visible_text(visible) for visible in overapproximation_depth1(system)}
    assert texts == {"q | a", "p | -", "p | b"}


def test_a_wildcard_matches_anything_and_epsilon_only_the_empty_stack() -> None:
    blocks = [Block("one", ("a",), []), Block("two", (), [])]
    patterns = [NamedPattern(None, ("a", "-"))]
    system = build(Description("q", blocks, patterns, shared=["q", "p"]))
    bad = {
        system.visible_text(visible)
        for visible in all_visible_states(system)
        if is_bad(system, system.property, visible)
    }
    assert bad == {"q | a, -", "p | a, -"}


def test_a_deadlock_has_a_stack_that_is_not_empty_and_no_step() -> None:
    system = _one_thread(("a",), [NamedRule("q", "a", "p", ()), NamedRule("p", "a", "r", ("a",))])
    deadlocks = {
        system.visible_text(visible)
        for visible in all_visible_states(system)
        if is_bad(system, Property(deadlock=True), visible)
    }
    assert deadlocks == {"r | a"}


def test_equal_threads_apart_from_each_other_may_trade_places() -> None:
    equal, other = [NamedRule("q", "a", "q", ("b",))], [NamedRule("q", "a", "p", ("b",))]
    blocks = [Block("x", ("a",), equal), Block("y", ("a",), other), Block("z", ("a",), equal)]
    system = build(Description("q", blocks))
    assert thread_orders(system) == [(0, 1, 2), (2, 1, 0)]
    a, b = (1,), (2,)
    assert orbit_representative(system, (0, (b, b, a))) == (0, (a, b, b))
    assert orbit_representative(system, (0, (a, b, b))) == (0, (a, b, b))
    assert permuted((0, (b, b, a)), (2, 1, 0)) == (0, (a, b, b))


@given(systems())
def test_every_round_is_closed_under_permutations_of_equal_threads(system: System) -> None:
    reached, _ = rounds(system, contexts=4, depth=5)
    for order in thread_orders(system):
        assert all({permuted(state, order) for state in states} == states for states in reached)


@given(systems())
def test_states_have_one_representative_exactly_if_they_differ_by_a_permutation(
    system: System,
) -> None:
    states = rounds(system, contexts=2, depth=5)[0][2]
    orbits = {
        frozenset(permuted(state, order) for order in thread_orders(system)) for state in states
    }
    assert len({orbit_representative(system, state) for state in states}) == len(orbits)
    for orbit in orbits:
        assert len({orbit_representative(system, state) for state in orbit}) == 1


@given(systems())
def test_a_property_made_symmetric_has_the_same_first_bad_round(system: System) -> None:
    reached, _ = rounds(system, contexts=4, depth=5)
    plain = first_bad(system, system.property, reached)
    assert plain == first_bad(system, system.property, reached, is_bad_up_to_symmetry)


@given(systems())
def test_representatives_suffice_to_find_the_first_bad_round(system: System) -> None:
    reached, _ = rounds(system, contexts=4, depth=5)
    representatives = [
        {orbit_representative(system, state) for state in states} for states in reached
    ]
    assert first_bad(system, system.property, reached) == first_bad(
        system, system.property, representatives, is_bad_up_to_symmetry
    )


@given(systems())
def test_the_overapproximation_covers_every_round(system: System) -> None:
    seen = _visible_rounds(system, contexts=4, depth=5)
    assert seen[4] <= overapproximation_depth1(system)


@example(FIGURE_4)
@given(systems(LONG))
def test_what_ends_a_plateau_is_a_generator(system: System) -> None:
    seen = _exact_visible_rounds(system)
    for before, here, after in zip(seen, seen[1:], seen[2:], strict=False):
        if before == here != after:
            assert any(is_generator(system, visible) for visible in after - here)


@example(FIGURE_4)
@given(systems(LONG))
def test_a_plateau_with_all_generators_of_the_overapproximation_is_all_of_it(
    system: System,
) -> None:
    above = overapproximation_depth1(system)
    generators = {visible for visible in above if is_generator(system, visible)}
    for earlier, later in pairwise(_exact_visible_rounds(system)):
        if earlier == later:
            assert (generators <= earlier) == (earlier == above)


def test_random_systems_are_the_same_for_the_same_seed() -> None:
    assert random_system(Random(7)) == random_system(Random(7))


def test_random_systems_are_worth_exploring() -> None:
    drawn = [random_system(Random(seed)) for seed in range(300)]
    found = [rounds(system, contexts=4, depth=5)[0] for system in drawn]
    bounds = Counter(
        first_bad(system, system.property, reached)
        for system, reached in zip(drawn, found, strict=True)
    )
    assert sum(len(reached[4]) > 20 for reached in found) > 100
    assert sum(bounds[bound] for bound in (2, 3, 4)) > 90
    assert bounds[None] > 50
    assert sum(len(system.templates) < len(system.threads) for system in drawn) > 100
    assert any(_equal_threads_are_apart(system) for system in drawn)
    assert {len(rule.word) for system in drawn for _, rule in system.rules()} == {0, 1, 2, 3}
    assert {len(template.stack) for system in drawn for template in system.templates} == set(
        range(5)
    )


def _one_thread(stack: tuple[str, ...], rules: list[NamedRule]) -> System:
    return build(Description("q", [Block("P", stack, rules)]))


def _step_texts(system: System) -> list[str]:
    return [system.state_text(*after) for _, _, after in steps(system, initial_state(system))]


def _visible_rounds(system: System, contexts: int, depth: int) -> list[set[tuple[int, ...]]]:
    return [visible_states(states) for states in rounds(system, contexts, depth)[0]]


def _exact_visible_rounds(system: System) -> list[set[tuple[int, ...]]]:
    """T(R_0), T(R_1), ... within the long horizon, as far as no stack grows out of it."""
    reached, dropped = rounds(system, LONG.contexts, LONG.depth)
    return [
        visible_states(states)
        for states, lacking in zip(reached, dropped, strict=True)
        if not lacking
    ]


def _equal_threads_are_apart(system: System) -> bool:
    return any(later - earlier > 1 for group in system.groups for earlier, later in pairwise(group))
