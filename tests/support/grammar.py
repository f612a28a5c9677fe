"""Grammars as the docs write them: sentences that they allow, and whether they allow a text.

`"x"` is a word, `{ … }` any number of times, `[ … ]` perhaps, `( … | … )` a choice; all else is the
name of a rule, or one of `name`, `number`, `bit` and `thread`. Texts are recognised by Earley's
algorithm, which needs nothing but the grammar.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

Production = tuple[str, ...]
_Item = tuple[str, Production, int, int]
"""A rule, one of its productions, how far that was read, and where it began."""

_SAMPLES = {
    "name": ["x", "y", "f", "main", "a_1"],
    "number": ["0", "1", "2", "17"],
    "bit": ["0", "1"],
    "thread": ["thread"],
}


@dataclass
class Grammar:
    """For each rule its productions. A terminal is a word in quotes, or one of the samples."""

    rules: dict[str, list[Production]] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    """How many words each rule has at least."""

    @classmethod
    def of(cls, text: str) -> Grammar:
        grammar = cls()
        for rule in re.split(r"\n(?=\S)", text.strip()):
            name, _, right = rule.partition("=")
            words = re.findall(r'"[^"]+"|[\w]+|[\[\]{}()|]', right)
            grammar.rules[name.strip()] = grammar._choice(words)
            assert not words, f"{name} has {words} left"
        grammar.lengths = dict.fromkeys(grammar.rules, 1000)
        for _ in grammar.rules:
            for name, productions in grammar.rules.items():
                grammar.lengths[name] = min(map(grammar._least, productions))
        return grammar

    def _choice(self, words: list[str]) -> list[Production]:
        found = [self._sequence(words)]
        while words and words[0] == "|":
            words.pop(0)
            found.append(self._sequence(words))
        return found

    def _sequence(self, words: list[str]) -> Production:
        parts: list[str] = []
        while words and words[0] not in ("|", ")", "]", "}"):
            word = words.pop(0)
            if word in ("(", "[", "{"):
                inner = self._choice(words)
                words.pop(0)
                part = f"part {len(self.rules)}"
                self.rules[part] = []
                if word == "{":
                    inner = [(*production, part) for production in inner]
                self.rules[part] = inner if word == "(" else [(), *inner]
                word = part
            parts.append(word)
        return tuple(parts)

    def sentence(self, chance: random.Random, size: int, start: str = "program") -> list[str]:
        """A random sentence of about `size` words."""
        waiting, words = [start], list[str]()
        while waiting:
            symbol = waiting.pop()
            if symbol not in self.rules:
                words.append(symbol[1:-1] if symbol[0] == '"' else chance.choice(_SAMPLES[symbol]))
                continue
            choices = self.rules[symbol]
            if len(words) + len(waiting) > size:
                least = min(self._least(production) for production in choices)
                choices = [one for one in choices if self._least(one) == least]
            waiting += reversed(chance.choice(choices))
        return words

    def _least(self, production: Production) -> int:
        """How many words a production has at least."""
        return sum(self.lengths.get(symbol, 1) for symbol in production)

    def allows(self, words: list[str], keywords: frozenset[str], start: str = "program") -> bool:
        """Whether the words are a sentence."""
        column = dict.fromkeys((start, one, 0, 0) for one in self.rules[start])
        columns: list[dict[_Item, None]] = [column]
        for word in [*words, ""]:
            self._complete(columns)
            found = {
                (name, production, dot + 1, origin): None
                for name, production, dot, origin in columns[-1]
                if dot < len(production) and _is(production[dot], word, keywords)
            }
            columns.append(found)
        return any(
            name == start and dot == len(production) and origin == 0
            for name, production, dot, origin in columns[-2]
        )

    def _complete(self, columns: list[dict[_Item, None]]) -> None:
        """Add to the last column what follows from it: rules that begin, and rules that end."""
        place = len(columns) - 1
        column = columns[place]
        waiting, empty = list(column), set[str]()
        while waiting:
            name, production, dot, origin = waiting.pop()
            following: list[_Item] = []
            if dot == len(production):
                if origin == place:
                    empty.add(name)
                following = [
                    (other, one, at + 1, begin)
                    for other, one, at, begin in columns[origin]
                    if at < len(one) and one[at] == name
                ]
            elif production[dot] in self.rules:
                symbol = production[dot]
                following = [(symbol, one, 0, place) for one in self.rules[symbol]]
                if symbol in empty:
                    following.append((name, production, dot + 1, origin))
            new = [item for item in following if item not in column]
            column.update(dict.fromkeys(new))
            waiting += new


def _is(symbol: str, word: str, keywords: frozenset[str]) -> bool:
    """Whether a word is what a terminal stands for."""
    match symbol:
        case "name":
            return word not in keywords and re.fullmatch(r"[A-Za-z_]\w*", word) is not None
        case "number":
            return word.isdecimal()
        case "bit":
            return word in ("0", "1")
        case "thread":
            return word == "thread"
    return symbol == f'"{word}"'
