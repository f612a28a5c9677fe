"""A result as one JSON object; `docs/result.schema.json` is its schema."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tepui.evidence import Trace
from tepui.model import Rule, System
from tepui.model.system import Word
from tepui.report.text import property_text, violated
from tepui.result import Result


def result_object(result: Result, *, list_visible: bool = False) -> dict[str, Any]:
    """What `--json` prints. Counts are Python integers and may exceed 64 bits."""
    system, stop = result.system, result.stop
    found: dict[str, Any] = {
        "verdict": result.verdict,
        "system": system.name,
        "property": property_text(system, result.asked) if result.asked else None,
        "engine": result.engine,
        "resource": result.resource,
        "bound": result.bound,
        "symmetry": result.symmetry,
        "rounds": [asdict(row) for row in result.rounds],
        "states": result.states,
        "visible_states": result.visible_states,
        "states_up_to_symmetry": result.states_up_to_symmetry,
        "visible_up_to_symmetry": result.visible_up_to_symmetry,
        "proof": result.proof,
        "z": None if result.z is None else asdict(result.z),
        "violated": _violated(result),
        "trace": None if result.trace is None else trace_object(system, result.trace),
        "reason": result.reason,
        "stop": None if stop is None else {"kind": stop.kind, "limit": stop.limit},
        "checked": result.checked,
        "notes": result.notes,
        "seconds": result.seconds,
        "check_seconds": result.check_seconds,
        "peak_memory_bytes": result.peak_memory_bytes,
    }
    if list_visible:
        found["listed"] = [system.visible_text(visible) for visible in result.list_visible()]
    return found


def trace_object(system: System, trace: Trace) -> dict[str, Any]:
    """A trace by names, in the words of evidence files."""
    return {
        "contexts": trace.contexts,
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


def _violated(result: Result) -> str | None:
    trace = result.trace
    return None if trace is None else violated(result.system, result.asked, trace)


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
