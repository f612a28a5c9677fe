"""Patterns for sets of configurations: what they match, and the messages for wrong ones."""

from __future__ import annotations

import re
from random import Random

import pytest

from support.generators.automata import all_words, random_pattern, random_thread
from tepui.automata import Automaton
from tepui.automata.pattern import MAX_DEPTH, MAX_PLACES
from tepui.errors import InputError
from tepui.languages import loads
from tepui.model import System

SYSTEM = """
shared q0 q1
initial q0
thread T {
    stack a
    q0 | a -> q1 | b c
    q0 | "x y" -> q1 | "*"
    q1 | a-b -> q1 | -
}
"""


@pytest.fixture(scope="module")
def system() -> System:
    return loads(SYSTEM, "cpds").system


def texts(system: System, *patterns: str, height: int = 3) -> list[str]:
    automaton = Automaton.of_pattern(system, "T", *patterns)
    return [automaton.text(each) for each in automaton.words(height)]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("q0, a", ["<q0, a>"]),
        ("<q0, a b c>", ["<q0, a b c>"]),
        ("⟨q1, -⟩", ["<q1, ->"]),
        ("*, a", ["<q0, a>", "<q1, a>"]),
        ("q0, a b* c", ["<q0, a b c>", "<q0, a c>"]),
        ("q0, a+", ["<q0, a>", "<q0, a a>", "<q0, a a a>"]),
        ("q0, a? b", ["<q0, a b>", "<q0, b>"]),
        ("q0, (a|b) c", ["<q0, a c>", "<q0, b c>"]),
        ("q0, a b | c", ["<q0, a b>", "<q0, c>"]),
        ("q0, - | c", ["<q0, ->", "<q0, c>"]),
        ("q0, a - b", ["<q0, a b>"]),
        ("q0, (a b)?", ["<q0, ->", "<q0, a b>"]),
        ("q0, (a?)+", ["<q0, ->", "<q0, a>", "<q0, a a>", "<q0, a a a>"]),
        ("q0, (a b?)*+ c c", ["<q0, a c c>", "<q0, c c>"]),
        ('q1, "x y" "*"', ['<q1, "x y" "*">']),
        ("q1, a-b", ["<q1, a-b>"]),
    ],
)
def test_a_pattern_matches_its_words(system: System, pattern: str, expected: list[str]) -> None:
    assert texts(system, pattern) == expected


def test_a_dot_is_any_symbol(system: System) -> None:
    symbols = len(system.templates[0].symbols) - 1
    assert symbols == 6
    assert len(texts(system, "*, .")) == 2 * symbols
    assert len(texts(system, "q0, . .?")) == symbols + symbols**2
    assert Automaton.of_pattern(system, 0, "q0, .*").includes(
        Automaton.of_pattern(system, 0, "q0, a+")
    )


def test_several_patterns_match_what_one_of_them_matches(system: System) -> None:
    assert texts(system, "q1, -", "q0, a") == ["<q0, a>", "<q1, ->"]
    assert Automaton.of_pattern(system, "T").is_empty


@pytest.mark.parametrize(
    ("pattern", "line", "column", "message"),
    [
        ("", 1, 1, "expected a shared state, found the end of the pattern"),
        ("q0", 1, 3, "expected ',' after the shared state, found the end of the pattern"),
        ("q7, a", 1, 1, "there is no shared state 'q7'"),
        ("q0,", 1, 4, "expected a stack symbol, '.', '-' or '(', found the end of the pattern"),
        ("q0, z", 1, 5, "thread T has no symbol 'z'"),
        ("q0, ab", 1, 5, "thread T has no symbol 'ab'; did you mean 'a-b'?"),
        ("<q0, a", 1, 7, "expected a symbol, '*', '+', '?', '|' or '>', found the end"),
        ("<q0, a> b", 1, 9, "expected the end of the pattern, found 'b'"),
        ("q0, a)", 1, 6, "expected a symbol, '*', '+', '?', '|' or the end of the pattern, found"),
        ("q0, (a", 1, 7, "expected ')' to close the parenthesis"),
        ("q0, a | | b", 1, 9, "expected a stack symbol, '.', '-' or '(', found '|'"),
        ("q0, * a", 1, 5, "expected a stack symbol, '.', '-' or '(', found '*'"),
        ("q0, a {2}", 1, 7, "'{' cannot stand here"),
        ('q0, "a', 1, 5, "'\"' cannot stand here"),
        ('q0, "\\q"', 1, 5, "unknown escape '\\q' in this name"),
        ("q0,\n a\n zz", 3, 2, "thread T has no symbol 'zz'"),
        ("q0, " + "(" * (MAX_DEPTH + 1), 1, 5 + MAX_DEPTH, "more than 100 parentheses are open"),
        ("q0, " + "a " * (MAX_PLACES + 1), 1, 2006, "a pattern has at most 1,000 symbols"),
    ],
)
def test_a_wrong_pattern_is_answered_with_the_place_and_what_was_expected(
    system: System, pattern: str, line: int, column: int, message: str
) -> None:
    with pytest.raises(InputError) as raised:
        Automaton.of_pattern(system, "T", pattern)
    error = raised.value
    assert error.message.startswith(message)
    assert (error.line, error.column) == (line, column)
    assert error.source == "<pattern>"


def test_a_configuration_is_one_stack(system: System) -> None:
    everything = Automaton.of_pattern(system, "T", "q0, .*")
    assert "<q0, a b>" in everything
    assert "q0, -" in everything
    assert '<q1, "x y">' not in everything
    for text, column, message in [
        ("q0, a*", 6, "expected a symbol or the end of the pattern, found '*'"),
        ("*, a", 1, "expected a shared state, found '*'"),
        ("<q0, >", 6, "expected a stack symbol or '-', found '>'"),
    ]:
        with pytest.raises(InputError) as raised:
            assert text in everything
        assert (raised.value.column, raised.value.message) == (column, message)


def test_patterns_match_what_regular_expressions_match(fuzz_systems: int) -> None:
    """The same expression over one-letter names, read by Python."""
    for seed in range(fuzz_systems):
        rng = Random(40_000_000 + seed)
        system = random_thread(rng, shared=1, rules=1)
        names = system.templates[0].symbols
        pattern = random_pattern(rng, names[1:], 4)
        expression = re.compile(pattern.replace("-", "").replace(" ", ""))
        matched = {
            word
            for word in all_words(system, 4)
            if expression.fullmatch("".join(names[symbol] for symbol in word))
        }
        found = Automaton.of_pattern(system, 0, f"q0, {pattern}").words(4)
        assert {stack for _, stack in found} == matched, (seed, pattern)


def test_whatever_is_written_is_a_pattern_or_an_input_error(
    fuzz_systems: int, system: System
) -> None:
    words = ["q0", "q1", ",", "a", "b", *'()*+?|.-<>"é']
    wrong = []
    for seed in range(fuzz_systems):
        rng = Random(41_000_000 + seed)
        text = "q0, " + " ".join(rng.choices(words, k=rng.randint(0, 6)))
        try:
            Automaton.of_pattern(system, "T", text)
        except InputError as error:
            wrong.append((text, error))
    assert 0 < len(wrong) < fuzz_systems
    for text, found in wrong:
        assert found.line == 1
        assert 1 <= found.column <= len(text) + 1
