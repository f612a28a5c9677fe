"""`tepui verify` with several entries of a Java program: each is decided by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from tepui.cli.arguments import RunFlags, SystemFlags, load_programs, run_options
from tepui.cli.guard import answered
from tepui.cli.output import echo_json, print_entry, print_entry_answers
from tepui.cli.output_files import any_written
from tepui.cli.program_options import asked_questions
from tepui.deciding import Options, verify, verify_all
from tepui.errors import UsageError
from tepui.limits import Limits
from tepui.program.program import Program
from tepui.records import record, replace
from tepui.report.terminal.live import LiveTable
from tepui.report.verdicts import EXIT_CODES, worst
from tepui.result import Answers, Result


@record
class Wanted:
    """What is wanted besides the answers."""

    each: bool
    traces: bool
    stacks: bool
    as_json: bool
    quiet: bool
    check: bool


def verify_entries(flags: Mapping[str, Any], limits: Limits, wanted: Wanted) -> int:
    """Decide about every entry; the exit code of the worst answer."""
    if any_written(flags) or flags.get("evidence") is not None:
        raise UsageError(
            "--evidence, --report, --sarif and --witness are about one entry: name it by --entry"
        )
    results: list[Result] = []
    objects: list[dict[str, Any]] = []
    for program in load_programs(cast(SystemFlags, flags)):
        options = run_options(program, cast(RunFlags, flags), limits)
        options = replace(options, check=wanted.check)
        with _live(program, wanted) as progress:
            found = _decided(program, flags, replace(options, progress=progress), wanted.each)
        results += [answer.result for answer in found] if isinstance(found, Answers) else [found]
        verdict = worst(results).verdict
        answered(EXIT_CODES[verdict], verdict)
        if wanted.as_json:
            objects.append(_object(program, found))
        else:
            _print(program, found, wanted)
    verdict = worst(results).verdict
    if wanted.as_json:
        echo_json({"verdict": verdict, "entries": objects})
    return EXIT_CODES[verdict]


def _decided(
    program: Program, flags: Mapping[str, Any], options: Options, each: bool
) -> Result | Answers:
    questions = asked_questions(program, flags)
    decide: Callable[..., Result | Answers] = verify_all if each else verify
    return decide(program, questions or None, options)


def _live(program: Program, wanted: Wanted) -> LiveTable:
    return LiveTable(f"verify {program.name}", enabled=not (wanted.quiet or wanted.as_json))


def _object(program: Program, found: Result | Answers) -> dict[str, Any]:
    from tepui.report.exchange.as_json import answers_object, result_object

    said = answers_object(found) if isinstance(found, Answers) else result_object(found)
    return {"entry": program.name, **said}


def _print(program: Program, found: Result | Answers, wanted: Wanted) -> None:
    if isinstance(found, Answers):
        print_entry_answers(program.name, found, traces=wanted.traces, stacks=wanted.stacks)
    else:
        print_entry(found, traces=wanted.traces, stacks=wanted.stacks)
