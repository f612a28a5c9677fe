"""The door to the compiled kernels: a model's System in, numbers out.

Everything that calls Rust goes through here, so that nothing else knows how a System, a Property
or a limit is handed over.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from tepui import _core
from tepui._core import Cut, Explorer, PAutomaton
from tepui.model import Property, System

__all__ = [
    "Cut",
    "Explorer",
    "GivenLimits",
    "Outcome",
    "PAutomaton",
    "given_property",
    "given_system",
]

Outcome = Literal["done", "paused", "states", "memory", "time", "interrupted"]
"""How a call that advances a kernel ended: done, unfinished, or at which limit."""


class GivenLimits(TypedDict):
    """What a kernel may use up before it hands control back; None is no limit."""

    states: int | None
    bytes: int | None
    seconds: float | None
    pause: int | None


def given_system(system: System) -> _core.System:
    """A system as the kernels take it."""
    templates = [
        (
            len(template.symbols),
            template.stack,
            [(rule.source, rule.top, rule.target, rule.word) for rule in template.rules],
        )
        for template in system.templates
    ]
    return _core.System(len(system.shared), system.initial, templates, system.threads)


def given_property(
    bad: Property,
) -> tuple[list[tuple[int | None, tuple[int | None, ...]]], bool]:
    """A property as the kernels take it."""
    return [(pattern.shared, pattern.tops) for pattern in bad.patterns], bad.deadlock
