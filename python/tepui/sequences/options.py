"""What a user may choose about a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, get_args

from tepui.convergence.strength import ESCALATION, Strength
from tepui.errors import UsageError
from tepui.languages import Matching
from tepui.limits import Limits
from tepui.program.slots import MOST_SLOTS

DEFAULT_SLOTS = 8
"""How many forked threads at once are tried, if no one says otherwise."""


EngineName = Literal["auto", "explicit", "diagram", "symbolic"]


@dataclass(frozen=True, slots=True)
class Progress:
    """A glance at a run: the round being computed, and what was found so far."""

    k: int
    states: int | None
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
    """How to run. `engine` says what to explore with: state by state (explicit), with decision
    diagrams (diagram), with sets of symbolic states (symbolic), or with what turns out to be best
    (auto). `contexts` makes it a bounded run, which never proves anything for all bounds.

    `strengths` are the strengths of Z to try, from cheap to sharp; none means to do without Z.
    `liveness` takes the values of dead local variables out of a program's states.
    `slots` is how many forked threads at once to try before a run becomes a bounded one.
    `watch` is told how the run goes on.
    """

    engine: EngineName = "auto"
    symmetry: bool = True
    contexts: int | None = None
    strengths: tuple[Strength, ...] = ESCALATION
    matching: Matching | None = None
    limits: Limits = field(default_factory=Limits)
    liveness: bool = True
    slots: int = DEFAULT_SLOTS
    check: bool = True
    watch: Callable[[Progress], None] = lambda _: None

    def __post_init__(self) -> None:
        check_engine(self.engine)
        for name, count in (
            ("contexts", self.contexts),
            ("max_contexts", self.limits.max_contexts),
        ):
            if count is not None and count < 0:
                raise UsageError(f"{name} is {count}; it must not be negative")
        if not 0 <= self.slots <= MOST_SLOTS:
            raise UsageError(f"slots is {self.slots}; expected 0 to {MOST_SLOTS}")


def check_engine(name: str) -> None:
    """Refuse what is no name of an engine."""
    if name not in get_args(EngineName):
        names = ", ".join(get_args(EngineName))
        raise UsageError(f"there is no engine {name!r}; there are {names}")
