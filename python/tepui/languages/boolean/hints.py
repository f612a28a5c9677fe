"""What the author of a wrong program may have meant: forks and joins written as in other languages,
and keywords with a typing error.

Both parsers use these hints, and so does the translator, where such a word looks like the name of a
procedure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeGuard

from tepui.words import did_you_mean, shown

if TYPE_CHECKING:
    from lark.exceptions import UnexpectedToken

THREAD_VARIABLE = "a variable that names a thread"

_FORK = "; a thread is forked as in 't := async f(x);'"
_CREATE = "; a thread is created as in 'thread_create(f);'"
_PROCEDURES = {
    "create_thread": _CREATE,
    "fork": _FORK,
    "not": "; write '!' for 'not'",
    "pthread_create": _CREATE,
    "thread_join": "; a thread is joined as in 'join(t);'",
}
"""What is called like a procedure elsewhere, and is a statement here."""

_TAKING = "; a lock is taken with 'atomic { wait(!m); m := 1; }', see docs/modelling.md"
_LEAVING = "; a lock is released with 'm := 0;', see docs/modelling.md"
_TAKE = ("acquire", "lock", "mutex_lock", "pthread_mutex_lock", "take")
_LEAVE = ("mutex_unlock", "pthread_mutex_unlock", "release", "unlock")

_LIKE_CALLS = {
    *("abortif", "assert", "assume", "async", "broadcast", "constrain", "enforce", "if", "join"),
    *("print", "return", "start_thread", "sync", "thread_create", "wait", "while"),
}
_VALUES = {"true", "false", "schoose"}
_SHORTEST = 3
"""Shorter names resemble too many keywords."""


def procedure_hint(name: str, procedures: Iterable[str], keywords: Iterable[str]) -> str:
    """A hint for the name of a procedure that does not exist."""
    words = _LIKE_CALLS.intersection(keywords) if len(name) >= _SHORTEST else ()
    hint = _PROCEDURES.get(name, "")
    if hint == _CREATE and "thread_create" not in words:
        hint = ""
    near = did_you_mean(name, [*procedures, *words])
    return hint or near or (lock_hint(name) if "atomic" in keywords else "")


def lock_hint(name: str) -> str:
    """How to do in braces what a procedure for locks does."""
    if name in _TAKE:
        return _TAKING
    return _LEAVING if name in _LEAVE else ""


def variable_hint(name: str, variables: Iterable[str], keywords: Iterable[str]) -> str:
    """A hint for the name of a variable that does not exist."""
    words = _VALUES.intersection(keywords) if len(name) >= _SHORTEST else ()
    return did_you_mean(name, [*variables, *words])


def fork_hint(trouble: UnexpectedToken) -> str:
    """A hint for a fork that is not written as it should be."""
    found, last = trouble.token, _last_words(trouble, 1)
    if last == ["fork"] and found.type == "NAME":
        return _FORK
    if last == ["async"] and found == "(":
        return "; the procedure comes first, as in 'async f(x);'"
    return ""


def keyword_hint(trouble: UnexpectedToken, keywords: Iterable[str]) -> str:
    """The keyword that was probably meant by the word that was found, or by the one before it."""
    found, words = trouble.token, list(keywords)
    accepted = trouble.accepts or trouble.expected
    if found.type == "NAME":
        hint = did_you_mean(found, [word for word in words if word.upper() in accepted])
        if hint:
            return hint
    before = name_before(trouble)
    if before is None or len(before) < _SHORTEST:
        return ""
    hint = did_you_mean(before, words, likeness=0.7)
    return f" after '{shown(before)}'{hint}" if hint else ""


def expects_thread(trouble: UnexpectedToken) -> bool:
    """Whether the name of a thread variable is expected, because it is joined."""
    return _last_words(trouble, 2) == ["join", "("]


def is_thread_declaration(trouble: UnexpectedToken) -> bool:
    """Whether a thread is declared as in braces: by the word `thread` and a name."""
    expected: set[str] = trouble.accepts or trouble.expected
    if _last_words(trouble, 1) == ["thread"]:
        return bool(trouble.token.type == "NAME")
    return "DECL" in expected and trouble.token.value == "thread"


def name_before(trouble: UnexpectedToken) -> str | None:
    """The name that was read last, or the one in front of the parentheses that were read last."""
    stack = words_read(trouble)
    names = [part if is_name(part) else None for part in stack]
    if stack and _is(stack[-1], "RPAR"):
        opened = max((place for place, part in enumerate(stack) if _is(part, "LPAR")), default=0)
        return names[opened - 1] if opened else None
    return names[-1] if names else None


def words_read(trouble: UnexpectedToken) -> list[object]:
    """What the parser has read and not yet put together: words, signs and parts of the tree."""
    stack: list[object] = trouble.interactive_parser.parser_state.value_stack
    return stack


def is_name(part: object) -> TypeGuard[str]:
    """Whether a part of what was read is a name."""
    return _is(part, "NAME")


def _is(part: object, kind: str) -> TypeGuard[str]:
    """Whether a part of what was read is a single word or sign of this kind."""
    return isinstance(part, str) and getattr(part, "type", None) == kind


def _last_words(trouble: UnexpectedToken, count: int) -> list[str]:
    """The last words that were read; empty texts for parts that are already trees."""
    stack = words_read(trouble)
    return [part if isinstance(part, str) else "" for part in stack[-count:]]
