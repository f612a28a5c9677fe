"""Questions about programs: their patterns, and the messages for wrong ones."""

from __future__ import annotations

from typing import Any, cast

import pytest

from support.cli import FIGURE4
from support.samples.program_texts import QUESTIONS, RACE, program_of, verified
from tepui.api import load
from tepui.deciding import Options, explore, verify, verify_all
from tepui.errors import UsageError
from tepui.model import Pattern, Property
from tepui.program.layout import point_class
from tepui.program.passes.counts import with_counts
from tepui.program.places import places
from tepui.program.questions import (
    assertions,
    deadlock,
    never_together,
    own_questions,
    questions_of,
    unreachable,
)

PLACES = """\
decl x := 0;

void clerk() {
CS: x := 1;
    x := 0;

    skip;
}

void main() {
CS: skip;
    thread_create(clerk, 3);
    x := 1;
}
"""


@pytest.mark.parametrize("count", [2, 200])
def test_the_number_of_patterns_does_not_grow_with_that_of_threads(count: int) -> None:
    program = with_counts(program_of(RACE), {"work": count})
    for question in (
        unreachable(program, "14"),
        never_together(program, "14", "16"),
        *assertions(program),
    ):
        assert len(question.bad.patterns) == 1
        (pattern,) = question.bad.patterns
        assert len(pattern.tops) == count


def test_a_pattern_of_two_types_names_both_ways_round() -> None:
    program = program_of(QUESTIONS)
    a, b = (point_class(places(program, name)[0]) for name in ("A", "B"))
    assert [pattern.tops for pattern in never_together(program, "A", "B").bad.patterns] == [(a, b)]
    both = never_together(program, "A", "A")
    assert both.bad.patterns[0].tops == (point_class(program.layout.points), None)


@pytest.mark.parametrize("symmetry", [True, False])
@pytest.mark.parametrize("threads", [2, 3])
def test_any_threads_of_a_type_violate_what_the_first_ones_are_asked_about(
    threads: int, symmetry: bool
) -> None:
    program = with_counts(program_of(RACE), {"work": threads})
    options = Options(symmetry=symmetry)
    for question in (never_together(program, "16", "19"), *assertions(program)):
        result = verified(program, [question], options)
        assert (result.verdict, result.checked) == ("unsafe", True)
    safe = verified(program, [never_together(program, "15", "16")], options)
    assert (safe.verdict, safe.checked) == ("safe", True)


def test_a_line_may_be_given_as_a_number() -> None:
    program = program_of(PLACES)
    assert unreachable(program, 7) == unreachable(program, "7")
    assert unreachable(program, 7).text == "line 7 is unreachable"
    assert never_together(program, 5, "CS").text == "line 5 and CS are never reached together"


@pytest.mark.parametrize(
    ("place", "lines"),
    [
        ("CS", [4, 11]),
        ("clerk:CS", [4]),
        ("clerk:5", [5]),
        ("7", [7]),
        ("test.bp:7", [7]),
    ],
)
def test_a_place_is_a_label_or_a_line_also_of_a_procedure_or_a_file(
    place: str, lines: list[int]
) -> None:
    program = program_of(PLACES)
    found = [program.layout.location(point) for point in places(program, place)]
    assert [location.position.line for location in found if location] == lines


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("clerks:CS", "test has no procedure clerks; did you mean 'clerk'?"),
        ("zz:CS", "test has no procedure zz; it has clerk, main"),
        (
            "clerk",
            "test has no label clerk; it has a procedure of this name: name a place in it, such "
            "as clerk:4, or clerk(), where it begins",
        ),
        ("clerk:26", "clerk has no statement on line 26; the nearest is on line 7"),
        ("clerk:11", "clerk has no statement on line 11; the nearest is on line 7"),
        ("clerk:cs", "clerk has no label cs; did you mean 'CS'?"),
        ("main:yy", "main has no label yy; its labels are CS"),
        ("999", "test has no statement on line 999; the nearest is on line 13"),
        ("6", "test has no statement on line 6; the nearest is on line 5 or 7"),
        ("test.bp:6", "test.bp has no statement on line 6; the nearest is on line 5 or 7"),
        ("other.bp:6", "test has nothing from a file other.bp; it comes from test.bp"),
        ("cs", "test has no label cs; did you mean 'CS'?"),
        ("zz", "test has no label zz; its labels are CS"),
        ("", "expected a label or a line of test, found nothing"),
    ],
)
def test_a_place_that_is_not_there_gets_a_hint_of_its_own(place: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        unreachable(program_of(PLACES), place)
    assert str(caught.value) == message


def test_questions_that_are_none_are_errors_of_use() -> None:
    program, system = program_of(QUESTIONS), cast(Any, load(FIGURE4))
    for wrong in (
        lambda: unreachable(system, "L"),
        lambda: never_together(system, "L", "M"),
        lambda: assertions(system),
        lambda: unreachable(program, cast(Any, None)),
        lambda: unreachable(program, True),
        lambda: verify_all(system, [deadlock()]),
        lambda: verify_all(program, cast(Any, ["A"])),
        lambda: verify_all(program, cast(Any, 7)),
        lambda: verify(program, cast(Any, "A")),
        lambda: verify(system, cast(Any, deadlock())),
        lambda: explore(cast(Any, "race.bp")),
    ):
        with pytest.raises(UsageError):
            wrong()


def test_no_questions_at_all_are_not_a_program_without_assertions() -> None:
    for ask in (verify, verify_all):
        with pytest.raises(UsageError) as caught:
            ask(program_of(QUESTIONS), [])
        assert "the list of them is empty" in str(caught.value)


def test_verify_takes_a_question_or_several() -> None:
    program = program_of(QUESTIONS)
    one = verify(program, unreachable(program, "A"))
    assert (one.verdict, one.questions) == ("unsafe", (unreachable(program, "A"),))
    asked = (deadlock(), unreachable(program, "C"))
    several = verify(program, asked)
    assert (several.verdict, several.questions) == ("unsafe", asked)
    (answer,) = verify_all(program, deadlock())
    assert answer.result.questions == (deadlock(),)


def test_a_result_keeps_what_was_asked() -> None:
    program = program_of(QUESTIONS)
    assert verify(program).questions == tuple(own_questions(program))
    asked = unreachable(program, "C")
    by_property = verify(program, asked.bad)
    assert by_property.questions == tuple(questions_of(program, asked.bad))
    assert explore(program).questions == ()


def test_a_property_of_a_place_inside_a_section_can_be_verified() -> None:
    program = program_of(RACE)
    result = verify(program, Property(unreachable(program, "taken").bad.patterns))
    assert (result.verdict, result.checked) == ("unsafe", True)


def test_a_program_is_shown_in_one_line() -> None:
    assert repr(program_of(PLACES)) == "<Program test: threads main, clerk × 3>"


def test_a_pattern_that_names_nothing_is_about_every_state() -> None:
    program = program_of(PLACES)
    anything = Property((Pattern(None, (None,) * len(program.thread_types)),))
    (question,) = questions_of(program, anything)
    assert (question.text, question.violation) == ("no state is reached", "a state is reached")
    assert verify(program, anything).verdict == "unsafe"
