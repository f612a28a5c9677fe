"""The visible states of a report: all of them, or as many as fit.

They are packed: each name once, and each state as the numbers of its names. The script unpacks and
searches them. A hundred thousand visible states of a few threads fit. If there are too many, the
first ones are listed, and the page says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tepui.errors import UsageError
from tepui.model import System
from tepui.model.system import VisibleState
from tepui.report.markup import Html, element, joined
from tepui.result import Result
from tepui.words import counted

MOST_BYTES = 1_200_000
"""The largest size of the list."""

_SHOWN = 20
"""How many states are shown without the script."""

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class VisiblePart:
    """The visible states of a result: markup, and packed data."""

    def __init__(self, result: Result, room: int = MOST_BYTES) -> None:
        self._result = result
        self._refused = ""
        try:
            self._states = result.list_visible()
        except UsageError as error:
            self._states, self._refused = [], str(error)
        self._packed = _Packed(result.system, self._states, min(room, MOST_BYTES))

    def html(self) -> Html:
        """How many there are, a field to search in, and the list."""
        return joined(
            element("p", self._text()),
            element(
                "form",
                element(
                    "label",
                    "Search ",
                    element("input", type="search", id="search", autocomplete="off"),
                ),
                element("output", id="matches"),
                class_="search",
                role="search",
                hidden=True,
            )
            if self._states
            else None,
            element(
                "ol",
                [
                    element("li", element("code", self._result.system.visible_text(visible)))
                    for visible in self._states[:_SHOWN]
                ],
                id="states",
                class_="states",
                tabindex="0",
            )
            if self._states
            else None,
            element("button", "show more", type="button", id="more-states", hidden=True)
            if self._states
            else None,
        )

    def data(self) -> dict[str, Any]:
        """The names of the shared states and of each thread's tops, and the states as their
        numbers."""
        return self._packed.data()

    def _text(self) -> str:
        total, listed = self._result.visible_states, len(self._states)
        known = self._result.rounds[-1].visible if total is None else total
        be = ("is", "are") if self._result.verdict == "collapsed" else ("was", "were")
        reached = "reachable" if self._result.verdict == "collapsed" else "reached"
        texts = [f"{counted(known, 'visible state')} {be[known != 1]} {reached}."]
        if self._refused:
            texts.append(f"They are not listed: {self._refused}.")
        elif listed < known:
            texts.append(
                f"{listed:,} of them are listed: of states that differ only by an exchange of "
                "equal threads, one is listed."
            )
        if self._packed.count < listed:
            texts.append(f"The first {self._packed.count:,} are listed here.")
        return " ".join(texts)


class _Packed:
    """States as numbers of names, as many as fit."""

    def __init__(self, system: System, states: Iterable[VisibleState], room: int) -> None:
        self._alphabets = [
            system.shared,
            *(system.template_of(thread).symbols for thread in range(len(system.threads))),
        ]
        self._templates = [0, *(1 + template for template in system.threads)]
        self._names: list[dict[int, int]] = [{} for _ in range(1 + len(system.templates))]
        self._texts: list[list[str]] = [[] for _ in self._names]
        self._rows: list[str] = []
        self._left = room
        self._pack(states)

    @property
    def count(self) -> int:
        return len(self._rows)

    def data(self) -> dict[str, Any]:
        return {"names": self._texts, "templates": self._templates, "rows": "\n".join(self._rows)}

    def _pack(self, states: Iterable[VisibleState]) -> None:
        for state in states:
            row = ",".join(self._number(place, name) for place, name in enumerate(state))
            self._left -= len(row) + 2
            if self._left < 0:
                return
            self._rows.append(row)

    def _number(self, place: int, symbol: int) -> str:
        names = self._names[self._templates[place]]
        if symbol not in names:
            text = self._alphabets[place][symbol]
            names[symbol] = len(names)
            self._texts[self._templates[place]].append(text)
            self._left -= 4 + len(text.encode("utf-8", "replace"))
        return _base36(names[symbol])


def _base36(number: int) -> str:
    digits = ""
    while True:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
        if not number:
            return digits
