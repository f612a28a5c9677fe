"""Regular expressions over stack symbols, as docs/automata.md has them, and a naive matcher."""

from __future__ import annotations

import re
from dataclasses import dataclass


class PatternError(Exception):
    """The text is no pattern."""


@dataclass(frozen=True)
class Node:
    """A part of a pattern: `symbol`, `any`, `empty`, `row`, `either`, or one of * + ?."""

    kind: str
    name: str = ""
    parts: tuple[Node, ...] = ()

    def names(self) -> frozenset[str]:
        """The symbols that the pattern names."""
        own = {self.name} if self.kind == "symbol" else set()
        return frozenset(own.union(*(part.names() for part in self.parts)))

    def ends(self, word: tuple[str, ...], start: int) -> set[int]:
        """Where a match that begins at `start` can end."""
        if self.kind == "empty":
            return {start}
        if self.kind in ("symbol", "any"):
            fits = start < len(word) and self.kind == "any"
            fits = fits or (start < len(word) and word[start] == self.name)
            return {start + 1} if fits else set()
        if self.kind == "either":
            return set().union(*(part.ends(word, start) for part in self.parts))
        if self.kind == "row":
            found = {start}
            for part in self.parts:
                found = set().union(*(part.ends(word, at) for at in found))
            return found
        once = self.parts[0].ends(word, start)
        if self.kind == "?":
            return once | {start}
        found = set(once)
        while True:
            more = found.union(*(self.parts[0].ends(word, at) for at in found))
            if more == found:
                return found | {start} if self.kind == "*" else found
            found = more

    def matches(self, word: tuple[str, ...]) -> bool:
        """Whether the whole word is in the set."""
        return len(word) in self.ends(word, 0)


_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_:'@$/\[\]=~!&-]*")
_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
Token = tuple[str, str]  # "name" and the name, or the mark twice


def tokens_of(text: str) -> list[Token]:
    """Names, and the marks | , . - ( ) * + ? < >."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        if text[at] in " \t":
            at += 1
        elif text[at] == '"':
            name, at = "", at + 1
            while at < len(text) and text[at] != '"':
                if text[at] == "\\":
                    at += 1
                    if at >= len(text) or text[at] not in _ESCAPES:
                        raise PatternError("no such escape")
                    name += _ESCAPES[text[at]]
                else:
                    name += text[at]
                at += 1
            if at >= len(text):
                raise PatternError("the quotes do not end")
            found.append(("name", name))
            at += 1
        elif match := _NAME.match(text, at):
            found.append(("name", match.group()))
            at = match.end()
        elif text[at] in "|,.-()*+?<>":
            found.append((text[at], text[at]))
            at += 1
        else:
            raise PatternError(f"unknown character {text[at]!r}")
    return found


class Reader:
    """Reads patterns from the left."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens, self.at = tokens, 0

    def kind(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def take(self, kind: str) -> str:
        if self.kind() != kind:
            raise PatternError(f"expected {kind}")
        self.at += 1
        return self.tokens[self.at - 1][1]

    def either(self) -> Node:
        parts = [self.row()]
        while self.kind() == "|":
            self.at += 1
            parts.append(self.row())
        return parts[0] if len(parts) == 1 else Node("either", parts=tuple(parts))

    def row(self) -> Node:
        parts = [self.item()]
        while self.kind() in ("name", ".", "-", "("):
            parts.append(self.item())
        return parts[0] if len(parts) == 1 else Node("row", parts=tuple(parts))

    def item(self) -> Node:
        if self.kind() == "(":
            self.at += 1
            node = self.either()
            self.take(")")
        elif self.kind() == ".":
            self.at += 1
            node = Node("any")
        elif self.kind() == "-":
            self.at += 1
            node = Node("empty")
        else:
            node = Node("symbol", self.take("name"))
        while self.kind() in ("*", "+", "?") and self.kind():
            node = Node(self.take(self.kind()), parts=(node,))
        return node

    def shared(self) -> str | None:
        if self.kind() == "*":
            self.at += 1
            return None
        return self.take("name")

    def stack(self) -> Node | None:
        """A pattern, or a lone * for any stack (None)."""
        after = self.tokens[self.at + 1][0] if self.at + 1 < len(self.tokens) else ""
        if self.kind() == "*" and after in ("", ",", ">"):
            self.at += 1
            return None
        return self.either()


def parse_reach(text: str) -> tuple[str | None, tuple[Node | None, ...]]:
    """`shared | pattern, pattern`."""
    reader = Reader(tokens_of(text))
    shared = reader.shared()
    reader.take("|")
    stacks = [reader.stack()]
    while reader.kind() == ",":
        reader.at += 1
        stacks.append(reader.stack())
    if reader.kind():
        raise PatternError("expected the end")
    return shared, tuple(stacks)


def parse_configurations(text: str) -> tuple[str | None, Node | None]:
    """`shared, pattern`, with or without < and > around it."""
    reader = Reader(tokens_of(text))
    closed = reader.kind() == "<"
    reader.at += closed
    shared = reader.shared()
    reader.take(",")
    stack = reader.stack()
    if closed:
        reader.take(">")
    if reader.kind():
        raise PatternError("expected the end")
    return shared, stack
