"""Nets for any number of threads: the public `.tts` and `.spec` files, and our own.

Each net is one `tepui verify --evidence` in a process of its own, and what that writes is examined
by one `tepui check`. A verdict that contradicts its file is a complaint, unless it is explained
here; so is evidence that is not accepted, and more than a tenth of the stated nets undecided.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models import EXAMPLES, VARIABLE
from processes import MEMORY
from tables import DASH, Line, Part, Say, mebibytes, number, seconds

SECONDS = 60
QUICK_SECONDS = 10
LIMIT = 600.0
"""A process that takes longer than this many seconds has failed."""

SHARE = 0.9
"""The share of the nets with a stated verdict that are to be decided."""

COLUMNS = [
    *("net", "expected", "verdict", "evidence", "elements", "minimal", "steps", "tokens"),
    *("run s", "check s", "peak MiB"),
]
WORDS = frozenset({"expected", "verdict", "evidence"})

OURS = {"nets/cache.spec": "safe", "nets/lock-broken.tts": "unsafe", "nets/lock.tts": "safe"}

EXPLANATIONS = {
    "mist/regression-tests_correct_petri_net.spec": (
        "unsafe",
        "The comment says safe, and it does not fit the net. This is mist's `basicME` with other "
        "numbers, a test of its reader: with four tokens on x0, the first rule puts four tokens "
        "on x3, and `x3 >= 2` is bad.",
    )
}
"""Verdicts that contradict what a file says, and why. No other is excused."""


@dataclass(frozen=True)
class NetRow:
    """A net, and what its file, or the list of all files, says about it."""

    name: str
    path: Path
    expected: str | None

    @property
    def is_stated(self) -> bool:
        """Whether it counts: all public files .tts, and those .spec that state a verdict."""
        is_public = self.name not in OURS
        return is_public and (self.expected is not None or self.path.suffix == ".tts")


@dataclass(frozen=True)
class Outcome:
    """What came of a net."""

    row: NetRow
    found: dict[str, Any] | None
    accepted: bool | None = None
    complaint: str | None = None

    @property
    def verdict(self) -> str:
        return "unknown" if self.found is None else str(self.found["verdict"])


def measure_coverability(*, quick: bool, say: Say) -> Part:
    """Verify every net that can be found here."""
    limit = QUICK_SECONDS if quick else SECONDS
    outcomes = []
    for row in all_nets():
        say(row.name)
        outcomes.append(_run(row, limit))
    complaints = [f"{it.row.name}: {it.complaint}" for it in outcomes if it.complaint]
    stated = [it for it in outcomes if it.row.is_stated]
    decided = [it for it in stated if it.verdict != "unknown"]
    if not quick and len(decided) < SHARE * len(stated):
        complaints.append(f"only {len(decided)} of {len(stated)} nets are decided")
    contradicted = [it for it in outcomes if _contradicts(it)]
    return Part(
        title="Nets",
        before=_before(limit, len(stated), len(decided), len(contradicted)),
        columns=COLUMNS,
        lines=[Line(_cells(it), wrong=it.complaint is not None) for it in outcomes],
        after="Verdicts that contradict a file:",
        remarks=[
            f"{it.row.name}: {EXPLANATIONS[it.row.name][1]}"
            for it in contradicted
            if it.row.name in EXPLANATIONS
        ],
        complaints=complaints,
        words=WORDS,
    )


def all_nets() -> list[NetRow]:
    """Our own nets, and those of the public folder."""
    rows = [NetRow(name, EXAMPLES / name, verdict) for name, verdict in OURS.items()]
    manifest = Path(os.environ.get(VARIABLE, "")) / "param" / "MANIFEST.tsv"
    if VARIABLE not in os.environ or not manifest.is_file():
        return rows
    with manifest.open(encoding="utf-8") as lines:
        listed = list(csv.DictReader(lines, delimiter="\t"))
    for each in listed:
        path = manifest.parent / each["file"]
        if each["role"] == "main" and path.suffix in (".tts", ".spec"):
            rows.append(NetRow(each["file"], path, _stated(path, each["expected"])))
    return rows


def _stated(path: Path, listed: str) -> str | None:
    """The verdict of the list, or of a comment in the file."""
    if listed in ("safe", "unsafe"):
        return listed
    text = path.read_text(encoding="latin-1")
    found = re.search(r"^#\s*expected result:\s*(safe|unsafe)\s*$", text, re.MULTILINE)
    return None if found is None else found[1]


def _run(row: NetRow, limit: int) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        evidence = Path(folder) / "evidence.json"
        options = ["--timeout", str(limit), "--memory", f"{MEMORY >> 20}M", "--json"]
        done = run_tepui("verify", str(row.path), *options, "--evidence", str(evidence))
        found = json.loads(done.stdout) if done.stdout else None
        if found is None or found["verdict"] == "unknown":
            return Outcome(row, found, None, None if done.returncode == 3 else done.stderr.strip())
        accepted = run_tepui("check", str(row.path), str(evidence)).returncode == 0
    outcome = Outcome(row, found, accepted)
    if not accepted:
        return Outcome(row, found, accepted, "the evidence is not accepted")
    if _contradicts(outcome) and EXPLANATIONS.get(row.name, ("", ""))[0] != outcome.verdict:
        return Outcome(row, found, accepted, f"{outcome.verdict}, but {row.expected} is stated")
    return outcome


def _contradicts(outcome: Outcome) -> bool:
    expected = outcome.row.expected
    return expected is not None and outcome.verdict not in ("unknown", expected)


def run_tepui(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    command = [sys.executable, "-m", "tepui", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)


def _cells(outcome: Outcome) -> list[str]:
    row, found = outcome.row, outcome.found
    head = [row.name, row.expected or DASH, outcome.verdict]
    if found is None:
        return [*head, *[DASH] * (len(COLUMNS) - len(head))]
    run = found["run"]
    accepted = {None: DASH, True: "accepted", False: "rejected"}[outcome.accepted]
    return [
        *head,
        accepted,
        number(found["elements"]),
        number(found["minimal_elements"]),
        number(None if run is None else len(run["steps"])),
        number(None if run is None else sum(run["start"].values())),
        seconds(found["seconds"] - (found["check_seconds"] or 0)),
        seconds(found["check_seconds"]),
        mebibytes(found["peak_memory_bytes"]),
    ]


def _before(limit: int, stated: int, decided: int, contradicted: int) -> str:
    return f"""\
`tepui verify` on nets, each in a process of its own, for up to {limit} seconds.
`expected` is what the list of the public files, or a comment in the file, says.
`evidence` is what `tepui check` says about the file that `--evidence` has written.
`elements` are those that the backward search has found, `minimal` those of the certificate;
`steps` and `tokens` are those of a run, and of its beginning.
`run s` is everything from the start of the command to the answer, without the check.

Of {stated} public nets that are thread transition systems, or state a verdict, {decided} are
decided. Answers that contradict what a file says: {contradicted}."""
