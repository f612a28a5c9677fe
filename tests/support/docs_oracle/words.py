"""Words of a text, for both parsers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from support.docs_oracle.tree import Refused

COMMENT = r"//[^\n]*|/\*.*?\*/"
OPERATOR = (
    r">>>=|<<=|>>=|>>>|<<|>>|\+\+|--|[-+*/%&|^]=|:=|\.\.|=>|==|!=|<=|>=|&&|\|\|"
    r"|[-+*/%=<>!~&|^?:;,(){}\[\]'.$#]"
)


@dataclass(frozen=True)
class Word:
    """kind is name, number, operator or end."""

    kind: str
    text: str
    line: int


def words(text: str, name: str) -> list[Word]:
    """Cut a text into words; `name` is what a name looks like."""
    pattern = re.compile(
        rf"(?P<skip>\s+|{COMMENT})|(?P<name>{name})|(?P<number>0[xX][0-9A-Fa-f]+|[0-9]+)|(?P<operator>{OPERATOR})",
        re.DOTALL,
    )
    found: list[Word] = []
    line, place = 1, 0
    while place < len(text):
        match = pattern.match(text, place)
        if match is None:
            raise Refused(f"line {line}: {text[place]!r} is no word")
        kind = match.lastgroup or "skip"
        if kind != "skip":
            found.append(Word(kind, match.group(), line))
        line += match.group().count("\n")
        place = match.end()
    found.append(Word("end", "", line))
    return found


class Reader:
    """Reads one word after the other."""

    def __init__(self, found: list[Word]) -> None:
        self.words = found
        self.place = 0

    @property
    def word(self) -> Word:
        """The next word."""
        return self.words[self.place]

    def ahead(self, count: int) -> Word:
        """The word behind the next `count` ones."""
        return self.words[min(self.place + count, len(self.words) - 1)]

    def take(self) -> Word:
        """The next word, and go on."""
        word = self.word
        self.place = min(self.place + 1, len(self.words) - 1)
        return word

    def sees(self, *texts: str) -> bool:
        """Whether the next word is one of these."""
        return self.word.kind != "end" and self.word.text in texts

    def accept(self, *texts: str) -> bool:
        """Go on if the next word is one of these."""
        if self.sees(*texts):
            self.take()
            return True
        return False

    def expect(self, text: str) -> Word:
        """Take exactly this word."""
        if not self.sees(text):
            raise self.wrong(text)
        return self.take()

    def number(self) -> int:
        """A number without a sign."""
        if self.word.kind != "number":
            raise self.wrong("a number")
        text = self.take().text
        return int(text, 16) if text[1:2] in ("x", "X") else int(text)

    def wrong(self, wanted: str) -> Refused:
        """What to raise here."""
        return Refused(f"line {self.word.line}: expected {wanted}, found {self.word.text!r}")
