"""Hints for programs in braces that are written as in C or Python: what those languages have and
these programs lack, or write differently.

`hints` is about misspelt words, and about threads that are forked and joined.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tepui.languages.boolean.hints import is_name, lock_hint, name_before, words_read
from tepui.words import shown

if TYPE_CHECKING:
    from lark.exceptions import UnexpectedToken
    from lark.lexer import Token

_LOOP = "; the only loop is 'while (x) { … }'"
_ELSE = "; write 'else if (x) { … }'"
_WORDS: dict[str, str] = {
    "and": "; write '&&' for 'and'",
    "break": "; there is no 'break': leave the loop with 'goto'",
    "continue": "; there is no 'continue': go to a label at the end of the loop with 'goto'",
    "do": _LOOP,
    "elif": _ELSE,
    "elsif": _ELSE,
    "for": _LOOP,
    "not": "; write '!' for 'not'",
    "or": "; write '||' for 'or'",
    "pass": "; write 'skip;' for 'pass'",
    "then": "; leave out 'then', as in 'if (x) { … }'",
}
_TYPES = {"BOOL": "bool", "INT": "int", "ENUM": "enum {A, B}"}
"""The terminals that begin a type, each with an example."""

_NO_DIVISION = "; there is no division, and no remainder"
_CHARACTERS = {
    "#": "; a comment begins with '//'",
    "%": _NO_DIVISION,
    "/": f"{_NO_DIVISION}; a comment begins with '//'",
}


def character_hint(character: str) -> str:
    """What is meant by a character that begins no word or sign."""
    return _CHARACTERS.get(character, "")


def habit_hint(trouble: UnexpectedToken, text: str) -> str:
    """What is meant where another language would go on as this text does."""
    return (
        _word_hint(trouble)
        or _call_hint(trouble)
        or _order_hint(trouble, text)
        or _address_hint(trouble)
    )


def type_hint(trouble: UnexpectedToken) -> str:
    """The types, for one that does not exist and is like none that does."""
    if not is_name(trouble.token) or _last(trouble) != ":" or "BOOL" not in _accepted(trouble):
        return ""
    return "; the types are bool, int 0..7, enum {A, B} and thread, and arrays such as bool[3]"


def declaration_hint(name: str, kind: str, rest: str) -> str:
    """How to declare a variable that is declared as in C; the rest of the text follows its name.

    A range is part of the hint: an integer without one is for a single analysis only.
    """
    value = re.match(r":?=\s*(-?[0-9]{1,9})\b", rest)
    number = int(value[1]) if value else 0
    if kind == "int":
        kind = f"int {min(0, number)}..{max(7, number)}"
    initial = f" := {number}" if value else ""
    return f"; a variable is declared as in 'decl {shown(name)}: {kind}{initial};'"


def _word_hint(trouble: UnexpectedToken) -> str:
    """The word that is found, or the one before it."""
    stack = words_read(trouble)
    opened = max((place for place, part in enumerate(stack) if part == "("), default=0)
    if opened and stack[opened - 1] == "for":
        return _LOOP
    return _WORDS.get(trouble.token) or _WORDS.get(name_before(trouble) or "", "")


def _call_hint(trouble: UnexpectedToken) -> str:
    """For a call inside an expression, or one that an expression goes on after."""
    token, last = trouble.token, _last(trouble)
    inside = token == "(" and is_name(last) and "PLUS" in _accepted(trouble)
    before = token.type in _OPERATORS and last == ")" and ":=" in words_read(trouble)[-6:]
    return "; a call is a statement of its own, as in 't := f(x);'" if inside or before else ""


_OPERATORS = {
    *("QUESTION", "IMPLIES", "OR", "XOR", "AND", "EQUAL", "LESS", "GREATER", "AT_MOST"),
    *("AT_LEAST", "PLUS", "MINUS", "TIMES"),
}


def _order_hint(trouble: UnexpectedToken, text: str) -> str:
    """For a type in front of a name, and for a length after it."""
    token, last, accepted = trouble.token, _last(trouble), _accepted(trouble)
    if token.type in _TYPES and "NAME" in accepted:
        return _type_first_hint(token, last, text)
    if token == "[" and is_name(last) and "COLON" in accepted:
        return f"; an array is declared as in 'decl {shown(last)}: bool[3];'"
    return ""


def _type_first_hint(token: Token, last: object, text: str) -> str:
    named = re.match(r"\s+([A-Za-z_$][\w$]*)\s*", text[token.end_pos :])
    name = named[1] if named else "x"
    if last == "decl":
        rest = text[token.end_pos :][named.end() :] if named else ""
        return declaration_hint(name, _TYPES[token.type], rest)
    kind = "int 0..3" if token.type == "INT" else _TYPES[token.type]
    return f"; the type of a parameter comes after its name, as in '{shown(name)}: {kind}'"


def _address_hint(trouble: UnexpectedToken) -> str:
    """For `lock(&m)`."""
    stack = words_read(trouble)
    if trouble.token == "&" and stack[-1:] == ["("] and len(stack) > 1:
        return lock_hint(str(stack[-2])) or "; there are no pointers: an index can stand for one"
    return ""


def _last(trouble: UnexpectedToken) -> object:
    """What was read last."""
    stack = words_read(trouble)
    return stack[-1] if stack else None


def _accepted(trouble: UnexpectedToken) -> set[str]:
    """The terminals that could come next."""
    return trouble.accepts or trouble.expected
