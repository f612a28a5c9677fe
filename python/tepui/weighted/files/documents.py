"""JSON documents whose values know their positions, so that errors can point at them.

The decoder of the standard library reads a document. Positions are computed only when there is an
error to report: the text is scanned along the path to the value, and the decoder itself says where
each value on the way ends. JSON is read strictly: no NaN, no repeated key in an object, no true for
1, no numbers of absurd length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from tepui.errors import InputError
from tepui.languages.source import Source
from tepui.records import record
from tepui.words import did_you_mean, shown

MAX_DIGITS = 400
MAX_DEPTH = 500

Key = str | int
"""The key of a member, or the number of an item."""


@record
class Document:
    """A text in JSON, and what it says."""

    source: Source
    content: Any

    @classmethod
    def of_file(cls, path: Path) -> Document:
        return cls.of_source(Source.of_file(path))

    @classmethod
    def of_text(cls, text: str, name: str = "<text>") -> Document:
        return cls.of_source(Source.of_text(text, name))

    @classmethod
    def of_source(cls, source: Source) -> Document:
        text = "\n".join(source.lines)
        try:
            return cls(source, _STRICT.decode(text))
        except json.JSONDecodeError as error:
            message = error.msg[:1].lower() + error.msg[1:]
            raise source.error(error.lineno, error.colno, f"no JSON: {message}") from None
        except _UnwantedError as error:
            raise _error_at(source, _unwanted(text), str(error)) from None
        except RecursionError:
            raise _error_at(source, _deepest(text), "this is nested too deeply") from None

    @property
    def root(self) -> Value:
        return Value(self, (), self.content)

    def error(self, path: Sequence[Key], message: str, *, at_key: bool = False) -> InputError:
        """An error about the value at the end of a path, or about its key."""
        return _error_at(self.source, _place(self._text, path, at_key), message)

    def error_within(self, path: Sequence[Key], offset: int, message: str) -> InputError:
        """An error about a character of the string at the end of a path."""
        at = _place(self._text, path, at_key=False) + 1
        for _ in range(offset):
            character = _CHARACTER.match(self._text, at)
            at = at if character is None else character.end()
        return _error_at(self.source, at, message)

    @property
    def _text(self) -> str:
        return "\n".join(self.source.lines)


@record
class Value:
    """A value of a document. A value of an unexpected kind raises an InputError that shows it."""

    document: Document
    path: tuple[Key, ...]
    raw: Any

    def error(self, message: str) -> InputError:
        return self.document.error(self.path, message)

    def expected(self, what: str) -> InputError:
        return self.error(f"expected {what}, found {found(self.raw)}")

    def key_error(self, message: str) -> InputError:
        """An error about the key of this value."""
        return self.document.error(self.path, message, at_key=True)

    def text_error(self, error: InputError) -> InputError:
        """An error about a place in this value, a string that was read as a text of its own."""
        before = self.raw.split("\n")[: error.line - 1]
        offset = sum(len(line) + 1 for line in before) + error.column - 1
        return self.document.error_within(self.path, offset, error.message)

    def require_format(self, what: str, name: str, version: int) -> None:
        """Refuse an object whose `format` or `version` says that it is something else."""
        members = self.members(what)
        if "format" in members and members["format"].raw != name:
            raise members["format"].expected(f"the format '{name}'")
        said = members.get("version")
        if said is not None and (type(said.raw) is not int or said.raw != version):
            raise said.expected(f"the version {version}")

    def fields(
        self, what: str, required: Sequence[str], optional: Sequence[str] = ()
    ) -> dict[str, Value]:
        """The members of an object that has these keys and no others."""
        members = self.members(what)
        for key in required:
            if key not in members:
                raise self.error(f"expected the key '{key}' in {what}")
        known = (*required, *optional)
        for key, value in members.items():
            if key not in known:
                names = ", ".join(f"'{each}'" for each in known)
                raise value.key_error(
                    f"expected one of the keys {names} in {what}, found '{shown(key)}'"
                    + did_you_mean(key, known)
                )
        return members

    def members(self, what: str) -> dict[str, Value]:
        """The members of an object, whatever their keys are."""
        if type(self.raw) is not dict:
            raise self.expected(f"{what}, which is an object")
        return {key: self._child(key, raw) for key, raw in self.raw.items()}

    def items(self, what: str, length: int | None = None) -> list[Value]:
        if type(self.raw) is not list:
            raise self.expected(f"{what}, which is a list")
        if length is not None and len(self.raw) != length:
            raise self.error(f"expected {what} of length {length}, found {len(self.raw)} items")
        return [self._child(number, raw) for number, raw in enumerate(self.raw)]

    def text(self, what: str) -> str:
        if type(self.raw) is not str:
            raise self.expected(f"{what}, which is a string")
        return self.raw

    def truth(self, what: str) -> bool:
        if type(self.raw) is not bool:
            raise self.expected(f"{what}, which is true or false")
        return self.raw

    def integer(self, what: str, least: int | None = None, most: int | None = None) -> int:
        if type(self.raw) is not int:
            raise self.expected(f"{what}, which is an integer")
        if (least is not None and self.raw < least) or (most is not None and self.raw > most):
            bounds = f"at least {least}" if most is None else f"between {least} and {most:,}"
            raise self.expected(f"{what}, which is {bounds}")
        return self.raw

    def _child(self, step: Key, raw: Any) -> Value:
        return Value(self.document, (*self.path, step), raw)


def json_text(content: Any) -> str:
    """A value as JSON, in one line; characters that no text file can hold are escaped."""
    text = json.dumps(content, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(content)
    return text


def found(raw: Any) -> str:
    """A value as error messages show it."""
    if isinstance(raw, dict):
        return "an object"
    if isinstance(raw, list):
        return "a list"
    return shown(f"'{raw}'" if isinstance(raw, str) else json.dumps(raw))


class _UnwantedError(ValueError):
    """Something that Python would read, although it is not JSON, or not sane JSON."""


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for number, key in enumerate(keys) if key in keys[:number])
        raise _UnwantedError(f"the key '{shown(twice)}' is there twice in one object")
    return members


def _no_constant(text: str) -> NoReturn:
    raise _UnwantedError(f"{text} is no number in JSON")


def _short_integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _UnwantedError(
            f"a number has at most {MAX_DIGITS} digits, and this one {len(text):,}"
        )
    return int(text)


_STRICT = json.JSONDecoder(
    object_pairs_hook=_without_repetition,
    parse_constant=_no_constant,
    parse_int=_short_integer,
)
_LENIENT = json.JSONDecoder(parse_int=str)
_BLANK = re.compile(r"[ \t\n\r]*")
_CHARACTER = re.compile(r'\\u[0-9A-Fa-f]{4}|\\.|[^"]', re.DOTALL)
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|([\[{])|([\]}])')


def _error_at(source: Source, offset: int, message: str) -> InputError:
    line = 0
    while offset > len(source.lines[line]):
        offset -= len(source.lines[line]) + 1
        line += 1
    return source.error(line + 1, offset + 1, message)


def _place(text: str, path: Sequence[Key], at_key: bool) -> int:
    """Where the value at the end of a path begins, or its key."""
    key_at = at = _after_blanks(text, 0)
    for step in path:
        key_at, at = next((key_at, at) for key, key_at, at in _children(text, at) if key == step)
    return key_at if at_key else at


def _unwanted(text: str) -> int:
    """The position of the first thing that the strict decoder refuses: a repeated key, or a
    number."""
    at = _after_blanks(text, 0)
    while text[at] in "[{":
        keys: set[Key] = set()
        for key, key_at, child in _children(text, at):
            if not _is_wanted(text, child):
                at = child
                break
            if key in keys:
                return key_at
            keys.add(key)
    return at


def _is_wanted(text: str, at: int) -> bool:
    try:
        _STRICT.raw_decode(text, at)
    except _UnwantedError:
        return False
    return True


def _deepest(text: str) -> int:
    """The bracket that opens one level too many."""
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += (bracket[1] is not None) - (bracket[2] is not None)
        if depth == MAX_DEPTH:
            return bracket.start()
    return 0


def _children(text: str, at: int) -> Iterator[tuple[Key, int, int]]:
    """The members of an object or list that begins here: for each, its key or number, and where its
    key and its value begin. In a list these two are the same."""
    in_object = text[at] == "{"
    number = 0
    at = _after_blanks(text, at + 1)
    while text[at] not in "]}":
        key: Key = number
        key_at = at
        if in_object:
            key, at = _LENIENT.raw_decode(text, at)
            at = _after_blanks(text, _after_blanks(text, at) + 1)
        yield key, key_at, at
        at = _after_blanks(text, _LENIENT.raw_decode(text, at)[1])
        if text[at] == ",":
            at = _after_blanks(text, at + 1)
        number += 1


def _after_blanks(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return at if match is None else match.end()
