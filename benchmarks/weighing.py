"""`tepui weigh` on files of PDAAAL with 10,000 to a million rules: how long it takes to read them
and to saturate them, how both grow, and how much memory they take.

`python benchmarks/weighing.py FILE` measures one file in this process and prints a
WeighingMeasurement as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from networks import network_text
from processes import run_alone
from tables import DASH, Line, Part, Say, number, seconds

from tepui.limits import current_memory, peak_memory
from tepui.weighted.weighing import load_weighted, weigh

SIZES = [10_000, 100_000, 390_000, 1_000_000]
QUICK_SIZE = 100_000
SEED = 1
LIMIT = 600.0
"""A measurement that takes longer than so many seconds has failed."""

TOLD_SIZE, TOLD_SECONDS = 390_000, 6.7
"""What is told of PDAAAL: how many rules, and how long its post* takes."""

COLUMNS = ["rules", "file", "read", "saturate", "in all", "rules/s", "bytes/rule"]

BEFORE = f"""\
`tepui weigh` on files in the JSON of PDAAAL: networks with label switching, which grow with their
rules, and the cheapest way of a packet along all their paths.
`file` is the size of the file in MB.
`read` and `saturate` are the seconds from the file to the rules, and from these to the cost and a
run, in a process that does nothing else.
`in all` are those of the whole command, from its start to its end, and `rules/s` follows from them.
`bytes/rule` is what that process holds at most, beyond what it held before it read the file.
PDAAAL is said to take {TOLD_SECONDS} s for its post* on an instance of {TOLD_SIZE:,} rules. That is
a figure told, and not measured here; the command as a whole should take less."""


@dataclass(frozen=True)
class WeighingMeasurement:
    """What one file took."""

    rules: int
    read: float
    saturate: float
    bytes: int


def measure_weighing(*, quick: bool, say: Say) -> Part:
    """Measure each size in a process of its own, and as a command."""
    lines, complaints = [], []
    for size in SIZES:
        if quick and size > QUICK_SIZE:
            continue
        say(f"{size:,} rules")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "network.json"
            file.write_text(network_text(size, SEED), encoding="utf-8")
            line, complaint = _line(size, file)
        lines.append(line)
        complaints += [] if complaint is None else [f"{size:,} rules: {complaint}"]
    return Part(
        title="Weighing", before=BEFORE, columns=COLUMNS, lines=lines, complaints=complaints
    )


def _line(size: int, file: Path) -> tuple[Line, str | None]:
    """What one file took, and what is wrong with that."""
    run = run_alone("weighing.py", str(file), seconds=LIMIT)
    if run.found is None:
        return Line([number(size), *[DASH] * (len(COLUMNS) - 1)], wrong=True), run.failure
    measured = WeighingMeasurement(**run.found)
    in_all = _command(file)
    is_slow = size == TOLD_SIZE and in_all > TOLD_SECONDS
    cells = [
        number(measured.rules),
        number(file.stat().st_size / 1e6, 1),
        seconds(measured.read),
        seconds(measured.saturate),
        seconds(in_all),
        number(measured.rules / in_all),
        number(measured.bytes / measured.rules),
    ]
    return Line(cells, wrong=is_slow), f"took more than {TOLD_SECONDS} s" if is_slow else None


def _command(file: Path) -> float:
    """The seconds of the whole command."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "tepui", "weigh", str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=LIMIT)
    return time.perf_counter() - started


def measure(file: str) -> WeighingMeasurement:
    """Read and weigh one file."""
    before = current_memory()
    started = time.perf_counter()
    loaded = load_weighted(file)
    read = time.perf_counter() - started
    answer = weigh(loaded)
    saturate = time.perf_counter() - started - read
    assert not answer.is_zero
    rules = len(loaded.threads[0].system.rules)
    return WeighingMeasurement(rules, read, saturate, peak_memory() - before)


if __name__ == "__main__":
    json.dump(asdict(measure(sys.argv[1])), sys.stdout)
