"""The doors of the library: what public functions are given is checked once, where it comes in.

A function of the public interface is a `door`: an argument that does not fit its annotation is a
UsageError, so that the code behind it can trust its types. Annotations are compared as they are
written. Evaluating them would import what most calls do not need, and nobody can hold an object of
a class whose module was not imported yet.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import wraps
from typing import Any, TypeVar, cast

from tepui.errors import UsageError
from tepui.words import shown

_Function = TypeVar("_Function", bound=Callable[..., Any])

_CLASSES = {
    "Answer": "tepui.result",
    "CoveringRun": "tepui.checker.covering",
    "Limits": "tepui.limits",
    "Meter": "tepui.limits",
    "Net": "tepui.model.net",
    "OpenSystem": "tepui.model.open_system",
    "Options": "tepui.deciding.options",
    "Program": "tepui.program.program",
    "Property": "tepui.model.property",
    "Question": "tepui.program.questions",
    "Result": "tepui.result",
    "Strength": "tepui.z.strength",
    "System": "tepui.model.system",
    "UpwardClosed": "tepui.checker.covering",
}
"""Our own classes, and the modules that define them."""

_WORDS = {
    **dict.fromkeys(("str", "Domain", "Watched", "WatchUntil"), "a text"),
    "int": "a whole number",
    "bool": "True or False",
    "os.PathLike": "a path",
    "Callable": "a function",
    "Mapping": "a dictionary such as {'worker': 2}",
    "Limits": "tepui.Limits(…)",
    "Options": "tepui.Options(…)",
    "Strength": "what tepui.z.parse_strength(…) gives",
    "Answer": "an Answer",
}

_HINTS = {
    "loads": "; tepui.load(path) reads a file",
    "System": "; tepui.load(path) reads one",
    "Program": "; tepui.load(path) reads one",
    "Net": "; tepui.counting.load_net(path) reads one",
    "Property": "; tepui.load(path, targets=[…]) makes a Property",
    "Options": "; limits are part of them, as in tepui.Options(limits=tepui.Limits(timeout=3))",
}
"""What helps, by the door or by a kind that it takes."""

_OPEN = (
    ", which has any number of threads; tepui.load(path, threads={…}) says how many threads there "
    "are"
)

_SHOWN = (str, bytes, bool, float, list, tuple, dict, set, type(None))
"""What a message shows itself; of other values it names the type."""


def door(function: _Function) -> _Function:
    """The function behind a check of its arguments."""
    code, kinds = function.__code__, function.__annotations__
    names = code.co_varnames[: code.co_argcount]
    further = code.co_varnames[code.co_argcount + code.co_kwonlyargcount :][:1]
    """The name of `*arguments`, if the function has them."""

    @wraps(function)
    def checked(*args: Any, **given: Any) -> Any:
        places = names + further * (len(args) - len(names))
        some = [
            _taken(function.__name__, name, kinds[name], value)
            for name, value in zip(places, args, strict=False)
        ]
        for name in given.keys() & kinds.keys():
            given[name] = _taken(function.__name__, name, kinds[name], given[name])
        return function(*some, *args[len(some) :], **given)

    return cast(_Function, checked)


def check_fields(record: Any) -> None:
    """Check the fields of a record that users make."""
    for name, field in type(record).__record_fields__.items():
        _taken(type(record).__name__, name, field.type, getattr(record, name))


def _taken(door: str, name: str, kind: str, value: Any) -> Any:
    """The value, if it is of this kind."""
    kinds = _alternatives(kind)
    if isinstance(value, Iterator) and any(
        each.startswith(("Iterable", "Sequence")) for each in kinds
    ):
        value = list(value)  # It can be read only once.
    if _is_one_of(value, kinds):
        return value
    words = dict.fromkeys(_words(each) for each in kinds if each != "None")
    found = type(value).__name__
    if isinstance(value, _SHOWN):
        with suppress(ValueError):  # Numbers may be too long to be written.
            found = shown(repr(value))
    hint = next((hint for each, hint in _HINTS.items() if each in (door, *kinds)), "")
    if found == "OpenSystem":
        hint = _OPEN
    raise UsageError(f"{door} takes {' or '.join(words)} as {name}, not {found}{hint}")


def _is_one_of(value: Any, kinds: list[str]) -> bool:
    return any(_fits(value, kind) for kind in kinds)


def _fits(value: Any, kind: str) -> bool:
    """Whether a value is of a kind without alternatives."""
    head, _, inner = kind.partition("[")
    match head:
        case "None":
            return value is None
        case "str" | "Domain" | "Watched" | "WatchUntil":  # Which texts, the function says itself.
            return isinstance(value, str)
        case "bool":
            return isinstance(value, bool)
        case "int":
            return isinstance(value, int) and not isinstance(value, bool)
        case "os.PathLike":
            return isinstance(value, os.PathLike) and isinstance(os.fspath(value), str)
        case "Callable":
            return callable(value)
        case "Mapping":
            items = value.items() if isinstance(value, Mapping) else [(None, None)]
            return all(_fits(key, "str") and _fits(item, "int") for key, item in items)
        case "Iterable" | "Sequence" | "tuple":
            several = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
            return several and all(_is_one_of(item, _items(inner)) for item in value)
    module = sys.modules.get(_CLASSES[head])
    return module is not None and isinstance(value, getattr(module, head))


def _words(kind: str) -> str:
    """A kind without alternatives, in a message."""
    head, _, inner = kind.partition("[")
    if head in ("Iterable", "Sequence", "tuple"):
        return f"a list with {' or '.join(map(_words, _items(inner)))} each"
    return _WORDS.get(head, f"a {head}")


def _items(inner: str) -> list[str]:
    """The kinds of the items, from what is written between the brackets of a list."""
    return _alternatives(inner.removesuffix("]").partition(",")[0])


def _alternatives(kind: str) -> list[str]:
    """The kinds of which a value may be any."""
    return re.split(r" \| (?![^\[]*\])", kind)
