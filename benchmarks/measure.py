"""Measure one row in this process, which should do nothing else: its peak memory is the row's.

`python benchmarks/measure.py NAME on|off` prints a Measurement of the row with this name and with
symmetry on or off, as JSON.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass

from models import Row, all_rows

import tepui
from tepui.engines.finite_context import finite_contexts
from tepui.limits import current_memory, peak_memory

SHORT = 0.1
"""What takes less than so many seconds is repeated, and the median counts."""

REPETITIONS = 9

MANY_STATES = 100_000
"""With fewer states than this, memory per state says nothing."""

TIMEOUT = 300.0


@dataclass(frozen=True)
class Measurement:
    """What came out of a row. Counts are None where they are infinite or were not reached."""

    verdict: str
    k: int | None
    visible: int | None
    states: int | None
    visible_up_to_symmetry: int | None
    states_up_to_symmetry: int | None
    seconds: float
    peak_bytes: int
    bytes_per_state: float | None


def measure(row: Row) -> Measurement:
    """Explore the models of a row. Reading their files is not measured."""
    systems = [model.load() for model in row.models]
    limits = tepui.Limits(timeout=TIMEOUT)
    runs = [
        (system, tepui.Options(engine=_engine(system), symmetry=row.symmetry, limits=limits))
        for system in systems
    ]
    before = current_memory()
    seconds, results = _explore(runs)
    peak = peak_memory()
    if seconds < SHORT:
        again = [_explore(runs)[0] for _ in range(REPETITIONS - 1)]
        seconds = statistics.median([seconds, *again])
    stored = _sum([result.states_up_to_symmetry for result in results])
    stopped = [result.verdict for result in results if result.verdict != "collapsed"]
    return Measurement(
        verdict=stopped[0] if stopped else "collapsed",
        k=results[0].bound if len(results) == 1 else None,
        visible=_sum([result.visible_states for result in results]),
        states=_sum([result.states for result in results]),
        visible_up_to_symmetry=_sum([result.visible_up_to_symmetry for result in results]),
        states_up_to_symmetry=stored,
        seconds=seconds,
        peak_bytes=peak,
        bytes_per_state=(peak - before) / stored if stored and stored >= MANY_STATES else None,
    )


def _engine(system: tepui.System) -> str:
    """State by state, where that ends."""
    return "explicit" if all(finite_contexts(system)) else "diagram"


def _explore(
    runs: list[tuple[tepui.System, tepui.Options]],
) -> tuple[float, list[tepui.Result]]:
    started = time.perf_counter()
    results = [tepui.explore(system, options) for system, options in runs]
    return time.perf_counter() - started, results


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


if __name__ == "__main__":
    _, name, symmetry = sys.argv
    (asked,) = (row for row in all_rows() if (row.name, row.symmetry) == (name, symmetry == "on"))
    json.dump(asdict(measure(asked)), sys.stdout)
