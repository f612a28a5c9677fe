"""Programs with any number of threads, or with integers without bounds: our own, and public ones
that fork without end.

Each program is one `tepui verify --evidence` in a process of its own, and what that writes is
examined by one `tepui check`. A verdict that contradicts what is expected is a complaint, and so is
evidence that is not accepted.
"""

from __future__ import annotations

import csv
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coverability import run_tepui
from models import EXAMPLES, VARIABLE
from processes import MEMORY
from tables import DASH, Line, Part, Say, mebibytes, number, seconds

SECONDS = 60
QUICK_SECONDS = 10

COLUMNS = [
    *("program", "options", "expected", "verdict", "by", "proof, or threads and contexts"),
    *("evidence", "run s", "check s", "peak MiB"),
]
WORDS = frozenset({"program", "options", "expected", "verdict", "by", "evidence"})

_BOTH = ("--threads", "add=*", "--threads", "stop=*")

OURS: list[tuple[str, tuple[str, ...], str]] = [
    ("any-number/bakery.bp", ("--never-together", "in_left", "in_right"), "safe"),
    ("any-number/bluetooth-repaired.bp", (), "safe"),
    ("any-number/bluetooth3.bp", (), "safe"),
    ("any-number/bluetooth3.bp", ("--threads", "stop=*"), "unsafe"),
    ("any-number/first-counts.bp", (), "safe"),
    ("any-number/forked-deposits.bp", (), "safe"),
    ("any-number/optimistic-counter.bp", (), "safe"),
    ("any-number/readers-writers.bp", (), "safe"),
    ("any-number/reentrant-lock.bp", (), "safe"),
    ("any-number/rotation.bp", (), "safe"),
    ("any-number/shares.bp", (), "safe"),
    ("any-number/spin-lock.bp", (), "safe"),
    ("any-number/ticket-lock.bp", (), "safe"),
    ("any-number/word-tickets.bp", (), "safe"),
    ("bluetooth1.bp", _BOTH, "unsafe"),
    ("bluetooth2.bp", _BOTH, "unsafe"),
    ("bluetooth3.bp", _BOTH, "unsafe"),
    ("fork-crowd.bp", (), "safe"),
]
"""Our own programs, with options and the verdicts that their comments state."""


@dataclass(frozen=True)
class Row:
    """A program, how it is asked, and what is expected."""

    name: str
    path: Path
    options: tuple[str, ...] = ()
    expected: str | None = None


def measure_any_number(*, quick: bool, say: Say) -> Part:
    """Verify every such program that can be found here."""
    limit = QUICK_SECONDS if quick else SECONDS
    lines, complaints, decided = [], [], 0
    rows = all_programs()
    for row in rows:
        say(row.name)
        cells, complaint = _run(row, limit)
        decided += cells[3] in ("safe", "unsafe")
        lines.append(Line(cells, wrong=complaint is not None))
        if complaint is not None:
            complaints.append(f"{row.name}: {complaint}")
    return Part(
        title="Programs with any number of threads",
        before=_before(limit, len(rows), decided),
        columns=COLUMNS,
        lines=lines,
        after="",
        remarks=[],
        complaints=complaints,
        words=WORDS,
    )


def all_programs() -> list[Row]:
    """Our own programs, and the public ones that create threads in endless loops."""
    rows = [Row(name, EXAMPLES / name, options, verdict) for name, options, verdict in OURS]
    manifest = Path(os.environ.get(VARIABLE, "")) / "bp" / "MANIFEST.tsv"
    if VARIABLE not in os.environ or not manifest.is_file():
        return rows
    with manifest.open(encoding="utf-8") as lines:
        listed = list(csv.DictReader(lines, delimiter="\t"))
    for each in listed:
        name = each["file"]
        if name.startswith("satabs/") and name.endswith(".bp"):
            stated = each["expected"] if each["expected"] in ("safe", "unsafe") else None
            rows.append(Row(name, manifest.parent / name, (), stated))
    return rows


def _run(row: Row, limit: int) -> tuple[list[str], str | None]:
    head = [row.name, " ".join(row.options) or DASH, row.expected or DASH]
    with tempfile.TemporaryDirectory() as folder:
        evidence = Path(folder) / "evidence.json"
        options = ["--timeout", str(limit), "--memory", f"{MEMORY >> 20}M", "--json"]
        asked = [str(row.path), *row.options]
        done = run_tepui("verify", *asked, *options, "--evidence", str(evidence))
        found = json.loads(done.stdout) if done.stdout else None
        if found is None:
            return [*head, *[DASH] * (len(COLUMNS) - len(head))], done.stderr.strip()
        accepted = None
        if found["verdict"] in ("safe", "unsafe"):
            accepted = run_tepui("check", *asked, str(evidence)).returncode == 0
    complaint = None
    if accepted is False:
        complaint = "the evidence is not accepted"
    elif row.expected not in (None, found["verdict"]):
        complaint = f"{found['verdict']}, but {row.expected} is expected"
    words = {None: DASH, True: "accepted", False: "rejected"}[accepted]
    run_seconds = found["seconds"]
    return [
        *head,
        found["verdict"],
        found["engine"],
        _why(found),
        words,
        seconds(run_seconds),
        seconds(found["check_seconds"]),
        mebibytes(found["peak_memory_bytes"]),
    ], complaint


def _why(found: dict[str, Any]) -> str:
    if found["verdict"] != "unsafe":
        return found["proof"] or found["reason"] or DASH
    threads = found["threads"] or {}
    counts = [f"{count} {name}" for name, count in (threads.get("counts") or {}).items()]
    return ", ".join([*counts, f"{number(found['bound'])} contexts"])


def _before(limit: int, programs: int, decided: int) -> str:
    return f"""\
`tepui verify` on programs with any number of threads, with integers without bounds, or with forks
without end, each in a process of its own, for up to {limit} seconds.
`by` is the prover of a proof, or the engine of a violation.
`evidence` is what `tepui check` says about the file that `--evidence` has written.

Of {programs} programs, {decided} are decided."""
