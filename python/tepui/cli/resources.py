"""The options for bounds: contexts, or the rounds and delays of a scheduler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from tepui.deciding.options import MOST_TOPS
from tepui.engines.registry import (
    AUTO,
    closes,
    counting,
    counts_contexts,
    counts_delays,
    usual,
)
from tepui.errors import UsageError
from tepui.z import parse_strength

contexts_flag = click.option(
    "--contexts",
    metavar="K",
    type=click.IntRange(min=0),
    help="Look for violations within K contexts only.",
)
rounds_flag = click.option(
    "--rounds",
    metavar="R",
    type=click.IntRange(min=0),
    help="Look no further than R rounds of a round-robin scheduler. Implies "
    f"--engine {usual('delays').name}.",
)
delays_flag = click.option(
    "--delays",
    metavar="D",
    type=click.IntRange(min=0),
    help="Let that scheduler delay threads no more than D times. Implies "
    f"--engine {usual('delays').name}.",
)
tops_flag = click.option(
    "--tops",
    metavar="B",
    type=click.IntRange(1, MOST_TOPS),
    default=1,
    show_default=True,
    help=f"With --engine {counting('delays', 'or')}: look at the top B symbols of each stack.",
)


def chosen_engine(flags: Mapping[str, Any]) -> str:
    """The engine that the options name, or that a bound asks for. A UsageError if they do not go
    together."""
    engine: str = flags["engine"]
    bounds = [option for option in ("--rounds", "--delays") if _given(flags, option)]
    contexts = [option for option in ("--contexts", "--max-contexts") if _given(flags, option)]
    if engine == AUTO and bounds:
        if contexts:
            raise UsageError(
                f"{contexts[0]} counts contexts, and {bounds[0]} what a round-robin scheduler "
                "does: give one of them"
            )
        return usual("delays").name
    if counts_delays(engine) and contexts:
        raise UsageError(
            f"{contexts[0]} counts contexts, and --engine {engine} counts rounds and delays: "
            "use --rounds and --delays"
        )
    if contexts and not counts_contexts(engine):
        raise UsageError(
            f"{contexts[0]} counts contexts, and --engine {engine} does not: use --engine "
            f"{counting('contexts', 'or')}"
        )
    if closes(engine):
        _check_closing(flags)
    if not counts_delays(engine):
        _check_contexts(flags, engine, bounds)
    return engine


def _given(flags: Mapping[str, Any], option: str) -> bool:
    return flags.get(option[2:].replace("-", "_")) is not None


def _check_contexts(flags: Mapping[str, Any], engine: str, bounds: list[str]) -> None:
    if bounds:
        raise UsageError(
            f"{bounds[0]} bounds a round-robin scheduler, and --engine {engine} has none: "
            f"use --engine {usual('delays').name}, or bound the contexts"
        )
    if flags["tops"] != 1:
        raise UsageError(
            f"--tops is for --engine {counting('delays', 'and --engine')}, which can look at "
            f"several symbols of each stack; --engine {engine} looks at the tops"
        )


def _check_closing(flags: Mapping[str, Any]) -> None:
    """Refuse strengths of Z that this engine does not have: it abstracts what is reached as Z
    does."""
    for strength in parse_strength(flags["z"]):
        if strength.is_call_return:
            raise UsageError(
                f"--z {strength}: --engine {flags['engine']} takes cut, matched and matched:B"
            )
