"""The table of shortened traces: how many contexts they have before and after."""

from __future__ import annotations

from measure_traces import TraceMeasurement
from processes import run_alone
from tables import DASH, Line, Part, Say, seconds
from trace_models import TraceRow, all_trace_rows

SECONDS = 60.0
"""How long the search for a violation may take."""

COLUMNS = [
    *("model", "threads", "steps", "contexts", "shortened: steps", "contexts after"),
    *("fewest known", "seconds"),
]

BEFORE = """\
The delay engine looks for the fewest delays, so its traces have many contexts.
If it wins a race, they are shortened; here all of its traces are, with the work that a race allows.
The checker accepts each of them. Seconds are those of the processor.
An engine that counts contexts begins anew in each row, where in a race it would go on."""


def measure_traces(*, quick: bool, say: Say) -> Part:
    """Measure all that can be measured here; quickly, only a few rows."""
    rows = all_trace_rows()[: 2 if quick else None]
    complaints, lines = [], []
    for row in rows:
        found = _run(row, say)
        wrong = found is None or found.shorter_contexts > found.contexts
        if wrong:
            complaints.append(f"{row.name}: no trace, or a longer one")
        lines.append(Line(_cells(row.name, found), wrong))
    return Part(
        title="Shortened traces",
        before=BEFORE,
        columns=COLUMNS,
        lines=lines,
        complaints=complaints,
        words=frozenset({"fewest known"}),
    )


def _run(row: TraceRow, say: Say) -> TraceMeasurement | None:
    say(row.name)
    run = run_alone("measure_traces.py", row.name, str(SECONDS), seconds=3 * SECONDS)
    return None if run.found is None else TraceMeasurement(**run.found)


def _cells(name: str, found: TraceMeasurement | None) -> list[str]:
    if found is None:
        return [name, *[DASH] * (len(COLUMNS) - 1)]
    return [
        name,
        f"{found.threads:,}",
        f"{found.steps:,}",
        f"{found.contexts:,}",
        f"{found.shorter_steps:,}",
        f"{found.shorter_contexts:,}",
        "yes" if found.is_fewest else "no",
        seconds(found.seconds),
    ]
