"""What a run may use up, and how much of it is left.

Limits end a run with «unknown» and everything found so far; they never change an answer.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path

from tepui.errors import UsageError
from tepui.kernels.door import Cancel, KernelLimits
from tepui.records import field, mutable_record, record, replace

PAUSE = 200_000
"""After how many new states a kernel hands control back, for progress and early answers."""


@record
class Limits:
    """The limits that a user sets: seconds, bytes, contexts.

    Without `memory`, the limit is four fifths of what the machine has.

    >>> limits = tepui.Limits(timeout=10, memory=2**30, max_contexts=20)
    >>> system = tepui.load("examples/figure4.cpds")
    >>> tepui.explore(system, tepui.Options(limits=limits)).verdict
    'collapsed'
    """

    timeout: float | None = None
    memory: int | None = None
    max_contexts: int | None = None

    def __post_init__(self) -> None:
        if self.timeout is not None and not isinstance(self.timeout, int | float):
            raise UsageError(f"timeout is {self.timeout!r}; expected seconds, as a number")
        check_count("memory", self.memory, most=2**62)
        check_count("max_contexts", self.max_contexts)


def check_count(name: str, count: object, least: int = 0, most: int | None = None) -> None:
    """Raise a UsageError if this is not a number of something. None stands for no limit."""
    if count is None:
        return
    if not isinstance(count, int) or isinstance(count, bool):
        raise UsageError(f"{name} is {count!r}; expected a whole number")
    if count < least:
        what = "it must not be negative" if least == 0 else f"it must be at least {least}"
        raise UsageError(f"{name} is {count}; {what}")
    if most is not None and count > most:
        raise UsageError(f"{name} is {count}; it must be at most {most}")


@mutable_record
class Meter:
    """Measures a run against its limits, from the moment it is made."""

    limits: Limits
    started: float = field(default_factory=time.perf_counter)
    interrupted: bool = False
    """Whether the user interrupted the run. Then the rest is not done."""
    cancel: Cancel = field(default_factory=Cancel)
    """Stops kernels that run in other threads."""
    is_cancelled: bool = False
    """Whether kernels in other threads are to stop."""

    def cancel_others(self, stop: bool) -> None:
        """Ask kernels in other threads to stop, or take that back."""
        self.is_cancelled = stop
        self.cancel.ask(stop)

    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def seconds_left(self) -> float | None:
        if self.limits.timeout is None:
            return None
        return self.limits.timeout - self.seconds()

    def part(self, share: float | None) -> Meter:
        """A meter over a part of the run, which may take a share of the time that is left."""
        left = self.seconds_left()
        if share is None or left is None:
            return self
        limits = replace(self.limits, timeout=self.seconds() + share * left)
        return Meter(limits, self.started, self.interrupted, self.cancel, self.is_cancelled)

    def is_out_of_time(self) -> bool:
        left = self.seconds_left()
        return left is not None and left <= 0

    def bytes_left(self) -> int:
        """How many more bytes may be used, given what the process holds now."""
        memory = self.limits.memory
        if memory is None:
            memory = physical_memory() * 4 // 5
        left = memory - current_memory()
        if left <= 0:
            _give_back()
            left = memory - current_memory()
        return max(0, left)

    def for_question(self) -> KernelLimits:
        """Limits for asking a kernel what it has found: only time counts."""
        return {
            "states": None,
            "bytes": None,
            "seconds": self.seconds_left(),
            "pause": None,
            "cancel": self.cancel,
        }

    def for_kernel(self, held: int, states: int | None = None) -> KernelLimits:
        """Limits for a kernel that already holds this many bytes."""
        return {
            "states": states,
            "bytes": held + self.bytes_left(),
            "seconds": self.seconds_left(),
            "pause": PAUSE,
            "cancel": self.cancel,
        }


def _give_back() -> None:
    """Return memory that this process holds but does not use, where there is a way to do so."""
    import ctypes

    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError):
        return


def peak_memory() -> int:
    """The most memory that this process ever held, in bytes."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        # This one may count what the parent process held when it started this one.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


def current_memory() -> int:
    """The memory that this process holds, in bytes; where the system does not say, its peak."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return peak_memory()
    return pages * os.sysconf("SC_PAGE_SIZE")


def physical_memory() -> int:
    """The memory of the machine, or of the container that we are in, in bytes."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        allowed = int(Path("/sys/fs/cgroup/memory.max").read_text())
    except (OSError, ValueError):
        return memory
    return min(memory, allowed)
