"""Which exceptions somebody could catch, and which methods pass some on."""

from __future__ import annotations

from support.java_programs import java_text

TEXT = """
class Catch {
    static int n; static int[] a = new int[2];
    static void main() {
        unguarded();
        try { guarded(); harmless(); above(); } catch (RuntimeException e) { inHandler(); }
        outside();
        new Thread(() -> started()).start();
    }
    static void unguarded() { throw new IllegalStateException(); }
    static void guarded() { a[n] = 1; }
    static void harmless() { n = 3; n += 4; }
    static void above() { below(); quiet(); }
    static void below() { if (n > 0) throw new IllegalStateException(); }
    static void quiet() { n++; }
    static void inHandler() { n = 1 / n; }
    static void outside() { throw new IllegalStateException(); }
    static void started() { n = 1 / n; }
    static void loops() { try { recursive(1); } catch (ArithmeticException e) { } }
    static void recursive(int k) { if (k > 0) recursive(k - 1); n = 1 / k; }
    int field;
    static void objects() { try { new Catch().own(); ofOther(new Catch()); } finally { n = 0; } }
    void own() { n = field; }
    static void ofOther(Catch it) { n = it.field; }
}
"""


def caught(entry: str) -> set[str]:
    return {key[1] for key in java_text(TEXT).found(entry).catching.caught if key[0] == "Catch"}


def throwing(entry: str) -> set[str]:
    return {key[1] for key in java_text(TEXT).found(entry).catching.throwing if key[0] == "Catch"}


def test_an_exception_is_caught_below_a_call_inside_of_a_handler() -> None:
    assert caught("Catch.main") == {"guarded", "harmless", "above", "below", "quiet"}


def test_no_exception_is_caught_where_only_a_handler_or_nothing_calls() -> None:
    found = caught("Catch.main")
    assert not found & {"unguarded", "inHandler", "outside", "started", "main"}


def test_methods_pass_on_what_they_or_their_callees_throw() -> None:
    assert throwing("Catch.main") == {"guarded", "above", "below"}


def test_a_method_that_calls_itself_is_caught_at_any_depth() -> None:
    assert caught("Catch.loops") == {"recursive"}
    assert throwing("Catch.loops") == {"recursive"}


def test_a_field_of_this_throws_nothing_and_that_of_another_object_may() -> None:
    assert caught("Catch.objects") == {"<init>", "own", "ofOther"}
    assert "own" not in throwing("Catch.objects")
    assert "ofOther" in throwing("Catch.objects")
