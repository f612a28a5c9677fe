"""Systems with any number of threads: what the driver answers, and with how many threads."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import tepui
from support.places import EXAMPLES
from tepui.deciding import Options, open_driver, open_system_driver, verify
from tepui.errors import UsageError
from tepui.limits import Limits
from tepui.model import OpenSystem, Pattern, Property, SystemInstance
from tepui.result import Result

LOCK = EXAMPLES / "any-number" / "recursive-lock.cpds"

CHAIN = """\
initial q0
thread f * any {
    stack a
    q0 | a -> q1 | b
    q1 | a -> q2 | b
    q2 | a -> q3 | b
    q3 | a -> q4 | b
    q4 | a -> q5 | b
}
"""
"""Each thread takes one step, so that five of them are needed for the last state."""

ROOM = """\
initial none
thread f * any {
    stack out
    none | out -> one | in
    one | out -> two | in
    two | in -> one | out
    one | in -> none | out
}
"""

PARITY = """\
initial q
thread f * any {
    stack a
    q | a -> q | a x y
    q | a -> p | -
    p | x -> r | -
    r | y -> p | -
    r | x -> lost | -
}
bad lost | *
"""
"""Below an x there is always a y, which nobody knows who sees the uppermost symbols only."""


def asked(text: str, **options: Any) -> Result:
    model = tepui.loads(text, "cpds")
    assert isinstance(model, OpenSystem)
    return verify(model, options=Options(**options))


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
def test_the_fewest_threads_are_found(threads: int) -> None:
    result = asked(f"{CHAIN}bad q{threads} | *")
    assert (result.verdict, result.checked, result.bound) == ("unsafe", True, threads)
    assert result.threads is not None
    assert (result.threads.counts, result.threads.is_fewest) == ({"f": threads}, True)
    assert result.threads.any_number == ("f",)


def test_those_that_are_named_must_be_there() -> None:
    result = asked(f"{CHAIN}bad q1 | a * 5, *")
    assert result.threads is not None
    assert (result.threads.counts, result.threads.is_fewest) == ({"f": 6}, True)


def test_a_chain_without_its_end_is_safe() -> None:
    result = asked(CHAIN.replace("q4 | a ->", "q4 | - ->") + "bad q5 | *")
    assert (result.verdict, result.checked, result.engine) == ("safe", True, "coverability")
    assert result.threads is not None
    assert (result.threads.counts, result.threads.safe_up_to) == (None, None)
    assert isinstance(result.system, SystemInstance)


@pytest.mark.parametrize("named", [2, 3, 4])
def test_as_many_threads_are_counted_as_are_named(named: int) -> None:
    """There is room for two."""
    result = asked(f"{ROOM}bad * | in * {named}")
    assert (result.verdict, result.checked) == ("unsafe" if named == 2 else "safe", True)


def test_threads_that_recurse_without_end_can_be_safe() -> None:
    result = verify(tepui.load(LOCK))
    assert (result.verdict, result.checked) == ("safe", True)


def test_what_is_seen_of_stacks_may_not_be_enough() -> None:
    result = asked(PARITY)
    assert result.verdict == "unknown"
    assert result.reason == (
        "stacks are too high: the uppermost 16 symbols of them are not enough for a proof; "
        "safe up to 8 threads"
    )
    assert result.threads is not None
    assert result.threads.safe_up_to == 8


def test_with_a_limit_of_time_all_of_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_system_driver, "HEIGHTS", (1,))
    result = asked(PARITY, limits=Limits(timeout=1))
    assert result.stop is not None
    assert result.stop.kind == "time"
    assert "the time limit of 1 s was reached" in result.stop.text
    assert "safe up to" in result.stop.text


def test_there_are_never_more_threads_than_a_system_may_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(open_system_driver, "MAX_THREADS", 6)
    monkeypatch.setattr(open_system_driver, "HEIGHTS", (1,))
    result = asked(PARITY, limits=Limits(timeout=100))
    assert result.reason is not None
    assert "there are never more than 6 threads; safe up to 6 threads" in result.reason


def test_stacks_that_are_high_and_bounded_are_seen_as_a_whole() -> None:
    text = PARITY.replace("q | a -> q | a x y", "q | a -> q1 | a x y\nq1 | a -> q | a x y")
    found = asked(text.replace("q1 | a -> q | a x y", "q1 | a -> p | -"))
    assert (found.verdict, found.checked) == ("safe", True)


def test_two_blocks_with_any_number_are_counted_together() -> None:
    text = (
        "initial q0\nthread f * any {\nstack a\nq0 | a -> q1 | b\n}\n"
        "thread g * any {\nstack c\nq1 | c -> q2 | d\nq2 | c -> q3 | d\n}\n"
    )
    result = asked(f"{text}bad q3 | d of g, d of g, b of f")
    assert result.threads is not None
    assert (result.threads.counts, result.threads.is_fewest) == ({"f": 1, "g": 2}, True)
    assert asked(f"{text}bad q3 | a of f, c of g").verdict == "unsafe"
    assert asked(f"{text}bad q1 | b of f, b of f").verdict == "safe"


def test_a_deadlock_is_asked_of_some_numbers_of_threads() -> None:
    stuck = "initial q\nthread f * any {\nstack a\nq | a -> r | b\n}\nbad deadlock"
    assert asked(stuck).verdict == "unsafe"
    free = "initial q\nthread f * any {\nstack a\nq | a -> q | a\n}\nbad deadlock"
    result = asked(free)
    assert result.verdict == "unknown"
    assert result.reason == (
        "deadlocks are looked for with some numbers of threads only; safe up to 4 threads"
    )
    two = (
        "initial q\nthread f * any {\nstack a\nq | a -> r | b\nr | b -> q | b\nr | a -> s | a\n}\n"
    )
    found = verify(tepui.loads(two, "cpds"), Property(deadlock=True))
    assert (found.verdict, found.checked) == ("unsafe", True)


def test_within_some_contexts_nothing_else_is_asked() -> None:
    assert asked(f"{CHAIN}bad q3 | *", contexts=2).verdict == "bounded"
    found = asked(f"{CHAIN}bad q3 | a, a", contexts=3)
    assert (found.verdict, found.checked, found.bound) == ("unsafe", True, 3)
    deadlock = "initial q\nthread f * any {\nstack a\nq | a -> q | a\n}\nbad deadlock"
    assert asked(deadlock, contexts=2).verdict == "bounded"
    assert asked(f"{CHAIN}bad deadlock\nbad q3 | *", contexts=1).verdict == "unsafe"


def test_what_cannot_be_asked_says_why() -> None:
    model = tepui.loads(f"{CHAIN}bad q3 | *", "cpds")
    with pytest.raises(UsageError, match="a Property cannot name them"):
        verify(model, Property((Pattern(0, (1,)),)))
    with pytest.raises(UsageError, match="asks no question"):
        verify(tepui.loads(CHAIN, "cpds"))
    with pytest.raises(UsageError, match="counted for a fixed number of threads"):
        verify(model, options=Options(engine="delay", rounds=2, delays=0))
    with pytest.raises(UsageError, match="not OpenSystem, which has any number of threads"):
        tepui.explore(model)
    with pytest.raises(UsageError, match="has any number of threads owner"):
        tepui.load_system(LOCK)


def test_a_number_of_threads_can_be_chosen_in_python() -> None:
    fixed = tepui.loads(f"{CHAIN}bad q3 | *", "cpds", threads={"f": 2})
    assert verify(fixed).verdict == "safe"
    with pytest.warns(UserWarning, match="needs more threads than there are now"):
        one = tepui.loads(f"{CHAIN}bad q1 | *, *", "cpds", threads={"f": 1})
    assert verify(one).verdict == "safe"
    assert verify(tepui.loads(f"{CHAIN}bad q1 | *, *", "cpds", threads={"f": 2})).bound == 1


def test_answers_can_be_pickled() -> None:
    for end, verdict in (("q3 | *", "unsafe"), ("q1 | b, b", "safe")):
        result = pickle.loads(pickle.dumps(asked(f"{CHAIN}bad {end}")))
        assert result.verdict == verdict
        assert result.threads.any_number == ("f",)


def test_an_interrupted_run_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(open_system_driver, "cover_system", interrupted)
    result = asked(PARITY)
    assert (result.verdict, result.interrupted) == ("unknown", True)
    assert result.reason is not None
    assert "interrupted" in result.reason


def test_turns_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_system_driver, "_LONGEST", 1)
    monkeypatch.setattr(open_driver, "STAGES", 6)
    result = asked(PARITY)
    assert result.threads is not None
    assert result.threads.safe_up_to == 8
