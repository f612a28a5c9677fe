"""Dataflow facts in a report: in a section of their own, and at the lines they are about."""

from __future__ import annotations

from tepui.model import System
from tepui.program.program import Program
from tepui.report.markup import Html, element, joined
from tepui.report.page.listing import Notes
from tepui.weighted.dataflow.answers import Dataflow
from tepui.words import counted


def found_text(facts: Dataflow) -> str:
    """What holds at a place, in one sentence; how much it is, if that is long."""
    within = f"{facts.question}, within {counted(facts.contexts, 'context')}"
    if not facts.reachable:
        return f"{within}: unreachable"
    lines = facts.lines()
    return f"{within}: {lines[0]}" if len(lines) == 1 else f"{within}: {len(lines)} facts"


def facts_html(facts: Dataflow) -> Html:
    """A dataflow question and its answer."""
    if not facts.reachable:
        text = f"No thread gets there within {counted(facts.contexts, 'context')}."
        answer = element("p", text)
    else:
        answer = element("ul", [element("li", element("code", line)) for line in facts.lines()])
    return joined(
        element("p", f"{facts.question}, within {counted(facts.contexts, 'context')}:"),
        answer,
        [element("p", f"Note: {note}", class_="muted") for note in facts.notes],
    )


def fact_notes(model: System | Program, facts: Dataflow | None) -> Notes:
    """The answer, to be shown at the lines of the source that it is about."""
    if facts is None or not isinstance(model, Program):
        return {}
    text, layout = f"◆ {found_text(facts)}", model.layout
    locations = (layout.location(point) for point in facts.points)
    positions = (location.position for location in locations if location is not None)
    return {(position.file, position.line): text for position in positions}
