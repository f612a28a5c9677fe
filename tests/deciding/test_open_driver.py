"""Any number of threads, and integers without bounds: instances and provers in turn."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

import tepui
from support.samples.integer_programs import BROKEN_TICKETS
from tepui.deciding import Options, open_driver, provers
from tepui.deciding.evidence_check import checked
from tepui.deciding.provers import GaveUp, Outcome, Violated
from tepui.errors import UsageError
from tepui.limits import Limits, Meter
from tepui.program.passes.instances import Instance, instance, within
from tepui.result import Result

SPIN = """\
decl lock := 0;
decl busy := 0;
void worker() {
    while (1) {
        atomic { wait(!lock); lock := 1; }
        assert(!busy);
        busy := 1;
        busy := 0;
        lock := 0;
    }
}
void main() { thread_create(worker, *); }
"""

BROKEN = SPIN.replace("atomic { wait(!lock); lock := 1; }", "wait(!lock); lock := 1;")

THREE = """\
decl inside: int 0..3 := 0;
void worker() {
    atomic { inside := inside + 1; }
    assert(inside < 3);
    skip;
}
void main() { thread_create(worker, *); }
"""


def result_of(text: str, **options: object) -> Result:
    program = tepui.loads(text, "bp")
    return tepui.verify(program, options=Options(**options))  # type: ignore[arg-type]


def test_a_lock_is_safe_for_any_number_of_threads() -> None:
    result = result_of(SPIN)
    assert (result.verdict, result.checked, result.engine) == ("safe", True, "coverability")
    assert result.threads is not None
    assert result.threads.any_number == ("worker",)
    assert "for any number of contexts and of threads worker" in str(result)


def test_a_violation_has_the_fewest_threads_and_then_the_fewest_contexts() -> None:
    result = result_of(BROKEN)
    assert (result.verdict, result.bound, result.checked) == ("unsafe", 3, True)
    assert result.threads is not None
    assert (result.threads.counts, result.threads.is_fewest) == ({"worker": 2}, True)
    assert isinstance(result.subject.program, Instance)


def test_a_violation_that_takes_three_threads_is_not_found_with_two() -> None:
    result = result_of(THREE)
    assert result.threads is not None
    assert (result.bound, result.threads.counts) == (3, {"worker": 3})
    assert "with 3 contexts and 3 threads worker" in str(result)


def test_integers_without_bounds_are_explored_in_growing_sets() -> None:
    result = result_of(BROKEN_TICKETS)
    assert (result.verdict, result.bound, result.checked) == ("unsafe", 3, True)
    assert result.threads is not None
    assert (result.threads.counts, result.threads.is_fewest) == ({"customer": 2}, False)
    assert "with 3 contexts, which may not be the fewest, and 2 threads customer" in str(result)
    assert any("fewer threads may be enough" in note for note in result.notes)


def test_within_k_contexts_k_threads_are_enough() -> None:
    result = result_of(BROKEN, contexts=2)
    assert (result.verdict, result.bound) == ("bounded", 2)
    assert result_of(BROKEN, contexts=3).verdict == "unsafe"
    assert result_of(SPIN, contexts=4).verdict == "bounded"


def test_integers_beyond_what_was_explored_are_unknown_within_a_bound() -> None:
    result = result_of(BROKEN_TICKETS, contexts=1)
    assert result.verdict == "unknown"
    assert "only integers from -33 to 33 were explored" in (result.reason or "")


PLACES = """\
decl g := 0;
void worker() { A: g := 1; B: skip; }
void main() { thread_create(worker, *); }
"""


@pytest.mark.parametrize(
    ("left", "right", "contexts", "verdict"),
    [("A", "A", 0, "unsafe"), ("A", "B", 1, "unsafe"), ("B", "B", 1, "bounded")],
)
def test_within_k_contexts_two_more_threads_may_be_where_they_began(
    left: str, right: str, contexts: int, verdict: str
) -> None:
    program = tepui.loads(PLACES, "bp")
    question = tepui.never_together(program, left, right)
    assert tepui.verify(program, question, options=Options(contexts=contexts)).verdict == verdict


def test_within_no_context_two_threads_race() -> None:
    program = tepui.loads(PLACES, "bp")
    assert (
        tepui.verify(program, tepui.races(program), options=Options(contexts=0)).verdict == "unsafe"
    )


def test_within_k_contexts_fewer_than_k_threads_may_be_stuck() -> None:
    text = """\
