"""A trace of a program in the words of its source: which thread runs which statement, and what it
changes.

A step of the program's system may consist of several statements, inside an atomic section and in
the calls that it makes; the reference semantics (`program.semantics.meaning`) says which. Each is a
step here. Variables of the running activation and global ones are shown where they change;
variables that only the verifier needs are left out.

A local variable whose value no longer matters loses it; that is not shown as a change. A variable
that was given any value has none until it is read, so it may get one in a step that reads it.

A forked thread has its own name here, not that of the slot in which it runs (`slot_story`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, repeat

from tepui.checker import Trace
from tepui.checker.trace_steps import Move
from tepui.kernels.lowered_system import LoweredSystem
from tepui.model.system import Word
from tepui.program.expressions import Constant, Variable
from tepui.program.layout import Cell, Frame, SharedState, Value, known
from tepui.program.program import (
    NOWHERE,
    Assert,
    Call,
    Edge,
    End,
    Location,
    Procedure,
    Receive,
    Return,
    Step,
    Target,
    Thread,
    is_check,
    variable_of,
)
from tepui.program.semantics.meaning import Meaning
from tepui.program.semantics.sections import Micro
from tepui.subject.derivations import Description
from tepui.subject.story import (
    Action,
    Activation,
    Change,
    Context,
    Linked,
    Local,
    ProgramStory,
    Resting,
    StatementStep,
    StoryThread,
)


def program_story(
    system: LoweredSystem, description: Description, meaning: Meaning, trace: Trace
) -> ProgramStory:
    """A trace of a program's system, in terms of the program as it was written."""
    return Narrator(system, description, meaning).story(trace)


_MOST_STEPS = 10_000
"""Of how many different steps it is kept what they consist of."""


@dataclass(slots=True)
class _Activation:
    """A call that has not returned: its procedure, its current line, and its variables.

    After a tail call it has nothing left to do, and returns together with what it called.
    """

    procedure: str
    line: int
    locals: tuple[Local, ...] = ()
    spent: bool = False
    below: Linked[Activation] = None
    """The calls that it is in. None of them changes before it returns."""


