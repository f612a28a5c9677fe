"""The table of delays: the models of DrUBA's Table 2, round-robin with delays.

Beside it what DrUBA has reported, and what the engines take that count contexts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from delay_models import DelayRow, all_delay_rows
from measure_delays import COLLAPSED, PLATEAU, REPETITIONS, DelayMeasurement
from processes import MEMORY, run_alone
from tables import DASH, Line, Part, Say, mebibytes, number, seconds

RUNS = (
    *((PLATEAU, 2), ("delay", 2), ("abstract", 2)),
    *((PLATEAU, 1), ("delay", 1), ("abstract", 1)),
    ("auto", 1),
)
"""What is measured of each model: how it is explored, and how many symbols of stacks count."""

SECONDS = 120.0

COLUMNS = [
    *("model", "words", "published", "r, d", "published", "plateau s", "MiB", "floor"),
    *("proof s", "published", "AI s", "published"),
    *("visible", "r, d", "plateau s", "proof s", "AI s", "auto s", "ratio", "published"),
]
WORDS = frozenset({"r, d", "floor"})

BEFORE = f"""\
Each cell with seconds is the best of {REPETITIONS} runs in a process of its own, on one core, with
at most {MEMORY / 2**30:.0f} GiB and {SECONDS:g} s; no proof is asked for where there is no plateau,
and abstract interpretation is not tried on what DrUBA does not have.
In the first half two symbols of each stack are looked at, as DrUBA does: `words` is how many states
one sees then, which must be right.
In the second half it is one symbol, as everywhere else: `visible` must be T(R) of the engines that
count contexts.
`plateau` is the way of the delay engine to the first plateau: one round and n - 1 delays more have
shown nothing new; `r, d` is its end, and the MiB are the most that this process held.
`proof` is `explore --engine delay`, with Z, which may need no plateau, or several.
`AI` is `explore --engine abstract`: what was reached must be closed under all actions, after each
step; with two symbols in the strength `matched:2`.
`auto` is `explore` as it is by default, and `ratio` how many times as long the delay engine takes.
`published` are DrUBA's figures (its Table 2), on the machine of its authors: beside `proof` those
of its Algorithm 1, beside `auto` those of the CUBA tool.
`floor` is what the way to the plateau with two symbols may take.
A row with (!) did not come out as expected."""

AFTER = """\
DrUBA counts r and d when it stops, one step after the end of the plateau in most rows.
It prints 94,335 words for Bluetooth3 2+2, where we have 94,355; so many global states has R of the
explicit engine, too, and no two of them look alike.
It prints 130 words for Proc-2, as for K-Induction one line above, where we have 352: so many are
reached, and Z of the strength `matched:2` has no more."""


@dataclass
class Outcome:
    """A row, what came of each run, and what is wrong with that."""

    row: DelayRow
    measured: dict[tuple[str, int], DelayMeasurement] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)


def measure_delays(*, quick: bool, say: Say) -> Part:
    """Measure all that can be measured here; quickly, only what takes no time."""
    rows = [row for row in all_delay_rows() if not (quick and row.slow)]
    outcomes = [_run(row, say) for row in rows]
    return Part(
        title="Delays",
        before=BEFORE,
        columns=COLUMNS,
        lines=[Line(_cells(outcome), wrong=bool(outcome.complaints)) for outcome in outcomes],
        after=AFTER,
        complaints=[
            f"{it.row.name}, {complaint}" for it in outcomes for complaint in it.complaints
        ],
        words=WORDS,
    )


def _run(row: DelayRow, say: Say) -> Outcome:
    outcome = Outcome(row)
    for what, tops in RUNS:
        if _is_tried(outcome, what, tops):
            say(f"{row.name}, {what}, {tops}")
            _measure(outcome, what, tops)
    return outcome


def _is_tried(outcome: Outcome, what: str, tops: int) -> bool:
    if what == "abstract" and outcome.row.published is None:
        return False
    plateau = outcome.measured.get((PLATEAU, tops))
    return what == "auto" or plateau is None or plateau.outcome == PLATEAU


def _measure(outcome: Outcome, what: str, tops: int) -> None:
    run = run_alone(
        "measure_delays.py",
        *(outcome.row.name, what, str(tops), str(SECONDS)),
        seconds=60 + 2 * REPETITIONS * SECONDS,
    )
    if run.found is None:
        outcome.complaints.append(f"{what} with {tops}: {run.failure}")
        return
    measured = DelayMeasurement(**run.found)
    outcome.measured[what, tops] = measured
    complaint = complaint_about(outcome.row, what, tops, measured)
    if complaint is not None:
        outcome.complaints.append(f"{what} with {tops}: {complaint}")


def complaint_about(row: DelayRow, what: str, tops: int, measured: DelayMeasurement) -> str | None:
    """What differs from what is known, if anything. A plateau with one symbol need not be all."""
    if measured.outcome != (PLATEAU if what == PLATEAU else COLLAPSED):
        is_known_to_stop = row.words is None or what == "abstract"
        return None if is_known_to_stop else f"stopped by {measured.outcome}"
    known = row.words if tops == 2 else row.visible
    found = measured.words if tops == 2 else measured.visible
    return None if found == known else f"{found} instead of {known}"


# The table.


def _cells(outcome: Outcome) -> list[str]:
    row, measured, published = outcome.row, outcome.measured, outcome.row.published
    two, one = measured.get((PLATEAU, 2)), measured.get((PLATEAU, 1))
    return [
        row.name,
        number(None if two is None else two.words),
        DASH if published is None else number(published.words),
        _bounds(two),
        DASH if published is None else f"{published.rounds}, {published.delays}",
        _seconds(two),
        mebibytes(None if two is None else two.peak_bytes),
        _floor(row, two),
        _seconds(measured.get(("delay", 2))),
        DASH if published is None else published.alg_1,
        _seconds(measured.get(("abstract", 2))),
        DASH if published is None else published.ai,
        number(None if one is None else one.visible),
        _bounds(one),
        *map(_seconds, (one, measured.get(("delay", 1)), measured.get(("abstract", 1)))),
        _seconds(measured.get(("auto", 1))),
        number(_ratio(measured), 1),
        DASH if published is None else published.cuba,
    ]


def _bounds(measured: DelayMeasurement | None) -> str:
    return DASH if measured is None else f"{measured.rounds}, {measured.delays}"


def _seconds(measured: DelayMeasurement | None) -> str:
    if measured is None:
        return DASH
    took = seconds(measured.seconds)
    if measured.outcome in (PLATEAU, COLLAPSED):
        return took
    return f"> {measured.seconds:.0f}" if measured.outcome == "time" else measured.outcome


def _floor(row: DelayRow, measured: DelayMeasurement | None) -> str:
    if row.to_beat is None or measured is None:
        return DASH
    is_met = measured.outcome == PLATEAU and measured.seconds <= row.to_beat
    return f"{row.to_beat:g} {'met' if is_met else 'missed'}"


def _ratio(measured: dict[tuple[str, int], DelayMeasurement]) -> float | None:
    delay, auto = measured.get(("delay", 1)), measured.get(("auto", 1))
    if delay is None or auto is None or {delay.outcome, auto.outcome} != {COLLAPSED}:
        return None
    return delay.seconds / auto.seconds
