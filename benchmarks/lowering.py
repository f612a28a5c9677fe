"""Lowering on demand costs what is reachable, not what could be: three measurements.

The rules of a program are computed for the states that are met. A table over all valuations of 24
Boolean variables would have 16 million shared states before the first step. Here are one program
of that size with few reachable states; a family with more and more variables and always the same
reachable states; and a family with always the same variables and more and more reachable states.

`python benchmarks/lowering.py NAME` measures one of them in this process and prints a
LoweringMeasurement as JSON.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from measure import REPETITIONS, SHORT
from plot import Panel, svg
from processes import run_alone
from tables import DASH, Line, Part, Say, mebibytes, number, seconds

import tepui
from tepui.engines.explicit import ExplicitEngine
from tepui.kernels.lowered_system import LoweredSystem, lower
from tepui.languages.boolean import load_program
from tepui.languages.source import Source
from tepui.limits import peak_memory

STEPS = 90
WALKED = (STEPS + 1) ** 2
"""How many states two threads reach that run so many statements each, straight on."""

GLOBALS = (4, 8, 12, 16, 24, 32, 48)
POWERS = (2, 3, 4, 5, 6)
QUICK_STATES = 100_000
LIMIT = 600.0
"""A measurement that takes longer than so many seconds has failed."""

PLOT = "lowering.svg"
COLUMNS = [
    *("program", "globals", "locals", "states", "shared states", "rules"),
    *("read s", "explore s", "lowered MiB", "kernel MiB", "peak MiB"),
]


@dataclass(frozen=True)
class Instance:
    """A program, and how many states it reaches."""

    name: str
    globals: int
    locals: int
    """How many local variables each thread has."""
    states: int
    text: str


@dataclass(frozen=True)
class LoweringMeasurement:
    """What it took to lower and explore a program until R_k collapses."""

    states: int
    shared_states: int
    rules: int
    read_seconds: float
    explore_seconds: float
    lowered_bytes: int
    """What the states and rules of the program take that were met."""
    kernel_bytes: int
    """The same, and the exploration."""
    peak_bytes: int


Measured = list[tuple[Instance, LoweringMeasurement]]


def all_instances() -> list[Instance]:
    """The one program, the family by variables, the family by states."""
    return [
        swap(24, 12),
        *(pulse(number) for number in GLOBALS),
        *(count(power) for power in POWERS),
    ]


def measure_lowering(*, quick: bool, say: Say) -> Part:
    """Measure each program in a process of its own, and draw both families."""
    measured: Measured = []
    lines, complaints = [], []
    for instance in all_instances():
        if quick and instance.states > QUICK_STATES:
            continue
        say(instance.name)
        run = run_alone("lowering.py", instance.name, seconds=LIMIT)
        found = None if run.found is None else LoweringMeasurement(**run.found)
        complaint = run.failure
        if found is not None:
            measured.append((instance, found))
            if found.states != instance.states:
                complaint = f"{found.states} states instead of {instance.states}"
        lines.append(Line(_cells(instance, found), wrong=complaint is not None))
        if complaint is not None:
            complaints.append(f"{instance.name}: {complaint}")
    return Part(
        title="Lowering on demand",
        before=BEFORE,
        columns=COLUMNS,
        lines=lines,
        after=f"![Time and memory, by reachable states and by variables]({PLOT})",
        complaints=complaints,
        files={} if complaints else {PLOT: _plot(measured)},
    )


BEFORE = f"""\
A program is lowered as its states are met, so that it costs what is reachable.
Each row lowers a program of two threads and explores it until R_k collapses, without Z, in a
process of its own.
In the first rows two threads run {STEPS} statements each, straight on, and what the variables hold
depends only on where the threads are: the number of states is the same for any number of variables.
In the first one they swap globals with locals; then each statement writes a quarter of the globals.
In the last rows the two threads count, each with 12 of the 24 globals as the bits of its number.
`rules` are those of both threads that were met.
`read s` includes loading the parser; `explore s` is a median of {REPETITIONS} below {SHORT} s.
`lowered MiB` is what the kernel holds of the program, `kernel MiB` that and the exploration.
A table over all valuations of 24 Boolean variables would have 16,777,216 shared states, and one
over 48 of them 281,474,976,710,656."""


# The programs.


def swap(global_count: int, local_count: int) -> Instance:
    """Two threads swap their half of the globals with their locals, one after another."""
    names = [f"g{number}" for number in range(global_count)]
    own = [f"l{number}" for number in range(local_count)]
    bodies = []
    for part in _halves(names):
        body = [_declaration(own)]
        for step in range(STEPS):
            shared, local = part[step % len(part)], own[step % len(own)]
            body.append(f"{shared}, {local} := {local}, !{shared};")
        bodies.append(body)
    name = f"{global_count} globals, {local_count} locals"
    return Instance(name, global_count, local_count, WALKED, _program(names, *bodies))


def pulse(global_count: int) -> Instance:
    """Two threads write a quarter of the globals at once: shared states are always 16."""
    names = [f"g{number}" for number in range(global_count)]
    bodies = []
    for part in _halves(names):
        first, second = _halves(part)
        rise = f"{', '.join(first)} := {', '.join(f'!{name}' for name in second)};"
        follow = f"{', '.join(second)} := {', '.join(first)};"
        bodies.append([rise, follow] * (STEPS // 2))
    return Instance(f"{global_count} globals", global_count, 0, WALKED, _program(names, *bodies))


def count(power: int) -> Instance:
    """Two threads count on and on, each in a loop of two statements: ten to a power of states."""
    left, right = ([f"{letter}{number}" for number in range(12)] for letter in "ab")
    half = power // 2
    loops = [
        ["while (1) {", _next(left, 10**half // 2), "}"],
        ["while (1) {", _next(right, 10 ** (power - half) // 2), "}"],
    ]
    name = f"10^{power} states"
    return Instance(name, len(left + right), 0, 10**power, _program(left + right, *loops))


def _halves(names: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    half = len(names) // 2
    return names[:half], names[half:]


def _next(bits: Sequence[str], numbers: int) -> str:
    """An assignment that counts modulo so many numbers; the lowest bit comes first."""
    last = numbers - 1
    is_last = " & ".join(bit if last >> place & 1 else f"!{bit}" for place, bit in enumerate(bits))
    values = []
    for place, bit in enumerate(bits):
        carry = " & ".join(bits[:place]) or "1"
        values.append(f"!({is_last}) & ({bit} ^ ({carry}))")
    return f"{', '.join(bits)} := {', '.join(values)};"


def _program(names: Sequence[str], left: Sequence[str], right: Sequence[str]) -> str:
    procedures = [
        "\n    ".join([f"void {thread}() {{", *body]) + "\n}"
        for thread, body in (("left", left), ("right", right))
    ]
    main = "void main() {\n    thread_create(left);\n    thread_create(right);\n}"
    return "\n\n".join([_declaration(names), *procedures, main]) + "\n"


def _declaration(names: Sequence[str]) -> str:
    return f"decl {', '.join(f'{name} := 0' for name in names)};"


# The measurement.


def measure(instance: Instance) -> LoweringMeasurement:
    """Lower and explore, again and again if that takes no time."""
    started = time.perf_counter()
    program = load_program(Source.of_text(instance.text, f"{instance.name}.bp"))
    read = time.perf_counter() - started
    first, system, exploration = _explore(program)
    peak = peak_memory()
    repeated = REPETITIONS - 1 if first < SHORT else 0
    states = exploration.last.states
    assert states is not None
    return LoweringMeasurement(
        states=states,
        shared_states=system.kernel.shared_states,
        rules=sum(len(template.rules) for template in system.templates),
        read_seconds=read,
        explore_seconds=statistics.median(
            [first, *(_explore(program)[0] for _ in range(repeated))]
        ),
        lowered_bytes=system.kernel.bytes,
        kernel_bytes=exploration.bytes,
        peak_bytes=peak,
    )


def _explore(program: tepui.Program) -> tuple[float, LoweredSystem, ExplicitEngine]:
    """Lower a program anew and explore until a round brings no new state."""
    started = time.perf_counter()
    system = lower(program)
    exploration = ExplicitEngine(system)
    known = 0
    while exploration.last.mark > known:
        known = exploration.last.mark
        outcome = exploration.advance()
        assert outcome == "done", outcome
    return time.perf_counter() - started, system, exploration


# The table and the plot.


def _cells(instance: Instance, found: LoweringMeasurement | None) -> list[str]:
    start = [instance.name, number(instance.globals), number(instance.locals)]
    if found is None:
        return [*start, *[DASH] * (len(COLUMNS) - len(start))]
    return [
        *start,
        number(found.states),
        number(found.shared_states),
        number(found.rules),
        seconds(found.read_seconds),
        seconds(found.explore_seconds),
        mebibytes(found.lowered_bytes, 2),
        mebibytes(found.kernel_bytes, 2),
        mebibytes(found.peak_bytes),
    ]


def _plot(measured: Measured) -> str:
    """Seconds above, memory below; by reachable states on the left, by variables on the right."""
    by_states = [
        (float(found.states), found) for it, found in measured if it.name.startswith("10^")
    ]
    by_globals = [
        (float(it.globals), found) for it, found in measured if it.name.endswith("globals")
    ]
    families = (
        ("24 globals", "reachable states", by_states),
        (f"{WALKED:,} reachable states", "global variables", by_globals),
    )
    return svg(
        [
            [
                Panel(title, label, "seconds", [(x, it.explore_seconds) for x, it in family])
                for title, label, family in families
            ],
            [
                Panel(title, label, "MiB", [(x, it.kernel_bytes / 2**20) for x, it in family])
                for title, label, family in families
            ],
        ]
    )


if __name__ == "__main__":
    (asked,) = (instance for instance in all_instances() if instance.name == sys.argv[1])
    json.dump(asdict(measure(asked)), sys.stdout)
