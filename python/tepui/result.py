"""What a run found: an answer that never changes, its statistics, and its evidence.

A verdict is not an error: `unknown` and `stopped` carry the reason, and everything found so far.
Proofs, stops and notes are values with a kind and a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

from tepui.assumption import Assumption
from tepui.checker import Evidence, Schedule, Trace, TraceStep
from tepui.errors import AT_LIMIT, UsageError
from tepui.records import record
from tepui.words import counted

if TYPE_CHECKING:
    from tepui.engines.rounds import Proof, Resource, Round
    from tepui.kernels.door import Outcome
    from tepui.limits import Limits
    from tepui.model import Property, System
    from tepui.model.system import VisibleState, Word
    from tepui.program.questions import Question
    from tepui.subject import Subject, Violated
    from tepui.subject.coverage import Certainty, Coverage
    from tepui.subject.deadlock.explanation import Deadlock
    from tepui.subject.story import Story

Verdict = Literal["safe", "unsafe", "bounded", "unknown", "collapsed", "stopped"]
"""The first four answer `verify`, the last two `explore`."""


@record
class Stop:
    """Why a run ended without an answer: the kind of the reason, its text, and the limit if there
    is one."""

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
        "choices",
        "limit",
        "integers",
    ]
    text: str
    limit: float | None = None

    @classmethod
    def at_limit(cls, outcome: Outcome, limits: Limits) -> Stop:
        """The stop of a run whose kernel did not end by itself."""
        if outcome == "interrupted":
            return cls("interrupted", "the run was interrupted")
        if outcome == "time" and limits.timeout is not None:
            return cls.late(limits.timeout)
        if outcome == "memory" and limits.memory == limits.most_memory:
            text = f"the memory limit of {limits.memory / 2**20:,.0f} MiB was reached"
            return cls("memory", text, limits.memory)
        if outcome == "memory":
            what = "this process" if limits.is_process_bounded else "this machine"
            return cls("memory", f"the memory of {what} ran out")
        return cls("states", "there are more states than the engine can number")

    @classmethod
    def late(cls, limit: float | None, when: str = "") -> Stop:
        """The time limit was reached."""
        return cls("time", f"the time limit of {limit:g} s was reached{when}", limit)


NoteKind = Literal[
    "question",
    "Z",
    "bound",
    "slots",
    "sorts",
    "clear",
    "check",
    "trace",
    "comparison",
    "limits",
    "threads",
    "samples",
    "tuples",
]


@record
class Note:
    """A remark about an answer."""

    kind: NoteKind
    text: str

    def __str__(self) -> str:
        return self.text


@record
class NumberOfThreads:
    """For how many threads an answer holds, where there is any number of some."""

    any_number: tuple[str, ...]
    """The types of which there is any number of threads."""
    counts: Mapping[str, int] | None = None
    """For a violation, how many threads of these types it takes."""
    is_fewest: bool = False
    """Whether fewer threads are known not to be enough."""
    safe_up_to: int | None = None
    """Without an answer, with how many threads of these types there is no violation."""

    @property
    def text(self) -> str:
        """The numbers of threads of a violation, in words."""
        return ", ".join(
            f"{counted(count, 'thread')} {name}" for name, count in (self.counts or {}).items()
        )


NO_TRACE = Note("trace", "there is no trace: the time limit was reached while it was made")
NO_CERTIFICATE = Note("check", "there is no certificate: the memory limit leaves no room for it")


@record
class Other:
    """What an engine had seen when another one had the answer, or when it dropped out."""

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


@record
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

    def __reduce__(self) -> tuple[Callable[..., NamedTrace], tuple[Subject, Trace]]:
        return NamedTrace.of, (self.subject, Trace(*_parts(self)))

    @cached_property
    def story(self) -> Story:
        """The run in the words of the source, step by step."""
        return self.subject.story(self)

    @cached_property
    def deadlock(self) -> Deadlock:
        """Why no thread can move at its end: only for a trace into a deadlock."""
        return self.subject.deadlock(self)

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


class Grounds:
    """A handle to the evidence of an answer. The evidence is made once, when it is first needed."""

    def __init__(
        self, make: Callable[[], Evidence | None], size: int = 0, symbols: int = 0
    ) -> None:
        self.size = size
        """How many states, or nodes, a certificate will list."""
        self.symbols = symbols
        """How many stack symbols a certificate of whole states will list."""
        self.is_late = False
        """Whether there is none, as a limit was reached while it was made."""
        self._make = make
        self._named: NamedTrace | None = None

    @property
    def bytes_of_stacks(self) -> int:
        """How much memory the stacks of a certificate will take."""
        return 8 * self.symbols

    @cached_property
    def evidence(self) -> Evidence | None:
        """The trace or certificate, if a limit left room for it."""
        try:
            return self._make()
        except AT_LIMIT:
            self.is_late = True
            return None

    def __reduce__(self) -> tuple[Callable[..., Grounds], tuple[object, ...]]:
        return Grounds._made, (self.evidence, self.size, self.symbols, self.is_late)

    @classmethod
    def _made(cls, evidence: Evidence | None, size: int, symbols: int, is_late: bool) -> Grounds:
        """Grounds whose evidence was made before they were pickled."""
        grounds = cls(lambda: evidence, size, symbols)
        grounds.evidence, grounds.is_late = evidence, is_late
        return grounds

    def trace(self, subject: Subject) -> NamedTrace | None:
        """The evidence, if it is a trace, with its names. It is made once."""
        if self._named is None and isinstance(self.evidence, Trace):
            self._named = NamedTrace.of(subject.of_traces, self.evidence)
        return self._named


@record
class Reached:
    """A handle to what was reached, which may be long to list."""

    visible: Callable[[], list[VisibleState]] = list
    """The visible states, up to symmetry if that is on."""
    points: Callable[[], list[list[int]]] | None = None
    """For each thread type, the points of a program that were reached, or may be."""
    certainty: Certainty = "reached"
    """What is certain about these points."""
    at_most: Callable[[], list[list[int]]] | None = None
    """The same for a Z that was complete beside them: what may be reached in this system."""

    def __reduce__(self) -> tuple[type[Reached], tuple[object, ...]]:
        points = None
        with suppress(*AT_LIMIT):  # A limit has ended the run inside of a step.
            points = None if self.points is None else _Listed.by(self.points)
        return Reached, (_Listed.by(self.visible), points, self.certainty)


@record
class _Listed:
    """A handle to a list that was made before it was pickled, or to the error about it."""

    found: list[Any] | UsageError

    @classmethod
    def by(cls, make: Callable[[], list[Any]]) -> _Listed:
        try:
            return cls(make())
        except UsageError as error:  # There are too many of them to be listed.
            return cls(error)

    def __call__(self) -> list[Any]:
        if isinstance(self.found, UsageError):
            raise self.found
        return self.found


@record
class Statistics:
    """What a run has counted, and what it took."""

    rounds: tuple[Round, ...]
    states: int | None = None
    """|R_k| of the last round, permutations counted; None where it is infinite or unknown."""
    visible_states: int | None = None
    """|T(R_k)| of the last round, permutations counted; None if it is not complete."""
    states_up_to_symmetry: int | None = None
    visible_up_to_symmetry: int | None = None
    z: ZSummary | None = None
    others: tuple[Other, ...] = ()
    """What other engines had seen."""
    seconds: float = 0.0
    check_seconds: float | None = None
    peak_memory_bytes: int = 0


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Result:
    """The answer of a run, with what it is based on. It never changes.

    >>> result = tepui.verify(tepui.load("examples/bluetooth1.bp"))
    >>> result.verdict, result.bound, result.resource, result.checked
    ('unsafe', 3, 'contexts', True)
    >>> result.trace
    <Trace of bluetooth1: 14 steps, 3 contexts>
    """

    verdict: Verdict
    subject: Subject
    """The subject of the run, which knows the names of everything."""
    asked: Property
    """What was asked; nothing for `explore`."""
    statistics: Statistics
    engine: str
    resource: Resource = "contexts"
    symmetry: bool = False
    tops: int = 1
    """How many symbols of each stack were looked at."""
    questions: tuple[Question, ...] = ()
    """What was asked, if that is about a program."""
    bound: int | None = None
    """The contexts of the violation, or the smallest k with T(R_k) = T(R), where known; the same in
    delays, if these are counted."""
    bound_rounds: int | None = None
    """Where delays are counted, the rounds within which the bound holds."""
    bound_is_fewest: bool = False
    """For a violation, whether a smaller bound is known not to be enough; where there is any number
    of threads, with those of the trace. The trace of an engine that does not look for the fewest
    contexts is shortened, but may have more than that."""
    proof: Proof | None = None
    stop: Stop | None = None
    grounds: Grounds | None = None
    """The evidence; None if the answer has none."""
    checked: bool = False
    """Whether the independent checker accepted the evidence."""
    interrupted: bool = False
    """Whether the user interrupted the run, or only the check."""
    reached: Reached = Reached()  # noqa: RUF009 - it never changes
    remarks: tuple[Note, ...] = ()
    """Remarks that are added when the run is over; `notes` has all of them."""
    threads: NumberOfThreads | None = None
    """For how many threads it holds, if there is any number of some."""
    assumptions: tuple[Assumption, ...] = ()
    """The assumptions of the answer: bounds, models and options that stand for something else."""

    def __deepcopy__(self, memo: object) -> Result:
        return self  # It never changes.

    @property
    def system(self) -> System:
        """The system that was explored."""
        return self.subject.system

    @property
    def knows_fewest_contexts(self) -> bool:
        """Whether its bound is the fewest contexts that a violation takes."""
        return self.resource == "contexts" and self.bound_is_fewest

    @property
    def evidence(self) -> Evidence | None:
        """The trace or certificate; a large certificate is made only when it is asked for."""
        return None if self.grounds is None else self.grounds.evidence

    @property
    def trace(self) -> NamedTrace | None:
        """The run into a bad state, if there is one."""
        if self.grounds is None or self.verdict != "unsafe":
            return None
        return self.grounds.trace(self.subject)

    @property
    def reason(self) -> str | None:
        """Why there is no answer, in words."""
        return None if self.stop is None else self.stop.text

    @property
    def notes(self) -> list[str]:
        """Remarks about the answer, in words."""
        late = self.grounds is not None and self.grounds.is_late
        missing = NO_TRACE if self.verdict == "unsafe" else NO_CERTIFICATE
        return [*map(str, self.remarks), *([str(missing)] if late else [])]

    @property
    def rounds(self) -> tuple[Round, ...]:
        return self.statistics.rounds

    @property
    def has_rounds(self) -> bool:
        """Whether the rounds are those of an exploration. An answer that a prover has given has
        none, nor has one about all instances of a program together."""
        return self.rounds[-1].states is not None or self.rounds[-1].visible > 0

    @property
    def states(self) -> int | None:
        return self.statistics.states

    @property
    def visible_states(self) -> int | None:
        return self.statistics.visible_states

    @property
    def states_up_to_symmetry(self) -> int | None:
        return self.statistics.states_up_to_symmetry

    @property
    def visible_up_to_symmetry(self) -> int | None:
        return self.statistics.visible_up_to_symmetry

    @property
    def z(self) -> ZSummary | None:
        return self.statistics.z

    @property
    def others(self) -> tuple[Other, ...]:
        return self.statistics.others

    @property
    def seconds(self) -> float:
        return self.statistics.seconds

    @property
    def check_seconds(self) -> float | None:
        return self.statistics.check_seconds

    @property
    def peak_memory_bytes(self) -> int:
        return self.statistics.peak_memory_bytes

    def with_note(self, kind: NoteKind, text: str) -> Result:
        """The same answer with one more remark."""
        return replace(self, remarks=(*self.remarks, Note(kind, text)))

    def with_statistics(self, **changed: Any) -> Result:
        """The same answer with other statistics."""
        return replace(self, statistics=replace(self.statistics, **changed))

    @property
    def violated(self) -> Violated | None:
        """What the trace violates, if there is a trace and this is known."""
        trace = self.trace
        return None if trace is None else self.subject.violated(self.asked, self.questions, trace)

    @property
    def deadlock(self) -> Deadlock | None:
        """Why no thread can move at the end of the trace, if a deadlock is what was found."""
        trace, violated = self.trace, self.violated
        if trace is None or violated is None or violated.kind != "deadlock":
            return None
        return trace.deadlock

    @property
    def coverage(self) -> Coverage | None:
        """The statements of a program and the threads that reach them; None if this is not about a
        program, or if a limit has ended the run inside of a step, which nobody can look into."""
        if self.subject.program is None or self.reached.points is None:
            return None
        try:
            points = self.reached.points()
        except AT_LIMIT:
            return None
        return self.subject.coverage(points, self.reached.certainty)

    def is_never_reached(self, question: Question) -> bool:
        """Whether a question is about an assertion that holds because no thread ever comes to
        it."""
        if not question.is_asserted or self.verdict != "safe" or self.reached.points is None:
            return False
        if self.reached.certainty == "reached":
            return False
        return self.subject.is_never_reached(question, self.reached.points())

    def list_visible(self) -> list[VisibleState]:
        """The visible states that were found, up to symmetry if that is on."""
        return self.reached.visible()

    def __str__(self) -> str:
        from tepui.report.text.summary import summary

        return summary(self)

    def __repr__(self) -> str:
        from tepui.report.text.summary import headline

        return f"<Result {headline(self)}>"

    def _repr_html_(self) -> str:
        from tepui.report.notebook import result_html

        return result_html(self)


@record
class Answer:
    """The answer to one of several questions.

    >>> program = tepui.load_program("examples/peterson.bp")
    >>> (answer,) = tepui.verify_all(program, tepui.deadlock())
    >>> answer.question.text, answer.result.verdict
    ('no deadlock', 'safe')
    """

    question: Question
    result: Result

    def __str__(self) -> str:
        from tepui.report.text.summary import answer_line

        return answer_line(self)

    def __repr__(self) -> str:
        return f"<Answer {self.result.verdict}: {self.question.text}>"

    def _repr_html_(self) -> str:
        from tepui.report.notebook import answer_html

        return answer_html(self)


class Answers(Sequence[Answer]):
    """The answers to several questions, in their order, with one line of text for each.

    They can be used like a list, and equal a list of the same answers.

    >>> program = tepui.load_program("examples/peterson.bp")
    >>> tepui.verify_all(program, [tepui.deadlock(), tepui.unreachable(program, "critical")])
    SAFE     no deadlock: Z (matched) has no bad state
    UNSAFE   critical is unreachable (peterson.bp:27): violated with 1 context
    """

    def __init__(self, answers: Iterable[Answer] = ()) -> None:
        self._answers = tuple(answers)

    @overload
    def __getitem__(self, place: int) -> Answer: ...

    @overload
    def __getitem__(self, place: slice) -> Answers: ...

    def __getitem__(self, place: int | slice) -> Answer | Answers:
        if isinstance(place, slice):
            return Answers(self._answers[place])
        return self._answers[place]

    def __len__(self) -> int:
        return len(self._answers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answers | list) and [*self] == [*other]

    def __hash__(self) -> int:
        return hash(self._answers)

    def __str__(self) -> str:
        return "\n".join(map(str, self._answers))

    def __repr__(self) -> str:
        return str(self) or "<no answers>"

    def _repr_html_(self) -> str:
        from tepui.report.notebook import answers_html

        return answers_html(self)


def _parts(
    trace: Trace,
) -> tuple[int, tuple[Word, ...], Sequence[TraceStep], int, Schedule | None]:
    """The fields by which traces are compared."""
    start = trace.initial_shared, trace.initial_stacks
    return *start, trace.steps, trace.contexts, trace.schedule
