"""Two runs side by side: which answers have changed, which tasks became faster or slower or are
new.

Times are compared only where both runs came to the same verdict, and only if the difference is
larger than the usual noise: at least `FLOOR` seconds, and a factor of `FACTOR`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from tepui.records import record
from tepui.suite.outcome import WRONG, Judgement, Outcome, Ran, contradict

FACTOR = 1.5
FLOOR = 0.5

Kind = Literal[
    "contradiction",
    "newly wrong",
    "worse",
    "slower",
    "missing",
    "changed input",
    "other",
    "new",
    "faster",
    "better",
    "same",
]
WORSE: tuple[Kind, ...] = ("contradiction", "newly wrong", "worse")
KINDS: tuple[Kind, ...] = (
    *WORSE,
    *("slower", "missing", "changed input", "other", "new", "faster", "better", "same"),
)
"""From the most important to the least important."""

_RANKS: dict[Judgement, int] = {
    **dict.fromkeys(WRONG, 0),
    "failed": 1,
    "undecided": 2,
    "no expectation": 3,
    "correct": 3,
}


@record
class Pair:
    """A task in two runs; at least one of them has it."""

    task: str
    old: Outcome | None
    new: Outcome | None

    @property
    def kind(self) -> Kind:
        """The kind of its change."""
        if self.old is None:
            return "new"
        if self.new is None:
            return "missing"
        if self.old.inputs != self.new.inputs:
            return "changed input"
        return _kind(self.old, self.new)

    @property
    def ratio(self) -> float | None:
        """How many times as long the new run takes, where both have the same verdict."""
        if self.old is None or self.new is None or not self.old.decided:
            return None
        if self.old.ran.answer != self.new.ran.answer:
            return None
        return self.new.ran.seconds / max(self.old.ran.seconds, 0.001)


@record
class Comparison:
    """All tasks of two runs."""

    old: str
    new: str
    """The runs, for people."""
    pairs: tuple[Pair, ...]

    def of(self, kind: Kind) -> list[Pair]:
        """The tasks with this kind of change, the largest change of time first."""
        chosen = [pair for pair in self.pairs if pair.kind == kind]
        if kind not in ("slower", "faster"):
            return chosen
        return sorted(chosen, key=lambda pair: pair.ratio or 0, reverse=kind == "slower")

    @property
    def worse(self) -> bool:
        """Whether some answer is worse than before."""
        return any(pair.kind in WORSE for pair in self.pairs)


def compare(
    old: tuple[str, Mapping[str, Outcome]], new: tuple[str, Mapping[str, Outcome]]
) -> Comparison:
    """Compare the outcomes of two runs, each with its name."""
    tasks = sorted({*old[1], *new[1]})
    pairs = tuple(Pair(task, old[1].get(task), new[1].get(task)) for task in tasks)
    return Comparison(old[0], new[0], pairs)


def _kind(old: Outcome, new: Outcome) -> Kind:
    """The kind of change of a task that is in both runs with the same inputs."""
    was, now = _RANKS[old.judgement], _RANKS[new.judgement]
    if not (old.wrong or new.wrong) and _contradict(old.ran, new.ran):
        return "contradiction"
    if now < was:
        return "newly wrong" if new.wrong else "worse"
    if now > was:
        return "better"
    if old.ran.answer != new.ran.answer:
        return "other"
    return _by_time(old, new)


def _contradict(old: Ran, new: Ran) -> bool:
    """Whether at most one of two answers can be true."""
    if {old.answer, new.answer} == {"safe", "unsafe"}:
        return True
    return contradict(old.counts, new.counts)


def _by_time(old: Outcome, new: Outcome) -> Kind:
    before, after = old.ran.seconds, new.ran.seconds
    if not new.decided or abs(after - before) < FLOOR:
        return "same"
    if after > FACTOR * before:
        return "slower"
    return "faster" if before > FACTOR * after else "same"
