"""Climbs: asks for an invariant over more and more observed threads, by several solvers in turn.

Everything happens in a child process, so that whoever asks can explore meanwhile, and nothing that
a solver does can harm. Each attempt gets a slice of time; slices grow from round to round, and an
attempt that can have no other end is not repeated. What comes out is untrusted: an invariant is
evidence, which the checker examines.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pickle
import selectors
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from tepui.checker.evidence import Bad
from tepui.horn.rungs import (
    Attempt,
    Found,
    Report,
    Rung,
    Task,
    attempts,
    is_exact,
    rung_of_frames,
    rungs,
)
from tepui.horn.stacks import Recursion, Stacks
from tepui.horn.valuing import Refused
from tepui.program.program import Program
from tepui.records import record, replace

Kind = Literal["proved", "refuted", "refused", "exhausted"]


@record
class LadderLimits:
    """How far to climb."""

    observed: int = 3
    """How many threads of a type are observed at most."""
    slices: tuple[float, ...] = (2, 6, 20, 60)
    """How many seconds each attempt gets, round by round."""
    memory: int = 4 * 2**30
    """How many bytes the solvers may use."""
    starting: float = 10
    """How many seconds a new process may need before it begins."""
    grace: float = 3
    """How long a process may be silent after its time before it is ended."""


@record
class Outcome:
    """How the climb has ended.

    `refuted` says that the clauses have a counterexample that is real, because all threads are
    observed; still, no verdict follows from it, as there is no trace. `refused` has a reason by
    name, and `exhausted` one for each rung.
    """

    kind: Kind
    words: str
    invariant: Found | None = None
    reasons: tuple[str, ...] = ()
    seconds: float = 0
    """How long the attempt took that was successful, or the whole climb."""


class Ladder:
    """One climb for one question about a program.

    `start`, then `poll` until there is an outcome; `stop` at any time. Only `poll` waits for a
    solver, and not longer than the time that it is given.
    """

    def __init__(
        self, program: Program, bad: Sequence[Bad], limits: LadderLimits | None = None
    ) -> None:
        self._program = replace(program, raised=None)
        self._bad = tuple(bad)
        self._limits = limits or LadderLimits()
        self._process: subprocess.Popen[bytes] | None = None
        self._queue: list[tuple[Attempt, float]] = []
        self._left: list[Attempt] = []
        self._done: set[Attempt] = set()
        self._round = -1
        self._groups: list[list[Rung]] = []
        self._hopeless: dict[Rung, str] = {}
        self._last_words: dict[Rung, str] = {}
        self._deadline = 0.0
        self._begun = 0.0
        self._outcome: Outcome | None = None
        self._crashes = self._silences = 0
        """How many attempts have ended without an answer: by a crash, or since there was none."""
        self.tried: list[tuple[Attempt, Report]] = []
        """All attempts so far, and how they ended."""

    def start(self) -> None:
        """Begin to climb."""
        self._begun = time.monotonic()
        if importlib.util.find_spec("z3") is None:
            self._outcome = Outcome(
                "refused",
                "invariants are found with the solver z3, which is not installed: "
                "pip install 'tepui[smt]'",
            )
            return
        try:
            Stacks(self._program, {point for each in self._bad for _, point in each})
            self._groups = rungs(self._program, self._limits.observed)
        except Recursion:
            self._groups = [[rung_of_frames(self._program)]]
        except Refused as reason:
            self._outcome = _refused(str(reason))
            return
        self._next_attempt()

    def poll(self, seconds: float) -> Outcome | None:
        """Wait for at most some time; None as long as there is no outcome."""
        until = time.monotonic() + seconds
        while self._outcome is None:
            now = time.monotonic()
            if self._process is None or now > self._deadline:
                self._ended(Report("unknown", reason="no answer in time"), silent=True)
            elif self._is_readable(min(until, self._deadline) - now):
                self._ended(self._received())
            elif now >= until:
                return None
        return self._outcome

    def stop(self) -> None:
        """End the child process. It can only be asked for the outcome afterwards."""
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            process.wait()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdout.close()
            with contextlib.suppress(OSError):
                process.stdin.close()

    def __enter__(self) -> Ladder:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _next_attempt(self) -> None:
        while self._outcome is None:
            while self._queue:
                attempt, seconds = self._queue.pop(0)
                if attempt.rung not in self._hopeless and attempt not in self._done:
                    self._send(attempt, seconds)
                    return
            self._next_round()

    def _next_round(self) -> None:
        """Fill the queue: first elimination, which comes to an end, and so is given more time
        before Spacer has its turn, which may not. The last group comes in one round later."""
        self._round += 1
        if self._round == len(self._limits.slices):
            self._exhausted()
            return
        seconds = self._limits.slices[self._round]
        if self._groups[0][0].frames:
            seconds *= _PATIENCE  # There are few of these attempts.
        last = len(self._groups) - 1
        left = list(dict.fromkeys(self._left))
        order: list[Attempt] = []
        for number, group in enumerate(self._groups):
            stage = self._round - (number == last > 0)
            fresh = [each for rung in group for each in attempts(rung, stage)]
            order += [*(each for each in left if each.rung in group), *fresh]
        signs = [(each, seconds) for each in order if each.method == "signs"]
        again = [(each, _PATIENCE * seconds) for each, _ in signs]
        others = [(each, seconds) for each in order if each.method != "signs"]
        others.sort(key=lambda each: self._place(each[0]))
        self._queue = [*signs, *again, *others]
        self._left = []
        if not self._queue and self._round >= last:
            self._exhausted()

    def _place(self, attempt: Attempt) -> tuple[bool, bool]:
        """Spacer is last, and begins where a counterexample is real."""
        return attempt.method == "spacer", not is_exact(self._program, attempt.rung)

    def _exhausted(self) -> None:
        reasons = tuple(
            f"{rung.words(self._program)}: {self._hopeless.get(rung) or self._last_words.get(rung)}"
            for group in self._groups
            for rung in group
        )
        words = "no invariant was found"
        taken = time.monotonic() - self._begun
        self._outcome = Outcome("exhausted", words, reasons=reasons, seconds=taken)
        self.stop()

    def _send(self, attempt: Attempt, seconds: float) -> None:
        if self._process is None:
            self._process = _new_process()
            self._write(Task(self._program, self._bad, self._limits.memory))
            self._deadline = self._limits.starting
        else:
            self._deadline = 0
        self._attempt = attempt
        self._write((attempt, seconds))
        self._deadline += time.monotonic() + seconds + self._limits.grace

    def _write(self, message: object) -> None:
        """Send a message; a process that has ended shows that when it is read."""
        assert self._process is not None
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            pickle.dump(message, self._process.stdin)
            self._process.stdin.flush()

    def _is_readable(self, seconds: float) -> bool:
        assert self._process is not None
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            return bool(selector.select(max(0, seconds)))

    def _received(self) -> Report | None:
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            report = pickle.load(self._process.stdout)
        except Exception:  # What is no report can fail in any way.
            return None
        return report if isinstance(report, Report) else None

    def _ended(self, report: Report | None, *, silent: bool = False) -> None:
        """An attempt has ended; without a report, by a crash."""
        crashed = report is None
        if report is None:
            report = Report("unknown", reason="the solver has crashed")
        if crashed or silent:
            self._crashes += crashed
            self._silences += silent
            self.stop()
        attempt = self._attempt
        self.tried.append((attempt, report))
        if self._crashes + self._silences == len(self.tried) == _MOST_WITHOUT_ANSWER:
            does = "crashes" if self._crashes else "gives no answer in time"
            self._outcome = Outcome("refused", f"the solver z3 {does} whatever it is asked")
            return
        taken = sum(each.seconds for same, each in self.tried if same == attempt)
        rung = attempt.rung
        self._last_words[rung] = f"{attempt.words}: {report.reason or report.kind}"
        match report.kind:
            case "proved":
                assert report.invariant is not None
                words = f"{rung.words(self._program)}; {attempt.words}"
                found = report.invariant
                self._outcome = Outcome("proved", words, found, seconds=taken)
                self.stop()
                return
            case "refuted" if is_exact(self._program, rung):
                words = f"the clauses have a counterexample; {attempt.words}"
                self._outcome = Outcome("refuted", words, seconds=taken)
                self.stop()
                return
            case "refuted":
                self._hopeless[rung] = "there is no such invariant"
            case "too large" if rung.folds_globals:
                self._hopeless[rung] = report.reason
                self._fold_less()
            case "too few" | "too large":
                self._hopeless[rung] = report.reason
            case "refused":
                self._outcome = _refused(report.reason)
                self.stop()
                return
            case "unknown":
                self._left.append(attempt)
            case _:
                self._done.add(attempt)
        self._next_attempt()

    def _fold_less(self) -> None:
        """Begin anew with global variables that are not part of control."""
        self._groups = [
            [replace(rung, folds_globals=False) for rung in group] for group in self._groups
        ]
        self._queue, self._left, self._round = [], [], -1


def _refused(reason: str) -> Outcome:
    return Outcome("refused", f"no invariant is looked for: {reason}")


_MOST_WITHOUT_ANSWER = 10
"""If the solver has answered none of this number of attempts, it is given up."""

_PATIENCE = 3
"""How much longer elimination may take before Spacer begins, and attempts about frames."""


def _new_process() -> subprocess.Popen[bytes]:
    package = Path(__file__).parents[2]
    paths = [str(package), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return subprocess.Popen(
        [sys.executable, "-m", "tepui.horn.finding_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
