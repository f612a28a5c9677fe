"""HTML as values: everything that is not `Html` is text, and is escaped wherever it is put.

So a name from an input file can only be shown, whatever it contains.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import Any

from tepui.words import printable


class Html(str):
    """A piece of a page, ready to be put into one."""

    __slots__ = ()


Child = str | int | None | Iterable["Child"]
"""What an element holds: text, markup, or several of these; None is nothing."""

_VOID = frozenset({"input", "br", "meta"})

_OURS = "\t\n"
"""Blanks that pages have as well."""

_IN_DATA = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}
"""Characters that are escaped in JSON, so that no text in it ends the element."""


def element(name: str, *children: Child, **attributes: str | int | bool) -> Html:
    """An element. `class_` and `for_` stand for words that Python reserves, `_` for `-`.

    An attribute that is True is there without a value, one that is False is not there.
    """
    texts = []
    for given, value in attributes.items():
        key = given.rstrip("_").replace("_", "-")
        if value is True:
            texts.append(f" {key}")
        elif value is not False:
            texts.append(f' {key}="{plain(str(value))}"')
    start = f"<{name}{''.join(texts)}>"
    return Html(start if name in _VOID else f"{start}{joined(*children)}</{name}>")


def joined(*children: Child) -> Html:
    """Pieces of a page, one after the other."""
    return Html("".join(_texts(children)))


def plain(text: str) -> Html:
    """A text as it is shown."""
    return Html(escape(printable(text, kept=_OURS)))


def data(identity: str, value: Any) -> Html:
    """Data for the script of a page; no text in it can end the element."""
    text = json.dumps(_shown(value), ensure_ascii=False, separators=(",", ":"))
    safe = text.translate(_IN_DATA)
    return Html(f'<script type="application/json" id="{plain(identity)}">{safe}</script>')


def _shown(value: Any) -> Any:
    """Data in which all texts can be shown."""
    if isinstance(value, str):
        return printable(value, kept=_OURS)
    if isinstance(value, dict):
        return {_shown(key): _shown(item) for key, item in value.items()}
    return [_shown(item) for item in value] if isinstance(value, list | tuple) else value


def _texts(children: Iterable[Child]) -> Iterable[str]:
    for child in children:
        if child is None:
            continue
        if isinstance(child, Html):
            yield child
        elif isinstance(child, str | int):
            yield plain(str(child))
        else:
            yield from _texts(child)
