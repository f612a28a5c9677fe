"""An answer about a net as text: the verdict, what it rests on, and the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tepui.checker.covering import CoveringRun, check_run, marking_text
from tepui.report.text.paint import Paint, Role, joined, plain, wrapped
from tepui.report.text.traces import without_middle
from tepui.words import counted

if TYPE_CHECKING:
    from tepui.counting import Covered

_ROLES: dict[str, Role] = {"safe": "safe", "unsafe": "unsafe", "unknown": "open"}


def covering_text(found: Covered, *, width: int | None = None, paint: Paint = plain) -> str:
    """The whole report on an answer."""
    text = f"{found.verdict.upper()}  {found.net.name}: {_headline(found)}"
    lines = wrapped([(text, _ROLES[found.verdict])], width, len(found.verdict) + 2, paint)
    for fact in _facts(found):
        lines += wrapped([f"  {fact}"], width, 12)
    if isinstance(found.evidence, CoveringRun):
        lines += ["", *_run_lines(found, found.evidence, width)]
    return joined(lines)


def _headline(found: Covered) -> str:
    if found.verdict == "safe":
        return "no bad marking is reachable, for any number of threads"
    if isinstance(found.evidence, CoveringRun):
        return f"a bad marking is reachable, in {counted(len(found.evidence.transitions), 'step')}"
    return found.stop.text if found.stop is not None else ""


def _facts(found: Covered) -> list[str]:
    facts = []
    evidence = found.evidence
    if evidence is not None and not isinstance(evidence, CoveringRun):
        minimal = counted(len(evidence.minimal), "minimal element")
        used = counted(len(evidence.invariants), "invariant")
        fact = f"proof     an upward-closed set with {minimal}, {used}"
        if evidence.control is not None:
            fact += f", {counted(len(evidence.control.states), 'control state')}"
        facts.append(fact)
    if isinstance(evidence, CoveringRun):
        start = marking_text(found.net, enumerate(evidence.start))
        facts.append(f"start     {start}")
    facts.append(f"searched  {counted(found.elements, 'element')} backwards")
    if evidence is not None:
        kind = "run" if isinstance(evidence, CoveringRun) else "certificate"
        said = "accepted by the checker"
        if not found.checked:
            said = f"unchecked{'' if found.unchecked is None else f': {found.unchecked}'}"
        facts.append(f"evidence  {kind}, {said}")
    check = "" if found.check_seconds is None else f" and {found.check_seconds:.2f} s for the check"
    memory = f"{found.peak_memory_bytes / 2**20:,.0f} MiB"
    return [
        *facts,
        f"took      {found.seconds - (found.check_seconds or 0):.2f} s{check}, {memory}",
    ]


def _run_lines(found: Covered, run: CoveringRun, width: int | None) -> list[str]:
    """Each step with the marking after it."""
    net = found.net
    visited = check_run(net, run)
    lines = []
    for number, (transition, counts) in enumerate(
        zip(run.transitions, visited[1:], strict=True), start=1
    ):
        step = net.transitions[transition]
        at = f" (line {step.line})" if step.line else ""
        text = f"  {number:>4}  {step.text}{at}  gives  {marking_text(net, enumerate(counts))}"
        lines.append(text)
    return [part for line in without_middle(lines) for part in wrapped([line], width, 8)]
