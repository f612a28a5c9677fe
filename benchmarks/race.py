"""The table of races: every engine alone, all of them in turns and side by side, and how much of a
head start the first one should have."""

from __future__ import annotations

from measure_race import ANSWERS, RaceMeasurement
from processes import run_alone
from race_models import RaceRow, all_race_rows
from tables import Line, Part, Say, seconds

from tepui.engines.registry import PATIENCE

SECONDS = 10.0
"""How long a run may take."""

ALONE = ("explicit", "diagram", "symbolic", "delay")
OTHER_PATIENCE = (0, 30_000, 3_000_000)

Way = tuple[str, int, int]
"""An engine, how many jobs, and the head start."""

WAYS: tuple[Way, ...] = (
    *((engine, 1, PATIENCE) for engine in ALONE),
    *(("auto", jobs, PATIENCE) for jobs in (1, 2)),
    *(("auto", 1, patience) for patience in OTHER_PATIENCE),
)

COLUMNS = [
    *("model", "verdict", *ALONE, "auto", "winner", "auto / best", "--jobs 2"),
    *(f"head start {patience:,}" for patience in OTHER_PATIENCE),
]
WORDS = frozenset({"verdict", "winner"})

BEFORE = f"""\
Seconds for an answer, each in a process of its own, without the check; a run is ended after
{SECONDS:g} s, and counts as so many.
`auto` lets engines race in turns: the first begins alone, and the others join when it has done the
work of {PATIENCE:,} states; `--jobs 2` lets two of them run side by side from the start.
The last columns are `auto` with another head start of the first one."""

AFTER = """\
No engine is best for all: each but `diagram` leaves rows undecided, and that one takes long where
others do not.
The sums at the end are the reason for the order and the head start that `auto` has.
Without a head start small systems pay for engines that they do not need (most systems are decided
before the head start is over, and are not in this table); with a long one, large systems wait."""


def measure_race(*, quick: bool, say: Say) -> Part:
    """Measure all that can be measured here; quickly, only a few rows."""
    rows = all_race_rows()[: 3 if quick else None]
    measured = {row.name: {way: _run(row, way, say) for way in WAYS} for row in rows}
    complaints = []
    for row in rows:
        verdicts = {it.verdict for it in measured[row.name].values() if it is not None}
        if len(verdicts.intersection(ANSWERS)) != 1:
            complaints.append(f"{row.name}: the verdicts are {', '.join(sorted(verdicts))}")
    lines = [Line(_cells(row.name, measured[row.name])) for row in rows]
    sums = [sum(_seconds(of_row[way]) for of_row in measured.values()) for way in WAYS]
    return Part(
        title="Races",
        before=BEFORE,
        columns=COLUMNS,
        lines=[*lines, Line(_sums(sums))],
        after=AFTER,
        complaints=complaints,
        words=WORDS,
    )


def _run(row: RaceRow, way: Way, say: Say) -> RaceMeasurement | None:
    say(f"{row.name}, {way[0]}")
    arguments = (row.name, way[0], str(way[1]), str(way[2]), str(SECONDS))
    run = run_alone("measure_race.py", *arguments, seconds=6 * SECONDS)
    return None if run.found is None else RaceMeasurement(**run.found)


def _seconds(measured: RaceMeasurement | None) -> float:
    if measured is None or measured.verdict not in ANSWERS:
        return SECONDS
    return min(measured.seconds, SECONDS)


def _cells(name: str, of_row: dict[Way, RaceMeasurement | None]) -> list[str]:
    verdicts = [it.verdict for it in of_row.values() if it is not None and it.verdict in ANSWERS]
    auto = of_row[WAYS[len(ALONE)]]
    best = min(_seconds(of_row[way]) for way in WAYS[: len(ALONE)])
    ratio = f"{_seconds(auto) / best:.1f}"
    took = [_told(of_row[way]) for way in WAYS]
    return [
        name,
        verdicts[0] if verdicts else "none",
        *took[: len(ALONE) + 1],
        "none" if auto is None else auto.engine,
        ratio,
        *took[len(ALONE) + 1 :],
    ]


def _told(measured: RaceMeasurement | None) -> str:
    took = _seconds(measured)
    return seconds(took) if took < SECONDS else f"> {SECONDS:g}"


def _sums(sums: list[float]) -> list[str]:
    told = [seconds(took) for took in sums]
    return ["sum", "", *told[: len(ALONE) + 1], "", "", *told[len(ALONE) + 1 :]]
