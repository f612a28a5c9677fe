"""Measure one engine on one model in this process, which should do nothing else.

`python benchmarks/measure_engine.py NAME ENGINE SECONDS` prints an EngineMeasurement as JSON. The
engines diagram, explicit and symbolic run without Z until R_k itself collapses; auto is `explore`
with the default options. `NAME ratio SECONDS` compares diagram and explicit, and prints a Ratio.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from engine_models import all_engine_rows
from measure import REPETITIONS, SHORT
from processes import MEMORY

import tepui
from tepui.engines.diagram import DiagramEngine
from tepui.engines.engine import Engine
from tepui.engines.explicit import ExplicitEngine
from tepui.engines.finite_context import finite_contexts
from tepui.engines.sequences import ObservationSequence
from tepui.engines.symbolic import SymbolicEngine
from tepui.limits import Meter, peak_memory

COLLAPSED = "collapsed"


@dataclass(frozen=True)
class EngineMeasurement:
    """How far an engine came."""

    outcome: str
    """That it collapsed, or which limit was met."""
    k: int | None
    """Where T(R_k) grew last, if it is known."""
    visible: int | None
    states: int | None
    """|R_k|; None if it is infinite."""
    seconds: float
    peak_bytes: int
    nodes: int | None = None


@dataclass(frozen=True)
class Ratio:
    """How much processor time diagrams take, as a multiple of what the explicit engine takes."""

    ratio: float


def measure(system: tepui.System, engine: str, limits: tepui.Limits) -> EngineMeasurement:
    """Explore with one engine, again and again if that takes no time."""
    run = _auto if engine == "auto" else _alone
    first = run(system, engine, limits)
    repeated = REPETITIONS - 1 if first.seconds < SHORT else 0
    again = [run(system, engine, limits).seconds for _ in range(repeated)]
    seconds = statistics.median([first.seconds, *again])
    return EngineMeasurement(**asdict(first) | {"seconds": seconds})


def ratio(system: tepui.System, limits: tepui.Limits) -> Ratio:
    """Run both engines in turns. Processor time does not count what else the machine does."""
    finite = finite_contexts(system)
    taken: dict[str, list[float]] = {"diagram": [], "explicit": []}
    for _ in range(3 * REPETITIONS):
        for name, times in taken.items():
            started = time.process_time()
            outcome = _climb(_engine(name, system, finite), Meter(limits))
            times.append(time.process_time() - started)
            assert outcome == COLLAPSED, outcome
    return Ratio(statistics.median(taken["diagram"]) / statistics.median(taken["explicit"]))


def _alone(system: tepui.System, name: str, limits: tepui.Limits) -> EngineMeasurement:
    meter = Meter(limits)
    engine = _engine(name, system, finite_contexts(system))
    outcome = _climb(engine, meter)
    last = engine.observations[-1]
    visible = ObservationSequence([seen.visible for seen in engine.observations])
    return EngineMeasurement(
        outcome=outcome,
        k=visible.last_growth,
        visible=last.visible,
        states=last.states,
        seconds=meter.seconds(),
        peak_bytes=peak_memory(),
        nodes=engine.nodes if isinstance(engine, DiagramEngine) else None,
    )


def _auto(system: tepui.System, _: str, limits: tepui.Limits) -> EngineMeasurement:
    result = tepui.explore(system, tepui.Options(limits=limits))
    return EngineMeasurement(
        outcome=COLLAPSED if result.stop is None else result.stop.kind,
        k=result.bound,
        visible=result.visible_states,
        states=result.states,
        seconds=result.seconds,
        peak_bytes=peak_memory(),
    )


def _engine(name: str, system: tepui.System, finite: Sequence[bool]) -> Engine:
    if name == "diagram":
        return DiagramEngine(system, finite)
    if name == "symbolic":
        return SymbolicEngine(system)
    assert all(finite), "the explicit engine explores finite contexts only"
    return ExplicitEngine(system)


def _climb(engine: Engine, meter: Meter) -> str:
    """Advance until R_k collapses or a limit is met: Scheme 1, and nothing else."""
    rounds = engine.observations
    while len(rounds) < 2 or rounds[-1].mark != rounds[-2].mark:
        outcome = engine.advance(meter.for_kernel(engine.bytes))
        if outcome not in ("done", "paused"):
            return outcome
    return COLLAPSED


if __name__ == "__main__":
    _, name_asked, engine_asked, allowed_seconds = sys.argv
    (asked,) = (row for row in all_engine_rows() if row.name == name_asked)
    allowed = tepui.Limits(timeout=float(allowed_seconds), memory=MEMORY)
    loaded = asked.model.load()
    found = (
        ratio(loaded, allowed)
        if engine_asked == "ratio"
        else measure(loaded, engine_asked, allowed)
    )
    json.dump(asdict(found), sys.stdout)
