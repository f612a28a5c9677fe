"""Options that several commands share: first as texts, then as values."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, overload

import click

from tepui.cli.choices import Choice
from tepui.cli.guard import keep
from tepui.cli.java_flags import has_several_entries, java_flags, java_options
from tepui.cli.model_file import ModelPath, language_flag, read_entries, read_model
from tepui.cli.program_options import KINDS, asks, is_property_file, thread_counts
from tepui.cli.resources import chosen_engine, delays_flag, rounds_flag, tops_flag
from tepui.cli.task_argument import reading_tasks
from tepui.deciding import Options
from tepui.deciding.options import DEFAULT_SLOTS
from tepui.engines.registry import AUTO, engine_names, ways_to_explore
from tepui.errors import UsageError
from tepui.languages import Loaded, ModelOptions
from tepui.limits import Limits
from tepui.model import OpenSystem, Property, Reach, System
from tepui.records import replace
from tepui.report.terminal.printing import echo
from tepui.words import did_you_mean, shown
from tepui.z import parse_strength

if TYPE_CHECKING:
    from tepui.languages.java.loading import Entry
    from tepui.program.program import Program

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class _EngineName(Choice):
    """The name of an engine; the registry is asked when an option is read."""

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        self.choices = engine_names()
        return super().convert(value, param, ctx)


class SystemFlags(TypedDict):
    """The options for the model and, if the command takes questions, for the questions."""

    file: Path
    language: str | None
    init: str | None
    threads: tuple[str, ...]
    target: NotRequired[tuple[str, ...]]
    property_name: NotRequired[tuple[str, ...]]
    unreachable: NotRequired[tuple[str, ...]]
    never_together: NotRequired[tuple[tuple[str, str], ...]]
    entry: NotRequired[tuple[str, ...]]
    classpath: NotRequired[tuple[str, ...]]
    jdk: NotRequired[str | None]
    spurious_wakeups: NotRequired[bool]
    reach: NotRequired[tuple[str, ...]]


class RunFlags(TypedDict):
    """The options for the run."""

    engine: str
    rounds: int | None
    delays: int | None
    tops: int
    jobs: int
    symmetry: str
    z: str
    no_liveness: bool
    all_values: NotRequired[bool]
    splitting: NotRequired[str | None]
    no_fusion: bool
    slots: int | None
    timeout: str | None
    memory: str | None
    max_contexts: int | None
    contexts: NotRequired[int | None]


json_flag = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
quiet_flag = click.option("--quiet", "-q", is_flag=True, help="Show no live table.")


reach_flag = click.option(
    "--reach",
    metavar="STATES",
    multiple=True,
    help="Bad states by their whole stacks, such as 'q1 | 4 5*, -': a shared state or *, and for "
    "each thread a pattern for its stack, or * for any. May be given several times. Replaces what "
    "the file asks; --target and --property add to it.",
)


def initial_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """The file, which may be a task definition, its language, and the initial state."""
    return _with(
        reading_tasks(command),
        click.argument("file", type=ModelPath()),
        language_flag,
        click.option(
            "--init", metavar="STATE", help="The initial state, such as '0|1,9' or '0|1.2,-'."
        ),
        click.option(
            "--threads",
            metavar="NAME=COUNT",
            multiple=True,
            help="For programs: run COUNT threads of this type; NAME=* is any number. For systems "
            "with any number of threads NAME: run COUNT of them. May be given several times.",
        ),
    )


def system_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """The file, and the options that complete or replace what it says."""
    return _with(
        command,
        initial_flags,
        click.option(
            "--target",
            metavar="STATE",
            multiple=True,
            help="A bad visible state, such as '20|23,*,-'; may be given several times. "
            "Replaces what the file asks.",
        ),
        click.option(
            "--property",
            "property_name",
            metavar="NAME",
            multiple=True,
            help="A property by name: deadlock, or for a program also assertions (its own "
            "questions) or a kind of violation: assertion, exception, bounds, division, overflow, "
            "race; or "
            "a property file (.prp). Replaces what the file asks; the other questions add to it.",
        ),
        click.option(
            "--unreachable",
            metavar="PLACE",
            multiple=True,
            help="For programs: no thread may reach this label or line, also as "
            "PROCEDURE:LABEL, PROCEDURE:LINE or FILE:LINE, or call PROCEDURE(). Replaces what the "
            "file asks.",
        ),
        click.option(
            "--never-together",
            metavar="A B",
            nargs=2,
            multiple=True,
            help="For programs: no two threads may be at these places at the same time. "
            "Replaces what the file asks.",
        ),
        java_flags,
    )


LIMIT_FLAGS = (
    click.option("--timeout", metavar="TIME", help="Stop after this time: 90, 90s, 5m, 1h."),
    click.option("--memory", metavar="SIZE", help="Stop at this much memory: 500M, 4G."),
)


def limit_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """The limits of a command that counts no contexts."""
    for option in reversed(LIMIT_FLAGS):
        command = option(command)
    return command


def run_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options for engines, comparisons and limits."""
    return _with(
        command,
        click.option(
            "--engine",
            type=_EngineName(engine_names()),
            default=AUTO,
            show_default=True,
            help=f"How to explore: {ways_to_explore()}, or as it turns out to be best ({AUTO}).",
        ),
        rounds_flag,
        delays_flag,
        tops_flag,
        click.option(
            "--jobs",
            metavar="N",
            type=click.IntRange(min=1),
            default=1,
            show_default=True,
            help="With --engine auto: let up to N engines run side by side. With one they take "
            "turns, and every run goes the same way.",
        ),
        click.option(
            "--symmetry",
            type=Choice(["on", "off"]),
            default="on",
            show_default=True,
            help="Whether to explore up to permutations of equal threads.",
        ),
        click.option(
            "--z",
            metavar="STRENGTH",
            default="auto",
            show_default=True,
            help="How sharp Z is, a set that contains every reachable visible state: auto, off, "
            "cut, matched, or matched:B to keep B symbols of each stack. For programs also omega, "
            "omega-l or omega-ll, by call-return relations; omega and omega-l imply --no-liveness.",
        ),
        click.option(
            "--no-liveness",
            is_flag=True,
            help="For programs: keep the values of local variables that no one will read.",
        ),
        click.option(
            "--no-fusion",
            is_flag=True,
            help="For programs: count every step. By default, steps that touch nothing shared are "
            "part of the step before, where contexts are counted and a question is asked.",
        ),
        click.option(
            "--slots",
            metavar="N",
            type=click.IntRange(0, 100),
            help="For programs that fork threads: try up to N of them at once, before the "
            f"analysis becomes a bounded one. [default: {DEFAULT_SLOTS}]",
        ),
        *LIMIT_FLAGS,
        click.option(
            "--max-contexts",
            metavar="K",
            type=click.IntRange(min=0),
            help="Stop after K contexts, without an answer.",
        ),
    )


