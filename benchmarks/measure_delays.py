"""Measure one way to explore one model of DrUBA in this process, which should do nothing else.

`python benchmarks/measure_delays.py NAME WHAT TOPS SECONDS` prints a DelayMeasurement as JSON. WHAT
is `plateau`, the way of the delay engine to its first plateau and nothing else, or an engine, with
which the model is explored until there is a proof. TOPS is how many symbols of each stack count.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, replace

from delay_models import all_delay_rows
from processes import MEMORY

import tepui
from tepui.engines.delay import DelayEngine
from tepui.engines.rounds import Delayed
from tepui.limits import Meter, peak_memory
from tepui.z.strength import ESCALATION

REPETITIONS = 3
"""The best of so many counts."""

PLATEAU, COLLAPSED = "plateau", "collapsed"


@dataclass(frozen=True)
class DelayMeasurement:
    """How far a run came."""

    outcome: str
    """That there is a plateau, or a proof, or which limit was met."""
    seconds: float
    visible: int
    rounds: int | None
    """r, if rounds and delays are counted."""
    delays: int | None
    words: int | None
    """How many states one sees who looks at so many symbols of each stack."""
    peak_bytes: int


def measure(system: tepui.System, what: str, tops: int, limits: tepui.Limits) -> DelayMeasurement:
    """Explore again and again, unless a limit was met."""
    best = _run(system, what, tops, limits)
    for _ in range(REPETITIONS - 1 if best.outcome in (PLATEAU, COLLAPSED) else 0):
        best = min(best, _run(system, what, tops, limits), key=lambda found: found.seconds)
    return best


def _run(system: tepui.System, what: str, tops: int, limits: tepui.Limits) -> DelayMeasurement:
    run = _plateau if what == PLATEAU else _proof
    return replace(run(system, what, tops, limits), peak_bytes=peak_memory())


def _plateau(system: tepui.System, _: str, tops: int, limits: tepui.Limits) -> DelayMeasurement:
    meter = Meter(limits)
    exploration = DelayEngine(system, tops=tops)
    outcome = PLATEAU
    while outcome == PLATEAU and not exploration.at_plateau:
        met = exploration.advance(meter.for_kernel(exploration.bytes))
        outcome = PLATEAU if met in ("done", "paused") else met
    last = exploration.last
    return _measured(outcome, meter.seconds(), last.visible, last.delays)


def _proof(system: tepui.System, engine: str, tops: int, limits: tepui.Limits) -> DelayMeasurement:
    """What abstract interpretation closes must have as many symbols as are looked at."""
    strengths = ESCALATION[tops - 1 :] if engine == "abstract" else ESCALATION
    options = tepui.Options(engine=engine, tops=tops, strengths=strengths, limits=limits)
    result = tepui.explore(system, options)
    outcome = result.verdict if result.stop is None else result.stop.kind
    last = result.rounds[-1]
    return _measured(outcome, result.seconds, last.visible, last.delays)


def _measured(
    outcome: str, seconds: float, visible: int, delayed: Delayed | None
) -> DelayMeasurement:
    return DelayMeasurement(
        outcome=outcome,
        seconds=seconds,
        visible=visible,
        rounds=None if delayed is None else delayed.rounds,
        delays=None if delayed is None else delayed.delays,
        words=None if delayed is None else delayed.top_words,
        peak_bytes=0,
    )


if __name__ == "__main__":
    _, name_asked, what_asked, tops_asked, allowed_seconds = sys.argv
    (asked,) = (row for row in all_delay_rows() if row.name == name_asked)
    allowed = tepui.Limits(timeout=float(allowed_seconds), memory=MEMORY)
    found = measure(asked.model.load(), what_asked, int(tops_asked), allowed)
    json.dump(asdict(found), sys.stdout)
