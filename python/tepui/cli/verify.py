"""`tepui verify`: does the property hold for any number of contexts?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import click

from tepui.cli.arguments import (
    RunFlags,
    SystemFlags,
    exists,
    json_flag,
    load_system,
    quiet_flag,
    run_flags,
    run_limits,
    run_options,
    system_flags,
)
from tepui.cli.output import print_summary
from tepui.errors import UsageError
from tepui.evidence import write_evidence
from tepui.report.as_json import result_object
from tepui.report.live import LiveTable
from tepui.result import Result
from tepui.sequences import verify

_EXIT_CODES = {"safe": 0, "unsafe": 1, "unknown": 3, "bounded": 4}


@click.command("verify")
@system_flags
@click.option(
    "--contexts",
    metavar="K",
    type=click.IntRange(min=0),
    help="Look for violations within K contexts only.",
)
@run_flags
@click.option(
    "--evidence",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the trace or the certificate to this file.",
)
@click.option("--no-check", is_flag=True, help="Do not let the checker examine the evidence.")
@json_flag
@quiet_flag
def command(
    contexts: int | None,
    evidence: Path | None,
    no_check: bool,
    as_json: bool,
    quiet: bool,
    **flags: Any,
) -> int:
    """Decide whether a bad state is reachable, for any number of contexts.

    FILE is a .pds or a .cpds file.

    Exit code: 0 safe, 1 unsafe, 2 wrong input or use, 3 unknown, 4 no violation within
    --contexts, 5 internal error.
    """
    limits = run_limits(cast(RunFlags, flags))
    if evidence is not None:
        _check_can_be_written(evidence, flags["file"])
    system = load_system(cast(SystemFlags, flags))
    options = run_options(system, cast(RunFlags, flags), limits)
    with LiveTable(f"verify {system.name}", enabled=not (quiet or as_json)) as watch:
        options = replace(options, contexts=contexts, check=not no_check, watch=watch)
        result = verify(system, options=options)
    if as_json:
        click.echo(json.dumps(result_object(result), indent=2))
    else:
        print_summary(result)
    if evidence is not None:
        _write(evidence, result)
    return _EXIT_CODES[result.verdict]


def _check_can_be_written(evidence: Path, file: Path) -> None:
    """Complain before the run about a place where nothing can be written after it."""
    if exists(evidence) and exists(file) and evidence.samefile(file):
        raise UsageError(f"--evidence {evidence}: this is the file of the system")
    problem = None
    if evidence.is_dir():
        problem = "Is a directory"
    elif not evidence.parent.is_dir():
        problem = "Not a directory" if exists(evidence.parent) else "No such file or directory"
    if problem is not None:
        raise UsageError(f"{evidence}: the evidence cannot be written: {problem}")


def _write(path: Path, result: Result) -> None:
    """Write the evidence, after the answer was printed: that must not be lost to a full disk."""
    if result.evidence is None:
        click.echo(f"no evidence was written to {path}: there is none for this answer", err=True)
        return
    try:
        write_evidence(path, result.system, result.asked, result.evidence)
    except OSError as error:
        raise UsageError(f"{path}: the evidence cannot be written: {error.strerror}") from error
    click.echo(f"the evidence was written to {path}", err=True)
