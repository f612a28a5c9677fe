"""What a method is given that a program begins with: any numbers, boxes or null."""

from __future__ import annotations

import pytest

import tepui
from support.java_programs import java_text

TEXT = """
import java.util.Vector;

class Arguments {
    static void isNull(Integer x) { check(x == null); }
    static void isNotNull(Integer x) { check(x != null); }
    static void areDifferent(Integer x, Integer y) { if (x != null) check(x != y); }
    static void areSame(Integer x, Integer y) { if (x != null && y != null) check(x == y); }
    static void firstAndThird(Integer x, Integer y, Integer z) {
        if (x != null && y != null && x != y) check(x != z); }
    static void isNotOfValueOf(Integer x) { check(x != Integer.valueOf(-128)); }
    static void isOfValueOf(Integer x) { Integer one = 1;
        if (x != null && x.intValue() == 1) check(x == one); }
    static void isNotOne(Long x) { if (x != null) check(x.longValue() != 1); }
    static void isTrue(Boolean x) { if (x != null) check(x); }
    static void isSmall(byte x) { check(x < 127); }
    static void isPart(double x) { check(x == 0); }
    static void isOneOfTwo(Boolean x) { check(x == null || x == true || x == false); }
    static void isInside(char x) { check(x <= 65535); }
    static void isKept(Integer x, Long y) { Object[] kept = {x, y};
        check(kept[0] == x && kept[1] == y); }
    static void copies(Integer x) {
        Vector<Integer> vector = new Vector<>(1);
        vector.add(x);
        new Thread(vector::removeAllElements).start();
        Vector<Integer> copy = new Vector<>(vector);
        check(copy.isEmpty() || copy.elementAt(0) == x);
    }
    static void check(boolean right) { if (!right) throw new IllegalStateException(); }
}
"""


def verdict(entry: str) -> str:
    program = java_text(TEXT).program(f"Arguments.{entry}")
    questions = [*tepui.assertions(program), tepui.deadlock()]
    options = tepui.Options(limits=tepui.Limits(timeout=120))
    return tepui.verify(program, questions, options).verdict


@pytest.mark.parametrize(
    "entry",
    [
        "isNull(Integer)",
        "isNotNull(Integer)",
        "areDifferent(Integer, Integer)",
        "areSame(Integer, Integer)",
        "firstAndThird(Integer, Integer, Integer)",
        "isNotOfValueOf(Integer)",
        "isOfValueOf(Integer)",
        "isNotOne(Long)",
        "isTrue(Boolean)",
        "isSmall(byte)",
    ],
)
def test_an_argument_is_any_one(entry: str) -> None:
    assert verdict(entry) == "unsafe"


def test_nothing_is_known_of_a_floating_point_number() -> None:
    assert verdict("isPart(double)") == "unknown"


@pytest.mark.parametrize(
    "entry", ["isOneOfTwo(Boolean)", "isInside(char)", "isKept(Integer, Long)", "copies(Integer)"]
)
def test_an_argument_is_of_its_type(entry: str) -> None:
    assert verdict(entry) == "safe"
