"""Hints for programs in braces that are written as in C, Java or Python: what those languages have
and these programs lack, or write differently.

`hints` is about misspelt words, and about threads that are forked and joined; `foreign_words` has
words of other languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tepui.languages.boolean.braces_expressions import MACHINE_TYPES
from tepui.languages.boolean.foreign_words import HINTS, NO_FRACTIONS, NO_POINTERS
from tepui.languages.boolean.hints import Starting, Trouble, fork_hint, keyword_hint, lock_hint
from tepui.languages.boolean.lexer import NAME, NUMBER
from tepui.words import shown

_TYPES = {"bool": "bool", "int": "int", "enum": "enum {A, B}"}
"""The words that begin a type, each with an example; machine integers are their own."""

_CONDITIONS = ("if", "while", "assert", "assume", "wait", "switch")
_LOOP = "; write 'for (i := 0; i < n; i++) { … }', with 'decl i: int32;' before it"
_CHARACTER = "; there are no characters: write the number"
_BRACES = "; braces belong to if, else, while, for, do, switch and atomic, so leave them out here"


def braces_hint(trouble: Trouble, keywords: Iterable[str], starting: Starting) -> str:
    """What the author of such a text probably wants."""
    return (
        fork_hint(trouble)
        or _declaration_hint(trouble)
        or _statement_hint(trouble)
        or _case_hint(trouble)
        or _number_hint(trouble)
        or _sign_hint(trouble)
        or _word_hint(trouble)
        or _call_hint(trouble)
        or _order_hint(trouble)
        or _address_hint(trouble)
        or (_type_hint(trouble) if _is_type(trouble.found) else "")
        or keyword_hint(trouble, keywords, starting)
        or _type_hint(trouble)
    )


def _declaration_hint(trouble: Trouble) -> str:
    """For declarations as other languages have them."""
    found, accepted, before = trouble.found, trouble.accepted, trouble.before(2)
    if before[:1] == ["thread"] and found in _AFTER_THREAD:
        return _AFTER_THREAD[found]
    if accepted == {"("} and before[0] in _EXAMPLES and found in _BEHIND_A_VARIABLE:
        kind = _EXAMPLES[before[0]]
        return f"; a variable is {_declared(trouble.last, kind, found + trouble.rest)}"
    if found == "decl" and trouble.last == ",":
        return "; 'decl' is written once for several variables"
    if found == "volatile":
        return "; global variables are declared as in 'decl volatile x;'"
    if found == "void" and ")" in accepted:
        return "; write '()' if there are no parameters"
    if found == "*" and trouble.last == "void":
        return NO_POINTERS
    if trouble.last == "enum" and accepted == {"{"}:
        return "; the members stand where a variable is declared, as in 'decl s: enum {A, B};'"
    if ".." in accepted or trouble.last == ".." or (trouble.last == "int" and found in ("(", "<")):
        return "; a range is written as in 'int 0..7', and a machine integer as in 'int8'"
    if found in ("decl", "thread") and "a statement" in accepted:
        return "; declarations come first"
    return ""


def _statement_hint(trouble: Trouble) -> str:
    """For statements that are written in another way."""
    found, accepted, last = trouble.found, trouble.accepted, trouble.last
    if found in ("=", "==") and ({":=", "an assignment"} & accepted):
        return "; assignment is ':='"
    if _is_foreign_loop(trouble):
        return _LOOP
    if _is_type(found) and "an expression" in accepted:
        return "; there are no casts: an assignment converts"
    if "a statement" in accepted and found == "{":
        return _BRACES
    if "a statement" in accepted and last == ":" and found in (";", "}", "case", "default"):
        return "; a label needs a statement behind it, such as 'skip;'"
    if "a statement" in accepted and found == ";":
        return "; write 'skip;' for an empty statement"
    if last in ("break", "continue") and trouble.kind in (NAME, NUMBER):
        return f"; '{last}' is for the innermost loop, write 'goto L;' for others"
    if found == ":=" and "an operator" in accepted:
        if trouble.around in _CONDITIONS:
            return "; comparison is '='"
        return "; an assignment is a statement of its own"
    if found == "," and trouble.around in _CONDITIONS:
        return f"; '{trouble.around}' takes a condition and nothing else"
    return ""


def _case_hint(trouble: Trouble) -> str:
    """For the cases of a `switch`."""
    found, accepted = trouble.found, trouble.accepted
    if accepted == {"case", "default", "}"}:
        return "; statements and labels stand behind 'case 0:' or 'default:'"
    if found == "else" and "default" in accepted:
        return "; write 'default:'"
    if found == "'" and "a constant" in accepted:
        return _CHARACTER
    if accepted != {":"} or not {"case", "default"}.intersection(trouble.before(3)):
        return ""
    if found == "=>" or (found == "-" and trouble.rest.startswith(">")):
        return "; write ':' for an arrow"
    if found in (",", "|", "||", ".."):
        return "; each value has a case of its own, as in 'case 1: case 2:'"
    return ""


def _is_type(word: str) -> bool:
    return word in _TYPES or re.fullmatch(r"u?int[0-9]+", word) is not None


def _is_foreign_loop(trouble: Trouble) -> bool:
    """Whether a `for` begins as it does in C, Java or Python."""
    if trouble.before(2) == ["for", "("]:
        return _is_type(trouble.found) or trouble.found == "decl"
    if trouble.around in ("for", "foreach"):
        return trouble.kind == NAME or trouble.found == ":"
    return trouble.last == "for" and trouble.kind == NAME


_AFTER_THREAD = {
    "(": "; procedures do not return threads",
    "[": "; there are no arrays of threads",
    ":=": "; it names a thread when 'async' is assigned to it",
}
"""The message for an error after `thread NAME`."""

_BEHIND_A_VARIABLE = (":=", "=", ";", ",", "[")
_EXAMPLES = {name: name for name in ("bool", "int", *MACHINE_TYPES)} | {"}": "enum {A, B}"}
"""The words that end a type before a name, each with an example of it."""


def _type_hint(trouble: Trouble) -> str:
    """The types, for one that does not exist and is like none that does, or has a width that none
    has: the nearest one may be too narrow."""
    if trouble.kind != NAME or "a type" not in trouble.accepted:
        return ""
    return (
        "; the types are bool, int 0..7, int32 and the like, enum {A, B} and thread, "
        "and arrays such as bool[3]"
    )


def _declared(name: str, kind: str, rest: str) -> str:
    """How to declare a variable that is declared as in C; the rest of the text follows its name.

    A range is part of the hint: an integer without one is for a single analysis only.
    """
    value = re.match(r":?=\s*(-?[0-9]{1,9})\b", rest)
    number = int(value[1]) if value else 0
    if kind == "int":
        kind = f"int {min(0, number)}..{max(7, number)}"
    initial = f" := {number}" if value else ""
    return f"declared as in 'decl {shown(name)}: {kind}{initial};'"


def _word_hint(trouble: Trouble) -> str:
    """The word that is found, the one before it, or the one before the parenthesis around it."""
    words = (trouble.found, trouble.name_before or "", trouble.around)
    return next((HINTS[word] for word in words if word in HINTS), "")


def _number_hint(trouble: Trouble) -> str:
    """For numbers with more than digits."""
    if trouble.last_kind != NUMBER or not trouble.is_glued:
        return ""
    word, number = trouble.found, trouble.last + trouble.found
    if word == ".":
        return NO_FRACTIONS
    if re.fullmatch(r"[uUlL]+", word):
        return f"; leave out '{shown(word)}'"
    if re.fullmatch(r"0(b[01]{1,64}|o[0-7]{1,21})", number, re.IGNORECASE):
        return f"; write '{int(number, 0)}' for '{shown(number)}'"
    if re.fullmatch(r"_[0-9_]*", word):
        return "; write a number without '_'"
    if re.fullmatch(r"[eE][0-9]+", word):
        return "; write all digits of a number"
    return ""


def _sign_hint(trouble: Trouble) -> str:
    """For signs that C, Java and Python have at places where these programs have none."""
    found, last, accepted = trouble.found, trouble.last, trouble.accepted
    inside = bool({"an operator", "an expression"} & accepted)
    if found in ("++", "--") and inside:
        return "; counting is a statement of its own, as in 'x++;'"
    if found == "." or (found == "-" and trouble.rest.startswith(">")):
        return HINTS["struct"] if trouble.last_name or last == "]" else ""
    if found == "'" and inside:
        return _CHARACTER
    if found == "[" and last == "]":
        return "; an array has one length"
    if found == "{" and "a constant" in accepted:
        return "; all elements start with one value, as in 'decl a: bool[3] := 0;'"
    if trouble.is_glued and last + found in _SIGNS:
        return f"; write '{_SIGNS[last + found]}' for '{last + found}'"
    if trouble.before(2) == ["*", "*"]:
        return "; there are no powers: multiply"
    return ""


_SIGNS = {"<>": "!=", "===": "==", "!==": "!="}
"""Signs of other languages, each with ours."""


def _call_hint(trouble: Trouble) -> str:
    """For a call inside an expression, or one that an expression goes on after."""
    operators = "an operator" in trouble.accepted
    inside = trouble.found == "(" and trouble.last_name is not None and operators
    after = trouble.last == ")" and trouble.accepted == {";"} and ":=" in trouble.before(12)
    after = after and bool(re.match(r"[-+*/%<>=!&|^?]", trouble.found))
    return "; a call is a statement of its own, as in 't := f(x);'" if inside or after else ""


def _order_hint(trouble: Trouble) -> str:
    """For a type in front of a name, and for a length after it."""
    if _is_type(trouble.found) and {"a name", "a statement"} & trouble.accepted:
        return _type_first_hint(trouble)
    last = trouble.last_name
    if trouble.found == "[" and last is not None and ":" in trouble.accepted:
        return f"; an array is declared as in 'decl {shown(last)}: bool[3];'"
    return ""


def _type_first_hint(trouble: Trouble) -> str:
    named = re.match(r"\s+([A-Za-z_$][\w$]*)\s*", trouble.rest)
    name = named[1] if named else "x"
    kind = _TYPES.get(trouble.found, trouble.found)
    declared = _declared(name, kind, trouble.rest[named.end() :] if named else "")
    if "a statement" in trouble.accepted:
        return f"; variables are declared first, {declared.removeprefix('declared ')}"
    if not trouble.around:
        return f"; a variable is {declared}"
    kind = "int 0..3" if kind == "int" else kind
    return f"; the type of a parameter comes after its name, as in '{shown(name)}: {kind}'"


def _address_hint(trouble: Trouble) -> str:
    """For `lock(&m)`, `&x` and `*p := 1`."""
    before = trouble.before(2)
    if trouble.found == "&" and "an expression" in trouble.accepted:
        return (lock_hint(before[0]) if before[1:] == ["("] else "") or NO_POINTERS
    return NO_POINTERS if trouble.found == "*" and "a statement" in trouble.accepted else ""
