"""What a run may use up, and how much of it is left.

Limits end a run with «unknown» and everything found so far; they never change an answer.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tepui.errors import LimitReached, UsageError
from tepui.kernels.door import Cancel, KernelLimits, Outcome
from tepui.records import field, mutable_record, record, replace
from tepui.words import number_text

PAUSE = 200_000
"""After how many new states a kernel hands control back, for progress and early answers."""


@record
class Limits:
    """The limits that a user sets: seconds, bytes, contexts.

    Without `memory`, the limit is four fifths of what the machine has. If the system bounds the
    address space of the process (`ulimit -v`), no more is used than fits there.

    >>> limits = tepui.Limits(timeout=10, memory=2**30, max_contexts=20)
    >>> system = tepui.load("examples/figure4.cpds")
    >>> tepui.explore(system, tepui.Options(limits=limits)).verdict
    'collapsed'
    """

    timeout: float | None = None
    memory: int | None = None
    max_contexts: int | None = None

    def __post_init__(self) -> None:
        if self.timeout is not None and not _is_time(self.timeout):
            raise UsageError("timeout is no number of seconds; expected one such as 10 or 0.5")
        check_count("memory", self.memory, most=2**62)
        check_count("max_contexts", self.max_contexts)

    @property
    def most_memory(self) -> int:
        """How much memory this process may hold, in bytes."""
        most = physical_memory() * 4 // 5 if self.memory is None else self.memory
        return min(most, _memory_of_process())

    @property
    def is_process_bounded(self) -> bool:
        """Whether the system lets this process have less memory than the machine has."""
        return _memory_of_process() < sys.maxsize


def _is_time(seconds: object) -> bool:
    """Whether this is a number of seconds; it may be infinite."""
    if not isinstance(seconds, int | float) or isinstance(seconds, bool):
        return False
    return 0 <= seconds <= sys.float_info.max or seconds == float("inf")


def check_count(name: str, count: object, least: int = 0, most: int | None = None) -> None:
    """Raise a UsageError if this is not a number of something. None stands for no limit."""
    if count is None:
        return
    if not isinstance(count, int) or isinstance(count, bool):
        raise UsageError(f"{name} is {count!r}; expected a whole number")
    if count < least:
        what = "it must not be negative" if least == 0 else f"it must be at least {least}"
        raise UsageError(f"{name} is {number_text(count)}; {what}")
    if most is not None and count > most:
        raise UsageError(f"{name} is {number_text(count)}; it must be at most {most}")


def reached_limit(error: BaseException) -> Outcome:
    """The limit that an error tells of."""
    if isinstance(error, LimitReached):
        return error.limit
    if isinstance(error, MemoryError):
        return "memory"
    return "time" if isinstance(error, TimeoutError) else "interrupted"


def _beginning() -> float:
    """When the command began that is being run, or else now."""
    return time.perf_counter() if _BEGAN is None else _BEGAN


_BEGAN: float | None = None


_waits = False


@contextmanager
def waiting() -> Iterator[None]:
    """This process only waits for another one meanwhile, so a limit can end it at once."""
    global _waits
    before, _waits = _waits, True
    try:
        yield
    finally:
        _waits = before


def is_waiting() -> bool:
    """Whether this process waits for another one."""
    return _waits


@contextmanager
def counting_from(began: float | None = None) -> Iterator[None]:
    """Let all meters count from a moment, or from now on if they have no other: a command counts
    what comes before its runs, too."""
    global _BEGAN
    outside, _BEGAN = _BEGAN, _beginning() if began is None else began
    try:
        yield
    finally:
        _BEGAN = outside


_MOST_MEMORY: int | None = None


def keep_memory(most: int | None) -> None:
    """From now on the command may hold this much memory, as far as it asks; None is no limit. All
    processes that it starts are its own, and what they hold counts."""
    global _MOST_MEMORY
    _MOST_MEMORY = most


def held_memory() -> int:
    """The memory that this process holds, in bytes, with that of the solvers and compilers that it
    has started, if a command is run."""
    return current_memory() + (0 if _MOST_MEMORY is None else _memory_of_children())


def _memory_of_children() -> int:
    """What the children of the main thread hold that they share with nobody. Tasks of a suite are
    started by other threads, and have limits of their own."""
    me = os.getpid()
    held = 0
    try:
        for child in Path(f"/proc/self/task/{me}/children").read_text().split():
            with suppress(OSError, ValueError, IndexError):  # It has just ended.
                _, pages, shared, *_ = Path(f"/proc/{child}/statm").read_text().split()
                held += (int(pages) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):  # The system does not say.
        return 0
    return held


def room() -> int | None:
    """How many more bytes the command that is being run may hold; None without a command. Less than
    nothing if it holds too much."""
    return None if _MOST_MEMORY is None else _MOST_MEMORY - held_memory()


def require_room(more: int) -> None:
    """Raise LimitReached if the command that is being run has no room for this many more bytes.
    Whoever takes much at once asks first: it cannot be stopped in the middle."""
    left = room()
    if left is not None and more > left:
        raise LimitReached("memory")


@mutable_record
class Meter:
    """Measures a run against its limits, from the moment it is made, or since its command began."""

    limits: Limits
    started: float = field(default_factory=_beginning)
    stopped: Outcome | None = None
    """Why the rest is not done, if the run was interrupted, or a limit was reached wherever it
    was."""
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

    def part(self, share: float | None, seconds: float | None = None) -> Meter:
        """A meter over a part of the run, which may take a share of the time that is left, and no
        more than some seconds."""
        left = self.seconds_left()
        most = None if left is None or share is None else share * left
        if seconds is not None:
            most = min(each for each in (seconds, most, left) if each is not None)
        if most is None:
            return self
        limits = replace(self.limits, timeout=self.seconds() + most)
        return Meter(limits, self.started, self.stopped, self.cancel, self.is_cancelled)

    def rest(self) -> Limits:
        """Limits for a part of the run that makes a meter of its own, which ends when this one
        does: it begins when the command did that is being run, or now."""
        left = self.seconds_left()
        if left is None:
            return self.limits
        began = time.perf_counter() - _beginning()
        return replace(self.limits, timeout=max(0.0, left + began))

    def take_over(self, part: Meter) -> None:
        """A part of the run has ended. That its own time is over does not stop the rest."""
        if part is not self and (part.stopped != "time" or self.is_out_of_time()):
            self.stopped = part.stopped

    def is_out_of_time(self) -> bool:
        left = self.seconds_left()
        return left is not None and left <= 0

    def bytes_left(self) -> int:
        """How many more bytes may be used, given what the process holds now."""
        left = self.limits.most_memory - held_memory()
        if left <= 0:
            _give_back()
            left = self.limits.most_memory - held_memory()
        return max(0, left)

    def may_go_on(self) -> bool:
        """Whether there is time and memory left."""
        return not self.is_out_of_time() and self.bytes_left() > 0

    def for_question(self) -> KernelLimits:
        """Limits for asking a kernel what it has found: only time counts."""
        return {
            "states": None,
            "bytes": None,
            "seconds": self.seconds_left(),
            "pause": None,
            "cancel": self.cancel,
            "run": (None, self.limits.most_memory),
        }

    def for_kernel(self, held: int, states: int | None = None) -> KernelLimits:
        """Limits for a kernel that already holds this many bytes."""
        return {
            "states": states,
            "bytes": held + self.bytes_left(),
            "seconds": self.seconds_left(),
            "pause": PAUSE,
            "cancel": self.cancel,
            "run": (self.seconds_left(), self.limits.most_memory),
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


def _memory_of_process() -> int:
    """How much memory fits into the address space that this process may have. A table that grows
    is there twice for a moment, once in double size, so a third of what is free is used."""
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY:
        return sys.maxsize
    try:
        mapped = int(Path("/proc/self/statm").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return most // 3
    free = most - mapped * os.sysconf("SC_PAGE_SIZE")
    return current_memory() + max(0, free) // 3


def physical_memory() -> int:
    """The memory of the machine, or of the container that we are in, in bytes."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        allowed = int(Path("/sys/fs/cgroup/memory.max").read_text())
    except (OSError, ValueError):
        return memory
    return min(memory, allowed)
