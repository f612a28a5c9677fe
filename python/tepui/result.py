"""What a run found out: verdict, bound, counts, and the evidence for it.

A verdict is not an error: `unknown` and `stopped` carry the reason, and everything found so far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from tepui.checker import Evidence, Schedule, Step, Trace
from tepui.model import Property, System
from tepui.model.system import VisibleState, Word
from tepui.program.questions import Question
from tepui.subject import Subject, Violated
from tepui.subject.story import Story

if TYPE_CHECKING:
    from tepui.subject.coverage import Certainty, Coverage

Verdict = Literal["safe", "unsafe", "bounded", "unknown", "collapsed", "stopped"]
"""The first four answer `verify`, the last two `explore`."""

Resource = Literal["contexts", "delays"]
"""What a bound counts."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a run ended without an answer: what kept it, the limit where there is one, in words."""

    kind: Literal[
        "time",
        "memory",
        "contexts",
        "rounds",
        "delays",
        "states",
        "interrupted",
        "infinite contexts",
        "threads",
    ]
    text: str
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class Delayed:
    """What is known about R(r, d) beyond how many states it has."""

    rounds: int
    delays: int
    top_words: int
    """How many different states one sees who looks at several symbols of each stack."""
    images: int
    """How often the successors of a state were computed until then."""


@dataclass(frozen=True, slots=True)
class Other:
    """What another engine had seen when one had the answer, or when it dropped out."""

    engine: str
    resource: Resource
    bound: int
    """How many contexts, or delays."""
    rounds: int | None
    """Within how many rounds, where delays are counted."""
    states: int | None
    visible: int
    ended: str
    """Why it did not go on."""


@dataclass(frozen=True, slots=True)
class Round:
    """One row of the table: what was known after k contexts, permutations counted; or about the
    k-th R(r, d) on the way."""

    k: int
    states: int | None
    visible: int
    new_visible: int
    seconds: float
    delays: Delayed | None = None


@dataclass(frozen=True, slots=True)
class ZSummary:
    """The sharpest over-approximation that is complete, or else the one being computed."""

    strength: str
    complete: bool
    exact: bool
    states: int | None
    """How many cut states it has, up to symmetry; as a diagram, all of them, once it is complete.
    """
    visible_states: int
    """|T(Z)|, permutations counted."""


