"""Strings: constants are compared exactly, of all others nothing is known."""

from __future__ import annotations

import pytest

import tepui
from support.java_programs import java_text

TEXT = r"""
class Strings {
    static String any; static int n;
    static void same() { check("one" == "one"); check("one" != (Object) "two");
        check("one".equals("one")); }
    static void equal() { String a = n == 0 ? "one" : "two"; check(a.equals("one"));
        check(!a.equals("two"));
        check(!a.equals(null)); check(!a.equals(new Object())); }
    static void lengths() { check("".length() == 0); check("a\ud83d\ude00".length() == 3);
        check("".isEmpty()); check(!"x".isEmpty()); }
    static void hashes() { check("hello".hashCode() == 99162322); check("".hashCode() == 0);
        check("polygenelubricants".hashCode() == Integer.MIN_VALUE); }
    static void characters() { check("abc".charAt(1) == 'b'); int k = n + 2;
        check("abc".charAt(k) == 'c'); }
    static void switches() { String a = n == 0 ? "Aa" : "x"; int got = 0;
        switch (a) { case "BB": got = 1; break; case "Aa": got = 2; } check(got == 2); }
    static void trims() { check("a b".trim() == "a b"); check("one".toString() == "one");
        check("one".intern() == "one"); }
    static void nobody() { any = n == 0 ? null : "one"; any.length(); }
    static void outside() { "abc".charAt(n + 3); }
    static void before() { "abc".charAt(n - 1); }
    static void computed() { String a = "o" + n; check(a.equals("o0")); }
    static void parts() { String a = "one".substring(n); check(a == "one"); }
    static void notNull() { String a = "o" + n; check(a != null);
        check(a.getClass() == String.class); }
    static void different() { check("one" == any()); }
    static String any() { return n == 0 ? "two" : "one"; }
    static void check(boolean right) { if (!right) throw new IllegalStateException(); }
}
"""


def answer(entry: str) -> str:
    program = java_text(TEXT).program(f"Strings.{entry}()")
    questions = [*tepui.assertions(program), tepui.deadlock()]
    options = tepui.Options(limits=tepui.Limits(timeout=60))
    return str(tepui.verify(program, questions, options)).split("\n")[0]


SAFE = ["same", "equal", "lengths", "hashes", "characters", "switches", "trims"]


@pytest.mark.parametrize("entry", SAFE)
def test_constants_are_what_they_say(entry: str) -> None:
    assert answer(entry).lower().startswith("safe")


@pytest.mark.parametrize(
    ("entry", "exception"),
    [
        ("nobody", "NullPointerException"),
        ("outside", "StringIndexOutOfBoundsException"),
        ("before", "StringIndexOutOfBoundsException"),
        ("different", "IllegalStateException"),
    ],
)
def test_what_strings_throw_is_found(entry: str, exception: str) -> None:
    said = answer(entry)
    assert said.startswith("UNSAFE")
    assert exception in said


@pytest.mark.parametrize("entry", ["computed", "parts"])
def test_nothing_is_decided_by_a_string_that_is_computed(entry: str) -> None:
    assert answer(entry).startswith("UNKNOWN")


def test_a_string_that_is_computed_is_a_string() -> None:
    assert answer("notNull").lower().startswith("safe")
