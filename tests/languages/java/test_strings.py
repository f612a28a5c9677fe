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
    static void tooLong() { "abc".substring(n + 4); }
    static void notSoLong() { "abc".substring(n + 3); "abc".substring(n, n + 3); }
    static void backwards() { "abc".substring(2, n + 1); }
    static void ofComputed() { ("a" + n).substring(n + 4); }
    static void allOfComputed() { ("a" + n).substring(0); }
    static void nothing() { any = n == 0 ? null : "b"; "a".concat(any); }
    static void noCharacters() { char[] none = n == 0 ? null : new char[1]; String.valueOf(none); }
    static void negative() { "a".repeat(n - 1); }
    static void tables() { String a = any(); check(a.startsWith("t")); check(a.indexOf('w') == 1);
        check(a.indexOf("wo") == 1 && a.contains("two") && !a.endsWith("x") && a.indexOf('x') < 0);
        check(a.compareTo("tw") == 1 && a.compareTo("u") == -1 && a.equalsIgnoreCase("TWO"));
        check(a.charAt(2) == 'o'); }
    static void noLetters() { any = n == 0 ? null : "b"; check(!"b".equalsIgnoreCase(any)); }
    static void fits() { System.out.printf("%d %s %5.2f%n", 1, null, 2.5);
        String.format("%-5s%05d%%%c", "a", 3L, 'x'); }
    static void misfits() { System.out.printf("%d", "x"); }
    static void tooFew() { System.out.printf("%d %d", 1); }
    static void noFormat() { System.out.printf("%y", 1); }
    static void message() { try { throw new RuntimeException(); } catch (RuntimeException e) {
        check(e.getMessage() != null); } }
    static void messageIsPrinted() { try { throw new RuntimeException("x" + n); }
        catch (RuntimeException e) { System.out.println("!" + e.getMessage() + e); } }
    static class Telling extends RuntimeException {
        @Override public String getMessage() { n++; return "told"; } }
    static class Shown { @Override public String toString() { n++; return "shown"; } }
    static void own() { new Telling().toString(); new Telling().printStackTrace();
        System.out.printf("%s %d", new Shown(), 1); check(n == 3); }
    static String any() { return n == 0 ? "two" : "one"; }
    static void check(boolean right) { if (!right) throw new IllegalStateException(); }
}
"""


def answer(entry: str) -> str:
    program = java_text(TEXT).program(f"Strings.{entry}()")
    questions = [*tepui.assertions(program), tepui.deadlock()]
    options = tepui.Options(limits=tepui.Limits(timeout=60))
    return str(tepui.verify(program, questions, options)).split("\n")[0]


SAFE = ["same", "equal", "lengths", "hashes", "characters", "switches", "trims", "tables"]
SAFE += ["notSoLong", "noLetters", "allOfComputed", "fits", "messageIsPrinted", "own"]


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
        ("tooLong", "StringIndexOutOfBoundsException"),
        ("backwards", "StringIndexOutOfBoundsException"),
        ("nothing", "NullPointerException"),
        ("noCharacters", "NullPointerException"),
    ],
)
def test_what_strings_throw_is_found(entry: str, exception: str) -> None:
    said = answer(entry)
    assert said.startswith("UNSAFE")
    assert exception in said


UNKNOWN = [
    "computed",
    "parts",
    "ofComputed",
    "negative",
    "misfits",
    "tooFew",
    "noFormat",
    "message",
]


@pytest.mark.parametrize("entry", UNKNOWN)
def test_nothing_is_decided_by_a_string_that_is_computed(entry: str) -> None:
    assert answer(entry).startswith("UNKNOWN")


def test_a_string_that_is_computed_is_a_string() -> None:
    assert answer("notNull").lower().startswith("safe")
