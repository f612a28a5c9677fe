"""Make a program smaller as long as it keeps what makes it interesting.

Removed lines become empty, so that the numbers of lines stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

OPEN = re.compile(r"(\{|\bbegin|\bthen|\bdo|atomic_begin;)\s*$")
CLOSE = re.compile(r"^\s*(\}|end$|fi$|od$|atomic_end;)")


def block(lines: list[str], first: int) -> int | None:
    """The last line of what opens on a line."""
    depth = 0
    for number in range(first, len(lines)):
        line = lines[number]
        if CLOSE.search(line):
            depth -= 1
            if depth == 0 and not OPEN.search(line) and not line.strip().startswith("} else"):
                return number
        if OPEN.search(line) and not re.match(r"\s*elsif", line):
            depth += 1
    return None


def without(lines: list[str], first: int, last: int) -> list[str]:
    """The same with some lines made empty."""
    return [*lines[:first], *[""] * (last - first + 1), *lines[last + 1 :]]


def smaller(line: str) -> Iterator[str]:
    """Simpler forms of a line."""
    if re.match(r"\s*[\w$]+: ", line):
        yield re.sub(r"^(\s*)[\w$]+: ", r"\1", line)
    for value in ("0", "1", "*"):
        yield re.sub(r":= [^;(]*;", f":= {value};", line)
        yield re.sub(r":= .*;", f":= {value};", line)
        yield re.sub(r"\b(if|while|assert|assume|wait) ?\(.*\)", rf"\1 ({value})", line)
        yield re.sub(r"\breturn [^,;]*", f"return {value}", line)
        for found in re.finditer(r"\(([^()]*)\)", line):
            yield line[: found.start()] + value + line[found.end() :]
    yield re.sub(r" constrain .*;", ";", line)
    yield re.sub(r" (saturate|block)", "", line)
    yield re.sub(r": int [^ ;,\])]*( \[\d\])?", "", line)
    yield re.sub(r", 2\)", ")", line)
    for operator in (r" [=!<>]=? ", r" (&&|&|\|\||\||\^|=>) ", r" [+*-] "):
        for found in re.finditer(rf"(\w+|\w+\[[^\]]*\]){operator}(\w+|\w+\[[^\]]*\])", line):
            text = found.group(0)
            left = re.split(operator, text)[0]
            yield line[: found.start()] + left + line[found.end() :]
            yield line[: found.start()] + text[-len(found.groups()[-1]) :] + line[found.end() :]


def candidates(lines: list[str]) -> Iterator[list[str]]:
    """Smaller texts, the smallest first."""
    for number, line in enumerate(lines):
        if line and OPEN.search(line):
            last = block(lines, number)
            if last is not None:
                yield without(lines, number, last)
                yield without(without(lines, number, number), last, last)
        if line.strip() in ("else", "} else {"):
            yield without(lines, number, number + 1)
    for number, line in enumerate(lines):
        if line:
            yield without(lines, number, number)
            if number + 1 < len(lines):
                yield without(lines, number, number + 1)
    for number, line in enumerate(lines):
        for other in smaller(line):
            if other != line and len(other) < len(line):
                yield [*lines[:number], other, *lines[number + 1 :]]


def reduced(text: str, keeps: Callable[[str], bool], most: int = 1500) -> str:
    """A smaller text that `keeps`, found with a limited number of tries."""
    lines = text.splitlines()
    tried = 0
    changed = True
    while changed and tried < most:
        changed = False
        for shorter in candidates(lines):
            tried += 1
            if tried >= most:
                break
            if keeps("\n".join(shorter) + "\n"):
                lines = shorter
                changed = True
                break
    packed = "\n".join(line for line in lines if line) + "\n"
    if keeps(packed):
        return packed
    return "\n".join(lines) + "\n"
