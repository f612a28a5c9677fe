"""`tepui dataflow`: what holds when a thread is at some place?"""

from __future__ import annotations

from typing import Any, cast

import click

from tepui.cli.arguments import (
    RunFlags,
    SystemFlags,
    initial_flags,
    json_flag,
    load_model,
    run_limits,
)
from tepui.cli.choices import Choice
from tepui.cli.output import echo_json, long_numbers
from tepui.cli.output_files import check_places, kept_inputs, report_flag, typed, write_files
from tepui.cli.stopped import stopped
from tepui.errors import Stopped
from tepui.limits import Limits
from tepui.report.report_input import ReportInput
from tepui.report.terminal.printing import echo
from tepui.report.terminal.waiting import waiting
from tepui.report.text.paint import joined
from tepui.weighted.dataflow.analysis import CONTEXTS, dataflow


@click.command("dataflow")
@initial_flags
@click.option(
    "--at",
    metavar="PLACE",
    required=True,
    help="Where: a place as for --unreachable, or a stack symbol of a system. THREAD:PLACE says "
    "which thread is there, if several can be; the name of equal threads stands for any of them.",
)
@click.option(
    "--called-from",
    metavar="PLACE",
    multiple=True,
    help="Only if it was called from this line or label. May be given several times: the caller, "
    "then its caller, and so on. For systems, the symbol below on the stack.",
)
@click.option(
    "--domain",
    type=Choice(["relation", "affine", "shortest"]),
    default="relation",
    show_default=True,
    help="What to find: the possible values of variables (relation), affine relations between "
    "them (affine), or the fewest steps to get there (shortest).",
)
@click.option(
    "--modulus",
    metavar="M",
    type=click.IntRange(min=2),
    help="With --domain affine: relations modulo M, such as the size of an integer that wraps.",
)
@click.option(
    "--contexts",
    metavar="K",
    type=click.IntRange(min=1),
    default=CONTEXTS,
    show_default=True,
    help="What holds after at most K contexts, that is, K - 1 context switches.",
)
@click.option(
    "--compare",
    is_flag=True,
    help="Compare values with those of all states within the bound, listed one by one.",
)
@click.option("--timeout", metavar="TIME", help="Stop after this time: 90, 90s, 5m, 1h.")
@click.option("--memory", metavar="SIZE", help="Stop at this much memory: 500M, 4G.")
@report_flag
@json_flag
def command(
    at: str,
    called_from: tuple[str, ...],
    domain: Any,
    modulus: int | None,
    contexts: int,
    compare: bool,
    as_json: bool,
    **flags: Any,
) -> int:
    """Find the values, relations or distances that hold when a thread is at some place.

    FILE is a program (.bp) or a system (.pds, .cpds), or - for standard input. The answer is about
    all runs of at most K contexts; the other threads may be anywhere.

    Exit code: 0 answered, 2 wrong input or use, 3 stopped, 5 internal error.
    """
    limits = _limits(flags)
    check_places(flags)
    model = load_model(cast(SystemFlags, flags), "dataflow")
    inputs = kept_inputs(flags, model)
    try:
        with waiting(f"dataflow {model.name}"):
            answer = dataflow(
                model,
                at,
                domain=domain,
                called_from=called_from,
                modulus=modulus,
                contexts=contexts,
                compare=compare,
                limits=limits,
            )
    except Stopped as error:
        return stopped(error, f"{error}; fewer contexts may be enough", limits)
    with long_numbers():
        data = ReportInput(
            "dataflow", model, flags["file"], facts=answer, arguments=typed(), inputs=inputs
        )
        try:
            if as_json:
                echo_json(answer.data())
            else:
                echo(joined(str(answer).split("\n")))
        finally:
            write_files(flags, data)
    return 0


def _limits(flags: dict[str, Any]) -> Limits:
    return run_limits(cast(RunFlags, {**flags, "max_contexts": None}))
