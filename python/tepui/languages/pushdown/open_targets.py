"""The `bad` lines of a system with any number of threads of some blocks.

Threads with a number have an entry each, as always. For a block with any number of threads, a line
names as many as matter, and all others are anywhere. If there is one such block, its entries stand
where the block does. `a of f` names a thread of the block f, wherever it stands, and it is the only
way where several blocks have any number of threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from tepui.languages.pushdown.state_texts import (
    NameReader,
    never_occurs,
    never_used,
    parse_shared,
    parse_top,
)
from tepui.languages.tokens import END, Line, Token
from tepui.model.build import EMPTY, MAX_THREADS
from tepui.model.open_system import OpenPattern
from tepui.records import field, mutable_record, record
from tepui.words import did_you_mean, shown


@record
class Threads:
    """The threads of a block: how many, None if there is any number, and their symbols."""

    name: str
    count: int | None
    symbols: Set[str]


@mutable_record
class OpenTargets:
    """What target lines ask for, and which of them can never match."""

    patterns: list[OpenPattern] = field(default_factory=list)
    deadlock: bool = False
    warnings: list[str] = field(default_factory=list)


class _Entry(NamedTuple):
    """An entry: a top, the block of its thread if it is named, and where it stands."""

    top: str | None
    block: int | None
    token: Token


def parse_open_targets(
    lines: Iterable[Line], names: NameReader, shared: Set[str], blocks: Sequence[Threads]
) -> OpenTargets:
    """The targets on these lines, each line read from where its cursor is."""
    targets = OpenTargets()
    for line in lines:
        state = parse_shared(line, names)
        if state is None:
            targets.deadlock = True
            continue
        (chosen,) = state
        tops = _by_block(line, _entries(line, names, blocks), blocks)
        targets.patterns.append(OpenPattern(chosen, tops))
        targets.warnings += _never_matches(line, chosen, tops, shared, blocks)
    return targets


def _entries(line: Line, names: NameReader, blocks: Sequence[Threads]) -> list[_Entry]:
    entries: list[_Entry] = []
    while True:
        token = line.peek()
        top = parse_top(line, names)
        block = None
        if line.at_word("of"):
            line.take()
            block = _block(line, blocks)
        repeated = line.accept("*")
        room = MAX_THREADS - len(entries)
        if not room:
            raise line.error(token, f"expected at most {MAX_THREADS} entries, found more")
        count = line.expect_count(room, "a number of threads") if repeated else 1
        entries += [_Entry(top, block, token)] * count
        if not line.accept(","):
            break
    if line.peek().kind is not END:
        raise line.expected("',', 'of' or the end of the line")
    return entries


def _block(line: Line, blocks: Sequence[Threads]) -> int:
    """The block that `of` names."""
    numbers = {block.name: number for number, block in enumerate(blocks) if block.count is None}
    token = line.expect_name("the name of a thread of which there is any number")
    if token.text not in numbers:
        hint = did_you_mean(token.text, numbers, "these are")
        raise line.error(
            token,
            f"expected the name of a thread of which there is any number, found {token.found()}"
            f"{hint}",
        )
    return numbers[token.text]


def _by_block(
    line: Line, entries: Sequence[_Entry], blocks: Sequence[Threads]
) -> tuple[tuple[str | None, ...], ...]:
    """The tops of the threads of each block."""
    unnamed = [entry for entry in entries if entry.block is None]
    fixed = sum(block.count or 0 for block in blocks)
    any_number = [number for number, block in enumerate(blocks) if block.count is None]
    by_place = len(any_number) == 1 and len(unnamed) == len(entries)
    if len(unnamed) < fixed:
        missing = f"expected an entry for each of the other threads ({_fixed_names(blocks)})"
        raise line.error(line.peek(), f"{missing}, found {len(unnamed)}")
    if len(unnamed) > fixed and not by_place:
        entry = unnamed[fixed]
        text = "*" if entry.top is None else shown(entry.top)
        names = ", ".join(shown(blocks[number].name) for number in any_number)
        raise line.error(
            entry.token,
            "expected the name of its thread, as in "
            f"'{text} of {shown(blocks[any_number[0]].name)}', since there is any number of "
            f"threads {names}",
        )
    found: list[tuple[str | None, ...]] = []
    left = list(unnamed)
    for number, block in enumerate(blocks):
        count = block.count
        if count is None and by_place:
            count = len(unnamed) - fixed
        if count is None:
            own = [entry for entry in entries if entry.block == number]
        else:
            own, left = left[:count], left[count:]
        found.append(tuple(entry.top for entry in own))
    return tuple(found)


def _fixed_names(blocks: Sequence[Threads]) -> str:
    some = [
        block.name if block.count == 1 else f"{block.name} × {block.count}"
        for block in blocks
        if block.count is not None
    ]
    return ", ".join(some[:8]) + (", …" if len(some) > 8 else "")


def _never_matches(
    line: Line,
    state: str | None,
    tops: Sequence[Sequence[str | None]],
    shared: Set[str],
    blocks: Sequence[Threads],
) -> list[str]:
    """Why no visible state can match the pattern, if there is such a reason."""
    if state is not None and state not in shared:
        return [never_occurs(line, state, shared)]
    for block, some in zip(blocks, tops, strict=True):
        for top in some:
            if top not in (None, EMPTY) and top not in block.symbols:
                return [never_used(line, block.name, top, block.symbols)]
    return []
