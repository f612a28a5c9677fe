"""A trace of a program that was followed to its end: who is where, and who wrote what last."""

from __future__ import annotations

from collections.abc import Iterator

from tepui.checker import Trace
from tepui.checker.trace_steps import Move
from tepui.kernels.lowered_system import LoweredSystem
from tepui.program.expressions import Variable
from tepui.program.layout import Cell, Frame, SharedState, Value
from tepui.program.program import variable_of
from tepui.program.semantics.evaluation import Depends, Evaluation, Store, values_of
from tepui.program.semantics.meaning import Meaning
from tepui.program.semantics.sections import Micro
from tepui.program.walk import targets_of
from tepui.records import replace
from tepui.subject.deadlock.explanation import Place, Written
from tepui.subject.deadlock.stuck_state import unread
from tepui.subject.derivations import Description
from tepui.subject.program_story import Narrator
from tepui.subject.story import Activation, ProgramStory, Resting, StatementStep


class Followed(Narrator):
    """Remembers for each global scalar the last statement that assigned it."""

    def __init__(
        self, system: LoweredSystem, description: Description, meaning: Meaning, trace: Trace
    ) -> None:
        super().__init__(system, description, meaning)
        self._done = 0
        """How many statements the story has so far."""
        self._last: dict[int, int] = {}
        """For each global scalar, the number of the last statement that assigned it."""
        self._pending: set[int] = set()
        """What the statement assigns that the story tells next."""
        self._evaluations = [
            Evaluation(self._layout, number, values_of)
            for number in range(len(self._program.procedures))
        ]
        self._story: ProgramStory = self.story(trace)
        self._contexts = [
            number
            for number, context in enumerate(self._story.contexts, start=1)
            for _ in context.steps
        ]

    @property
    def resting(self) -> tuple[Resting, ...]:
        """Where the threads are at the end."""
        return self._story.resting

    def name(self, thread: int) -> str:
        """The name of a thread at the end."""
        return self._name(thread)

    def is_there(self, thread: int, shared: SharedState) -> bool:
        """Whether a thread of the system stands for a thread of the program."""
        return not self._threads.is_empty(thread, shared)

    def begins(self, thread: int) -> tuple[int, int]:
        """The procedure and the location where a thread begins."""
        procedure = self._threads.procedure(thread)
        number, start = self._program.numbers[procedure.name], self._thread_type(thread).start
        if start is None or procedure.name != self._thread_type(thread).procedure:
            return number, procedure.entry
        return number, start

    def text(self, cell: Cell, value: Value) -> str | None:
        """A value at the end as text; a thread by its name."""
        return self._threads.text(cell, value)

    def stack(self, thread: int, rest: Resting) -> tuple[Activation, ...]:
        """The calls that a thread is in at the end, the running one first."""
        calls = [Activation(each.procedure, each.line, each.locals) for each in self._calls[thread]]
        if calls and rest.at is not None and calls[-1].procedure == rest.at.procedure:
            calls[-1] = replace(calls[-1], line=rest.at.line)
        return tuple(reversed(calls))

    def last_written(self, address: int) -> Written | None:
        """The last statement that assigned a global scalar, if any did."""
        number = self._last.get(address)
        if number is None:
            return None
        step = self._story.steps[number - 1]
        place = Place(step.position, step.procedure, step.text)
        name = self._layout.shared_cells[address].name
        return Written(name, step.thread, self._contexts[number - 1], number, place)

    def follow(self, thread: int, shared: SharedState, frame: Frame, micro: Micro) -> None:
        if micro.edge is None or micro.procedure is None:
            return
        for address in self._pending:
            self._last.pop(address, None)  # The story does not tell that statement.
        self._pending = set(self._assigned(thread, shared, frame, micro))

    def _assigned(
        self, thread: int, shared: SharedState, frame: Frame, micro: Micro
    ) -> Iterator[int]:
        """The addresses of the global scalars that a statement assigns."""
        assert micro.edge is not None
        assert micro.procedure is not None
        evaluation = self._evaluations[micro.procedure]
        store = Store((*unread(shared), *unread(frame.values, len(shared))), own=thread + 1)
        for target in targets_of(micro.edge):
            try:
                addresses = {address for address, _ in evaluation.targeted(target, store)}
            except Depends:
                addresses = self._changed(evaluation, variable_of(target), shared, micro)
            yield from (address for address in addresses if address < len(self._globals))

    def _changed(
        self, evaluation: Evaluation, variable: Variable, shared: SharedState, micro: Micro
    ) -> set[int]:
        """The element of a global array that a statement has changed, if its index had no value
        before. If none has changed, it is not known which was assigned, nor who did so last."""
        if variable.procedure is not None:
            return set()
        first = evaluation.address(variable)
        places = range(first, first + variable.length)
        changed = {place for place in places if shared[place] != micro.shared[place]}
        if not changed:
            for place in places:
                self._last.pop(place, None)
        return changed

    def _scheduled_step(self, step: Move, delayed: tuple[int, ...]) -> Iterator[StatementStep]:
        for statement in super()._scheduled_step(step, delayed):
            self._done += 1
            self._last |= dict.fromkeys(self._pending, self._done)
            self._pending = set()
            yield statement
