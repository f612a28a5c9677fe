"""`tepui check`: does evidence prove what it claims?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tepui.cli.arguments import File, Init, Json, PropertyName, Target, load_system
from tepui.errors import EvidenceError
from tepui.evidence import Trace, check, read_evidence
from tepui.report.text import property_text


def command(
    file: File,
    evidence: Annotated[
        Path, typer.Argument(metavar="EVIDENCE", help="What `verify --evidence` wrote.")
    ],
    init: Init = None,
    target: Target = None,
    property_name: PropertyName = None,
    json_: Json = False,
) -> int:
    """Let the independent checker examine a trace or a certificate.

    The property is the one that the evidence names, unless --target or --property says otherwise.
    Exit code: 0 accepted, 1 rejected, 2 wrong input or use.
    """
    system = load_system(file, init, target, property_name)
    try:
        asked, claimed = read_evidence(evidence, system)
        if target or property_name:
            asked = system.property
        check(system, asked, claimed)
    except EvidenceError as error:
        return _say(json_, "rejected", str(error))
    bad = property_text(system, asked)
    if isinstance(claimed, Trace):
        contexts = "1 context" if claimed.contexts == 1 else f"{claimed.contexts} contexts"
        return _say(json_, "accepted", f"a bad state ({bad}) is reachable within {contexts}")
    return _say(json_, "accepted", f"no bad state ({bad}) is reachable in any number of contexts")


def _say(as_json: bool, verdict: str, reason: str) -> int:
    if as_json:
        typer.echo(json.dumps({"verdict": verdict, "reason": reason}, indent=2))
    else:
        typer.echo(f"{verdict.upper()}  {reason}")
    return 0 if verdict == "accepted" else 1
