"""A result as one JSON object; `docs/result.schema.json` is its schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tepui.errors import UsageError
from tepui.report.exchange.deadlock_json import deadlock_object
from tepui.report.exchange.trace_json import trace_object
from tepui.report.verdicts import worst

if TYPE_CHECKING:
    from tepui.engines.rounds import Round
    from tepui.program.questions import Question
    from tepui.result import Answer, Result
    from tepui.subject import Violated
    from tepui.subject.coverage import Coverage


def result_object(
    result: Result, *, list_visible: bool = False, covered: bool = True
) -> dict[str, Any]:
    """The result as an object of JSON. Counts are Python integers and may exceed 64 bits."""
    stop = result.stop
    found: dict[str, Any] = {
        "verdict": result.verdict,
        "system": result.system.name,
        "engine": result.engine,
        "resource": result.resource,
        "bound": result.bound,
        "bound_rounds": result.bound_rounds,
        "bound_is_fewest": result.bound_is_fewest if result.verdict == "unsafe" else None,
        "tops": result.tops,
        "symmetry": result.symmetry,
        "fused": result.subject.fused,
        "rounds": [_round(row) for row in result.rounds],
        "states": result.states,
        "visible_states": result.visible_states,
        "states_up_to_symmetry": result.states_up_to_symmetry,
        "visible_up_to_symmetry": result.visible_up_to_symmetry,
        "proof": None if result.proof is None else str(result.proof),
        "z": None if result.z is None else asdict(result.z),
        "others": [asdict(other) for other in result.others],
        "reason": result.reason,
        "stop": None if stop is None else {"kind": stop.kind, "limit": stop.limit},
        "checked": result.checked,
        "assumptions": [{"kind": one.kind, "text": one.text} for one in result.assumptions],
        "notes": result.notes,
        "seconds": result.seconds,
        "check_seconds": result.check_seconds,
        "peak_memory_bytes": result.peak_memory_bytes,
    }
    found |= _asked_fields(result)
    found |= coverage_fields(result.coverage if covered else None)
    if list_visible:
        try:
            visible_states = result.list_visible()
        except UsageError as error:
            found["notes"] = [*result.notes, str(error)]
            return found
        found["listed"] = [result.system.visible_text(visible) for visible in visible_states]
    return found


def answers_object(answers: Sequence[Answer]) -> dict[str, Any]:
    """Several answers as an object of JSON, with the worst of them as its verdict."""
    best = max((answer.result for answer in answers), key=lambda one: _WORTH[one.reached.certainty])
    return {
        "verdict": worst(answer.result for answer in answers).verdict,
        "system": best.system.name,
        "answers": [result_object(answer.result, covered=False) for answer in answers],
        **coverage_fields(best.coverage),
    }


_WORTH = {"reached": 0, "unreached": 1, "all": 2}


def _round(row: Round) -> dict[str, Any]:
    """A row of the table; one of a run that counts delays or steps has more."""
    found = asdict(row)
    steps = found.pop("steps")
    return found | (found.pop("delays") or {}) | ({} if steps is None else {"steps": steps})


def _asked_fields(result: Result) -> dict[str, Any]:
    """The question, and what was found out about it."""
    subject, trace, violated = result.subject, result.trace, result.violated
    asked, slots = result.questions, subject.slots
    return {
        "property": subject.asked_text(result.asked, asked) or None,
        "question": asked[0].text if len(asked) == 1 else None,
        "questions": None
        if subject.program is None
        else [_question(result, question, violated) for question in asked],
        "violated": None if violated is None else violated.text,
        "trace": None if trace is None else trace_object(trace),
        "deadlock": None if result.deadlock is None else deadlock_object(result.deadlock),
        # The number of slots, if they are enough or may be.
        "slots": None if slots is None or slots.bound is not None else slots.count,
        "threads": None if result.threads is None else asdict(result.threads),
        "sorts": [
            {
                "variables": list(sort.variables),
                "type": sort.type,
                "size": sort.size,
                "values": list(sort.values),
            }
            for sort in subject.sorts
        ],
    }


def _question(result: Result, question: Question, violated: Violated | None) -> dict[str, Any]:
    """A question, its place if it is about one, and its verdict: a violation leaves the other
    questions open."""
    location, verdict = result.subject.location(question), result.verdict
    if verdict == "unsafe" and (violated is None or question is not violated.question):
        verdict = "unknown"
    return {
        "kind": question.kind,
        "text": question.text,
        "file": None if location is None else location.position.file,
        "line": None if location is None else location.position.line,
        "verdict": verdict,
    }


def coverage_fields(found: Coverage | None) -> dict[str, Any]:
    """The statements with the threads that reach them, and which of these marks are certain."""
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
