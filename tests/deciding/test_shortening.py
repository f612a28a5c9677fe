"""Traces of engines that do not look for the fewest contexts are shortened before they are shown.

`test_shortening_random` compares with brute force.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

import pytest

import tepui
from support.samples.delays import read
from support.samples.evidence import run, system_of, thread
from support.samples.hasty import HASTY
from support.samples.rings import ring
from tepui.checker import Trace, check
from tepui.deciding import Options, shortening, verify
from tepui.deciding.algorithm3 import Shared
from tepui.deciding.fewer_contexts import Effort, with_fewer_contexts
from tepui.engines.registry import engine_kinds, registered
from tepui.model import Pattern, Property, System
from tepui.report.bounds import taken_text
from tepui.subject import about

PLENTY = 50_000


def shorter(system: System, trace: Trace, bad: Property, effort: int = PLENTY) -> Trace:
    found = with_fewer_contexts(system, trace, bad, Effort(effort))
    check(system, bad, found)
    return found


def alternating(steps: int, threads: int = 2) -> tuple[System, Property, Trace]:
    """Threads that each take some steps of their own, in turns; bad is where all have ended."""
    rules = [f"q|s{number} -> q|s{number + 1}" for number in range(steps)]
    own = thread("s0", *rules)
    system = system_of("q", *(replace(own, name=f"T{who}") for who in range(threads)))
    last = system.templates[0].rules[-1].word[0]
    bad = Property((Pattern(None, (last,) * threads),))
    turns = [(who, 0) for _ in range(steps) for who in range(threads)]
    return system, bad, run(system, *turns)


def test_eight_philosophers_deadlock_in_eight_contexts() -> None:
    system = read(ring(8, 5))
    delayed = verify(system, options=Options(engine="delay"))
    assert delayed.trace is not None
    assert (delayed.trace.contexts, delayed.resource, delayed.bound_is_fewest) == (
        48,
        "delays",
        True,
    )
    result = verify(system)
    assert result.trace is not None
    assert (result.engine, result.resource, result.bound) == ("delay", "contexts", 8)
    assert (result.trace.contexts, result.trace.schedule, result.checked) == (8, None, True)
    assert not result.bound_is_fewest
    assert taken_text(result) == "8 contexts, which may not be the fewest"


def test_few_contexts_are_known_to_be_the_fewest() -> None:
    with registered(HASTY):
        result = verify(read(ring(3, 2)), options=Options(engine=HASTY.name))
    assert (result.verdict, result.bound, result.bound_is_fewest) == ("unsafe", 3, True)
    assert taken_text(result) == "3 contexts"


def test_engines_that_count_contexts_know_the_fewest() -> None:
    for kind in engine_kinds():
        result = verify(read(ring(3, 1)), options=Options(engine=kind.name))
        assert (result.verdict, result.bound_is_fewest) == ("unsafe", True), kind.name
        if kind.knows_fewest_contexts:
            assert result.knows_fewest_contexts
            assert result.bound == 3


def test_other_answers_have_no_fewest_bound() -> None:
    bounded = verify(read(ring(3, 1)), options=Options(contexts=2))
    assert (bounded.verdict, bounded.bound_is_fewest) == ("bounded", False)


def test_threads_that_take_turns_get_one_context_each() -> None:
    for threads in (2, 3, 5):
        system, bad, trace = alternating(6, threads)
        assert trace.contexts == 6 * threads
        found = shorter(system, trace, bad)
        assert (found.contexts, len(found.steps)) == (threads, 6 * threads)


def test_a_long_trace_is_shortened_with_a_window() -> None:
    system, bad, trace = alternating(300, 3)
    found = shorter(system, trace, bad, 20_000)
    assert found.contexts < trace.contexts / 4


def test_a_trace_that_needs_many_contexts_is_shortened_with_a_window() -> None:
    """Two threads wait for each other again and again, and a third one has its turn in between."""
    rounds = 40
    ping = thread("a0", *(f"p|a{n} -> q|a{n + 1}" for n in range(rounds)))
    pong = thread("b0", *(f"q|b{n} -> p|b{n + 1}" for n in range(rounds)))
    other = thread("c0", *(f"p|c{n} -> p|c{n + 1}" for n in range(rounds)))
    system = system_of("p", ping, pong, other)
    trace = run(system, *[(who, 0) for _ in range(rounds) for who in range(3)])
    bad = Property((Pattern(None, tuple(stack[0] for stack in trace.end[1])),))
    assert trace.contexts == 3 * rounds
    assert shorter(system, trace, bad, 1_000).contexts < 3 * rounds
    assert shorter(system, trace, bad, 200_000).contexts == 2 * rounds + 1


def test_without_work_a_trace_stays_as_it_is() -> None:
    system, bad, trace = alternating(5)
    assert shorter(system, trace, bad, 0).contexts == trace.contexts


def test_what_leads_back_to_a_state_is_left_out() -> None:
    system = system_of("q", thread("a", "q|a -> q|b", "q|b -> q|a", "q|b -> q|c"))
    choices = [(0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 1)]
    bad = Property((Pattern(None, (3,)),))
    trace = run(system, *choices)
    check(system, bad, trace)
    for effort in (0, PLENTY):
        assert len(shorter(system, trace, bad, effort).steps) == 2


def test_a_context_is_a_shortest_run_of_its_thread() -> None:
    slow = ["q|a -> q|b", "q|b -> q|c", "q|c -> q|d"]
    system = system_of("q", thread("a", *slow, "q|a -> q|d"))
    bad = Property((Pattern(None, (4,)),))
    trace = run(system, (0, 0), (0, 0), (0, 0))
    check(system, bad, trace)
    assert len(shorter(system, trace, bad).steps) == 1


def test_a_trace_ends_in_the_first_bad_state() -> None:
    system = system_of("q", thread("a", "q|a -> q|b", count=2))
    bad = Property((Pattern(None, (2, None)),))
    trace = run(system, (0, 0), (1, 0))
    assert [step.thread for step in shorter(system, trace, bad, 0).steps] == [0]
    initial = Property((Pattern(None, (1, None)),))
    assert len(shorter(system, replace(trace, steps=trace.steps), initial).steps) == 0


def test_a_deadlock_may_come_earlier() -> None:
    system = system_of("q", thread("a", "q|a -> q|-"), thread("b", "q|b -> q|-", "q|b -> r|b"))
    found = shorter(system, run(system, (0, 0), (1, 1)), Property(deadlock=True))
    assert [step.thread for step in found.steps] == [1]


def test_where_all_threads_have_ended_there_is_no_deadlock() -> None:
    """The first thread could also end without waking the other one, which has ended before."""
    other = thread("b", "q|b -> q|-", "r|- -> r|c", "r|b -> r|b")
    system = system_of("q", thread("a", "q|a -> r|-", "q|a -> q|-"), other)
    found = shorter(system, run(system, (1, 0), (0, 0), (1, 0)), Property(deadlock=True))
    assert found.contexts == 3


def test_an_engine_finds_what_is_not_near_the_trace() -> None:
    """The trace does not have the stack by which the first thread needs no help."""
    alone = ("q|a -> q|d", "q|d -> q|c")
    system = system_of(
        "q", thread("a", "q|a -> q|b", "r|b -> r|c", *alone), thread("x", "q|x -> r|x")
    )
    symbols = system.templates[0].symbols
    bad = Property((Pattern(None, (symbols.index("c"), None)),))
    trace = run(system, (0, 0), (1, 0), (0, 0))
    assert shorter(system, trace, bad).contexts == 3
    known = shortening.shortened(Shared(about(system), Options()), trace, bad)
    check(system, bad, known.trace)
    assert (known.trace.contexts, known.is_fewest) == (1, True)


def test_a_trace_that_is_too_long_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortening, "MOST_STEPS", 10)
    monkeypatch.setattr(shortening, "WORK", 0)
    system, bad, trace = alternating(5)
    known = shortening.shortened(Shared(about(system), Options()), trace, bad)
    assert known.trace is trace
    assert not known.is_fewest


def test_an_interruption_while_a_trace_is_shortened_keeps_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(shortening, "with_fewer_contexts", interrupt)
    with registered(HASTY):
        result = verify(read(ring(3, 2)), options=Options(engine=HASTY.name))
    assert (result.verdict, result.bound, result.bound_is_fewest) == ("unsafe", 9, False)
    assert not result.checked


FORKS = """
decl x := 0, y := 0;
void w() { x := 1; }
void main() {
    while (*) { async w(); y := 1; y := 0; y := 1; y := 0; y := 1; y := 0; }
    assert(!x);
}
"""
"""The assertion takes three contexts, and in one context the slots run out."""


@pytest.mark.parametrize("fusion", [True, False])
def test_a_violation_does_not_turn_into_a_lack_of_slots(fusion: bool) -> None:
    with registered(HASTY):
        options = Options(engine=HASTY.name, fusion=fusion)
        result = verify(tepui.loads(FORKS, "bp"), options=options)
    assert (result.verdict, result.bound, result.checked) == ("unsafe", 3, True)
    # With more slots, there might be one with fewer contexts.
    assert not result.bound_is_fewest


def test_every_shortened_context_is_one_block() -> None:
    system = read(ring(4, 2))
    with registered(HASTY):
        result = verify(system, options=Options(engine=HASTY.name))
    assert result.trace is not None
    blocks = [who for who, _ in groupby(step.thread for step in result.trace.steps)]
    assert len(blocks) == result.bound == 4
