"""`tepui suite`: run many tasks, keep their outcomes, and compare runs."""

from __future__ import annotations

import os
import signal
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, cast

import click

from tepui import __version__
from tepui.cli.arguments import RunFlags, json_flag, limits_of
from tepui.cli.explore import command as explore_command
from tepui.cli.output import echo_json
from tepui.cli.resources import chosen_engine
from tepui.cli.verify import command as verify_command
from tepui.errors import UsageError
from tepui.limits import physical_memory
from tepui.output_places import problem_at, write_text
from tepui.records import record
from tepui.report.terminal.printing import echo
from tepui.report.terminal.streams import painter
from tepui.suite.as_json import comparison_object, suite_object
from tepui.suite.compare import compare
from tepui.suite.display import Progress
from tepui.suite.outcome import Outcome
from tepui.suite.processes import run_here
from tepui.suite.selection import Settings, select
from tepui.suite.session import Plan, Runner, plan, work
from tepui.suite.store import Store, StoredRun, open_to_read, open_to_write
from tepui.suite.text import comparison_lines, exit_code, summary_lines
from tepui.tasks.task import MODEL_SUFFIXES
from tepui.z import parse_strength

DEFAULT_STORE = "tepui-suite.sqlite"

_PASSED_ON = (
    *(
        "engine",
        "contexts",
        "rounds",
        "delays",
        "tops",
        "symmetry",
        "z",
        "no_liveness",
        "no_fusion",
    ),
    *("slots", "max_contexts", "no_check", "jdk", "spurious_wakeups"),
)
"""Options of `verify` that make sense for many tasks; tasks say the others themselves."""


def passed_on(command: Any) -> Any:
    """The options that are passed on, as `verify` declares them."""
    command.params += [
        parameter for parameter in verify_command.params if parameter.name in _PASSED_ON
    ]
    return command


@passed_on
@click.command("suite")
@click.argument("places", metavar="DIR...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    metavar="FILE",
    default=DEFAULT_STORE,
    show_default=True,
    help="Where outcomes are kept.",
)
@click.option(
    "--run",
    "run_name",
    metavar="NAME",
    help="A name for this run in the store. Without it, the last run with the same options goes "
    "on, or a new one gets a number.",
)
@click.option("--again", is_flag=True, help="Run everything anew; with --run, replace that run.")
@click.option("--retry", is_flag=True, help="Run again what was run and has no verdict.")
@click.option(
    "--only",
    metavar="PATTERN",
    multiple=True,
    help="Only tasks whose name contains this; * and ? stand for anything. May be given several "
    "times.",
)
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="Run this number of tasks at the same time.",
)
@click.option("--timeout", metavar="TIME", help="The limit of each task: 90, 90s, 5m, 1h.")
@click.option("--memory", metavar="SIZE", help="The limit of each task: 500M, 4G.")
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Run on the workers of a Dask scheduler, such as tcp://host:8786; local starts --jobs "
    "workers here.",
)
@click.option(
    "--compare",
    "compared",
    metavar="OLD NEW",
    nargs=2,
    help="Run nothing, but compare two runs: names of runs in --store, other stores, or FILE:RUN.",
)
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a table for browsers."
)
@click.option(
    "--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write JUnit XML as well."
)
@json_flag
@click.option("--quiet", "-q", is_flag=True, help="Show no progress, only what it comes to.")
def command(places: tuple[Path, ...], compared: tuple[str, str] | None, **flags: Any) -> int:
    """Run the tasks in DIR, each in a process of its own, and keep their outcomes.

    DIR is a folder with task definitions, manifests or models, or one such file. What has ended is
    kept at once in --store: the same command goes on where it was stopped, and a task whose files
    have changed is run again. Options of verify are passed on.

    Exit code: 0 every task has a verdict and none is wrong, 1 some verdict is wrong, 2 wrong input
    or use, 3 some task has no verdict, or the run was stopped, 5 internal error. With --compare it
    is 1 if some answer is worse than before, else 0.
    """
    written = [path for path in (flags["html"], flags["junit"]) if path is not None]
    for path in written:
        _check_can_be_written(path, flags["store"])
    if compared:
        if places:
            raise UsageError("--compare runs nothing, so it takes no DIR")
        if flags["junit"] is not None:
            raise UsageError("--junit is about one run, and --compare about two")
        return _compare(compared, flags)
    if not places:
        raise UsageError("name a folder with tasks, or two runs with --compare")
    name = flags["run_name"]
    if name is not None and not (name and name.isprintable()):
        raise UsageError("--run: expected a name that can be printed on one line")
    with _stoppable():
        return _run(places, flags)


