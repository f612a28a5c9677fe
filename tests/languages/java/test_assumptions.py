"""What answers about Java assume, and what is asked."""

from __future__ import annotations

import pytest

import tepui
from support.samples.java_programs import CALM, RACY
from tepui.languages.java.jdk import find_jdk

WAITING = """\
class Waiting {
    synchronized void test(int number, Integer box, Object any, String[] words, double real)
            throws InterruptedException {
        wait();
    }
}
"""


def assumed(text: str, **options: object) -> list[str]:
    program = tepui.loads(text, "java", **options)  # type: ignore[call-overload]
    return [one.text for one in program.assumptions]


def test_an_answer_says_what_it_rests_on() -> None:
    assert assumed(RACY) == [
        "sequential consistency, and races are not asked for: where threads race, Java allows more",
        "it begins with Racy.main, with no arguments",
        f"the classes of JDK {find_jdk().full_version} in {find_jdk().home}",
        "our models of 3 classes: AssertionError, NullPointerException, Thread",
        "no StackOverflowError, and no OutOfMemoryError",
    ]


def test_arguments_and_reasons_to_wake_up_are_assumptions() -> None:
    texts = assumed(WAITING, entry="test")
    assert (
        "it begins with Waiting.test(int, Integer, Object, String[], double) of a new Waiting, "
        "with any int, any Integer or null, null, an empty array, any double" in texts
    )
    assert "threads that wait wake up for a reason only" in texts
    assert "threads that wait wake up for a reason only" not in assumed(
        WAITING, entry="test", spurious_wakeups=True
    )


def test_seeds_of_random_numbers_are_not_looked_at() -> None:
    text = "class Dice { static void roll() { new java.util.Random(1).nextInt(6); } }"
    texts = assumed(text, entry="roll")
    assert "random numbers are any numbers, whatever their seed is" in texts


def test_the_verdict_says_under_which_condition_it_holds() -> None:
    result = tepui.verify(tepui.loads(CALM, "java", name="Calm.java"))
    first, *others = str(result).splitlines()
    assert first.startswith("SAFE  Calm.java: all ")
    assert first.endswith("for any number of contexts, under sequential consistency")
    assert "  assumes   no StackOverflowError, and no OutOfMemoryError" in others


def test_all_that_can_go_wrong_is_asked_together() -> None:
    program = tepui.loads(RACY, "java")
    result = tepui.verify(program)
    assert {"assertion", "exception", "deadlock"} <= {each.kind for each in result.questions}


def test_races_need_a_program_that_was_loaded_for_them() -> None:
    with pytest.raises(tepui.UsageError, match=r"load it with load\(…, races=True\)"):
        tepui.races(tepui.loads(RACY, "java"))
    program = tepui.loads(RACY, "java", races=True)
    questions = tepui.races(program)
    assert [each.text for each in questions] == ["no data race on Racy.count"]
    result = tepui.verify(program, questions)
    assert result.verdict == "unsafe"
    assert not any(one.condition for one in result.assumptions)
