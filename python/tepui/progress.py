"""How far a run has come, for users who wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tepui.records import record

if TYPE_CHECKING:
    from tepui.engines.rounds import Delayed

EXPLORING = "exploring"
"""The activity most of the time."""


@record
class Progress:
    """A glance at a run: the round being computed, and what was found so far. During other
    activities than exploring, the numbers may be those of another engine, or missing."""

    k: int
    states: int | None
    visible: int
    new_visible: int
    seconds: float
    memory: int
    """What the process holds, in bytes."""
    round_complete: bool
    activity: str = EXPLORING
    """The current activity, in words."""
    delays: Delayed | None = None
    """Where delays are counted, the last R(r, d) that is complete."""
    steps: int | None = None
    """Where steps are counted, how many the last complete round has."""
