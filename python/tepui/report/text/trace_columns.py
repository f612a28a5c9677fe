"""The columns of a trace of a program: where, in which procedure, which statement, what it changes.

Without a width, or where it is wide enough, a step is one line. Otherwise the name of the file is
left out first, if there is only one. What is still too wide goes on below: statements under their
own column, changes under theirs. Nothing is cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tepui.records import record
from tepui.report.text.paint import Paint, Piece, length, wrapped

if TYPE_CHECKING:
    from tepui.subject.story import Change, StatementStep

_WIDTH_OF_STATEMENTS = 50
"""For statements up to this width, the changes are printed in one column."""

_ROOM = 28
"""With less room than this for statements or changes, they get lines of their own."""

_NO_VALUE = "-"

_MOST_AT_START = 12
"""If there are more variables, those that are 0 are not listed at the start."""

_ZEROS = ("0", "F", "null")


@record
class Columns:
    """How wide the columns are."""

    width: int | None
    places: int
    names: int
    statements: int
    lines_only: bool = False
    """Whether places are printed without the name of the file."""

    @classmethod
    def of(cls, steps: Sequence[StatementStep], width: int | None) -> Columns:
        """Columns for some steps, narrow enough for a width if possible."""
        widest = max((len(_statement(step)) for step in steps), default=0)
        columns = cls(
            width,
            max((len(step.position.short) for step in steps), default=0),
            max((len(step.procedure) for step in steps), default=0),
            min(_WIDTH_OF_STATEMENTS, widest),
        )
        if columns._fits(steps):
            return columns
        if len({step.position.file for step in steps}) == 1:
            places = max(len(f"line {step.position.line}") for step in steps)
            columns = replace(columns, places=places, lines_only=True)
        return columns if columns._fits(steps) else columns._with_room_for_changes(steps)

    def lines(self, step: StatementStep, paint: Paint) -> list[str]:
        """A step."""
        head, statement, end = self._head(step), _statement_piece(step), _end(step)
        line = [*head, statement, self._gap(step), *end]
        if self.width is None or length(line) <= self.width:
            return wrapped(line, None, 0, paint)
        if self._has_room:
            lines = wrapped([*head, statement], self.width, self._left, paint)
        else:
            lines = wrapped(head, None, 0, paint)
            lines += wrapped([" " * self._left, statement], self.width, self._left + 2, paint)
        if length(end):
            lines += wrapped([" " * self._under, *end], self.width, self._under + 2, paint)
        return lines

    def stack_lines(self, step: StatementStep) -> list[str]:
        """The calls that a step is in."""
        indent = self.places + 4
        return wrapped(
            [f"{'':<{indent}}in {' < '.join(map(str, step.stack))}"], self.width, indent + 3
        )

    def _head(self, step: StatementStep) -> list[Piece]:
        line = f"line {step.position.line}"
        place = line if self.lines_only else step.position.short
        return ["  ", (f"{place:<{self.places}}", "place"), f"  {step.procedure:<{self.names}}  "]

    def _gap(self, step: StatementStep) -> str:
        """The space between a statement and its changes."""
        missing = max(0, self.statements - len(_statement(step)))
        return " " * (missing + 2) if _changes(step) else ""

    @property
    def _before_statements(self) -> int:
        return 2 + self.places + 2 + self.names + 2

    @property
    def _has_room(self) -> bool:
        """Whether statements can be beside places and procedures."""
        return self.width is None or self.width - self._before_statements >= _ROOM

    @property
    def _left(self) -> int:
        """Where statements begin."""
        return self._before_statements if self._has_room else 6

    @property
    def _under(self) -> int:
        """The column of changes that do not fit beside their statement."""
        column = self._left + self.statements + 2
        fits = self.width is None or self.width - column >= _ROOM
        return column if fits else self._left + 4

    def _fits(self, steps: Sequence[StatementStep]) -> bool:
        """Whether every step is one line."""
        return self.width is None or all(
            self._before_statements + length([_statement_piece(step), self._gap(step), *_end(step)])
            <= self.width
            for step in steps
        )

    def _with_room_for_changes(self, steps: Sequence[StatementStep]) -> Columns:
        """The columns with changes further to the left, if that helps."""
        assert self.width is not None
        widest = max(length(_end(step)) for step in steps)
        room = max(_ROOM, self.width - self._left - 2 - widest)
        return replace(self, statements=min(self.statements, room))


def start_text(changes: Sequence[Change]) -> str:
    """The values of variables at the start."""
    shown, others = shown_at_start(changes)
    values = [f"{change.name}={change.after or _NO_VALUE}" for change in shown]
    return " ".join([*values, *([others] if others else [])])


def shown_at_start(changes: Sequence[Change]) -> tuple[Sequence[Change], str]:
    """The variables to list at the start: if there are many, those that are not 0; and a remark
    about the others."""
    if len(changes) <= _MOST_AT_START:
        return changes, ""
    shown = [change for change in changes if change.after not in _ZEROS]
    count = len(changes) - len(shown)
    return shown, f"({count} others are 0)" if shown and count else "all are 0" if count else ""


def delayed_text(names: Sequence[str]) -> str:
    """The threads that are delayed before a step, for the end of its line."""
    return f"    (delayed: {', '.join(names)})" if names else ""


def _statement(step: StatementStep) -> str:
    return f"| {step.text}" if step.inside_atomic else step.text


def _statement_piece(step: StatementStep) -> Piece:
    text = _statement(step)
    return (text, "inside") if step.inside_atomic else text


def _changes(step: StatementStep) -> str:
    """The changes of a step, unless its text shows them."""
    if step.names_its_changes:
        return ""
    return ", ".join(
        f"{each.name}: {each.before or _NO_VALUE} -> {each.after or _NO_VALUE}"
        for each in step.changes
    )


def _end(step: StatementStep) -> list[Piece]:
    """The text after a statement: its changes, and the threads that are delayed before it."""
    return [(_changes(step), "change"), delayed_text(step.delayed)]
