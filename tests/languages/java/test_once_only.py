"""What is executed at most once, worked out by hand for each method."""

from __future__ import annotations

import pytest

from support.java_programs import code_pcs, java_text
from tepui.languages.java.once_only import Executions
from tepui.languages.java.sites import Site

TEXT = """
class Once {
    static Object here; static int n;
    static class Straight { } static class Twice { } static class Looping { } static class Deep { }
    static class Branch { } static class Threaded { } static class Recursive { }
    static class After { } static class ByOne { }
    static class Begin { static Begin it = new Begin(); }
    static class Retried { } static class Between { }
    static void main() {
        here = new Straight();
        twice(); twice();
        for (int i = 0; i < 3; i++) { here = new Looping(); deep(); }
        if (n > 0) here = new Branch(); else branch();
        new Thread(() -> here = new Threaded()).start();
        recursive(5);
        byOne();
        here = Begin.it;
        while (n > 0) { try { n--; } catch (RuntimeException e) { here = new Retried(); } }
        here = new After();
    }
    static void twice() { here = new Twice(); }
    static void deep() { deeper(); }
    static void deeper() { here = new Deep(); }
    static void branch() { here = new Between(); }
    static void recursive(int k) { here = new Recursive(); if (k > 0) recursive(k - 1); }
    static void byOne() { here = new ByOne(); }
}
"""


def sites() -> dict[str, Site]:
    found = java_text(TEXT).found("Once.main")
    return {
        each.type.removeprefix("Once$"): each
        for each in found.reachability.sites.values()
        if each.type.startswith("Once$")
    }


@pytest.mark.parametrize("name", ["Straight", "Branch", "Between", "ByOne", "After", "Begin"])
def test_a_site_on_a_way_without_loops_makes_one_object(name: str) -> None:
    assert sites()[name].once


@pytest.mark.parametrize("name", ["Twice", "Looping", "Deep", "Retried"])
def test_a_site_in_a_loop_or_below_two_calls_makes_many(name: str) -> None:
    assert not sites()[name].once


def test_a_site_in_a_method_that_calls_itself_makes_many() -> None:
    assert not sites()["Recursive"].once


def test_a_site_in_a_thread_that_is_started_makes_many() -> None:
    assert not sites()["Threaded"].once


def test_a_method_that_is_not_known_may_run_often() -> None:
    assert not Executions({}, [], [], []).is_once(("No", "one", "()V"), 0)


def test_a_method_that_nothing_calls_is_executed_at_most_once() -> None:
    hierarchy = java_text(TEXT).hierarchy()
    method = hierarchy.method("Once", "twice", "()V")
    assert method
    pc = code_pcs(method, "new")[0]
    assert Executions({method.key: method}, [], [], []).is_once(method.key, pc)
    assert Executions({method.key: method}, [], [method.key], []).is_once(method.key, pc)
    assert not Executions({method.key: method}, [], [], [method.key]).is_once(method.key, pc)