class Narrator:
    """Follows a trace, and keeps for each thread the calls that it is in.

    Who wants to know more about the end of a trace derives from it (`deadlock.followed`).
    """

    def __init__(self, system: LoweredSystem, description: Description, meaning: Meaning) -> None:
        self._system = system
        self._program = system.program
        self._layout = system.layout
        self._description = description
        self._threads = description.threads()
        self._globals = self._layout.shared_cells[: description.own_globals]
        self._shared = system.shared_values()
        self._types = self._program.thread_types
        self._frames = [system.frames(template) for template in range(len(system.templates))]
        self._meaning = meaning
        self._calls: list[list[_Activation]] = [
            [] if self._is_absent(thread) else [self._first(thread)]
            for thread in range(len(system.threads))
        ]
        self._statements: dict[int, int] = {}
        """For each thread that has announced what it does next, the location of that."""
        self._delayed: list[str] = []
        """The threads that were delayed since the last statement."""
        self._context = 0
        self._known: dict[Move, tuple[SharedState, Frame, Sequence[Micro]]] = {}
        """What steps consist of."""

    def story(self, trace: Trace) -> ProgramStory:
        contexts = []
        delayed: Iterable[tuple[int, ...]] = repeat(())
        if trace.schedule is not None:
            # Few traces have a schedule, and the import takes time.
            from tepui.subject.schedule import delayed_before_steps

            delayed = delayed_before_steps(self._system, trace)
        scheduled = zip(trace.differences.moves(), delayed, strict=False)
        for thread, steps in groupby(scheduled, key=lambda pair: pair[0][0]):
            self._context += 1
            statements = tuple(each for pair in steps for each in self._scheduled_step(*pair))
            if statements or thread not in self._statements:
                contexts.append(Context(self._name(thread), statements))
        last, stacks = trace.end
        shared = self._shared[last]
        initial = zip(self._globals, self._shared[trace.initial_shared], strict=False)
        start = (
            Change(cell.name, None, self._threads.text(cell, value)) for cell, value in initial
        )
        resting = (
            self._resting(thread, stack, shared)
            for thread, stack in enumerate(stacks)
            if not self._threads.is_empty(thread, shared)
        )
        return ProgramStory(
            tuple(start),
            tuple(contexts),
            tuple(self._with_a_part({context.thread for context in contexts})),
            tuple(resting),
            tuple(self._threads.forked),
            trace.schedule,
        )

    def follow(self, thread: int, shared: SharedState, frame: Frame, micro: Micro) -> None:
        """Called before each statement, with the shared state and the frame that it finds."""

    def _with_a_part(self, running: Collection[str]) -> Iterator[StoryThread]:
        """The threads that are there from the start, and those that were forked and run."""
        for name, thread_type in zip(self._system.thread_names, self._types, strict=True):
            if thread_type < self._description.own_types:
                yield StoryThread(name, self._program.threads[thread_type].created)
        for forked in self._threads.forked:
            if forked.name in running:
                yield StoryThread(forked.name, True)

    def _name(self, thread: int) -> str:
        forked = self._threads.in_slot(thread)
        return self._system.thread_names[thread] if forked is None else forked.name

    def _is_absent(self, thread: int) -> bool:
        """Whether a thread is there from the start, but has not begun."""
        thread_type = self._types[thread]
        return self._thread_type(thread).created or thread_type >= self._description.own_types

    def _resting(self, thread: int, stack: Word, shared: SharedState) -> Resting:
        name, template = self._name(thread), self._system.threads[thread]
        if not stack:
            return Resting(name, None, "over", None)
        frame = self._frames[template][stack[0]]
        location = self._layout.location(frame.point)
        source, about_to = frame.point, ""
        if frame.point < self._layout.waiting:
            index, number = self._layout.locations[frame.point]
            about_to = self._description.about_to(index, number)
            origin = self._description.origin(index, number)
            source = self._layout.point(index, self._statements[thread] if origin < 0 else origin)
            location = self._layout.location(source)
        if location is None:
            created = shared[self._layout.created(self._thread_type(thread))] == 1
            words = "not started yet" if created else "not created yet"
            return Resting(name, None, words, None)
        position = None if location.position == NOWHERE else location.position
        procedure, at = self._layout.procedure_number(frame.point), None
        if self._description.is_own_procedure(procedure):
            name_of = self._program.procedures[procedure].name
            calls = self._calls[thread]
            known = calls[-1].locals if calls and calls[-1].procedure == name_of else ()
            at = Activation(name_of, location.position.line, known)
        words = f"{location.text or self._rest(source)}{about_to}"
        return Resting(name, position, words, at)

    def _rest(self, point: int) -> str:
        """What a thread is about to do where the source has no statement."""
        index, number = self._layout.locations[point]
        if not self._description.is_own_procedure(index):
            return "about to end" if number else "not started yet"
        procedure = self._program.procedures[index]
        if any(isinstance(edge, Return | End) for edge in procedure.leaving[number]):
            return f"end of {procedure.name}"
        if any(isinstance(edge, Receive) for edge in procedure.leaving[number]):
            return _call_text(procedure, number)
        received = any(
            isinstance(edge, Receive) and edge.target == number for edge in procedure.edges
        )
        return "what was returned is assigned" if received else f"start of {procedure.name}"

    def _scheduled_step(self, step: Move, delayed: tuple[int, ...]) -> Iterator[StatementStep]:
        """Like `_step`; the first statement has the threads that are delayed before it, or before
        steps without a statement."""
        self._delayed += map(self._name, delayed)
        for statement in self._step(step):
            yield replace(statement, delayed=tuple(self._delayed))
            self._delayed.clear()

    def _explained(self, step: Move) -> tuple[SharedState, Frame, Sequence[Micro]]:
        """The shared state and the frame before a step, and what it consists of."""
        if step not in self._known:
            if len(self._known) == _MOST_STEPS:
                self._known.clear()
            thread, rule = step
            frames = self._frames[self._system.threads[thread]]
            before, after = self._shared[rule.source], self._shared[rule.target]
            top, word = frames[rule.top], tuple(frames[symbol] for symbol in rule.word)
            micros = self._meaning.explain(thread, before, top, after, word)
            self._known[step] = before, top, tuple(micros)
        return self._known[step]

    def _step(self, step: Move) -> Iterator[StatementStep]:
        """The statements of which one step consists."""
        thread, _ = step
        shared, top, micros = self._explained(step)
        running = [top]
        inside = False
        for micro in micros:
            if self._is_passed_check(micro):
                _follow(running, micro)
                continue
            was_inside, inside = inside, True
            if self._is_silent(thread, micro):
                shared = micro.shared
                _follow(running, micro)
                continue
            if micro.edge is not None and self._is_of_slot(micro.procedure):
                done = self._move_of_slot(thread, shared, micro)
            else:
                self.follow(thread, shared, running[-1], micro)
                done = self._statement(thread, shared, running[-1], micro, was_inside)
            self._remember(thread, micro)
            if done.statement or done.changes:
                yield done
            shared = micro.shared
            _follow(running, micro)

    def _is_passed_check(self, micro: Micro) -> bool:
        """Whether something was checked before a statement, and was fine: the statement follows."""
        if micro.edge is None or not is_check(micro.edge):
            return False
        return micro.frame is not None and micro.frame.point <= self._layout.waiting

    def _statement(
        self, thread: int, shared: SharedState, frame: Frame, micro: Micro, inside: bool
    ) -> StatementStep:
        calls = self._calls[thread]
        action = self._action(thread, frame, micro)
        if action == "start" and not calls:
            calls.append(self._first(thread))
        location = self._location(thread, frame, micro)
        self._threads.note(micro, self._name(thread), location.position)
        if calls:
            calls[-1].line = location.position.line
        done = StatementStep(
            self._name(thread),
            self._context,
            location.position,
            calls[-1].procedure if calls else self._thread_type(thread).procedure,
            location.labels,
            self._words(micro, location, action),
            action,
            inside,
            (
                *self._changes(self._globals, shared, micro.shared),
                *self._local_changes(thread, frame, micro),
            ),
            _linked(calls),
            branch=self._branch(micro, location),
        )
        if isinstance(micro.edge, Call):
            callee = self._program.by_name[micro.edge.procedure]
            calls[-1].spent = self._is_tail_call(micro)
            calls.append(_Activation(callee.name, callee.position.line, below=_linked(calls)))
        elif micro.frame is None:
            calls.pop()
            while calls and calls[-1].spent:
                calls.pop()
        return done

    def _move_of_slot(self, thread: int, shared: SharedState, micro: Micro) -> StatementStep:
        """What the slot does for the thread in it: it starts the thread, and ends it."""
        self._threads.note_slot(thread, micro)
        calls, procedure = self._calls[thread], self._threads.procedure(thread)
        position, words = procedure.position, ""
        action: Action = "return"
        if isinstance(micro.edge, Step) and micro.edge.source == 0:
            position = procedure.locations[procedure.entry].position
            calls.append(_Activation(procedure.name, position.line, below=_linked(calls)))
            given = self._threads.given(micro.edge, shared)
            action, words = "start", f"starts with {given}" if given else "the thread starts"
        elif isinstance(micro.edge, Step):
            words = "the thread ends"
        return StatementStep(
            self._name(thread),
            self._context,
            position,
            procedure.name,
            (),
            words,
            action,
            False,
            tuple(self._changes(self._globals, shared, micro.shared)),
            _linked(calls),
        )

    def _remember(self, thread: int, micro: Micro) -> None:
        """Note the local variables of the running call after a statement.

        What a thread inherits is assigned where it starts, which is a move without an edge.
        """
        calls = self._calls[thread]
        if calls and micro.frame is not None:
            inherited = set(self._thread_type(thread).inherited)
            assigned = _assigned(micro.edge) if micro.edge else inherited
            calls[-1].locals = self._locals(calls[-1], micro.frame, assigned)

    def _locals(
        self, call: _Activation, frame: Frame, assigned: Collection[Variable]
    ) -> tuple[Local, ...]:
        """The variables of a call, by its frame and by what was known about them before.

        A frame has no values that no longer matter. For a reader a variable keeps its last value
        until it is assigned again.
        """
        if frame.point >= self._layout.waiting:
            return call.locals
        number, _ = self._layout.locations[frame.point]
        if self._program.procedures[number].name != call.procedure:
            return call.locals
        layout, text = self._layout, self._threads.text
        every = zip(
            layout.frame_variables[number], layout.frame_cells[number], frame.values, strict=True
        )
        shown = [(variable, cell, value) for variable, cell, value in every if cell.is_of_source]
        known = [local.value for local in call.locals] or [
            text(cell, variable.initial) for variable, cell, _ in shown
        ]
        return tuple(
            Local(
                cell.name,
                last if value is None and variable not in assigned else text(cell, value),
            )
            for (variable, cell, value), last in zip(shown, known, strict=True)
        )

    def _is_silent(self, thread: int, micro: Micro) -> bool:
        """Whether a thread does nothing but say what it does next."""
        if micro.edge is None or micro.procedure is None:
            return False
        if not self._description.is_silent(micro.procedure, micro.edge):
            return False
        self._statements[thread] = self._description.origin(micro.procedure, micro.edge.source)
        return True

    def _is_of_slot(self, procedure: int | None) -> bool:
        return procedure is not None and not self._description.is_own_procedure(procedure)

    def _branch(self, micro: Micro, location: Location) -> bool | None:
        """Which way a condition goes; front ends list first where it goes if it holds."""
        if micro.edge is None or micro.procedure is None:
            return None
        ways = [
            edge
            for edge in self._program.procedures[micro.procedure].leaving[micro.edge.source]
            if not self._description.is_silent(micro.procedure, edge)
        ]
        if len(ways) != 2 or not re.match(r"(if|while)\b", location.text):
            return None
        return ways[0] == micro.edge

    def _is_tail_call(self, micro: Micro) -> bool:
        """Whether a call leaves no frame of the caller. Calls inside a section always do leave one
        for the rest of the section."""
        if not isinstance(micro.edge, Call) or micro.procedure is None or micro.depth:
            return False
        return self._layout.is_bare_end(self._layout.point(micro.procedure, micro.edge.target))

    def _thread_type(self, thread: int) -> Thread:
        return self._program.threads[self._types[thread]]

    def _start(self, thread: int) -> Location:
        """Where a thread begins."""
        thread_type = self._thread_type(thread)
        procedure = self._program.procedure_of(thread_type)
        return procedure.locations[
            procedure.entry if thread_type.start is None else thread_type.start
        ]

    def _first(self, thread: int) -> _Activation:
        first = _Activation(self._thread_type(thread).procedure, self._start(thread).position.line)
        number = self._system.threads[thread]
        stack = self._system.templates[number].stack
        if stack:
            first.locals = self._locals(first, self._frames[number][stack[0]], ())
        return first

    def _action(self, thread: int, frame: Frame, micro: Micro) -> Action:
        waiting = self._layout.waiting
        match micro.edge:
            case None:
                assert micro.frame is not None
                starts = frame.point == waiting != micro.frame.point
                return "start" if starts else "choice"
            case Call():
                return "call"
            case Receive():
                return "result"
            case Step() if self._takes_arguments(thread, micro):
                return "start"
            case Assert() if micro.frame is not None and micro.frame.point > waiting:
                return "violation"
            case _:
                return "return" if micro.frame is None else "step"

    def _takes_arguments(self, thread: int, micro: Micro) -> bool:
        """Whether a thread only takes its start values here, which is no statement."""
        start = self._thread_type(thread).start
        if micro.edge is None or micro.procedure is None or micro.edge.source != start:
            return False
        return not self._program.procedures[micro.procedure].locations[start].text

    def _location(self, thread: int, frame: Frame, micro: Micro) -> Location:
        """Where the statement stands; a thread that was not created yet is where it will start."""
        if micro.edge is None or micro.procedure is None:
            return self._layout.location(frame.point) or self._start(thread)
        source = self._description.origin(micro.procedure, micro.edge.source)
        procedure = self._program.procedures[micro.procedure]
        return procedure.locations[procedure.statements[source]]

    def _words(self, micro: Micro, location: Location, action: Action) -> str:
        """The statement as in the source, or a description where the source has none."""
        if action == "start":
            given = _given(micro)
            return f"starts with {given}" if given else "the thread starts"
        if action == "choice":
            return "a variable gets a value"
        if location.text:
            return location.text
        assert micro.procedure is not None
        procedure = self._program.procedures[micro.procedure]
        if isinstance(micro.edge, Receive):
            return _call_text(procedure, micro.edge.source)
        ends = isinstance(micro.edge, Return | End)
        return f"end of {procedure.name}" if ends else "what was returned is assigned"

    def _local_changes(self, thread: int, frame: Frame, micro: Micro) -> Iterator[Change]:
        """What a statement changes in its own frame; for a new frame, what is passed to it."""
        after = micro.frame
        if after is None or after.point >= self._layout.waiting:
            return
        number, _ = self._layout.locations[after.point]
        procedure, cells = self._program.procedures[number], self._layout.frame_cells[number]
        variables = self._layout.frame_variables[number]
        before: Sequence[Value] = frame.values
        if isinstance(micro.edge, Call):
            shown, before = set(procedure.variables[: procedure.parameters]), [None] * len(cells)
        elif frame.point == self._layout.waiting:
            shown, before = set(self._thread_type(thread).inherited), [None] * len(cells)
        elif self._layout.procedure(frame.point) is procedure:
            shown = _assigned(micro.edge)
            shown |= {
                each for each, new in zip(variables, after.values, strict=True) if new is not None
            }
        else:
            return
        values = [
            new if variable in shown and cell.is_of_source else old
            for variable, cell, old, new in zip(variables, cells, before, after.values, strict=True)
        ]
        for change in self._changes(cells, before, values):
            shadows = any(cell.name == change.name for cell in self._globals)
            yield replace(change, name=f"{procedure.name}.{change.name}") if shadows else change

    def _changes(
        self, cells: Sequence[Cell], before: Sequence[Value], after: Sequence[Value]
    ) -> Iterator[Change]:
        for cell, old, new in zip(cells, before, after, strict=False):
            if known(old) != known(new):
                yield Change(
                    cell.name, self._threads.text(cell, old), self._threads.text(cell, new)
                )


