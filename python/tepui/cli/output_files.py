"""The files that a command writes beside its answer. Before the run, it checks whether they can be
written. They are written after the answer was printed, so that a full disk cannot lose the answer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tepui.cli.model_file import inputs_of
from tepui.errors import UsageError
from tepui.languages.registry import refuse_model
from tepui.report.terminal.printing import echo

if TYPE_CHECKING:
    from tepui.model import System
    from tepui.program.program import Program
    from tepui.report.report_input import Inputs, ReportInput

_WRITERS = {
    "report": ("tepui.report.page", "report_page", "the report"),
    "sarif": ("tepui.report.exchange.sarif", "sarif_log", "the SARIF log"),
    "witness": ("tepui.report.exchange.witness", "witness", "the witness"),
}
"""The function that makes the text of the file, and the name of the file for people, by option."""

_PLACES = {
    **{option: what for option, (_, _, what) in _WRITERS.items()},
    "markers_to": "the stream of markers",
}
"""The same names, also of what is written while a run goes on."""

report_flag = click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="FILE.html",
    help="Write a report to look at in a browser: one file that needs nothing else.",
)
sarif_flag = click.option(
    "--sarif",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the answer as SARIF 2.1.0, for code hosts and editors.",
)
witness_flag = click.option(
    "--witness",
    type=click.Path(path_type=Path),
    metavar="FILE.yml",
    help="For programs: write a violation or correctness witness, as competitions exchange them.",
)


def check_places(flags: Mapping[str, Any], evidence: Sequence[Path] = ()) -> None:
    """Raise an error before the run if a file could not be written after it."""
    from tepui.output_places import final_place  # Most runs write no file.

    for path in evidence:
        check_place(path, "--evidence", "the evidence", flags)
    chosen = [(option, flags[option]) for option in _PLACES if flags.get(option) is not None]
    for option, path in chosen:
        check_place(path, f"--{option.replace('_', '-')}", _PLACES[option], flags)
    places: set[Path] = set()
    for path in [*evidence, *(path for _, path in chosen)]:
        place = final_place(path)
        if place in places:
            raise UsageError(f"{path}: two files cannot have the same name")
        places.add(place)


def check_place(path: Path, option: str, what: str, flags: Mapping[str, Any]) -> None:
    """Raise an error about a place where nothing can, or should, be written."""
    from tepui.output_places import problem_at

    if str(path) == "-":
        raise UsageError(f"{option} -: {what} goes to a file; /dev/stdout prints it")
    problem = problem_at(path)
    if problem is not None:
        raise UsageError(f"{path}: {what} cannot be written: {problem}")
    if not exists(path):
        return
    if exists(flags["file"]) and path.samefile(flags["file"]):
        raise UsageError(f"{option} {path}: this is a file that is read")
    refuse_model(path, what, f"{option} ")


def any_written(flags: Mapping[str, Any]) -> bool:
    """Whether a file is to be written about the answer."""
    return any(flags.get(option) is not None for option in _WRITERS)


def kept_inputs(flags: Mapping[str, Any], model: System | Program) -> Inputs:
    """The files that were read, if an output file needs them."""
    if not any_written(flags):
        return None
    return inputs_of(model, flags["file"])


def write_files(flags: Mapping[str, Any], data: ReportInput) -> None:
    """Write all requested files, and say where they are."""
    for option, (module, name, what) in _WRITERS.items():
        path = flags.get(option)
        if path is None:
            continue
        make: Callable[[ReportInput], str] = getattr(import_module(module), name)
        try:
            text = make(data)
        except UsageError as error:
            echo(f"{what} was not written to {path}: {error}", err=True)
        else:
            write_file(path, what, text)


def write_file(path: Path, what: str, text: str) -> None:
    """Write a file and say so."""
    from tepui.output_places import write_text

    try:
        write_text(path, text)
    except OSError as error:
        raise UsageError(f"{path}: {what} cannot be written: {error.strerror}") from error
    echo(f"{what} was written to {path}", err=True)


def typed() -> tuple[str, ...]:
    """The command line as it was typed, without the name of the program."""
    return tuple(sys.argv[1:])


def exists(path: Path) -> bool:
    """Whether there is such a file; False for a name that no file can have."""
    try:
        return path.exists()
    except OSError:
        return False
