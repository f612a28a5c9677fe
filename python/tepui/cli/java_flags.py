"""The options about a Java program: where it begins, and where its classes are."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tepui.errors import UsageError
from tepui.languages.registry import language_named, language_of

if TYPE_CHECKING:
    from tepui.languages.java.java_options import JavaOptions

_FLAGS = (
    click.option(
        "--entry",
        metavar="METHOD",
        multiple=True,
        help="For Java: begin with this method instead of main: NAME, CLASS.NAME, or with types, "
        "'CLASS.NAME(int, boolean)'; verify takes patterns such as 'Test.*' or @Test, and several, "
        "and decides each by itself.",
    ),
    click.option(
        "--classpath",
        metavar="PATHS",
        multiple=True,
        help=f"For Java: folders and archives with other classes, with '{os.pathsep}' between "
        "them. May be given several times.",
    ),
    click.option(
        "--jdk",
        metavar="DIR",
        type=click.Path(),
        help="For Java: the JDK whose classes and compiler are used; else the one of JAVA_HOME, "
        "of the PATH, or in the usual places.",
    ),
    click.option(
        "--spurious-wakeups",
        is_flag=True,
        help="For Java: threads that wait may wake up for no reason.",
    ),
)


def java_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options about Java programs."""
    for option in reversed(_FLAGS):
        command = option(command)
    return command


def java_options(flags: Mapping[str, Any], *, races: bool) -> JavaOptions | None:
    """What the options say about a Java program, if they do."""
    places = tuple(
        place for text in flags.get("classpath", ()) for place in text.split(os.pathsep) if place
    )
    for place in places:
        if not Path(place).exists():
            raise UsageError(f"--classpath {place}: there is no such file or folder")
    entry, jdk, spurious = flags.get("entry", ()), flags.get("jdk"), flags.get("spurious_wakeups")
    if not (entry or places or spurious or races) and jdk is None:
        return None
    from tepui.languages.java.java_options import JavaOptions

    only = entry[0] if len(entry) == 1 and not has_several_entries(flags) else None
    return JavaOptions(only, places, jdk, bool(spurious), races=races)


def has_several_entries(flags: Mapping[str, Any]) -> bool:
    """Whether the options may stand for several entries of a Java program."""
    given = flags.get("entry", ())
    if not given:
        return False
    from tepui.languages.java.java_options import is_pattern

    return len(given) > 1 or any(map(is_pattern, given))


def has_entries(file: Path, language: str | None) -> bool:
    """Whether a file is in a language whose programs have entries."""
    spoken = language_of(file) if language is None else language_named(language)
    return spoken is not None and spoken.each is not None
