"""Measure how one trace is shortened in this process, which should do nothing else.

`python benchmarks/measure_traces.py NAME SECONDS` prints a TraceMeasurement as JSON.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from dataclasses import asdict, dataclass

from processes import MEMORY
from trace_models import TraceRow, all_trace_rows

import tepui
from tepui.deciding.algorithm3 import Shared
from tepui.deciding.shortening import shortened


@dataclass(frozen=True)
class TraceMeasurement:
    """A trace before and after."""

    threads: int
    steps: int
    contexts: int
    shorter_steps: int
    shorter_contexts: int
    is_fewest: bool
    seconds: float


def measure(row: TraceRow, seconds: float) -> TraceMeasurement | None:
    """Shorten the trace of the delay engine, if it finds one in time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = row.load()
    limits = tepui.Limits(timeout=seconds, memory=MEMORY)
    options = tepui.Options(engine="delay", limits=limits, check=False)
    result = tepui.verify(model, tepui.deadlock() if row.deadlock else None, options)
    trace = result.trace
    if trace is None:
        return None
    shared = Shared(result.subject, tepui.Options())
    started = time.process_time()
    found = shortened(shared, trace, result.asked, result.questions)
    took = time.process_time() - started
    result.subject.check(result.asked, found.trace, lambda: True)
    return TraceMeasurement(
        len(result.system.threads),
        len(trace.steps),
        trace.contexts,
        len(found.trace.steps),
        found.trace.contexts,
        found.is_fewest,
        took,
    )


def main(name: str, seconds: str) -> None:
    row = next(row for row in all_trace_rows() if row.name == name)
    found = measure(row, float(seconds))
    print(json.dumps(None if found is None else asdict(found)))


if __name__ == "__main__":
    main(*sys.argv[1:])
