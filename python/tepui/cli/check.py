"""`tepui check`: does evidence prove what it claims?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import click

from tepui.cli.arguments import (
    SystemFlags,
    json_flag,
    load_model,
    not_for_systems,
    system_flags,
)
from tepui.errors import EvidenceError
from tepui.evidence import Trace, check, read_evidence
from tepui.model import Property, System
from tepui.program.program import Program
from tepui.report.text import contexts_text, property_text


@click.command("check")
@system_flags
@click.option(
    "--all",
    "each",
    is_flag=True,
    help="Of a program: the evidence comes from `verify --all` and is about one of the questions.",
)
@click.argument("evidence", type=click.Path(path_type=Path))
@json_flag
def command(evidence: Path, each: bool, as_json: bool, **flags: Any) -> int:
    """Let the independent checker examine a trace or a certificate.

    FILE is the program or system, EVIDENCE what `tepui verify --evidence` wrote. It must be about
    what FILE asks, or --target, --property, --unreachable and --never-together. If there is none,
    the evidence may choose.

    Exit code: 0 accepted, 1 rejected, 2 wrong input or use.
    """
    model = load_model(cast(SystemFlags, flags))
    try:
        if isinstance(model, Program):
            from tepui.cli.program_check import check_evidence

            reason = check_evidence(model, flags, evidence, each=each)
        elif each:
            raise not_for_systems(flags["file"], "--all")
        else:
            reason = _check(model, evidence)
    except EvidenceError as error:
        return _say(as_json, "rejected", str(error))
    return _say(as_json, "accepted", reason)


def _check(system: System, evidence: Path) -> str:
    """What the evidence proves about a system."""
    named, claimed = read_evidence(evidence, system)
    asked = system.property or named
    _compare(system, asked, named)
    check(system, asked, claimed)
    bad = property_text(system, asked)
    if isinstance(claimed, Trace):
        contexts = contexts_text(claimed.contexts)
        return f"a bad state ({bad}) is reachable within {contexts}"
    return f"no bad state ({bad}) is reachable in any number of contexts"


def _compare(system: System, asked: Property, named: Property) -> None:
    """Evidence about another property proves nothing about this one, and none about nothing."""
    if not named:
        raise EvidenceError("the evidence names no property")
    if (set(asked.patterns), asked.deadlock) != (set(named.patterns), named.deadlock):
        raise EvidenceError(
            f"the evidence is about another property: it names {property_text(system, named)} "
            f"as bad, and asked is {property_text(system, asked)}; "
            "--target and --property say what is asked"
        )


def _say(as_json: bool, verdict: str, reason: str) -> int:
    if as_json:
        click.echo(json.dumps({"verdict": verdict, "reason": reason}, indent=2))
    else:
        click.echo(f"{verdict.upper()}  {reason}")
    return 0 if verdict == "accepted" else 1
