"""The story of a trace as JSON: by statements for programs, by rules and states for systems."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tepui.subject.story import (
    Change,
    ProgramStory,
    RuleStep,
    StatementStep,
    StoryState,
    SystemStory,
)

if TYPE_CHECKING:
    from tepui.result import NamedTrace


def trace_object(trace: NamedTrace) -> dict[str, Any]:
    """A trace by names; for systems, with the keys of evidence files."""
    if isinstance(trace.story, ProgramStory):
        return _program_trace(trace.story)
    return _system_trace(trace.story, trace.contexts)


def _system_trace(story: SystemStory, contexts: int) -> dict[str, Any]:
    return {
        "contexts": contexts,
        "schedule": None if story.schedule is None else asdict(story.schedule),
        "initial": _state(story.start),
        "steps": [_rule_step(step) for step in story.steps],
    }


def _rule_step(step: RuleStep) -> dict[str, Any]:
    rule = step.rule
    return {
        "thread": step.thread,
        "rule": {
            "source": rule.source,
            "top": rule.top,
            "target": rule.target,
            "word": list(rule.word),
        },
        **_state(step.after),
    }


def _state(state: StoryState) -> dict[str, Any]:
    return {"shared": state.shared, "stacks": [list(stack) for stack in state.stacks]}


def _program_trace(story: ProgramStory) -> dict[str, Any]:
    """A run of a program, context by context."""
    return {
        "schedule": None if story.schedule is None else asdict(story.schedule),
        "initial": {change.name: change.after for change in story.start},
        "contexts": [
            {"thread": context.thread, "steps": [_statement(step) for step in context.steps]}
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


def _statement(step: StatementStep) -> dict[str, Any]:
    return {
        "file": step.position.file,
        "line": step.position.line,
        "column": step.position.column,
        "procedure": step.procedure,
        "statement": step.statement,
        "action": step.action,
        "inside_atomic": step.inside_atomic,
        "changes": {change.name: _change(change) for change in step.changes},
        "stack": [str(activation) for activation in step.stack],
    }


def _change(change: Change) -> dict[str, str | None]:
    return {"from": change.before, "to": change.after}