decl come: int 0..7 saturate := 0;
void worker() { come := come + 1; wait(come >= 2); }
void main() { thread_create(worker, *); }
"""
    result = tepui.verify(tepui.loads(text, "bp"), tepui.deadlock(), options=Options(contexts=2))
    assert (result.verdict, result.bound, result.checked) == ("unsafe", 1, True)


COUNTING = """\
decl n: int := 0;
void worker() { while (1) { n := n + 1; assert(n < 6); } }
void main() { thread_create(worker, 2); }
"""


def test_no_deadlock_is_where_a_number_leaves_what_was_explored() -> None:
    program = tepui.loads(COUNTING, "bp")
    for contexts in (None, 2):
        result = tepui.verify(program, tepui.deadlock(), options=Options(contexts=contexts))
        assert result.verdict == "unknown"
        assert result.reason == "deadlocks are not looked for among integers without bounds"


def test_other_questions_are_answered_besides_a_deadlock_among_integers() -> None:
    program = tepui.loads(COUNTING, "bp")
    questions = [tepui.deadlock(), *tepui.assertions(program)]
    result = tepui.verify(program, questions)
    assert (result.verdict, result.checked, len(result.questions)) == ("unsafe", True, 2)
    verdicts = [answer.result.verdict for answer in tepui.verify_all(program, questions)]
    assert verdicts == ["unknown", "unsafe"]


def test_larger_integers_may_need_fewer_contexts() -> None:
    text = """\
