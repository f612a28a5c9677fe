"""How long a check may take. The caller decides that, and is asked now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from tepui.errors import CheckStopped

_STEPS_BETWEEN_QUESTIONS = 10_000

STEPS_PER_PAIR = 10
"""About how much work it is to compute the steps of a program from a shared state and a frame."""

_Item = TypeVar("_Item")


class Patience:
    """Raises CheckStopped once `go_on` says no."""

    def __init__(self, go_on: Callable[[], bool]) -> None:
        self._go_on = go_on
        self._left = 0

    def spend(self, steps: int = 1) -> None:
        """Count some steps of work, and ask again after many."""
        self._left -= steps
        if self._left < 0:
            self.ask()

    def ask(self) -> None:
        self._left = _STEPS_BETWEEN_QUESTIONS
        if not self._go_on():
            raise CheckStopped("the time limit was reached first")

    def each(self, items: Iterable[_Item]) -> Iterator[_Item]:
        """The items, until the check is to stop."""
        self.ask()
        for item in items:
            yield item
            self.spend()
