"""`tepui verify`: does the property hold for any number of contexts?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from tepui.cli.arguments import (
    RunFlags,
    SystemFlags,
    json_flag,
    load_model,
    not_for_systems,
    quiet_flag,
    reach_flag,
    run_flags,
    run_limits,
    run_options,
    standing_for,
    system_flags,
)
from tepui.cli.choices import Choice
from tepui.cli.evidence_file import numbered, save_evidence
from tepui.cli.guard import answered
from tepui.cli.java_flags import has_entries, has_several_entries
from tepui.cli.marked_run import Watch, check_markers, markers_flag, markers_to_flag
from tepui.cli.model_file import is_net
from tepui.cli.output import echo_json, print_answers, print_proof, print_proofs, print_summary
from tepui.cli.output_files import (
    any_written,
    check_places,
    kept_inputs,
    report_flag,
    sarif_flag,
    typed,
    witness_flag,
    write_files,
)
from tepui.cli.program_options import asked_questions
from tepui.cli.resources import contexts_flag
from tepui.deciding import Options, verify, verify_all
from tepui.engines.registry import BITS, SPLITTINGS
from tepui.errors import UsageError
from tepui.model import OpenSystem, System
from tepui.records import record
from tepui.report.terminal.printing import echo
from tepui.report.verdicts import EXIT_CODES, worst

if TYPE_CHECKING:
    from tepui.program.program import Program
    from tepui.program.questions import Question
    from tepui.report.report_input import Inputs
    from tepui.result import Result


@click.command("verify")
@system_flags
@reach_flag
@click.option(
    "--all",
    "each",
    is_flag=True,
    help="For programs: go on after the first violation, and answer every question by itself.",
)
@click.option("--traces", is_flag=True, help="With --all: print a trace for each violation.")
@click.option("--stacks", is_flag=True, help="For programs: print the call stacks of a trace.")
@click.option(
    "--proof",
    is_flag=True,
    help="Print why the answer holds, and what an invariant says at each place.",
)
@contexts_flag
@run_flags
@click.option(
    "--evidence",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the trace or the certificate to this file; with --all to FILE-1, FILE-2 and so "
    "on, the number before the suffix.",
)
@report_flag
@sarif_flag
@witness_flag
@click.option(
    "--all-values",
    is_flag=True,
    help="For programs: look at every value of variables that are only copied and compared, also "
    "where a few stand for all of them.",
)
@click.option(
    "--splitting",
    type=Choice(SPLITTINGS),
    help=f"With --engine {BITS}: keep states as view tuples, which are split before another thread "
    "runs: for each shared state, only where threads have to agree, or even less.",
)
@markers_flag
@markers_to_flag
@click.option("--no-check", is_flag=True, help="Do not let the checker examine the evidence.")
@json_flag
@quiet_flag
def command(
    each: bool,
    traces: bool,
    stacks: bool,
    proof: bool,
    evidence: Path | None,
    no_check: bool,
    as_json: bool,
    quiet: bool,
    **flags: Any,
) -> int:
    """Decide whether a bad state is reachable, for any number of contexts.

    FILE is a program (.bp, or Java: .java, .class, .jar, a folder) or a system (.pds, .cpds), or -
    for standard input, or a net for any number of threads (.tts, .spec), which takes --evidence,
    --json and limits. For programs, the question is whether an assertion can be violated, an index
    be outside its array or a divisor be zero, for Java also whether an exception ends a thread or
    there is a deadlock, unless --unreachable, --never-together or --property ask others. For
    systems, it is what FILE, --target, --reach or --property call bad.

    Exit code: 0 safe, 1 unsafe, 2 wrong input or use, 3 unknown, 4 no violation within
    --contexts, --rounds or --delays, 5 internal error. With --all it is that of the first of
    unsafe, unknown, no violation within a bound and safe that some question has for an answer.
    """
    limits = run_limits(cast(RunFlags, flags))
    if is_net(flags["file"], flags["language"]):
        from tepui.cli.net_verify import verify_net

        return verify_net(flags, limits, evidence, as_json=as_json, check=not no_check)
    if has_several_entries(flags) and has_entries(flags["file"], flags["language"]):
        from tepui.cli.entries_verify import Wanted, verify_entries

        wanted = Wanted(each, traces, stacks, as_json, quiet, not no_check)
        return verify_entries({**flags, "evidence": evidence, "proof": proof}, limits, wanted)
    check_places(flags, [] if evidence is None else [numbered(evidence, 1) if each else evidence])
    if traces and not each:
        raise UsageError("--traces goes with --all; without it, the trace is printed anyway")
    if proof and as_json:
        raise UsageError("--proof is for people; with --json, --evidence FILE has the proof")
    model = load_model(cast(SystemFlags, flags))
    shown = standing_for(model)
    check_markers(flags, shown, hides="--json" if as_json else "--quiet" if quiet else None)
    options = run_options(model, cast(RunFlags, flags), limits)
    options = replace(options, check=not no_check)
    inputs = kept_inputs(flags, shown)
    show = _Show(evidence, traces, stacks, proof, as_json, quiet, flags, inputs)
    if not isinstance(model, System | OpenSystem):
        questions = asked_questions(model, flags)
        if each:
            if evidence is not None:
                numbers = range(1, len(questions) + 1)
                check_places(flags, [numbered(evidence, number) for number in numbers])
            return _verify_each(model, questions or None, options, show)
        return _verify(model, questions or None, options, show)
    for option, given in (("--all", each), ("--stacks", stacks)):
        if given:
            raise not_for_systems(flags["file"], option)
    return _verify(model, None, options, show)


@record
class _Show:
    """The options for the output."""

    evidence: Path | None
    traces: bool
    stacks: bool
    proof: bool
    as_json: bool
    quiet: bool
    flags: Mapping[str, Any]
    inputs: Inputs

    def watch(self, model: System | Program | OpenSystem) -> Watch:
        return Watch(
            "verify", standing_for(model), self.flags, enabled=not (self.quiet or self.as_json)
        )

    def write_files(
        self, model: System | Program, results: Sequence[Result], options: Options
    ) -> None:
        if not any_written(self.flags):
            return
        from tepui.report.report_input import ReportInput

        data = ReportInput(
            "verify",
            model,
            self.flags["file"],
            tuple(results),
            options=options,
            arguments=typed(),
            inputs=self.inputs,
        )
        write_files(self.flags, data)


def _verify(
    model: System | Program | OpenSystem,
    questions: list[Question] | None,
    options: Options,
    show: _Show,
) -> int:
    """One answer to all that is asked."""
    with show.watch(model) as watch:
        result = verify(model, questions, watch.options(options))
        watch.end([result])
    answered(EXIT_CODES[result.verdict], result.verdict)
    try:
        if show.as_json:
            from tepui.report.exchange.as_json import result_object

            echo_json(result_object(result))
        else:
            print_summary(result, stacks=show.stacks)
            if show.proof:
                print_proof(result)
    finally:
        if show.evidence is not None:
            _write(show.evidence, result)
        about = result.system if isinstance(model, OpenSystem) else model
        show.write_files(about, [result], options)
        watch.say_written()
    return EXIT_CODES[result.verdict]


def _verify_each(
    program: Program, questions: list[Question] | None, options: Options, show: _Show
) -> int:
    """An answer to each question; the exit code of the worst."""
    with show.watch(program) as watch:
        answers = verify_all(program, questions, watch.options(options))
        watch.end([answer.result for answer in answers])
    verdict = worst(answer.result for answer in answers).verdict
    answered(EXIT_CODES[verdict], verdict)
    try:
        if show.as_json:
            from tepui.report.exchange.as_json import answers_object

            echo_json(answers_object(answers))
        else:
            print_answers(answers, traces=show.traces, stacks=show.stacks)
            if show.proof:
                print_proofs(answers)
    finally:
        if show.evidence is not None:
            for number, answer in enumerate(answers, start=1):
                _write(numbered(show.evidence, number), answer.result)
        show.write_files(program, [answer.result for answer in answers], options)
        watch.say_written()
    return EXIT_CODES[verdict]


def _write(path: Path, result: Result) -> None:
    """Write the evidence. The answer is printed before, so that a full disk cannot lose it."""
    try:
        written = save_evidence(path, result)
    except OSError as error:
        raise UsageError(f"{path}: the evidence cannot be written: {error.strerror}") from error
    if written:
        echo(f"the evidence was written to {path}", err=True)
    else:
        late = result.grounds is not None and result.grounds.is_late
        why = "a limit left no room for it" if late else "there is none for this answer"
        echo(f"no evidence was written to {path}: {why}", err=True)
