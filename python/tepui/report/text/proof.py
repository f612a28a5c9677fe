"""Why an answer holds, as text: the paragraphs of the explanation, and what an invariant says."""

from __future__ import annotations

from collections.abc import Iterator

from tepui.report.proof_text import explained, invariant_of
from tepui.report.text.paint import Paint, plain, wrapped
from tepui.result import Result

_ITEM = 4
_CLAUSE = 8


def proof_lines(result: Result, *, width: int | None = None, paint: Paint = plain) -> Iterator[str]:
    """The explanation, each paragraph below its title; no line is wider if words allow it."""
    for paragraph in explained(result):
        yield from wrapped([(paragraph.title, "title")], width, 2, paint)
        yield from wrapped([f"  {paragraph.text}"], width, 2, paint)
        for item in paragraph.items:
            yield from wrapped([f"  - {item}"], width, _ITEM, paint)
    invariant = invariant_of(result)
    if invariant is None:
        return
    yield ""
    yield from wrapped([("The invariant", "title"), f"  {invariant.about}"], width, 2, paint)
    if invariant.everywhere:
        yield from wrapped(["  ", ("everywhere", "place")], width, _ITEM, paint)
        for line in invariant.everywhere:
            yield from wrapped([f"      {line}"], width, _CLAUSE, paint)
    for clause in invariant.clauses:
        for places in clause.places:
            yield from wrapped(["  ", (places, "place")], width, _ITEM, paint)
        for line in clause.lines:
            yield from wrapped([f"      {line}"], width, _CLAUSE, paint)
    if invariant.more:
        yield from wrapped([f"  {invariant.more}"], width, _ITEM, paint)
