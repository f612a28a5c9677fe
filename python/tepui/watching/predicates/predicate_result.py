"""What `tepui.watch_predicates` has found (see `watch_predicates`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from tepui.records import field, mutable_record, record
from tepui.result import Stop
from tepui.watching.predicates.picture_queries import By, Decided

PredicateVerdict = Literal["violation", "closed", "plateau", "stopped"]


@record
class AbstractStateRow:
    """An abstract state: where the watched thread is, and the value of each predicate there, None
    for no value."""

    place: str
    values: tuple[bool | None, ...]


@record
class NumberObservation:
    """What was seen with one number of threads: up to which rounds and delays, and whether nothing
    else is reachable with this number."""

    threads: Mapping[str, int]
    rounds: int
    delays: int
    states: int
    abstract_states: int
    new: int
    collapsed: bool


@record
class StatementAnswer:
    """What a solver says about a statement, executed by the watched thread or by another one.

    If the set is closed under it, but `leaves_by_definition` has a step out of it, then it is
    closed as all threads see it, and not by Definition 6 alone.
    """

    by: By
    thread: str
    place: str
    text: str
    respects: Decided
    closed: Decided
    before: AbstractStateRow | None = None
    after: AbstractStateRow | None = None
    """A step from an abstract state of the set to one outside."""


@record
class AskedQuestion:
    """A question, and whether the abstract states show that it is answered as it should be."""

    text: str
    proved: Decided


@mutable_record
class PredicateResult:
    """Abstract states of a program, plateaus, respect, and closure.

    Its verdict is `closed` if a solver has found that the set of abstract states is closed under
    all actions: then it has those of all reachable states, and no others. Otherwise a plateau shows
    only that nothing new was seen for a while.

    >>> program = tepui.load_program("examples/bluetooth1.bp", threads={"add": 1})
    >>> seen = tepui.watch_predicates(program, ["stoppingFlag"], [], watched="stop")
    >>> seen.verdict, len(seen.abstract_states)
    ('closed', 8)
    """

    verdict: PredicateVerdict
    program: str
    watched: str
    predicates: tuple[str, ...]
    threads: Mapping[str, int | None]
    abstract_states: tuple[AbstractStateRow, ...]
    observations: list[NumberObservation]
    start: Decided = "unknown"
    """Whether the abstract states of all initial states are in the set."""
    start_outside: AbstractStateRow | None = None
    statements: list[StatementAnswer] = field(default_factory=list)
    closed: Decided = "unknown"
    questions: list[AskedQuestion] = field(default_factory=list)
    violated: str | None = None
    """What is violated, in words."""
    run: list[str] = field(default_factory=list)
    """The steps to the violation."""
    stop: Stop | None = None
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    peak_memory_bytes: int = 0

    @property
    def proved(self) -> bool:
        """Whether the set is closed and shows that nothing bad is reachable."""
        return self.verdict == "closed" and all(each.proved == "yes" for each in self.questions)

    @property
    def reason(self) -> str | None:
        """Why the run was stopped, in words."""
        return None if self.stop is None else self.stop.text

    def data(self) -> dict[str, Any]:
        """All of it as one JSON object."""
        return {
            "verdict": self.verdict,
            "program": self.program,
            "watched": self.watched,
            "threads": {name: count or "*" for name, count in self.threads.items()},
            "predicates": list(self.predicates),
            "abstract_states": [_row(each) for each in self.abstract_states],
            "observations": [
                {
                    "threads": dict(each.threads),
                    "rounds": each.rounds,
                    "delays": each.delays,
                    "states": each.states,
                    "abstract_states": each.abstract_states,
                    "new": each.new,
                    "collapsed": each.collapsed,
                }
                for each in self.observations
            ],
            "start": self.start,
            "statements": [
                {
                    "by": each.by,
                    "thread": each.thread,
                    "place": each.place,
                    "statement": each.text,
                    "respects": each.respects,
                    "closed": each.closed,
                    "before": _row(each.before),
                    "after": _row(each.after),
                }
                for each in self.statements
            ],
            "closed": self.closed,
            "questions": [{"text": each.text, "proved": each.proved} for each in self.questions],
            "violated": self.violated,
            "run": self.run,
            "reason": self.reason,
            "notes": self.notes,
            "seconds": round(self.seconds, 3),
        }

    def __str__(self) -> str:
        from tepui.report.text.predicate_result import predicates_text

        return predicates_text(self)


def _row(row: AbstractStateRow | None) -> dict[str, Any] | None:
    return None if row is None else {"place": row.place, "values": list(row.values)}
