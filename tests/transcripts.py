"""Commands in the docs: indented lines that begin with `$ tepui` or `tepui`, and what they show."""

from __future__ import annotations

import re


def transcripts(page: str) -> list[tuple[str, list[str]]]:
    """Indented blocks that begin with `$ tepui …`: the command, and the lines it is to print."""
    found = []
    for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", page, re.MULTILINE):
        lines = [line[4:] for line in block.strip("\n").splitlines()]
        if lines[0].startswith("$ tepui "):
            found.append((lines[0].removeprefix("$ tepui "), lines[1:]))
    return found


def remarks(page: str) -> list[tuple[str, str]]:
    """Indented lines `tepui …    # remark`: the command, and the remark."""
    return re.findall(r"^    tepui (\S.*?) +# (.+)$", page, re.MULTILINE)


def without_measures(line: str) -> str:
    """A line without what differs from run to run: times and memory."""
    return re.sub(r"\d+\.\d+|[\d,]+ MiB", "#", line)
