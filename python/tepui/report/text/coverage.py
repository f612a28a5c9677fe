"""Which statements of a program are reached, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from tepui.report.text.paint import Paint, Piece, Role, plain, wrapped
from tepui.words import plural

if TYPE_CHECKING:
    from tepui.result import Result
    from tepui.subject.coverage import Coverage, Statement

_SHOWN = 10
"""How many statements are listed one by one."""

_WIDTH_OF_STATEMENTS = 50
"""For statements up to this width, the threads that reach them are printed in one column."""

_FOR_NAMES = 25
"""The least room beside statements in which names are wrapped below names."""


def coverage_lines(result: Result, *, width: int | None = None, paint: Paint = plain) -> list[str]:
    """Every statement with a mark: + and the threads that reach it, or - if none does."""
    found = result.coverage
    if found is None:
        return ["", "  coverage: not known, because the run has ended inside of a step"]
    lines = ["", *wrapped([_certainty(found)], width, 2)]
    for name, statements in groupby(found.statements, key=lambda one: one.procedure):
        own = list(statements)
        reached = sum(bool(statement.reached_by) for statement in own)
        count = f"{reached} of {len(own)} {plural(len(own), 'statement')} reached"
        lines += wrapped([f"{name}: {count}"], width, 2)
        lines += _statement_lines(own, width, paint)
    return lines


def some_statements(statements: Iterable[Statement]) -> str:
    """Some statements with their places, the first few if there are many."""
    texts = [f"{one.position.short} {one.text.rstrip(' ;')}" for one in statements]
    more = [f"and {len(texts) - _SHOWN} more"] if len(texts) > _SHOWN else []
    return "; ".join(texts[:_SHOWN] + more)


def _certainty(found: Coverage) -> str:
    match found.certain:
        case "all":
            return "coverage: exact"
        case "reached":
            return "coverage: what is reached is certain; what is not may be reached later"
        case "unreached":
            return "coverage: what is not reached is certain; what is may be out of reach"


def _statement_lines(
    statements: Sequence[Statement], width: int | None, paint: Paint
) -> Iterator[str]:
    column = min(_WIDTH_OF_STATEMENTS, max(len(statement.text) for statement in statements))
    for statement in statements:
        sign, role, who = _reached(statement)
        mark: Piece = (f"{sign} {statement.position.line:>5}", role)
        line: list[Piece] = ["  ", mark, f"  {statement.text:<{column}}  {who}"]
        under = 13 + column if width is None or width - column > _FOR_NAMES else 13
        yield from wrapped(line, width, under, paint)


def _reached(statement: Statement) -> tuple[str, Role, str]:
    """The mark of a statement, its colour, and the threads that reach it."""
    if statement.reached_by:
        return "+", "safe", ", ".join(statement.reached_by)
    return "-", "unsafe", "not reached"
