"""`tepui verify` with several entries of a Java program: each is decided by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from tepui.cli.arguments import RunFlags, SystemFlags, load_entries, run_options
from tepui.cli.guard import answered
from tepui.cli.output import echo_json, print_entry, print_entry_answers
from tepui.cli.output_files import any_written
from tepui.cli.program_options import asked_questions
from tepui.deciding import verify, verify_all
from tepui.errors import TepuiError, UsageError
from tepui.limits import Limits
from tepui.program.program import Program
from tepui.records import record
from tepui.report.terminal.live import LiveTable
from tepui.report.terminal.printing import echo
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
    others = ("evidence", "markers", "markers_to", "proof")
    if any_written(flags) or any(flags.get(name) for name in others):
        raise UsageError(
            "--evidence, --report, --sarif, --witness, --markers and --proof are about one entry: "
            "name it by --entry"
        )
    results: list[Result] = []
    objects: list[dict[str, Any]] = []
    failed = False
    for name, load in load_entries(cast(SystemFlags, flags)):
        try:
            found = _decided(load(), flags, limits, wanted)
        except TepuiError as error:
            failed = True
            objects.append({"entry": name, "answer": None, "error": str(error)})
            echo(f"error: {name}: {error}", err=True)
            continue
        results += [answer.result for answer in found] if isinstance(found, Answers) else [found]
        answered(_code(results, failed=failed), "that of the entries so far")
        if wanted.as_json:
            objects.append(_object(name, found))
        else:
            _print(name, found, wanted)
    if wanted.as_json:
        verdict = worst(results).verdict if results else None
        echo_json({"verdict": verdict, "entries": objects})
    return _code(results, failed=failed)


def _code(results: Sequence[Result], *, failed: bool) -> int:
    """The exit code of the worst answer. An entry that could not be read has none, so nothing but a
    violation is worse."""
    code = EXIT_CODES[worst(results).verdict] if results else _WRONG_INPUT
    return _WRONG_INPUT if failed and code != EXIT_CODES["unsafe"] else code


_WRONG_INPUT = 2


def _decided(
    program: Program, flags: Mapping[str, Any], limits: Limits, wanted: Wanted
) -> Result | Answers:
    options = run_options(program, cast(RunFlags, flags), limits)
    questions = asked_questions(program, flags)
    decide: Callable[..., Result | Answers] = verify_all if wanted.each else verify
    live = LiveTable(f"verify {program.name}", enabled=not (wanted.quiet or wanted.as_json))
    with live as progress:
        options = replace(options, check=wanted.check, progress=progress)
        return decide(program, questions or None, options)


def _object(name: str, found: Result | Answers) -> dict[str, Any]:
    from tepui.report.exchange.as_json import answers_object, result_object

    said = answers_object(found) if isinstance(found, Answers) else result_object(found)
    return {"entry": name, "answer": said, "error": None}


def _print(name: str, found: Result | Answers, wanted: Wanted) -> None:
    if isinstance(found, Answers):
        print_entry_answers(name, found, traces=wanted.traces, stacks=wanted.stacks)
    else:
        print_entry(found, traces=wanted.traces, stacks=wanted.stacks)
