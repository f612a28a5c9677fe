"""The checker's own languages of stacks, against lists of words."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from support.samples.diagrams import random_set
from tepui.checker.certificates.stack_languages import Languages, Rest
from tepui.checker.patience import Patience
from tepui.errors import CheckStopped
from tepui.model import EPSILON, StackSet
from tepui.model.system import Word

WORDS: list[Word] = [w for n in range(9) for w in product((1, 2), repeat=n)]
"""All words over two symbols that could distinguish any of the automata below."""


def words_of(stacks: StackSet, after: Word = ()) -> set[Word]:
    return {word for word in WORDS if stacks.accepts(after + word)}


def test_tops_and_membership_are_those_of_the_words(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 2):
        stacks = random_set(Random(seed), most=4)
        languages = Languages([stacks], Patience(lambda: True))
        words = words_of(stacks)
        assert {word for word in WORDS if languages.has(0, word)} == words
        assert languages.tops(0) == {word[0] if word else EPSILON for word in words}


def test_two_rests_meet_if_they_share_a_word(fuzz_systems: int) -> None:
    seen = set()
    for seed in range(fuzz_systems):
        rng = Random(seed)
        left, right = random_set(rng), random_set(rng)
        languages = Languages([left, right], Patience(lambda: True))
        for begun in WORDS[:7]:
            met = languages.meet(languages.after(0, begun), languages.after(1, ()))
            assert met == bool(words_of(left, begun) & words_of(right))
            seen.add(met)
    assert seen == {True, False}


def test_what_is_missing_is_a_word_of_one_and_of_no_other(fuzz_systems: int) -> None:
    seen = set()
    for seed in range(fuzz_systems):
        rng = Random(seed)
        sets = [random_set(rng, most=2) for _ in range(3)]
        languages = Languages(sets, Patience(lambda: True))
        for begun in WORDS[:7]:
            others: list[Rest] = [languages.after(number, begun) for number in (1, 2)]
            missing = languages.missing(languages.after(0, ()), others)
            lacking = words_of(sets[0]) - words_of(sets[1], begun) - words_of(sets[2], begun)
            assert (missing is None) == (not lacking)
            assert missing is None or missing in lacking
            seen.add(missing is None)
    assert seen == {True, False}


def test_memberships_are_all_combinations_that_occur(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 2):
        rng = Random(seed)
        sets = [random_set(rng, most=2) for _ in range(3)]
        languages = Languages(sets, Patience(lambda: True))
        rests = [languages.after(number, ()) for number in range(3)]
        expected = {
            tuple(stacks.accepts(word) for stacks in sets[1:]) for word in words_of(sets[0])
        }
        assert languages.memberships(rests[0], rests[1:]) == expected


def test_a_long_walk_stops_when_it_is_no_longer_wanted() -> None:
    """Two loops of lengths that have no common divisor are in step after 999 · 1000 symbols."""
    loops = [
        StackSet(
            tuple(state == size - 1 for state in range(size)),
            tuple(((1, (state + 1) % size),) for state in range(size)),
        )
        for size in (999, 1000)
    ]
    answers = iter([True, True, False])
    languages = Languages(loops, Patience(lambda: next(answers)))
    with pytest.raises(CheckStopped):
        languages.meet(languages.after(0, ()), languages.after(1, ()))
