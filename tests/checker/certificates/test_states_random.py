"""The checker on random systems: it accepts the least certificate, and nothing that is too small.

A certificate that it accepts must contain every state that plain exploration reaches; that is its
only purpose.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.samples.evidence import (
    Concrete,
    covers,
    cut_states,
    groupings,
    reachable,
    systems,
    whole_states,
)
from support.sizes import sized
from tepui.checker import check
from tepui.checker.certificates.states import Certificate
from tepui.errors import EvidenceError
from tepui.model import EPSILON, Pattern, Property, System

ANY = Property()
CUTS = st.sampled_from([(1, True), (2, True), (3, True), (1, False)])
QUICK = settings(
    max_examples=sized(300),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def is_accepted(system: System, certificate: Certificate, asked: Property = ANY) -> bool:
    try:
        check(system, asked, certificate)
    except EvidenceError:
        return False
    return True


@QUICK
@given(st.data(), systems(), CUTS)
def test_the_least_cut_is_accepted_and_nothing_in_it_can_be_spared(
    data: st.DataObject, system: System, cut: tuple[int, bool]
) -> None:
    depth, flags = cut
    certificate = cut_states(system, data.draw(groupings(system)), depth, flags=flags)
    check(system, ANY, certificate)
    for number in data.draw(_some(len(certificate.states))):
        rest = (*certificate.states[:number], *certificate.states[number + 1 :])
        assert not is_accepted(system, replace(certificate, states=rest))
    for group, pairs in enumerate(certificate.below):
        for pair in pairs:
            fewer = list(certificate.below)
            fewer[group] = pairs - {pair}
            assert not is_accepted(system, replace(certificate, below=tuple(fewer)))


@QUICK
@given(st.data(), systems(), CUTS)
def test_an_accepted_cut_covers_what_is_reachable(
    data: st.DataObject, system: System, cut: tuple[int, bool]
) -> None:
    depth, flags = cut
    also = data.draw(st.lists(concrete_states(system), max_size=2))
    groups = data.draw(groupings(system))
    certificate = cut_states(system, groups, depth, flags=flags, also=permuted(groups, also))
    check(system, ANY, certificate)
    for state in reachable(system, height=5, most=300):
        assert covers(certificate, state)


@QUICK
@given(st.data(), systems(), CUTS)
def test_a_cut_of_fewer_rules_is_accepted_only_if_it_covers_what_is_reachable(
    data: st.DataObject, system: System, cut: tuple[int, bool]
) -> None:
    depth, flags = cut
    templates = tuple(
        replace(
            template,
            rules=tuple(rule for rule in template.rules if data.draw(st.integers(0, 3))),
            stack=template.stack[: data.draw(st.integers(1, 4))],
        )
        for template in system.templates
    )
    poorer = replace(system, templates=templates)
    certificate = cut_states(poorer, data.draw(groupings(system)), depth, flags=flags)
    if is_accepted(system, certificate):
        for state in reachable(system, height=5, most=300):
            assert covers(certificate, state)


@QUICK
@given(st.data(), systems())
def test_the_reachable_states_are_accepted_and_none_can_be_spared(
    data: st.DataObject, system: System
) -> None:
    found = reachable(system, height=8, most=300)
    if len(found) >= 300 or any(len(stack) > 6 for _, stacks in found for stack in stacks):
        return  # Too many, or a push may have led beyond the height.
    certificate = whole_states(system, data.draw(groupings(system)))
    check(system, ANY, certificate)
    assert all(covers(certificate, state) for state in found)
    for number in data.draw(_some(len(certificate.states))):
        rest = (*certificate.states[:number], *certificate.states[number + 1 :])
        assert not is_accepted(system, replace(certificate, states=rest))


@QUICK
@given(st.data(), systems(), CUTS)
def test_a_certificate_is_accepted_only_if_no_reachable_state_is_bad(
    data: st.DataObject, system: System, cut: tuple[int, bool]
) -> None:
    tops = st.tuples(
        *(
            st.none() | st.integers(0, len(system.template_of(number).symbols) - 1)
            for number in range(len(system.threads))
        )
    )
    shared = st.none() | st.integers(0, len(system.shared) - 1)
    patterns = tuple(data.draw(st.lists(st.builds(Pattern, shared, tops), max_size=3)))
    asked = Property(patterns, data.draw(st.booleans()))
    depth, flags = cut
    certificate = cut_states(system, data.draw(groupings(system)), depth, flags=flags)
    bad = any(_is_bad(system, asked, state) for state in reachable(system, height=5, most=300))
    if is_accepted(system, certificate, asked):
        assert not bad


@pytest.mark.parametrize("depth", [1, 2])
@QUICK
@given(st.data(), systems())
def test_symmetry_changes_no_answer(depth: int, data: st.DataObject, system: System) -> None:
    """A property that tells no threads apart holds in Z if and only if it does up to symmetry."""
    group = data.draw(st.sampled_from([group for group in system.groups if group]))
    symbol = data.draw(st.integers(0, len(system.template_of(group[0]).symbols) - 1))
    count = data.draw(st.integers(1, len(group)))
    chosen = [None if n not in group[:count] else symbol for n in range(len(system.threads))]
    asked = Property((Pattern(None, tuple(chosen)),))
    together = cut_states(system, system.groups, depth)
    tops = [
        [
            (together.locals[_group_of(system, n)][index][0] or (0,))[0]
            for n, index in _entries(state)
        ]
        for state in together.states
    ]
    bad = any(sum(row[member] == symbol for member in group) >= count for row in tops)
    assert is_accepted(system, together, asked) is not bad


def concrete_states(system: System) -> st.SearchStrategy[Concrete]:
    stacks = st.tuples(
        *(
            st.lists(st.integers(1, max(1, len(symbols) - 1)), max_size=3).map(tuple)
            if len(symbols := system.template_of(number).symbols) > 1
            else st.just(())
            for number in range(len(system.threads))
        )
    )
    return st.tuples(st.integers(0, len(system.shared) - 1), stacks)


def permuted(groups: tuple[tuple[int, ...], ...], states: list[Concrete]) -> list[Concrete]:
    """The states and all their permutations within groups, by exchanging neighbours."""
    found = set(states)
    waiting = list(states)
    while waiting:
        shared, stacks = waiting.pop()
        for group in groups:
            for left, right in pairwise(group):
                swapped = list(stacks)
                swapped[left], swapped[right] = swapped[right], swapped[left]
                after = (shared, tuple(swapped))
                if after not in found:
                    found.add(after)
                    waiting.append(after)
    return sorted(found)


def _some(count: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, count - 1), max_size=12, unique=True)


def _entries(state: tuple[int, ...]) -> list[tuple[int, int]]:
    return list(enumerate(state[1:]))


def _group_of(system: System, number: int) -> int:
    return next(index for index, group in enumerate(system.groups) if number in group)


def _is_bad(system: System, asked: Property, state: Concrete) -> bool:
    shared, stacks = state
    tops = [stack[0] if stack else EPSILON for stack in stacks]
    for pattern in asked.patterns:
        if pattern.shared in (None, shared) and all(
            wanted in (None, top) for wanted, top in zip(pattern.tops, tops, strict=True)
        ):
            return True
    stuck = not any(
        (rule.source, rule.top) == (shared, tops[number])
        for number in range(len(tops))
        for rule in system.template_of(number).rules
    )
    return asked.deadlock and stuck and any(tops)
