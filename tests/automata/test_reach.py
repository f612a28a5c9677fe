"""Questions about whole stacks as texts: what they ask, and the messages for wrong ones."""

from __future__ import annotations

from random import Random

import pytest

import tepui
from support.places import EXAMPLES
from tepui.automata.reach_property import reach_text
from tepui.errors import InputError, UsageError
from tepui.languages import loads
from tepui.languages.pushdown.cpds import write_cpds
from tepui.languages.pushdown.pds import write_pds
from tepui.model import Property, Reach, StackSet, System

SYSTEM = """
initial q0
thread P {
    stack a
    q0 | a -> q1 | b "x y"
    q1 | a-b -> q1 | -
}
thread R {
    stack c d
}
"""

ANY_A = StackSet((True,), (((1, 0),),))
NOTHING = StackSet((True,), ((),))


@pytest.fixture(scope="module")
def system() -> System:
    return loads(SYSTEM, "cpds").system


def test_a_text_names_the_shared_state_and_each_stack(system: System) -> None:
    asked = tepui.reach(system, "q1 | a*, -")
    assert asked == Property(reaches=(Reach(1, (ANY_A, NOTHING)),))
    assert bool(asked)


def test_a_star_alone_is_anything(system: System) -> None:
    assert tepui.reach(system, "* | *, *").reaches == (Reach(None, (None, None)),)


def test_several_texts_are_one_property_that_asks_for_each(system: System) -> None:
    one, other = "q0 | a, *", "q1 | *, -"
    both = tepui.reach(system, one, other, one)
    assert both.reaches == tepui.reach(system, one).reaches + tepui.reach(system, other).reaches
    assert not tepui.reach(system)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<q0 | a, c d>", "q0|a,c d"),
        ("⟨q0 | a, *⟩", "q0 | (a), *"),
        ("q0 | a | b, c", "q0 | (b | a), c"),
        ("q0 | a a*, c", "q0 | a+, c"),
        ("q0 | (a*)*, -", "q0 | a*, - -"),
        ("q0 | a | -, c", "q0 | a?, c"),
    ],
)
def test_two_ways_to_write_the_same_set_are_the_same_question(
    system: System, one: str, other: str
) -> None:
    assert tepui.reach(system, one) == tepui.reach(system, other)


def test_names_with_other_characters_stand_between_quotes(system: System) -> None:
    text = 'q1 | b "x y" a-b, *'
    assert reach_text(system, tepui.reach(system, text).reaches[0]) == text


def test_numbers_are_names_where_a_file_has_numbers() -> None:
    system = loads("2\nPDA 0 5\n0 4 -> 1 5 5\n", "pds", init="0|4").system
    (asked,) = tepui.reach(system, "1 | 5+").reaches
    assert system.shared[asked.shared or 0] == "1"
    assert reach_text(system, asked) == "1 | 5+"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "expected a shared state or '*', found the end of the pattern"),
        ("| a, c", 1, 1, "expected a shared state or '*', found '|'"),
        ("q0", 1, 3, "expected '|' after the shared state, found the end of the pattern"),
        ("q0, a, c", 1, 3, "expected '|' after the shared state, found ','"),
        ("q7 | a, c", 1, 1, "there is no shared state 'q7'"),
        ("q0 | z, c", 1, 6, "thread P has no symbol 'z'"),
        ("q0 | a, a", 1, 9, "thread R has no symbol 'a'"),
        ("q0 |", 1, 5, "expected a stack symbol, '*' for any stack, '.', '-' or '(', found the"),
        ("q0 | a,", 1, 8, "expected a stack symbol, '*' for any stack, '.', '-' or '(', found the"),
        (
            "q0 | , c",
            1,
            6,
            "expected a stack symbol, '*' for any stack, '.', '-' or '(', found ','",
        ),
        ("q0 | a", 1, 7, "expected 2 entries, one for each thread (P, R), found 1"),
        ("<q0 | a>", 1, 8, "expected 2 entries, one for each thread (P, R), found 1"),
        ("q0 | a, c, d", 1, 12, "expected 2 entries, one for each thread (P, R), found more"),
        ("q0 | a, c,", 1, 11, "expected 2 entries, one for each thread (P, R), found more"),
        ("q0 | * a, c", 1, 8, "expected ',', found 'a'"),
        ("q0 | a, * d", 1, 11, "expected the end of the pattern, found 'd'"),
        ("q0 | a ), c", 1, 8, "expected a symbol, '*', '+', '?', '|' or ',', found ')'"),
        ("q0 | a, c )", 1, 11, "expected a symbol, '*', '+', '?', '|' or the end of the pattern"),
        ("<q0 | a, c", 1, 11, "expected a symbol, '*', '+', '?', '|' or '>', found the end"),
        ("<q0 | a, c> d", 1, 13, "expected the end of the pattern, found 'd'"),
        ("q0 | (a, c)", 1, 8, "expected ')' to close the parenthesis, found ','"),
        ("q0 | a | | a, c", 1, 10, "expected a stack symbol, '.', '-' or '(', found '|'"),
        ("q0 | a {2}, c", 1, 8, "'{' cannot stand here"),
        ("q0 |\n a,\n e", 3, 2, "thread R has no symbol 'e'"),
    ],
)
def test_a_wrong_text_is_answered_with_the_place_and_what_was_expected(
    system: System, text: str, line: int, column: int, message: str
) -> None:
    with pytest.raises(InputError) as raised:
        tepui.reach(system, "q0 | *, *", text)
    error = raised.value
    assert error.message.startswith(message)
    assert (error.source, error.line, error.column) == ("<reach>", line, column)


def test_a_pattern_that_needs_too_large_an_automaton_is_refused(system: System) -> None:
    text = f"q0 | (a|b)* a{' (a|b)' * 30}, *"
    with pytest.raises(InputError, match="stacks of thread P need an automaton of more than"):
        tepui.reach(system, text)
    assert tepui.reach(system, text.replace(" (a|b)" * 30, " (a|b)" * 6))


def test_whatever_is_written_is_a_question_or_an_input_error(
    fuzz_systems: int, system: System
) -> None:
    words = ["q0", ",", ",", "|", "a", "c", *'()*+?.-<>"é']
    wrong = []
    texts = 4 * fuzz_systems
    for seed in range(texts):
        rng = Random(45_000_000 + seed)
        text = "q0 | " + " ".join(rng.choices(words, k=rng.randint(1, 6)))
        try:
            (asked,) = tepui.reach(system, text).reaches
            assert len(asked.stacks) == 2
        except InputError as error:
            wrong.append((text, error))
    assert 0 < len(wrong) < texts
    for text, found in wrong:
        assert found.line == 1
        assert 1 <= found.column <= len(text) + 1


def test_of_a_program_other_questions_are_asked() -> None:
    program = tepui.load(EXAMPLES / "figure2.bp")
    with pytest.raises(UsageError, match="unreachable or never_together"):
        tepui.reach(program, "q0 | *")


def test_no_file_is_written_that_would_lose_the_question(system: System) -> None:
    asks = system.with_property(tepui.reach(system, "q0 | *, -"))
    for write in (write_cpds, write_pds):
        with pytest.raises(UsageError, match=r"tepui\.reach"):
            write(asks)
