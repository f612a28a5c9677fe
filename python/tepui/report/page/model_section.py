"""The call graph of a program as a picture, or the threads of a system as a table."""

from __future__ import annotations

from collections.abc import Iterator

from tepui.errors import UsageError
from tepui.model import System, SystemInstance, Template
from tepui.program.program import Program
from tepui.report.markup import Child, Html, element, joined
from tepui.report.pictures.graph import graph_svg
from tepui.report.pictures.program_graphs import call_graph
from tepui.words import counted

_MOST_NAMES = 12


def model_html(model: System | Program) -> Html:
    """The call graph of a program, or the threads of a system."""
    if isinstance(model, System):
        return _threads_table(model)
    try:
        picture = graph_svg(call_graph(model))
    except UsageError as error:
        return element("p", str(error), class_="muted")
    return element("div", Html(picture), class_="picture", tabindex="0")


def _threads_table(system: System) -> Html:
    rows = [
        element("tr", [element("td", cell) for cell in cells])
        for cells in (_blocks(system) if isinstance(system, SystemInstance) else _groups(system))
    ]
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


def _groups(system: System) -> Iterator[tuple[Child, ...]]:
    """The cells of a row for all equal threads."""
    for template, group in zip(system.templates, system.groups, strict=True):
        names = [system.thread_names[thread] for thread in group]
        shown = ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")
        yield (shown, len(group), *_facts(template))


def _blocks(system: SystemInstance) -> Iterator[tuple[Child, ...]]:
    """The same for each block, where there is any number of threads of some."""
    first = 0
    for block in system.original.blocks:
        count = system.counts[block.name] if block.count is None else block.count
        shown = "any number" if block.count is None else count
        yield (block.name, shown, *_facts(system.template_of(first)))
        first += count


def _facts(template: Template) -> tuple[Child, ...]:
    return (
        template.word_text(template.stack),
        f"{len(template.symbols) - 1:,}",
        f"{len(template.rules):,}",
    )
