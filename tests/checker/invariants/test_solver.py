"""The solver in its own process: limits, crashes, interruptions, and what is not installed."""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path

import pytest

from support.samples.handmade_invariants import spin_lock
from tepui.checker.invariants.obligations import check_invariant
from tepui.checker.invariants.solver import Solver
from tepui.errors import CheckStopped, UsageError

HARD = [
    f"(= (+ {' '.join(f'(* {(7 * n + 3 * k) % 23 + 40} x{n})' for n in range(30))}) {7919 + k})"
    for k in range(3)
]
"""Sums of thirty small numbers with odd results: a search that takes very long."""


def always() -> bool:
    return True


def with_hard_question(solver: Solver) -> list[str]:
    for number in range(30):
        solver.always(f"(declare-const x{number} Int)")
    bounds = [f"(and (>= x{number} 0) (<= x{number} 1))" for number in range(30)]
    return [*HARD, *bounds, "(= (mod (+ x0 x1 (* 3 x2)) 2) 1)"]


def test_answers_follow_one_another() -> None:
    with Solver(always) as solver:
        solver.always("(declare-const a Int)")
        for number in range(20):
            assert solver.answer([f"(< a {number})", f"(> a {number})"]) == "unsat"
            assert solver.answer([f"(= a {number})"]) == "sat"
        assert solver.asked == 40


def test_what_was_forgotten_can_be_declared_again() -> None:
    with Solver(always) as solver:
        for value in ("1", "2"):
            solver.always(f"(define-fun a () Int {value})")
            assert solver.answer([f"(= a {value})"]) == "sat"
            solver.forget()


def test_a_question_that_takes_too_long_has_no_answer() -> None:
    with Solver(always, seconds=0.2) as solver:
        question = with_hard_question(solver)
        begin = time.monotonic()
        assert solver.answer(question) in ("unknown", "unsat", "sat")
        assert time.monotonic() - begin < 60
        assert solver.answer(["(= x0 1)"]) == "sat"


def test_a_silent_solver_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    from tepui.checker.invariants import solver as module

    script = tmp_path / "silent"
    script.write_text("#!/bin/sh\nread -r header\necho\nexec sleep 100\n")
    script.chmod(0o755)
    monkeypatch.setattr(module, "_GRACE", 0.3)
    monkeypatch.setattr(sys, "executable", str(script))
    with Solver(always, seconds=0.1) as solver:
        assert solver.answer(["true"]) == "unknown"


def test_a_crash_is_tried_once_more() -> None:
    with Solver(always) as solver:
        solver.always("(declare-const a Int)")
        assert solver.answer(["(= a 1)"]) == "sat"
        assert solver._process is not None
        solver._process.kill()
        solver._process.wait()
        assert solver.answer(["(= a 1)", "(= a 2)"]) == "unsat"
        assert solver.answer(["(= b 1)"]) == "unknown"
        assert solver.answer(["(= a 1)"]) == "sat"


def test_a_solver_that_always_crashes_is_said_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "crashes"
    script.write_text("#!/bin/sh\nexit 1\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    proof = spin_lock()
    with pytest.raises(CheckStopped, match="cvc5 has failed twice"):
        check_invariant(proof.program, proof.invariant, proof.bad, always)


def test_a_solver_without_memory_has_no_answer() -> None:
    with Solver(always, memory=2**20) as solver:
        assert solver.answer(["true"]) == "unknown"


def test_a_check_can_be_stopped_while_the_solver_thinks() -> None:
    asked: list[float] = []
    thinking = False

    def go_on() -> bool:
        if thinking:
            asked.append(time.monotonic())
        return not asked

    with Solver(go_on) as solver:
        solver.answer(["true"])
        thinking = True
        with pytest.raises(CheckStopped, match="time limit"):
            solver.answer(with_hard_question(solver))


def test_the_process_ends_with_the_context() -> None:
    with Solver(always) as solver:
        solver.answer(["true"])
        process = solver._process
        assert process is not None
    assert process.poll() is not None


def test_without_the_solver_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    proof = spin_lock()
    with pytest.raises(UsageError, match=r"pip install 'tepui\[smt\]'"):
        check_invariant(proof.program, proof.invariant, proof.bad, always)


def test_a_check_can_be_stopped() -> None:
    proof = spin_lock()
    with pytest.raises(CheckStopped, match="time limit"):
        check_invariant(proof.program, proof.invariant, proof.bad, lambda: False)
