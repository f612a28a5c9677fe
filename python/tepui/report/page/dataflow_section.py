"""The answer to a dataflow question: its section, and remarks at the lines that it is about."""

from __future__ import annotations

from tepui.model import System
from tepui.program.program import Program
from tepui.report.markup import Html, element, joined
from tepui.report.page.listing import Notes
from tepui.weighted.dataflow.answers import Dataflow
from tepui.words import counted


def found_text(answer: Dataflow) -> str:
    """What holds at a place, in one sentence; if that is long, the number of facts."""
    within = f"{answer.question}, within {counted(answer.contexts, 'context')}"
    if not answer.reachable:
        return f"{within}: unreachable"
    lines = answer.lines()
    return f"{within}: {lines[0]}" if len(lines) == 1 else f"{within}: {len(lines)} facts"


def dataflow_html(answer: Dataflow) -> Html:
    """A dataflow question and its answer."""
    if not answer.reachable:
        text = f"No thread gets there within {counted(answer.contexts, 'context')}."
        found = element("p", text)
    else:
        found = element("ul", [element("li", element("code", line)) for line in answer.lines()])
    return joined(
        element("p", f"{answer.question}, within {counted(answer.contexts, 'context')}:"),
        found,
        [element("p", f"Note: {note}", class_="muted") for note in answer.notes],
    )


def dataflow_notes(model: System | Program, answer: Dataflow | None) -> Notes:
    """The answer as a remark at the lines of the source that it is about."""
    if answer is None or not isinstance(model, Program):
        return {}
    text, layout = f"◆ {found_text(answer)}", model.layout
    locations = (layout.location(point) for point in answer.points)
    positions = (location.position for location in locations if location is not None)
    return {(position.file, position.line): text for position in positions}
