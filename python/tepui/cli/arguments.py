"""Options that several commands share, and the way from their texts to what they mean."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tepui.convergence import parse_strength
from tepui.errors import UsageError
from tepui.languages import load, read_matching
from tepui.limits import Limits
from tepui.model import Property, System
from tepui.sequences import Options

File = Annotated[Path, typer.Argument(metavar="FILE", help="A .pds or .cpds file.")]
Init = Annotated[
    str | None,
    typer.Option(metavar="STATE", help="The initial state, such as '0|1,9' or '0|1.2,-'."),
]
Target = Annotated[
    list[str] | None,
    typer.Option(
        metavar="STATE",
        help="A bad visible state, such as '20|23,*,-'. May be given several times. "
        "Replaces what the file asks.",
    ),
]
PropertyName = Annotated[
    list[str] | None,
    typer.Option(
        "--property",
        metavar="NAME",
        help="A property by name: deadlock. Replaces what the file asks; --target adds to it.",
    ),
]


class OnOff(StrEnum):
    """A switch, in words."""

    ON = "on"
    OFF = "off"


class Engine(StrEnum):
    """The engines that there are."""

    AUTO = "auto"
    EXPLICIT = "explicit"


EngineName = Annotated[Engine, typer.Option(help="How to explore.")]
Symmetry = Annotated[
    OnOff, typer.Option(help="Whether to explore up to permutations of equal threads.")
]
Z = Annotated[
    str,
    typer.Option(
        "--z",
        metavar="STRENGTH",
        help="The over-approximation: auto, off, cut, matched, or matched:B to keep B symbols.",
    ),
]
MatchingFile = Annotated[
    Path | None,
    typer.Option("--matching", metavar="FILE", help="A .mch file with a call-return relation."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Timeout = Annotated[
    str | None, typer.Option(metavar="TIME", help="Stop after so long: 90, 90s, 5m, 1h.")
]
Memory = Annotated[
    str | None, typer.Option(metavar="SIZE", help="Stop at so much memory: 500M, 4G.")
]
MaxContexts = Annotated[
    int | None, typer.Option(metavar="K", min=0, help="Stop after K contexts, without an answer.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no live table.")]


def load_system(
    path: Path,
    init: str | None,
    targets: Sequence[str] | None,
    properties: Sequence[str] | None = None,
) -> System:
    """Read a system as the options say, and show the warnings."""
    names = properties or []
    for name in names:
        if name != "deadlock":
            raise UsageError(f"--property {name}: expected deadlock")
    loaded = load(path, init, targets)
    for warning in loaded.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    system = loaded.system
    if names:
        patterns = system.property.patterns if targets else ()
        system = system.with_property(Property(patterns, deadlock=True))
    return system


def make_limits(timeout: str | None, memory: str | None, max_contexts: int | None) -> Limits:
    """The limits that the options set."""
    return Limits(
        None if timeout is None else _seconds(timeout),
        None if memory is None else _bytes(memory),
        max_contexts,
    )


def make_options(
    system: System, symmetry: OnOff, z: str, matching: Path | None, limits: Limits
) -> Options:
    """What the options choose about a run."""
    options = Options(symmetry=symmetry == OnOff.ON, strengths=parse_strength(z), limits=limits)
    if matching is None:
        return options
    claim = read_matching(matching, system)
    for warning in claim.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    return replace(options, matching=claim)


def _seconds(text: str) -> float:
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)(s|m|h)?", text)
    if match is None:
        raise UsageError(f"--timeout {text}: expected a time such as 90, 90s, 5m or 1h")
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2] or "s"]


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)([KMGT])(?:i?B)?", text, re.IGNORECASE)
    if match is None:
        raise UsageError(f"--memory {text}: expected a size with a unit, such as 500M or 4G")
    return int(float(match[1]) * 1024 ** ("KMGT".index(match[2].upper()) + 1))