@overload
def load_model(flags: SystemFlags) -> System | Program | OpenSystem: ...


@overload
def load_model(flags: SystemFlags, command: str) -> System | Program: ...


def load_model(flags: SystemFlags, command: str | None = None) -> System | Program | OpenSystem:
    """Read a file as the options say, show the warnings, and refuse options that do not fit it. A
    command that needs a number of threads gives its name."""
    if has_several_entries(flags):
        raise UsageError(
            "several entries, and patterns for them, are for verify; name one method by --entry"
        )
    loaded = read_model(flags["file"], flags["language"], model_options(flags))
    if not isinstance(loaded.model, OpenSystem):
        return _completed(loaded, flags)
    model = _completed_open(loaded.model, loaded.warnings, flags)
    if command is not None and isinstance(model, OpenSystem):
        raise _needs_a_number(model, command)
    return model


def _needs_a_number(model: OpenSystem, command: str) -> UsageError:
    there_is = f"{model.name}: there is any number of threads {', '.join(model.any_number)}"
    if command == "explore":
        return UsageError(
            f"{there_is}, so there are infinitely many states: --threads says how many threads to "
            "explore"
        )
    return UsageError(f"{there_is}, and {command} needs a number of them, which --threads says")


def standing_for(model: System | Program | OpenSystem) -> System | Program:
    """What stands for a model where no answer depends on the number of threads."""
    return model.instance(model.needed) if isinstance(model, OpenSystem) else model


def load_entries(flags: SystemFlags) -> Iterator[tuple[str, Callable[[], Program]]]:
    """The entries of a Java program that the options name, and for each what reads the program
    that begins there."""
    options = replace(model_options(flags), entries=flags["entry"])

    def load(entry: Entry) -> Program:
        program = _completed(Loaded(entry.load()), flags)
        assert not isinstance(program, System)
        return program

    for entry in read_entries(flags["file"], flags["language"], options):
        yield entry.name, partial(load, entry)


def model_options(flags: SystemFlags) -> ModelOptions:
    """What the options say about the model, besides its file."""
    names = flags.get("property_name", ())
    overflow = asks("overflow", names)
    java = java_options(flags, races=asks("race", names))
    return ModelOptions(flags["init"], flags.get("target") or None, overflow, java)


def _completed(loaded: Loaded, flags: SystemFlags) -> System | Program:
    """The model, with what else the options say about it."""
    targets, names = flags.get("target"), flags.get("property_name", ())
    _warn(loaded.warnings)
    reaches = flags.get("reach", ())
    if not isinstance(loaded.model, System):
        if reaches:
            raise UsageError(
                f"{flags['file']}: --reach is for pushdown systems; places of a program that must "
                "not be reached are named with --unreachable or --never-together"
            )
        from tepui.program.passes.counts import with_counts

        return with_counts(loaded.model, thread_counts(flags["threads"]))
    system = loaded.model
    if flags["threads"]:
        raise not_for_systems(flags["file"], "--threads")
    _check_questions(flags)
    if names or reaches:
        own = system.property if targets else Property()
        whole = _reaches(system, reaches)
        system = system.with_property(Property(own.patterns, own.deadlock or bool(names), whole))
    return system


