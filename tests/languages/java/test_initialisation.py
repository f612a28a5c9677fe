"""When classes are initialised: at the beginning if nobody can tell, or where they are needed."""

from __future__ import annotations

from functools import cache

import pytest

import tepui
from support.java_programs import java_text
from tepui.languages.java.initialisation import Initialisation

TEXT = """
class Simple { static int n = 3; static int[] a = {1, 2}; static Object o = new Object(); }
class Counts { static { Init.count++; } static int n; }
class Fails { static int n = 1 / Init.zero; }
class Loops { static int n; static { for (int i = 0; i < 3; i++) n++; } }
class Locks { static int n; static { synchronized (Init.class) { n = 1; } } }
class Needs { static int n = Counts.n; }
class Needy { static int n = Simple.n; }
class Under extends Counts { static int m = 4; static void call() { } }
class Plain extends Counts { static void call() { } }
interface Loud { int n = Init.next(); default void hear() { } }
interface Quiet { int n = Init.next(); void hear(); }
class Hears implements Loud { } class Silent implements Quiet { public void hear() { } }
class Constant { static final int N = 5; static final String TEXT = "text"; static {
        Init.count++; } }
class One { static int n = Two.n + 1; static { Init.count++; } }
class Two { static int n = One.n + 1; static { Init.count++; } }
class Init {
    static int count, zero; static Object any; static boolean maybe;
    static int next() { return ++count; }
    static void simple() { count = Simple.n; }
    static void counts() { check(count == 0); any = Counts.n; check(count == 1);
        any = new Counts();
        check(count == 1); }
    static void fails() { try { any = Fails.n; check(false);
        } catch (ExceptionInInitializerError e) { }
        try { any = Fails.n; check(false); } catch (NoClassDefFoundError e) { } }
    static void loops() { check(Loops.n == 3); }
    static void locks() { check(Locks.n == 1); }
    static void needs() { any = Needs.n; check(count == 1); }
    static void needy() { check(Needy.n == 3); }
    static void under() { Under.call(); check(count == 1); Plain.call(); check(count == 1); }
    static void plain() { Plain.call(); check(count == 1); }
    static void interfaces() { any = new Silent(); check(count == 0); any = new Hears();
        check(count == 1); }
    static void constant() { any = Constant.N; any = Constant.TEXT; check(count == 0); }
    static void arrays() { any = new Counts[3]; check(count == 0); }
    static void cyclic() { check(One.n == 2); check(Two.n == 1); check(count == 2); }
    static void threads() throws InterruptedException {
        Thread it = new Thread(() -> { any = Counts.n; check(count == 1); });
        it.start(); any = Counts.n; check(count == 1); it.join(); check(count == 1); }
    static void check(boolean right) { if (!right) throw new IllegalStateException(); }
}
"""


@cache
def initialisation(entry: str) -> Initialisation:
    return java_text(TEXT).found(f"Init.{entry}").initialisation


def late(entry: str) -> set[str]:
    return {name for name in initialisation(entry).late if "/" not in name}


def test_an_initialiser_that_only_stores_runs_at_the_beginning() -> None:
    assert "Simple" in initialisation("simple").early
    assert late("simple") == set()


@pytest.mark.parametrize(
    ("entry", "name"),
    [("counts", "Counts"), ("fails", "Fails"), ("loops", "Loops"), ("locks", "Locks")],
)
def test_an_initialiser_that_changes_others_fails_loops_or_locks_runs_late(
    entry: str, name: str
) -> None:
    assert late(entry) == {name}


def test_a_class_is_as_late_as_what_it_needs() -> None:
    assert late("needs") == {"Needs", "Counts"}
    # What it reads is no constant, so somebody may have changed it before.
    assert late("needy") == {"Needy"}


def test_a_class_without_initialiser_is_late_if_something_above_is() -> None:
    assert late("plain") >= {"Counts"}
    assert "Counts" in [
        *initialisation("plain").needed("Plain"),
        *initialisation("plain").before("Plain"),
    ]
    assert initialisation("under").before("Under") == ["Counts"]


def test_constants_and_arrays_initialise_nothing() -> None:
    assert late("constant") == late("arrays") == set()


def test_the_class_of_the_entry_is_initialised_at_the_beginning() -> None:
    hierarchy = initialisation("counts")
    assert "Init" not in hierarchy.late


SAFE = [
    "counts", "fails", "loops", "locks", "needs", "needy", "under", "plain", "interfaces",
    "constant", "arrays", "cyclic", "threads",
]  # fmt: skip


@pytest.mark.parametrize("entry", SAFE)
def test_initialisers_run_once_in_the_order_of_the_jvm(entry: str) -> None:
    program = java_text(TEXT).program(f"Init.{entry}")
    questions = [*tepui.assertions(program), tepui.deadlock()]
    result = tepui.verify(program, questions, tepui.Options(limits=tepui.Limits(timeout=60)))
    assert result.verdict == "safe", str(result)
