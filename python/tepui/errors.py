"""The exceptions of tepui: one root, and one class for each kind of error that a caller may handle.

A message is one line, in which names from files are printable. Those that quote a line of the input
put their lines together themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from tepui.words import printable

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

    def __str__(self) -> str:
        return printable(super().__str__())


class ModelError(TepuiError):
    """An impossible system: no thread, a pattern of the wrong length, an unknown name."""


class UsageError(TepuiError):
    """A request that makes no sense for this input, with a hint at what would.

    >>> try:
    ...     tepui.load_program("examples/figure4.cpds")
    ... except tepui.UsageError as error:
    ...     print(error)
    examples/figure4.cpds is a pushdown system, expected a program (.bp, .nbp, .java)
    """


class Stopped(TepuiError):  # noqa: N818 - nothing is wrong, but there is no answer
    """A limit was reached before there was an answer; `limit` is the one of the user, if it was."""

    limit: str | None = None

    @classmethod
    def at_limit(cls, limit: str) -> Stopped:
        stopped = cls(f"stopped at a limit: {limit}")
        stopped.limit = limit
        return stopped


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


class LimitReached(KeyboardInterrupt):
    """The time or the memory of a command is used up, wherever it is. Like Ctrl-C, this may come at
    any moment, and is handled in the same places."""

    def __init__(self, limit: Literal["time", "memory"]) -> None:
        super().__init__(limit)
        self.limit = limit


AT_LIMIT = (TimeoutError, MemoryError)
"""What is raised where a limit leaves no room for an answer."""


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

    def __reduce__(self) -> tuple[type[EvidenceRejected], tuple[str, Result]]:
        return type(self), (self.args[0], self.result)


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
            more = f"and {hidden} more error{'s' if hidden > 1 else ''}"
            shown.append(printable(f"{self.source}: {more}"))
        return "\n".join(shown)

    def _alone(self) -> str:
        if not self.line:
            return printable(f"{self.source}: {self.message}")
        place = printable(f"{self.source}:{self.line}:{self.column}: {self.message}")
        if not self.text:
            return place
        shown, column = _around(self.text, self.column)
        margin = f"{self.line:>5} | "
        caret = " " * (len(margin) + column - 1) + "^"
        return f"{place}\n{margin}{shown}\n{caret}"


def alone(error: InputError) -> InputError:
    """This error, to be kept: without where it was raised, which holds all that was there. To give
    that back takes long where there are many errors."""
    error.__traceback__ = error.__context__ = None
    return error


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
    part = text[start : start + width].replace("\t", " ")
    if start:
        part = "…" + part[1:]
    if start + width < len(text):
        part = part[:-1] + "…"
    before = printable(part[: column - start - 1])
    return before + printable(part[column - start - 1 :]), len(before) + 1
