"""Traces as code flows of SARIF: one thread flow for each thread, in one common order.

Of a program each statement is a location with what it changes and the stack of its thread. Of a
pushdown system, which has no lines, it is a rule with the state after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tepui.checker import Trace
from tepui.model import System
from tepui.program.program import Position
from tepui.report.exchange.input_files import InputFile, uri_of
from tepui.report.traces.source import SourceStep, SourceTrace

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
        """From a position to the end of its line, which is shown."""
        region: Object = {"startLine": position.line}
        lines = self._lines.get(position.file, [])
        if position.column:
            region["startColumn"] = position.column
        if position.line <= len(lines):
            line = lines[position.line - 1]
            region["endColumn"] = max(position.column, len(line.rstrip())) + 1
            region["snippet"] = {"text": line}
        return region


def program_flow(trace: SourceTrace, places: Places) -> Object:
    """A run of a program."""
    values = {change.name: change.after for change in trace.start}
    flows: dict[str, Object] = {}
    order = 0
    for context in trace.contexts:
        flow = flows.setdefault(context.thread, _flow(context.thread, values))
        for step in context.steps:
            order += 1
            flow["locations"].append(_step(step, order, places))
            changed = (change for change in step.changes if change.name in values)
            values |= {change.name: change.after for change in changed}
    return _code_flow(list(flows.values()), places)


def program_stacks(trace: SourceTrace, places: Places) -> list[Object]:
    """The stack of each thread that has run, after its last step."""
    last = {context.thread: context.steps[-1] for context in trace.contexts if context.steps}
    return [_stack(step, places, thread) for thread, step in last.items()]


def system_flow(system: System, trace: Trace, places: Places) -> Object:
    """A run of a pushdown system."""
    names = system.thread_names
    flows: dict[int, Object] = {}
    for order, step in enumerate(trace.steps, start=1):
        flow = flows.setdefault(step.thread, _flow(names[step.thread], {}))
        template, rule = system.template_of(step.thread), step.rule
        before = f"{system.shared[rule.source]} | {template.word_text((rule.top,))}"
        after = f"{system.shared[rule.target]} | {template.word_text(rule.word)}"
        location = places.whole() | {"message": {"text": f"{before} -> {after}"}}
        flow["locations"].append(
            {
                "location": location,
                "executionOrder": order,
                "state": {
                    "shared": {"text": system.shared[step.shared]},
                    f"stack of {names[step.thread]}": {
                        "text": template.word_text(step.stacks[step.thread])
                    },
                },
            }
        )
    return _code_flow(list(flows.values()), places)


def _code_flow(flows: list[Object], places: Places) -> Object:
    """A code flow has at least one thread flow, and that one location: the start is bad itself."""
    if not flows:
        start = {"location": places.whole(), "executionOrder": 1}
        flows = [{"id": "start", "locations": [start]}]
    return {"threadFlows": flows}


def _flow(thread: str, values: dict[str, str | None]) -> Object:
    flow: Object = {"id": thread, "message": {"text": f"thread {thread}"}, "locations": []}
    if values:
        flow["initialState"] = _state(values.items())
    return flow


def _state(values: Iterable[tuple[str, str | None]]) -> Object:
    return {name: {"text": "-" if value is None else value} for name, value in values}


def _step(step: SourceStep, order: int, places: Places) -> Object:
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


def _words(step: SourceStep) -> str:
    changes = (f"{each.name}: {each.before or '-'} -> {each.after or '-'}" for each in step.changes)
    return ", ".join([step.statement or "a step", *changes])


def _stack(step: SourceStep, places: Places, thread: str = "") -> Object:
    stack: Object = {"frames": list(_frames(step, places))}
    if thread:
        stack["message"] = {"text": f"thread {thread}"}
    return stack


def _frames(step: SourceStep, places: Places) -> Iterator[Object]:
    for activation in step.stack:
        procedure, _, line = activation.rpartition(":")
        position = Position(step.position.file, int(line), 0)
        yield {"location": places.at(position, procedure)}


_KINDS = {
    "call": ["function", "enter"],
    "return": ["function", "exit"],
    "result": ["function", "exit"],
    "violation": ["danger"],
    "start": ["thread", "enter"],
}
