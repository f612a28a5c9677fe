"""The ladder climbs in a child process, and everything that goes wrong there is an outcome."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from horn.test_examples import FOLDER, asserted

import tepui
from support.samples import integer_programs as samples
from tepui.checker.invariants.summaries import Summaries
from tepui.horn.ladder import Ladder, LadderLimits, Outcome
from tepui.program.places import places
from tepui.program.program import Program

pytest.importorskip("z3")

SHORT = LadderLimits(observed=1, slices=(0.5,))


def climbed(program: Program, limits: LadderLimits | None = None) -> Outcome:
    with Ladder(program, asserted(program), limits) as ladder:
        outcome = ladder.poll(120)
    assert outcome is not None
    return outcome


def test_it_climbs_until_an_invariant_is_found() -> None:
    program = tepui.load_program(FOLDER / "ticket-lock.bp")
    with Ladder(program, asserted(program)) as ladder:
        outcome = ladder.poll(120)
        assert outcome is ladder.poll(0)
    assert outcome is not None
    assert (outcome.kind, outcome.words) == ("proved", "observed: 2 customer; signs")
    assert outcome.invariant is not None
    assert [attempt.rung.observed for attempt, _ in ladder.tried[:1]] == [(1,)]


def test_polling_does_not_wait() -> None:
    program = tepui.load_program(FOLDER / "ticket-lock.bp")
    with Ladder(program, asserted(program)) as ladder:
        start = time.monotonic()
        assert ladder.poll(0) is None
        assert time.monotonic() - start < 5


def test_for_recursion_summaries_are_looked_for() -> None:
    outcome = climbed(tepui.loads(samples.RECURSIVE, "bp"))
    assert outcome.kind == "proved"
    assert outcome.words.startswith("summaries of procedures; spacer")
    assert isinstance(outcome.invariant, Summaries)


def test_no_summaries_are_found_for_what_can_go_wrong() -> None:
    wrong = samples.RECURSIVE.replace("depth > 0", "depth < 3")
    outcome = climbed(tepui.loads(wrong, "bp"), SHORT)
    assert outcome.kind == "exhausted"


def test_what_is_not_linear_is_refused_by_name() -> None:
    text = "decl x: int; void main() { x := x * x; assert(x >= 0); }"
    outcome = climbed(tepui.loads(text, "bp"))
    assert outcome == Outcome("refused", "no invariant is looked for: a product of two variables")


def test_a_negative_divisor_is_a_constant() -> None:
    text = "decl x: int := -7; void main() { assert(x / -2 = 3 && x % -2 = -1 && x * -1 = 7); }"
    assert climbed(tepui.loads(text, "bp")).kind == "proved"


def test_a_place_inside_an_atomic_section_is_refused() -> None:
    program = tepui.loads("void main() { atomic { skip; inside: skip; } }", "bp")
    ladder = Ladder(program, [((0, places(program, "inside")[0]),)])
    with ladder:
        outcome = ladder.poll(10)
    assert outcome is not None
    assert outcome.kind == "refused"


def test_without_the_solver_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    outcome = climbed(tepui.loads(samples.TOO_FEW, "bp"))
    assert outcome.kind == "refused"
    assert "pip install 'tepui[smt]'" in outcome.words


def test_a_counterexample_of_all_threads_is_said_to_be_real() -> None:
    program = tepui.loads(samples.BROKEN_LOCK, "bp", threads={"worker": 2})
    assert climbed(program, LadderLimits(observed=2)).kind == "refuted"


def test_without_an_invariant_it_says_what_was_tried() -> None:
    outcome = climbed(tepui.loads(samples.TOO_FEW, "bp"), SHORT)
    assert outcome.kind == "exhausted"
    assert len(outcome.reasons) == 3
    assert outcome.reasons[0].startswith("observed: worker: ")


def test_a_solver_that_crashes_or_hangs_is_replaced() -> None:
    program = tepui.load_program(FOLDER / "ticket-lock.bp")
    for wanted in (signal.SIGKILL, signal.SIGSTOP):
        limits = LadderLimits(slices=(0.2, 60), starting=2, grace=0.1)
        ladder = Ladder(program, asserted(program), limits)
        with ladder:
            process = ladder._process
            assert process is not None
            os.kill(process.pid, wanted)
            outcome = ladder.poll(120)
        assert outcome is not None
        assert outcome.kind == "proved"
        assert process.poll() is not None
        assert "unknown" in {report.kind for _, report in ladder.tried}


def instead_of_python(monkeypatch: pytest.MonkeyPatch, script: Path, text: str) -> None:
    """Child processes run a script."""
    script.write_text(text)
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))


def test_a_solver_that_always_crashes_is_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    instead_of_python(monkeypatch, tmp_path / "crashes", "#!/bin/sh\nexit 1\n")
    outcome = climbed(tepui.load_program(FOLDER / "ticket-lock.bp"))
    assert outcome == Outcome("refused", "the solver z3 crashes whatever it is asked")


def test_a_solver_that_always_hangs_is_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    instead_of_python(monkeypatch, tmp_path / "hangs", "#!/bin/sh\nexec sleep 600\n")
    limits = LadderLimits(slices=(0.01, 0.01), starting=0.05, grace=0.01)
    outcome = climbed(tepui.load_program(FOLDER / "ticket-lock.bp"), limits)
    assert outcome == Outcome(
        "refused", "the solver z3 gives no answer in time whatever it is asked"
    )


@pytest.mark.parametrize("words", ["arbage out", "garbage out", "I7\\n.", "N."])
def test_what_is_no_report_is_a_crash(
    words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    instead_of_python(monkeypatch, tmp_path / "talks", f"#!/bin/sh\nprintf '{words}'\n")
    outcome = climbed(tepui.load_program(FOLDER / "ticket-lock.bp"))
    assert outcome == Outcome("refused", "the solver z3 crashes whatever it is asked")


def test_what_a_solver_prints_is_no_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "z3.py").write_text("print('garbage', flush=True)\nraise ImportError('as it is')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    outcome = climbed(tepui.load_program(FOLDER / "ticket-lock.bp"))
    words = "no invariant is looked for: the solver z3 cannot be loaded: as it is"
    assert outcome == Outcome("refused", words)


def test_it_can_be_stopped_at_any_time() -> None:
    program = tepui.load_program(FOLDER / "ticket-lock.bp")
    ladder = Ladder(program, asserted(program))
    ladder.stop()
    ladder.start()
    process = ladder._process
    assert process is not None
    ladder.stop()
    ladder.stop()
    assert process.poll() is not None
