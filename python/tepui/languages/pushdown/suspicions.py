"""What is legal but looks like a slip of the pen: rules that can never be taken.

A misspelt name makes a new symbol or shared state, and a system that does less than was meant is
all the safer. These warnings are for files that people write by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tepui.languages.tokens import shown

if TYPE_CHECKING:
    from tepui.model import Block, Description


def suspicions(description: Description, source: str) -> list[str]:
    """A warning for each name that rules wait for and nothing brings about."""
    found = list(_shared_states(description))
    for block in description.blocks:
        found += _symbols(block)
    return [f"{source}: {warning}" for warning in found]


def _shared_states(description: Description) -> Iterator[str]:
    rules = [rule for block in description.blocks for rule in block.rules]
    entered = {description.initial, *(rule.target for rule in rules)}
    for name in dict.fromkeys(rule.source for rule in rules):
        if name not in entered:
            yield f"rules wait for the shared state '{shown(name)}', but none leads to it"


def _symbols(block: Block) -> Iterator[str]:
    written = {*block.stack, *(symbol for rule in block.rules for symbol in rule.word)}
    taken = dict.fromkeys(rule.top for rule in block.rules if rule.top is not None)
    for name in taken:
        if name not in written:
            yield (
                f"thread {block.name} has rules for '{shown(name)}' on top of its stack, "
                "but nothing ever puts it there"
            )
    if block.rules and block.stack and block.stack[0] not in taken:
        yield (
            f"thread {block.name} can never move: no rule takes '{shown(block.stack[0])}', "
            "the top of its initial stack"
        )
