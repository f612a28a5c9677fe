"""Weighted post* with min-path weights on programs of 10,000 to a million rules: how fast it is,
how it grows, and how much faster than the same saturation with weights that live in Python.

Those are handed to the same kernel as a domain of the user's: it calls the methods of
`tepui.weighted.MinPath` for each weight. It does not know that costs are ordered, so it cannot look
at the smallest first.

`python benchmarks/weighted.py RULES SEED` measures one system in this process and prints a
WeightedMeasurement as JSON.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import time
from dataclasses import asdict, dataclass

from processes import run_alone
from tables import DASH, Line, Part, Say, mebibytes, number, seconds
from weighted_programs import STATES, random_program

from tepui.kernels.door import WeightedRules, WeightedSaturation
from tepui.weighted import MinPath

SIZES = [10_000, 30_000, 100_000, 300_000, 1_000_000]
SEEDS = {10_000: 11, 30_000: 11, 100_000: 11, 300_000: 3, 1_000_000: 3}
"""How many programs of each size: small ones differ more."""

QUICK_SIZE = 30_000
LIMIT = 600.0
"""A measurement that takes longer than so many seconds has failed."""

WANTED = 30
"""How many times faster the native weights must be."""

MANY = max(size for size in SIZES if SEEDS[size] == SEEDS[SIZES[0]])
REPETITIONS = 5
COLUMNS = [
    "rules",
    "transitions",
    "building",
    "native",
    "rules/s",
    "MiB",
    "Python",
    "extends",
    "ratio",
    "of seeds",
]


@dataclass(frozen=True)
class WeightedMeasurement:
    """What one system took."""

    rules: int
    transitions: int
    building: float
    native: float
    native_bytes: int
    python: float
    extends: float
    """How many weights Python extended for each transition."""

    @property
    def ratio(self) -> float:
        return self.python / self.native


Measured = dict[int, list[WeightedMeasurement]]


def measure_weights(*, quick: bool, say: Say) -> Part:
    """Measure each size with each seed in a process of its own."""
    measured: Measured = {}
    complaints = []
    for size in SIZES:
        if quick and size > QUICK_SIZE:
            continue
        for seed in range(1, SEEDS[size] + 1):
            name = f"{size:,} rules, seed {seed}"
            say(name)
            run = run_alone("weighted.py", str(size), str(seed), seconds=LIMIT)
            if run.found is None:
                complaints.append(f"{name}: {run.failure}")
                continue
            measured.setdefault(size, []).append(WeightedMeasurement(**run.found))
    lines = [_line(size, found) for size, found in measured.items()]
    complaints += [
        f"{line.cells[0]} rules: not {WANTED} times faster" for line in lines if line.wrong
    ]
    return Part(
        title="Weights",
        before=BEFORE,
        columns=COLUMNS,
        lines=lines,
        after=f"```text\n{growth(measured)}\n```",
        remarks=["The plot has logarithmic scales: on a straight line of slope 1, time is linear."],
        complaints=complaints,
    )


BEFORE = f"""\
Weighted post* with min-path weights, from the first statement of random programs with calls, loops,
recursion and exceptions.
There are {SEEDS[SIZES[0]]} programs of each size up to {MANY:,} rules, as small ones differ more,
and {SEEDS[SIZES[-1]]} of each larger one.
Each runs in a process of its own; numbers are medians over them.
`building` turns the rules, given as arrays, into what the kernel works on.
`native` and `Python` are the seconds of the saturation proper, with the kernel's own weights (a
median of {REPETITIONS} runs or more) and with weights that Python combines and extends.
`extends` is how many weights Python extends for each transition; the kernel, which looks at the
smallest cost first, looks at each transition once.
`ratio` is how many times faster the native one is with all programs of a size together (wanted are
{WANTED} at least), `of seeds` its range over the single programs.
Where all procedures are small, Python extends fewer weights, and the ratio is smaller: 12 to 18
with at most 160 statements in each. The sizes and costs here were chosen among several."""


# The measurement.


class Counting(MinPath):
    """Counts the weights that are extended."""

    def __init__(self) -> None:
        self.extends = 0

    def extend(self, a: int | None, b: int | None) -> int | None:
        self.extends += 1
        return super().extend(a, b)


def measure(size: int, seed: int) -> WeightedMeasurement:
    """Saturate one program with weights of both kinds.

    A process that has never freed much gives all that it frees back to the system at once, and has
    to ask for it again in each run. Ours makes its rules as numbers, so it frees something large
    first, as any process has that made its rules as objects.
    """
    bytearray(32 << 20)
    program = random_program(size, seed)
    started = time.perf_counter()
    rules = WeightedRules(STATES, program.points, program.rules.tobytes(), program.words.tobytes())
    building = time.perf_counter() - started
    _, found = _saturated(rules, program.costs, "min-path")
    native = [_saturated(rules, program.costs, "min-path")[0] for _ in range(_repetitions(size))]
    python = [_saturated(rules, program.costs, "")[0] for _ in range(1 if size > 300_000 else 3)]
    counting = Counting()
    _, called_back = _saturated(rules, program.costs, "", counting)
    assert found.transitions == called_back.transitions
    return WeightedMeasurement(
        rules=len(program.costs),
        transitions=found.transitions,
        building=building,
        native=statistics.median(native),
        native_bytes=found.bytes,
        python=statistics.median(python),
        extends=counting.extends / found.transitions,
    )


def _repetitions(size: int) -> int:
    """More for small systems, which take less than a millisecond."""
    return max(REPETITIONS, 1_000_000 // size)


def _saturated(
    rules: WeightedRules, costs: list[int], name: str, domain: MinPath | None = None
) -> tuple[float, WeightedSaturation]:
    start = [(0, 0, rules.nodes)], [rules.nodes]
    found = WeightedSaturation(rules, (name, [], domain or MinPath()), costs, start, True, False)
    started = time.perf_counter()
    outcome = found.advance()
    taken = time.perf_counter() - started
    assert outcome == "done"
    return taken, found


# The table and the plot.


def _line(size: int, found: list[WeightedMeasurement]) -> Line:
    ratios = sorted(each.ratio for each in found)
    native = statistics.median(each.native for each in found)
    rules = statistics.median(each.rules for each in found)
    ratio = sum(each.python for each in found) / sum(each.native for each in found)
    cells = [
        number(size),
        number(statistics.median(each.transitions for each in found)),
        seconds(statistics.median(each.building for each in found)),
        seconds(native),
        number(rules / native),
        mebibytes(int(statistics.median(each.native_bytes for each in found)), 1),
        seconds(statistics.median(each.python for each in found)),
        number(statistics.median(each.extends for each in found), 1),
        f"{ratio:.0f}×",
        f"{ratios[0]:.0f} to {ratios[-1]:.0f}" if len(ratios) > 1 else DASH,
    ]
    return Line(cells, wrong=ratio < WANTED)


def growth(measured: Measured, width: int = 60, decade: int = 3) -> str:
    """Seconds by rules, both with logarithmic scales: N for native weights, P for Python's."""
    points = [
        (each.rules, taken, mark)
        for found in measured.values()
        for each in found
        for taken, mark in ((each.native, "N"), (each.python, "P"))
    ]
    if not points:
        return ""
    left, right = (math.log10(pick(x for x, _, _ in points)) for pick in (min, max))
    low = math.floor(math.log10(min(y for _, y, _ in points)))
    high = math.ceil(math.log10(max(y for _, y, _ in points)))
    rows = [[" "] * (width + 1) for _ in range((high - low) * decade + 1)]
    for x, y, mark in points:
        column = round((math.log10(x) - left) / ((right - left) or 1) * width)
        rows[round((math.log10(y) - low) * decade)][column] = mark
    lines = []
    for index, row in reversed(list(enumerate(rows))):
        label = f"{10.0 ** (low + index // decade):g} s" if index % decade == 0 else ""
        lines.append(f"{label:>9} |{''.join(row)}".rstrip())
    axis = f"{10**left:,.0f} rules".ljust(width - 8) + f"{10**right:,.0f}"
    return "\n".join([*lines, " " * 10 + "+" + "-" * width, " " * 11 + axis])


if __name__ == "__main__":
    _, size_asked, seed_asked = sys.argv
    json.dump(asdict(measure(int(size_asked), int(seed_asked))), sys.stdout)
