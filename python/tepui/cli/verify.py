"""`tepui verify`: does the property hold for any number of contexts?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tepui.cli.arguments import (
    Engine,
    EngineName,
    File,
    Init,
    Json,
    MatchingFile,
    MaxContexts,
    Memory,
    OnOff,
    PropertyName,
    Quiet,
    Symmetry,
    Target,
    Timeout,
    Z,
    load_system,
    make_limits,
    make_options,
)
from tepui.cli.output import print_summary
from tepui.evidence import write_evidence
from tepui.report.as_json import result_object
from tepui.report.live import LiveTable
from tepui.sequences import verify

_EXIT_CODES = {"safe": 0, "unsafe": 1, "unknown": 3, "bounded": 4}


def command(
    file: File,
    init: Init = None,
    target: Target = None,
    property_name: PropertyName = None,
    contexts: Annotated[
        int | None,
        typer.Option(metavar="K", min=0, help="Look for violations within K contexts only."),
    ] = None,
    engine: EngineName = Engine.AUTO,
    symmetry: Symmetry = OnOff.ON,
    z: Z = "auto",
    matching: MatchingFile = None,
    evidence: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the trace or the certificate to this file."),
    ] = None,
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Do not let the checker examine the evidence.")
    ] = False,
    json_: Json = False,
    timeout: Timeout = None,
    memory: Memory = None,
    max_contexts: MaxContexts = None,
    quiet: Quiet = False,
) -> int:
    """Decide whether a bad state is reachable, for any number of contexts.

    Exit code: 0 safe, 1 unsafe, 2 wrong input or use, 3 unknown, 4 no violation within
    --contexts, 5 internal error.
    """
    limits = make_limits(timeout, memory, max_contexts)
    system = load_system(file, init, target, property_name)
    options = make_options(system, symmetry, z, matching, limits)
    with LiveTable(f"verify {system.name}", enabled=not (quiet or json_)) as watch:
        result = verify(
            system,
            options=replace(options, contexts=contexts, check=not no_check, watch=watch),
        )
    if evidence is not None and result.evidence is not None:
        write_evidence(evidence, system, result.asked, result.evidence)
    if json_:
        typer.echo(json.dumps(result_object(result), indent=2))
    else:
        print_summary(result)
        if evidence is not None:
            _say_where(evidence, written=result.evidence is not None)
    return _EXIT_CODES[result.verdict]


def _say_where(path: Path, *, written: bool) -> None:
    if written:
        typer.echo(f"\nevidence written to {path}")
    else:
        typer.echo(f"\nthere is no evidence to write to {path}", err=True)
