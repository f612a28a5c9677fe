"""The explicit engine on pushdown systems: each row is one `explore`, and must count right."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import cache

from measure import MANY_STATES, REPETITIONS, SHORT, Measurement
from models import Row, all_rows
from processes import run_alone
from tables import DASH, Line, Part, Say, mebibytes, number, seconds

PERF = ["perf", "stat", "-x,", "-e", "instructions:u", "--"]

BEFORE = f"""\
Each row is one `explore --engine explicit` in a process of its own, on one core;
where a context may reach infinitely many stacks, it is `--engine diagram`.
`visible` and `states` count every permutation of equal threads.
`visible/sym` and `states/sym` count one of each if symmetry is on; so many are stored.
`seconds` leaves out the start of Python and the reading of files.
Below {SHORT} it is a median of {REPETITIONS}.
`states/s` and `B/state` are for stored states, the latter from {MANY_STATES:,} of them on.
`instructions` are those of the whole process in user mode, where the machine can count them.
A row with (!) did not come out as expected."""

PUBLISHED = """\
For comparison, what the papers report, on the machines of their authors:

- The C++ tool of CUBA needs 12.8 to 14.5 s for the Bluetooth models with 2+1 threads
  and 45 s for bst-22 (CUBA, Table 2).
- On another machine it needs 13.6 to 14.5 s and 100 s for the same, 343 s for Bluetooth3 2+2,
  and more than an hour for 2+3 (DrUBA, Table 2).
- The delay-bounded tool of DrUBA needs 71 s for 2+2 and 654 s for 2+3 (the same table).
  Its instances have 94,335 and 460,684 states where ours have 93,939 and 459,020."""


@dataclass(frozen=True)
class Outcome:
    """A row and what came of it; no measurement if it failed."""

    row: Row
    measured: Measurement | None
    instructions: int | None
    complaint: str | None


def measure_systems(*, quick: bool, say: Say) -> Part:
    """Measure every system that can be measured here; quickly, only those that take no time."""
    outcomes = []
    for row in all_rows():
        if row.slow and quick:
            continue
        say(f"{row.name}, {_options(row)}")
        outcomes.append(_run(row))
    return Part(
        title="Pushdown systems, state by state",
        before=BEFORE,
        columns=["model", *(name for name, _ in COLUMNS)],
        lines=[Line(_cells(outcome), wrong=bool(outcome.complaint)) for outcome in outcomes],
        after=PUBLISHED,
        complaints=[
            f"{it.row.name}, {_options(it.row)}: {it.complaint}" for it in outcomes if it.complaint
        ],
        words=frozenset({"options"}),
    )


def _run(row: Row) -> Outcome:
    """Measure a row in a process of its own."""
    prefix = PERF if _can_count_instructions() else []
    run = run_alone("measure.py", row.name, "on" if row.symmetry else "off", prefix=prefix)
    if run.found is None:
        return Outcome(row, None, None, run.failure)
    measured = Measurement(**run.found)
    return Outcome(row, measured, _instructions(run.errors), _complaint(row, measured))


def _complaint(row: Row, measured: Measurement) -> str | None:
    """What differs from the expected counts, if anything."""
    if measured.verdict != "collapsed":
        return f"{measured.verdict} instead of collapsed"
    pairs: list[tuple[object, object]] = []
    if row.expected is not None:
        found = (measured.k, measured.visible, measured.states)
        pairs.append((found, astuple(row.expected)))
    if row.up_to_symmetry is not None:
        few = (measured.visible_up_to_symmetry, measured.states_up_to_symmetry)
        pairs.append((few, row.up_to_symmetry))
    wrong = [f"{found} instead of {expected}" for found, expected in pairs if found != expected]
    return ", ".join(wrong) or None


@cache
def _can_count_instructions() -> bool:
    """Whether perf is there and the machine lets it count; many virtual machines do not."""
    try:
        tried = subprocess.run([*PERF, "true"], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return tried.returncode == 0 and _instructions(tried.stderr) is not None


def _instructions(printed: str) -> int | None:
    counted = re.search(r"^(\d+),[^,]*,instructions", printed, re.MULTILINE)
    return int(counted[1]) if counted else None


# The table: a name and a value for each column.

Column = tuple[str, Callable[[Outcome, Measurement], str]]


def _per_second(measured: Measurement) -> str:
    stored = measured.states_up_to_symmetry
    return number(None if stored is None else stored / measured.seconds)


def _options(row: Row) -> str:
    return f"symmetry {'on' if row.symmetry else 'off'}"


COLUMNS: list[Column] = [
    ("options", lambda it, _: _options(it.row)),
    ("k", lambda _, found: number(found.k)),
    ("visible", lambda _, found: number(found.visible)),
    ("states", lambda _, found: number(found.states)),
    ("visible/sym", lambda _, found: number(found.visible_up_to_symmetry)),
    ("states/sym", lambda _, found: number(found.states_up_to_symmetry)),
    ("seconds", lambda _, found: seconds(found.seconds)),
    ("states/s", lambda _, found: _per_second(found)),
    ("B/state", lambda _, found: number(found.bytes_per_state)),
    ("peak MiB", lambda _, found: mebibytes(found.peak_bytes)),
    ("instructions", lambda it, _: number(it.instructions)),
]


def _cells(outcome: Outcome) -> list[str]:
    measured = outcome.measured
    if measured is None:
        return [outcome.row.name, _options(outcome.row)] + [DASH] * (len(COLUMNS) - 1)
    return [outcome.row.name, *(value(outcome, measured) for _, value in COLUMNS)]
