"""`tepui verify` and `tepui check` for nets: any number of threads."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from tepui.checker.covering import CoveringRun
from tepui.checker.net_files import read_net_evidence, write_net_evidence
from tepui.cli.guard import answered
from tepui.cli.model_file import read_net
from tepui.cli.output import echo_json
from tepui.cli.output_files import check_places
from tepui.counting import check_net_evidence, cover
from tepui.errors import UsageError
from tepui.limits import Limits, Meter
from tepui.report.exchange.covering_json import covering_object
from tepui.report.terminal.printing import echo
from tepui.report.terminal.streams import painter, width_of
from tepui.report.terminal.waiting import waiting
from tepui.report.text.covering_text import covering_text
from tepui.report.verdicts import EXIT_CODES

if TYPE_CHECKING:
    from tepui.counting import Covered
    from tepui.model.net import Net

_TAKEN = {
    "file",
    "language",
    "init",
    "target",
    "timeout",
    "memory",
    "evidence",
    "no_check",
    "as_json",
    "quiet",
}
"""The options that nets take; a reader may refuse some of them."""


def verify_net(
    flags: Mapping[str, Any], limits: Limits, evidence: Path | None, *, as_json: bool, check: bool
) -> int:
    """Decide whether a bad marking can be covered, and say so. Returns the exit code."""
    _refuse_others(flags["file"])
    check_places(flags, [] if evidence is None else [evidence])
    net = _read(flags)
    with waiting(f"verify {net.name}"):
        found = cover(net, limits, check=check)
    code = EXIT_CODES[found.verdict]
    answered(code, found.verdict)
    try:
        if as_json:
            echo_json(covering_object(found))
        else:
            echo(covering_text(found, width=width_of(sys.stdout), paint=painter(sys.stdout)))
    finally:
        if evidence is not None:
            _write(evidence, found)
    return code


def proved_by_file(flags: Mapping[str, Any], limits: Limits, evidence: Path) -> str:
    """What a file of evidence proves; an EvidenceError if it proves nothing."""
    _refuse_others(flags["file"])
    net = _read(flags)
    said = read_net_evidence(evidence, net)
    check_net_evidence(net, said, Meter(limits))
    if isinstance(said, CoveringRun):
        return f"a run with {len(said.transitions)} steps leads to a bad marking"
    return "no bad marking is reachable, for any number of threads"


def _read(flags: Mapping[str, Any]) -> Net:
    targets = flags.get("target") or None
    loaded = read_net(flags["file"], flags["language"], flags["init"], targets)
    for warning in loaded.warnings:
        echo(f"warning: {warning}", err=True)
    return loaded.net


def _refuse_others(file: Path) -> None:
    """Refuse options that mean nothing for a net."""
    context = click.get_current_context()
    for option in context.command.params:
        name = option.name or ""
        given = context.get_parameter_source(name) == ParameterSource.COMMANDLINE
        if given and name not in _TAKEN and option.param_type_name == "option":
            raise UsageError(f"{option.opts[0]} is not for nets, and {file} is one")


def _write(path: Path, found: Covered) -> None:
    if found.evidence is None:
        echo(f"no evidence was written to {path}: there is none for this answer", err=True)
        return
    try:
        write_net_evidence(path, found.net, found.evidence)
    except OSError as error:
        raise UsageError(f"{path}: the evidence cannot be written: {error.strerror}") from error
    echo(f"the evidence was written to {path}", err=True)
