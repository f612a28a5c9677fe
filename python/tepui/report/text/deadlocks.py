"""Why no thread can move, as text: a block for each thread, and the threads that wait in a cycle.

A block says what the thread needs, which values it has instead, who set these, who could change
them, and which calls the thread is in.
"""

from __future__ import annotations

from collections.abc import Iterator

from tepui.report.text.paint import wrapped
from tepui.subject.deadlock.explanation import (
    Chance,
    Deadlock,
    EndedThread,
    Need,
    Place,
    Written,
)
from tepui.subject.story import Activation
from tepui.words import counted

_INDENT = 10
_LABELS = 8
"""The width of the labels."""

_MOST_NEEDS = 4
_MOST_CHANCES = 3
_MOST_CALLS = 5
"""How many are shown; the JSON has all."""


def thread_lines(thread: EndedThread, width: int | None) -> list[str]:
    """Where a thread is, and what it needs."""
    lines = wrapped([f"{'':{_INDENT}}{where_text(thread)}"], width, _INDENT + 2)
    for label, text in thread_rows(thread):
        head = f"{'':{_INDENT + 2}}{label:<{_LABELS}}"
        lines += wrapped([f"{head}{text}"], width, len(head) + 2)
    return lines


def cycle_lines(deadlock: Deadlock, width: int | None) -> list[str]:
    """The threads that wait for each other; nothing if there are none."""
    return wrapped([f"   cycle  {deadlock.sentence}"], width, 10) if deadlock.cycle else []


def where_text(thread: EndedThread) -> str:
    """The place of a thread, or what has become of it."""
    if thread.state != "stuck" or thread.place is None:
        words = {"over": "over", "not created": "not created yet", "stuck": "stuck"}
        return f"{thread.name}: {words[thread.state]}"
    if thread.place.position is None and not thread.place.procedure:
        kind = thread.needs[0].kind if thread.needs else ""
        joint = " with" if kind in ("shared state", "way on") else ":"
        return f"{thread.name}{joint} {thread.place.statement}"
    return f"{thread.name}{_at(thread.place)}"


def thread_rows(thread: EndedThread) -> Iterator[tuple[str, str]]:
    """What is said about a thread that is stuck, each with a label."""
    for number, need in enumerate(thread.needs[:_MOST_NEEDS]):
        yield ("or" if number else "needs"), f"{need.text}{_elsewhere(thread, need)}"
        yield from need_rows(thread.name, need)
    more = len(thread.needs) - _MOST_NEEDS
    if more > 0 or not thread.complete:
        yield "or", "others" if more <= 0 else f"one of {counted(more, 'other')}"
    calls = calls_text(thread.stack)
    if calls:
        yield ("calls" if len(thread.stack) > 1 else "locals"), calls


def need_rows(name: str, need: Need) -> Iterator[tuple[str, str]]:
    """What is there instead of what a thread needs, and who could change that."""
    if need.values:
        yield "but", ", ".join(map(str, need.values))
    for written in need.written:
        yield "set", written_text(written)
    for chance in need.chances[:_MOST_CHANCES]:
        yield "could", f"{helper_text(name, need, chance)}{_at(chance.place)}"
    more = len(need.chances) - _MOST_CHANCES
    if more > 0:
        yield "could", f"{counted(more, 'other thread')}"
    words = hopeless_text(name, need)
    if words:
        yield "could", words


def written_text(written: Written) -> str:
    """Who set a variable last."""
    when = f"{written.variable} by {written.thread} in context {written.context}"
    return f"{when}{_at(written.place)}"


def helper_text(name: str, need: Need, chance: Chance) -> str:
    """Who could help a thread: another one, or itself if it came further."""
    if need.kind in ("join", "receipt"):
        return f"{chance.thread}, now"
    return f"only {name} itself, further on" if chance.thread == name else chance.thread


def hopeless_text(name: str, need: Need) -> str:
    """Why nobody can help a thread, where that is not clear from what is said before."""
    if not need.hopeless or need.kind == "way on" or need.chances:
        return ""
    if need.kind == "join":
        return "nobody: that is no thread that could end"
    if need.kind == "shared state":
        return "nobody: no thread has a rule ahead that leads there"
    if not need.values:
        return f"nobody: {'it is never true' if need.kind == 'condition' else 'there is never one'}"
    what = "makes it true" if need.kind in ("condition", "lock") else "changes that"
    return f"nobody: no thread has a statement ahead that {what}"


def calls_text(stack: tuple[Activation, ...]) -> str:
    """The calls of a thread with their local variables; for a single one, only these."""
    if len(stack) == 1:
        return _locals(stack[0])
    shown = [f"{call}{f' ({_locals(call)})' if call.locals else ''}" for call in stack]
    if len(shown) > _MOST_CALLS + 1:
        left = len(shown) - _MOST_CALLS
        shown = [*shown[: _MOST_CALLS - 1], f"… {left} more …", shown[-1]]
    return " < ".join(shown)


def _locals(call: Activation) -> str:
    return ", ".join(f"{each.name} = {each.value or '-'}" for each in call.locals)


def _elsewhere(thread: EndedThread, need: Need) -> str:
    """Where that is, if not where the thread is."""
    return "" if need.place == thread.place else f",{_at(need.place)}"


def _at(place: Place) -> str:
    """A statement with its place; a rule has none."""
    at = "" if place.position is None else f" at {place.position.short}"
    return f"{at}: {place.statement}" if place.statement else at
