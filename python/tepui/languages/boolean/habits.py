"""Hints for programs in braces that are written as in C, Java or Python: what those languages have
and these programs lack, or write differently.

`hints` is about misspelt words, and about threads that are forked and joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tepui.languages.boolean.foreign_words import HINTS
from tepui.languages.boolean.hints import Starting, Trouble, fork_hint, keyword_hint, lock_hint
from tepui.languages.boolean.lexer import NAME
from tepui.words import shown

_TYPES = {"bool": "bool", "int": "int", "enum": "enum {A, B}"}
"""The words that begin a type, each with an example."""

_CHARACTERS = {"#": "; a comment begins with '//'", '"': "; there are no texts"}


def character_hint(character: str) -> str:
    """What is meant by a character that begins no word or sign."""
    return _CHARACTERS.get(character, "")


def braces_hint(trouble: Trouble, keywords: Iterable[str], starting: Starting) -> str:
    """What the author of such a text probably wants."""
    return (
        fork_hint(trouble)
        or _syntax_hint(trouble)
        or _sign_hint(trouble)
        or _word_hint(trouble)
        or _call_hint(trouble)
        or _order_hint(trouble)
        or _address_hint(trouble)
        or (_type_hint(trouble) if _is_type(trouble.found) else "")
        or keyword_hint(trouble, keywords, starting)
        or _type_hint(trouble)
    )


def _syntax_hint(trouble: Trouble) -> str:
    """For declarations and assignments as other languages have them."""
    found, accepted, before = trouble.found, trouble.accepted, trouble.before(2)
    if before[:1] == ["thread"] and found in _AFTER_THREAD:
        return _AFTER_THREAD[found]
    if before[:1] in (["int"], ["bool"]) and "(" in accepted:
        rest = trouble.found + trouble.rest
        return _declaration_hint(trouble.last, before[0], rest)
    if found in ("=", "==") and ({":=", "an assignment"} & accepted):
        return "; assignment is ':='"
    if found == "decl" and trouble.last == ",":
        return "; 'decl' is written once for several variables"
    if found == "volatile":
        return "; global variables are declared as in 'decl volatile x;'"
    if _is_foreign_loop(trouble):
        return "; write 'for (i := 0; i < n; i++) { … }', with 'decl i: int32;' before it"
    if _is_type(found) and "an expression" in accepted:
        return "; there are no casts: an assignment converts"
    if found in ("decl", "thread") and "a statement" in accepted:
        return "; declarations come first"
    if found in _TYPES and "a statement" in accepted:
        return "; variables are declared first, as in 'decl x: int 0..7;'"
    return ""


def _is_type(word: str) -> bool:
    return word in _TYPES or re.fullmatch(r"u?int[0-9]+", word) is not None


def _is_foreign_loop(trouble: Trouble) -> bool:
    """Whether a `for` begins as it does in C or Python."""
    if trouble.before(2) == ["for", "("]:
        return _is_type(trouble.found)
    return trouble.last == "for" and trouble.kind == NAME


_AFTER_THREAD = {
    "(": "; procedures do not return threads",
    "[": "; there are no arrays of threads",
    ":=": "; it names a thread when 'async' is assigned to it",
}
"""The message for an error after `thread NAME`."""


def _type_hint(trouble: Trouble) -> str:
    """The types, for one that does not exist and is like none that does, or has a width that none
    has: the nearest one may be too narrow."""
    if trouble.kind != NAME or "a type" not in trouble.accepted:
        return ""
    return (
        "; the types are bool, int 0..7, int32 and the like, enum {A, B} and thread, "
        "and arrays such as bool[3]"
    )


def _declaration_hint(name: str, kind: str, rest: str) -> str:
    """How to declare a variable that is declared as in C; the rest of the text follows its name.

    A range is part of the hint: an integer without one is for a single analysis only.
    """
    value = re.match(r":?=\s*(-?[0-9]{1,9})\b", rest)
    number = int(value[1]) if value else 0
    if kind == "int":
        kind = f"int {min(0, number)}..{max(7, number)}"
    initial = f" := {number}" if value else ""
    return f"; a variable is declared as in 'decl {shown(name)}: {kind}{initial};'"


def _word_hint(trouble: Trouble) -> str:
    """The word that is found, or the one before it."""
    return HINTS.get(trouble.found) or HINTS.get(trouble.name_before or "", "")


def _sign_hint(trouble: Trouble) -> str:
    """For signs that C, Java and Python have at places where these programs have none."""
    found, last, accepted = trouble.found, trouble.last, trouble.accepted
    inside = bool({"an operator", "an expression"} & accepted)
    if found in ("++", "--") and inside:
        return "; counting is a statement of its own, as in 'x++;'"
    if found == "." or (found == "-" and trouble.rest.startswith(">")):
        return HINTS["struct"]
    if found == "'" and inside:
        return "; there are no characters: write the number"
    if found == "[" and last == "]":
        return "; an array has one length"
    if found == "{" and "a constant" in accepted:
        return "; all elements start with one value, as in 'decl a: bool[3] := 0;'"
    return ""


def _call_hint(trouble: Trouble) -> str:
    """For a call inside an expression, or one that an expression goes on after."""
    operators = "an operator" in trouble.accepted
    inside = trouble.found == "(" and trouble.last_name is not None and operators
    after = trouble.last == ")" and trouble.accepted == {";"} and ":=" in trouble.before(12)
    after = after and bool(re.match(r"[-+*/%<>=!&|^?]", trouble.found))
    return "; a call is a statement of its own, as in 't := f(x);'" if inside or after else ""


def _order_hint(trouble: Trouble) -> str:
    """For a type in front of a name, and for a length after it."""
    if trouble.found in _TYPES and "a name" in trouble.accepted:
        return _type_first_hint(trouble)
    last = trouble.last_name
    if trouble.found == "[" and last is not None and ":" in trouble.accepted:
        return f"; an array is declared as in 'decl {shown(last)}: bool[3];'"
    return ""


def _type_first_hint(trouble: Trouble) -> str:
    named = re.match(r"\s+([A-Za-z_$][\w$]*)\s*", trouble.rest)
    name = named[1] if named else "x"
    if trouble.last == "decl":
        rest = trouble.rest[named.end() :] if named else ""
        return _declaration_hint(name, _TYPES[trouble.found], rest)
    kind = "int 0..3" if trouble.found == "int" else _TYPES[trouble.found]
    return f"; the type of a parameter comes after its name, as in '{shown(name)}: {kind}'"


def _address_hint(trouble: Trouble) -> str:
    """For `lock(&m)`."""
    before = trouble.before(2)
    if trouble.found == "&" and before[1:] == ["("]:
        return lock_hint(before[0]) or "; there are no pointers: an index can stand for one"
    return ""
