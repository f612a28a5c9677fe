"""A deadlock in a report: for each thread what it needs, with links to the source and the trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tepui.report.markup import Child, Html, element
from tepui.report.page.sources import Library
from tepui.report.text.deadlocks import (
    calls_text,
    helper_text,
    hopeless_text,
    where_text,
)
from tepui.subject.deadlock.explanation import Chance, Deadlock, EndedThread, Need, Place, Written

MOST_THREADS = 100
"""How many threads are explained on a page."""


class DeadlockPart:
    """The explanation of one deadlock; `step` gives the identity of a step of the trace."""

    def __init__(self, deadlock: Deadlock, library: Library, step: Callable[[int], str]) -> None:
        self._deadlock, self._library, self._step = deadlock, library, step

    def html(self) -> Html:
        deadlock = self._deadlock
        if_values = f", if {', '.join(deadlock.values)}" if deadlock.values else ""
        head: list[Child] = [element("p", f"No thread can move{if_values}.")]
        if deadlock.cycle:
            head.append(element("p", element("b", "Cycle: "), f"{deadlock.sentence}."))
        shown = deadlock.threads[:MOST_THREADS]
        left_out = len(deadlock.threads) - len(shown)
        more = element("p", f"… and {left_out} more threads", class_="muted") if left_out else None
        return element("div", head, [self._thread(each) for each in shown], more)

    def _thread(self, thread: EndedThread) -> Html:
        rows = [
            (element("dt", label), element("dd", content)) for label, content in self._rows(thread)
        ]
        name = element("p", element("b", where_text(thread)))
        return element("div", name, element("dl", rows, class_="pairs") if rows else None)

    def _rows(self, thread: EndedThread) -> Iterator[tuple[str, Child]]:
        for number, need in enumerate(thread.needs):
            where = None if need.place == thread.place else self._at(need.place)
            yield ("or" if number else "needs"), [element("code", need.text), where]
            yield from self._about(thread.name, need)
        if not thread.complete:
            yield "or", "others"
        calls = calls_text(thread.stack)
        if calls:
            yield ("calls" if len(thread.stack) > 1 else "locals"), calls

    def _about(self, name: str, need: Need) -> Iterator[tuple[str, Child]]:
        if need.values:
            yield "but", ", ".join(map(str, need.values))
        for written in need.written:
            yield "set", self._written(written)
        for chance in need.chances:
            yield "could", self._chance(name, need, chance)
        words = hopeless_text(name, need)
        if words:
            yield "could", words

    def _written(self, written: Written) -> list[Child]:
        text = f"step {written.step}"
        step = element("a", text, href=f"#{self._step(written.step)}")
        by = f"{written.variable} by {written.thread} in "
        return [by, step, *self._at(written.place)]

    def _chance(self, name: str, need: Need, chance: Chance) -> list[Child]:
        return [helper_text(name, need, chance), *self._at(chance.place)]

    def _at(self, place: Place) -> list[Child]:
        """A statement with a link to its line; a rule has none."""
        statement: list[Child] = [": ", element("code", place.statement)] if place.statement else []
        if place.position is None:
            return statement
        anchor, text = self._library.anchor(place.position), place.position.short
        at = text if anchor is None else element("a", text, href=f"#{anchor}")
        return [" at ", at, *statement]
