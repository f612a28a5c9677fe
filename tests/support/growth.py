"""The amount of work of a computation, counted and not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def calls(work: Callable[[], object]) -> int:
    """How many functions are called, built-in ones included."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def grows_with_its_size(work: Callable[[int], object], size: int) -> bool:
    """Whether four times the size is about four times the work, and not sixteen times."""
    work(1)  # What is only done once counts for neither.
    return calls(lambda: work(4 * size)) < 6 * calls(lambda: work(size))
