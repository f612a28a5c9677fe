"""`tepui automaton`: the stacks of a thread, drawn (CUBA, Figures 3 and 8)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any, cast

import click

from tepui.automata import Automaton
from tepui.cli.arguments import SystemFlags, exists, initial_flags, load_model
from tepui.errors import UsageError
from tepui.model import System


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
@click.option("--dot", "as_dot", is_flag=True, help="Write Graphviz text; this is the default.")
@click.option("--svg", "as_svg", is_flag=True, help="Write a picture, which Graphviz makes.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="OUT", help="Write to a file."
)
@click.option("--force", is_flag=True, help="Replace a file that exists.")
def command(
    thread: str | None,
    patterns: tuple[str, ...],
    short: bool,
    pre: bool,
    as_dot: bool,
    as_svg: bool,
    output: Path | None,
    force: bool,
    **flags: Any,
) -> int:
    """Draw the configurations that one thread of a system reaches by itself, as an automaton.

    FILE is a .pds or a .cpds file. A box is a shared state; reading a stack from there, top first,
    ends in a doubled line.

    Exit code: 0 written, 2 wrong input or use, 3 interrupted.
    """
    if as_dot and as_svg:
        raise UsageError("--dot and --svg exclude each other")
    if short and patterns:
        raise UsageError("--short and --from exclude each other: both say where to start")
    if output is not None and exists(output) and not force:
        raise UsageError(f"already there: {output}; --force replaces what is there")
    graphviz = _graphviz() if as_svg else None
    system = _system(flags)
    start = _start(system, _thread(system, thread), patterns, short=short)
    text = (start.pre_star() if pre else start.post_star()).dot()
    _write(text if graphviz is None else _svg(graphviz, text), output)
    return 0


def _system(flags: dict[str, Any]) -> System:
    model = load_model(cast(SystemFlags, flags))
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


def _graphviz() -> str:
    found = shutil.which("dot")
    if found is None:
        raise UsageError(
            "--svg needs the program `dot` of Graphviz, which is not installed; "
            "without --svg, the text that it reads is written"
        )
    return found


def _svg(graphviz: str, text: str) -> str:
    done = subprocess.run(
        [graphviz, "-Tsvg"], input=text, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode != 0:
        first = (done.stderr.strip().splitlines() or ["no reason given"])[0]
        raise UsageError(f"Graphviz could not draw the automaton: {first}")
    return done.stdout


def _write(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{output}: cannot be written: {error.strerror}") from error
    click.echo(f"wrote {output}")
