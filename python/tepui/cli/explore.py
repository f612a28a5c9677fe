"""`tepui explore`: which visible states are reachable, and where does their sequence collapse?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import click

from tepui.api import written_out
from tepui.cli.arguments import (
    RunFlags,
    SystemFlags,
    initial_flags,
    json_flag,
    load_model,
    quiet_flag,
    run_flags,
    run_limits,
    run_options,
)
from tepui.cli.guard import answered
from tepui.cli.java_flags import java_flags
from tepui.cli.marked_run import Watch, check_markers, markers_flag, markers_to_flag
from tepui.cli.output import echo_json, print_coverage, print_rounds, print_summary, print_visible
from tepui.cli.output_files import check_places, kept_inputs, report_flag, typed, write_files
from tepui.deciding import explore
from tepui.errors import Stopped
from tepui.model import System
from tepui.program.program import Program
from tepui.report.exchange.as_json import result_object
from tepui.report.report_input import ReportInput

if TYPE_CHECKING:
    from tepui.limits import Limits
    from tepui.result import Result


@click.command("explore")
@initial_flags
@java_flags
@click.option(
    "--list",
    "list_visible",
    is_flag=True,
    help="List the visible states (up to symmetry, unless that is off).",
)
@click.option(
    "--compare",
    type=click.IntRange(min=0),
    metavar="K",
    help="Compute T(R_0) to T(R_K) once more, in another way (by transducers), and compare.",
)
@run_flags
@markers_flag
@markers_to_flag
@report_flag
@json_flag
@quiet_flag
def command(
    list_visible: bool, compare: int | None, as_json: bool, quiet: bool, **flags: Any
) -> int:
    """Compute the exact set of reachable visible states, and where it collapses.

    FILE is a program (.bp, or Java: .java, .class, .jar, a folder) or a system (.pds, .cpds), or -
    for standard input. What it calls bad makes no difference here. For programs, each statement is
    listed with the threads that reach it.

    Exit code: 0 collapsed, 2 wrong input or use, 3 stopped, 5 internal error.
    """
    limits = run_limits(cast(RunFlags, flags))
    check_places(flags)
    model = load_model(cast(SystemFlags, flags), "explore")
    check_markers(flags, model, hides="--json" if as_json else "--quiet" if quiet else None)
    inputs = kept_inputs(flags, model)
    options = run_options(model, cast(RunFlags, flags), limits)
    with Watch("explore", model, flags, enabled=not (quiet or as_json)) as watch:
        result = explore(model, watch.options(options))
        watch.end([result])
    if compare is not None:
        result = result.with_note("comparison", _compared(result, model, compare, limits))
    answered(0 if result.verdict == "collapsed" else 3, result.verdict)
    try:
        if as_json:
            echo_json(result_object(result, list_visible=list_visible))
        else:
            if not watch.live.shown:
                print_rounds(result)
            print_summary(result)
            if isinstance(model, Program):
                print_coverage(result)
            if list_visible:
                print_visible(result)
    finally:
        data = ReportInput(
            "explore", model, flags["file"], (), result, None, options, typed(), inputs
        )
        write_files(flags, data)
        watch.say_written()
    return 0 if result.verdict == "collapsed" else 3


def _compared(result: Result, model: System | Program, contexts: int, limits: Limits) -> str:
    """The outcome of the comparison with transducers, as a note."""
    from tepui.weighted.transducers.engine_comparison import compare

    system = model if isinstance(model, System) else written_out(model)
    try:
        last = compare(result, system, contexts, limits)
    except Stopped as stop:
        return f"the comparison with transducers was {stop}"
    return f"T(R_0) to T(R_{last}) are the same by transducers"
