"""`--markers` and `--markers-to`: which lines are reached, shown or written while a run goes on.

A file gets whole lines, at once, and an `end` whatever happens. If it cannot be written any more,
the run goes on, and the error comes after the answer. A pipe that nobody empties holds up the run,
until it is interrupted: from then on, nothing is waited for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

import click

from tepui.cli.arguments import not_for_systems
from tepui.errors import AT_LIMIT, UsageError
from tepui.model import System
from tepui.records import replace
from tepui.report.terminal.live import LiveTable
from tepui.report.terminal.printing import echo
from tepui.report.verdicts import worst

if TYPE_CHECKING:
    from tepui.deciding import Options
    from tepui.markers import Marker
    from tepui.program.program import Program
    from tepui.report.exchange.marker_lines import MarkerLines
    from tepui.report.terminal.live import Source
    from tepui.result import Result

WHAT = "the stream of markers"

_BUFFER = 2**20
"""No line is longer than that. What fits into the buffer is written as a whole, or later."""

markers_flag = click.option(
    "--markers",
    is_flag=True,
    help="For programs: show the source beside the live table, and mark its lines as the run goes "
    "on: reached, violated, unreached.",
)
markers_to_flag = click.option(
    "--markers-to",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="For programs: write the same to this file or pipe, as JSON lines, while the run goes on.",
)


def check_markers(flags: Mapping[str, Any], model: System | Program, *, hides: str | None) -> None:
    """Refuse markers where there are no lines, or where an option hides the table."""
    for option in ("--markers", "--markers-to"):
        if flags[option[2:].replace("-", "_")] and isinstance(model, System):
            raise not_for_systems(flags["file"], option)
    if flags["markers"] and hides is not None:
        raise UsageError(
            f"--markers shows the source beside the live table, which {hides} leaves out; "
            "--markers-to FILE writes the same"
        )


class Watch:
    """A context in which a run is shown: its table, and its markers if they are wanted."""

    def __init__(
        self,
        command: Literal["verify", "explore"],
        model: System | Program,
        flags: Mapping[str, Any],
        *,
        enabled: bool,
    ) -> None:
        self._command: Literal["verify", "explore"] = command
        self._model = model
        shows, path = flags["markers"], flags["markers_to"]
        source = _source(model, flags["file"]) if shows else None
        title = f"{command} {model.name}"
        self.live = LiveTable(title, enabled=enabled, source=source)
        self._file = None if path is None else _MarkerFile(path)
        self._marks = shows or path is not None
        if shows and not self.live.is_drawn:
            echo(
                "--markers shows the source on a terminal, and standard error is none; "
                "--markers-to FILE writes the same",
                err=True,
            )

    def __enter__(self) -> Watch:
        self._watch = self.live.__enter__()
        if self._file is not None and not isinstance(self._model, System):
            from tepui.report.exchange.marker_lines import MarkerLines

            self._lines: MarkerLines = MarkerLines(self._model)
            self._file.write(self._lines.start(self._command))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self.live.__exit__(kind, error, traceback)
        finally:
            self._end(None)

    def options(self, options: Options) -> Options:
        """The options for a run that is watched."""
        tell = self._tell if self._marks else None
        return replace(options, progress=self._watch, markers=tell)

    def end(self, results: Sequence[Result]) -> None:
        """There are results."""
        self._end(worst(results))

    def say_written(self) -> None:
        """Say where the markers are; a UsageError if they could not be written."""
        if self._file is not None:
            self._file.say_written()

    def _tell(self, marker: Marker) -> None:
        self.live.mark(marker)
        if self._file is not None:
            self._file.write(self._lines.marker(marker))

    def _end(self, result: Result | None) -> None:
        if self._file is not None and not self._file.is_closed:
            self._file.write(self._lines.end(result))
            self._file.close()


class _MarkerFile:
    """A file or a pipe that gets lines."""

    def __init__(self, path: Path) -> None:
        from tepui.output_places import open_place

        self._path = path
        self._error: OSError | None = None
        self.is_closed = False
        try:
            self._file = open_place(path, buffering=_BUFFER)
        except OSError as error:
            self._error = error
            self.say_written()

    def write(self, line: str) -> None:
        """Write a line at once."""
        if self._error is not None:
            return
        try:
            self._file.write(f"{line}\n")
            self._file.flush()
        except (KeyboardInterrupt, *AT_LIMIT):
            os.set_blocking(self._file.fileno(), False)
            raise
        except OSError as error:
            self._error = error

    def close(self) -> None:
        self.is_closed = True
        try:
            self._file.close()
        except OSError as error:
            self._error = self._error or error

    def say_written(self) -> None:
        if self._error is not None:
            is_full = isinstance(self._error, BlockingIOError)
            why = "nobody reads this pipe" if is_full else self._error.strerror
            raise UsageError(f"{self._path}: {WHAT} cannot be written: {why}") from self._error
        echo(f"{WHAT} was written to {self._path}", err=True)


def _source(model: System | Program, file: Path) -> Source:
    """The text of a program, and the lines of its statements."""
    from tepui.cli.model_file import inputs_of
    from tepui.markers import lines_of

    assert not isinstance(model, System)
    return [(each.name, each.lines) for each in inputs_of(model, file)], lines_of(model)
