"""Java: jMoped's experiments and others as examples of ours, and the public tasks.

Each task is one `tepui verify` in a process of its own, compiler and check included, of a copy that
is called after its public class. A verdict that contradicts an expected one is a complaint, and so
are more than a tenth of the tasks undecided. Tasks about data races only are left out, and those
that do not compile do not count.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models import EXAMPLES, VARIABLE
from tables import DASH, Line, Part, Say, mebibytes, seconds

SECONDS = 60
SHARE = 0.9
"""The share of the tasks that are to be decided."""

HARD = ("SatAckermann02", "SatAckermann03", "SatEvenOdd01", "SatHanoi01", "SatPrimes01")
"""Tasks whose proofs need arithmetic over all ints. They do not count."""

COLUMNS = ["task", "entry", "expected", "verdict", "contexts", "seconds", "peak MiB"]
WORDS = frozenset({"entry", "expected", "verdict"})


@dataclass(frozen=True)
class Task:
    """An entry of a program, and what is expected of it."""

    path: Path
    name: str
    entry: str | None
    expected: str
    counts: bool = True


@dataclass(frozen=True)
class Outcome:
    """What came of a task."""

    task: Task
    found: dict[str, Any]
    seconds: float

    @property
    def verdict(self) -> str:
        return str(self.found.get("verdict", "refused"))

    @property
    def compiles(self) -> bool:
        return "javac: " not in str(self.found.get("reason"))

    @property
    def is_wrong(self) -> bool:
        return self.verdict in ("safe", "unsafe") and self.verdict != self.task.expected


def measure_java(*, quick: bool, say: Say) -> Part:
    """Verify the examples and the public tasks."""
    tasks = [*_examples(), *(() if quick else _public())]
    outcomes = []
    for task in tasks:
        say(task.name)
        outcomes.append(_run(task))
    counted = [it for it in outcomes if it.task.counts and it.compiles]
    right = [it for it in counted if it.verdict == it.task.expected]
    complaints = [f"{it.task.name}: {it.verdict}" for it in outcomes if it.is_wrong]
    if len(right) < SHARE * len(counted):
        complaints.append(f"only {len(right)} of {len(counted)} tasks are decided")
    open_ = [it for it in outcomes if it.verdict not in ("safe", "unsafe")]
    return Part(
        title="Java",
        before=_before(len(right), len(counted)),
        columns=COLUMNS,
        lines=[Line(_cells(it), wrong=it.is_wrong) for it in outcomes],
        after="What was not decided:",
        remarks=[f"{it.task.name} {it.task.entry or ''}: {_reason(it)}" for it in open_],
        complaints=complaints,
        words=WORDS,
    )


def _reason(it: Outcome) -> str:
    """Why a task is open, without the folders of this machine."""
    return re.sub(r"/\S*/(?=[\w$]+\.java)", "", str(it.found.get("reason")))


def _before(right: int, counted: int) -> str:
    return f"""Each row is one `verify` in a process of its own, with the compiler, the check and
the start of Python, and with at most {SECONDS} s. {VARIABLE} names the folder of the public tasks.
{right} of {counted} rows that count came out as expected. The five tasks that need arithmetic over
all ints do not count, nor does what javac refuses."""


def _examples() -> Iterator[Task]:
    """Our own: each says in its first comment what is expected."""
    for path in sorted((EXAMPLES / "java").glob("*.java")):
        text = path.read_text(encoding="utf-8").lower()
        found = re.search(r"expected: (unsafe|safe)", text)
        if found:
            yield Task(path, f"examples/{path.name}", None, found[1])


def _public() -> Iterator[Task]:
    named = os.environ.get(VARIABLE)
    if not named:
        return
    folder = Path(named)
    with (folder / "java" / "MANIFEST.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for row in rows:
        if row["role"] == "main" and row["file"].endswith(".java"):
            yield from _entries(folder / "java" / row["file"], row)


def _entries(path: Path, row: dict[str, str]) -> Iterator[Task]:
    name, expected = row["file"], row["expected"]
    if "race" in expected:
        return
    if found := re.match(r"(unsafe|safe)", expected):
        named = re.findall(r"A\.(\w+):\(\)V=(safe|unsafe)(?!\()", row["note"])
        counts = not any(hard in name for hard in HARD)
        if not named:
            yield Task(path, name, None, found[1], counts)
        for entry, verdict in dict(named).items():
            yield Task(path, name, entry, verdict)
    elif "per entry" in expected:
        for entry, verdict in dict(
            re.findall(r"A\.(\w+):\(\)V=(safe|unsafe)", row["note"])
        ).items():
            yield Task(path, name, entry, verdict)
    elif "per test" in expected:
        yield from _tests(path, name)


def _tests(path: Path, name: str) -> Iterator[Task]:
    """The tests of a file for JPF: what they call says what is expected."""
    text = path.read_text(encoding="utf-8", errors="replace")
    pattern = r"@Test\s+public void (\w+)\s*\(\s*\)\s*\{(.*?)\n  \}"
    for entry, body in re.findall(pattern, text, re.DOTALL):
        called = re.search(r"verify(\w+)\s*\(", body)
        if called:
            yield Task(path, name, entry, "safe" if called[1].startswith("No") else "unsafe")


def _run(task: Task) -> Outcome:
    command = [sys.executable, "-m", "tepui", "verify", str(task.path), "--json"]
    command += ["--timeout", str(SECONDS), "--memory", "8G"]
    command += ["--entry", task.entry] if task.entry else []
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    took = time.perf_counter() - begin
    try:
        found = json.loads(done.stdout)
    except ValueError:
        lines = done.stderr.strip().splitlines()
        found = {"reason": lines[0] if lines else "no answer"}
    return Outcome(task, found, took)


def _cells(it: Outcome) -> list[str]:
    peak = it.found.get("peak_memory_bytes")
    bound = it.found.get("bound") if it.verdict == "unsafe" else None
    return [
        it.task.name,
        it.task.entry or DASH,
        it.task.expected,
        it.verdict,
        DASH if bound is None else str(bound),
        seconds(it.seconds),
        DASH if peak is None else mebibytes(peak),
    ]
