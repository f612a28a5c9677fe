"""The checker on unions of products of languages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support.samples.diagrams import (
    figure_2,
    language_diagram,
    languages,
    products_of,
    products_of_figure_2,
    stacks_in,
    whole_diagram,
    with_finite_languages,
)
from support.samples.evidence import figure_4, system_of, thread, turns
from tepui.checker import check
from tepui.checker.certificates.products import SymbolicCertificate
from tepui.errors import CheckStopped, EvidenceError
from tepui.model import Pattern, Property, StackSet, System

ANY = Property()
FIGURE_2, FIGURE_4, TURNS = figure_2(), figure_4(), turns()
BY_HAND = products_of_figure_2()
FINITE = products_of(TURNS, with_finite_languages(whole_diagram(TURNS), [0, 1]))
LANGUAGES = products_of(FIGURE_4, language_diagram(FIGURE_4, 2))
SAMPLES = [(FIGURE_2, BY_HAND), (TURNS, FINITE), (FIGURE_4, LANGUAGES)]
every_sample = pytest.mark.parametrize(("system", "certificate"), SAMPLES)


def rejects(
    system: System, certificate: SymbolicCertificate, *words: str, asked: Property = ANY
) -> None:
    with pytest.raises(EvidenceError) as caught:
        check(system, asked, certificate)
    for word in words:
        assert word in str(caught.value)


def with_labels(
    certificate: SymbolicCertificate, template: int, *labels: StackSet
) -> SymbolicCertificate:
    changed = list(certificate.labels)
    changed[template] = labels
    return replace(certificate, labels=tuple(changed))


@every_sample
def test_correct_products_are_accepted(system: System, certificate: SymbolicCertificate) -> None:
    check(system, ANY, certificate)


@every_sample
def test_no_product_can_be_spared(system: System, certificate: SymbolicCertificate) -> None:
    for state in certificate.states:
        rest = tuple(other for other in certificate.states if other != state)
        rejects(system, replace(certificate, states=rest))


@every_sample
def test_no_stack_of_a_label_can_be_spared(
    system: System, certificate: SymbolicCertificate
) -> None:
    for template, labels in enumerate(certificate.labels):
        for number, label in enumerate(labels):
            for state, accepts in enumerate(label.accepting):
                flags = [*label.accepting[:state], False, *label.accepting[state + 1 :]]
                smaller = StackSet(tuple(flags), label.edges)
                changed = [*labels[:number], smaller, *labels[number + 1 :]]
                if accepts:
                    rejects(system, with_labels(certificate, template, *changed))


def test_a_product_that_is_included_in_several_only_is_accepted() -> None:
    """The first step of thread P leads from all of Q's stacks into two halves of them, which
    differ at P as well; and these are found only by splitting both."""
    system = system_of(
        "q",
        thread("a", "q|a -> r|b", "q|a -> r|c", "r|b -> r|c", "r|c -> r|b", name="P"),
        thread("x", "q|x -> q|x y", "q|x -> q|y", "r|y -> r|x", "r|x -> r|y", name="Q"),
    )
    p = languages(system, 0, "[a]", "[b]", "[c]", "[bc]")
    q = languages(system, 1, "[xy]y*", "[x]y*", "[y]y*")
    whole = SymbolicCertificate((p, q), ((0, 0, 0), (1, 3, 1), (1, 1, 2), (1, 2, 2)))
    check(system, ANY, whole)
    for state in whole.states[1:]:
        rest = tuple(other for other in whole.states if other != state)
        rejects(system, replace(whole, states=rest), "not closed: thread")


def test_more_products_than_needed_are_accepted() -> None:
    again = (*BY_HAND.states, *BY_HAND.states)
    check(FIGURE_2, ANY, replace(BY_HAND, states=again))
    empty = with_labels(BY_HAND, 0, *BY_HAND.labels[0], StackSet((), ()))
    check(FIGURE_2, ANY, replace(empty, states=((0, 3, 0), *BY_HAND.states)))


def test_a_product_with_an_empty_label_stands_for_nothing() -> None:
    system = system_of("q", thread("a", name="P"), thread("x", "r|x -> s|x", name="Q"))
    labels = (stacks_in([(1,)]), StackSet((), ()))
    for empty in ((1, 1, 0), (1, 0, 1), (1, 1, 1)):
        certificate = SymbolicCertificate((labels, labels), ((0, 0, 0), empty))
        check(system, Property((Pattern(1, (None, None)),), deadlock=False), certificate)
    rejects(system, SymbolicCertificate((labels, labels), ((0, 0, 0), (1, 0, 0))), "not closed")


def test_figure_2_shows_exactly_its_26_visible_states() -> None:
    shown = 0
    for shared in range(2):
        for foo in range(len(FIGURE_2.templates[0].symbols)):
            for bar in range(len(FIGURE_2.templates[1].symbols)):
                try:
                    check(FIGURE_2, Property((Pattern(shared, (foo, bar)),)), BY_HAND)
                except EvidenceError:
                    shown += 1
    assert shown == 26


def test_the_initial_state_must_be_there() -> None:
    for system, certificate in SAMPLES:
        rejects(system, replace(certificate, states=()), "lacks the initial state")
    rejects(FIGURE_2, replace(BY_HAND, states=BY_HAND.states[1:]), "lacks the initial state")


def test_a_step_that_leads_out_is_told() -> None:
    rejects(
        FIGURE_2,
        replace(BY_HAND, states=BY_HAND.states[:1]),
        "not closed: thread bar can go from the shared state q1 to q0 with stacks such as «-»",
    )


def test_deadlocks_are_found() -> None:
    deadlock = Property(deadlock=True)
    rejects(FIGURE_4, LANGUAGES, "a deadlock in the shared state q1", asked=deadlock)
    check(TURNS, deadlock, FINITE)
    done = system_of("q", thread("a", "q|a -> q|-", count=2))
    both = (stacks_in([(1,), ()]),)
    check(done, deadlock, SymbolicCertificate((both,), ((0, 0, 0),)))
    stuck = system_of("q", thread("a", "q|a -> q|-", count=2), thread("b"))
    certificate = SymbolicCertificate((both, (stacks_in([(1,)]),)), ((0, 0, 0, 0),))
    rejects(stuck, certificate, "deadlock", asked=deadlock)
    idle = replace(stuck.templates[1], idle=frozenset({(0, 1)}))
    check(replace(stuck, templates=(stuck.templates[0], idle)), deadlock, certificate)


@every_sample
def test_numbers_that_point_outside_are_rejected(
    system: System, certificate: SymbolicCertificate
) -> None:
    first = certificate.states[0]
    number = f"product {len(certificate.states) + 1}"
    for wrong in (-1, 99, 10**30):
        for place in range(len(first)):
            state = (*first[:place], wrong, *first[place + 1 :])
            changed = replace(certificate, states=(*certificate.states, state))
            rejects(system, changed, number, "points outside")
    for other in ((), first[:-1], (*first, 0)):
        changed = replace(certificate, states=(*certificate.states, other))
        rejects(system, changed, number, "not have one entry per thread")


def test_labels_must_be_languages_over_the_symbols_of_their_template() -> None:
    rejects(FIGURE_2, replace(BY_HAND, labels=BY_HAND.labels[:1]), "one table of languages")
    outside = StackSet((True,), (((99, 0),),))
    rejects(FIGURE_2, with_labels(BY_HAND, 0, *BY_HAND.labels[0], outside), "no stack symbol")
    table: Any = (0, 1)
    rejects(FIGURE_2, with_labels(BY_HAND, 0, *BY_HAND.labels[0], table), "a table of stacks")


@pytest.mark.parametrize("patience", range(4))
@every_sample
def test_a_check_that_is_no_longer_wanted_comes_to_no_conclusion(
    system: System, certificate: SymbolicCertificate, patience: int
) -> None:
    answers = iter([True] * patience + [False])
    with pytest.raises(CheckStopped):
        check(system, ANY, certificate, lambda: next(answers))
