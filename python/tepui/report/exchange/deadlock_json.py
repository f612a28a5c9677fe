"""Why no thread can move at the end of a trace, as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tepui.subject.deadlock.explanation import (
    Deadlock,
    EndedThread,
    Need,
    Place,
)
from tepui.subject.story import Activation


def deadlock_object(deadlock: Deadlock) -> dict[str, Any]:
    """A deadlock by names."""
    return {
        "threads": [_thread(thread) for thread in deadlock.threads],
        "cycle": list(deadlock.cycle),
        "values": list(deadlock.values),
    }


def _thread(thread: EndedThread) -> dict[str, Any]:
    return {
        "thread": thread.name,
        "state": thread.state,
        "place": None if thread.place is None else _place(thread.place),
        "stack": [_call(call) for call in thread.stack],
        "needs": [_need(need) for need in thread.needs],
        "complete": thread.complete,
        "waits_for": list(thread.waits_for),
    }


def _call(call: Activation) -> dict[str, Any]:
    return {
        "procedure": call.procedure,
        "line": call.line,
        "locals": {local.name: local.value for local in call.locals},
    }


def _need(need: Need) -> dict[str, Any]:
    return {
        "kind": need.kind,
        "text": need.text,
        "place": _place(need.place),
        "values": [asdict(seen) for seen in need.values],
        "written": [
            {
                "variable": written.variable,
                "thread": written.thread,
                "context": written.context,
                "step": written.step,
                "place": _place(written.place),
            }
            for written in need.written
        ],
        "chances": [
            {"thread": chance.thread, "place": _place(chance.place)} for chance in need.chances
        ],
        "hopeless": need.hopeless,
    }


def _place(place: Place) -> dict[str, Any]:
    position = place.position
    return {
        "file": None if position is None else position.file,
        "line": None if position is None else position.line,
        "column": None if position is None else position.column,
        "procedure": place.procedure or None,
        "statement": place.statement,
    }
