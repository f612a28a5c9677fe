"""An answer about a net as one JSON object; `docs/covering.schema.json` is its schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tepui.checker.covering import CoveringRun, UpwardClosed, check_run

if TYPE_CHECKING:
    from tepui.counting import Covered
    from tepui.model.net import Net

FORMAT = "tepui-covering"
VERSION = 1


def covering_object(found: Covered) -> dict[str, Any]:
    """The answer as an object of JSON."""
    evidence, stop = found.evidence, found.stop
    proof = evidence if isinstance(evidence, UpwardClosed) else None
    return {
        "format": FORMAT,
        "version": VERSION,
        "verdict": found.verdict,
        "system": found.net.name,
        "engine": "coverability",
        "bound": None,
        "run": _run(found.net, evidence) if isinstance(evidence, CoveringRun) else None,
        "minimal_elements": None if proof is None else len(proof.minimal),
        "invariants": None if proof is None else len(proof.invariants),
        "control_states": None
        if proof is None or proof.control is None
        else len(proof.control.states),
        "elements": found.elements,
        "checked": found.checked,
        "unchecked": found.unchecked,
        "reason": None if stop is None else stop.text,
        "stop": None if stop is None else {"kind": stop.kind, "limit": stop.limit},
        "seconds": found.seconds,
        "check_seconds": found.check_seconds,
        "peak_memory_bytes": found.peak_memory_bytes,
    }


def _run(net: Net, run: CoveringRun) -> dict[str, Any]:
    """The initial marking, and each step with the marking after it."""
    first, *others = (_named(net, counts) for counts in check_run(net, run))
    steps = [net.transitions[number] for number in run.transitions]
    return {
        "start": first,
        "steps": [
            {"transition": number, "text": step.text, "line": step.line, "marking": marking}
            for number, step, marking in zip(run.transitions, steps, others, strict=True)
        ],
    }


def _named(net: Net, counts: tuple[int, ...]) -> dict[str, int]:
    return {name: count for name, count in zip(net.places, counts, strict=True) if count}
