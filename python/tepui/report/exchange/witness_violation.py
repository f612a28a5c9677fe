"""The waypoints of a violation: what each statement of a trace finds, in the order of the trace.

Each segment has one waypoint. An `assumption` stands before a statement and says which values of
global variables are new since the last one, `branching` says which way a condition goes,
`function_enter` stands at a call and `function_return` at what it returned, and the `target` is
where the property is violated; a deadlock has one for each thread that has not ended. Local
variables are left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from tepui.program.layout import variable_cells
from tepui.program.program import Position, Program
from tepui.program.types import ThreadId
from tepui.report.exchange.input_files import InputFile
from tepui.result import Result
from tepui.subject.story import ProgramStory, StatementStep

Object = dict[str, Any]


def segments(result: Result, files: Sequence[InputFile]) -> list[Object]:
    """The content of a violation witness."""
    trace, program = result.trace, result.subject.program
    assert trace is not None
    assert program is not None
    assert isinstance(trace.story, ProgramStory)
    violated = result.violated
    question = None if violated is None else violated.question
    places = [] if question is None else result.subject.places(question)
    wanted = {location.position for _, location in places}
    return _Writer(program, trace.story, files).segments(wanted)


def is_c_name(name: str) -> bool:
    """Whether C could name such a variable, too; names in braces are any text."""
    return re.fullmatch(r"[A-Za-z_$][\w$]*(\[\d+\])*", name, re.ASCII) is not None


class _Writer:
    """Follows a trace, and remembers what is new since the last waypoint."""

    def __init__(self, program: Program, story: ProgramStory, files: Sequence[InputFile]) -> None:
        self._program = program
        self._story = story
        self._lines = {file.name: file.lines for file in files}
        self._globals = _named_globals(program.as_written)
        self._new = {change.name: change.after for change in story.start}
        self._threads = _thread_numbers(story)

    def segments(self, wanted: Collection[Position]) -> list[Object]:
        """All waypoints; `wanted` are the places that must not be reached, if the question is about
        places."""
        steps = [(self._threads[step.thread], step) for step in self._story.steps]
        last = steps.pop() if steps and steps[-1][1].action == "violation" else None
        found = []
        for thread, step in steps:
            waypoint = self._waypoint(thread, step)
            if waypoint is not None:
                found.append({"segment": [{"waypoint": waypoint}]})
            self._note(step)
        targets = self._targets(wanted) if last is None else [self._target(*last)]
        return [*found, {"segment": [{"waypoint": target} for target in targets]}]

    def _note(self, step: StatementStep) -> None:
        self._new |= {change.name: change.after for change in step.changes}

    def _waypoint(self, thread: int, step: StatementStep) -> Object | None:
        """What a statement finds; None for a step that stands for no statement."""
        if step.position.file not in self._lines or step.action in ("start", "choice"):
            return None
        if not step.position.line:  # Code that a compiler has made has no line.
            return None
        if step.action == "call":
            parenthesis = self._end_of_call(step)
            if parenthesis is not None:
                return self._at("function_enter", thread, parenthesis, step.procedure)
        if step.action == "result":
            return self._returned(thread, step)
        if step.statement.startswith(("end of ", "the thread ends")):
            return None
        if step.branch is not None:
            way = {"value": "true" if step.branch else "false"}
            return self._at("branching", thread, step.position, step.procedure, way)
        constraint = {"value": self._assumption(step.procedure), "format": "c_expression"}
        return self._at("assumption", thread, step.position, step.procedure, constraint)

    def _returned(self, thread: int, step: StatementStep) -> Object | None:
        """What a call returned, if it is one value."""
        parenthesis = self._end_of_call(step)
        if parenthesis is None or len(step.changes) != 1 or not _is_value(step.changes[0].after):
            return None
        value = rf"\result == {step.changes[0].after}"
        constraint = {"value": value, "format": "ext_c_expression"}
        return self._at("function_return", thread, parenthesis, step.procedure, constraint)

    def _assumption(self, procedure: str) -> str:
        """The values that have changed since the last waypoint that named them.

        A global variable that a local one hides is named by a later waypoint.
        """
        hidden = {variable.name for variable in self._program.by_name[procedure].variables}
        named = {
            name: value
            for name, value in self._new.items()
            if name in self._globals and name.partition("[")[0] not in hidden
        }
        self._new = {name: value for name, value in self._new.items() if name not in named}
        known = [f"{name} == {value}" for name, value in named.items() if _is_value(value)]
        return " && ".join(known) or "1"

    def _targets(self, wanted: Collection[Position]) -> list[Object]:
        """Where the threads are at the end, if that is what violates the property."""
        resting = [
            (self._threads[rest.thread], rest.position)
            for rest in self._story.resting
            if rest.position is not None
        ]
        at_place = [(thread, position) for thread, position in resting if position in wanted]
        chosen = at_place[:1] if wanted else resting
        return [self._at("target", thread, position, "") for thread, position in chosen]

    def _target(self, thread: int, step: StatementStep) -> Object:
        return self._at("target", thread, step.position, step.procedure)

    def _at(
        self,
        kind: str,
        thread: int,
        position: Position,
        procedure: str,
        constraint: Object | None = None,
    ) -> Object:
        location: Object = {
            "file_name": position.file,
            "line": position.line,
            "column": position.column,
        }
        if procedure:
            location["function"] = procedure
        found: Object = {"type": kind, "action": "follow", "thread_id": thread}
        if constraint is not None:
            found["constraint"] = constraint
        return found | {"location": location}

    def _end_of_call(self, step: StatementStep) -> Position | None:
        """The parenthesis that closes a call, if it is on the line of the call."""
        name = re.search(r"(\w+)\s*\(", step.statement)
        if name is None or step.position.line > len(self._lines[step.position.file]):
            return None
        line = self._lines[step.position.file][step.position.line - 1]
        opening = re.compile(rf"\b{name[1]}\s*\(").search(line, step.position.column - 1)
        column = None if opening is None else _closing(line, opening.end())
        if column is None:
            return None
        return Position(step.position.file, step.position.line, column)


def _thread_numbers(story: ProgramStory) -> dict[str, int]:
    """The threads of the program in their order, and then the forked ones in the order of forks."""
    forked = [each.name for each in story.forked]
    named = [thread.name for thread in story.threads if thread.name not in forked]
    named += forked
    named += [context.thread for context in story.contexts]
    named += [rest.thread for rest in story.resting]
    return {name: number for number, name in enumerate(dict.fromkeys(named))}


def _named_globals(program: Program) -> set[str]:
    """The global variables that a C expression may name: not those that name threads."""
    variables = [each for each in program.globals if not isinstance(each.scalar, ThreadId)]
    cells = (cell for variable in variables for cell in variable_cells(variable))
    return {cell.name for cell in cells if is_c_name(cell.name)}


def _is_value(text: str | None) -> bool:
    return text is not None and re.fullmatch(r"-?\d+|[A-Za-z_]\w*", text, re.ASCII) is not None


def _closing(line: str, start: int) -> int | None:
    """The column of the parenthesis that closes one before `start`."""
    depth = 1
    for index in range(start, len(line)):
        depth += {"(": 1, ")": -1}.get(line[index], 0)
        if depth == 0:
            return index + 1
    return None