def _run(places: Sequence[Path], flags: dict[str, Any]) -> int:
    selected = select(places, flags["only"])
    settings = _settings(flags, min(flags["jobs"], len(selected)))
    show = not (flags["as_json"] or flags["quiet"])
    start = time.monotonic()
    with open_to_write(flags["store"]) as store:
        run = store.begin(flags["run_name"], settings.text, __version__, again=flags["again"])
        planned = plan(selected, store, run, retry=flags["retry"])
        stopped = False
        with Progress(len(planned.todo), lines=show, bar=show) as progress:
            try:
                work(planned, settings, store, run, _runner(flags), progress)
            except KeyboardInterrupt:
                stopped = True
    ended = {outcome.task: outcome for outcome in (*planned.done, *progress.outcomes)}
    outcomes = [ended[one.name] for one in selected if one.name in ended]
    report = _Report(flags, run, planned, outcomes, stopped, time.monotonic() - start)
    report.show()
    report.write()
    return exit_code(outcomes, stopped=stopped)


@record
class _Report:
    """What is printed and written after a session."""

    flags: dict[str, Any]
    run: StoredRun
    planned: Plan
    outcomes: list[Outcome]
    stopped: bool
    seconds: float

    def show(self) -> None:
        store = str(self.flags["store"])
        if self.flags["as_json"]:
            shown = suite_object(store, self.run, self.outcomes, stopped=self.stopped)
            echo_json(shown)
        else:
            for line in summary_lines(self.outcomes, painter(sys.stdout)):
                echo(line)
            done = len(self.planned.done)
            before = f"; {done} done before" if done else ""
            echo(f"  kept      in {store}, run {self.run.name}{before}")
            echo(f"  took      {self.seconds:.2f} s")
        if self.stopped:
            total = len(self.planned.todo) + len(self.planned.done)
            again = " without --again" if self.flags["again"] else ""
            echo(
                f"stopped after {len(self.outcomes)} of {total} tasks; what has ended is kept, and "
                f"the same command{again} continues",
                err=True,
            )

    def write(self) -> None:
        html, junit = self.flags["html"], self.flags["junit"]
        if html is not None:
            from tepui.suite.table import suite_page

            _write(html, suite_page(self.run, self.outcomes, html), "table")
        if junit is not None:
            from tepui.suite.junit import junit_xml

            _write(junit, junit_xml(self.outcomes), "JUnit file")


def _compare(compared: tuple[str, str], flags: dict[str, Any]) -> int:
    old, new = (_kept(text, flags["store"]) for text in compared)
    versions = old.run.version != new.run.version
    comparison = compare(
        (old.label(versions), old.outcomes),
        (new.label(versions), new.outcomes),
    )
    if flags["as_json"]:
        echo_json(comparison_object(comparison))
    else:
        for line in comparison_lines(comparison):
            echo(line)
    if flags["html"] is not None:
        from tepui.suite.comparison_page import comparison_page

        _write(flags["html"], comparison_page(comparison, flags["html"]), "table")
    return 1 if comparison.worse else 0


@record
class _Kept:
    """A run, and what has ended in it."""

    store: Path
    run: StoredRun
    outcomes: dict[str, Outcome]

    def label(self, version: bool) -> str:
        said = f" (tepui {self.run.version})" if version else ""
        return f"{self.store}:{self.run.name}{said}"


