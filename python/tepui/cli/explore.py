"""`tepui explore`: which visible states are reachable, and where does their sequence collapse?"""

from __future__ import annotations

import json
from dataclasses import replace
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
    Quiet,
    Symmetry,
    Timeout,
    Z,
    load_system,
    make_limits,
    make_options,
)
from tepui.cli.output import print_rounds, print_summary
from tepui.report.as_json import result_object
from tepui.report.live import LiveTable
from tepui.sequences import explore


def command(
    file: File,
    init: Init = None,
    list_: Annotated[
        bool,
        typer.Option("--list", help="List the visible states (up to symmetry, unless it is off)."),
    ] = False,
    engine: EngineName = Engine.AUTO,
    symmetry: Symmetry = OnOff.ON,
    z: Z = "auto",
    matching: MatchingFile = None,
    json_: Json = False,
    timeout: Timeout = None,
    memory: Memory = None,
    max_contexts: MaxContexts = None,
    quiet: Quiet = False,
) -> int:
    """Compute the exact set of reachable visible states, and where it collapses.

    Exit code: 0 collapsed, 2 wrong input or use, 3 stopped, 5 internal error.
    """
    limits = make_limits(timeout, memory, max_contexts)
    system = load_system(file, init, None)
    options = make_options(system, symmetry, z, matching, limits)
    live = LiveTable(f"explore {system.name}", enabled=not (quiet or json_))
    with live as watch:
        result = explore(system, replace(options, watch=watch))
    if json_:
        typer.echo(json.dumps(result_object(result, list_visible=list_), indent=2))
    else:
        if not live.shown:
            print_rounds(result)
        print_summary(result)
        if list_:
            for visible in result.visible():
                typer.echo(system.visible_text(visible))
    return 0 if result.verdict == "collapsed" else 3
