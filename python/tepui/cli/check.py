"""`tepui check`: does evidence prove what it claims?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

import click

from tepui.cli.arguments import (
    RunFlags,
    SystemFlags,
    json_flag,
    limit_flags,
    load_model,
    not_for_systems,
    reach_flag,
    run_limits,
    system_flags,
)
from tepui.cli.model_file import is_net
from tepui.cli.output import echo_json
from tepui.cli.program_options import asked_questions
from tepui.errors import EvidenceError
from tepui.model import OpenSystem
from tepui.program.program import Program
from tepui.report.evidence_text import (
    AnotherPropertyError,
    prove_about_open_system,
    prove_about_program,
    prove_about_system,
)
from tepui.report.terminal.printing import echo
from tepui.report.terminal.streams import painter, width_of
from tepui.report.text.paint import Role, joined, wrapped


@click.command("check")
@system_flags
@reach_flag
@click.option(
    "--all",
    "each",
    is_flag=True,
    help="For programs: the evidence comes from `verify --all` and is about one of the questions.",
)
@click.option(
    "--reference",
    is_flag=True,
    help="Check with the reference of the checker, which is plain Python and slow.",
)
@click.argument("evidence", type=click.Path(path_type=Path))
@limit_flags
@json_flag
def command(evidence: Path, each: bool, reference: bool, as_json: bool, **flags: Any) -> int:
    """Check a trace or a certificate with the independent checker.

    FILE is the program or system, or - for standard input; EVIDENCE is what `tepui verify
    --evidence` wrote. It must be about what FILE asks, or --target, --reach, --property,
    --unreachable and --never-together. If nothing is asked, the evidence may choose.

    Exit code: 0 accepted, 1 rejected, 2 wrong input or use, 3 stopped.
    """
    limits = run_limits(cast(RunFlags, {**flags, "max_contexts": None}))
    if is_net(flags["file"], flags["language"]):
        from tepui.cli.net_verify import proved_by_file

        try:
            return _say(as_json, "accepted", proved_by_file(flags, limits, evidence))
        except EvidenceError as error:
            return _say(as_json, "rejected", str(error))
    model = load_model(cast(SystemFlags, flags))
    try:
        if isinstance(model, Program):
            questions = asked_questions(model, flags)
            proved = prove_about_program(model, evidence, questions, each=each, reference=reference)
        elif each:
            raise not_for_systems(flags["file"], "--all")
        elif isinstance(model, OpenSystem):
            proved = prove_about_open_system(model, evidence, reference=reference)
        else:
            proved = prove_about_system(model, evidence, reference=reference)
    except AnotherPropertyError as error:
        return _say(as_json, "rejected", str(error))
    except EvidenceError as error:
        subject = "program" if isinstance(model, Program) else "system"
        plain = (
            f"this evidence does not prove the answer for {flags['file']}; "
            f"was the {subject} changed after it was written?"
        )
        return _say(as_json, "rejected", str(error), plain)
    return _say(as_json, "accepted", proved.text)


def _say(as_json: bool, verdict: str, reason: str, plain: str = "") -> int:
    """Print the verdict and the reason; on paper, a plain sentence first if the reason is terse."""
    if as_json:
        echo_json({"verdict": verdict, "reason": reason})
    else:
        role: Role = "safe" if verdict == "accepted" else "unsafe"
        indent, width, paint = len(verdict) + 2, width_of(sys.stdout), painter(sys.stdout)
        said = f"  {plain or reason}"
        lines = wrapped([(verdict.upper(), role), said], width, indent, paint)
        if plain:
            lines += wrapped([f"{' ' * indent}{reason}"], width, indent, paint)
        echo(joined(lines))
    return 0 if verdict == "accepted" else 1
