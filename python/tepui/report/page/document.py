"""The whole page: its sections in order, the navigation to them, style, script and data.

Everything is in the one file, and a policy in it forbids the browser to fetch anything else. Its
size is bounded: long traces, sources and lists are shortened, and the page says where.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from tepui.doors import door
from tepui.errors import UsageError
from tepui.languages.registry import refuse_model
from tepui.model import SystemInstance
from tepui.output_places import write_text
from tepui.program.program import Program
from tepui.records import record
from tepui.report.markup import Child, Html, data, element, joined, plain
from tepui.report.page.about import about_html
from tepui.report.page.answer import observations_html, proof_html
from tepui.report.page.check_commands import check_commands_html
from tepui.report.page.dataflow_section import dataflow_html, dataflow_notes
from tepui.report.page.deadlock_section import DeadlockPart
from tepui.report.page.listing import listings_html
from tepui.report.page.marks import marks_of
from tepui.report.page.model_section import model_html
from tepui.report.page.sources import Library, rule_positions
from tepui.report.page.syntax_colours import CODE_DARK, CODE_LIGHT
from tepui.report.page.trace_lanes import lanes_of
from tepui.report.page.trace_section import TracePart
from tepui.report.page.verdict import badge_html, glance_html, sentence_of, title_of, verdict_html
from tepui.report.page.visible_states import VisiblePart
from tepui.report.pictures.colours import DARK, LIGHT, variables
from tepui.report.proof_text import not_explored
from tepui.report.report_input import ReportInput
from tepui.result import Answer, Result

MOST_STEPS = 6_000
"""The largest number of steps in all traces of a page together."""

MOST_BYTES = 2_800_000
"""The largest size of a page, without style, script and some pictures."""

TRACE_BYTES = 1_300_000
"""The largest size of all traces together: with long statements, fewer steps are shown."""

_FEWEST_STEPS = 20

_MOST_LINKS = 12
"""If there are more answers, only the list of questions links to them."""

_EXPLORED = ("collapsed", "stopped")
"""The verdicts of `explore`."""

Reported = Result | Answer | Iterable[Result | Answer]

MOST_DETAILED = 20
"""If there are more answers, only the first have a trace, a plot and an explanation."""


def report_page(data: ReportInput) -> str:
    """The HTML of a report."""
    return _Document(data).text()


@door
def write_report(
    path: str | os.PathLike[str],
    answers: Result | Answer | Iterable[Result | Answer],
    *,
    file: str | os.PathLike[str] | None = None,
) -> Path:
    """Write an HTML report about results, all of one model, and return where it is.

    `answers` is what `verify`, `verify_all` or `explore` gave, or several of these. `file` is the
    file of a system, whose text is then shown; a program knows its own.

    >>> program = tepui.load("examples/bluetooth1.bp")
    >>> print(tepui.write_report("driver.html", [tepui.verify(program), tepui.explore(program)]))
    driver.html
    """
    target = Path(path)
    refuse_model(target, "the report")
    results = list(_results(answers))
    if not results:
        raise UsageError("a report needs a result: what tepui.verify(…) or tepui.explore(…) gives")
    explored = [result for result in results if result.verdict in _EXPLORED]
    data = ReportInput(
        "report",
        results[0].subject.model,
        None if file is None else Path(file),
        tuple(result for result in results if result.verdict not in _EXPLORED),
        explored[-1] if explored else None,
    )
    write_text(target, report_page(data))
    return target


@record
class _Section:
    """A part of the page: its identity, its name in the navigation (empty for none), its title."""

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
        self._input = data
        self._library = Library(data)
        rules = rule_positions(data)
        detailed = _detailed(data.results)
        self._detailed = detailed
        self._traces = [
            lanes_of(result, rules) if number in detailed else None
            for number, result in enumerate(data.results, start=1)
        ]
        self._parts: dict[int, TracePart] = {}
        """The traces on the page, by the numbers of their answers."""
        self._data: dict[str, Any] = {"traces": {}, "visible": None}

    def text(self) -> str:
        sections = self._sections()
        links = [
            element("li", element("a", section.name, href=f"#{section.identity}"))
            for section in sections
            if section.name
        ]
        name = self._input.title
        values = {
            "title": plain(f"{_title(self._input)}: {name}"),
            "name": plain(name),
            "style": f"{variables(light=_LIGHT, dark=_DARK)}{_PAPER}{_file('style.css')}",
            "links": joined(links),
            "sections": joined(section.html() for section in sections),
            "data": data("report-data", self._data),
            "script": _file("script.js"),
        }
        page = Template(_file("page.html")).substitute(values)
        return page.encode("utf-8", "replace").decode("utf-8")

    def _sections(self) -> list[_Section]:
        """All sections in order. The visible states are made last, in the room that is left."""
        first, model, about = list(self._answers()), list(self._model()), self._about()
        taken = sum(_size(section.html()) for section in (*first, *model, about))
        taken += _size(data("", self._data))
        return [*first, *self._explored(MOST_BYTES - taken), *model, about]

    def _answers(self) -> Iterator[_Section]:
        given = self._input
        yield _Section("verdict", "Verdict", "Verdict", verdict_html(given))
        if given.facts is not None:
            yield _Section(
                "dataflow", "Dataflow", "What holds at this place", dataflow_html(given.facts)
            )
        if len(given.results) == 1:
            yield from self._single(given.results[0])
        else:
            for number, result in enumerate(given.results, start=1):
                yield self._answer(result, number)

    def _single(self, result: Result) -> Iterator[_Section]:
        """The sections of the only answer."""
        if self._traces[0] is not None:
            yield _Section("trace-1", "Trace", "The trace", self._trace(1))
            why = self._deadlock(result, 1)
            if why is not None:
                yield _Section("deadlock-1", "Deadlock", _DEADLOCK, why)
        if result.has_rounds:
            plot = observations_html(result)
            yield _Section("observations-1", "Observations", "The observation sequence", plot)
        yield _Section("proof-1", "Proof", "Why this is the answer", proof_html(result))

    def _answer(self, result: Result, number: int) -> _Section:
        """One of several answers, with its trace and its explanation."""
        content: list[Child] = [element("p", sentence_of(result)), glance_html(result)]
        if self._traces[number - 1] is not None:
            content.append(_inner(f"trace-{number}", "The trace", self._trace(number)))
            why = self._deadlock(result, number)
            if why is not None:
                content.append(_inner(f"deadlock-{number}", _DEADLOCK, why))
        if number in self._detailed:
            if result.has_rounds:
                seen = observations_html(result)
                content.append(_folded(f"observations-{number}", "The observations", seen))
            content.append(_folded(f"proof-{number}", "Why this is the answer", proof_html(result)))
        name = f"Answer {number}" if len(self._input.results) <= _MOST_LINKS else ""
        return _Section(
            f"answer-{number}", name, [badge_html(result), " ", title_of(result)], content
        )

    def _explored(self, room: int) -> Iterator[_Section]:
        """What is reachable, if that was computed; the visible states take at most `room` bytes."""
        result = self._input.exploration
        if result is None:
            if self._input.command == "report" and self._input.options is not None:
                text = "Exploration was left out: the time was up, or the run was interrupted."
                model = self._input.model
                if isinstance(model, Program) and model.any_number:
                    text = not_explored(model.any_number)
                elif isinstance(model, SystemInstance):
                    text = not_explored(model.original.any_number)
                left_out = element("p", text)
                yield _Section("exploration", "Exploration", "What is reachable", left_out)
            return
        content: list[Child] = [observations_html(result)]
        if self._input.results:
            content = [element("p", sentence_of(result)), glance_html(result), *content]
        why = "Why this is all" if result.verdict == "collapsed" else "Why this may not be all"
        content.append(_folded("proof-explored", why, proof_html(result)))
        yield _Section("exploration", "Exploration", "What is reachable", content)
        visible = VisiblePart(result, room)
        self._data["visible"] = visible.data()
        yield _Section("visible", "Visible states", "Visible states", visible.html())

    def _model(self) -> Iterator[_Section]:
        given = self._input
        if self._library.listings:
            marks = marks_of(given, [one for one in self._traces if one is not None])
            notes = dataflow_notes(given.model, given.facts)
            source = listings_html(self._library, marks, notes)
            yield _Section("source", "Source", "The source", source)
        title = "Call graph" if isinstance(given.model, Program) else "Threads"
        yield _Section("calls", title, title, model_html(given.model))

    def _about(self) -> _Section:
        content: list[Child] = [about_html(self._input)]
        commands = check_commands_html(self._input)
        if commands is not None:
            content += [element("h3", "Check the evidence again"), commands]
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
                self._parts[number] = part
                return html
            most //= 2

    def _deadlock(self, result: Result, number: int) -> Html | None:
        """Why no thread can move, if that is what was found; made after the trace."""
        if result.deadlock is None:
            return None
        return DeadlockPart(result.deadlock, self._library, self._parts[number].identity_of).html()


_DEADLOCK = "Why no thread can move"


def _results(answers: Reported) -> Iterable[Result]:
    several = [answers] if isinstance(answers, Result | Answer) else answers
    for answer in several:
        yield answer.result if isinstance(answer, Answer) else answer


def _detailed(results: Sequence[Result]) -> frozenset[int]:
    """The numbers of the answers that are shown in detail: violations first."""
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


_LIGHT = {**LIGHT, **CODE_LIGHT}
_DARK = {**DARK, **CODE_DARK}

_PAPER = (
    "@media print{:root:root:root{"
    + "".join(f"--tepui-{name}:{value};" for name, value in _LIGHT.items())
    + "}}\n"
)
"""Paper is white, whatever the screen was."""