@dataclass(frozen=True, eq=False, repr=False)
class NamedTrace(Trace):
    """A trace that knows the names behind its numbers, and so can be read. It equals the same trace
    without them."""

    subject: Subject = field(kw_only=True)

    @classmethod
    def of(cls, subject: Subject, trace: Trace) -> NamedTrace:
        return cls(*_parts(trace), subject=subject)

    @cached_property
    def story(self) -> Story:
        """The run in the words of the source, step by step."""
        return self.subject.story(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and _parts(self) == _parts(other)

    def __hash__(self) -> int:
        return hash(_parts(self))

    def __str__(self) -> str:
        from tepui.report.text.traces import story_lines

        return "\n".join(story_lines(self.story))

    def __repr__(self) -> str:
        name, steps = self.subject.system.name, len(self.steps)
        return f"<Trace of {name}: {steps} steps, {self.contexts} contexts>"

    def _repr_html_(self) -> str:
        from tepui.report.notebook import trace_html

        return trace_html(self)


@dataclass(slots=True, repr=False)
class Result:
    """The answer of a run, with what it is based on."""

    verdict: Verdict
    subject: Subject
    """What it is about, which knows the names of everything."""
    asked: Property
    """What was asked; nothing for `explore`."""
    rounds: list[Round]
    symmetry: bool
    questions: tuple[Question, ...] = ()
    """What was asked, if that is about a program."""
    states: int | None = None
    """|R_k| of the last round, permutations counted; None where it is infinite or unknown."""
    visible_states: int | None = None
    """|T(R_k)| of the last round, permutations counted; None where that is not all of it."""
    states_up_to_symmetry: int | None = None
    visible_up_to_symmetry: int | None = None
    bound: int | None = None
    """The contexts of the violation, or the smallest k with T(R_k) = T(R), where known; the same in
    delays, if these are counted."""
    bound_rounds: int | None = None
    """Where delays are counted, the rounds within which the bound holds."""
    proof: str | None = None
    stop: Stop | None = None
    z: ZSummary | None = None
    checked: bool = False
    """Whether the independent checker accepted the evidence."""
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    check_seconds: float | None = None
    peak_memory_bytes: int = 0
    engine: str = ""
    resource: Resource = "contexts"
    tops: int = 1
    """How many symbols of each stack were looked at."""
    others: tuple[Other, ...] = ()
    """What other engines had seen."""
    interrupted: bool = False
    """Whether the user has had enough, if only of the check."""
    make_evidence: Callable[[], Evidence | None] | None = field(default=None, repr=False)
    evidence_size: int = 0
    """How many states, or nodes, a certificate will list."""
    evidence_symbols: int = 0
    """How many stack symbols a certificate of whole states will list."""
    certainty: Certainty = "reached"
    """Of a program: what is certain about the points that `make_points` lists."""
    make_points: Callable[[], list[list[int]]] | None = field(default=None, repr=False)
    """For a program: for each thread type, the points that were reached, or may be."""
    make_list: Callable[[], list[VisibleState]] | None = field(default=None, repr=False)
    _evidence: Evidence | None = field(default=None, repr=False)
    _evidence_made: bool = field(default=False, repr=False)
    """Whether evidence was asked for, and there is some or none."""
    _trace: NamedTrace | None = field(default=None, repr=False)
    """The evidence with its names, so that it is told once."""

    @property
    def system(self) -> System:
        """The system that was explored."""
        return self.subject.system

    @property
    def evidence(self) -> Evidence | None:
        """The trace or certificate; a large certificate is made only when it is asked for."""
        if not self._evidence_made and self.make_evidence is not None:
            self._evidence = self.make_evidence()
            self._evidence_made = True
        return self._evidence

    @property
    def reason(self) -> str | None:
        """Why there is no answer, in words."""
        return None if self.stop is None else self.stop.text

    @property
    def trace(self) -> NamedTrace | None:
        """The run into a bad state, if there is one."""
        found = self.evidence if self.verdict == "unsafe" else None
        if not isinstance(found, Trace):
            return None
        if self._trace is None or self._trace.steps is not found.steps:
            self._trace = NamedTrace.of(self.subject, found)
        return self._trace

    @property
    def violated(self) -> Violated | None:
        """What the trace violates, if there is one and that can be told."""
        trace = self.trace
        return None if trace is None else self.subject.violated(self.asked, self.questions, trace)

    @property
    def coverage(self) -> Coverage | None:
        """The statements of a program and who reaches them; None if this is about none."""
        if self.subject.program is None or self.make_points is None:
            return None
        return self.subject.coverage(self.make_points(), self.certainty)

    def is_never_reached(self, question: Question) -> bool:
        """Whether a question is about an assertion that holds as no thread ever comes to it."""
        asserted = question.kind == "assertion" and self.verdict == "safe"
        if not asserted or self.make_points is None:
            return False
        return self.subject.is_never_reached(question, self.make_points())

    def list_visible(self) -> list[VisibleState]:
        """The visible states that were found, up to symmetry if that is on."""
        return [] if self.make_list is None else self.make_list()

    def __str__(self) -> str:
        from tepui.report.text.summary import summary

        return summary(self)

    def __repr__(self) -> str:
        from tepui.report.text.summary import headline

        return f"<Result {headline(self)}>"

    def _repr_html_(self) -> str:
        from tepui.report.notebook import result_html

        return result_html(self)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one of several questions."""

    question: Question
    result: Result

    def _repr_html_(self) -> str:
        from tepui.report.notebook import answer_html

        return answer_html(self)


def _parts(trace: Trace) -> tuple[int, tuple[Word, ...], tuple[Step, ...], int, Schedule | None]:
    """What makes a trace the trace that it is."""
    start = trace.initial_shared, trace.initial_stacks
    return *start, trace.steps, trace.contexts, trace.schedule
