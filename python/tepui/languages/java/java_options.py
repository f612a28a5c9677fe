"""What a user may say about a Java program."""

from __future__ import annotations

from tepui.records import record


@record
class JavaOptions:
    """Where a program begins, and where its classes are.

    `entry` names the method to begin with; `classpath` are folders and archives beside the file;
    `jdk` is a folder with an installed JDK, `spurious_wakeups` says whether threads that wait may
    wake up for no reason, and `races` whether data races are asked, so that every access counts.
    """

    entry: str | None = None
    classpath: tuple[str, ...] = ()
    jdk: str | None = None
    spurious_wakeups: bool = False
    jdk_name: str = ""
    """What the JDK is called that was found, with its version."""
    races: bool = False


def is_pattern(entry: str) -> bool:
    """Whether an entry stands for any number of methods."""
    return entry.startswith("@") or any(each in entry.partition("(")[0] for each in "*?")