def _call_text(procedure: Procedure, receipt: int) -> str:
    """The statement whose results are received at a location."""
    calls = (edge for edge in procedure.edges if isinstance(edge, Call) and edge.target == receipt)
    return next((procedure.locations[call.source].text for call in calls), "")


def _linked(calls: Sequence[_Activation]) -> Linked[Activation]:
    """The calls that a thread is in, the running one on top."""
    if not calls:
        return None
    last = calls[-1]
    return Activation(last.procedure, last.line, last.locals), last.below


def _given(micro: Micro) -> str:
    """The arguments that a thread takes, in words: parameters, which come first in a frame."""
    if not isinstance(micro.edge, Step) or micro.frame is None:
        return ""
    words = []
    for assignment, value in zip(micro.edge.assignments, micro.frame.values, strict=False):
        target, given = assignment.target, assignment.value
        assert isinstance(target, Variable)
        if value is None and isinstance(given, Constant):
            value = given.value
        text = target.scalar.text(value) if isinstance(value, int) else None
        words.append(f"any {target.name}" if text is None else f"{target.name} = {text}")
    return ", ".join(words)


def _follow(running: list[Frame], micro: Micro) -> None:
    """Keep track of the frames of one step: those of the calls inside it, the running one last."""
    if isinstance(micro.edge, Call) and micro.frame is not None:
        running.append(micro.frame)
    elif micro.frame is not None:
        running[-1] = micro.frame
    elif len(running) > 1:
        running.pop()


def _assigned(edge: Edge | None) -> set[Variable]:
    """The variables to which an edge assigns."""
    targets: list[Target | None] = []
    if isinstance(edge, Step):
        targets = [assignment.target for assignment in edge.assignments]
    elif isinstance(edge, Receive):
        targets = list(edge.targets)
    return {variable_of(target) for target in targets if target is not None}
