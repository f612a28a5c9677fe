"""The checker on certificates: the right ones are accepted, and every way to be wrong is named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support.samples.evidence import (
    cut_states,
    figure_4,
    singles,
    system_of,
    thread,
    turns,
    whole_states,
)
from tepui.checker import check
from tepui.checker.certificates.states import Certificate, _successor
from tepui.errors import CheckStopped, EvidenceError
from tepui.model import EPSILON, Pattern, Property, System

Tops = tuple[int | None, ...]
ANY = Property()
FIGURE_4 = figure_4()
TURNS = turns()
STATES = whole_states(TURNS, TURNS.groups)
CUT = cut_states(FIGURE_4, FIGURE_4.groups, 2)
FLAGLESS = cut_states(FIGURE_4, FIGURE_4.groups, 1, flags=False)
SAMPLES = [(TURNS, STATES), (FIGURE_4, CUT), (FIGURE_4, FLAGLESS)]


def rejects(system: System, certificate: Certificate, *words: str, asked: Property = ANY) -> None:
    with pytest.raises(EvidenceError) as caught:
        check(system, asked, certificate)
    for word in words:
        assert word in str(caught.value)


def with_table(certificate: Certificate, group: int, *table: Any) -> Certificate:
    tables = list(certificate.locals)
    tables[group] = table
    return replace(certificate, locals=tuple(tables))


def with_below(certificate: Certificate, group: int, pairs: Any) -> Certificate:
    relations = list(certificate.below)
    relations[group] = frozenset(pairs)
    return replace(certificate, below=tuple(relations))


def test_all_states_of_a_finite_system_are_accepted() -> None:
    check(TURNS, ANY, STATES)
    assert len(STATES.states) == 6
    alone = whole_states(TURNS, singles(TURNS))
    check(TURNS, ANY, alone)
    assert len(alone.states) == 10


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_cuts_of_figure_4_are_accepted(depth: int) -> None:
    check(FIGURE_4, ANY, cut_states(FIGURE_4, FIGURE_4.groups, depth))


def test_the_cut_of_figure_4_shows_exactly_its_eight_visible_states() -> None:
    check(FIGURE_4, ANY, FLAGLESS)
    assert len(FLAGLESS.states) == 8
    for certificate in (CUT, FLAGLESS):
        for shared in range(4):
            for top in range(4):
                for first in (1, 2):
                    asked = Property((Pattern(shared, (first, top)),))
                    shown = any(
                        state[0] == shared
                        and certificate.locals[0][state[1]][0][:1] == (first,)
                        and (certificate.locals[1][state[2]][0] or (EPSILON,))[0] == top
                        for state in certificate.states
                    )
                    if shown:
                        rejects(FIGURE_4, certificate, "bad state", asked=asked)
                    else:
                        check(FIGURE_4, asked, certificate)


def test_corners_of_the_model_are_accepted_at_every_depth() -> None:
    system = system_of(
        "q",
        thread("a b b c", "q|a -> q|a a b", "q|a -> r|-", "r|b -> q|-", "q|c -> q|-", "q|- -> r|-"),
        thread("", "q|- -> r|x y z", "r|x -> q|-", "q|y -> q|z", "q|z -> q|-"),
        thread("", "q|- -> q|-"),
    )
    for depth in (1, 2, 3, 4, 5, 9):
        check(system, ANY, cut_states(system, system.groups, depth))
    check(system, ANY, cut_states(system, system.groups, 1, flags=False))


def test_the_symbols_below_the_top_of_an_initial_stack_are_not_forgotten() -> None:
    system = system_of("q", thread("a b c d", "q|a -> q|-", "q|b -> q|-", "q|c -> q|-"))
    bad = Property((Pattern(None, (4,)),))
    for depth in (1, 2, 3):
        whole = cut_states(system, system.groups, depth)
        check(system, ANY, whole)
        rejects(system, whole, "bad state «q | d»", asked=bad)
        top = whole.locals[0].index(((1, 2, 3)[:depth], True))
        rejects(system, replace(whole, states=((0, top),)), "not closed", asked=bad)
        for pair in whole.below[0]:
            rejects(system, with_below(whole, 0, whole.below[0] - {pair}), "the initial stack")


@pytest.mark.parametrize(("system", "certificate"), SAMPLES)
def test_no_state_can_be_spared(system: System, certificate: Certificate) -> None:
    for state in certificate.states:
        rest = tuple(other for other in certificate.states if other != state)
        rejects(system, replace(certificate, states=rest), "lack")


@pytest.mark.parametrize("certificate", [CUT, FLAGLESS])
def test_no_pair_can_be_spared(certificate: Certificate) -> None:
    for group, pairs in enumerate(certificate.below):
        for pair in pairs:
            rejects(FIGURE_4, with_below(certificate, group, pairs - {pair}), "«below» lacks")


@pytest.mark.parametrize(("system", "certificate"), SAMPLES)
def test_no_local_state_can_be_spared(system: System, certificate: Certificate) -> None:
    for group, table in enumerate(certificate.locals):
        for index in range(len(table)):
            rest = [local for number, local in enumerate(table) if number != index]
            members = {member + 1 for member in certificate.groups[group]}
            states = tuple(
                tuple(
                    entry - (place in members and entry > index)
                    for place, entry in enumerate(state)
                )
                for state in certificate.states
                if all(state[place] != index for place in members)
            )
            smaller = replace(with_table(certificate, group, *rest), states=states)
            rejects(system, smaller, "lack")


def test_the_initial_state_must_be_there() -> None:
    rejects(FIGURE_4, replace(CUT, states=()), "lacks the initial state «q0 | 1, 4»")
    rejects(TURNS, replace(STATES, states=()), "lacks the initial state «free | a z, a z, m»")


def test_a_state_that_is_left_out_is_named_with_the_step_into_it() -> None:
    after = next(state for state in FLAGLESS.states if state[0] == 2)
    rest = tuple(state for state in FLAGLESS.states if state != after)
    rejects(FIGURE_4, replace(FLAGLESS, states=rest), "thread P2 can go", "to «q2 | 2, 5»")


def test_a_bad_state_is_rejected_and_shown() -> None:
    rejects(FIGURE_4, CUT, "bad state", "q3 | 2, 4", asked=Property((Pattern(3, (2, 1)),)))
    everything = Property((Pattern(None, (None, None)),))
    rejects(FIGURE_4, CUT, "bad state", asked=everything)
    rejects(FIGURE_4, CUT, "bad state", asked=Property((Pattern(3, (None, None)),)))
    rejects(FIGURE_4, CUT, "names 3 threads", asked=Property((Pattern(None, (None,) * 3),)))


def test_a_bad_state_that_is_not_reachable_is_rejected_too() -> None:
    extra = (FIGURE_4.shared.index("q2"), *CUT.states[0][1:])
    top = CUT.locals[1][extra[2]][0]
    asked = Property((Pattern(2, (1, top[0] if top else EPSILON)),))
    check(FIGURE_4, asked, CUT)
    rejects(FIGURE_4, replace(CUT, states=(*CUT.states, extra)), "bad state", asked=asked)


def test_a_state_more_is_accepted_if_it_is_closed() -> None:
    idle = next(index for index, (word, _) in enumerate(STATES.locals[1]) if not word)
    held = TURNS.shared.index("held")
    done = (held, *[STATES.locals[0].index(((1, 2), False))] * 2, idle)
    assert done not in STATES.states
    check(TURNS, ANY, replace(STATES, states=(*STATES.states, done)))


def test_a_deadlock_in_the_certificate_is_rejected() -> None:
    deadlock = Property(deadlock=True)
    rejects(FIGURE_4, CUT, "bad state «q1 | 2, -»", asked=deadlock)
    check(TURNS, deadlock, STATES)
    stuck = system_of("q", thread("a", "q|a -> q|b", count=2))
    states = whole_states(stuck, stuck.groups)
    rejects(stuck, states, "bad state «q | b, b»", asked=deadlock)


def test_all_stacks_empty_is_no_deadlock() -> None:
    system = system_of("q", thread("a", "q|a -> q|-", count=2))
    check(system, Property(deadlock=True), whole_states(system, system.groups))
    check(system, Property(deadlock=True), cut_states(system, system.groups, 1))


def test_a_state_must_be_sorted_within_its_groups() -> None:
    state = next(state for state in STATES.states if state[1] < state[2])
    swapped = (state[0], state[2], state[1], *state[3:])
    rejects(TURNS, replace(STATES, states=(*STATES.states, swapped)), "not sorted")
    instead = tuple(swapped if other == state else other for other in STATES.states)
    rejects(TURNS, replace(STATES, states=instead), "not sorted")


def test_neighbours_in_a_group_need_not_be_neighbours_in_the_system() -> None:
    equal = ["q|a -> r|b b", "r|b -> q|-", "q|b -> q|a"]
    system = system_of(
        "q", thread("a", *equal), thread("x", "q|x -> q|y", "q|y -> q|x"), thread("a", *equal)
    )
    assert system.groups == ((0, 2), (1,))
    for certificate in (
        whole_states(system, system.groups),
        cut_states(system, system.groups, 1),
        cut_states(system, system.groups, 2),
    ):
        check(system, ANY, certificate)
        for state in certificate.states:
            rest = tuple(other for other in certificate.states if other != state)
            rejects(system, replace(certificate, states=rest), "lack")


def test_a_pattern_is_closed_under_the_permutations_of_a_group() -> None:
    system = system_of("q", thread("a", "q|a -> r|b", "r|a -> s|c", count=3))
    certificate = whole_states(system, system.groups)
    present: list[Tops] = [(2, 3, 1), (1, 3, 2), (None, 3, 1), (3, None, 2), (None, None, 3)]
    for tops in present:
        rejects(system, certificate, "bad", asked=Property((Pattern(None, tops),)))
    absent: list[Tops] = [(3, 3, None), (None, 2, 2), (3, EPSILON, None), (1, 2, 2), (3, 3, 3)]
    for tops in absent:
        check(system, Property((Pattern(None, tops),)), certificate)
    rejects(system, certificate, "bad", asked=Property((Pattern(1, (1, 2, 1)),)))
    check(system, Property((Pattern(0, (1, 2, 1)),)), certificate)


def test_a_pattern_is_not_permuted_across_groups() -> None:
    system = system_of("q", thread("a", "q|a -> r|b", count=2))
    only_first = ((0, 0, 0), (1, 1, 0))
    tables = ((((1,), False), ((2,), False)), (((1,), False),))
    first = Certificate("states", ((0,), (1,)), tables, only_first)
    rejects(system, first, "leads to the stack «b»", asked=Property((Pattern(1, (1, 2)),)))
    whole = whole_states(system, singles(system))
    rejects(system, whole, "bad", asked=Property((Pattern(1, (1, 2)),)))


@pytest.mark.parametrize(
    "groups",
    [
        (),
        ((0,),),
        ((0, 1), (1, 2)),
        ((0, 1), (2,), ()),
        ((1, 0), (2,)),
        ((0, 1), (3,)),
        ((-1, 0), (1, 2)),
        ((0, 0, 1), (2,)),
    ],
)
def test_groups_must_be_a_partition_in_order(groups: tuple[tuple[int, ...], ...]) -> None:
    tables = STATES.locals[:1] * len(groups)
    rejects(TURNS, replace(STATES, groups=groups, locals=tables), "group")


def test_a_group_of_different_threads_is_rejected() -> None:
    groups = ((0,), (1, 2))
    wrong = replace(STATES, groups=groups)
    rejects(TURNS, wrong, "threads P.2, Q are not interchangeable")


def test_a_group_may_be_a_part_of_a_template() -> None:
    system = system_of("q", thread("a", "q|a -> q|b", "q|b -> q|a c", count=3))
    for groups in (((0, 1), (2,)), ((0, 2), (1,)), ((0, 1, 2),), ((1,), (0, 2))):
        check(system, ANY, cut_states(system, groups, 1))


@pytest.mark.parametrize(("system", "certificate"), SAMPLES)
def test_a_state_that_points_outside_is_rejected(system: System, certificate: Certificate) -> None:
    first = certificate.states[0]
    for place in range(len(first)):
        for wrong in (-1, -2, 999, 10**40):
            state = (*first[:place], wrong, *first[place + 1 :])
            changed = replace(certificate, states=(*certificate.states, state))
            rejects(system, changed, f"state {len(certificate.states) + 1}", "outside")


@pytest.mark.parametrize("state", [(), (0,), (0, 0, 0, 0, 0)])
def test_a_state_of_the_wrong_length_is_rejected(state: tuple[int, ...]) -> None:
    rejects(FIGURE_4, replace(CUT, states=(*CUT.states, state)), "one entry per thread")


@pytest.mark.parametrize(
    ("local", "reason"),
    [
        (((1, 0), False), "no stack symbol"),
        (((0,), False), "no stack symbol"),
        (((-1,), False), "no stack symbol"),
        (((4,), False), "no stack symbol"),
        (((99,), False), "no stack symbol"),
        (((1, 1, 1), False), "longer than the cut at 2"),
        (((1, 1, 1), True), "longer than the cut at 2"),
        (((1,), True), "is not cut"),
        (((), True), "is not cut"),
        (CUT.locals[1][0], "twice"),
    ],
)
def test_the_local_states_of_a_cut_must_be_cuts(local: Any, reason: str) -> None:
    rejects(FIGURE_4, with_table(CUT, 1, *CUT.locals[1], local), "thread P2", reason)


def test_the_local_states_of_other_certificates_have_no_flag() -> None:
    rejects(TURNS, with_table(STATES, 1, *STATES.locals[1], ((1,), True)), "is not cut")
    rejects(FIGURE_4, with_table(FLAGLESS, 1, *FLAGLESS.locals[1], ((1,), True)), "is not cut")
    rejects(FIGURE_4, with_table(FLAGLESS, 1, *FLAGLESS.locals[1], ((1, 1), False)), "longer")


@pytest.mark.parametrize("pair", [(0, 0), (0, 1), (-1, 0), (1, -1), (4, 0), (1, 4)])
def test_a_pair_that_holds_no_symbols_is_rejected(pair: tuple[int, int]) -> None:
    rejects(FIGURE_4, with_below(CUT, 1, CUT.below[1] | {pair}), "«below»", "no stack symbol")


def test_a_certificate_of_another_form_is_rejected() -> None:
    kind: Any = "proof"
    rejects(FIGURE_4, replace(CUT, kind=kind), "'proof'")
    rejects(FIGURE_4, replace(CUT, depth=0), "cannot be cut at 0")
    rejects(FIGURE_4, replace(CUT, depth=-1), "cannot be cut at -1")
    rejects(FIGURE_4, replace(CUT, flags=False), "cannot be cut at 2")
    rejects(FIGURE_4, replace(CUT, below=CUT.below[:1]), "one relation «below» for each group")
    rejects(FIGURE_4, replace(CUT, locals=CUT.locals[:1]), "one table")
    rejects(TURNS, replace(STATES, locals=(*STATES.locals, ())), "one table")
    rejects(TURNS, replace(STATES, depth=1), "neither a depth")
    rejects(TURNS, replace(STATES, below=(frozenset(), frozenset())), "neither a depth")


def test_a_certificate_does_not_pass_for_another_kind_or_depth() -> None:
    rejects(FIGURE_4, replace(CUT, kind="states", depth=0, below=()))
    rejects(FIGURE_4, replace(CUT, depth=1), "longer than the cut")
    rejects(FIGURE_4, replace(CUT, depth=3), "is not cut")
    rejects(FIGURE_4, replace(CUT, depth=10**30), "is not cut")
    rejects(FIGURE_4, replace(FLAGLESS, flags=True), "lacks")
    check(TURNS, ANY, replace(STATES, kind="cut", depth=9, below=(frozenset(), frozenset())))


def test_a_cut_that_keeps_nothing_proves_nothing() -> None:
    system = system_of("q", thread("a", "q|a -> q|b"))
    blind = Certificate(
        "cut", ((0,),), ((((), True),),), ((0, 0),), depth=0, below=(frozenset({(1, 0)}),)
    )
    rejects(system, blind, "cannot be cut at 0", asked=Property((Pattern(None, (2,)),)))


def test_flags_mean_nothing_for_whole_states() -> None:
    flagless = replace(STATES, flags=False)
    check(TURNS, ANY, flagless)
    for state in STATES.states:
        rest = tuple(other for other in STATES.states if other != state)
        rejects(TURNS, replace(flagless, states=rest), "lack")


def test_a_cut_that_forgets_that_the_stack_has_grown_is_rejected() -> None:
    system = system_of("q", thread("a", "q|a -> q|a b", "q|a -> r|-", "r|b -> r|-"))
    flat = Certificate(
        "cut",
        ((0,),),
        ((((1,), False), ((), False)),),
        ((0, 0), (1, 1)),
        depth=1,
        below=(frozenset({(1, 0)}),),
    )
    rejects(system, flat, "can put b below a")
    pairs = frozenset({(1, 0), (1, 2), (2, 0)})
    rejects(system, replace(flat, below=(pairs,)), "leads to the stack «a …»")


def test_without_flags_a_pop_may_always_leave_what_below_allows() -> None:
    system = system_of("q", thread("a", "q|a -> q|b", "q|b -> q|-"))
    whole = cut_states(system, system.groups, 1, flags=False)
    check(system, ANY, whole)
    rejects(system, with_below(whole, 0, {(1, 0)}), "can put - below b")
    on_top = tuple(state for state in whole.states if whole.locals[0][state[1]][0])
    rejects(system, replace(whole, states=on_top), "from «q | b» to «q | -»")
    wider = with_below(whole, 0, whole.below[0] | {(2, 2)})
    check(system, ANY, wider)
    rejects(system, with_below(whole, 0, whole.below[0] | {(1, 2)}), "can put b below b")


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_a_successor_is_sorted_again_where_it_changed(size: int) -> None:
    places = [2 * number + 1 for number in range(size)]
    state = tuple(range(2 * size + 2))
    for rank in range(size):
        for after in range(-1, 2 * size + 3):
            group = sorted([after, *(place for place in places if place != places[rank])])
            expected = [place if place not in places else group.pop(0) for place in state]
            expected[0] = 99
            assert _successor(state, places, rank, 99, after) == tuple(expected)


@pytest.mark.parametrize("patience", range(4))
def test_a_check_that_is_no_longer_wanted_comes_to_no_conclusion(patience: int) -> None:
    answers = iter([True] * patience + [False])
    with pytest.raises(CheckStopped):
        check(FIGURE_4, ANY, CUT, lambda: next(answers))
