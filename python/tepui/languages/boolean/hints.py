"""What people mean who write forks and joins as other languages have them.

Both parsers ask here, and the translator where such a word passes for the name of a procedure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lark.exceptions import UnexpectedToken

THREAD_VARIABLE = "a variable that names a thread"

_FORK = "; a thread is forked as in 't := async f(x);'"
_PROCEDURES = {
    "fork": _FORK,
    "thread_join": "; a thread is joined as in 'join(t);'",
}


def procedure_hint(name: str) -> str:
    """What is meant by the name of a procedure that does not exist."""
    return _PROCEDURES.get(name, "")


def fork_hint(trouble: UnexpectedToken) -> str:
    """What is meant where a fork is not written as it should be."""
    found, last = trouble.token, _last_words(trouble, 1)
    if last == ["fork"] and found.type == "NAME":
        return _FORK
    if last == ["async"] and found == "(":
        return "; the procedure comes first, as in 'async f(x);'"
    return ""


def expects_thread(trouble: UnexpectedToken) -> bool:
    """Whether the name of a variable should stand there, because that is what is joined."""
    return _last_words(trouble, 2) == ["join", "("]


def is_thread_declaration(trouble: UnexpectedToken) -> bool:
    """Whether someone declares a thread as one does in braces: by the word `thread` and a name."""
    expected: set[str] = trouble.accepts or trouble.expected
    if _last_words(trouble, 1) == ["thread"]:
        return bool(trouble.token.type == "NAME")
    return "DECL" in expected and trouble.token.value == "thread"


def _last_words(trouble: UnexpectedToken, count: int) -> list[str]:
    """What was read last; of what is a part of the tree already, not the words."""
    stack = trouble.interactive_parser.parser_state.value_stack
    return [part if isinstance(part, str) else "" for part in stack[-count:]]
