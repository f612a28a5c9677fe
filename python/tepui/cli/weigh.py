"""`tepui weigh`: the weight of all runs between two sets of configurations."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, cast

import click

from tepui.cli.arguments import RunFlags, json_flag, run_limits
from tepui.cli.model_file import ModelPath, source_of
from tepui.cli.output import echo_json, long_numbers
from tepui.cli.stopped import stopped
from tepui.errors import Stopped, UsageError
from tepui.languages import language_of
from tepui.languages.source import Source
from tepui.limits import Limits
from tepui.report.terminal.printing import echo, echo_file
from tepui.report.terminal.waiting import waiting
from tepui.report.text.paint import joined
from tepui.report.text.traces import without_middle
from tepui.weighted.files.automata import written_automaton
from tepui.weighted.files.forms import INFINITE
from tepui.weighted.files.patterns import pattern_text
from tepui.weighted.files.systems import Given, WeightedFile
from tepui.weighted.negative_costs import Unbounded
from tepui.weighted.paths import Run
from tepui.weighted.weighing import Weighing, load_weighted, saturated, weigh
from tepui.words import counted, plural, shown

FORMAT = "tepui-weight"
VERSION = 1

MOST_STEPS = 1000
"""The configurations of longer runs are not shown."""

WIDTH = 80
"""How much of a configuration fits a line."""


@click.command("weigh")
@click.argument("file", type=ModelPath())
@click.option(
    "--from",
    "start",
    metavar="SET",
    multiple=True,
    help="Where runs start, such as '<p, a b*>', or @FILE for a file that says it. For several "
    "threads, a pattern such as 'p | a b*, -'. Replaces what FILE says.",
)
@click.option("--to", "target", metavar="SET", multiple=True, help="The same for where they end.")
@click.option("--post", is_flag=True, help="Print the automaton of all that the start reaches.")
@click.option("--pre", is_flag=True, help="Print the automaton of all that reaches the target.")
@click.option(
    "--contexts",
    metavar="K",
    type=click.IntRange(min=0),
    help="Let the threads of a concurrent system have up to K contexts.",
)
@json_flag
@click.option("--timeout", metavar="TIME", help="Stop after this time: 90, 90s, 5m, 1h.")
@click.option("--memory", metavar="SIZE", help="Stop at this much memory: 500M, 4G.")
def command(
    file: Path,
    start: tuple[str, ...],
    target: tuple[str, ...],
    post: bool,
    pre: bool,
    contexts: int | None,
    as_json: bool,
    timeout: str | None,
    memory: str | None,
) -> int:
    """Weigh all runs of a weighted pushdown system from one set of configurations to another.

    FILE is a weighted system in JSON, or a file of the public tool PDAAAL; - is standard input. The
    weight is printed, and for costs also a cheapest run.

    Exit code: 0 answered, 2 wrong input or use, 3 stopped or interrupted.
    """
    if post and pre:
        raise UsageError("--post and --pre exclude each other")
    if (post or pre) and contexts is not None:
        raise UsageError("--contexts is for the weight between two sets, not for automata")
    flags = cast(RunFlags, {"timeout": timeout, "memory": memory, "max_contexts": None})
    limits = run_limits(flags)
    language = language_of(file)
    if language is not None:
        raise UsageError(
            f"{file}: this is a {language.name}, expected a weighted system, written in JSON"
        )
    loaded = load_weighted(source_of(file), _given(start, "--from"), _given(target, "--to"))
    try:
        with long_numbers():
            if post or pre:
                with waiting(f"weigh {loaded.name}"):
                    automaton = saturated(loaded, backwards=pre, limits=limits)
                echo_file(written_automaton(loaded.form, automaton))
            else:
                _answer(loaded, contexts, limits, as_json=as_json)
    except Stopped as error:
        return stopped(error, f"error: {error}", limits)
    return 0


def _given(texts: tuple[str, ...], option: str) -> list[Given]:
    """The text of an option; a value that begins with @ is the name of a file."""
    given = []
    for text in texts:
        if text.startswith("@"):
            source = Source.of_file(Path(text[1:]))
            given.append(Given("\n".join(source.lines), source.name))
        else:
            given.append(Given(text, option))
    return given


def _answer(file: WeightedFile, contexts: int | None, limits: Limits, *, as_json: bool) -> None:
    started = time.perf_counter()
    bound = file.contexts if contexts is None else contexts
    try:
        with waiting(f"weigh {file.name}"):
            weighed = weigh(file, contexts, limits)
    except Unbounded:
        if as_json:
            seconds = time.perf_counter() - started
            echo_json(_described(file, True, f"-{INFINITE}", None, bound, seconds))
        raise
    seconds = time.perf_counter() - started
    if as_json:
        weight, run = file.form.answer(weighed.weight), weighed.run
        echo_json(_described(file, not weighed.is_zero, weight, run, bound, seconds))
    else:
        echo(joined(_lines(file, weighed, bound, seconds)))


def _described(
    file: WeightedFile,
    reachable: bool,
    weight: object,
    run: Run | None,
    contexts: int | None,
    seconds: float,
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "system": file.name,
        "domain": file.form.described(),
        "contexts": contexts,
        "reachable": reachable,
        "weight": weight,
        "run": None if run is None else _described_run(file, run),
        "seconds": round(seconds, 6),
    }


def _described_run(file: WeightedFile, run: Run) -> dict[str, Any]:
    visited = run.configurations(file.threads[0].system)
    short = len(run.rules) <= MOST_STEPS
    return {
        "rules": list(run.rules),
        "configurations": [[state, *stack] for state, stack in visited] if short else None,
    }


def _lines(
    file: WeightedFile, weighed: Weighing, contexts: int | None, seconds: float
) -> list[str]:
    within = "" if contexts is None else f" within {contexts} {plural(contexts, 'context')}"
    lines = [f"not reachable{within}" if weighed.is_zero else f"reachable{within}"]
    weight_lines = [] if weighed.is_zero else file.form.lines(weighed.weight)
    for title, line in zip(("weight", *[""] * len(weight_lines)), weight_lines, strict=False):
        lines.append(f"  {title:<8}  {line}")
    lines.append(f"  domain    {file.form.name}")
    if weighed.run is not None:
        lines += _run_lines(file, weighed.run)
    return [*lines, f"  took      {seconds:.2f} s"]


def _run_lines(file: WeightedFile, run: Run) -> list[str]:
    system = file.threads[0].system
    count = counted(len(run.rules), "step")
    if len(run.rules) > MOST_STEPS:
        return [f"  run       {count} from {shown(pattern_text(*run.start), WIDTH)}"]
    texts = [shown(pattern_text(*each), WIDTH) for each in run.configurations(system)]
    weights = ["", *("; ".join(file.form.lines(system.rules[r].weight)) for r in run.rules)]
    width = max(map(len, texts))
    steps = [f"    {t:<{width}}  {w}".rstrip() for t, w in zip(texts, weights, strict=True)]
    return [f"  run       {count}", *without_middle(steps)]
