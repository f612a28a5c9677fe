"""Post* and pre* on pushdown systems with 1,000 to 100,000 rules: time and memory.

`python benchmarks/saturation.py [SVG]` prints a table as Markdown and, given a file name, draws it.

The systems look like programs: procedures of 20 statements that pass to the next one, assign a
global variable of 8 values, branch or call a procedure, and at last return. The shared states stay
few while the rules become many, so what is found should grow in proportion to the rules, and time
and memory with it. Each size runs in a process of its own, because its peak memory is measured.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from plot import Panel, svg

from tepui.kernels import PAutomaton, PostStar, PreStar, SystemKernel
from tepui.limits import current_memory, peak_memory

SIZES = [1_000, 3_000, 10_000, 30_000, 100_000]
REPETITIONS = 5
SHARED = 8
STATEMENTS = ["next"] * 8 + ["assign"] * 3 + ["branch"] * 4 + ["call"] * 4 + ["return"]
"""Of each procedure, in any order, but the last. Branches and calls may be passed by."""

RULES_OF_A_PROCEDURE = SHARED * sum(2 if kind in ("branch", "call") else 1 for kind in STATEMENTS)

NamelessRule = tuple[int, int, int, tuple[int, ...]]


@dataclass(frozen=True)
class Row:
    """What one saturation of one system took."""

    direction: str
    rules: int
    transitions: int
    seconds: float
    kernel_bytes: int
    """What the kernel says that it holds."""

    memory_bytes: int
    """By how much the memory of the process grew, at its peak."""


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


def measure(direction: str, rules: int) -> Row:
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
    return Row(direction, *size, seconds, saturation.bytes, memory)


def _saturated(
    kind: type[PostStar] | type[PreStar], system: SystemKernel, start: PAutomaton
) -> tuple[float, PostStar | PreStar]:
    started = time.perf_counter()
    saturation = kind(system, 0, start)
    outcome = saturation.advance()
    assert outcome == "done"
    return time.perf_counter() - started, saturation


def measured_alone(direction: str, rules: int) -> Row:
    command = [sys.executable, __file__, "--one", direction, str(rules)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Row(**json.loads(done.stdout))


def table(rows: list[Row]) -> str:
    lines = [
        "| | rules | transitions | seconds | kernel MiB | bytes/transition | peak MiB |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        lines.append(
            f"| {row.direction} | {row.rules:,} | {row.transitions:,} | {row.seconds:.3f} "
            f"| {row.kernel_bytes / 2**20:.1f} | {row.kernel_bytes / row.transitions:.0f} "
            f"| {row.memory_bytes / 2**20:.1f} |"
        )
    return "\n".join(lines)


def drawn(rows: list[Row]) -> str:
    def panels(y_label: str, value: str) -> list[Panel]:
        return [
            Panel(
                direction,
                "rules",
                y_label,
                [(row.rules, getattr(row, value)) for row in rows if row.direction == direction],
            )
            for direction in ("post*", "pre*")
        ]

    return svg([panels("seconds", "seconds"), panels("bytes", "kernel_bytes")])


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        _, _, direction, rules = sys.argv
        json.dump(asdict(measure(direction, int(rules))), sys.stdout)
        return
    rows = [measured_alone(direction, size) for direction in ("post*", "pre*") for size in SIZES]
    print(table(rows))
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(drawn(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
