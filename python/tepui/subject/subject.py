"""The Subject of a run, and the one that is a pushdown system."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Literal

from tepui.checker import Evidence, Trace, check
from tepui.model import EPSILON, Pattern, Property, Reach, System
from tepui.records import record

if TYPE_CHECKING:
    from tepui.model.system import VisibleState
    from tepui.program.layout import Cell
    from tepui.program.program import Location, Position, Program
    from tepui.program.questions import Kind, Question
    from tepui.result import Result, ZSummary
    from tepui.subject.coverage import Certainty, Coverage
    from tepui.subject.deadlock.explanation import Deadlock
    from tepui.subject.derivations import Slots, SortSummary
    from tepui.subject.invariants import StatementValues
    from tepui.subject.missing_generators import Awaited
    from tepui.subject.story import Story

_SHOWN = 5
"""How many bad states are named one by one."""


def about(system: System) -> Subject:
    """The subject of a system, which may be the system of a program."""
    if system.program is None:
        return SystemSubject(system)
    from tepui.kernels.lowered_system import explorable, lowered
    from tepui.subject.program_subject import ProgramSubject

    return ProgramSubject(explorable(lowered(system)))


def title_of(model: System | Program) -> str:
    """The name of a model in a headline: for a program, the file that it comes from, if any."""
    if isinstance(model, System):
        return model.name
    if model.as_written.title:
        return model.as_written.title
    files = [procedure.position.file for procedure in model.procedures]
    return PurePath(files[0]).name or model.name if files else model.name


@record
class Violated:
    """What the end of a trace violates."""

    kind: Kind | Literal["bad state"]
    text: str
    """What must not happen, in words."""
    question: Question | None = None
    """The question about a program that it violates."""
    position: Position | None = None
    """Where in the program, if at one place."""

    @property
    def is_asserted(self) -> bool:
        """Whether it is an assertion of a program."""
        return self.question is not None and self.question.is_asserted


class Subject(ABC):
    """What a run is about."""

    system: System
    """What engines explore."""
    program: Program | None = None
    """The program whose system that is, if it is one."""

    @property
    @abstractmethod
    def model(self) -> System | Program:
        """What was read. For a program that a pass has made, the program as it was written."""

    @property
    def title(self) -> str:
        """What it is called in a headline."""
        return title_of(self.model)

    @property
    def fused(self) -> bool:
        """Whether steps that touch nothing shared are part of the step before."""
        return False

    @property
    def of_traces(self) -> Subject:
        """What traces are about: the same, without fused steps."""
        return self

    def in_single_steps(self, trace: Trace) -> Trace:
        """A trace that an engine has found, as a run of the subject of traces."""
        return trace

    @property
    def slots(self) -> Slots | None:
        """The room for forked threads, where these had to be given some."""
        return None

    @property
    def sorts(self) -> Sequence[SortSummary]:
        """The sorts of which only some values are looked at."""
        return ()

    @abstractmethod
    def questions_of(self, asked: Property) -> list[Question]:
        """The questions that make up a property, where the original ones are not at hand; there are
        none for a system."""

    @abstractmethod
    def asked_text(self, asked: Property, questions: Sequence[Question]) -> str:
        """All that is asked, in words; empty if nothing is asked."""

    @abstractmethod
    def violated(
        self, asked: Property, questions: Sequence[Question], trace: Trace
    ) -> Violated | None:
        """Which question the end of a trace violates, if that is known."""

    def places(self, question: Question) -> list[tuple[str, Location]]:
        """The places that a question names, each once, with their procedures."""
        return []

    def location(self, question: Question) -> Location | None:
        """The place that a question is about, if it is one."""
        return None

    @abstractmethod
    def symbols_at(self, template: int, places: Collection[int]) -> list[int]:
        """The symbols of a template at some places. For a program, these are its frames at some
        points; in a system, a place is a symbol."""

    @abstractmethod
    def values_at(self, thread: int, shared: int, symbol: int) -> tuple[int | None, ...] | None:
        """The values of what a thread with this symbol on top sees, or None in a state that does
        not count."""

    @abstractmethod
    def values_named(self, place: int) -> list[tuple[str, Mapping[int, str]]]:
        """The names of these values, and how values that are not numbers are written."""

    @abstractmethod
    def story(self, trace: Trace) -> Story:
        """A trace as people read it. It is made anew each time: `NamedTrace.story` keeps it."""

    def coverage(self, points: Sequence[Sequence[int]], certain: Certainty) -> Coverage | None:
        """The statements of a program and the threads that reach them, by the points that each
        thread type reaches."""
        return None

    def is_never_reached(self, question: Question, points: Sequence[Sequence[int]]) -> bool:
        """Whether no thread ever comes to the assertion that a question is about."""
        return False

    def values_at_statements(
        self, evidence: Evidence, wanted: Callable[[Cell], bool]
    ) -> list[StatementValues]:
        """The values of the wanted variables at each statement of a program, by a certificate."""
        return []

    @abstractmethod
    def deadlock(self, trace: Trace) -> Deadlock:
        """Why no thread can move at the end of a trace, if that is so. It is made anew each time:
        `NamedTrace.deadlock` keeps it."""

    def generators(self, z: ZSummary | None) -> list[VisibleState] | None:
        """The generators in Z, up to symmetry; None where they are not known."""
        return None

    def awaited(
        self, result: Result, generators: Sequence[VisibleState] | None
    ) -> list[Awaited] | None:
        """For each plateau of a result, the generators in Z that were missing then; None if they
        are not known."""
        if generators is None:
            return None
        from tepui.subject.missing_generators import awaited

        return awaited(result, generators)

    @abstractmethod
    def check(
        self,
        asked: Property,
        evidence: Evidence,
        go_on: Callable[[], bool],
        *,
        reference: bool = False,
    ) -> None:
        """Let the independent checker examine evidence, the fast one or its `reference`: an
        EvidenceError if it rejects it."""

    def names_nothing(self, asked: Property) -> bool:
        """Whether a property is about places that do not exist."""
        return False

    @abstractmethod
    def check_derivation(self) -> None:
        """An EvidenceError if a pass has made this in another way than it should have."""

    @abstractmethod
    def write(self, path: Path, asked: Property, evidence: Evidence) -> None:
        """Write evidence to a file; an OSError is passed on."""


class SystemSubject(Subject):
    """A pushdown system."""

    def __init__(self, system: System) -> None:
        self.system = system

    @property
    def model(self) -> System:
        return self.system

    def questions_of(self, asked: Property) -> list[Question]:
        return []

    def asked_text(self, asked: Property, questions: Sequence[Question] = ()) -> str:
        """The bad states, as a person would write them."""
        parts = [self._pattern_text(pattern) for pattern in asked.patterns]
        parts += [self._reach_text(reach) for reach in asked.reaches]
        if asked.deadlock:
            parts.append("deadlock")
        more = [f"and {len(parts) - _SHOWN} more"] if len(parts) > _SHOWN else []
        return "; ".join(parts[:_SHOWN] + more)

    def violated(self, asked: Property, questions: Sequence[Question], trace: Trace) -> Violated:
        """The part of a property that the end of a trace matches."""
        shared, stacks = trace.end
        seen = (shared, *(stack[0] if stack else EPSILON for stack in stacks))
        for pattern in asked.patterns:
            wanted = zip((pattern.shared, *pattern.tops), seen, strict=True)
            if all(want in (None, have) for want, have in wanted):
                return Violated("bad state", self._pattern_text(pattern))
        for reach in asked.reaches:
            in_sets = zip(reach.stacks, stacks, strict=True)
            if reach.shared in (None, shared) and all(
                wanted is None or wanted.accepts(stack) for wanted, stack in in_sets
            ):
                return Violated("bad state", self._reach_text(reach))
        return Violated("deadlock", "deadlock: no thread can move")

    def symbols_at(self, template: int, places: Collection[int]) -> list[int]:
        return sorted(places)

    def values_at(self, thread: int, shared: int, symbol: int) -> tuple[int | None, ...]:
        return (shared,)

    def values_named(self, place: int) -> list[tuple[str, Mapping[int, str]]]:
        return [("shared state", dict(enumerate(self.system.shared)))]

    def story(self, trace: Trace) -> Story:
        from tepui.subject.system_story import system_story

        return system_story(self.system, trace)

    def deadlock(self, trace: Trace) -> Deadlock:
        from tepui.subject.deadlock.system_deadlock import system_deadlock
        from tepui.subject.system_story import system_story

        return system_deadlock(self.system, system_story(self.system, trace), trace)

    def generators(self, z: ZSummary | None) -> list[VisibleState] | None:
        from tepui.subject.missing_generators import generators_in_z

        return generators_in_z(self.system, z)

    def check(
        self,
        asked: Property,
        evidence: Evidence,
        go_on: Callable[[], bool],
        *,
        reference: bool = False,
    ) -> None:
        check(self.system, asked, evidence, go_on, reference=reference)

    def check_derivation(self) -> None:
        """No pass has made it."""

    def write(self, path: Path, asked: Property, evidence: Evidence) -> None:
        from tepui.checker.files import write_evidence

        write_evidence(path, self.system, asked, evidence)

    def _pattern_text(self, pattern: Pattern) -> str:
        shared = "*" if pattern.shared is None else self.system.shared[pattern.shared]
        tops = (
            "*" if top is None else self.system.template_of(thread).symbols[top]
            for thread, top in enumerate(pattern.tops)
        )
        return f"{shared} | {', '.join(tops)}"

    def _reach_text(self, reach: Reach) -> str:
        from tepui.automata.reach_property import reach_text

        return reach_text(self.system, reach)
