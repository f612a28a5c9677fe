"""The exceptions of tepui: one root, and one class for each kind of error that a caller may
handle."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tepui.result import Result


class TepuiError(Exception):
    """The root of everything that tepui raises on purpose.

    >>> try:
    ...     tepui.load("examples/nothing.bp")
    ... except tepui.TepuiError as error:
    ...     print(error)
    examples/nothing.bp: there is no such file
    """


class ModelError(TepuiError):
    """An impossible system: no thread, a pattern of the wrong length, an unknown name."""


class UsageError(TepuiError):
    """A request that makes no sense for this input, with a hint at what would.

    >>> try:
    ...     tepui.load_program("examples/figure4.cpds")
    ... except tepui.UsageError as error:
    ...     print(error)
    examples/figure4.cpds is a pushdown system, expected a program (.bp, .nbp)
    """


class Stopped(TepuiError):  # noqa: N818 - nothing is wrong, but there is no answer
    """A limit was reached before there was an answer."""


class TooManyOutcomes(TepuiError):  # noqa: N818 - nothing is wrong, but there is no answer
    """A step has more outcomes than are listed, because it reads a variable that may have any
    value. No answer that needs them can be given."""


class Disagreement(Exception):  # noqa: N818 - it is a bug in tepui, and no error of its user
    """Two ways to compute the same thing have given different results."""


class EvidenceError(TepuiError):
    """Evidence that the checker does not accept, and the first reason why.

    >>> issubclass(tepui.EvidenceError, tepui.TepuiError)
    True
    """


class CheckStopped(TepuiError):  # noqa: N818 - it says nothing about the evidence
    """The checker had to stop before it came to a conclusion."""


class EvidenceRejected(TepuiError):  # noqa: N818 - it is the checker's verdict on a verdict
    """The checker rejected the evidence of an answer: a bug in tepui, and no answer.

    `result` is the answer that was not given.

    >>> issubclass(tepui.EvidenceRejected, tepui.TepuiError)
    True
    """

    def __init__(self, reason: str, result: Result) -> None:
        super().__init__(reason)
        self.result = result


class InputError(TepuiError):
    r"""A file or text that cannot be read, with the place and what was expected there.

    `line` and `column` count from 1; both are 0 where the trouble is the file as a whole. If more
    is wrong with a text, `others` are the other errors, in the order of their places.

    >>> try:
    ...     tepui.loads("initial q\nthread T {\n  stack\n}", "cpds")
    ... except tepui.InputError as error:
    ...     print(error)
    <text>:3:8: expected a stack symbol or '-', found the end of the line
        3 |   stack
                   ^
    """

    def __init__(
        self,
        source: str,
        line: int,
        column: int,
        message: str,
        text: str = "",
        others: tuple[InputError, ...] = (),
    ) -> None:
        super().__init__(source, line, column, message, text, others)
        self.source, self.line, self.column = source, line, column
        self.message, self.text, self.others = message, text, others

    def __str__(self) -> str:
        shown = [self._alone(), *(each._alone() for each in self.others[: _MOST_SHOWN - 1])]
        hidden = 1 + len(self.others) - len(shown)
        if hidden:
            shown.append(f"{self.source}: and {hidden} more error{'s' if hidden > 1 else ''}")
        return "\n".join(shown)

    def _alone(self) -> str:
        if not self.line:
            return f"{self.source}: {self.message}"
        place = f"{self.source}:{self.line}:{self.column}: {self.message}"
        if not self.text:
            return place
        shown, column = _around(self.text, self.column)
        margin = f"{self.line:>5} | "
        caret = " " * (len(margin) + column - 1) + "^"
        return f"{place}\n{margin}{shown}\n{caret}"


def together(errors: Iterable[InputError]) -> InputError:
    """One error for all that is wrong with a text."""
    first, *others = sorted(errors, key=lambda error: (error.line, error.column))
    return InputError(
        first.source, first.line, first.column, first.message, first.text, tuple(others)
    )


_MOST_SHOWN = 20
"""How many errors a message shows."""


def _around(text: str, column: int, width: int = 90) -> tuple[str, int]:
    """The part of a line around a column that fits a terminal, and the column within it."""
    start = max(0, min(column - width // 2, len(text) - width))
    part = "".join(c if c.isprintable() else " " for c in text[start : start + width])
    if start:
        part = "…" + part[1:]
    if start + width < len(text):
        part = part[:-1] + "…"
    return part, column - start
