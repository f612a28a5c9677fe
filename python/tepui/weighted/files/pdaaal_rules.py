"""The rules of PDAAAL's files, as the kernel reads them: all at once, and as numbers.

The kernel finds the value of `states` in a text and reads it, unless there is anything unusual
about it. It knows only what is correct, and says nothing about what is not. What is left of the
text, with no states in their place, is a small document, and is read like any other.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tepui.errors import InputError
from tepui.kernels.door import PdaaalRules
from tepui.languages.source import Source
from tepui.limits import require_room
from tepui.weighted.files.documents import Document, Value
from tepui.weighted.system import PackedRules

NO_WEIGHTS = ("none", "void", "bool")

BYTES_OF_A_RULE = 130
"""How much memory it takes for a moment to write out a rule."""


TIMES_THE_TEXT = 2
"""How much memory it takes to read rules, for each character of them."""


class UnusualError(Exception):
    """The rules are not what the rest of the file promises."""


@dataclass(frozen=True)
class QuickPda:
    """A pushdown automaton whose rules are in the kernel."""

    rules: PdaaalRules
    weights: str
    """The type of its weights."""
    names: Sequence[str]
    """The names of its states, by their numbers in the kernel."""
    labels: Sequence[str]

    @cached_property
    def states(self) -> dict[str, None]:
        """Its states: first those that have an entry in the file."""
        entries = map(self.names.__getitem__, self.rules.entries)
        return dict.fromkeys(entries) | dict.fromkeys(self.names)

    @property
    def named(self) -> bool:
        """Whether its states have names, and not just numbers."""
        return self.rules.named

    @property
    def least(self) -> int | None:
        """The least weight, if there are weights."""
        return self.rules.least

    def written_out(self, labels: Sequence[str]) -> PackedRules[Any]:
        """The rules, given all labels, which begin with its own."""
        require_room(BYTES_OF_A_RULE * (self.rules.count_written(len(labels)) or 0))
        written = self.rules.written_out(len(labels))
        if written is None:
            raise UnusualError
        states, symbols, *packed = written
        numbers, words, costs = map(_unpacked, "IIq", packed)
        weights: Sequence[Any] = costs or [True] * (len(numbers) // 5)
        return PackedRules(
            tuple(map(self.names.__getitem__, states)),
            tuple(map(labels.__getitem__, symbols)),
            numbers,
            words,
            weights,
        )


@dataclass(frozen=True)
class Scanned:
    """Rules in the kernel, before it is known what they should be."""

    rules: PdaaalRules

    def pda(self, value: Value, weights: str, named: bool | None) -> QuickPda:
        """The automaton that a file describes, with weights of a type, or «unknown» ones, and with
        names for states, if that is known."""
        value.members("a pushdown automaton")
        rules, least = self.rules, self.rules.least
        if named not in (None, rules.named):
            raise UnusualError
        if weights == "unknown":
            weights = "none" if least is None else "int"
        elif rules.rules and (least is None) is not (weights in NO_WEIGHTS):
            raise UnusualError
        if weights == "uint" and least is not None and least < 0:
            raise UnusualError
        require_room(BYTES_OF_A_RULE * rules.rules)
        return QuickPda(rules, weights, rules.states, rules.labels)


def scanned(source: Source) -> tuple[Document, Scanned] | None:
    """The document without the states of its automaton, and those; None if that is not possible.
    An InputError about the document does not say the right place."""
    text = "\n".join(source.lines)
    require_room(TIMES_THE_TEXT * len(text))
    try:
        rules = PdaaalRules.read(text)
    except UnicodeEncodeError:
        return None
    if rules is None:
        return None
    begin, end = rules.place
    if text.isascii():  # Then bytes are characters, and a large text is not copied.
        rest = text[:begin] + "{}" + text[end:]
    else:
        data = text.encode()
        rest = (data[:begin] + b"{}" + data[end:]).decode()
    try:
        document = Document.of_text(rest, source.name)
    except InputError:
        return None
    is_clear = isinstance(document.content, dict) and len(_KEYS & document.content.keys()) == 1
    return (document, Scanned(rules)) if is_clear else None


_KEYS = {"pda", "instance"}


def _unpacked(kind: str, data: bytes) -> array[int]:
    numbers = array(kind)
    numbers.frombytes(data)
    return numbers
