"""How a task of a suite ended, compared with what was expected.

An answer is what the process of a task said, or why it said nothing. A judgement compares the
answer with the expectation. Only a verdict can be wrong, or the counts of a complete exploration: a
bounded or unknown answer claims nothing that could be wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from tepui.records import record
from tepui.tasks.task import Counts, Expected

Verdict = Literal["safe", "unsafe", "collapsed"]
Open = Literal["bounded", "unknown", "timeout", "out of memory"]
Failure = Literal["error", "crashed"]
Answer = Verdict | Open | Failure
Wrong = Literal["wrong proof", "wrong alarm", "wrong counts"]
Judgement = Literal["correct", "no expectation", "undecided", "failed"] | Wrong

VERDICTS: tuple[Answer, ...] = ("safe", "unsafe", "collapsed")
OPEN: tuple[Answer, ...] = ("bounded", "unknown", "timeout", "out of memory")
FAILURES: tuple[Answer, ...] = ("error", "crashed")
WRONG: tuple[Judgement, ...] = ("wrong proof", "wrong alarm", "wrong counts")
JUDGEMENTS: tuple[Judgement, ...] = (*WRONG, "failed", "undecided", "no expectation", "correct")
"""From bad to good."""


@record
class Ran:
    """How the process of a task ended."""

    answer: Answer
    seconds: float
    """Wall time from its start to its end, measured from outside."""
    memory: int | None = None
    """Peak memory in bytes, as the process reported it."""
    engine: str | None = None
    bound: int | None = None
    """The bound of the answer: contexts, or delays if the engine counts these."""
    counts: Counts | None = None
    """The counts of an exploration, if it was complete."""
    checked: bool | None = None
    """Whether the checker accepted the evidence; None where there is none."""
    detail: str = ""
    """Why there is no verdict: the reason that was given, or the last lines of its messages."""


@record
class Outcome:
    """A task that has ended: the task, the expectation and the answer."""

    task: str
    file: str
    property_name: str | None
    expected: Expected | None
    counts: Counts | None
    """What an exploration should find."""
    inputs: str
    """A hash of what was read and asked, so that a changed task is run again."""
    ran: Ran

    @property
    def judgement(self) -> Judgement:
        """The answer compared with the expectation."""
        answer = self.ran.answer
        if answer in FAILURES:
            return "failed"
        if answer not in VERDICTS:
            return "undecided"
        if answer == "collapsed":
            return _judged_counts(self.counts, self.ran.counts)
        if self.expected is None:
            return "no expectation"
        if answer == self.expected:
            return "correct"
        return "wrong proof" if answer == "safe" else "wrong alarm"

    @property
    def wrong(self) -> bool:
        """Whether the answer contradicts the expectation."""
        return self.judgement in WRONG

    @property
    def decided(self) -> bool:
        """Whether there is a verdict, right or wrong."""
        return self.ran.answer in VERDICTS

    @property
    def expectation(self) -> str:
        """The expectation, for people; empty if there was none."""
        return self.expected or counts_text(self.counts)

    @property
    def objection(self) -> str:
        """What is wrong with the answer, for people; empty if nothing is."""
        return f"{self.found}, but {self.expectation} was expected" if self.wrong else ""

    @property
    def found(self) -> str:
        """The answer, for people."""
        counted = counts_text(self.ran.counts)
        return f"{self.ran.answer}, {counted}" if counted else self.ran.answer


@record
class Tally:
    """How many tasks ended in which way."""

    tasks: int
    judgements: dict[Judgement, int]
    answers: dict[Answer, int]

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Tally:
        """Count outcomes."""
        seen = list(outcomes)
        return cls(
            len(seen),
            dict(Counter(outcome.judgement for outcome in seen)),
            dict(Counter(outcome.ran.answer for outcome in seen)),
        )

    @property
    def wrong(self) -> int:
        """How many contradict their expectation."""
        return sum(self.judgements.get(judgement, 0) for judgement in WRONG)

    @property
    def open(self) -> int:
        """How many have no verdict, for whatever reason."""
        return self.judgements.get("undecided", 0) + self.judgements.get("failed", 0)


def counts_text(counts: Counts | None) -> str:
    """Counts for people, as `k=5 visible=8 states=14`."""
    if counts is None:
        return ""
    named = (("k", counts.bound), ("visible", counts.visible), ("states", counts.states))
    return " ".join(f"{name}={number}" for name, number in named if number is not None)


def contradict(left: Counts | None, right: Counts | None) -> bool:
    """Whether two explorations disagree: numbers that both know have to be equal.

    States are not compared, since an exploration may end before it has met all of them.
    """
    if left is None or right is None:
        return False
    pairs = ((left.bound, right.bound), (left.visible, right.visible))
    return any(one != other for one, other in pairs if one is not None and other is not None)


def _judged_counts(expected: Counts | None, found: Counts | None) -> Judgement:
    if expected is None or found is None or expected == Counts():
        return "no expectation"
    many = expected.states is not None and found.states is not None
    too_many = many and (found.states or 0) > (expected.states or 0)
    return "wrong counts" if too_many or contradict(expected, found) else "correct"
