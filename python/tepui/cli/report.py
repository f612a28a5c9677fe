"""`tepui report`: all answers about a model, as a page for the browser."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import click

from tepui.cli.arguments import (
    RunFlags,
    SystemFlags,
    load_model,
    quiet_flag,
    reach_flag,
    run_flags,
    run_limits,
    run_options,
    standing_for,
    system_flags,
)
from tepui.cli.guard import answered
from tepui.cli.model_file import STDIN, inputs_of
from tepui.cli.output import print_answers
from tepui.cli.output_files import check_place, typed, write_file
from tepui.cli.program_options import asked_questions
from tepui.cli.resources import contexts_flag
from tepui.deciding import Options, explore, verify, verify_all
from tepui.limits import Meter, counting_from
from tepui.model import OpenSystem, System
from tepui.program.program import Program
from tepui.program.questions import Question
from tepui.report.report_input import ReportInput
from tepui.report.terminal.live import LiveTable
from tepui.report.terminal.printing import echo
from tepui.report.terminal.streams import painter, width_of
from tepui.report.text.summary import headline, headline_lines
from tepui.report.verdicts import EXIT_CODES, worst
from tepui.result import Result

_WHAT = "the report"

_HOW_TO_ASK = "--property deadlock asks whether threads can get stuck"


@click.command("report")
@system_flags
@reach_flag
@contexts_flag
@run_flags
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE.html",
    help="Where to write the page; else to NAME-report.html in this folder, for a model NAME.",
)
@click.option("--open", "open_it", is_flag=True, help="Show the page in the browser.")
@click.option("--no-check", is_flag=True, help="Do not let the checker examine the evidence.")
@quiet_flag
def command(output: Path | None, open_it: bool, no_check: bool, quiet: bool, **flags: Any) -> int:
    """Answer every question about a model, explore it, and write a page that shows all of it.

    FILE is a program (.bp, or Java: .java, .class, .jar, a folder) or a system (.pds, .cpds), or -
    for standard input; what is asked is the same as for verify. The page is one file, and needs
    nothing else: neither a network nor tepui. A limit of time is for both parts together;
    exploration gets what the answers leave.

    Exit code: 0 safe, or nothing is asked and all is explored; 1 unsafe, 2 wrong input or use, 3
    unknown, 4 no violation within --contexts, --rounds or --delays, 5 internal error.
    """
    limits = run_limits(cast(RunFlags, flags))
    name = "stdin" if flags["file"] is STDIN else flags["file"].stem
    path = output or Path(f"{name}-report.html")
    check_place(path, "--output", _WHAT, flags)
    model = load_model(cast(SystemFlags, flags))
    inputs = inputs_of(standing_for(model), flags["file"])
    options = replace(run_options(model, cast(RunFlags, flags), limits), check=not no_check)
    questions = asked_questions(model, flags) if isinstance(model, Program) else []
    results, exploration = _run(model, questions, options, quiet)
    about = results[0].system if isinstance(model, OpenSystem) else model
    data = ReportInput(
        "report",
        about,
        flags["file"],
        tuple(results),
        exploration,
        None,
        options,
        typed(),
        inputs,
    )
    answers = results or ([] if exploration is None else [exploration])
    code, verdict = EXIT_CODES["unknown"], "unknown"
    if answers:
        verdict = worst(answers).verdict
        code = EXIT_CODES[verdict]
    answered(code, verdict)
    _write(path, data, open_it)
    return code


def _run(
    model: System | Program | OpenSystem, questions: list[Question], options: Options, quiet: bool
) -> tuple[list[Result], Result | None]:
    """The answers to all questions, and what can be reached, unless the user interrupts."""
    with counting_from():
        return _run_both(model, questions, options, quiet)


def _run_both(
    model: System | Program | OpenSystem, questions: list[Question], options: Options, quiet: bool
) -> tuple[list[Result], Result | None]:
    results = _answers(model, questions, options, quiet)
    if any(map(_was_interrupted, results)):
        return results, None
    if not results:
        echo("no question was asked, so the report has no verdict; " + _HOW_TO_ASK, err=True)
    if results and Meter(options.limits).is_out_of_time():
        echo("there was no time left to explore all that is reachable", err=True)
        return results, None
    if isinstance(model, OpenSystem) or (isinstance(model, Program) and model.any_number):
        _say_not_explored(model.any_number)
        return results, None
    with LiveTable(f"explore {model.name}", enabled=not quiet) as progress:
        exploration = explore(model, replace(_to_explore(options), progress=progress))
    _print_verdict(exploration)
    return results, exploration


def _say_not_explored(names: Sequence[str]) -> None:
    from tepui.report.proof_text import not_explored

    echo(not_explored(names), err=True)


def _to_explore(options: Options) -> Options:
    """The options without a question: a bound of the answers in contexts becomes a limit."""
    limits = options.limits
    bounds = [bound for bound in (options.contexts, limits.max_contexts) if bound is not None]
    return replace(
        options, contexts=None, limits=replace(limits, max_contexts=min(bounds, default=None))
    )


def _answers(
    model: System | Program | OpenSystem, questions: list[Question], options: Options, quiet: bool
) -> list[Result]:
    """Answer the questions and print the answers; nothing, if nothing is asked."""
    live = LiveTable(f"verify {model.name}", enabled=not quiet)
    if isinstance(model, System | OpenSystem):
        if isinstance(model, System) and not model.property:
            return []
        with live as progress:
            result = verify(model, None, replace(options, progress=progress))
        _print_verdict(result)
        return [result]
    if not questions:
        return []
    with live as progress:
        answers = verify_all(model, questions, replace(options, progress=progress))
    with suppress(OSError):
        print_answers(answers, traces=False, stacks=False)
    return [answer.result for answer in answers]


def _print_verdict(result: Result) -> None:
    width, paint = width_of(sys.stdout), painter(sys.stdout)
    for line in headline_lines(headline(result), result, width, paint):
        with suppress(OSError):  # Nobody may read the output any more; the page is still wanted.
            echo(line)


def _write(path: Path, data: ReportInput, open_it: bool) -> None:
    from tepui.report.page import report_page

    write_file(path, _WHAT, report_page(data))
    if not open_it:
        return
    import webbrowser

    if not webbrowser.open(path.resolve().as_uri()):
        echo(f"there is no browser to show it; open {path} yourself", err=True)


def _was_interrupted(result: Result) -> bool:
    """Whether the user interrupted the run or the check."""
    stop = result.stop
    return result.interrupted or (stop is not None and stop.kind == "interrupted")