def _completed_open(
    model: OpenSystem, warnings: list[str], flags: SystemFlags
) -> System | OpenSystem:
    """A system with any number of threads, with what else the options say about it."""
    from tepui.languages.pushdown.thread_counts import with_threads

    counted = with_threads(model, thread_counts(flags["threads"]))
    closed, said = counted.model, [*warnings, *counted.warnings]
    if not isinstance(closed, OpenSystem):
        found = _completed(Loaded(closed, said), {**flags, "threads": ()})
        assert isinstance(found, System)
        return found
    _warn(said)
    if flags.get("reach"):
        raise UsageError(
            f"--reach names the stack of each thread, and {flags['file']} has any number of "
            f"threads {', '.join(closed.any_number)}: --threads says how many there are"
        )
    _check_questions(flags)
    if flags.get("property_name"):
        own = closed if flags.get("target") else closed.asking_nothing()
        return own.asking_deadlock()
    return closed


def _check_questions(flags: SystemFlags) -> None:
    """Refuse questions that cannot be asked about a pushdown system."""
    for option, given in (
        ("--unreachable", flags.get("unreachable")),
        ("--never-together", flags.get("never_together")),
    ):
        if given:
            raise not_for_systems(flags["file"], option)
    for name in flags.get("property_name", ()):
        if name in ("assertions", "race", *KINDS):
            raise not_for_systems(flags["file"], f"--property {name}")
        if is_property_file(name):
            _require_deadlock(Path(name))
        elif name != "deadlock":
            hint = did_you_mean(name, ["deadlock"])
            raise UsageError(
                f"--property {shown(name)}: expected deadlock or a property file (.prp){hint}"
            )


def _reaches(system: System, texts: Sequence[str]) -> tuple[Reach, ...]:
    if not texts:
        return ()
    from tepui.automata.reach_property import reach

    return reach(system, *texts, source="--reach").reaches


def _require_deadlock(path: Path) -> None:
    from tepui.tasks.properties import require_deadlock

    require_deadlock(path)


def not_for_systems(file: Path, option: str) -> UsageError:
    """The error for an option of programs that was given with a system."""
    asks = option in (
        "--unreachable",
        "--never-together",
        "--property assertions",
        "--property race",
    )
    hint = "; name bad states of it with --target or --reach" if asks else ""
    return UsageError(f"{option} is for programs (.bp), and {file} is a pushdown system{hint}")


def run_limits(flags: RunFlags) -> Limits:
    """The limits that the options set, for this command. There is no file to read for them, so they
    come first."""
    return keep(limits_of(flags))


def limits_of(flags: RunFlags) -> Limits:
    """The limits that the options set, for whatever they are meant."""
    timeout, memory = flags["timeout"], flags["memory"]
    seconds = None if timeout is None else _seconds(timeout)
    size = None if memory is None else _bytes(memory)
    return Limits(seconds, size, flags["max_contexts"])


def run_options(model: System | Program | OpenSystem, flags: RunFlags, limits: Limits) -> Options:
    """The run options that the command line sets."""
    strengths = parse_strength(flags["z"])
    options = Options(
        engine=chosen_engine(flags),
        contexts=flags.get("contexts"),
        rounds=flags["rounds"],
        delays=flags["delays"],
        tops=flags["tops"],
        jobs=flags["jobs"],
        symmetry=flags["symmetry"] == "on",
        strengths=strengths,
        limits=limits,
        liveness=not flags["no_liveness"],
        small_sorts=not flags.get("all_values", False),
        splitting=flags.get("splitting"),
        fusion=not flags["no_fusion"],
        slots=DEFAULT_SLOTS if flags["slots"] is None else flags["slots"],
    )
    if not isinstance(model, System | OpenSystem):
        if flags["slots"] is not None and not model.forks:
            raise UsageError(f"--slots is for programs that fork threads; {model.name} does not")
        return options
    for strength in strengths:
        if strength.is_call_return:
            raise UsageError(f"--z {strength} is for programs (.bp), whose calls are known")
    if flags["slots"] is not None:
        raise UsageError("--slots is for programs (.bp) that fork threads: a system does not")
    for flag in ("no_liveness", "no_fusion", "all_values"):
        if flags.get(flag):
            option = f"--{flag.replace('_', '-')}"
            raise UsageError(f"{option} is for programs (.bp): a system has no variables")
    return options


def _with(command: Callable[..., Any], *decorators: Decorator) -> Callable[..., Any]:
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def _warn(warnings: list[str]) -> None:
    for warning in dict.fromkeys(warnings):
        echo(f"warning: {warning}", err=True)


def _seconds(text: str) -> float:
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(s|m|h)?", text)
    if match is None:
        raise UsageError(f"--timeout {text}: expected a time such as 90, 90s, 5m or 1h")
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2] or "s"]


def _bytes(text: str) -> int:
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([KMGT])(?:i?B)?", text, re.IGNORECASE)
    if match is None:
        raise UsageError(f"--memory {text}: expected a size with a unit, such as 500M or 4G")
    return min(sys.maxsize, int(float(match[1]) * 1024 ** ("KMGT".index(match[2].upper()) + 1)))
