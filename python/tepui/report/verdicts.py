"""Verdicts from the worst to the best: their exit codes, the worst of several, and why in short."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tepui.report.bounds import taken_text, within_text

if TYPE_CHECKING:
    from tepui.result import Result, Verdict

EXIT_CODES: dict[Verdict, int] = {
    "unsafe": 1,
    "unknown": 3,
    "stopped": 3,
    "bounded": 4,
    "safe": 0,
    "collapsed": 0,
}
"""The worst first."""


def worst(results: Iterable[Result]) -> Result:
    """The result with the worst verdict, the first of equals."""
    order = list(EXIT_CODES)
    return min(results, key=lambda result: order.index(result.verdict))


def why_text(result: Result) -> str:
    """The grounds of a verdict, in a few words."""
    match result.verdict:
        case "safe" | "collapsed":
            why = str(result.proof or "")
        case "unsafe":
            why = f"violated with {taken_text(result)}"
        case "bounded":
            why = f"not violated {within_text(result)}"
        case _:
            why = result.reason or ""
    return why if result.checked or result.grounds is None else f"{why} (unchecked)"
