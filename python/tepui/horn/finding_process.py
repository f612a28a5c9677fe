"""The child process that makes attempts, one after the other.

A solver may hang, or use up all memory, or crash: then the parent ends this process and starts a
new one. What was found out about a rung is kept between attempts, so elimination goes on where it
stopped. Requests and answers are pickled: first the program and the question, then attempts.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from tepui.checker.evidence import Bad
from tepui.horn.rungs import Attempt, Ending, Report, Rung, Task
from tepui.horn.valuing import Refused
from tepui.orphans import end_with_parent
from tepui.program.program import Program

if TYPE_CHECKING:
    from tepui.horn.summary_clauses import SummaryFinder


class Finder:
    """Makes attempts at one question, and keeps what they have in common."""

    def __init__(self, program: Program, bad: tuple[Bad, ...]) -> None:
        self._program, self._bad = program, bad
        self._begun: dict[tuple[Rung, bool], _Begun] = {}
        self._frames: SummaryFinder | None = None

    def attempt(self, attempt: Attempt, seconds: float) -> Report:
        """Try for some time."""
        start = time.monotonic()
        deadline = start + seconds
        try:
            report = self._attempt(attempt, deadline)
        except Refused as reason:
            report = Report(_ending(reason), reason=str(reason))
        except ImportError as error:
            report = Report("refused", reason=f"the solver z3 cannot be loaded: {error}")
        except MemoryError:
            report = Report("unknown", reason="out of memory")
        taken = time.monotonic() - start
        return Report(report.kind, taken, report.invariant, report.reason)

    def _attempt(self, attempt: Attempt, deadline: float) -> Report:
        if attempt.rung.frames:
            return self._summaries(attempt, deadline)
        from tepui.horn.translation import invariant

        together = attempt.method == "pairs of signs"
        begun = self._elimination(attempt.rung, together)
        elimination = begun.elimination
        wants_all = attempt.method == "spacer"
        while elimination.answer is None or (wants_all and not elimination.is_closed):
            if elimination.answer == "unknown":
                return Report("unknown", reason="a query took too long")
            if time.monotonic() > deadline:
                return Report("unknown", reason="time was up")
            next(begun.work, None)
        if elimination.answer == "proved":
            keys = list(elimination.signs)
            found = invariant(elimination.clauses, keys, elimination.formula)
            return Report("proved", invariant=found)
        if attempt.method != "spacer":
            return Report("not enough" if elimination.answer == "not enough" else "unknown")
        from tepui.horn.spacer import Spacer

        spacer = Spacer(elimination, lemmas=attempt.lemmas)
        answer = spacer.run(dict(attempt.settings), deadline - time.monotonic())
        if answer == "proved":
            keys = list(elimination.signs)
            return Report("proved", invariant=invariant(elimination.clauses, keys, spacer.formula))
        return Report(answer, reason=spacer.reason)

    def _summaries(self, attempt: Attempt, deadline: float) -> Report:
        from tepui.horn.summary_clauses import SummaryFinder

        if self._frames is None:
            self._frames = SummaryFinder(self._program, self._bad)
        seconds = deadline - time.monotonic()
        return self._frames.run(dict(attempt.settings), seconds)

    def _elimination(self, rung: Rung, together: bool) -> _Begun:
        key = rung, together
        if key not in self._begun:
            self._begun[key] = _Begun(self._program, self._bad, rung, together)
        return self._begun[key]


class _Begun:
    """Elimination on a rung, which may go on later."""

    def __init__(self, program: Program, bad: tuple[Bad, ...], rung: Rung, together: bool) -> None:
        from tepui.horn.clauses import Clauses, Question
        from tepui.horn.counter_relations import counted_relations
        from tepui.horn.elimination import Elimination
        from tepui.horn.folding import Folding
        from tepui.horn.stacks import Stacks
        from tepui.horn.survey import Survey

        stacks = Stacks(program, {point for each in bad for _, point in each})
        folding = Folding(stacks, _SMALL, folds_globals=rung.folds_globals)
        survey = Survey(folding)
        question = Question(bad, rung.observed)
        if rung.counters:
            question = counted_relations(survey, rung.observed, bad)
        self.elimination = Elimination(Clauses(folding, question), survey, together=together)
        self.work: Iterator[None] = self.elimination.advance()


def _ending(reason: Refused) -> Ending:
    from tepui.horn.clauses import TooFewObserved
    from tepui.horn.survey import TooLarge

    if isinstance(reason, TooFewObserved):
        return "too few"
    return "too large" if isinstance(reason, TooLarge) else "refused"


_SMALL = 4
"""Types with up to this number of values become part of control."""


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Make attempts until there are no more requests."""
    task: Task = pickle.load(requests)
    _limit_memory(task.memory)
    finder = Finder(task.program, task.bad)
    while True:
        try:
            attempt, seconds = pickle.load(requests)
        except EOFError:
            return
        pickle.dump(finder.attempt(attempt, seconds), answers)
        answers.flush()


def _limit_memory(size: int) -> None:
    try:
        import resource
    except ImportError:  # There is no such limit on this system.
        return
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _own_output() -> BinaryIO:
    """Where answers go; what a solver prints goes nowhere, so that nobody reads it as an answer."""
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return answers


if __name__ == "__main__":
    end_with_parent()
    serve(sys.stdin.buffer, _own_output())
