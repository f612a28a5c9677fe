"""Measure one way to decide one row of the race in this process, which should do nothing else.

`python benchmarks/measure_race.py NAME ENGINE SECONDS` prints a RaceMeasurement as JSON. What it
took is time of the processor.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from dataclasses import asdict, dataclass

from processes import MEMORY
from race_models import RaceRow, all_race_rows

import tepui
from tepui.limits import peak_memory
from tepui.z.strength import ESCALATION

ANSWERS = ("safe", "unsafe", "collapsed")


@dataclass(frozen=True)
class RaceMeasurement:
    """An answer, who gave it, and what that took."""

    verdict: str
    engine: str
    seconds: float
    peak_bytes: int


def measure(row: RaceRow, engine: str, seconds: float) -> RaceMeasurement:
    """Decide it once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = row.load()
    options = tepui.Options(
        engine=engine,
        strengths=ESCALATION if row.z else (),
        limits=tepui.Limits(timeout=seconds, memory=MEMORY),
        check=False,
    )
    started = time.process_time()
    if row.kind == "verify":
        result = tepui.verify(model, options=options)
    else:
        result = tepui.explore(model, options)
    took = time.process_time() - started
    return RaceMeasurement(result.verdict, result.engine, took, peak_memory())


def main(name: str, engine: str, seconds: str) -> None:
    row = next(row for row in all_race_rows() if row.name == name)
    found = measure(row, engine, float(seconds))
    print(json.dumps(asdict(found)))


if __name__ == "__main__":
    main(*sys.argv[1:])
