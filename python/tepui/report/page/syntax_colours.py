"""Syntax colours: which words of a text are keywords, numbers, quoted names or comments.

The keywords of Boolean programs are read from their grammars, so that there is no second list of
them. In the files of systems a keyword is one only where a line begins, since names are free.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from tepui.languages.boolean import is_begin_end
from tepui.languages.boolean.beginend_expressions import BEGIN_END
from tepui.languages.boolean.braces_expressions import BRACES
from tepui.languages.source import Source, suffix_of
from tepui.records import record
from tepui.report.markup import Html, element, plain

CODE_LIGHT: Mapping[str, str] = {
    "keyword": "#7b2ea8",
    "number": "#0a6467",
    "string": "#8a4a00",
    "comment": "#565f6e",
}

CODE_DARK: Mapping[str, str] = {
    "keyword": "#d3a8ff",
    "number": "#7fd6cd",
    "string": "#f0bf7a",
    "comment": "#b3bccb",
}


@record
class Syntax:
    """How the words of a language are found."""

    words: re.Pattern[str]
    """Each group is called by the kind of its words: keyword, number, string, comment or name."""
    keywords: frozenset[str] = frozenset()
    """The names that are keywords."""

    def lines(self, lines: Sequence[str]) -> list[Html]:
        """A text line by line, in colours."""
        coloured: list[list[Html]] = [[]]
        for text, kind in self._pieces("\n".join(lines)):
            for number, part in enumerate(text.split("\n")):
                if number:
                    coloured.append([])
                if part:
                    coloured[-1].append(_in_colour(part, kind))
        return [Html("".join(pieces)) for pieces in coloured][: len(lines)]

    def line(self, text: str) -> Html:
        """One line in colours."""
        return Html("".join(_in_colour(part, kind) for part, kind in self._pieces(text)))

    def _pieces(self, text: str) -> Iterator[tuple[str, str | None]]:
        """The text in pieces, each with its kind."""
        end = 0
        for match in self.words.finditer(text):
            kind = match.lastgroup
            if kind == "name" and match[0] in self.keywords:
                kind = "keyword"
            elif kind == "name" and match[0] in _CONSTANTS:
                kind = "number"
            if kind != "name":
                yield text[end : match.start()], None
                yield match[0], kind
                end = match.end()
        yield text[end:], None


def syntax_of(file: str, lines: Sequence[str]) -> Syntax:
    """The syntax of a file of a program."""
    return JAVA if suffix_of(file) in (".java", ".class") else program_syntax(lines)


def program_syntax(lines: Sequence[str]) -> Syntax:
    """The syntax of a Boolean program, which is written in braces or with begin and end."""
    begins = is_begin_end(Source.of_text("\n".join(lines), ""))
    return _boolean("beginend" if begins else "braces")


@cache
def _boolean(grammar: str) -> Syntax:
    keywords = BRACES.keywords if grammar == "braces" else BEGIN_END.keywords
    words = re.compile(f"{_COMMENT}|(?P<name>{_NAMES[grammar]})|{_NUMBER}")
    return Syntax(words, keywords - _CONSTANTS - {"_"})


_CONSTANTS = frozenset({"T", "F", "true", "false"})
_COMMENT = r"(?P<comment>//[^\n]*|/\*[\s\S]*?(?:\*/|\Z))"
_NUMBER = "(?P<number>0[xX][0-9A-Fa-f]+|[0-9]+)"
_NAMES = {
    "braces": r"[A-Za-z_$][A-Za-z0-9_$]*",
    "beginend": r"[$A-Za-z_][A-Za-z0-9_$#-]*|\{[^{}\n]+\}",
}

_JAVA_KEYWORDS = """
abstract assert boolean break byte case catch char class const continue default do double else enum
extends final finally float for goto if implements import instanceof int interface long native new
package private protected public record return short static strictfp super switch synchronized this
throw throws transient try void volatile while
"""

JAVA = Syntax(
    re.compile(
        _COMMENT
        + r'''|(?P<string>"""(?:[^\\]|\\.)*?(?:"""|\Z)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')'''
        + r"|(?P<name>[A-Za-z_$][A-Za-z0-9_$]*)"
        + r"|(?P<number>0[xXbB][0-9A-Fa-f_]+[lL]?|[0-9][0-9_.]*[lLfFdD]?)"
    ),
    frozenset(_JAVA_KEYWORDS.split()),
)
"""Sources of Java."""

SYSTEMS = Syntax(
    re.compile(
        r"""(?P<comment>\#[^\n]*)
        |(?P<string>"(?:[^"\\\n]|\\.)*")
        |(?P<keyword>^[ \t]*(?:shared|initial|thread|stack|bad|PDA)(?![^\s{])
            |(?<=bad[ ])deadlock\b|->)""",
        re.VERBOSE | re.MULTILINE,
    )
)
"""The files of systems, `.cpds` and `.pds`."""

RULES = Syntax(re.compile("(?P<keyword>→)"))
"""Rules as a trace has them, with names of any kind."""


def _in_colour(text: str, kind: str | None) -> Html:
    return plain(text) if kind is None else element("span", text, class_=f"code-{kind}")
