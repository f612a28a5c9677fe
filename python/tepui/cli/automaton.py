"""`tepui automaton`: the stacks of a thread, drawn (CUBA, Figures 3 and 8)."""

from __future__ import annotations

from typing import Any, cast

import click

from tepui.automata import Automaton
from tepui.cli.arguments import SystemFlags, initial_flags, load_model
from tepui.cli.picture_options import checked_drawing, drawing_flags
from tepui.errors import UsageError
from tepui.model import System
from tepui.report.pictures.automaton_graphs import automaton_graph


@click.command("automaton")
@initial_flags
@click.option("--thread", metavar="NAME", help="The thread; may be left out if there is only one.")
@click.option(
    "--from",
    "patterns",
    metavar="PATTERN",
    multiple=True,
    help="Start from all configurations that match, such as '<q0, a b* c>', instead of the initial "
    "one. May be given several times.",
)
@click.option("--short", is_flag=True, help="Start from all stacks of at most one symbol.")
@click.option("--pre", is_flag=True, help="Show what reaches the start, not what it reaches.")
@drawing_flags
def command(
    thread: str | None,
    patterns: tuple[str, ...],
    short: bool,
    pre: bool,
    **flags: Any,
) -> int:
    """Draw the configurations that one thread of a system reaches by itself, as an automaton.

    FILE is a system (.pds, .cpds), or - for standard input. A box is a shared state; reading a
    stack from there, top first, ends in a doubled line. The text that Graphviz reads is printed,
    or with --svg a picture is written.

    Exit code: 0 written, 2 wrong input or use, 3 interrupted.
    """
    drawing = checked_drawing(flags)
    if short and patterns:
        raise UsageError("--short and --from exclude each other: both say where to start")
    system = _system(flags)
    start = _start(system, _thread(system, thread), patterns, short=short)
    graph = automaton_graph(start.pre_star() if pre else start.post_star())
    picture = drawing.picture(graph)
    if drawing.as_dot or picture is None:
        drawing.print_dot(graph)
    drawing.write(picture)
    return 0


def _system(flags: dict[str, Any]) -> System:
    model = load_model(cast(SystemFlags, flags), "automaton")
    if not isinstance(model, System):
        raise UsageError(
            f"{flags['file']} is a program; `tepui convert` writes it out as a system, "
            "whose threads have automata"
        )
    return model


def _thread(system: System, thread: str | None) -> str | int:
    if thread is not None:
        return thread
    if len(system.threads) > 1:
        names = ", ".join(system.thread_names[:8]) + (", …" if len(system.threads) > 8 else "")
        raise UsageError(f"there are several threads: choose one of {names} with --thread")
    return 0


def _start(
    system: System, thread: str | int, patterns: tuple[str, ...], *, short: bool
) -> Automaton:
    if short:
        return Automaton.short(system, thread)
    if patterns:
        return Automaton.of_pattern(system, thread, *patterns, source="--from")
    return Automaton.initial(system, thread)
