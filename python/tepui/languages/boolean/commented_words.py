"""The words of a program in braces with the comments around them, for the formatter.

A comment belongs to the word before it if it starts on the same line, else to the word after it.
The last word is an empty one, which holds the comments at the end of the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tepui.languages.boolean.braces_expressions import BRACES
from tepui.languages.boolean.lexer import COMMENT
from tepui.records import field, mutable_record


@mutable_record
class Comment:
    """A comment with its signs; `after_blank` if an empty line stands before it."""

    text: str
    after_blank: bool

    @property
    def is_inline(self) -> bool:
        """Whether other words may follow on the same line."""
        return self.text.startswith("/*") and "\n" not in self.text


@mutable_record
class Word:
    """A word or sign. `after_blank` says that an empty line is before it, `opens_line` that it is
    the first word of its line."""

    text: str
    after_blank: bool = False
    opens_line: bool = False
    before: list[Comment] = field(default_factory=list)
    after: list[Comment] = field(default_factory=list)

    @property
    def is_operand(self) -> bool:
        """Whether it is a name, a number or a constant."""
        return bool(_OPERAND.match(self.text)) and self.text not in _KEYWORDS


_KEYWORDS = BRACES.keywords - {"true", "false", "T", "F", "_"}


def words_of(text: str) -> list[Word]:
    """The words of a text that follows the grammar."""
    words: list[Word] = []
    comments: list[Comment] = []
    lines = 0
    for match in _WORD.finditer(text):
        part = match[0]
        if match.lastgroup == "blank":
            lines += part.count("\n")
        elif match.lastgroup == "comment":
            comment = Comment(_tidy(part), lines > 1)
            if lines or not words or comments:
                comments.append(comment)
            else:
                words[-1].after.append(comment)
            lines = 0
        else:
            words.append(Word(part, lines > 1, lines > 0, comments))
            comments, lines = [], 0
    return _without_empty_statements([*words, Word("", before=comments)])


_WORD = re.compile(rf"(?P<blank>\s+)|(?P<comment>{COMMENT})|(?P<word>{BRACES.word})")
_OPERAND = re.compile(r"[A-Za-z0-9_$]")


def _tidy(comment: str) -> str:
    return "\n".join(line.rstrip() for line in comment.split("\n"))


def _without_empty_statements(words: Sequence[Word]) -> list[Word]:
    """The words without superfluous semicolons, whose comments go to the next word."""
    kept: list[Word] = []
    waiting: list[Comment] = []
    in_enumeration = False
    at_statement = True
    brackets = 0
    for word in words:
        if word.text == ";" and at_statement:
            waiting += [*word.before, *word.after]
            continue
        if word.text == "{":
            in_enumeration = kept[-1].text == "enum"
        brackets += (word.text == "(") - (word.text == ")")
        at_statement = word.text in (";", "{", "}") and not in_enumeration and not brackets
        if word.text == "}":
            in_enumeration = False
        word.before = waiting + word.before
        waiting = []
        kept.append(word)
    return kept
