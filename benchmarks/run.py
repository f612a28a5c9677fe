"""Run the benchmarks: `make bench`, or `python benchmarks/run.py [--quick] [--write]`.

Each row runs in a process of its own. Prints a table, and with --write also makes RESULTS.md.
The exit code is 1 if a row came out with other counts than expected, or not at all.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path

from measure import MANY_STATES, REPETITIONS, SHORT, Measurement
from models import VARIABLE, Row, all_rows, public_folder
from rich.console import Console
from rich.table import Table

import tepui

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
PERF = ["perf", "stat", "-x,", "-e", "instructions:u", "--"]
DASH = "–"

WIDTH = 175
"""What the table needs. A narrower terminal wraps its lines, and no number is lost."""

PUBLISHED = """\
For comparison, what the papers report, on the machines of their authors:

- The C++ tool of CUBA needs 12.8 to 14.5 s for the Bluetooth models with 2+1 threads
  and 45 s for bst-22 (CUBA, Table 2).
- On another machine it needs 13.6 to 14.5 s and 100 s for the same, 343 s for Bluetooth3 2+2,
  and more than an hour for 2+3 (DrUBA, Table 2).
- The delay-bounded tool of DrUBA needs 71 s for 2+2 and 654 s for 2+3 (the same table).
  Its instances have 94,335 and 460,684 states where ours have 93,939 and 459,020.
"""


@dataclass(frozen=True)
class Outcome:
    """A row and what came of it; no measurement if it failed."""

    row: Row
    measured: Measurement | None
    instructions: int | None
    complaint: str | None


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the benchmarks of tepui.")
    parser.add_argument("--quick", action="store_true", help="leave out what takes long")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name} as well")
    arguments = parser.parse_args()
    console = Console(width=max(WIDTH, Console().width))
    if public_folder() is None:
        console.print(f"The public suite is left out: {VARIABLE} does not name its folder.")
    outcomes = []
    for row in all_rows():
        if row.slow and arguments.quick:
            continue
        with console.status(f"{row.name}, {_options(row)}"):
            outcomes.append(_run(row))
    console.print(_table(outcomes))
    complaints = [
        f"{it.row.name}, {_options(it.row)}: {it.complaint}" for it in outcomes if it.complaint
    ]
    for complaint in complaints:
        console.print(complaint, style="red")
    if arguments.write:
        RESULTS.write_text(_report(outcomes), encoding="utf-8")
        console.print(f"Written to {RESULTS}")
    return 1 if complaints else 0


def _run(row: Row) -> Outcome:
    """Measure a row in a process of its own."""
    command = [sys.executable, str(HERE / "measure.py"), row.name, "on" if row.symmetry else "off"]
    prefix = PERF if _can_count_instructions() else []
    done = subprocess.run([*prefix, *command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines() or ["no message"]
        return Outcome(row, None, None, f"failed with exit code {done.returncode}: {last[-1]}")
    measured = Measurement(**json.loads(done.stdout))
    return Outcome(row, measured, _instructions(done.stderr), _complaint(row, measured))


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


def _number(value: float | None, digits: int = 0) -> str:
    return DASH if value is None else f"{value:,.{digits}f}"


def _seconds(seconds: float) -> str:
    return f"{seconds:,.2f}" if seconds >= 1 else f"{seconds:.4f}"


def _per_second(measured: Measurement) -> str:
    stored = measured.states_up_to_symmetry
    return _number(None if stored is None else stored / measured.seconds)


def _options(row: Row) -> str:
    return f"explicit, symmetry {'on' if row.symmetry else 'off'}"


COLUMNS: list[Column] = [
    ("options", lambda it, _: _options(it.row)),
    ("k", lambda _, found: _number(found.k)),
    ("visible", lambda _, found: _number(found.visible)),
    ("states", lambda _, found: _number(found.states)),
    ("visible/sym", lambda _, found: _number(found.visible_up_to_symmetry)),
    ("states/sym", lambda _, found: _number(found.states_up_to_symmetry)),
    ("seconds", lambda _, found: _seconds(found.seconds)),
    ("states/s", lambda _, found: _per_second(found)),
    ("B/state", lambda _, found: _number(found.bytes_per_state)),
    ("peak MiB", lambda _, found: _number(found.peak_bytes / 2**20)),
    ("instructions", lambda it, _: _number(it.instructions)),
]


def _cells(outcome: Outcome) -> list[str]:
    name = f"{outcome.row.name} (!)" if outcome.complaint else outcome.row.name
    measured = outcome.measured
    if measured is None:
        return [name, _options(outcome.row)] + [DASH] * (len(COLUMNS) - 1)
    return [name, *(value(outcome, measured) for _, value in COLUMNS)]


def _table(outcomes: list[Outcome]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("model", no_wrap=True)
    for name, _ in COLUMNS:
        table.add_column(name, justify="left" if name == "options" else "right", no_wrap=True)
    for outcome in outcomes:
        table.add_row(*_cells(outcome), style="red" if outcome.complaint else None)
    return table


def _report(outcomes: list[Outcome]) -> str:
    """RESULTS.md: where and when, what the columns mean, and the table."""
    names = ["model", *(name for name, _ in COLUMNS)]
    rules = ["---", "---", *("--:" for _ in COLUMNS[1:])]
    lines = [names, rules, *(_cells(outcome) for outcome in outcomes)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"""# Results

Made by `python benchmarks/run.py --write` on {datetime.date.today().isoformat()}.

- machine: {_cpu()}, {os.cpu_count()} cores, {_memory()}
- system: {platform.platform()}
- versions: tepui {tepui.__version__}, Python {platform.python_version()}

Each row is one `explore` in a process of its own, on one core.
`visible` and `states` count every permutation of equal threads.
`visible/sym` and `states/sym` count one of each if symmetry is on; so many are stored.
`seconds` leaves out the start of Python and the reading of files.
Below {SHORT} it is a median of {REPETITIONS}.
`states/s` and `B/state` are for stored states, the latter from {MANY_STATES:,} of them on.
`instructions` are those of the whole process in user mode, where the machine can count them.
A row with (!) did not come out as expected.

{table}

{PUBLISHED}"""


def _cpu() -> str:
    try:
        found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


def _memory() -> str:
    from tepui.limits import physical_memory

    return f"{physical_memory() / 2**30:.0f} GiB"


if __name__ == "__main__":
    sys.exit(main())
