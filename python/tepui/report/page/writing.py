"""Reports from Python: results in, a file out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from tepui.errors import UsageError
from tepui.report.page.document import report_page
from tepui.report.report_input import ReportInput
from tepui.result import Answer, Result

_EXPLORED = ("collapsed", "stopped")
"""The verdicts of `explore`."""

Answers = Result | Answer | Iterable[Result | Answer]


def write_report(
    path: str | os.PathLike[str],
    answers: Answers,
    *,
    file: str | os.PathLike[str] | None = None,
) -> Path:
    """Write an HTML report about results, all of one model, and return where it is.

    `answers` is what `verify`, `verify_all` or `explore` gave, or several of these. `file` is the
    file of a system, whose text is then shown; a program knows its own.
    """
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
    target = Path(path)
    target.write_text(report_page(data), encoding="utf-8")
    return target


def _results(answers: Answers) -> Iterable[Result]:
    several = [answers] if isinstance(answers, Result | Answer) else answers
    for answer in several:
        yield answer.result if isinstance(answer, Answer) else answer
