"""Post* and pre* on pushdown systems with 1,000 to 300,000 rules: time and memory.

The systems look like programs: procedures of 20 statements that pass to the next one, assign a
global variable of 8 values, branch or call a procedure, and at last return. The shared states stay
few while the rules become many, so what is found should grow in proportion to the rules, and time
and memory with it.

`python benchmarks/saturation.py DIRECTION RULES` measures one of them in this process and prints a
SaturationMeasurement as JSON.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from random import Random

from plot import Panel, svg
from processes import run_alone
from tables import DASH, Line, Part, Say, mebibytes, number, seconds

from tepui.kernels.door import PAutomaton, PostStar, PreStar, SystemKernel
from tepui.limits import current_memory, peak_memory

DIRECTIONS = ("post*", "pre*")
SIZES = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000]
QUICK_SIZE = 30_000
LIMIT = 600.0
"""A measurement that takes longer than so many seconds has failed."""

REPETITIONS = 5
PLOT = "saturation.svg"
COLUMNS = ["", "rules", "transitions", "seconds", "kernel MiB", "B/transition", "peak MiB"]
SHARED = 8
STATEMENTS = ["next"] * 8 + ["assign"] * 3 + ["branch"] * 4 + ["call"] * 4 + ["return"]
"""Of each procedure, in any order, but the last. Branches and calls may be passed by."""

RULES_OF_A_PROCEDURE = SHARED * sum(2 if kind in ("branch", "call") else 1 for kind in STATEMENTS)

NamelessRule = tuple[int, int, int, tuple[int, ...]]


@dataclass(frozen=True)
class SaturationMeasurement:
    """What one saturation of one system took."""

    direction: str
    rules: int
    transitions: int
    seconds: float
    kernel_bytes: int
    """What the kernel says that it holds."""

    memory_bytes: int
    """By how much the memory of the process grew, at its peak."""


Measured = list[SaturationMeasurement]


def measure_saturation(*, quick: bool, say: Say) -> Part:
    """Measure each size in a process of its own, and draw both directions."""
    measured: Measured = []
    lines, complaints = [], []
    for direction in DIRECTIONS:
        for size in SIZES:
            if quick and size > QUICK_SIZE:
                continue
            name = f"{direction}, {size:,} rules"
            say(name)
            run = run_alone("saturation.py", direction, str(size), seconds=LIMIT)
            if run.found is None:
                lines.append(Line([direction, number(size), *[DASH] * 5], wrong=True))
                complaints.append(f"{name}: {run.failure}")
                continue
            measured.append(SaturationMeasurement(**run.found))
            lines.append(Line(_cells(measured[-1])))
    return Part(
        title="Saturation",
        before=BEFORE,
        columns=COLUMNS,
        lines=lines,
        after=f"![Time and memory of post* and pre*, by rules]({PLOT})",
        complaints=complaints,
        files={} if complaints else {PLOT: _plot(measured)},
    )


BEFORE = f"""\
Post* from the first statement and pre* of the empty stack, of one thread with more and more rules
that look like those of a program with {SHARED} shared states.
Each row runs in a process of its own, on one core; `seconds` is a median of {REPETITIONS}.
`kernel MiB` is what the saturation holds, reasons of its transitions included; `peak MiB` is by how
much the memory of the process grew, at its peak."""


# The systems.


def random_program(rules: int) -> tuple[int, list[NamelessRule]]:
    """At least so many rules of a program, and how many symbols they use, with the empty stack."""
    rng = Random(rules)
    procedures = -(-rules // RULES_OF_A_PROCEDURE)
    made: list[NamelessRule] = []
    for entry in range(1, procedures * len(STATEMENTS) + 1, len(STATEMENTS)):
        kinds = [*rng.sample(STATEMENTS[:-1], len(STATEMENTS) - 1), STATEMENTS[-1]]
        for here, kind in enumerate(kinds, entry):
            value = rng.randrange(SHARED)
            target = rng.randrange(entry, entry + len(STATEMENTS))
            called = rng.randrange(procedures) * len(STATEMENTS) + 1
            for shared in range(SHARED):
                made += _rules(kind, shared, here, value, target, called)
    return procedures * len(STATEMENTS) + 1, made


def _rules(
    kind: str, shared: int, here: int, value: int, target: int, called: int
) -> list[NamelessRule]:
    after = (here + 1,)
    if kind == "return":
        return [(shared, here, shared, ())]
    if kind == "assign":
        return [(shared, here, value, after)]
    skip = (shared, here, shared, after)
    if kind == "branch":
        return [skip, (shared, here, shared, (target,))]
    return [skip, (shared, here, shared, (called, *after))] if kind == "call" else [skip]


# The measurement.


def measure(direction: str, rules: int) -> SaturationMeasurement:
    """Saturate from the first statement, or back from the empty stack."""
    symbols, made = random_program(rules)
    system = SystemKernel(SHARED, 0, [(symbols, (1,), made)], [0])
    if direction == "post*":
        kind: type[PostStar] | type[PreStar] = PostStar
        start = PAutomaton([(0, 1, -2), (-2, 0, -1)])
    else:
        kind = PreStar
        start = PAutomaton([(shared, 0, -1) for shared in range(SHARED)])
    before = max(current_memory(), peak_memory())
    seconds, saturation = _saturated(kind, system, start)
    memory = max(0, peak_memory() - before)
    again = [_saturated(kind, system, start)[0] for _ in range(REPETITIONS - 1)]
    seconds = statistics.median([seconds, *again])
    size = len(made), saturation.transitions
    return SaturationMeasurement(direction, *size, seconds, saturation.bytes, memory)


def _saturated(
    kind: type[PostStar] | type[PreStar], system: SystemKernel, start: PAutomaton
) -> tuple[float, PostStar | PreStar]:
    started = time.perf_counter()
    saturation = kind(system, 0, start)
    outcome = saturation.advance()
    assert outcome == "done"
    return time.perf_counter() - started, saturation


# The table and the plot.


def _cells(found: SaturationMeasurement) -> list[str]:
    return [
        found.direction,
        number(found.rules),
        number(found.transitions),
        seconds(found.seconds),
        mebibytes(found.kernel_bytes, 1),
        number(found.kernel_bytes / found.transitions),
        mebibytes(found.memory_bytes, 1),
    ]


def _plot(measured: Measured) -> str:
    """Seconds above, memory below; post* on the left, pre* on the right."""

    def panels(label: str, value: Callable[[SaturationMeasurement], float]) -> list[Panel]:
        return [
            Panel(
                direction,
                "rules",
                label,
                [(it.rules, value(it)) for it in measured if it.direction == direction],
            )
            for direction in DIRECTIONS
        ]

    return svg(
        [
            panels("seconds", lambda it: it.seconds),
            panels("MiB", lambda it: it.kernel_bytes / 2**20),
        ]
    )


if __name__ == "__main__":
    _, direction_asked, rules_asked = sys.argv
    json.dump(asdict(measure(direction_asked, int(rules_asked))), sys.stdout)
