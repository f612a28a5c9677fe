"""What the author of a wrong program may have meant: forks and joins written as in other languages,
and keywords with a typing error.

Both readers use these hints, and so does the translator, where such a word looks like the name of a
procedure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tepui.languages.boolean.lexer import NAME, Words
from tepui.records import record
from tepui.words import did_you_mean, shown

THREAD_VARIABLE = "a variable that names a thread"

_FORK = "; a thread is forked as in 't := async f(x);'"
_CREATE = "; a thread is created as in 'thread_create(f);'"
_JOIN = "; a thread is joined as in 'join(t);'"
_PROCEDURES = {
    "create_thread": _CREATE,
    "fork": _FORK,
    "pthread_create": _CREATE,
    "pthread_join": _JOIN,
    "thread_join": _JOIN,
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
_TRUTH = {"true": "; write 'T' for 'true'", "false": "; write 'F' for 'false'"}
"""What is a keyword in braces only."""

_CHARACTERS = {"#": "; a comment begins with '//'", '"': "; there are no texts"}
_SHORTEST = 3
"""Shorter names resemble too many keywords."""

Starting = Mapping[str, Iterable[str]]
"""Of phrases such as «a statement», the keywords with which such a thing starts."""


def character_hint(character: str) -> str:
    """What is meant by a character that begins no word or sign."""
    return _CHARACTERS.get(character, "")


def procedure_hint(name: str, procedures: Iterable[str], keywords: Iterable[str]) -> str:
    """A hint for the name of a procedure that does not exist."""
    words = _LIKE_CALLS.intersection(keywords) if len(name) >= _SHORTEST else ()
    hint = _PROCEDURES.get(name, "")
    if hint == _CREATE and "thread_create" not in words:
        hint = ""
    foreign = lock_hint(name) or _foreign(name) if "atomic" in keywords else ""
    return hint or did_you_mean(name, procedures) or foreign or did_you_mean(name, words)


def lock_hint(name: str) -> str:
    """How to do in braces what a procedure for locks does."""
    if name in _TAKE:
        return _TAKING
    return _LEAVING if name in _LEAVE else ""


def variable_hint(name: str, variables: Iterable[str], keywords: Iterable[str]) -> str:
    """A hint for the name of a variable that does not exist."""
    words = _VALUES.intersection(keywords) if len(name) >= _SHORTEST else ()
    foreign = _foreign(name) if "atomic" in keywords else _TRUTH.get(name.lower(), "")
    return did_you_mean(name, variables) or foreign or did_you_mean(name, words)


def _foreign(name: str) -> str:
    """What to write in braces for a word of another language."""
    from tepui.languages.boolean.foreign_words import HINTS  # Few programs are wrong.

    return HINTS.get(name, "")


@record
class Trouble:
    """A word that cannot stand where it does, with what was read before it and could come next."""

    words: Words
    index: int
    accepted: frozenset[str]
    """Kinds of words, and phrases such as «a statement»."""

    @property
    def kind(self) -> str:
        return self.words.kinds[self.index]

    @property
    def found(self) -> str:
        return self.words.texts[self.index]

    @property
    def rest(self) -> str:
        """The text behind the word."""
        return self.words.text[self.words.end(self.index) :]

    def before(self, count: int) -> list[str]:
        """The last words that were read."""
        return self.words.texts[max(0, self.index - count) : self.index]

    @property
    def last(self) -> str:
        return self.words.texts[self.index - 1] if self.index else ""

    @property
    def last_kind(self) -> str:
        return self.words.kinds[self.index - 1] if self.index else ""

    @property
    def is_glued(self) -> bool:
        """Whether nothing stands between the last word and the one that is found."""
        return self.index > 0 and self.words.end(self.index - 1) == self.words.starts[self.index]

    @property
    def around(self) -> str:
        """The word before the parenthesis that is open, if one is."""
        index, depth = self.index - 1, 0
        texts = self.words.texts
        while index > 0 and texts[index] not in (";", "{", "}"):
            if texts[index] == "(" and not depth:
                return texts[index - 1]
            depth += {")": 1, "(": -1}.get(texts[index], 0)
            index -= 1
        return ""

    @property
    def last_name(self) -> str | None:
        """The word that was read last, if it is a name."""
        return self._name(self.index - 1)

    @property
    def name_before(self) -> str | None:
        """The name that was read last, or the one in front of the parentheses that were."""
        index, depth = self.index - 1, 0
        while index >= 0 and (depth or self.words.texts[index] == ")"):
            depth += {")": 1, "(": -1}.get(self.words.texts[index], 0)
            index -= 1
        return self._name(index)

    def _name(self, index: int) -> str | None:
        is_name = index >= 0 and self.words.kinds[index] == NAME
        return self.words.texts[index] if is_name else None


def fork_hint(trouble: Trouble) -> str:
    """A hint for a fork that is not written as it should be."""
    if trouble.last_name == "fork" and trouble.kind == NAME:
        return _FORK
    if trouble.last == "async" and trouble.found == "(":
        return "; the procedure comes first, as in 'async f(x);'"
    return ""


def keyword_hint(trouble: Trouble, keywords: Iterable[str], starting: Starting) -> str:
    """The keyword that was probably meant by the word that was found, or by the one before it."""
    words = list(keywords)
    if trouble.kind == NAME:
        starts = {word for phrase in trouble.accepted for word in starting.get(phrase, ())}
        possible = [word for word in words if word in trouble.accepted or word in starts]
        hint = did_you_mean(trouble.found, possible)
        if hint:
            return hint
    before = trouble.name_before
    if before is None or len(before) < _SHORTEST:
        return ""
    hint = did_you_mean(before, words, likeness=0.7)
    return f" after '{shown(before)}'{hint}" if hint else ""


def is_thread_declaration(trouble: Trouble) -> bool:
    """Whether a thread is declared as in braces: by the word `thread` and a name."""
    if trouble.last == "thread":
        return trouble.kind == NAME
    return "a declaration or a procedure" in trouble.accepted and trouble.found == "thread"
