"""Ctrl-C while a kernel is at work, from inside the process."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any


class Interrupting:
    """A kernel whose work is interrupted again and again, ten times in all.

    The alarm is set around the kernel alone: in the code that notes what a kernel has done, an
    interruption would end the test itself. It counts the time that the process has worked, so that
    a busy machine makes no difference, and the clock of pytest-timeout goes on.
    """

    def __init__(self, kernel: Any, seconds: float) -> None:
        self._kernel = kernel
        self._seconds = seconds
        self.interruptions = 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._kernel, name)
        return self._interrupted(found) if name in ("advance", "add_delay") else found

    def _interrupted(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def interrupted(*arguments: Any) -> Any:
            before = signal.signal(signal.SIGVTALRM, signal.default_int_handler)
            try:
                soon = self._seconds if self.interruptions < 10 else 0
                signal.setitimer(signal.ITIMER_VIRTUAL, soon)
                return work(*arguments)
            except KeyboardInterrupt:
                self.interruptions += 1
                raise
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                signal.signal(signal.SIGVTALRM, before)

        return interrupted
