"""What a user may choose about a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tepui.convergence.strength import ESCALATION, Strength
from tepui.errors import UsageError
from tepui.languages import Matching
from tepui.limits import Limits


@dataclass(frozen=True, slots=True)
class Progress:
    """A glance at a run: the round being computed, and what was found so far."""

    k: int
    states: int
    visible: int
    new_visible: int
    seconds: float
    memory: int
    """What the process holds, in bytes."""
    round_complete: bool
    activity: str = "exploring"
    """What is going on, for those who wait."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to run. `contexts` makes it a bounded run, which never proves anything for all bounds.

    `strengths` are the strengths of Z to try, from cheap to sharp; none means to do without Z.
    `liveness` takes the values of dead local variables out of a program's states.
    `watch` is told how the run goes on.
    """

    symmetry: bool = True
    contexts: int | None = None
    strengths: tuple[Strength, ...] = ESCALATION
    matching: Matching | None = None
    limits: Limits = field(default_factory=Limits)
    liveness: bool = True
    check: bool = True
    watch: Callable[[Progress], None] = lambda _: None

    def __post_init__(self) -> None:
        for name, count in (
            ("contexts", self.contexts),
            ("max_contexts", self.limits.max_contexts),
        ):
            if count is not None and count < 0:
                raise UsageError(f"{name} is {count}; it must not be negative")
