"""Smaller parts of a report: the proof in words, the call graph, threads, and dataflow facts."""

from __future__ import annotations

from tepui.errors import UsageError
from tepui.facts.answers import Dataflow
from tepui.model import System
from tepui.program.layout import layout_of
from tepui.program.places import places
from tepui.program.program import Program
from tepui.program.states import thread_names
from tepui.report.bounds import counted
from tepui.report.explained import explained
from tepui.report.page.listing import Notes
from tepui.report.page.markup import Html, element, joined
from tepui.report.pictures.graph import graph_svg
from tepui.report.pictures.program_graphs import call_graph
from tepui.result import Result

MOST_PROCEDURES = 150
"""A call graph with more procedures is no picture that anyone can read."""

_MOST_NAMES = 12


def proof_html(result: Result) -> Html:
    """Why the answer holds, paragraph by paragraph."""
    paragraphs = []
    for paragraph in explained(result):
        items = [element("li", item) for item in paragraph.items]
        paragraphs.append(
            element(
                "li",
                element("b", paragraph.title),
                element("p", paragraph.text),
                element("ul", items) if items else None,
            )
        )
    return element("ol", paragraphs, class_="proof")


def calls_html(model: System | Program) -> Html:
    """Who calls whom; of a system, its threads and what they run."""
    if isinstance(model, System):
        return _threads_table(model)
    if len(model.procedures) > MOST_PROCEDURES:
        count = f"{len(model.procedures):,}"
        return element("p", f"There are {count} procedures, too many to draw.", class_="muted")
    return element("div", Html(graph_svg(call_graph(model))), class_="picture", tabindex="0")


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
    text = "; ".join(facts.lines()[:3]) if facts.reachable else "unreachable within the bound"
    layout = layout_of(model)
    found = {}
    for point in _points(model, facts.question):
        location = layout.location(point)
        assert location is not None
        found[location.position.file, location.position.line] = f"◆ {text}"
    return found


def _points(program: Program, question: str) -> list[int]:
    """The points that a question «thread at place, called from …» is about."""
    for name in thread_names(program):
        if question.startswith(f"{name} at "):
            place = question.removeprefix(f"{name} at ").partition(", called from ")[0]
            try:
                return places(program, place.removeprefix("line "))
            except UsageError:
                return []
    return []


def _threads_table(system: System) -> Html:
    rows = []
    for template, group in zip(system.templates, system.groups, strict=True):
        names = [system.thread_names[thread] for thread in group]
        shown = ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")
        cells = (
            shown,
            len(group),
            template.word_text(template.stack),
            f"{len(template.symbols) - 1:,}",
            f"{len(template.rules):,}",
        )
        rows.append(element("tr", [element("td", cell) for cell in cells]))
    heads = ("threads", "count", "first stack", "symbols", "rules")
    head = element("tr", [element("th", name, scope="col") for name in heads])
    return joined(
        element(
            "p", f"{counted(len(system.shared), 'shared state')}; threads on one line are equal."
        ),
        element(
            "div",
            element("table", element("thead", head), element("tbody", rows), class_="rounds"),
            class_="scroll",
            tabindex="0",
        ),
    )
