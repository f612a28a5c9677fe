"""Variables that decide nothing are left out; all that decides something stays."""

from __future__ import annotations

from functools import cache

from support.java_programs import java_text
from tepui.program.program import Program

TEXT = """
class Slice {
    static int counted, printed, decides, copied, index, element, result, argument;
    static int[] cells = new int[3];
    static void main() {
        counted++; printed = counted; decides = 3; copied = decides; result = given(4);
        index = 1; cells[index] = 5; element = cells[2]; argument = 6; take(argument);
        if (copied == 7 || element == 9) throw new IllegalStateException();
    }
    static int given(int k) { return k; }
    static void take(int k) { if (k > 99) throw new IllegalStateException(); }
}
"""


@cache
def program(*, races: bool = False) -> Program:
    return java_text(TEXT).program("Slice.main", races=races)


def names(found: Program) -> set[str]:
    return {each.name.removeprefix("Slice.") for each in found.globals}


def test_a_variable_that_nothing_depends_on_is_left_out() -> None:
    assert not names(program()) & {"printed", "result"}


def test_what_flows_into_a_decision_stays() -> None:
    assert {"decides", "copied", "element", "index", "argument"} <= names(program())


def test_results_that_decide_nothing_are_not_returned_from_anywhere() -> None:
    given = program().by_name["Slice.given"]
    assert not given.results or all(str(each) for each in given.results)


def test_races_are_asked_of_the_whole_program() -> None:
    assert {"counted", "printed", "result"} <= names(program(races=True))


def test_places_stay_where_they_were() -> None:
    texts = [each.text for each in program().by_name["Slice.main"].locations]
    assert texts.count("write Slice.counted") == 1
    assert texts.count("write Slice.printed") == 1
