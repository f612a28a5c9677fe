"""The story of a trace as JSON: by statements for programs, by rules and states for systems.

The whole stacks of a long trace would be very long. They are left out, and follow from the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

from tepui.checker.trace import WRITTEN_SYMBOLS
from tepui.report.exchange.json_text import Rows
from tepui.subject.story import (
    Change,
    ProgramStory,
    RuleStep,
    StatementStep,
    StoryState,
    SystemStory,
)

if TYPE_CHECKING:
    from tepui.checker import Trace
    from tepui.result import NamedTrace

_Step = TypeVar("_Step")

_LISTED_STEPS = 10_000
"""Longer lists of steps are made while they are written."""


def trace_object(trace: NamedTrace) -> dict[str, Any]:
    """A trace by names; for systems, with the keys of evidence files."""
    if isinstance(trace.story, ProgramStory):
        return _program_trace(trace.story)
    return _system_trace(trace.story, trace)


def _system_trace(story: SystemStory, trace: Trace) -> dict[str, Any]:
    whole = trace.differences.symbols <= WRITTEN_SYMBOLS
    return {
        "contexts": trace.contexts,
        "schedule": None if story.schedule is None else asdict(story.schedule),
        "initial": _state(story.start),
        "steps": _listed(story.steps, lambda step: _rule_step(step, whole)),
    }


def _listed(steps: Sequence[_Step], written: Callable[[_Step], Any]) -> list[Any] | Rows:
    """Steps one by one; many of them are made while they are written."""
    if len(steps) <= _LISTED_STEPS:
        return list(map(written, steps))
    return Rows(lambda: map(written, steps))


def _rule_step(step: RuleStep, whole: bool) -> dict[str, Any]:
    rule = step.rule
    state = _state(step.after) if whole else {"shared": step.after.shared, "stacks": None}
    return {
        "thread": step.thread,
        "rule": {
            "source": rule.source,
            "top": rule.top,
            "target": rule.target,
            "word": list(rule.word),
        },
        **state,
    }


def _state(state: StoryState) -> dict[str, Any]:
    return {"shared": state.shared, "stacks": [list(stack) for stack in state.stacks]}


def _program_trace(story: ProgramStory) -> dict[str, Any]:
    """A run of a program, context by context."""
    whole = _has_few_calls(story)
    return {
        "schedule": None if story.schedule is None else asdict(story.schedule),
        "initial": {change.name: change.after for change in story.start},
        "contexts": [
            {
                "thread": context.thread,
                "steps": _listed(context.steps, lambda step: _statement(step, whole)),
            }
            for context in story.contexts
        ],
        "forked": [
            {
                "thread": forked.name,
                "procedure": forked.procedure,
                "by": forked.by,
                "file": forked.position.file,
                "line": forked.position.line,
                "runs": forked.runs,
            }
            for forked in story.forked
        ],
    }


def _has_few_calls(story: ProgramStory) -> bool:
    """Whether the stacks of all steps together are short enough to be written."""
    left = WRITTEN_SYMBOLS
    for step in story.steps:
        left -= len(step.stack)
        if left < 0:
            return False
    return True


def _statement(step: StatementStep, whole: bool) -> dict[str, Any]:
    return {
        "file": step.position.file,
        "line": step.position.line,
        "column": step.position.column,
        "procedure": step.procedure,
        "statement": step.statement,
        "action": step.action,
        "inside_atomic": step.inside_atomic,
        "changes": {change.name: _change(change) for change in step.changes},
        "stack": [str(activation) for activation in step.stack] if whole else None,
    }


def _change(change: Change) -> dict[str, str | None]:
    return {"from": change.before, "to": change.after}
