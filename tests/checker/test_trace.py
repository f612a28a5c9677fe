"""The checker on traces: what is right is accepted, and everything that is not is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.samples.evidence import figure_4, run, system_of, thread
from tepui.checker import Trace, TraceStep, check
from tepui.errors import EvidenceError
from tepui.model import EPSILON, Pattern, Property, Rule, System

SYSTEM = figure_4()
BAD = Property((Pattern(3, (2, 1)),))
"""⟨q3 | 2, 4⟩: after one step of P1 and two of P2."""
TRACE = run(SYSTEM, (0, 0), (1, 0), (1, 0))


def rejects(system: System, asked: Property, trace: Trace, *words: str) -> None:
    with pytest.raises(EvidenceError) as caught:
        check(system, asked, trace)
    for word in words:
        assert word in str(caught.value)


def with_step(number: int, step: TraceStep) -> Trace:
    steps = list(TRACE.steps)
    steps[number] = step
    return replace(TRACE, steps=tuple(steps))


def test_a_run_into_a_bad_state_is_accepted() -> None:
    assert TRACE.contexts == 2
    check(SYSTEM, BAD, TRACE)


def test_a_wildcard_matches_whatever_is_there() -> None:
    check(SYSTEM, Property((Pattern(None, (None, 1)),)), TRACE)
    check(SYSTEM, Property((Pattern(3, (None, None)),)), TRACE)
    check(SYSTEM, Property((Pattern(None, (None, None)),)), TRACE)


def test_no_steps_are_enough_if_the_initial_state_is_bad() -> None:
    check(SYSTEM, Property((Pattern(0, (1, 1)),)), run(SYSTEM))
    rejects(SYSTEM, BAD, run(SYSTEM), "q0 | 1, 4", "not bad")


def test_another_initial_state_is_rejected() -> None:
    rejects(SYSTEM, BAD, replace(TRACE, initial_shared=1), "starts in «q1 | 1, 4»", "«q0 | 1, 4»")
    rejects(SYSTEM, BAD, replace(TRACE, initial_stacks=((1,), ())), "starts in «q0 | 1, -»")
    rejects(SYSTEM, BAD, replace(TRACE, initial_stacks=((1,), (1,), (1,))), "«q0 | 1, 4, #1»")
    rejects(SYSTEM, BAD, replace(TRACE, initial_shared=77), "#77")


@pytest.mark.parametrize("number", [-1, -2, 2, 10**30])
def test_a_thread_that_does_not_exist_is_rejected(number: int) -> None:
    wrong = with_step(0, replace(TRACE.steps[0], thread=number))
    rejects(SYSTEM, BAD, wrong, "step 1", f"thread #{number}")


def test_a_step_by_the_wrong_thread_is_rejected() -> None:
    wrong = with_step(0, replace(TRACE.steps[0], thread=1))
    rejects(SYSTEM, BAD, wrong, "step 1", "no rule of thread P2")


def test_a_rule_that_the_thread_does_not_have_is_rejected() -> None:
    invented = Rule(1, 1, 3, (2, 3))
    wrong = with_step(1, replace(TRACE.steps[1], rule=invented))
    rejects(SYSTEM, BAD, wrong, "step 2", "⟨q1|4⟩ → ⟨q3|5 6⟩", "no rule of thread P2")
    unnamed = with_step(1, replace(TRACE.steps[1], rule=Rule(-5, 90, 3, (91,))))
    rejects(SYSTEM, BAD, unnamed, "⟨#-5|#90⟩ → ⟨q3|#91⟩")


def test_a_rule_that_is_not_enabled_is_rejected() -> None:
    wrong_shared = replace(TRACE, steps=TRACE.steps[1:])
    rejects(SYSTEM, BAD, wrong_shared, "step 1", "not enabled in «q0 | 1, 4»")
    system = system_of("q", thread("a b", "q|a -> q|-", "q|- -> q|b"))
    empty_rule = system.templates[0].rules[1]
    on_a_full_stack = TraceStep(0, empty_rule, 0, ((2, 1, 2),))
    wrong = Trace(0, ((1, 2),), (on_a_full_stack,), 1)
    rejects(system, Property((Pattern(None, (2,)),)), wrong, "⟨q|-⟩ → ⟨q|b⟩", "not enabled")


def test_a_pop_rule_is_not_enabled_on_the_empty_stack() -> None:
    system = system_of("q", thread("a", "q|a -> q|-"))
    pop = TraceStep(0, system.templates[0].rules[0], 0, ((),))
    empty = Property((Pattern(None, (EPSILON,)),))
    check(system, empty, Trace(0, ((1,),), (pop,), 1))
    rejects(system, empty, Trace(0, ((1,),), (pop, pop), 1), "step 2", "not enabled in «q | -»")


def test_a_state_that_the_rule_does_not_give_is_rejected() -> None:
    last = TRACE.steps[2]
    for wrong in (
        replace(last, shared=2),
        replace(last, shared=-1),
        replace(last, stacks=((2,), (1,))),
        replace(last, stacks=((2,), (3, 1))),
        replace(last, stacks=((1,), (1, 3))),
        replace(last, stacks=((2,), (1, 3), ())),
        replace(last, stacks=()),
    ):
        rejects(SYSTEM, BAD, with_step(2, wrong), "step 3 leads to «q3 | 2, 4 6»", "but")


@pytest.mark.parametrize("contexts", [-1, 0, 1, 3])
def test_a_wrong_number_of_contexts_is_rejected(contexts: int) -> None:
    rejects(SYSTEM, BAD, replace(TRACE, contexts=contexts), f"claims {contexts} contexts", "has 2")


def test_contexts_are_blocks_of_steps_and_no_steps_are_none() -> None:
    system = system_of("q", thread("a", "q|a -> q|a", count=2))
    every = Property((Pattern(None, (None, None)),))
    for choices, contexts in [("", 0), ("0", 1), ("000", 1), ("0110", 3), ("0101", 4)]:
        trace = run(system, *((int(number), 0) for number in choices))
        check(system, every, replace(trace, contexts=contexts))
        rejects(system, every, replace(trace, contexts=contexts + 1), "contexts")


def test_a_run_that_only_passes_through_a_bad_state_is_rejected() -> None:
    passing = Property((Pattern(2, (None, None)),))
    check(SYSTEM, passing, run(SYSTEM, (0, 0), (1, 0)))
    rejects(SYSTEM, passing, TRACE, "ends in «q3 | 2, 4 6»", "not bad")


def test_an_empty_property_has_no_traces() -> None:
    rejects(SYSTEM, Property(), TRACE, "not bad")


def test_a_pattern_is_not_permuted_for_a_trace() -> None:
    system = system_of("q", thread("a", "q|a -> q|b", count=2))
    trace = run(system, (0, 0))
    check(system, Property((Pattern(None, (2, 1)),)), trace)
    rejects(system, Property((Pattern(None, (1, 2)),)), trace, "not bad")


def test_epsilon_in_a_pattern_matches_only_the_empty_stack() -> None:
    empty = Property((Pattern(0, (None, EPSILON)),))
    check(SYSTEM, empty, run(SYSTEM, (1, 0)))
    rejects(SYSTEM, empty, run(SYSTEM), "not bad")


def test_a_pattern_of_the_wrong_length_is_rejected() -> None:
    rejects(SYSTEM, Property((Pattern(None, (None,)),)), TRACE, "1 threads", "has 2")


def test_a_deadlock_has_a_stack_that_is_not_empty_and_no_enabled_rule() -> None:
    deadlock = Property(deadlock=True)
    stuck = system_of("q", thread("a", "q|a -> q|-"), thread("b", "r|b -> q|b"))
    check(stuck, deadlock, run(stuck, (0, 0)))
    rejects(stuck, deadlock, run(stuck), "not bad")
    ended = system_of("q", thread("a", "q|a -> q|-"))
    rejects(ended, deadlock, run(ended, (0, 0)), "not bad")
    woken = system_of("q", thread("a", "q|a -> q|-", "q|- -> q|a"), thread("b", "r|b -> q|b"))
    rejects(woken, deadlock, run(woken, (0, 0)), "not bad")


def test_words_of_three_symbols_and_rules_on_the_empty_stack_are_replayed() -> None:
    system = system_of(
        "q", thread("a b", "q|a -> q|c c a", "q|c -> r|-", "r|c -> r|-", "q|b -> q|-", "q|- -> q|b")
    )
    trace = run(system, (0, 0), (0, 0), (0, 0))
    assert trace.steps[0].stacks == ((3, 3, 1, 2),)
    assert trace.steps[2].stacks == ((1, 2),)
    check(system, Property((Pattern(1, (1,)),)), trace)
    empty = system_of("q", thread("", "q|- -> q|b b b"))
    check(empty, Property((Pattern(None, (1,)),)), run(empty, (0, 0)))
