"""The words of one line, and a cursor that reads them and says what it expected.

All formats share these words: bare names, quoted names, the signs `-> | , . - * { }`, and comments
from `#` to the end of the line. A bare name starts with a letter, a digit or `_` and has no dot
in it, so that a dot can separate the symbols of a stack in `q|a.b,c`; any other name is quoted.
A `-` inside a bare name belongs to it, except where it starts `->`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tepui.errors import InputError
from tepui.languages.source import Source
from tepui.words import did_you_mean, shown

NAME = "a name"
QUOTED = "a quoted name"
STRAY = "a stray character"
END = "the end of the line"

MAX_DIGITS = 18


class Token(NamedTuple):
    """A word of a line: NAME, QUOTED, STRAY, END, or a sign, which is its own kind."""

    kind: str
    text: str
    column: int

    @property
    def is_name(self) -> bool:
        return self.kind in (NAME, QUOTED)

    def found(self) -> str:
        """The token as error messages show it."""
        return END if self.kind is END else f"'{shown(self.text)}'"


class Line:
    """A cursor over the tokens of one line of a source."""

    __slots__ = ("_next", "_tokens", "number", "source")

    def __init__(self, source: Source, number: int) -> None:
        self.source = source
        self.number = number
        self._tokens = _tokenize(source, number)
        self._next = 0

    @property
    def is_blank(self) -> bool:
        return self._tokens[0].kind is END

    @property
    def place(self) -> str:
        return f"{self.source.name}:{self.number}"

    def peek(self, ahead: int = 0) -> Token:
        """The token `ahead` of the next one, or the end of the line."""
        return self._tokens[min(self._next + ahead, len(self._tokens) - 1)]

    def take(self) -> Token:
        token = self.peek()
        self._next += 1
        return token

    def accept(self, kind: str) -> Token | None:
        """The next token if it is of this kind."""
        return self.take() if self.peek().kind == kind else None

    def at_word(self, word: str) -> bool:
        """Whether the next token is this word, written without quotes."""
        token = self.peek()
        return token.kind is NAME and token.text == word

    def expect(self, kind: str, where: str) -> Token:
        if self.peek().kind != kind:
            raise self.expected(f"{kind if kind is END else repr(kind)} {where}")
        return self.take()

    def expect_name(self, what: str) -> Token:
        if not self.peek().is_name:
            raise self.expected(what)
        return self.take()

    def expect_count(self, most: int, what: str) -> int:
        """A positive number that is not too large."""
        token = self.peek()
        number = plain_number(token.text) if token.kind is NAME else None
        if number is None or len(number) > MAX_DIGITS or not 1 <= int(number) <= most:
            raise self.expected(f"{what} (1 to {most})")
        self.take()
        return int(number)

    def expected(self, what: str, known: Iterable[str] = ()) -> InputError:
        """The error that the next token is not an expected one, with a hint at a known word."""
        token = self.peek()
        hint = did_you_mean(token.text, known) if token.is_name else ""
        return self.error(token, f"expected {what}, found {token.found()}{hint}")

    def error(self, token: Token, message: str) -> InputError:
        return self.source.error(self.number, token.column, message)


def lines_with_content(source: Source) -> Iterator[Line]:
    """The lines of a source that hold more than blanks and comments."""
    for number in range(1, len(source.lines) + 1):
        line = Line(source, number)
        if not line.is_blank:
            yield line


def plain_number(text: str) -> str | None:
    """A decimal number without its leading zeros; None if the text is not one."""
    if text.isascii() and text.isdigit():
        return text.lstrip("0") or "0"
    return None


def write_name(name: str) -> str:
    """A name as `Line` reads it back: bare where that is possible, else quoted."""
    if _BARE_NAME.fullmatch(name):
        return name
    return '"' + "".join(_ESCAPES.get(character, character) for character in name) + '"'


_BARE = r"[A-Za-z0-9_](?:[A-Za-z0-9_:'@$/\[\]()=+~!?&]|-(?!>))*"
_BARE_NAME = re.compile(_BARE)
_TOKEN = re.compile(
    rf"""\s*(?:(?P<name>{_BARE})
    |(?P<sign>->|[-|,.*{{}}])
    |"(?P<quoted>(?:[^"\\]|\\.)*)"
    |(?P<stray>"|[^\s\#"A-Za-z0-9_|,.*{{}}-]+))""",
    re.VERBOSE,
)
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNESCAPES = {escape: character for character, escape in _ESCAPES.items()}


def _tokenize(source: Source, number: int) -> list[Token]:
    line = source.lines[number - 1]
    tokens = []
    position = 0
    while match := _TOKEN.match(line, position):
        position = match.end()
        group = match.lastgroup or ""
        text = match[group]
        column = match.start(group) + 1
        if group == "name":
            tokens.append(Token(NAME, text, column))
        elif group == "sign":
            tokens.append(Token(text, text, column))
        elif group == "quoted":
            tokens.append(Token(QUOTED, _unquote(source, number, text, column), column - 1))
        elif text == '"':
            raise source.error(number, column, "the quotes opened here are not closed")
        else:
            tokens.append(Token(STRAY, text, column))
    tokens.append(Token(END, "", position + 1))
    return tokens


def _unquote(source: Source, number: int, text: str, column: int) -> str:
    """The name between two quotes, whose first character is at `column`."""
    if "\\" not in text:
        return text
    characters = []
    position = 0
    while position < len(text):
        width = 2 if text[position] == "\\" else 1
        part = text[position : position + width]
        if width == 2 and part not in _UNESCAPES:
            raise source.error(
                number,
                column + position,
                f"unknown escape '{shown(part)}'; known are \\\" \\\\ \\n \\r \\t",
            )
        characters.append(_UNESCAPES.get(part, part))
        position += width
    return "".join(characters)
