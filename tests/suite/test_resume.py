"""A suite that is killed or stopped loses nothing that has ended, and goes on where it was."""

from __future__ import annotations

import os
import pty
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.cli import HANGS, TEPUI, call
from support.samples.suites import COUNTS, ENDLESS, EXPLORED, FOREVER, UNSAFE, write_suite

TASKS = {
    "a": (UNSAFE, "unsafe"),
    "b": (EXPLORED, COUNTS),
    "endless": (ENDLESS, "unknown"),
    "z": (UNSAFE, "unsafe"),
}
"""Two that end, one that does not, and one that is not reached."""


def test_a_killed_suite_goes_on_where_it_was(tmp_path: Path) -> None:
    write_suite(tmp_path / "m", TASKS)
    with _in_the_middle(tmp_path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait(HANGS)
    _wait_until_nobody_runs(tmp_path / "m" / "endless.cpds")
    before = _ends(tmp_path)
    assert set(before) == {"m/a", "m/b"}
    write_suite(tmp_path / "m", {**TASKS, "endless": (UNSAFE, "unsafe")})
    done = call("suite", "m", *FOREVER, cwd=tmp_path)
    assert done.code == 0
    lines = [line.split()[-1] for line in done.out.splitlines() if "MiB  " in line]
    assert lines == ["m/endless", "m/z"]
    assert "; 2 done before" in done.out
    after = _ends(tmp_path)
    assert {task: after[task] for task in before} == before
    assert set(after) == {"m/a", "m/b", "m/endless", "m/z"}


def test_a_suite_that_is_stopped_says_how_to_go_on(tmp_path: Path) -> None:
    write_suite(tmp_path / "m", TASKS)
    with _in_the_middle(tmp_path) as process:
        second = call("suite", "m", *FOREVER, cwd=tmp_path)
        assert (second.code, second.out) == (2, "")
        assert "another tepui writes to this store" in second.err
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)  # Once is enough.
        out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 3
    assert out.startswith("2 tasks: 2 correct\n")
    assert err == (
        "stopped after 2 of 4 tasks; what has ended is kept, and the same command continues\n"
    )
    _wait_until_nobody_runs(tmp_path / "m" / "endless.cpds")
    only = ("--only", "m/a", "--only", "m/b", "--only", "m/z")
    done = call("suite", "m", *FOREVER, *only, cwd=tmp_path)
    assert done.code == 0
    assert "; 2 done before" in done.out


def test_a_closed_terminal_stops_a_suite_which_still_writes_its_files(tmp_path: Path) -> None:
    write_suite(tmp_path / "m", {name: TASKS[name] for name in ("a", "endless")})
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [TEPUI, "suite", "m", *FOREVER, "--html", "t.html"],
        cwd=tmp_path,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        shown = b""
        while b"MiB  m/a" not in shown:
            shown += os.read(ours, 4096)
        os.close(ours)
        process.send_signal(signal.SIGHUP)
        assert process.wait(HANGS) == 3
    assert ">m/a</a>" in (tmp_path / "t.html").read_text(encoding="utf-8")


@contextmanager
def _in_the_middle(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A suite that has told of two tasks, and is at work on the one without an end."""
    with subprocess.Popen(
        [TEPUI, "suite", "m", *FOREVER],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        try:
            assert process.stdout is not None
            for _ in range(2):
                assert "correct" in process.stdout.readline()
            while not _running(folder / "m" / "endless.cpds"):
                time.sleep(0.01)
            yield process
        finally:
            process.kill()


def _running(model: Path) -> bool:
    """Whether some process has this model among its arguments."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.fsencode(model) in (entry / "cmdline").read_bytes():
                    return True
            except OSError:
                continue
    return False


def _wait_until_nobody_runs(model: Path) -> None:
    end = time.monotonic() + HANGS
    while _running(model):
        assert time.monotonic() < end
        time.sleep(0.01)


def _ends(folder: Path) -> dict[str, tuple[str, float]]:
    """When each task ended, and how long it took: another run would have other numbers."""
    connection = sqlite3.connect(folder / "tepui-suite.sqlite")
    rows = connection.execute("SELECT task, ended, seconds FROM outcome").fetchall()
    connection.close()
    return {task: (ended, seconds) for task, ended, seconds in rows}
