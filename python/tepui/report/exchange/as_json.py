"""A result as one JSON object; `docs/result.schema.json` is its schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tepui.checker import Trace
from tepui.errors import UsageError
from tepui.kernels.lowered import LoweredSystem
from tepui.model import Rule, System
from tepui.model.system import Word
from tepui.report.text.systems import property_text, violated
from tepui.report.verdicts import worst
from tepui.result import Answer, Result, Round


def result_object(
    result: Result, *, list_visible: bool = False, covered: bool = True
) -> dict[str, Any]:
    """What `--json` prints. Counts are Python integers and may exceed 64 bits."""
    stop = result.stop
    found: dict[str, Any] = {
        "verdict": result.verdict,
        "system": result.system.name,
        "engine": result.engine,
        "resource": result.resource,
        "bound": result.bound,
        "bound_rounds": result.bound_rounds,
        "tops": result.tops,
        "symmetry": result.symmetry,
        "rounds": [_round(row) for row in result.rounds],
        "states": result.states,
        "visible_states": result.visible_states,
        "states_up_to_symmetry": result.states_up_to_symmetry,
        "visible_up_to_symmetry": result.visible_up_to_symmetry,
        "proof": result.proof,
        "z": None if result.z is None else asdict(result.z),
        "others": [asdict(other) for other in result.others],
        "reason": result.reason,
        "stop": None if stop is None else {"kind": stop.kind, "limit": stop.limit},
        "checked": result.checked,
        "notes": result.notes,
        "seconds": result.seconds,
        "check_seconds": result.check_seconds,
        "peak_memory_bytes": result.peak_memory_bytes,
    }
    if isinstance(result.system, LoweredSystem):
        from tepui.report.exchange.program_json import program_fields

        found |= program_fields(result, covered=covered)
    else:
        found |= _system_fields(result)
    if list_visible:
        try:
            visible_states = result.list_visible()
        except UsageError as error:
            found["notes"] = [*result.notes, str(error)]
            return found
        found["listed"] = [result.system.visible_text(visible) for visible in visible_states]
    return found


def answers_object(answers: Sequence[Answer]) -> dict[str, Any]:
    """What `--all --json` prints: the answer to each question, and the worst of them as verdict."""
    from tepui.report.coverage import coverage
    from tepui.report.exchange.program_json import coverage_fields

    best = max((answer.result for answer in answers), key=lambda one: _WORTH[one.certainty])
    return {
        "verdict": worst(answer.result for answer in answers).verdict,
        "system": best.system.name,
        "answers": [result_object(answer.result, covered=False) for answer in answers],
        **coverage_fields(coverage(best)),
    }


_WORTH = {"reached": 0, "unreached": 1, "all": 2}


def trace_object(system: System, trace: Trace) -> dict[str, Any]:
    """A trace by names, in the words of evidence files."""
    return {
        "contexts": trace.contexts,
        "schedule": None if trace.schedule is None else asdict(trace.schedule),
        "initial": _state(system, trace.initial_shared, trace.initial_stacks),
        "steps": [
            {
                "thread": system.thread_names[step.thread],
                "rule": _rule(system, step.thread, step.rule),
                **_state(system, step.shared, step.stacks),
            }
            for step in trace.steps
        ],
    }


def _round(row: Round) -> dict[str, Any]:
    """A row of the table; one of a run that counts delays has more."""
    found = asdict(row)
    return found | (found.pop("delays") or {})


def _system_fields(result: Result) -> dict[str, Any]:
    """What is different for a program."""
    system, trace = result.system, result.trace
    return {
        "property": property_text(system, result.asked) if result.asked else None,
        "question": None,
        "questions": None,
        "violated": None if trace is None else violated(system, result.asked, trace),
        "trace": None if trace is None else trace_object(system, trace),
        "slots": None,
        "coverage": None,
        "coverage_certain": None,
    }


def _state(system: System, shared: int, stacks: tuple[Word, ...]) -> dict[str, Any]:
    return {
        "shared": system.shared[shared],
        "stacks": [
            [system.template_of(thread).symbols[symbol] for symbol in stack]
            for thread, stack in enumerate(stacks)
        ],
    }


def _rule(system: System, thread: int, rule: Rule) -> dict[str, Any]:
    symbols = system.template_of(thread).symbols
    return {
        "source": system.shared[rule.source],
        "top": symbols[rule.top],
        "target": system.shared[rule.target],
        "word": [symbols[symbol] for symbol in rule.word],
    }
