"""Traces as code flows of SARIF: one thread flow for each thread, in one common order.

In a program, each location is a statement with what it changes and the stack of its thread. In a
pushdown system, which has no lines, it is a rule with the state after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tepui.program.program import Position
from tepui.report.exchange.input_files import InputFile, uri_of
from tepui.subject.story import ProgramStory, StatementStep, Story, SystemStory, stack_text

Object = dict[str, Any]


class Places:
    """Places in the files of a run, as SARIF writes them."""

    BASE = "%SRCROOT%"

    def __init__(self, files: Sequence[InputFile], file: Path | None) -> None:
        self._file = file
        self._indices = {each.name: index for index, each in enumerate(files)}
        self._lines = {each.name: each.lines for each in files}

    def artifact(self, name: str) -> Object:
        """A file, by the name that positions give it."""
        uri = uri_of(Path(name))
        found: Object = {"uri": uri}
        if ":" not in uri.partition("/")[0]:
            found["uriBaseId"] = self.BASE
        if name in self._indices:
            found["index"] = self._indices[name]
        return found

    def whole(self) -> Object:
        """The model as a whole."""
        if self._file is None:
            return {"message": {"text": "The model was not read from a file."}}
        name = str(self._file)
        region = {"startLine": 1, "endLine": max(1, len(self._lines.get(name, ())))}
        return {"physicalLocation": {"artifactLocation": self.artifact(name), "region": region}}

    def at(self, position: Position | None, procedure: str = "", text: str = "") -> Object:
        """A place in a source, and what happens there."""
        found: Object = {}
        if position is not None and position.file and position.line:
            found["physicalLocation"] = {
                "artifactLocation": self.artifact(position.file),
                "region": self._region(position),
            }
        if procedure:
            found["logicalLocations"] = [{"name": procedure, "kind": "function"}]
        if text or not found:
            found["message"] = {"text": text or "nowhere in the source"}
        return found

    def _region(self, position: Position) -> Object:
        """The region from a position to the end of its line, with the text of the line."""
        region: Object = {"startLine": position.line}
        lines = self._lines.get(position.file, [])
        if position.column:
            region["startColumn"] = position.column
        if position.line <= len(lines):
            line = lines[position.line - 1]
            region["endColumn"] = max(position.column, len(line.rstrip())) + 1
            region["snippet"] = {"text": line}
        return region


def code_flow(story: Story, places: Places) -> Object:
    """A run as a code flow. It has at least one thread flow with at least one location, even if the
    initial state is bad."""
    if isinstance(story, ProgramStory):
        flows = _by_statements(story, places)
    else:
        flows = _by_rules(story, places)
    start = {"location": places.whole(), "executionOrder": 1}
    return {"threadFlows": list(flows.values()) or [{"id": "start", "locations": [start]}]}


def stacks_of(story: Story, places: Places) -> list[Object]:
    """The stack of each thread after its last step, for threads that have run."""
    if isinstance(story, SystemStory):
        return []
    last = {context.thread: context.steps[-1] for context in story.contexts if context.steps}
    return [_stack(step, places, thread) for thread, step in last.items()]


def _by_statements(story: ProgramStory, places: Places) -> dict[str, Object]:
    values = {change.name: change.after for change in story.start}
    flows: dict[str, Object] = {}
    order = 0
    for context in story.contexts:
        flow = flows.setdefault(context.thread, _flow(context.thread, values))
        for step in context.steps:
            order += 1
            flow["locations"].append(_step(step, order, places))
            changed = (change for change in step.changes if change.name in values)
            values |= {change.name: change.after for change in changed}
    return flows


def _by_rules(story: SystemStory, places: Places) -> dict[str, Object]:
    flows: dict[str, Object] = {}
    for order, step in enumerate(story.steps, start=1):
        flow = flows.setdefault(step.thread, _flow(step.thread, {}))
        flow["locations"].append(
            {
                "location": places.whole() | {"message": {"text": step.text}},
                "executionOrder": order,
                "state": {
                    "shared": {"text": step.after.shared},
                    f"stack of {step.thread}": {"text": stack_text(step.stack)},
                },
            }
        )
    return flows


def _flow(thread: str, values: dict[str, str | None]) -> Object:
    flow: Object = {"id": thread, "message": {"text": f"thread {thread}"}, "locations": []}
    if values:
        flow["initialState"] = _state(values.items())
    return flow


def _state(values: Iterable[tuple[str, str | None]]) -> Object:
    return {name: {"text": "-" if value is None else value} for name, value in values}


def _step(step: StatementStep, order: int, places: Places) -> Object:
    found: Object = {
        "location": places.at(step.position, step.procedure, _words(step)),
        "executionOrder": order,
        "nestingLevel": max(0, len(step.stack) - 1),
        "kinds": _KINDS.get(step.action, ["statement"]),
        "importance": "essential" if step.changes or step.action == "violation" else "important",
        "stack": _stack(step, places),
    }
    if step.changes:
        found["state"] = _state([(change.name, change.after) for change in step.changes])
    return found


def _words(step: StatementStep) -> str:
    changes = (f"{each.name}: {each.before or '-'} -> {each.after or '-'}" for each in step.changes)
    return ", ".join([step.statement or "a step", *changes])


def _stack(step: StatementStep, places: Places, thread: str = "") -> Object:
    stack: Object = {"frames": list(_frames(step, places))}
    if thread:
        stack["message"] = {"text": f"thread {thread}"}
    return stack


def _frames(step: StatementStep, places: Places) -> Iterator[Object]:
    for activation in step.stack:
        position = Position(step.position.file, activation.line, 0)
        yield {"location": places.at(position, activation.procedure)}


_KINDS = {
    "call": ["function", "enter"],
    "return": ["function", "exit"],
    "result": ["function", "exit"],
    "violation": ["danger"],
    "start": ["thread", "enter"],
}
