"""Values in JSON files: what is not exactly of the expected type is an InputError.

JSON is taken strictly: no NaN, no key twice in one object, no unknown keys, no true for 1.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from tepui.errors import InputError
from tepui.model.system import Word

_Kind = TypeVar("_Kind", str, int, bool, list[Any], dict[str, Any])

_KINDS: dict[type, str] = {
    str: "a string",
    int: "an integer",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


MAX_BYTES = 2**30
_MUCH = 2**16

_AT_ONCE = 2**20
"""How much of a file is read at once: in between, limits are looked at."""

_NO_EVIDENCE = "this is not tepui evidence, which is written in JSON"

WHOLE = "the file"
"""What messages call the file as a whole, in a sentence with what is wrong with it."""

Lookup = Callable[[str], int]
"""The number of a name; a ValueError says that there is none."""


def parse(source: str) -> Any:
    """The JSON of a file, strictly: no NaN, and no key twice in one object."""

    def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            raise InputError(source, 0, 0, "an object has a key twice")
        return fields

    def no_constant(text: str) -> NoReturn:
        raise InputError(source, 0, 0, f"{text} is not a number in JSON")

    try:
        text = _text_of(source)
        return json.loads(text, object_pairs_hook=without_repetition, parse_constant=no_constant)
    except FileNotFoundError as error:
        raise InputError(source, 0, 0, "there is no such file") from error
    except IsADirectoryError as error:
        raise InputError(source, 0, 0, "this is a directory, expected a file") from error
    except OSError as error:
        raise InputError(source, 0, 0, f"the file cannot be read: {error.strerror}") from error
    except json.JSONDecodeError as error:
        line, problem = _line_at(error.doc, error.pos), f"this is not JSON: {error.msg}"
        if not error.doc.lstrip("\ufeff \t\n").startswith(("{", "[")):
            problem = _NO_EVIDENCE
        raise InputError(source, error.lineno, error.colno, problem, line) from error
    except UnicodeDecodeError as error:
        raise InputError(source, 0, 0, "is not a text in UTF-8") from error
    except RecursionError as error:
        raise InputError(source, 0, 0, "is nested too deeply") from error
    except ValueError as error:  # A path with a null byte, or a number of thousands of digits.
        raise InputError(source, 0, 0, str(error)) from error


def _text_of(source: str) -> str:
    """The text of a file; of one without end, no more than is needed to see that it is none."""
    with Path(source).open("rb") as file:
        data = bytearray(file.read(_MUCH))
        if len(data) == _MUCH and not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
            raise InputError(source, 0, 0, _NO_EVIDENCE)
        while len(data) <= MAX_BYTES and (some := file.read(_AT_ONCE)):
            data += some
    if len(data) > MAX_BYTES:
        raise InputError(source, 0, 0, f"the file is larger than {MAX_BYTES // 2**20} MB")
    return data.decode("utf-8")


class Values:
    """Parsed JSON, taken apart. Messages name the file and the place in it."""

    def __init__(self, source: str) -> None:
        self._source = source

    def word(self, symbols: Lookup, value: Any, where: str) -> Word:
        return tuple(self.number(symbols, name, where) for name in self.items(value, where))

    def integers(self, value: Any, where: str) -> tuple[int, ...]:
        numbers = self.items(value, where)
        if any(type(number) is not int for number in numbers):
            self.fail(where, "holds something that is no integer")
        return tuple(numbers)

    def number(self, lookup: Lookup, value: Any, where: str) -> int:
        name = self.a(str, value, where)
        try:
            return lookup(name)
        except ValueError as error:
            reason = str(error)
            self.fail(where, reason if len(reason) <= 400 else f"{reason[:400]}…")

    def record(
        self, value: Any, where: str, keys: Sequence[str], optional: Sequence[str] = ()
    ) -> dict[str, Any]:
        fields = self.a(dict, value, where)
        for key in keys:
            if key not in fields:
                self.fail(where, f"has no {key!r}")
        for key in fields:
            if key not in keys and key not in optional:
                self.fail(where, f"has {shown(key)}, which means nothing there")
        return fields

    def items(self, value: Any, where: str, length: int | None = None) -> list[Any]:
        items = self.a(list, value, where)
        if length is not None and len(items) != length:
            self.fail(where, f"has {len(items)} items instead of {length}")
        return items

    def a(self, kind: type[_Kind], value: Any, where: str) -> _Kind:
        """The value, which must be of exactly this type: true is not an integer here."""
        if type(value) is not kind:
            self.fail(where, f"is {shown(value)} instead of {_KINDS[kind]}")
        return value

    def fail(self, where: str, problem: str) -> NoReturn:
        colon = "" if where == WHOLE else ":"
        raise InputError(self._source, 0, 0, f"{where}{colon} {problem}")


def shown(value: Any, width: int = 40) -> str:
    if isinstance(value, list | dict):
        return _KINDS[type(value)]
    text = repr(value)
    return text if len(text) <= width else f"{text[:width]}…"


def _line_at(text: str, position: int, longest: int = 1000) -> str:
    """The line around a position, or nothing where it is too long to show."""
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[start : len(text) if end < 0 else end]
    return line if len(line) <= longest else ""
