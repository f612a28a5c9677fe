"""A trace in statements that its user has written, where most of a program comes from libraries.

Steps inside libraries, and steps of code that a compiler has made, are no news by themselves. What
they change of shared variables belongs to the statement that led to them. If a context begins
inside a library, it begins with the statement that is being executed there.

A step that goes on with a statement is shown as a step of its own only at the beginning of a
context: otherwise its changes belong to the statement, too. Atomic sections are those of libraries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tepui.program.program import NOWHERE, Position, Procedure, Program
from tepui.program.types import Array
from tepui.records import replace
from tepui.subject.story import Activation, Change, Context, ProgramStory, StatementStep

GOES_ON = "… "
"""What the text of a location begins with at which a statement goes on."""


def own_story(story: ProgramStory, program: Program) -> ProgramStory:
    """The same story, as the user of a program wants to read it that has files of its own."""
    told = _Told(story, program)
    contexts = tuple(
        Context(context.thread, tuple(told.steps(context.steps))) for context in story.contexts
    )
    start = tuple(change for change in story.start if change.name not in told.unseen)
    return replace(story, start=start, contexts=contexts)


class _Told:
    """What is news in a story."""

    def __init__(self, story: ProgramStory, program: Program) -> None:
        self._procedures = program.by_name
        self._own = frozenset(program.own_files)
        self._shared = {change.name for change in story.start}
        self.unseen = {*program.unseen, *_cells(program)}

    def steps(self, steps: Sequence[StatementStep]) -> Iterator[StatementStep]:
        """The news of a context."""
        told: StatementStep | None = None
        is_begun = False
        """Whether the first statement is only known from the calls that it makes."""
        for number, step in enumerate(steps):
            seen = tuple(self._seen(step, steps[number + 1 : number + 2]))
            step = replace(step, changes=seen, inside_atomic=False)
            if told is None:
                told = self._first(step)
                is_begun = told is not None and not self._is_written(step)
            elif not self._is_news(step, told):
                told = replace(told, changes=tuple(_merged(told.changes, step.changes)))
            elif _are_at_one_place(step, told) and (is_begun or step.action == "violation"):
                told = replace(step, changes=tuple(_merged(told.changes, step.changes)))
                is_begun = False
            else:
                yield told
                told, is_begun = step, False
        if told is not None:
            yield told

    def _seen(self, step: StatementStep, following: Sequence[StatementStep]) -> Iterator[Change]:
        """What a step changes: of a library, shared variables only."""
        calls_library = any(not self._is_own(each) for each in following)
        own = self._is_own(step) and not (step.action == "call" and calls_library)
        for change in step.changes:
            if change.name not in self.unseen and (own or change.name in self._shared):
                yield change

    def _first(self, step: StatementStep) -> StatementStep | None:
        """The first step of a context, or the statement in which it is; None if there is none."""
        if self._is_own(step) and self._is_written(step):
            return step
        for activation in step.stack:
            position, text = self._statement_at(activation)
            if position is not None:
                return replace(
                    step, position=position, procedure=activation.procedure, statement=text
                )
        return step if step.changes and self._is_own(step) else None

    def _is_news(self, step: StatementStep, before: StatementStep) -> bool:
        if not self._is_own(step) or not self._is_written(step):
            return False
        if step.action == "result":
            return False
        goes_on = step.statement.startswith(GOES_ON) and step.action != "violation"
        return not (goes_on and _are_at_one_place(step, before))

    def _is_own(self, step: StatementStep) -> bool:
        return step.position.file in self._own and step.position.line > 0

    def _is_written(self, step: StatementStep) -> bool:
        """Whether the text of a step stands in the source."""
        procedure = self._procedures.get(step.procedure)
        return procedure is not None and any(
            location.text == step.statement for location in procedure.locations
        )

    def _statement_at(self, activation: Activation) -> tuple[Position | None, str]:
        """The statement in which a call of a user's own procedure is."""
        procedure = self._procedures.get(activation.procedure)
        if procedure is None or procedure.position.file not in self._own or not activation.line:
            return None, ""
        return _statement(procedure, activation.line)


def _are_at_one_place(step: StatementStep, other: StatementStep) -> bool:
    return (step.position, step.procedure) == (other.position, other.procedure)


def _statement(procedure: Procedure, line: int) -> tuple[Position | None, str]:
    for location in procedure.locations:
        if location.position.line == line and location.text:
            position = None if location.position == NOWHERE else location.position
            return position, GOES_ON + location.text.removeprefix(GOES_ON)
    return None, ""


def _cells(program: Program) -> Iterator[str]:
    """The names of the shared cells that nobody wants to see."""
    for variable in program.globals:
        if variable.name in program.unseen:
            type_ = variable.type
            if isinstance(type_, Array):
                yield from type_.names
                yield from (f"{variable.name}[{number}]" for number in range(type_.length))
            else:
                yield variable.name


def _merged(first: Iterable[Change], second: Iterable[Change]) -> Iterator[Change]:
    """The changes of two steps as those of one."""
    found: dict[str, Change] = {}
    for change in (*first, *second):
        before = found.get(change.name, change).before
        found[change.name] = Change(change.name, before, change.after)
    return (change for change in found.values() if change.before != change.after)
