"""The Subject that is a program, as written or made by a pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tepui.checker import Evidence, Trace
from tepui.kernels.lowered_system import LoweredSystem
from tepui.model import EPSILON, Property
from tepui.program.layout import Cell, known
from tepui.program.program import Location, Program
from tepui.program.questions import Question, questions_of, questions_text, violated_question
from tepui.program.semantics.meaning import Meaning, meaning_of
from tepui.program.types import Enumeration
from tepui.subject.derivations import Description, Slots, SortSummary, description_of, sorts_of
from tepui.subject.story import ProgramStory
from tepui.subject.subject import Subject, Violated

if TYPE_CHECKING:
    from tepui.checker.programs.state_tables import ProgramTables
    from tepui.subject.coverage import Certainty, Coverage
    from tepui.subject.deadlock.explanation import Deadlock
    from tepui.subject.invariants import StatementValues


class ProgramSubject(Subject):
    """A program, with the system that was made from it for some questions."""

    system: LoweredSystem
    program: Program

    def __init__(self, system: LoweredSystem) -> None:
        self.system = system
        self.program = system.program

    def __getstate__(self) -> dict[str, object]:
        """All else is made again when it is needed. Traces have the numbers of their own system."""
        kept = {"system": self.system, "program": self.program}
        return {**kept, "of_traces": self.of_traces} if self.fused else kept

    @property
    def model(self) -> Program:
        return self.program.as_written

    @property
    def fused(self) -> bool:
        return self.system.options.fused is not None

    @cached_property
    def of_traces(self) -> ProgramSubject:
        if not self.fused:
            return self
        from tepui.subject.single_steps import without_fusion

        return ProgramSubject(without_fusion(self.system))

    def in_single_steps(self, trace: Trace) -> Trace:
        if not self.fused:
            return trace
        from tepui.subject.single_steps import in_single_steps

        return in_single_steps(trace, self.system, self.of_traces.system, self._meaning)

    @property
    def slots(self) -> Slots | None:
        return self._description.slots

    @property
    def sorts(self) -> list[SortSummary]:
        return sorts_of(self.program)

    def questions_of(self, asked: Property) -> list[Question]:
        return questions_of(self.program, asked)

    def asked_text(self, asked: Property, questions: Sequence[Question]) -> str:
        return questions_text(questions)

    def violated(
        self, asked: Property, questions: Sequence[Question], trace: Trace
    ) -> Violated | None:
        """The first question that the end of the trace violates."""
        shared, stacks = trace.end
        classes = [
            self.of_traces.system.template_of(thread).class_of(stack[0] if stack else EPSILON)
            for thread, stack in enumerate(stacks)
        ]
        question = violated_question(questions, shared, classes)
        if question is None:
            return None
        location = self.location(question)
        position = None if location is None else location.position
        return Violated(question.kind, question.text, question, position)

    def places(self, question: Question) -> list[tuple[str, Location]]:
        found: dict[object, tuple[str, Location]] = {}
        layout = self.system.layout
        for point in (point for group in question.places for point in group):
            location = layout.location(point)
            if location is not None:
                procedure = self.program.procedures[layout.procedure_number(point)]
                found.setdefault((location.position, location.text), (procedure.name, location))
        return list(found.values())

    def location(self, question: Question) -> Location | None:
        return None if question.point is None else self.system.layout.location(question.point)

    def symbols_at(self, template: int, places: Collection[int]) -> list[int]:
        frames = self.system.frames(template) if places else []
        return [symbol for symbol in range(1, len(frames)) if frames[symbol].point in places]

    def values_at(self, thread: int, shared: int, symbol: int) -> tuple[int | None, ...] | None:
        """The values of the global variables, and of the local ones that the source has; None where
        a violated assertion has ended the run."""
        layout, lock = self.system.layout, self.program.lock
        values = list(self.system.shared_values()[shared])
        if "halted" in layout.hidden and values[layout.hidden["halted"]] == 1:
            return None
        if lock is not None and values[layout.hidden["holder"]] == 0:
            before = self.program.globals[: self.program.globals.index(lock)]
            address = sum(variable.length for variable in before)
            values[address] = values[address] or 0  # If it has no value, no thread ever closed it.
        frame = self.system.frames(self.system.threads[thread])[symbol]
        cells = zip(self._frame_cells(frame.point), frame.values, strict=True)
        local = (value for cell, value in cells if cell.is_of_source)
        return tuple(map(known, (*values[: layout.own_cells], *local)))

    def values_named(self, place: int) -> list[tuple[str, Mapping[int, str]]]:
        """A local variable that hides a global one is called by its procedure, too."""
        layout = self.system.layout
        cells, procedure = layout.shared_cells[: layout.own_cells], layout.procedure(place)
        taken = {cell.name for cell in cells}
        named = [(cell.name, _texts(cell)) for cell in cells]
        for cell in self._frame_cells(place):
            if cell.is_of_source and procedure is not None:
                hides = cell.name in taken
                name = f"{procedure.name}.{cell.name}" if hides else cell.name
                named.append((name, _texts(cell)))
        return named

    def story(self, trace: Trace) -> ProgramStory:
        from tepui.subject.program_story import program_story

        told = self.of_traces
        story = program_story(told.system, told._description, told._meaning, trace)
        written = self.program.as_written
        if not written.own_files:
            return story
        # Most programs have no libraries, and the import takes time.
        from tepui.subject.own_story import own_story

        return own_story(story, written)

    def coverage(self, points: Sequence[Sequence[int]], certain: Certainty) -> Coverage:
        from tepui.subject.coverage import program_coverage

        return program_coverage(self.system, self._description, points, certain)

    def is_never_reached(self, question: Question, points: Sequence[Sequence[int]]) -> bool:
        from tepui.subject.coverage import is_never_reached

        if self.program.as_written.own_files:
            return False  # Where an exception is thrown, to be reached is to be violated.
        return is_never_reached(self.system, question, points)

    def values_at_statements(
        self, evidence: Evidence, wanted: Callable[[Cell], bool]
    ) -> list[StatementValues]:
        from tepui.subject.invariants import values_at_statements

        # What holds for the values of such a sort that are looked at need not hold for all.
        partial = {Enumeration(sort.values) for sort in self.sorts}
        return values_at_statements(
            self.system,
            self._description,
            evidence,
            lambda cell: wanted(cell) and cell.type not in partial,
        )

    def deadlock(self, trace: Trace) -> Deadlock:
        from tepui.subject.deadlock.program_deadlock import program_deadlock

        told = self.of_traces
        return program_deadlock(told.system, told._description, told._meaning, trace)

    def check(
        self,
        asked: Property,
        evidence: Evidence,
        go_on: Callable[[], bool],
        *,
        reference: bool = False,
    ) -> None:
        """The checker is given the program, not its system."""
        from tepui.checker.programs.program_check import check_as_written

        of = self.of_traces if isinstance(evidence, Trace) else self
        check_as_written(
            self.program,
            of.system.options,
            asked,
            of._tables,
            evidence,
            go_on,
            reference=reference,
        )

    def names_nothing(self, asked: Property) -> bool:
        from tepui.checker.certificates.all_states import names_nothing

        written = self.program.as_written
        return written.forks and not written.layout.limits and names_nothing(self.program, asked)

    def check_derivation(self) -> None:
        from tepui.checker.programs.program_check import check_derivation

        check_derivation(self.program)

    def write(self, path: Path, asked: Property, evidence: Evidence) -> None:
        from tepui.checker.files import write_program_evidence

        of = self.of_traces if isinstance(evidence, Trace) else self
        options = of.system.options
        write_program_evidence(path, self.program, asked, options, of._tables, evidence)

    def _frame_cells(self, point: int) -> Sequence[Cell]:
        layout = self.system.layout
        return layout.frame_cells[layout.locations[point][0]]

    @cached_property
    def _description(self) -> Description:
        return description_of(self.program)

    @cached_property
    def _meaning(self) -> Meaning:
        """The semantics that finds the statements of a step; the checker has its own."""
        return meaning_of(self.program, self.system.options)

    @property
    def _tables(self) -> ProgramTables:
        """The states that the numbers of the system stand for."""
        from tepui.checker.programs.state_tables import ProgramTables

        templates = self.system.layout.templates
        of_types = {kind: number for number, (kind, _) in reversed(list(enumerate(templates)))}
        frames = tuple(self.system.frames(of_types[kind]) for kind in sorted(of_types))
        return ProgramTables(self.system.shared_values(), frames)


def _texts(cell: Cell) -> Mapping[int, str]:
    """The values of a variable that are not written as numbers."""
    return dict(enumerate(cell.type.members)) if isinstance(cell.type, Enumeration) else {}
