"""The checker on questions about whole stacks, for traces and lists of states.

Diagrams and products are compared with lists of states in `certificates/test_diagram_random.py`.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from random import Random

import pytest

from support.generators.systems import Sizes, random_system
from support.samples.diagrams import (
    cut_diagram,
    diagram_of_figure_2,
    every_permutation,
    figure_2,
    languages,
    products_of_figure_2,
    random_set,
    stacks_in,
    whole_diagram,
)
from support.samples.evidence import (
    CutStack,
    cut_states,
    figure_4,
    run,
    singles,
    system_of,
    thread,
    turns,
    whole_states,
)
from tepui.checker import AnyCertificate, Trace, check
from tepui.checker.bad_states import _can_be_served
from tepui.errors import EvidenceError
from tepui.model import Pattern, Property, Reach, StackSet, System
from tepui.model.system import Word

FIGURE_2, FIGURE_4, TURNS = figure_2(), figure_4(), turns()
SIZES = Sizes(threads=3, shared=3, symbols=3, rules=5, stack=3, states=60)


def rejects(system: System, evidence: Trace | AnyCertificate, reach: Reach, *words: str) -> None:
    with pytest.raises(EvidenceError) as caught:
        check(system, Property(reaches=(reach,)), evidence)
    for word in words:
        assert word in str(caught.value)


def accepts(system: System, evidence: Trace | AnyCertificate, reach: Reach) -> None:
    check(system, Property(reaches=(reach,)), evidence)


def is_accepted(system: System, evidence: AnyCertificate, *reaches: Reach) -> bool:
    try:
        check(system, Property(reaches=reaches), evidence)
    except EvidenceError:
        return False
    return True


def test_a_trace_must_end_in_a_configuration_that_was_asked_for() -> None:
    trace = run(FIGURE_4, (0, 0), (1, 0), (1, 0))  # It ends in q3 | 2, 4 6.
    six, four = stacks_in([(1, 3), (3,)]), stacks_in([(1,)])
    accepts(FIGURE_4, trace, Reach(3, (None, six)))
    accepts(FIGURE_4, trace, Reach(None, (stacks_in([(2,)]), six)))
    accepts(FIGURE_4, trace, Reach(None, (None, None)))
    rejects(FIGURE_4, trace, Reach(2, (None, six)), "which is not bad")
    rejects(FIGURE_4, trace, Reach(3, (None, four)), "which is not bad")
    rejects(FIGURE_4, trace, Reach(3, (four, six)), "which is not bad")
    asked = Property((Pattern(3, (2, None)),), reaches=(Reach(2, (None, four)),))
    check(FIGURE_4, asked, trace)


def test_a_list_of_states_may_hold_none_that_was_asked_for() -> None:
    certificate = whole_states(TURNS, TURNS.groups)
    called, calm = stacks_in([(3, 4, 2)]), stacks_in([(1, 2)])
    rejects(TURNS, certificate, Reach(None, (None, called, None)), "the bad state")
    rejects(TURNS, certificate, Reach(1, (calm, called, None)), "the bad state")
    rejects(TURNS, certificate, Reach(1, (called, calm, None)), "the bad state")
    accepts(TURNS, certificate, Reach(0, (called, None, None)))
    accepts(TURNS, certificate, Reach(None, (called, called, None)))
    accepts(TURNS, certificate, Reach(None, (stacks_in([(3, 4), (3,)]), None, None)))


def test_a_cut_stack_may_be_continued_to_one_that_was_asked_for() -> None:
    deep = cut_states(FIGURE_4, FIGURE_4.groups, 2)
    for height in range(1, 6):
        reach = Reach(3, (None, stacks_in([(1,) + (3,) * height])))
        rejects(FIGURE_4, deep, reach)
        rejects(FIGURE_4, cut_diagram(FIGURE_4, 2), reach)
    accepts(FIGURE_4, deep, Reach(3, (None, stacks_in([(1,)]))))
    accepts(FIGURE_4, deep, Reach(3, (None, stacks_in([(1, 2, 3)]))))
    accepts(FIGURE_4, cut_diagram(FIGURE_4, 2), Reach(3, (None, stacks_in([(1,)]))))


def test_without_flags_a_cut_stack_may_end_or_go_on() -> None:
    flagless = cut_states(FIGURE_4, FIGURE_4.groups, 1, flags=False)
    for diagram in (flagless, cut_diagram(FIGURE_4, 1, flags=False)):
        rejects(FIGURE_4, diagram, Reach(3, (None, stacks_in([(1, 3, 3)]))))
        rejects(FIGURE_4, diagram, Reach(3, (None, stacks_in([(1,)]))))
        accepts(FIGURE_4, diagram, Reach(3, (None, stacks_in([(2,), (2, 3)]))))
        accepts(FIGURE_4, diagram, Reach(3, (None, stacks_in([()]))))
        rejects(FIGURE_4, diagram, Reach(0, (None, stacks_in([()]))))


def test_infinite_languages_meet_what_was_asked_for_or_not() -> None:
    high = stacks_in([(4, 3, 3, 3, 3)])  # 5 4 4 4 4
    wrong = stacks_in([(3, 4)])  # 4 5
    for certificate in (products_of_figure_2(), diagram_of_figure_2()):
        rejects(FIGURE_2, certificate, Reach(0, (high, None)), "reach 1 of the property")
        accepts(FIGURE_2, certificate, Reach(1, (high, None)))
        accepts(FIGURE_2, certificate, Reach(None, (wrong, None)))
        six = languages(FIGURE_2, 1, "[6]8*")[0]
        accepts(FIGURE_2, certificate, Reach(0, (None, six)))
        rejects(FIGURE_2, certificate, Reach(None, (None, six)))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_reach_must_name_as_many_threads_as_there_are(count: int) -> None:
    reach = Reach(None, (None,) * count)
    for evidence in (
        run(FIGURE_2),
        products_of_figure_2(),
        diagram_of_figure_2(),
        cut_states(FIGURE_2, FIGURE_2.groups, 1),
    ):
        rejects(FIGURE_2, evidence, reach, f"a reach of the property names {count} threads")


def test_a_group_serves_demands_in_any_order() -> None:
    system = system_of("q", thread("a", "q|a -> r|b", "r|a -> s|c", count=3))
    certificate = whole_states(system, system.groups)
    first, second, third = (stacks_in([(symbol,)]) for symbol in (1, 2, 3))
    either = stacks_in([(1,), (2,)])
    for stacks in [(first, second, third), (third, second, first), (either, third, either)]:
        rejects(system, certificate, Reach(None, stacks), "bad state")
    for more in [(second, second, None), (third, third, None), (third, third, either)]:
        accepts(system, certificate, Reach(None, more))
    accepts(system, certificate, Reach(2, (either, either, either)))
    rejects(system, certificate, Reach(1, (either, either, either)), "bad state")


@pytest.mark.fuzz
def test_groups_are_judged_like_all_their_permutations(fuzz_systems: int) -> None:
    answers: Counter[bool] = Counter()
    for seed in range(fuzz_systems // 2):
        rng = Random(seed)
        system = random_system(rng, SIZES)
        depth, flags = rng.choice([(1, True), (2, True), (1, False)])
        together = cut_states(system, system.groups, depth, flags=flags)
        reach = random_reach(rng, system)
        states = every_permutation(system, together)
        bad = any(
            reach.shared in (None, shared)
            and all(
                wanted is None or may_be_in(system, thread, local, wanted, together.flags)
                for thread, (local, wanted) in enumerate(zip(locals_, reach.stacks, strict=True))
            )
            for shared, locals_ in states
        )
        assert is_accepted(system, together, reach) is not bad, seed
        alone = cut_states(system, singles(system), depth, flags=flags)
        if is_accepted(system, together, reach):
            assert is_accepted(system, alone, reach), seed
        answers[bad] += 1
    assert min(answers[True], answers[False])


def random_reach(rng: Random, system: System) -> Reach:
    shared = rng.choice([None, *range(len(system.shared))])
    counts = [len(system.template_of(t).symbols) for t in range(len(system.threads))]
    return Reach(
        shared,
        tuple(random_set(rng, 3, count - 1) if rng.random() < 0.8 else None for count in counts),
    )


def may_be_in(system: System, member: int, local: CutStack, wanted: StackSet, flags: bool) -> bool:
    """Whether a stack with this cut is in a set, by looking at all stacks that matter."""
    word, more = local
    count = len(system.template_of(member).symbols)
    rests: list[Word] = [r for n in range(4) for r in product(range(1, count), repeat=n)]
    if flags or not word:
        rests = [rest for rest in rests if bool(rest) == more]
    return any(wanted.accepts(word + rest) for rest in rests)


def test_demands_are_served_if_some_order_serves_them() -> None:
    seen: Counter[bool] = Counter()
    for seed in range(3000):
        rng = Random(seed)
        places, demands = rng.randint(0, 5), rng.randint(0, 5)
        choices = [[place for place in range(places) if rng.random() < 0.4] for _ in range(demands)]
        possible = any(
            all(place in choice for place, choice in zip(order, choices, strict=False))
            for order in permutations(range(places), demands)
        )
        assert _can_be_served(choices) == possible
        seen[possible] += 1
    assert min(seen[True], seen[False]) > 100


def test_whole_diagrams_and_lists_agree_on_every_single_state() -> None:
    certificate, diagram = whole_states(TURNS, TURNS.groups), whole_diagram(TURNS)
    words = [[(1, 2), (3, 4, 2), (4, 2), (1,)]] * 2 + [[(1,), ()]]
    for shared in range(2):
        for stacks in product(*words):
            reach = Reach(shared, tuple(stacks_in([stack]) for stack in stacks))
            assert is_accepted(TURNS, certificate, reach) == is_accepted(TURNS, diagram, reach)
