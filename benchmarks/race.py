"""The table of races: every engine alone, and all of them in turns, on all tasks."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import exp, log
from statistics import median

from measure_race import ANSWERS, RaceMeasurement
from processes import run_alone
from race_models import RaceRow, all_race_rows
from tables import Line, Part, Say, seconds

from tepui.engines.registry import AUTO, PATIENCE, engine_kinds

SECONDS = 45.0
"""How long a run may take."""

LEAST_SECONDS = 2.0
"""So long it may take even if another engine was faster."""

LEAST = 0.1
"""Rows that take the best engine less are not shown."""

TIMES = 5
"""How often `auto` and the best engine are measured, in turns."""

ALONE = tuple(kind.name for kind in engine_kinds() if not kind.closes)

COLUMNS = ["model", "verdict", *ALONE, "auto", "winner", "auto / best"]
WORDS = frozenset({"verdict", "winner"})

BEFORE = f"""\
Seconds of the processor for an answer, each in a process of its own, without the check; a run is
ended after {SECONDS:g} s, or when it takes three times as long as an engine before it in the table,
and {LEAST_SECONDS:g} s.
Rows that take the best engine less than {LEAST:g} s are left out.
`auto` lets engines race in turns: the first begins alone, and the others join when it has done the
work of {PATIENCE:,} states. `auto` and the best engine are medians of {TIMES} runs, in turns."""

Found = dict[str, RaceMeasurement | None]


def measure_race(*, quick: bool, say: Say) -> Part:
    """Measure all that can be measured here; quickly, only a few rows."""
    rows = all_race_rows()[: 3 if quick else None]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        measured = list(pool.map(lambda row: _all_ways(row, say), rows))
    lines, ratios, small, complaints = [], [], 0, []
    for row, of_row in zip(rows, measured, strict=True):
        verdicts = {it.verdict for it in of_row.values() if it is not None} & set(ANSWERS)
        if len(verdicts) > 1:
            complaints.append(f"{row.name}: the verdicts are {', '.join(sorted(verdicts))}")
        best = _best(of_row)
        if best is None:
            lines.append(Line(_cells(row.name, of_row, None)))
        elif _seconds(of_row[best]) < LEAST:
            small += 1
        else:
            ratio = _ratio(row, best, of_row, say)
            ratios.append(ratio)
            lines.append(Line(_cells(row.name, of_row, ratio)))
    return Part(
        title="Races",
        before=BEFORE,
        columns=COLUMNS,
        lines=lines,
        after=_after(ratios, small),
        complaints=complaints,
        words=WORDS,
    )


def _after(ratios: list[float], small: int) -> str:
    if not ratios:
        return ""
    mean = exp(sum(map(log, ratios)) / len(ratios))
    return (
        f"In the geometric mean of {len(ratios)} rows, `auto` costs {mean:.2f} times as much as "
        f"the best engine, and {max(ratios):.2f} times at most. {small} rows are left out."
    )


def _all_ways(row: RaceRow, say: Say) -> Found:
    """Each engine alone, and all together."""
    found: Found = {}
    for way in ALONE:
        best = min(map(_seconds, found.values()), default=SECONDS)
        found[way] = _run(row, way, say, min(SECONDS, max(3 * best, LEAST_SECONDS)))
    found[AUTO] = _run(row, AUTO, say)
    return found


def _run(row: RaceRow, way: str, say: Say, limit: float = SECONDS) -> RaceMeasurement | None:
    say(f"{row.name}, {way}")
    run = run_alone("measure_race.py", row.name, way, str(limit), seconds=6 * limit)
    return None if run.found is None else RaceMeasurement(**run.found)


def _ratio(row: RaceRow, best: str, of_row: Found, say: Say) -> float:
    """`auto` against the best engine, both measured again in turns."""
    took: dict[str, list[float]] = {best: [], AUTO: []}
    for _ in range(TIMES):
        for way, times in took.items():
            of_row[way] = _run(row, way, say) or of_row[way]
            times.append(_seconds(of_row[way]))
    for way, times in took.items():
        if (last := of_row[way]) is not None:
            of_row[way] = replace(last, seconds=median(times))
    return median(took[AUTO]) / median(took[best])


def _best(of_row: Found) -> str | None:
    answered = [way for way in ALONE if _told(of_row[way]) != "–"]
    return min(answered, key=lambda way: _seconds(of_row[way]), default=None)


def _seconds(measured: RaceMeasurement | None) -> float:
    if measured is None or measured.verdict not in ANSWERS:
        return SECONDS
    return measured.seconds


def _cells(name: str, of_row: Found, ratio: float | None) -> list[str]:
    verdicts = [it.verdict for it in of_row.values() if it is not None and it.verdict in ANSWERS]
    auto = of_row[AUTO]
    return [
        name,
        verdicts[0] if verdicts else "none",
        *(_told(of_row[way]) for way in (*ALONE, AUTO)),
        "none" if auto is None or auto.verdict not in ANSWERS else auto.engine,
        "–" if ratio is None else f"{ratio:.2f}",
    ]


def _told(measured: RaceMeasurement | None) -> str:
    if measured is None or measured.verdict not in ANSWERS:
        return "–"
    return seconds(measured.seconds)
