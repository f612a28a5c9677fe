"""What reading an input gives: the system, and what is odd about the file but not wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

from tepui.model import System


@dataclass(frozen=True, slots=True)
class Loaded:
    """A system with the warnings that its user should see, each a full sentence with its place."""

    system: System
    warnings: list[str] = field(default_factory=list)
