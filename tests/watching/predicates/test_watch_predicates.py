"""Predicates of one's own: the examples of DrUBA, what the solver says, violations, limits."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from support.samples.predicate_programs import (
    ALPHA_1,
    ALPHA_2,
    ALPHA_3,
    NATURAL,
    P_1_TO_P_4,
    PROGRAM_P,
    TICKET_LOCK,
    WITH_COUNTS,
)
from tepui.api import loads
from tepui.errors import UsageError
from tepui.limits import Limits
from tepui.program.program import Program
from tepui.program.questions import deadlock, never_together, unreachable
from tepui.watching.predicates import watch_predicates as module
from tepui.watching.predicates.predicate_result import PredicateResult, StatementAnswer
from tepui.watching.predicates.watch_predicates import watch_predicates

needs_solver = pytest.mark.skipif(find_spec("cvc5") is None, reason="cvc5 is not installed")


def _program(text: str, **threads: int) -> Program:
    found = loads(text, "bp", threads=threads)
    assert isinstance(found, Program)
    return found


def _answer(seen: PredicateResult, by: str, text: str) -> StatementAnswer:
    (found,) = [each for each in seen.statements if each.by == by and text in each.text]
    return found


def _with(seen: PredicateResult, word: str, value: str) -> set[tuple[str, str]]:
    return {(each.by, each.text) for each in seen.statements if getattr(each, word) == value}


@needs_solver
def test_first_attempt_only_the_if_and_steps_of_others_disrespect_the_abstraction() -> None:
    """The paper has the `if` alone. It asks about the thread that it watches, which here is one of
    two positions; and it has 7 abstract states, which do not agree with its own words."""
    seen = watch_predicates(_program(PROGRAM_P, p=2), ALPHA_1)
    assert (seen.verdict, seen.closed, len(seen.abstract_states)) == ("plateau", "no", 8)
    assert _with(seen, "respects", "no") == {
        ("watched", "if (m = 1)"),
        ("other", "s, l := s + 1, l + 1"),
    }
    escape = _answer(seen, "watched", "if")
    assert escape.before is not None
    assert escape.after is not None
    assert (escape.before.values, escape.after.values) == ((False,), (False,))
    assert (escape.before.place, escape.after.place) == ("p:7 (1)", "p:8 (2)")


@needs_solver
def test_second_attempt_has_12_abstract_states_closed_under_all_steps_of_the_watched_thread() -> (
    None
):
    """As in the paper, only `m++` disrespects the abstraction among these, and the set is closed
    under it. Steps of the other thread leave it."""
    seen = watch_predicates(_program(PROGRAM_P, p=2), ALPHA_2)
    assert len(seen.abstract_states) == 12
    own = [each for each in seen.statements if each.by == "watched"]
    assert [each.text for each in own if each.respects == "no"] == ["m := m + 1"]
    assert {each.closed for each in own} == {"yes"}
    assert _with(seen, "closed", "no") == {
        ("other", "m := m + 1"),
        ("other", "s, l := s + 1, l + 1"),
    }
    (observed,) = seen.observations
    assert (observed.rounds, observed.delays) == (6, 4)


@needs_solver
def test_second_attempt_with_three_threads_is_not_closed() -> None:
    seen = watch_predicates(_program(PROGRAM_P, p=3), ALPHA_2)
    assert len(seen.abstract_states) == 13
    assert _answer(seen, "watched", "m := m + 1").closed == "no"


@needs_solver
def test_third_attempt_has_14_abstract_states_and_line_2_of_others_leaves_them() -> None:
    """The paper reports them as closed, since all actions respect the abstraction. Steps of passive
    threads do not, and the set is not closed."""
    seen = watch_predicates(_program(PROGRAM_P), [*ALPHA_3, NATURAL])
    assert [each.abstract_states for each in seen.observations] == [4, 12, 14, 14]
    assert [(each.rounds, each.delays) for each in seen.observations][2:] == [(8, 7), (9, 10)]
    assert (seen.verdict, seen.closed, seen.proved) == ("plateau", "no", False)
    assert _with(seen, "closed", "no") == {("other", "s, l := s + 1, l + 1")}
    leaving = _answer(seen, "other", "s, l")
    assert leaving.respects == "no"
    assert leaving.before is not None
    assert leaving.after is not None
    assert leaving.before in seen.abstract_states
    assert leaving.after not in seen.abstract_states
    assert (leaving.before.values[0], leaving.after.values[0]) == (True, False)


@needs_solver
def test_without_natural_numbers_the_count_leaves_the_14_as_well() -> None:
    """From m = -1 to m = 0: predicates are about all integers, unless they say more."""
    seen = watch_predicates(_program(PROGRAM_P), ALPHA_3)
    assert len(seen.abstract_states) == 14
    assert _answer(seen, "watched", "m := m + 1").closed == "no"


@needs_solver
def test_counts_prove_program_p_for_any_number_of_threads() -> None:
    seen = watch_predicates(_program(PROGRAM_P), WITH_COUNTS)
    assert (seen.verdict, len(seen.abstract_states)) == ("closed", 14)
    assert [each.proved for each in seen.questions] == ["yes"]
    assert seen.proved


@needs_solver
@pytest.mark.parametrize("without", [3, len(WITH_COUNTS) - 1])
def test_these_predicates_are_needed_for_program_p(without: int) -> None:
    predicates = [*WITH_COUNTS[:without], *WITH_COUNTS[without + 1 :]]
    assert not watch_predicates(_program(PROGRAM_P), predicates).proved


@needs_solver
def test_the_ticket_lock_has_four_abstract_states_and_is_closed() -> None:
    program = _program(TICKET_LOCK)
    asked = [never_together(program, "1", "1")]
    seen = watch_predicates(program, P_1_TO_P_4, asked)
    assert [each.abstract_states for each in seen.observations] == [3, 4, 4]
    assert (seen.verdict, seen.proved) == ("closed", True)
    assert {each.text for each in seen.statements if each.after is not None} == {"wait(s = l)"}


@needs_solver
def test_the_ticket_lock_is_not_closed_without_the_fourth_predicate() -> None:
    program = _program(TICKET_LOCK)
    seen = watch_predicates(program, P_1_TO_P_4[:3], [never_together(program, "1", "1")])
    assert (seen.verdict, seen.closed, seen.proved) == ("plateau", "no", False)


@needs_solver
def test_a_ticket_lock_whose_tickets_are_not_drawn_at_once_is_violated() -> None:
    text = TICKET_LOCK.replace("draw:   l, t := t, t + 1;", "draw: l := t;\nadd: t := l + 1;")
    program = _program(text)
    seen = watch_predicates(program, ["s = l"], [never_together(program, "1", "1")])
    assert seen.verdict == "violation"
    assert seen.violated == "line 1 and line 1 can be reached together"
    assert seen.observations[-1].threads == {"customer": 2}
    assert seen.run[0].startswith("customer.")
    assert not seen.proved


def test_a_violated_assertion_ends_the_run_with_its_steps() -> None:
    seen = watch_predicates(_program("decl x; void main() { x := 1; assert(!x); }"), ["x"])
    assert (seen.verdict, seen.violated) == (
        "violation",
        "assert(!x) at <text>:1 can be violated",
    )
    assert [step.split("  ")[1] for step in seen.run] == ["x := 1", "assert(!x)"]


@needs_solver
def test_places_are_asked_about() -> None:
    program = _program("decl x; void main() { x := 1; L: x := 0; if (x) { M: x := 1; } }")
    seen = watch_predicates(program, [], [unreachable(program, "M")])
    assert (seen.verdict, seen.closed) == ("plateau", "no")
    seen = watch_predicates(program, ["x"], [unreachable(program, "M"), unreachable(program, "L")])
    assert seen.verdict == "violation"
    seen = watch_predicates(program, ["x"], [unreachable(program, "M")])
    assert (seen.verdict, seen.proved) == ("closed", True)


@needs_solver
def test_more_threads_may_be_tried_past_a_plateau_that_is_not_closed() -> None:
    seen = watch_predicates(_program(PROGRAM_P), ALPHA_3, most_threads=5)
    assert [sum(each.threads.values()) for each in seen.observations] == [1, 2, 3, 4, 5]
    assert (seen.verdict, seen.closed) == ("plateau", "no")


def test_a_limit_of_rounds_ends_a_run() -> None:
    seen = watch_predicates(_program(PROGRAM_P, p=2), ALPHA_2, rounds=3)
    assert (seen.verdict, seen.reason) == ("stopped", "the limit of 3 rounds was reached")
    assert 0 < len(seen.abstract_states) < 12


def test_a_limit_of_time_ends_a_run() -> None:
    predicates = [f"s = l + {number}" for number in range(300)]
    seen = watch_predicates(_program(PROGRAM_P, p=4), predicates, limits=Limits(timeout=0.4))
    assert (seen.verdict, seen.closed) == ("stopped", "unknown")


def test_without_the_solver_closure_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    seen = watch_predicates(_program(PROGRAM_P, p=2), ALPHA_2)
    assert (seen.verdict, seen.closed, seen.statements) == ("plateau", "unknown", [])
    assert "pip install 'tepui[smt]'" in seen.notes[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("void f() { f(); } void main() { f(); }", "recursion"),
        ("void main() { decl t: thread; t := async main(); }", "forked or joined"),
        (
            "decl x; void main() { atomic { while (x) { x := *; } } }",
            "a loop inside an atomic section",
        ),
    ],
)
def test_what_is_not_understood_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        watch_predicates(_program(text), [])


def test_the_watched_type_is_the_one_that_has_the_variables() -> None:
    text = """
void f() { decl a := 0; a := 1; } void g() { decl b := 0; b := 1; }
void main() { thread_create(f, 1); thread_create(g, 1); }
"""
    assert watch_predicates(_program(text), ["b"]).watched == "g"
    assert watch_predicates(_program(text), [], watched="f").watched == "f"
    with pytest.raises(UsageError, match="threads of several types"):
        watch_predicates(_program(text), [])
    with pytest.raises(UsageError, match="no threads of a type h"):
        watch_predicates(_program(text), [], watched="h")


def test_races_and_deadlocks_are_not_asked_of_predicates() -> None:
    program = _program(PROGRAM_P, p=2)
    with pytest.raises(UsageError, match="ask about assertions and places only"):
        watch_predicates(program, [], [deadlock()])
