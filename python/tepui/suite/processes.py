"""Running tasks, each in a process of its own, so that a crash affects no other task.

A process gets its limits as options and observes them. One that does not is killed, with all that
it started: some seconds after its time limit, or when it holds much more memory than it may, on
systems that report this. Whatever a process does, there is an outcome: a crash, a kill by the
system and nonsense on its output are answers as well.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from tepui.records import record
from tepui.report.verdicts import EXIT_CODES
from tepui.suite.outcome import Answer, Ran
from tepui.tasks.task import Counts
from tepui.words import printable

GRACE = 10.0
"""Seconds that a process has beyond its time limit, to load its file and to write its answer."""

MEMORY_GRACE = 2**28
"""Bytes that a process may hold beyond its memory limit and a quarter of that."""

_LIMITS: dict[str, Answer] = {"time": "timeout", "memory": "out of memory"}
_LOOK_SECONDS = 0.1
_KEPT_LINES = 12
_KEPT_BYTES = 4000
_Item = TypeVar("_Item")


@record
class Job:
    """A task as it is run: plain data, which can be sent elsewhere."""

    name: str
    arguments: tuple[str, ...]
    """The arguments of tepui, the command included."""
    files: tuple[Path, ...] = ()
    """All files that it reads."""
    timeout: float | None = None
    """Its time limit in seconds."""
    memory: int | None = None
    """Its memory limit in bytes."""
    grace: float = GRACE
    program: tuple[str, ...] = ("-m", "tepui.cli.task_process")
    """The module that Python runs."""


def run_job(job: Job, stopped: Callable[[], bool] = lambda: False) -> Ran | None:
    """Run a task to its end. Returns None if it was stopped before."""
    try:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            start = time.monotonic()
            with _started(job, out, err) as process:
                why = _wait(process, job, start, stopped)
            seconds = time.monotonic() - start
            said, complaint = _read(out), _last_lines(_read(err, _KEPT_BYTES))
    except (OSError, ValueError) as error:
        return Ran("crashed", 0.0, detail=f"no process could be started: {error}")
    if why == "stopped":
        return None
    if why is not None:
        reason = f"it did not heed its {why} limit and was killed"
        return Ran(_LIMITS[why], seconds, detail="\n".join(filter(None, (reason, complaint))))
    return read_answer(process.returncode, said, complaint, seconds)


def run_here(
    jobs: Sequence[Job], workers: int, begin: Callable[[Job], None]
) -> Generator[tuple[Job, Ran], None, None]:
    """Run tasks on this machine, `jobs` at a time, and yield each when it ends.

    If the iteration is left early, the running tasks are ended.
    """
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Job, Ran] | BaseException] = queue.SimpleQueue()
    for job in jobs:
        waiting.put(job)
    stop = threading.Event()

    def work() -> None:
        with contextlib.suppress(queue.Empty):
            while not stop.is_set():
                job = waiting.get_nowait()
                begin(job)
                try:
                    ran = run_job(job, stop.is_set)
                except BaseException as error:
                    done.put(error)
                    return
                if ran is not None:
                    done.put((job, ran))

    threads = [threading.Thread(target=work) for _ in range(min(workers, len(jobs)))]
    for thread in threads:
        thread.start()
    try:
        for _ in jobs:
            ended = _next(done)
            if isinstance(ended, BaseException):
                raise ended
            yield ended
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def read_answer(code: int, said: str, complaint: str, seconds: float) -> Ran:
    """The answer of a process, from its exit code, its output and its error messages."""
    if code < 0:
        return Ran("crashed", seconds, detail=_killed(-code, complaint))
    if code == 2:
        return Ran("error", seconds, detail=complaint)
    try:
        result = json.loads(said)
        return _ran(result, code, seconds)
    except (ValueError, KeyError, TypeError, RecursionError):
        if code == 3:
            return Ran("unknown", seconds, detail=complaint)
        reason = complaint or "what it printed is no result of tepui"
        return Ran("crashed", seconds, detail=f"exit code {code}: {reason}")


def _ran(result: dict[str, Any], code: int, seconds: float) -> Ran:
    if "entries" in result:
        result = _worst_entry(result)
    answer = _answer(result, code)
    return Ran(
        answer,
        seconds,
        result["peak_memory_bytes"],
        result.get("engine"),
        result.get("bound"),
        _counts(result) if answer == "collapsed" else None,
        result["checked"] if answer in ("safe", "unsafe") else None,
        printable(result["reason"] or result.get("violated") or ""),
    )


def _worst_entry(result: dict[str, Any]) -> dict[str, Any]:
    """The answer that decides about several entries, with the memory of all of them."""
    answers = [each["answer"] for each in result["entries"] if each["answer"] is not None]
    worst = next(each for each in answers if each["verdict"] == result["verdict"])
    return {**worst, "peak_memory_bytes": max(each["peak_memory_bytes"] for each in answers)}


def _answer(result: dict[str, Any], code: int) -> Answer:
    verdict = result["verdict"]
    if EXIT_CODES[verdict] != code:
        raise ValueError(f"the verdict is {verdict}, and the exit code {code}")
    if verdict in ("unknown", "stopped"):
        stop = result["stop"] or {"kind": "unknown"}
        return _LIMITS.get(stop["kind"], "unknown")
    return cast(Answer, verdict)


def _counts(result: dict[str, Any]) -> Counts:
    """The counts of an exploration. Its bound is kept only if it counts contexts, since other
    bounds cannot be compared."""
    bound = result["bound"] if result["resource"] == "contexts" else None
    return Counts(bound, result["visible_states"], result["states"])


def _killed(number: int, complaint: str) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    memory = ", perhaps by the system for lack of memory" if number == signal.SIGKILL else ""
    return "\n".join(filter(None, (f"killed by {name}{memory}", complaint)))


def _next(done: queue.SimpleQueue[_Item]) -> _Item:
    """Wait for the next item. The wait is interrupted now and then, so that a signal is handled: if
    another thread received it, nothing else would wake this one."""
    while True:
        with contextlib.suppress(queue.Empty):
            return done.get(timeout=_LOOK_SECONDS)


def _started(job: Job, out: IO[bytes], err: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *job.program, *job.arguments],
        stdin=subprocess.PIPE,
        stdout=out,
        stderr=err,
        start_new_session=True,
    )


def _wait(
    process: subprocess.Popen[bytes], job: Job, start: float, stopped: Callable[[], bool]
) -> str | None:
    """Wait until a process ends, or there is a reason to kill it; return the reason."""
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_SECONDS)
            return None
        why = "stopped" if stopped() else _passed(job, start, process.pid)
        if why is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return why


def _passed(job: Job, start: float, process: int) -> str | None:
    """The limit that a process has clearly exceeded, if there is one."""
    if job.timeout is not None and time.monotonic() > start + job.timeout + job.grace:
        return "time"
    if job.memory is not None and _memory(process) > job.memory + job.memory // 4 + MEMORY_GRACE:
        return "memory"
    return None


def _memory(process: int) -> int:
    """The bytes of memory that a process holds; 0 if the system does not say."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _read(file: IO[bytes], last: int | None = None) -> str:
    """What a process wrote, or the last bytes of it."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0 if last is None else max(0, size - last))
    return file.read().decode("utf-8", "replace")


def _last_lines(text: str) -> str:
    """The end of a text, without characters that could upset a terminal or a file."""
    lines = text.rstrip().splitlines()[-_KEPT_LINES:]
    return "\n".join(map(printable, lines))