decl s: int 0..2 := 0;
void left() {
    decl n: int := 7;
    if (*) { n := n * n; n := n * n; assert(0); }
    s := 1;
    wait(s = 2);
    assert(0);
}
void right() { wait(s = 1); s := 2; }
void main() { thread_create(left); thread_create(right); }
"""
    result = result_of(text)
    assert (result.verdict, result.bound, result.bound_is_fewest) == ("unsafe", 3, False)
    assert any("only integers from -9 to 9 were explored" in note for note in result.notes)


def test_integers_do_not_grow_beyond_what_is_computed_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(open_driver, "provers_for", lambda program, bad, patient: [_GivesUp()])
    text = "decl n: int := 1; void main() { n := n * n * n; assert(n = 1); }"
    result = result_of(text, limits=Limits(timeout=100))
    assert (result.verdict, result.reason) == ("unknown", "nothing worked")


def test_integers_that_are_soon_explored_do_not_wait_for_proofs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prover = _Thinks()
    monkeypatch.setattr(open_driver, "provers_for", lambda program, bad, patient: [prover])
    result = result_of("decl n: int := 0; void main() { while (n < 1500) n++; assert(n < 1500); }")
    assert (result.verdict, result.checked) == ("unsafe", True)
    assert prover.turns < 8


def test_a_check_that_succeeds_later_leaves_no_note_of_the_first_one() -> None:
    text = "unchecked: the time limit was reached first"
    first = replace(result_of(BROKEN), checked=False).with_note("check", text)
    later = checked(first, Meter(Limits()), Options())
    assert later.checked
    assert text not in later.notes


@pytest.mark.parametrize("initial", [2**63 - 1, 2**64 - 1, -(2**63)])
def test_an_integer_may_begin_where_variables_end(initial: int) -> None:
    text = f"decl n: int := {initial}; void main() {{ n := n / 2; assert(0); }}"
    assert result_of(text).verdict == "unsafe"


def test_without_a_proof_the_reason_says_up_to_how_many_threads_it_is_safe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(open_driver, "provers_for", lambda program, bad, patient: [_GivesUp()])
    result = result_of(SPIN)
    assert result.verdict == "unknown"
    assert result.reason == "nothing worked; safe up to 4 threads"
    assert result.threads is not None
    assert result.threads.safe_up_to == 4


def test_a_prover_that_knows_of_a_violation_makes_the_search_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = THREE.replace("0..3", "0..7").replace("inside < 3", "inside < 6")
    monkeypatch.setattr(open_driver, "provers_for", lambda program, bad, patient: [_GivesUp()])
    assert result_of(text).verdict == "unknown"
    monkeypatch.setattr(
        open_driver, "provers_for", lambda program, bad, patient: [_GivesUp(Violated(6))]
    )
    result = result_of(text)
    assert result.threads is not None
    assert (result.verdict, result.threads.counts) == ("unsafe", {"worker": 6})


BEGINNING = """\
decl n: int := 0;
decl f: bool := 0;
decl x: int -2..1 block := 0;
void t(p: int 0..2) {
    decl m: int -2..1 block := 0;
    atomic { wait(!f); f := 1; }
    wait(m <= (x % 1));
    L0: assert(!f);
    f := 0;
    wait(f);
    L1: f := 1;
    f := 0;
}
void main() { thread_create(t(0), *); }
"""


def test_relations_do_not_rest_on_how_threads_begin_that_are_not_observed() -> None:
    """The checker once rejected an invariant over no thread, whose counters knew that m is 0."""
    program = tepui.loads(BEGINNING, "bp")
    question = tepui.never_together(program, "L0", "L1")
    result = tepui.verify(program, question, Options(limits=Limits(timeout=60)))
    assert (result.verdict, result.checked) == ("safe", True)


def test_a_time_limit_ends_the_search_with_what_is_known() -> None:
    result = result_of(BROKEN_TICKETS.replace("mine := next;", "atomic { mine := next;").replace(
        "next := mine + 1;", "next := mine + 1; }"), limits=Limits(timeout=0.5))  # fmt: skip
    assert result.verdict in ("unknown", "safe")
    if result.verdict == "unknown":
        assert result.seconds >= 0.5
        assert "the time limit of 0.5 s was reached" in (result.reason or "")


def test_deadlocks_are_looked_for_with_some_numbers_of_threads() -> None:
    program = tepui.loads(SPIN.replace("        lock := 0;", ""), "bp")
    assert tepui.verify(program, tepui.deadlock()).verdict == "unsafe"
    result = tepui.verify(tepui.loads(SPIN, "bp"), tepui.deadlock())
    assert (result.verdict, result.threads and result.threads.safe_up_to) == ("unknown", 4)
    assert "deadlocks are looked for with some numbers of threads only" in (result.reason or "")


def test_rounds_and_delays_need_a_number_of_threads() -> None:
    with pytest.raises(UsageError, match="rounds and delays are counted for a fixed number"):
        result_of(SPIN, engine="delay", delays=2)


def test_explore_needs_a_number_of_threads() -> None:
    with pytest.raises(UsageError, match="there is any number of threads worker"):
        tepui.explore(tepui.loads(SPIN, "bp"))


def test_explore_goes_as_far_as_some_integers() -> None:
    program = tepui.loads("decl n: int := 0; void main() { while (1) { n := n + 1; } }", "bp")
    result = tepui.explore(program)
    assert result.verdict == "stopped"
    assert result.reason == "only integers from -33 to 33 were explored"
    assert result.coverage is not None
    assert result.coverage.certain == "reached"


def test_several_questions_have_an_answer_each() -> None:
    text = SPIN.replace("busy := 1;", "busy := 1; assert(!lock);")
    answers = tepui.verify_all(tepui.loads(text, "bp"))
    assert [answer.result.verdict for answer in answers] == ["safe", "unsafe"]


def test_provers_are_stopped_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    prover = _GivesUp(None)
    monkeypatch.setattr(open_driver, "provers_for", lambda program, bad, patient: [prover])
    result_of(SPIN, limits=Limits(timeout=0.3))
    assert prover.stopped


NOTHING = GaveUp("nothing worked")


class _GivesUp:
    name = "modular"

    def __init__(self, first: Outcome | None = NOTHING) -> None:
        self.first = first
        self.stopped = False

    def advance(self, meter: Meter) -> Outcome | None:
        return self.first

    def stop(self) -> None:
        self.stopped = True


class _Thinks(_GivesUp):
    """Uses up its turns, as long as they are short."""

    turns = 0

    def advance(self, meter: Meter) -> Outcome | None:
        self.turns += 1
        time.sleep(2)
        return None


def test_every_prover_has_a_title() -> None:
    from tepui.engines.registry import PROVERS

    program = tepui.load_program("examples/peterson.bp")
    assert {prover.name for prover in provers.provers_for(program, [], patient=True)} <= set(
        PROVERS
    )


def test_who_is_stuck_only_within_bounds_of_integers_is_in_no_deadlock() -> None:
    program = tepui.loads(
        "decl n: int := 0; void f() { while (1) n := n + 1; } void main() { thread_create(f, 1); }",
        "bp",
    )
    assert isinstance(program, tepui.Program)
    with pytest.raises(tepui.EvidenceRejected, match="no deadlock is known to be one"):
        tepui.verify(instance(program, {}, within(3)), tepui.deadlock())
