"""The paradigm, Z and its budget, and how runs end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tepui
from tepui.checker import Trace, check
from tepui.checker.certificates.diagram import DiagramCertificate
from tepui.checker.certificates.states import Certificate
from tepui.deciding import Options, evidence_check, explore, verify, verify_all, z_budget
from tepui.engines.sequences import ObservationSequence
from tepui.errors import EvidenceError, EvidenceRejected, UsageError
from tepui.languages import loads
from tepui.languages.boolean import load_program
from tepui.languages.source import Source
from tepui.limits import Limits, Meter
from tepui.model import System
from tepui.progress import Progress
from tepui.subject import subject
from tepui.z import Z
from tepui.z.strength import CUT, MATCHED, Strength, parse_strength

RECURSIVE_LOCK = """
shared free held
initial free
thread worker * 2 {
    stack out
    free | out -> held | in out
    held | in -> held | leave
    held | leave -> free | -
    free | out -> free | -
    free | - -> free | out
}
"""

NEVER_ENDING = """
initial q
thread ping {
    stack a
    q | a -> r | a a
    r | b -> r | b
}
thread pong {
    stack b
    r | b -> q | b b
}
"""
"""R_k grows for ever, and so does no visible state."""

CONTEXT_FREE_BUG = """
initial q
thread deep {
    stack a
    q | a -> q | a b
    q | a -> r | -
    r | b -> s | -
    s | b -> t | -
    t | b -> bug | -
}
bad bug | *
"""
"""One thread without finite-context reachability that needs a stack of height 4."""


SHORTER_IF_HIGHER = """
initial q
thread deep {
    stack a
    q | a -> q | a b
    q | a -> r | -
    r | b -> s | -
    s | b -> t | -
    t | b -> u | -
    q | a -> slow | c
    slower | c -> u | c
}
thread other {
    stack x
    u | x -> bug | x
    slow | x -> slower | x
}
bad bug | *, *
"""
"""u takes one context with a stack of height 4, and three with one of height 1."""


def read(text: str, targets: list[str] | None = None) -> System:
    return loads(text, "cpds", targets=targets).system


def sequence(*sizes: int, stutter_free: bool = False) -> ObservationSequence:
    return ObservationSequence(sizes, stutter_free)


class TestTheParadigm:
    def test_a_plateau_is_two_equal_members(self) -> None:
        assert [k for k in range(5) if sequence(1, 3, 3, 4, 4).plateaus_at(k)] == [1, 3]

    def test_round_1_can_be_a_plateau(self) -> None:
        assert sequence(1, 1).plateaus_at(0)
        assert sequence(1, 1, stutter_free=True).has_collapsed()

    def test_only_a_stutter_free_sequence_collapses_by_a_plateau(self) -> None:
        assert sequence(1, 3, 3, stutter_free=True).has_collapsed()
        assert not sequence(1, 3, 3).has_collapsed()
        assert not sequence(1, 3, stutter_free=True).has_collapsed()

    def test_it_collapses_where_it_grew_last(self) -> None:
        assert sequence(1, 3, 3, 4, 4, 4).last_growth == 3


class TestHowRunsEnd:
    def test_a_collapse_of_r_k_proves_without_z(self) -> None:
        system = read(RECURSIVE_LOCK, ["held|in,in"])
        result = verify(system, options=Options(strengths=()))
        assert (result.verdict, str(result.proof), result.checked) == (
            "safe",
            "R_k = R_{k+1}",
            True,
        )
        assert isinstance(result.evidence, Certificate)
        assert result.evidence.kind == "states"
        assert result.z is None
        assert result.bound is not None

    def test_z_alone_proves_without_exploring(self) -> None:
        result = verify(read(RECURSIVE_LOCK, ["held|in,in"]))
        assert (result.verdict, result.bound, result.checked) == ("safe", None, True)
        assert isinstance(result.evidence, Certificate)
        assert result.evidence.kind == "cut"
        assert [row.k for row in result.rounds] == [0]

    def test_a_violation_has_the_fewest_contexts(self) -> None:
        result = verify(read(RECURSIVE_LOCK, ["held|in,-"]))
        assert (result.verdict, result.bound) == ("unsafe", 2)
        assert isinstance(result.evidence, Trace)

    def test_a_symmetric_property_is_violated_as_it_was_written(self) -> None:
        for target in ("held|in,-", "held|-,in"):
            system = read(RECURSIVE_LOCK, [target])
            result = verify(system)
            assert result.trace is not None
            last = result.trace.steps[-1]
            assert system.state_text(last.shared, last.stacks).startswith("held | ")
            assert result.evidence is not None
            check(system, system.property, result.evidence)

    def test_a_bad_initial_state_needs_no_context(self) -> None:
        result = verify(read(RECURSIVE_LOCK, ["free|out,out"]))
        assert (result.verdict, result.bound, result.checked) == ("unsafe", 0, True)

    def test_a_bounded_run_never_says_safe(self) -> None:
        system = read(RECURSIVE_LOCK, ["held|in,in"])
        result = verify(system, options=Options(contexts=50))
        assert (result.verdict, result.bound, result.evidence) == ("bounded", 50, None)
        assert verify(system, options=Options(contexts=0)).verdict == "bounded"

    def test_a_diverging_system_collapses_by_z_only(self) -> None:
        system = read(NEVER_ENDING)
        result = explore(system)
        assert (result.verdict, str(result.proof)) == ("collapsed", "T(R_k) = T(Z)")
        blind = Options(strengths=(), limits=Limits(max_contexts=20))
        stopped = explore(system, blind)
        assert (stopped.verdict, stopped.reason) == (
            "stopped",
            "the limit of 20 contexts was reached",
        )
        assert len(stopped.rounds) == 21

    def test_a_violation_is_found_though_contexts_are_infinite(self) -> None:
        result = verify(read(CONTEXT_FREE_BUG))
        assert (result.verdict, result.bound, result.checked) == ("unsafe", 1, True)
        assert result.states is None

    def test_the_fewest_contexts_are_found_however_high_the_stacks(self) -> None:
        """Two contexts are enough with a stack of height 4, four with lower ones."""
        assert verify(read(SHORTER_IF_HIGHER)).bound == 2

    @pytest.mark.parametrize("z", [(), (CUT,), (MATCHED,)])
    def test_the_explicit_engine_leaves_infinite_contexts_to_another(
        self, z: tuple[Strength, ...]
    ) -> None:
        options = Options(engine="explicit", strengths=z)
        for result in (
            verify(read(CONTEXT_FREE_BUG), options=options),
            explore(read(CONTEXT_FREE_BUG), options),
        ):
            assert result.verdict in ("unknown", "stopped")
            assert result.reason is not None
            assert "deep may reach infinitely many stacks within one context" in result.reason
            assert "engine='diagram' looks at all of them" in result.reason
            assert len(result.rounds) == 1

    def test_an_initial_state_that_is_bad_needs_no_other_engine(self) -> None:
        system = read(CONTEXT_FREE_BUG, ["q|a"])
        result = verify(system, options=Options(engine="explicit"))
        assert (result.verdict, result.bound, result.checked) == ("unsafe", 0, True)

    def test_without_any_property_there_is_nothing_to_verify(self) -> None:
        with pytest.raises(UsageError, match=r"targets or tepui.reach.*tepui.explore"):
            verify(read(RECURSIVE_LOCK))

    def test_nothing_enabled_collapses_at_0(self) -> None:
        result = explore(read("initial q\nthread T {\n stack a\n}\n"))
        assert (result.verdict, result.bound, result.states) == ("collapsed", 0, 1)

    def test_a_deadlock_is_a_state_with_work_left_and_no_one_to_do_it(self) -> None:
        stuck = "initial q\nthread T {\n stack a b\n q | a -> q | -\n}\nbad deadlock\n"
        assert verify(read(stuck)).bound == 1
        done = "initial q\nthread T {\n stack a\n q | a -> q | -\n}\nbad deadlock\n"
        assert verify(read(done)).verdict == "safe"
        at_once = "initial q\nthread T {\n stack a\n}\nbad deadlock\n"
        assert verify(read(at_once)).bound == 0

    def test_every_round_is_reported(self) -> None:
        seen: list[Progress] = []
        explore(read(RECURSIVE_LOCK), Options(strengths=(), progress=seen.append))
        complete = [progress.k for progress in seen if progress.round_complete]
        assert complete == list(range(len(complete)))


class TestLimits:
    def test_no_time_is_a_limit(self) -> None:
        system = read(NEVER_ENDING, ["q|b,a"])
        options = Options(strengths=(), limits=Limits(timeout=0.0))
        result = verify(system, options=options)
        assert (result.verdict, result.reason) == ("unknown", "the time limit of 0 s was reached")
        assert result.stop is not None
        assert (result.stop.kind, result.stop.limit) == ("time", 0.0)

    def test_no_memory_is_a_limit(self) -> None:
        options = Options(strengths=(), limits=Limits(memory=1))
        result = verify(read(RECURSIVE_LOCK, ["held|in,in"]), options=options)
        assert result.verdict == "unknown"
        assert result.reason is not None
        assert result.reason.startswith("the memory limit of")

    def test_an_interruption_ends_all_questions(self) -> None:
        text = """
            decl x := 0;
            void f() { x := !x; assert(x = 0 || x = 1); assert(x != x || 1); }
            void main() { thread_create(f, 3); }
        """
        program = load_program(Source.of_text(text, "two.bp"))

        asked: list[str] = []

        def interrupt(progress: Progress) -> None:
            asked.append(progress.activity)
            raise KeyboardInterrupt

        answers = verify_all(program, options=Options(progress=interrupt))
        assert [answer.result.reason for answer in answers] == ["the run was interrupted"] * 2
        assert len(asked) == 1

    def test_an_interruption_keeps_what_was_found(self) -> None:
        def interrupt(progress: Progress) -> None:
            if progress.k == 3:
                raise KeyboardInterrupt

        system = read(NEVER_ENDING, ["q|b,a"])
        result = verify(system, options=Options(strengths=(), progress=interrupt))
        assert (result.verdict, result.reason) == ("unknown", "the run was interrupted")
        assert [row.k for row in result.rounds] == [0, 1, 2]

    def test_a_z_that_was_not_searched_to_the_end_says_nothing(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(Z, "first_bad", interrupt)
        result = verify(read(RECURSIVE_LOCK, ["held|in,in"]))
        assert (result.verdict, result.reason) == ("unknown", "the run was interrupted")

    def test_an_exact_z_with_a_bad_state_promises_a_trace(self) -> None:
        system = read(RECURSIVE_LOCK, ["held|in,-"])
        result = verify(system, options=Options(limits=Limits(max_contexts=0)))
        assert result.verdict == "unknown"
        assert result.z is not None
        assert ("Z is exact" in (result.reason or "")) is result.z.exact

    def test_looking_for_bad_states_can_run_out_of_time(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def run_out(*_: object) -> None:
            raise TimeoutError

        monkeypatch.setattr(Z, "first_bad", run_out)
        options = Options(limits=Limits(timeout=100))
        result = verify(read(RECURSIVE_LOCK, ["held|in,in"]), options=options)
        assert result.reason == "the time limit of 100 s was reached"

    def test_a_negative_number_of_contexts_is_refused(self) -> None:
        for make in (lambda: Options(contexts=-1), lambda: Limits(max_contexts=-1)):
            with pytest.raises(UsageError, match="must not be negative"):
                make()

    def test_without_room_to_check_an_answer_is_unchecked(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(evidence_check, "_bytes_per_state", lambda _: 1 << 60)
        result = verify(read(RECURSIVE_LOCK, ["held|in,in"]))
        assert (result.verdict, result.checked) == ("safe", False)
        assert any(note.startswith("unchecked: the memory limit") for note in result.notes)

    def test_without_time_to_check_an_answer_is_unchecked(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Meter, "is_out_of_time", lambda _: True)
        result = verify(read(RECURSIVE_LOCK, ["held|in,in"]))
        assert (result.verdict, result.checked) == ("safe", False)
        assert result.notes == ["unchecked: the time limit was reached first"]

    def test_an_interrupted_check_leaves_the_answer_unchecked(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupt(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(subject, "check", interrupt)
        result = verify(read(RECURSIVE_LOCK, ["held|in,in"]))
        assert (result.verdict, result.checked) == ("safe", False)
        assert result.notes == ["unchecked: the check was interrupted"]

    def test_the_check_can_be_left_out(self) -> None:
        result = verify(read(RECURSIVE_LOCK, ["held|in,in"]), options=Options(check=False))
        assert (result.verdict, result.checked, result.check_seconds) == ("safe", False, None)
        assert "certificate, unchecked" in str(result)


class TestTheCeiling:
    def test_a_z_over_its_budget_leaves_the_answer_to_the_exploration(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(z_budget, "FIRST_BUDGET", 2)
        monkeypatch.setattr(z_budget, "BUDGET_FACTOR", 0)
        system = read(RECURSIVE_LOCK, ["held|in,in"])
        result = verify(system, options=Options(engine="explicit"))
        assert (result.verdict, str(result.proof)) == ("safe", "R_k = R_{k+1}")
        assert result.z is not None
        assert not result.z.complete

    def test_a_z_over_its_budget_becomes_a_diagram(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(z_budget, "FIRST_BUDGET", 2)
        result = verify(read(RECURSIVE_LOCK, ["held|in,in"]))
        assert (str(result.proof), result.checked) == ("Z (matched) has no bad state", True)
        assert isinstance(result.evidence, DiagramCertificate)

    def test_a_sharper_z_is_tried_when_one_leaves_the_question_open(self) -> None:
        system = read(NEEDS_TWO_SYMBOLS)
        assert verify(system, options=_only(MATCHED, rounds=12)).verdict == "unknown"
        assert verify(system, options=_only(Strength("matched", 2), rounds=12)).verdict == "safe"
        result = verify(system)
        assert (result.verdict, str(result.proof)) == ("safe", "Z (matched:2) has no bad state")

    @pytest.mark.parametrize("text", ["", "sharp", "matched:", "matched:0", "matched:x", "cut:2"])
    def test_a_strength_that_does_not_exist_is_refused(self, text: str) -> None:
        with pytest.raises(UsageError, match="strength="):
            parse_strength(text)


NEEDS_TWO_SYMBOLS = """
initial q
thread T {
    stack main
    q | main -> q | f first
    q | f -> q | -
    q | first -> p | again
    p | again -> p | f second
    p | f -> p | -
    p | second -> p | end
    p | end -> p2 | end
    p | first -> bug | first        # f returns to its second caller only
}
thread U {
    stack x
    p2 | x -> p | x x               # one more symbol every second context, for ever
}
bad bug | *, *
"""

CALLS = """
initial q
thread T {
    stack main
    q | main -> q | f after
    q | f -> q | -
    q | after -> q | after
    q | back -> q | back
}
"""


def _only(strength: Strength, rounds: int) -> Options:
    return Options(strengths=(strength,), limits=Limits(max_contexts=rounds))


def test_rejected_evidence_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def reject(*_: object, **__: object) -> None:
        raise EvidenceError("not convincing")

    monkeypatch.setattr(subject, "check", reject)
    with pytest.raises(EvidenceRejected, match="not convincing") as rejection:
        verify(read(RECURSIVE_LOCK, ["held|in,in"]))
    assert rejection.value.result.evidence is not None


def test_results_print_themselves() -> None:
    result = tepui.verify(read(RECURSIVE_LOCK, ["held|in,-"]))
    assert str(result).startswith("UNSAFE  ")
    assert "context 2: thread worker.1" in str(result)
    assert '<span class="verdict unsafe">UNSAFE</span>' in result._repr_html_()


def test_loading_warns_about_what_is_odd(tmp_path: Path) -> None:
    path = tmp_path / "odd.pds"
    path.write_text("1\nPDA 1 2\n0 7 -> 0 1\n")
    with pytest.warns(UserWarning, match="7"):
        system = tepui.load(path, init="0|7")
    assert system.threads == (0,)


def test_an_exact_z_lists_what_is_reachable_when_exploring_is_cut_short() -> None:
    system = read(RECURSIVE_LOCK)
    whole = explore(system, Options(symmetry=False))
    for symmetry in (False, True):
        options = Options(symmetry=symmetry, limits=Limits(max_contexts=0))
        result = explore(system, options)
        assert (result.verdict, str(result.proof)) == ("collapsed", "Z (matched) is exact")
        assert (result.visible_states, result.bound) == (whole.visible_states, None)
        assert result.visible_up_to_symmetry == len(result.list_visible())
    assert set(whole.list_visible()) >= set(result.list_visible())


def test_observing_infinite_contexts_needs_another_engine() -> None:
    system = read(CONTEXT_FREE_BUG)
    with pytest.raises(UsageError, match=r"thread deep .* choose another"):
        next(tepui.observe(system, engine="explicit"))
    assert next(tepui.observe(system)).states == 1


@pytest.mark.parametrize("wrong", ["examples/figure4.cpds", None])
def test_verifying_something_else_than_a_system_is_refused(wrong: Any) -> None:
    with pytest.raises(UsageError, match=r"tepui\.load"):
        verify(wrong)
    with pytest.raises(UsageError, match="targets"):
        verify(read(CALLS), "q|back")  # type: ignore[arg-type]


def test_the_end_of_a_trace_says_what_was_violated() -> None:
    result = verify(read(RECURSIVE_LOCK, ["held|in,in", "held|in,-"]))
    assert str(result).endswith("     bad  held | in, -")
    assert "UNSAFE" in repr(result)
