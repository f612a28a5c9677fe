"""Context-bounded weighted analysis against interleavings, one by one, for every domain.

`make fuzz` does it for many more systems. A question that takes brute force too long is left out.
"""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any

import pytest

from support.oracles.weighted import TooMuchWorkError
from support.oracles.weighted_contexts import Question, concurrent, interleaved
from support.samples.weighted import CASES, how_many, random_equal_threads, random_question
from tepui.weighted import Tensorable, is_below
from tepui.weighted.contexts import Threads, context_bounded, context_bounds

pytestmark = pytest.mark.fuzz

HEIGHT = 4
"""Of the stacks on enumerated paths."""

NAMES = [
    name for name, case in CASES.items() if isinstance(case.domain, Tensorable) and not case.merges
]


@pytest.mark.parametrize("name", NAMES)
def test_threads_do_what_all_interleavings_make(name: str, fuzz_systems: int) -> None:
    case = CASES[name]
    count = how_many(case, fuzz_systems) // 4
    answered = by_paths = something = 0
    for seed in range(count):
        question = random_question(case, Random(seed))
        try:
            expected = concurrent(question, HEIGHT, case.work)
        except TooMuchWorkError:
            continue
        found = _answer(question)
        assert found == expected.weight, seed
        answered += 1
        by_paths += expected.by_paths
        something += expected.weight != case.domain.zero
    assert answered > 0.7 * count
    assert by_paths > 0.9 * answered
    assert something > 0.5 * answered


@pytest.mark.parametrize("name", ["relations", "shuffles"])
def test_equal_threads_are_told_apart(name: str, fuzz_systems: int) -> None:
    case = CASES[name]
    answered, count = 0, how_many(case, fuzz_systems)
    for seed in range(count):
        question = random_equal_threads(case, Random(seed))
        try:
            expected = concurrent(question, HEIGHT, case.work)
        except TooMuchWorkError:
            continue
        assert _answer(question) == expected.weight, seed
        answered += 1
    assert answered > 0.5 * count


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.merges])
def test_threads_merge_what_calls_do(name: str, fuzz_systems: int) -> None:
    """With two contexts no call is interrupted. The equations do not know merges of tensors, so
    where stacks are too high for paths, only a bound is known."""
    case = CASES[name]
    exactly = merging = 0
    for seed in range(how_many(case, fuzz_systems) // 4):
        question = random_question(case, Random(seed))
        try:
            bounded = interleaved(question, HEIGHT, case.work)
        except TooMuchWorkError:
            continue
        found = _answer(question)
        if bounded.complete:
            assert found == bounded.weight, seed
        assert is_below(case.domain, found, bounded.weight), seed
        exactly += bounded.complete
        merging += any(rule.merges for system in question.systems for rule in system.rules)
    assert min(exactly, merging) > 2


def _answer(question: Question[Any]) -> Any:
    """For that bound at once; and if it is 2, bound by bound as well, which must be the same."""
    threads = Threads(question.systems, question.switches)
    sets = question.start, question.target
    found = context_bounded(threads, *sets, question.contexts)
    if question.contexts == 2:
        assert [weight for _, weight in islice(context_bounds(threads, *sets), 2)][1] == found
    return found
