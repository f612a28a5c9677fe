"""Random systems with any number of threads of some blocks, as texts and as plain data.

Some blocks have a number of threads, one or two have any. Rules pop, overwrite, push, and begin on
the empty stack. Some systems have stacks that grow without end. What is bad is often seen with few
threads, and often needs several of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

Rule = tuple[str, str | None, str, tuple[str, ...]]
"""A shared state and the top of a stack, None if it is empty, and what takes their place."""

Tops = tuple[str | None, ...]


@dataclass(frozen=True)
class OpenBlock:
    """Equal threads; None is any number of them."""

    name: str
    count: int | None
    stack: tuple[str, ...]
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class OpenDraft:
    """A system; a bad state is a shared state, None for any, and some tops for each block."""

    blocks: tuple[OpenBlock, ...]
    bad: tuple[tuple[str | None, tuple[Tops, ...]], ...] = field(default=())

    @property
    def text(self) -> str:
        """The system as a `.cpds` text."""
        lines = ["initial q0"]
        for block in self.blocks:
            count = {None: " * any", 1: ""}.get(block.count, f" * {block.count}")
            lines += [f"thread {block.name}{count} {{", f"stack {' '.join(block.stack) or '-'}"]
            for source, top, target, word in block.rules:
                lines.append(f"{source} | {top or '-'} -> {target} | {' '.join(word) or '-'}")
            lines.append("}")
        named = sum(block.count is None for block in self.blocks) > 1
        for shared, tops in self.bad:
            entries = [
                f"{top or '*'}{f' of {block.name}' if named and block.count is None else ''}"
                for block, some in zip(self.blocks, tops, strict=True)
                for top in some
            ]
            lines.append(f"bad {shared or '*'} | {', '.join(entries)}")
        return "\n".join(lines) + "\n"


def random_open_system(rng: Random) -> OpenDraft:
    """A small system that asks for something."""
    counts: list[int | None] = [None]
    if rng.random() < 0.25:
        counts.append(None)
    if rng.random() < 0.5:
        counts.append(rng.choice([1, 1, 2]))
    rng.shuffle(counts)
    states = [f"q{number}" for number in range(rng.randint(2, 4))]
    deep = rng.random() < 0.5
    blocks = [
        _block(rng, name, count, states, deep=deep)
        for name, count in zip("fgh", counts, strict=False)
    ]
    if len(blocks) > 1 and rng.random() < 0.1:  # Equal threads in two blocks.
        first = blocks[0]
        blocks[1] = OpenBlock("same", blocks[1].count, first.stack, first.rules)
    bad = tuple(_bad(rng, states, blocks) for _ in range(rng.choice([1, 1, 2])))
    return OpenDraft(tuple(blocks), bad)


def _block(rng: Random, name: str, count: int | None, states: list[str], deep: bool) -> OpenBlock:
    symbols = list("abc"[: rng.randint(1, 3)])
    stack = tuple(rng.choices(symbols, k=rng.choice([0, 1, 1, 1, 1, 2, 3])))
    rules: dict[Rule, None] = {}
    lengths = [0, 1, 1, 2, 3] if deep else [0, 1, 1, 1]
    for _ in range(rng.randint(2, 6)):
        top = rng.choice([*symbols, *symbols, None])
        length = rng.choice(
            [0, 1, 1, 2] if top is None and deep else [1] if top is None else lengths
        )
        word = tuple(rng.choices(symbols, k=length))
        rules[rng.choice(states), top, rng.choice(states), word] = None
    return OpenBlock(name, count, stack, tuple(rules))


def _bad(
    rng: Random, states: list[str], blocks: list[OpenBlock]
) -> tuple[str | None, tuple[Tops, ...]]:
    tops: list[Tops] = []
    for block in blocks:
        used = sorted({*block.stack, *(symbol for *_, word in block.rules for symbol in word)})
        size = rng.choice([0, 1, 2, 2, 3]) if block.count is None else block.count
        tops.append(tuple(rng.choice([*used, *used, "-", None]) for _ in range(size)))
    if not any(tops):
        tops[0] = ("-",)
    return rng.choice([None, *states, *states]), tuple(tops)
