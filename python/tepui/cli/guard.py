"""Ends a command wherever it is: when somebody wants it to end, and at its limits.

A run looks at its limits itself, and stops with what it has found. This is the net below it, for
all that comes before, after and in between: reading, translating, printing. A thread looks at the
limits fifty times a second. If the time or the memory is used up, it sends a signal, whose handler
raises `LimitReached`, wherever Python is. Ctrl-C, SIGTERM and SIGHUP raise KeyboardInterrupt in the
same way. Kernels ask for signals all the time.

Once is enough: whoever ends gets a moment to say what was found, and more signals change nothing.
If the moment is over, it is interrupted again, so that nothing can hold it up.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING, Literal

from tepui.errors import LimitReached
from tepui.limits import (
    Limits,
    counting_from,
    current_memory,
    held_memory,
    is_waiting,
    keep_memory,
    reached_limit,
)

if TYPE_CHECKING:
    from tepui.result import Stop

TICK = 0.02
"""How many seconds lie between two looks."""

SLACK = 0.3
"""How many seconds of work a run may be late that stops by itself."""

MOMENT = 0.6
"""How many seconds of work it may take to end."""

LONG_MOMENT = 3.0
"""How many seconds by the clock both may take, on a machine where others work, too."""

MEMORY_SLACK = 1.02
"""How much more memory than it may hold a run may have that stops by itself."""

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AT_LIMIT = signal.SIGUSR2

MUCH_MEMORY = 2**30

LITTLE_MEMORY = 2**25
"""So much is taken in any case: a run that may not have it should say so itself."""

Why = Literal["interrupted", "time", "memory"]


class Guard:
    """Watches over one command."""

    def __init__(self, began: float) -> None:
        self.began = began
        self.keep(Limits())
        self.why: Why | None = None
        """Why the command was ended, if it was."""
        self.code: int | None = None
        """The exit code, once there is an answer."""
        self.answer = ""
        """The answer in a word."""
        self.has_printed = False
        """Whether an object of JSON was printed, or a part of it."""
        self._worked: float | None = None
        """How long the process had worked when the time was up."""
        self._ends_by: tuple[float, float] | None = None
        """When to end again: the time that the process has worked by then, and the clock."""
        self._is_over = Event()

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """Somebody wants the command to end."""
        self._end("interrupted")

    def on_limit(self, number: int, frame: FrameType | None) -> None:
        """A limit is reached, or the moment is over in which the command should have ended."""
        if (why := self._reached()) is not None:
            self._end(why)

    def watch(self) -> None:
        """Look at the limits until the command is over."""
        main = threading.main_thread().ident
        assert main is not None
        while not self._is_over.wait(TICK):
            if not self._is_ending() and self._reached() is not None:
                signal.pthread_kill(main, AT_LIMIT)

    def _reached(self) -> Why | None:
        if self.why is not None:
            return self.why
        timeout = self.limits.timeout
        slack = SLACK if self.code is None else 2 * SLACK
        if timeout is not None and (late := time.perf_counter() - self.began - timeout) > 0:
            if self._worked is None:
                self._worked = time.process_time()
            if is_waiting() or late > LONG_MOMENT or time.process_time() - self._worked > slack:
                return "time"
        return "memory" if held_memory() > self._most_memory else None

    def keep(self, limits: Limits) -> None:
        """Keep these limits."""
        self.limits = limits
        room = current_memory() + LITTLE_MEMORY
        self._most_memory = max(limits.most_memory * MEMORY_SLACK, room)
        keep_memory(int(self._most_memory))

    def _end(self, why: Why) -> None:
        if self._is_over.is_set() or self._is_ending():
            return
        self._ends_by = time.process_time() + MOMENT, time.perf_counter() + LONG_MOMENT
        self.why = self.why or why
        raise KeyboardInterrupt if why == "interrupted" else LimitReached(why)

    def _is_ending(self) -> bool:
        """Whether it has a moment left to end."""
        if self._ends_by is None:
            return False
        work, clock = self._ends_by
        return time.process_time() < work and time.perf_counter() < clock

    def on_lost(self, lost: sys.UnraisableHookArgs) -> None:
        """An exception was raised where none can be, such as in the middle of a cleanup. If it is
        ours, the next look raises it again."""
        if isinstance(lost.exc_value, KeyboardInterrupt):
            self._ends_by = None
        else:
            sys.__unraisablehook__(lost)

    def has_much_memory(self) -> bool:
        """Whether it would take long to give back all memory."""
        return current_memory() > MUCH_MEMORY

    def let_end(self) -> None:
        """Nothing ends the command any more: all that is left is short."""
        self._is_over.set()

    def stop(self, error: BaseException) -> Stop:
        """Why the command was ended."""
        from tepui.result import Stop

        return Stop.at_limit(self.why or reached_limit(error), self.limits)

    @property
    def verdict(self) -> str | None:
        """The answer, if it is a verdict."""
        return self.answer if self.answer.isalpha() else None

    def last_words(self, stop: Stop) -> str:
        """Why the command was ended, and what is known nevertheless."""
        why = "interrupted" if stop.kind == "interrupted" else stop.text
        if self.code is None:
            return why if stop.kind == "interrupted" else f"unknown: {why}"
        return f"{why} before everything was printed or written; the answer is {self.answer}"


_GUARD: Guard | None = None


@contextmanager
def guarded(began: float, *, for_good: bool) -> Iterator[Guard]:
    """Run a command under a guard, which counts from a moment. If the process ends with it
    `for_good`, signals stay with the guard, so that none can disturb the end."""
    global _GUARD
    guard = _GUARD = Guard(began)
    before = {number: signal.getsignal(number) for number in (*ENDING, AT_LIMIT)}
    for number in ENDING:
        if before[number] != signal.SIG_IGN:  # As `nohup` and shells want it.
            signal.signal(number, guard.on_signal)
    signal.signal(AT_LIMIT, guard.on_limit)
    sys.unraisablehook = guard.on_lost
    watch = threading.Thread(target=guard.watch, name="guard", daemon=True)
    watch.start()
    try:
        with counting_from(began):
            yield guard
    finally:
        guard.let_end()
        watch.join()
        if not for_good:
            for number, handler in before.items():
                signal.signal(number, handler)
            sys.unraisablehook = sys.__unraisablehook__
        keep_memory(None)
        _GUARD = None


def keep(limits: Limits) -> Limits:
    """Keep the limits of the command that is being run."""
    if _GUARD is not None:
        _GUARD.keep(limits)
    return limits


def answered(code: int, answer: str) -> None:
    """There is an answer. Whatever ends the command now, its exit code stays."""
    if _GUARD is not None:
        _GUARD.code, _GUARD.answer = code, answer


def prints_json() -> None:
    """An object of JSON is about to be printed, so that there will be no other one."""
    if _GUARD is not None:
        _GUARD.has_printed = True


def has_printed_json() -> bool:
    return _GUARD is not None and _GUARD.has_printed
