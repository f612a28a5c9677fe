"""Canonical automata and all operations on languages, against sets of words cut at a length."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from random_automata import (
    accepts,
    all_configurations,
    all_words,
    automaton,
    given_limits,
    random_set,
    random_thread,
)
from tepui.automata.pattern import LAST, Transition
from tepui.kernels.door import Languages, PAutomaton, given_system
from tepui.model import EPSILON, System
from tepui.model.system import Word

pytestmark = pytest.mark.fuzz

CUT = 5

NODES = 4
"""The random sets have no more nodes than this. So a shortest word is shorter, and if there are
infinitely many words, there is one whose length is at least this and less than twice this."""


def words_of(transitions: list[Transition], words: list[Word]) -> set[Word]:
    """The words, out of some, that a set has at shared state 0."""
    return {word for word in words if accepts(transitions, (0, word))}


def language_of(languages: Languages, transitions: list[Transition]) -> int:
    """The number of the language of a set at shared state 0."""
    found, _ = languages.of_automaton(PAutomaton(transitions))
    assert found is not None
    return dict(found).get(0, 0)


def two_languages(rng: Random) -> tuple[System, Languages, list[list[Transition]], list[int]]:
    system = random_thread(rng, shared=1, symbols=2, rules=1)
    languages = Languages(given_system(system))
    sets = [random_set(rng, system) for _ in range(2)]
    return system, languages, sets, [language_of(languages, each) for each in sets]


def test_operations_are_those_on_sets_of_words(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems):
        rng = Random(30_000_000 + seed)
        system, languages, sets, (left, right) = two_languages(rng)
        words = all_words(system, CUT)
        of_left, of_right = (words_of(each, words) for each in sets)

        def cut(
            language: int, words: list[Word] = words, known: Languages = languages
        ) -> set[Word]:
            return {word for word in words if known.contains(language, word)}

        assert (cut(left), cut(right)) == (of_left, of_right), seed
        assert cut(languages.union(left, right)) == of_left | of_right, seed
        assert cut(languages.intersection(left, right)) == of_left & of_right, seed
        assert cut(languages.difference(left, right)) == of_left - of_right, seed
        pushed = rng.choice(all_words(system, 3))
        expected = {pushed + word for word in of_left if len(pushed + word) <= CUT}
        assert cut(languages.push(pushed, left)) == expected, seed
        for symbol in range(1, len(system.templates[0].symbols)):
            rest = {word[1:] for word in of_left if word[:1] == (symbol,)}
            popped = {word for word in cut(languages.pop(symbol, left)) if len(word) < CUT}
            assert popped == rest, seed


def test_questions_are_those_about_sets_of_words(fuzz_systems: int) -> None:
    answers = set()
    for seed in range(fuzz_systems):
        rng = Random(31_000_000 + seed)
        system, languages, sets, (left, right) = two_languages(rng)
        words = all_words(system, 2 * NODES - 1)
        of_left, of_right = (words_of(each, words) for each in sets)
        included = languages.includes(right, left)
        missing = languages.shortest(languages.difference(left, right))
        assert included is (missing is None), seed
        if missing is not None:
            assert accepts(sets[0], (0, missing)), seed
            assert not accepts(sets[1], (0, missing)), seed
        else:
            assert of_left <= of_right, seed
        assert languages.shortest(left) == min(
            of_left, key=lambda word: (len(word), word), default=None
        )
        assert (left == 0) is (not of_left)
        assert languages.tops(left) == sorted({word[0] if word else EPSILON for word in of_left})
        finite = languages.is_finite(left)
        assert languages.count(left) == (len(of_left) if finite else None), seed
        assert finite is not any(len(word) >= NODES for word in of_left), seed
        answers.add((included, finite, languages.count(left) is None))
    assert len(answers) == 4


def test_equal_languages_and_only_they_are_equal_values(fuzz_systems: int) -> None:
    equal = different = 0
    for seed in range(fuzz_systems):
        rng = Random(32_000_000 + seed)
        system, languages, sets, (left, right) = two_languages(rng)
        same_number = left == right
        same_value = languages.automaton(left) == languages.automaton(right)
        assert same_number is same_value
        # Two automata with m and n states that differ do so on a word shorter than m + n + 2.
        sizes = len(languages.automaton(left)) + len(languages.automaton(right))
        words = all_words(system, min(9, sizes + 1))
        same_words = words_of(sets[0], words) == words_of(sets[1], words)
        if same_value or sizes <= 8:
            assert same_value is same_words, seed
        equal += same_value
        different += not same_value
    assert min(equal, different) > fuzz_systems // 50


def test_the_order_in_which_a_language_is_put_together_does_not_matter(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 2):
        rng = Random(33_000_000 + seed)
        system = random_thread(rng, shared=1, symbols=2, rules=1)
        languages = Languages(given_system(system))
        words = rng.sample(all_words(system, 4), 5)
        numbers = []
        for _ in range(2):
            rng.shuffle(words)
            language = 0
            for word in words:
                language = languages.union(languages.singleton(word), language)
            numbers.append(language)
        assert numbers[0] == numbers[1]
        assert languages.count(language) == 5
        # Breadth-first order: every state but the first is entered first from an earlier one.
        met = {0}
        for state, (_, edges) in enumerate(languages.automaton(language)):
            assert state in met
            for _, target in edges:
                assert target <= len(met)
                met.add(target)


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
    system = random_thread(Random(0), shared=1, symbols=2, rules=1)
    languages = Languages(given_system(system))
    assert languages.of_automaton(large, limits) == (None, "time")
