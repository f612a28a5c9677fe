"""Sets of stacks: what they accept, how they begin, and which automata are none."""

from __future__ import annotations

import re
from random import Random

import pytest

import tepui
from support.generators.automata import all_words, random_pattern, random_thread
from tepui.automata.reach_property import reach_text
from tepui.automata.stack_expression import expression_of
from tepui.errors import ModelError
from tepui.languages import loads
from tepui.model import EPSILON, StackSet, System

NONE = StackSet((), ())
EMPTY_STACK = StackSet((True,), ((),))
A_THEN_BS = StackSet((False, True), (((1, 1),), ((2, 1),)))
WITH_A_DEAD_END = StackSet((False, True, False), (((1, 1), (2, 2)), (), ((1, 2),)))


def test_a_set_without_states_is_empty() -> None:
    assert not NONE.accepts(())
    assert not NONE.may_continue(())
    assert NONE.tops() == frozenset()


def test_a_stack_is_accepted_as_a_whole() -> None:
    assert [word for word in [(), (1,), (1, 2, 2), (2,), (1, 1)] if A_THEN_BS.accepts(word)] == [
        (1,),
        (1, 2, 2),
    ]
    assert EMPTY_STACK.accepts(())
    assert not EMPTY_STACK.accepts((1,))


def test_a_word_may_continue_only_where_a_stack_can_still_be_accepted() -> None:
    assert WITH_A_DEAD_END.may_continue(())
    assert WITH_A_DEAD_END.may_continue((1,))
    assert not WITH_A_DEAD_END.may_continue((2,))
    assert not WITH_A_DEAD_END.may_continue((1, 1))
    assert WITH_A_DEAD_END.tops() == {1}


def test_the_top_of_the_empty_stack_is_epsilon() -> None:
    assert EMPTY_STACK.tops() == {EPSILON}
    assert A_THEN_BS.tops() == {1}


@pytest.mark.parametrize(
    ("accepting", "edges", "message"),
    [
        ((True,), (), "needs edges"),
        ((), ((),), "needs edges"),
        ((True,), (((1, 1),),), "a state that it does not have"),
        ((True,), (((1, -1),),), "a state that it does not have"),
        ((True,), (((1, 0), (1, 0)),), "ascend by symbol"),
        ((True,), (((2, 0), (1, 0)),), "ascend by symbol"),
        ((True,), (((0, 0),),), "ascend by symbol, from 1 on"),
    ],
)
def test_what_is_no_deterministic_automaton_is_refused(
    accepting: tuple[bool, ...], edges: tuple[tuple[tuple[int, int], ...], ...], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        StackSet(accepting, edges)


def test_a_set_has_the_stacks_that_a_regular_expression_matches(fuzz_systems: int) -> None:
    """The same expression over one-letter names, read by Python."""
    for seed in range(fuzz_systems):
        rng = Random(42_000_000 + seed)
        system = random_thread(rng, shared=1, rules=1)
        pattern = random_pattern(rng, system.templates[0].symbols[1:], 4)
        stacks = _stacks(system, pattern)
        words = all_words(system, 5)
        matched = {word for word in words if _matches(system, pattern, word)}
        assert {word for word in words if stacks.accepts(word)} == matched, (seed, pattern)


def test_a_word_that_may_continue_has_a_continuation(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems):
        rng = Random(43_000_000 + seed)
        stacks = _random_automaton(rng)
        states = len(stacks.accepting)
        words = _words(range(1, 3), states)
        for start in _words(range(1, 3), 2):
            continued = any(stacks.accepts(start + word) for word in words)
            assert stacks.may_continue(start) == continued, (seed, start)
        tops = {word[0] if word else EPSILON for word in words if stacks.accepts(word)}
        assert stacks.tops() == tops, seed


def test_a_set_written_as_a_pattern_is_read_as_the_same_set(fuzz_systems: int) -> None:
    given_up = 0
    for seed in range(fuzz_systems):
        rng = Random(44_000_000 + seed)
        system = random_thread(rng, shared=1, rules=1)
        asked = tepui.reach(
            system, f"* | {random_pattern(rng, system.templates[0].symbols[1:], 4)}"
        )
        text = reach_text(system, asked.reaches[0])
        given_up += "…" in text
        assert "…" in text or tepui.reach(system, text) == asked, (seed, text)
    assert given_up < fuzz_systems // 20


@pytest.mark.parametrize(
    "pattern",
    [
        "-",
        "a",
        "a b a",
        "a b*",
        "a+",
        "a | b",
        ".",
        ".*",
        "(a b)* c",
        "a (b | c)+",
        "a* b*",
    ],
)
def test_a_simple_pattern_comes_back_as_it_was_written(pattern: str) -> None:
    system = loads("initial q\nthread T {\n stack a b c\n}\n", "cpds").system
    assert expression_of(_stacks(system, pattern), system.templates[0].symbols) == pattern


def test_no_expression_is_given_for_no_stack() -> None:
    assert expression_of(NONE, ["-", "a"]) is None
    assert expression_of(StackSet((False,), (((1, 0),),)), ["-", "a"]) is None


def _stacks(system: System, pattern: str) -> StackSet:
    stacks = tepui.reach(system, f"* | {pattern}").reaches[0].stacks[0]
    assert stacks is not None
    return stacks


def _matches(system: System, pattern: str, word: tuple[int, ...]) -> bool:
    names = system.templates[0].symbols
    expression = pattern.replace("-", "").replace(" ", "")
    return bool(re.fullmatch(expression, "".join(names[symbol] for symbol in word)))


def _random_automaton(rng: Random) -> StackSet:
    """An automaton that need be neither small nor of any use."""
    states = rng.randint(0, 3)
    return StackSet(
        tuple(rng.random() < 0.4 for _ in range(states)),
        tuple(
            tuple((symbol, rng.randrange(states)) for symbol in (1, 2) if rng.random() < 0.5)
            for _ in range(states)
        ),
    )


def _words(symbols: range, height: int) -> list[tuple[int, ...]]:
    words: list[tuple[int, ...]] = [()]
    for _ in range(height):
        words += [(symbol, *word) for word in words for symbol in symbols]
    return sorted(set(words))
