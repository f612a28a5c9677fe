"""The words and signs of a Boolean program, by one regular expression for each syntax.

The kind of a keyword or a sign is its text. The other kinds are NAME, NUMBER, STRAY (a character
that begins no word or sign, or a comment that is not closed) and END.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from tepui.languages.source import Source
from tepui.program.program import Position
from tepui.records import record

NAME, NUMBER, STRAY, END = "NAME", "NUMBER", "STRAY", "END"

COMMENT = r"//[^\n]*|/\*[\s\S]*?\*/"

_NAME_GROUP, _NUMBER_GROUP, _SIGN_GROUP = 1, 2, 3


@record
class Vocabulary:
    """The words of one syntax: its keywords, and the expression that finds all words."""

    keywords: frozenset[str]
    word: str
    """What finds a name, a number or a sign."""
    pattern: re.Pattern[str]


def vocabulary(keywords: str, signs: str, name: str, number: str) -> Vocabulary:
    """The vocabulary with these keywords and signs, and with names and numbers of this form."""
    longest_first = sorted(signs.split(), key=len, reverse=True)
    sign = "|".join(map(re.escape, longest_first))
    blanks = rf"(?:\s|{COMMENT})*+"
    pattern = rf"{blanks}(?:({name})|({number})|((?!/\*)(?:{sign}))|(/\*[\s\S]*|.)|\Z)"
    word = f"{name}|{number}|{sign}"
    return Vocabulary(frozenset(keywords.split()), word, re.compile(pattern))


class Words:
    """The words of a text: for each one its kind, its text, and where it starts.

    Behind the last word stand two of the kind END, so that one can always look ahead.
    """

    __slots__ = ("_lines", "_name", "_positions", "kinds", "source", "starts", "text", "texts")

    def __init__(self, source: Source, known: Vocabulary) -> None:
        self.source = source
        self.text = "\n".join(source.lines)
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self._name = source.name
        self._lines = _line_starts(source.lines)
        self._positions: dict[int, Position] = {}
        self._read(known)

    def _read(self, known: Vocabulary) -> None:
        keywords = known.keywords
        kinds, texts, starts = self.kinds, self.texts, self.starts
        for match in known.pattern.finditer(self.text):
            group = match.lastindex
            if group is None:  # Blanks at the end.
                break
            word = match[group]
            if group == _NAME_GROUP:
                kinds.append(word if word in keywords else NAME)
            elif group == _SIGN_GROUP:
                kinds.append(word)
            else:
                kinds.append(NUMBER if group == _NUMBER_GROUP else STRAY)
            texts.append(word)
            starts.append(match.start(group))
        kinds += [END, END]
        texts += ["", ""]
        starts += [len(self.text)] * 2

    def position(self, index: int) -> Position:
        """Where a word stands. A statement and its first name ask for the same one."""
        found = self._positions.get(index)
        if found is None:
            start = self.starts[index]
            line = bisect_right(self._lines, start)
            found = Position(self._name, line, start - self._lines[line - 1] + 1)
            self._positions[index] = found
        return found

    def end(self, index: int) -> int:
        """Where a word ends, counted in characters."""
        return self.starts[index] + len(self.texts[index])

    def opens_line(self, index: int) -> bool:
        """Whether a word is the first one of its line."""
        return index == 0 or "\n" in self.text[self.end(index - 1) : self.starts[index]]


def _line_starts(lines: Iterable[str]) -> list[int]:
    starts, start = [], 0
    for line in lines:
        starts.append(start)
        start += len(line) + 1
    return starts
