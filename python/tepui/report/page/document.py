"""The whole page: its sections in order, the navigation to them, style, script and data.

Everything is in the one file, and a policy in it forbids the browser to fetch anything else. Its
size is bounded: long traces, sources and lists are cut, and the page says where.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from string import Template
from typing import Any

from tepui.program.program import Program
from tepui.records import record
from tepui.report.markup import Child, Html, data, element, joined, plain
from tepui.report.page.about import about_html
from tepui.report.page.again import again_html
from tepui.report.page.calls import calls_html
from tepui.report.page.facts import fact_notes, facts_html
from tepui.report.page.lanes import lanes_of
from tepui.report.page.listing import listings_html
from tepui.report.page.marks import marks_of
from tepui.report.page.proof import proof_html
from tepui.report.page.rounds import observations_html
from tepui.report.page.sources import Library, rule_positions
from tepui.report.page.trace import TracePart
from tepui.report.page.verdict import badge_html, glance_html, sentence_of, title_of, verdict_html
from tepui.report.page.visible import VisiblePart
from tepui.report.pictures.colours import LIGHT, variables
from tepui.report.report_input import ReportInput
from tepui.result import Result

MOST_STEPS = 6_000
"""How many steps all traces of a page show together."""

MOST_BYTES = 2_800_000
"""How much a page may weigh, but for style, script and some pictures."""

TRACE_BYTES = 1_300_000
"""How much room all traces have together: with long statements, fewer steps are shown."""

_FEWEST_STEPS = 20

_MOST_LINKS = 12
"""More answers are linked from the list of questions only."""

MOST_DETAILED = 20
"""Of more answers, only the first have a trace, a plot and an explanation of their own."""


def report_page(data: ReportInput) -> str:
    """The HTML of a report."""
    return _Document(data).text()


@record
class _Section:
    """A part of the page, what the navigation calls it, if it has a link there, and its title."""

    identity: str
    name: str
    title: Child
    content: Child

    def html(self) -> Html:
        heading = f"{self.identity}-title"
        return element(
            "section",
            element("h2", self.title, id=heading),
            self.content,
            id=self.identity,
            aria_labelledby=heading,
        )


class _Document:
    """Collects the sections of a page, and the data that its script needs."""

    def __init__(self, data: ReportInput) -> None:
        self._told = data
        self._library = Library(data)
        rules = rule_positions(data)
        detailed = _detailed(data.results)
        self._detailed = detailed
        self._traces = [
            lanes_of(result, rules) if number in detailed else None
            for number, result in enumerate(data.results, start=1)
        ]
        self._data: dict[str, Any] = {"traces": {}, "visible": None}

    def text(self) -> str:
        sections = self._sections()
        links = [
            element("li", element("a", section.name, href=f"#{section.identity}"))
            for section in sections
            if section.name
        ]
        told, name = self._told, self._told.title
        values = {
            "title": plain(f"{_title(told)}: {name}"),
            "name": plain(name),
            "style": f"{variables()}{_PAPER}{_file('style.css')}",
            "links": joined(links),
            "sections": joined(section.html() for section in sections),
            "data": data("report-data", self._data),
            "script": _file("script.js"),
        }
        page = Template(_file("page.html")).substitute(values)
        return page.encode("utf-8", "replace").decode("utf-8")

    def _sections(self) -> list[_Section]:
        """All sections in order. The visible states come last, and get the room that is left."""
        first, model, about = list(self._answers()), list(self._model()), self._about()
        taken = sum(_size(section.html()) for section in (*first, *model, about))
        taken += _size(data("", self._data))
        return [*first, *self._explored(MOST_BYTES - taken), *model, about]

    def _answers(self) -> Iterator[_Section]:
        told = self._told
        yield _Section("verdict", "Verdict", "Verdict", verdict_html(told))
        if told.facts is not None:
            yield _Section("facts", "Facts", "What holds there", facts_html(told.facts))
        if len(told.results) == 1:
            yield from self._single(told.results[0])
        else:
            for number, result in enumerate(told.results, start=1):
                yield self._answer(result, number)

    def _single(self, result: Result) -> Iterator[_Section]:
        """The sections of the only answer."""
        if self._traces[0] is not None:
            yield _Section("trace-1", "Trace", "The trace", self._trace(1))
        plot = observations_html(result)
        yield _Section("observations-1", "Observations", "The observation sequence", plot)
        yield _Section("proof-1", "Proof", "Why this is the answer", proof_html(result))

    def _answer(self, result: Result, number: int) -> _Section:
        """One of several answers, with all that belongs to it."""
        content: list[Child] = [element("p", sentence_of(result)), glance_html(result)]
        if self._traces[number - 1] is not None:
            content.append(_inner(f"trace-{number}", "The trace", self._trace(number)))
        if number in self._detailed:
            content += [
                _folded(f"observations-{number}", "The observations", observations_html(result)),
                _folded(f"proof-{number}", "Why this is the answer", proof_html(result)),
            ]
        name = f"Answer {number}" if len(self._told.results) <= _MOST_LINKS else ""
        return _Section(
            f"answer-{number}", name, [badge_html(result), " ", title_of(result)], content
        )

    def _explored(self, room: int) -> Iterator[_Section]:
        """What can be reached at all, where that was computed, in so many bytes."""
        result = self._told.exploration
        if result is None:
            if self._told.command == "report" and self._told.options is not None:
                text = "Exploration was left out: the time was up, or the run was interrupted."
                left_out = element("p", text)
                yield _Section("exploration", "Exploration", "All that is reachable", left_out)
            return
        content: list[Child] = [observations_html(result)]
        if self._told.results:
            content = [element("p", sentence_of(result)), glance_html(result), *content]
        content.append(_folded("proof-explored", "Why this is all, or not", proof_html(result)))
        yield _Section("exploration", "Exploration", "All that is reachable", content)
        visible = VisiblePart(result, room)
        self._data["visible"] = visible.data()
        yield _Section("visible", "Visible states", "Visible states", visible.html())

    def _model(self) -> Iterator[_Section]:
        told = self._told
        if self._library.listings:
            marks = marks_of(told, [one for one in self._traces if one is not None])
            notes = fact_notes(told.model, told.facts)
            source = listings_html(self._library, marks, notes)
            yield _Section("source", "Source", "The source", source)
        title = "Who calls whom" if isinstance(told.model, Program) else "Threads"
        yield _Section("calls", title, title, calls_html(told.model))

    def _about(self) -> _Section:
        content: list[Child] = [about_html(self._told)]
        again = again_html(self._told)
        if again is not None:
            content += [element("h3", "Check it again"), again]
        return _Section("about", "About this run", "About this run", content)

    def _trace(self, number: int) -> Html:
        lanes = self._traces[number - 1]
        assert lanes is not None
        count = sum(one is not None for one in self._traces)
        most = MOST_STEPS // count
        while True:
            part = TracePart(lanes, number, self._library, most)
            html, steps = part.html(), part.data()
            size = _size(html) + _size(data("", steps))
            if most < _FEWEST_STEPS or size * count <= TRACE_BYTES:
                self._data["traces"][f"trace-{number}"] = steps
                return html
            most //= 2


def _detailed(results: Sequence[Result]) -> frozenset[int]:
    """The numbers of the answers that are shown with all that belongs to them: violations first."""
    numbers = range(1, len(results) + 1)
    by_worth = sorted(numbers, key=lambda number: results[number - 1].verdict != "unsafe")
    return frozenset(by_worth[:MOST_DETAILED])


def _size(html: Html) -> int:
    return len(html.encode("utf-8", "replace"))


def _inner(identity: str, title: str, content: Child) -> Html:
    return element("div", element("h3", title), content, id=identity)


def _folded(identity: str, title: str, content: Child) -> Html:
    """A part that is closed at first."""
    return element("details", element("summary", title), content, id=identity, class_="folded")


def _title(data: ReportInput) -> str:
    """The verdict, for the title of the window."""
    answers = [
        *data.results,
        *([data.exploration] if data.exploration else []),
    ]
    if len(data.results) <= 1 and answers:
        return answers[0].verdict
    return "answers" if answers else "report"


def _file(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


_PAPER = (
    "@media print{:root:root:root{"
    + "".join(f"--tepui-{name}:{value};" for name, value in LIGHT.items())
    + "}}\n"
)
"""Paper is white, whatever the screen was."""
