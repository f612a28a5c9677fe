"""Cycles of threads that wait for each other."""

from __future__ import annotations

from tepui.subject.deadlock.explanation import (
    Chance,
    Deadlock,
    EndedThread,
    Need,
    Place,
    Seen,
    Written,
)
from tepui.subject.deadlock.wait_cycle import explained, shortest_cycle

HERE = Place(None, "", "here")


def stuck(name: str, *able: str, holds: str = "", named: str = "") -> EndedThread:
    written = (Written("x", holds, 1, 1, HERE),) if holds else ()
    values = (Seen("owner", named),) if named else ()
    chances = tuple(Chance(other, HERE) for other in able)
    need = Need("condition", "x", HERE, values, written, chances)
    return EndedThread(name, "stuck", HERE, needs=(need,))


def test_the_shortest_cycle_is_found() -> None:
    edges = {"a": ["b"], "b": ["c", "d"], "c": ["a"], "d": ["b"]}
    assert shortest_cycle(edges) == ("b", "d")
    assert shortest_cycle({"a": ["b"], "b": ["b"]}) == ("b",)
    assert shortest_cycle({"a": ["b", "c"], "b": ["c"], "c": []}) == ()
    assert shortest_cycle({}) == ()


def test_a_thread_waits_for_those_that_hold_what_it_needs() -> None:
    threads = [stuck("a", "b", "c", holds="c"), stuck("b", "a", "c", named="a"), stuck("c")]
    told = explained(threads)
    assert [thread.waits_for for thread in told.threads] == [("c",), ("a",), ()]
    assert told.cycle == ()


def test_a_thread_waits_for_all_that_could_help_if_nobody_of_them_holds_it() -> None:
    threads = [stuck("a", "b", "c", holds="z"), stuck("b", "a"), stuck("c")]
    told = explained(threads)
    assert told.threads[0].waits_for == ("b", "c")
    assert told.sentence == "a waits for b, which waits for a"


def test_a_cycle_is_a_sentence() -> None:
    assert Deadlock((), ("a", "b", "c")).sentence == (
        "a waits for b, which waits for c, which waits for a"
    )
    assert Deadlock((), ("a",)).sentence == "a waits for itself"
    assert Deadlock(()).sentence == ""
