"""Warnings about probable typing errors: rules that can never be taken.

A misspelt name makes a new symbol or shared state, and a system that does less than was meant is
more likely to be safe. These warnings are for files that people write by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tepui.words import closest, did_you_mean, listed, plural, shown

if TYPE_CHECKING:
    from tepui.model import Block, Description


def suspicions(description: Description, source: str) -> list[str]:
    """A warning for each name that rules wait for and that nothing produces."""
    found = list(_shared_states(description))
    threads: dict[str, list[str]] = {}
    for block in description.blocks:
        for warning in _symbols(block):
            threads.setdefault(warning, []).append(block.name)
    for warning, names in threads.items():
        found.append(f"{plural(len(names), 'thread')} {listed(names)}: {warning}")
    return [f"{source}: {warning}" for warning in found]


def _shared_states(description: Description) -> Iterator[str]:
    rules = [rule for block in description.blocks for rule in block.rules]
    entered = {description.initial, *(rule.target for rule in rules)}
    awaited = dict.fromkeys(rule.source for rule in rules)
    for name in awaited:
        if name not in entered:
            close = closest(name, entered.difference(awaited))
            other = f"; some lead to '{shown(close)}', which none waits for" if close else ""
            yield f"rules wait for the shared state '{shown(name)}', but none leads to it{other}"


def _symbols(block: Block) -> Iterator[str]:
    """Warnings about the stack of a thread."""
    written = {*block.stack, *(symbol for rule in block.rules for symbol in rule.word)}
    taken = dict.fromkeys(rule.top for rule in block.rules if rule.top is not None)
    for name in taken:
        if name not in written:
            close = closest(name, written.difference(taken))
            other = f"; '{shown(close)}' is put there, and no rule takes it" if close else ""
            yield f"rules take '{shown(name)}', but nothing ever puts it on top of the stack{other}"
    if block.rules and block.stack and block.stack[0] not in taken:
        hint = did_you_mean(block.stack[0], taken)
        yield f"no rule takes '{shown(block.stack[0])}', the top of the initial stack{hint}"
