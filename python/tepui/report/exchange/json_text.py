"""JSON as text, a piece at a time: a long list need not be in memory as a whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from tepui.records import record

_INDENT = "  "


@record
class Rows:
    """A list whose items are made while it is written."""

    make: Callable[[], Iterator[Any]]


def has_rows(value: Any) -> bool:
    """Whether there is such a list in it."""
    items = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict | list):
        return any(map(has_rows, items))
    return isinstance(value, Rows)


def json_pieces(value: Any, margin: str = "") -> Iterator[str]:
    """A value as `json.dumps` writes it with an indent of two."""
    inner = margin + _INDENT
    if isinstance(value, dict) and value:
        opening = "{\n"
        for key, item in value.items():
            yield f"{opening}{inner}{json.dumps(key)}: "
            yield from json_pieces(item, inner)
            opening = ",\n"
        yield f"\n{margin}}}"
    elif isinstance(value, list | tuple | Rows):
        opening = "[\n"
        for item in value.make() if isinstance(value, Rows) else value:
            yield opening + inner
            yield from json_pieces(item, inner)
            opening = ",\n"
        yield "[]" if opening == "[\n" else f"\n{margin}]"
    else:
        yield json.dumps(value)
