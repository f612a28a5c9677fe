"""What is different in the JSON of a result about a program: questions, source traces, coverage."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tepui.checker import Trace
from tepui.kernels.lowered import LoweredSystem
from tepui.program.passes.slots import Slotted
from tepui.program.questions import Question, questions_text
from tepui.report.asked import violated_question
from tepui.report.coverage import Coverage, coverage
from tepui.report.traces.source import Change, SourceStep, source_trace
from tepui.result import Result


def program_fields(result: Result, *, covered: bool = True) -> dict[str, Any]:
    """The fields that replace those of a result about a system."""
    system = result.system
    assert isinstance(system, LoweredSystem)
    asked, trace = result.questions, result.trace
    violated = violated_question(result)
    return {
        "property": questions_text(asked) or None,
        "question": asked[0].text if len(asked) == 1 else None,
        "questions": [
            question_object(system, question, _verdict(result, question is violated))
            for question in asked
        ],
        "violated": None if violated is None else violated.text,
        "trace": None if trace is None else trace_object(system, trace),
        "slots": _slots(system),
        **coverage_fields(coverage(result) if covered else None),
    }


def _slots(system: LoweredSystem) -> int | None:
    """How many slots there were, where these are enough or may be."""
    program = system.program
    return program.slots if isinstance(program, Slotted) and program.bound is None else None


def question_object(system: LoweredSystem, question: Question, verdict: str) -> dict[str, Any]:
    """A question, where it is about one place that place, and its verdict."""
    location = None if question.point is None else system.layout.location(question.point)
    return {
        "kind": question.kind,
        "text": question.text,
        "file": None if location is None else location.position.file,
        "line": None if location is None else location.position.line,
        "verdict": verdict,
    }


def coverage_fields(found: Coverage | None) -> dict[str, Any]:
    """The statements with who reaches them, and which of these marks are certain."""
    if found is None:
        return {"coverage": None, "coverage_certain": None}
    return {
        "coverage": [
            {
                "procedure": statement.procedure,
                "file": statement.position.file,
                "line": statement.position.line,
                "column": statement.position.column,
                "statement": statement.text,
                "labels": list(statement.labels),
                "reached_by": list(statement.reached_by),
            }
            for statement in found.statements
        ],
        "coverage_certain": found.certain,
    }


def trace_object(system: LoweredSystem, trace: Trace) -> dict[str, Any]:
    """A run of a program, context by context."""
    told = source_trace(system, trace)
    return {
        "schedule": None if trace.schedule is None else asdict(trace.schedule),
        "initial": {change.name: change.after for change in told.start},
        "contexts": [
            {"thread": context.thread, "steps": [_step(step) for step in context.steps]}
            for context in told.contexts
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
            for forked in told.forked
        ],
    }


def _step(step: SourceStep) -> dict[str, Any]:
    return {
        "file": step.position.file,
        "line": step.position.line,
        "column": step.position.column,
        "procedure": step.procedure,
        "statement": step.statement,
        "action": step.action,
        "inside_atomic": step.inside_atomic,
        "changes": {change.name: _change(change) for change in step.changes},
        "stack": list(step.stack),
    }


def _change(change: Change) -> dict[str, str | None]:
    return {"from": change.before, "to": change.after}


def _verdict(result: Result, violated: bool) -> str:
    """What a result says about one of its questions: a violation leaves the others open."""
    if result.verdict != "unsafe":
        return result.verdict
    return "unsafe" if violated else "unknown"