def _kept(text: str, usual: Path) -> _Kept:
    """The run that a text names: `RUN`, `FILE` for its last run, or `FILE:RUN`."""
    file, _, name = text.rpartition(":")
    with ExitStack() as stack:
        if Path(text).is_file():
            store = stack.enter_context(open_to_read(Path(text)))
            run = store.find()
        elif file and Path(file).is_file():
            store = stack.enter_context(open_to_read(Path(file)))
            run = store.find(name)
        else:
            store, run = _named(stack, text, usual)
        return _Kept(store.path, run, store.outcomes(run))


def _named(stack: ExitStack, text: str, usual: Path) -> tuple[Store, StoredRun]:
    if not usual.is_file():
        raise UsageError(
            f"--compare {text}: there is no such file, and no store {usual} with such a run"
        )
    store = stack.enter_context(open_to_read(usual))
    return store, store.find(text)


def _settings(flags: dict[str, Any], at_once: int) -> Settings:
    """The function that runs tasks, `jobs` at the same time; errors about options come before
    that."""
    limits = limits_of(cast(RunFlags, flags))  # Those of each task, and not of this command.
    chosen_engine(flags)
    parse_strength(flags["z"])
    options = {
        command.name or "": _given(command, flags) for command in (verify_command, explore_command)
    }
    if flags["contexts"] is not None and flags["max_contexts"] is None:
        options["explore"] += ("--max-contexts", str(flags["contexts"]))
    memory = limits.memory
    if memory is None and flags["cluster"] in (None, "local"):
        memory = physical_memory() * 4 // 5 // at_once
    return Settings(flags["timeout"], limits.timeout, flags["memory"], memory, options)


def _given(command: click.Command, flags: dict[str, Any]) -> tuple[str, ...]:
    """The options to pass on to a command: those that it takes and that change something."""
    given: list[str] = []
    for parameter in command.params:
        value = flags[parameter.name] if parameter.name in _PASSED_ON else None
        if value is None or value is False or value == parameter.default:
            continue
        given.append(parameter.opts[0])
        given += [] if value is True else [str(value)]
    return tuple(given)


def _runner(flags: dict[str, Any]) -> Runner:
    address, jobs = flags["cluster"], flags["jobs"]
    if address is None:
        return lambda tasks, begin: run_here(tasks, jobs, begin)
    from tepui.suite.cluster import run_on_cluster

    return lambda tasks, begin: run_on_cluster(address, jobs, tasks, begin)


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let SIGTERM and a closed terminal stop the suite as Ctrl-C does, but only once."""
    ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    usual = {number: signal.getsignal(number) for number in ends}
    # nohup ignores one of them on purpose.
    ours = [number for number in ends if usual[number] != signal.SIG_IGN]
    stopping = False

    def stop(number: int, _: FrameType | None) -> None:
        nonlocal stopping
        if stopping:
            return
        stopping = True
        if number == signal.SIGHUP:
            _leave_the_terminal()
        raise KeyboardInterrupt

    for number in ours:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, usual[number])


def _leave_the_terminal() -> None:
    """Nothing can be printed on a terminal that is closed, but files can still be written."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        if stat.S_ISCHR(os.fstat(stream).st_mode):
            os.dup2(nowhere, stream)
    os.close(nowhere)


def _check_can_be_written(path: Path, store: Path) -> None:
    """Raise an error before the run about a place where nothing can, or should, be written after
    it."""
    problem = problem_at(path)
    if path.suffix.lower() in MODEL_SUFFIXES:
        problem = "its name says that it is a model"
    elif path.absolute() == store.absolute():
        problem = "this is the store"
    if problem is not None:
        raise UsageError(f"{path}: nothing can be written there: {problem}")


def _write(path: Path, content: str, what: str) -> None:
    """Write a file. The outcomes are shown before, so that a full disk cannot lose them."""
    try:
        write_text(path, content)
    except OSError as error:
        raise UsageError(f"{path}: the {what} cannot be written: {error.strerror}") from error
    echo(f"the {what} was written to {path}", err=True)
