"""Which lines of a program are reached, as jMoped marks them, and how certain that is.

Marks come from the exploration, or else from the answer that knows most. If a run ended early, what
it did not see is unknown, not unreached. What an over-approximation allows is unknown as well,
unless a trace goes through it.

A line with several statements is partly reached if one of them is certainly reached and another is
not, or may not be. It is unknown if none is certainly reached and some are unknown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from tepui.program.program import Position
from tepui.records import record
from tepui.report.page.trace_lanes import Lanes
from tepui.report.report_input import ReportInput
from tepui.subject.coverage import Certainty, Coverage, Statement

Mark = Literal["violated", "reached", "partly", "unreached", "unknown"]

SIGNS: dict[Mark, str] = {
    "violated": "✗",
    "reached": "✓",
    "partly": "◐",
    "unreached": "○",
    "unknown": "?",
}

_MOST_CHARACTERS = 300
"""Longer remarks about a line are shortened."""

_WORTH: dict[Certainty, int] = {"reached": 0, "unreached": 1, "all": 2}

_Line = tuple[str, int]


@record
class Marked:
    """A line with statements: its mark, and in words which threads reach them."""

    mark: Mark
    words: str


@record
class Marks:
    """The marks of all lines with statements, and which kinds of marks are certain."""

    certain: Certainty
    lines: dict[_Line, Marked]

    def count(self, mark: Mark) -> int:
        return sum(marked.mark == mark for marked in self.lines.values())


def marks_of(data: ReportInput, traces: list[Lanes]) -> Marks | None:
    """The marks of a report; None if nothing is known about statements."""
    found = _best_coverage(data)
    if found is None:
        return None
    violations = set(_violations(data))
    passed = {
        moment.position
        for one in traces
        for context in one.contexts
        for moment in context
        if moment.position is not None
    }
    by_line: dict[_Line, list[Statement]] = {}
    for statement in found.statements:
        by_line.setdefault(_line(statement.position), []).append(statement)
    lines = {
        line: _marked(
            [_known(one, found.certain, passed) for one in statements], line in violations
        )
        for line, statements in by_line.items()
    }
    return Marks(found.certain, lines)


def _best_coverage(data: ReportInput) -> Coverage | None:
    results = [data.exploration] if data.exploration is not None else list(data.results)
    covered = [result.coverage for result in results]
    known = [one for one in covered if one is not None]
    return max(known, key=lambda one: _WORTH[one.certain], default=None)


def _violations(data: ReportInput) -> Iterator[_Line]:
    """The lines of violated assertions, and of places that must not be reached but are."""
    for result in data.results:
        violated = result.violated
        if violated is not None and violated.position is not None:
            yield _line(violated.position)


@record
class _Known:
    """What is known for certain about a statement: whether it is reached, if that is known."""

    text: str
    reached: bool | None
    words: str


def _known(statement: Statement, certain: Certainty, passed: Collection[Position | None]) -> _Known:
    by = ", ".join(statement.reached_by)
    if by and certain != "unreached":
        return _Known(statement.text, True, f"reached by {by}")
    if statement.position in passed:
        return _Known(statement.text, True, "reached in a trace")
    if by:
        return _Known(statement.text, None, f"may be reached by {by}")
    if certain == "reached":
        return _Known(statement.text, None, "not seen so far")
    return _Known(statement.text, False, "never reached")


def _marked(statements: list[_Known], violated: bool) -> Marked:
    words = "; ".join(f"{statement.text}: {statement.words}" for statement in statements)
    if len(statements) == 1:
        words = statements[0].words
    if len(words) > _MOST_CHARACTERS:
        words = f"{words[:_MOST_CHARACTERS]}…"
    if violated:
        return Marked("violated", f"violated; {words}")
    reached = {statement.reached for statement in statements}
    if len(reached) > 1:
        return Marked("partly" if True in reached else "unknown", words)
    return Marked(_MARKS[reached.pop()], words)


_MARKS: dict[bool | None, Mark] = {True: "reached", False: "unreached", None: "unknown"}


def _line(position: Position) -> _Line:
    return position.file, position.line
