"""An observation sequence as it is plotted: where it pauses, collapses, and is violated.

Table 1 of CUBA names what is marked: a plateau, a stutter, which is a plateau that grows later, and
a collapse. A prefix of a sequence never shows a collapse, so a collapse is marked only if it was
proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

from tepui.engines.rounds import Round
from tepui.records import record
from tepui.report.bounds import bounds_of, count_text
from tepui.report.text.watch_result import bound_text
from tepui.result import Result
from tepui.subject.plateaus import Plateau, plateaus_in
from tepui.watching.watch_result import Bound, WatchResult
from tepui.words import counted


class Member(Protocol):
    """A member of a sequence, as `tepui.observe` yields it."""

    @property
    def name(self) -> str:
        """The name of the system."""

    @property
    def row(self) -> Round:
        """Its round, with the bound and the counts."""


@record
class Mark:
    """What happens at a place of a sequence; one past the last is a bound not completed."""

    place: int
    text: str


@dataclass(frozen=True)
class Observed:
    """A known prefix of a sequence: for each bound, the number of states and of those that look
    different. Places in it count from 0."""

    name: str
    bounds: tuple[Bound, ...]
    states: tuple[int | None, ...]
    seen: tuple[int, ...]
    noun: str = "visible state"
    """The name of what is counted as looking different, such as a visible state."""
    collapsed: Mark | None = None
    violated: Mark | None = None
    z_visible: int | None = None
    """The size of an over-approximation of all that is reachable."""
    outcome: str = ""
    """What was concluded, or why nothing was."""
    counts: str = "contexts"
    """What the bounds count, unless they are rounds and delays."""

    @cached_property
    def plateaus(self) -> list[Plateau]:
        """All places where a larger bound showed nothing new."""
        return plateaus_in(self.seen)

    @cached_property
    def new(self) -> list[int]:
        """How many are new under each bound."""
        return [*self.seen[:1], *(after - before for before, after in pairwise(self.seen))]

    def place_text(self, place: int) -> str:
        """All that is known under one bound."""
        states = self.states[place]
        count = "∞ states" if states is None else counted(states, "state")
        seen = counted(self.seen[place], self.noun)
        bound = bound_text(self.bounds[place])
        return f"{bound}: {count}, {seen}, {count_text(self.new[place])} of them new"

    def description(self) -> str:
        """The sequence in words."""
        if not self.seen:
            return "No bound was completed."
        return " ".join(f"{sentence}." for sentence in self._sentences())

    def _sentences(self) -> Iterator[str]:
        yield f"Within {self.place_text(0)}"
        if len(self.seen) > 1:
            yield f"Within {self.place_text(len(self.seen) - 1)}"
        stutters = sum(not plateau.final for plateau in self.plateaus)
        if stutters:
            yield f"It pauses and grows again {counted(stutters, 'time')}"
        for mark in (self.collapsed, self.violated):
            if mark is not None:
                yield mark.text.capitalize()
        if self.outcome:
            yield self.outcome[0].upper() + self.outcome[1:]


def observed_by(result: Result) -> Observed:
    """The sequence behind a result. Only proofs by collapse have a bound."""
    bounds = tuple(map(_bound, result.rounds))
    proved, z = result.verdict in ("safe", "collapsed"), result.z
    return Observed(
        result.system.name,
        bounds,
        tuple(row.states for row in result.rounds),
        tuple(row.visible for row in result.rounds),
        collapsed=_mark(result, bounds, "collapsed") if proved else None,
        violated=_mark(result, bounds, "violated") if result.verdict == "unsafe" else None,
        z_visible=None if z is None or not z.complete else z.visible_states,
        outcome=_outcome(result),
        counts=_counts(result.rounds),
    )


def observed_in(members: Iterable[Member]) -> Observed:
    """The sequence that `tepui.observe` yields, as far as it was iterated."""
    known = list(members)
    rows = [member.row for member in known]
    return Observed(
        known[0].name if known else "",
        tuple(map(_bound, rows)),
        tuple(row.states for row in rows),
        tuple(row.visible for row in rows),
        counts=_counts(rows),
    )


def observed_through(seen: WatchResult) -> Observed:
    """The sequence that `tepui.watch` has seen."""
    rows = seen.observations
    counts = [row.abstract_states for row in rows]
    collapsed = violated = None
    if rows and seen.collapsed:
        place = counts.index(counts[-1])
        collapsed = Mark(place, f"collapsed at {_short(rows[place].bound)}")
    if rows and seen.verdict == "violation":
        violated = Mark(len(rows) - 1, f"violated at {_short(rows[-1].bound)}")
    return Observed(
        seen.system.name,
        tuple(row.bound for row in rows),
        tuple(row.states for row in rows),
        tuple(counts),
        "abstract state",
        collapsed,
        violated,
    )


def _outcome(result: Result) -> str:
    """The outcome in words; empty if a mark says it."""
    if result.proof is None or result.bound is not None:
        return result.reason or ""
    return f"proved: {result.proof}"


def _bound(row: Round) -> Bound:
    bounds = [count for _, count in bounds_of(row)]
    return bounds[0] if len(bounds) == 1 else (bounds[0], bounds[1])


def _counts(rows: Sequence[Round]) -> str:
    return bounds_of(rows[0])[0][0] if rows else "contexts"


def _mark(result: Result, bounds: tuple[Bound, ...], word: str) -> Mark | None:
    """Where the bound of a result is reached; delays and rounds may both be more by then. A bound
    that counts something else than the rounds has no place."""
    by_contexts = _counts(result.rounds) == "contexts"
    if result.bound is None or by_contexts != (result.resource == "contexts"):
        return None
    wanted = result.bound if result.bound_rounds is None else (result.bound_rounds, result.bound)
    if isinstance(wanted, int) and not all(isinstance(bound, int) for bound in bounds):
        # It was found under rounds and delays, and its trace was counted in contexts.
        return Mark(len(bounds), f"{word} with {counted(wanted, 'context')}")
    within = (place for place, bound in enumerate(bounds) if _covers(bound, wanted))
    return Mark(next(within, len(bounds)), f"{word} at {_short(wanted)}")


def _covers(bound: Bound, wanted: Bound) -> bool:
    if isinstance(bound, int) or isinstance(wanted, int):
        return bound == wanted
    return bound[0] >= wanted[0] and bound[1] >= wanted[1]


def _short(bound: Bound) -> str:
    return str(bound) if isinstance(bound, int) else bound_text(bound)
