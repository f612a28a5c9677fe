"""Commands in the docs: indented lines that begin with `$ tepui` or `tepui`, and what they show.

What a page shows may leave out lines that matter less: a line `…` stands for any number of them.
"""

from __future__ import annotations

import re

ELISION = "…"


def transcripts(page: str) -> list[tuple[str, list[str]]]:
    """Indented lines `$ tepui …`: the command, and the lines below that it is to print."""
    return [
        (command.removeprefix("tepui "), shown)
        for command, shown in shell_commands(page)
        if command.startswith("tepui ")
    ]


def shell_commands(page: str) -> list[tuple[str, list[str]]]:
    """Indented lines `$ …` of any command, and the lines below that it is to print."""
    found = []
    for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", page, re.MULTILINE):
        lines = re.sub(r"^    ", "", block.lstrip("\n"), flags=re.MULTILINE)
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", lines, re.MULTILINE):
            found.append((command, shown.rstrip("\n").splitlines()))
    return found


def remarks(page: str) -> list[tuple[str, str]]:
    """Indented lines `tepui …    # remark`: the command, and the remark if there is one."""
    return re.findall(r"^    tepui (\S.*?)(?: +# (.+))?$", page, re.MULTILINE)


def without_measures(line: str) -> str:
    """A line without what differs from run to run: times and memory."""
    return re.sub(r"\d+\.\d+|[\d,]+ MiB", "#", line)


def as_shown(printed: str, shown: list[str]) -> tuple[list[str], list[str]]:
    """What was printed and what a page shows, both without measures: two lists to be compared.

    Lines that the page leaves out are left out of the first as well, if the others are there, and
    so are empty ones at the end.
    """
    lines = [without_measures(line) for line in printed.rstrip("\n").splitlines()]
    wanted = [without_measures(line) for line in shown]
    pattern = "".join(
        r"(?:.*\n)*?" if line == ELISION else re.escape(line) + r"\n" for line in wanted
    )
    if ELISION in wanted and re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)):
        return wanted, wanted
    return lines, wanted
