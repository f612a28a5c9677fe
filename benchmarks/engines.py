"""The table of engines: infinite contexts, many threads, and small models for comparison."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine_models import PUBLISHED, TO_BEAT, EngineRow, all_engine_rows
from measure import REPETITIONS, SHORT
from measure_engine import COLLAPSED, EngineMeasurement
from processes import MEMORY, run_alone
from tables import DASH, Line, Part, Say, mebibytes, number, seconds

ENGINES = ("diagram", "explicit", "symbolic", "auto")
MUST_COLLAPSE = ("diagram", "auto")

SECONDS = 120.0
OTHERS_SECONDS, QUICK_SECONDS = 20.0, 2.0
"""What engines get that need not come to an end."""

MOST_RATIO = 3.0
"""On small models, diagrams may take so many times as long as the explicit engine."""

INFINITE = "∞"
COLUMNS = [
    *("model", "k", "visible", "states", "nodes", "diagram s", "MiB"),
    *("explicit s", "MiB", "symbolic s", "MiB", "auto s", "MiB", "ratio", "published", "to beat"),
]


@dataclass
class Outcome:
    """A row, what each engine made of it, and what is wrong with that."""

    row: EngineRow
    measured: dict[str, EngineMeasurement] = field(default_factory=dict)
    ratio: float | None = None
    complaints: list[str] = field(default_factory=list)


def measure_engines(*, quick: bool, say: Say) -> Part:
    """Measure every engine on every model; quickly, the slow ones on small models only."""
    outcomes = [_run(row, quick, say) for row in all_engine_rows()]
    return Part(
        title="Engines",
        before=_before(_limit("explicit", quick)),
        columns=COLUMNS,
        lines=[Line(_cells(outcome), wrong=bool(outcome.complaints)) for outcome in outcomes],
        after=AFTER,
        remarks=[remark for outcome in outcomes if (remark := _remark(outcome))],
        complaints=[
            f"{it.row.name}, {complaint}" for it in outcomes for complaint in it.complaints
        ],
        words=frozenset({"published"}),
    )


AFTER = """\
`published` is what the papers report, on the machines of their authors: Table 2 of CUBA for the
models of its suite, and the delay-bounded tool of DrUBA for Bluetooth3 2+2 and 2+3 (its Table 2).
`to beat` is how many seconds an early trial of decision diagrams took, on two ordinary cores."""


def _before(limit: float) -> str:
    return f"""\
Each cell with seconds is a run in a process of its own, on one core, and the MiB beside it are the
most that this process held.
The engines diagram, explicit (with symmetry) and symbolic run without Z until R_k itself collapses.
`auto` is `explore` as it is by default: with Z, and with the engine that turns out to be best.
The explicit engine is not tried where a context reaches infinitely many stacks.
It and the symbolic one get {limit:g} s; all get {MEMORY / 2**30:.0f} GiB.
`k` is where T(R_k) collapses; `visible` and `states` count every permutation of equal threads,
exactly, and {INFINITE} are infinitely many.
All engines that come to an end must agree with the known counts.
`nodes` are those that the diagram engine holds in the end.
Seconds below {SHORT} are a median of {REPETITIONS}.
`ratio` is diagram against explicit on small models, both in turns in one process, by processor
time; it must not be above {MOST_RATIO:g}.
A row with (!) did not come out as expected."""


def _run(row: EngineRow, quick: bool, say: Say) -> Outcome:
    outcome = Outcome(row)
    for engine in ENGINES:
        if _is_tried(row, engine, quick):
            say(f"{row.name}, {engine}")
            _measure(outcome, engine, quick)
    if row.is_small:
        say(f"{row.name}, ratio")
        _compare(outcome)
    return outcome


def _is_tried(row: EngineRow, engine: str, quick: bool) -> bool:
    if engine in MUST_COLLAPSE:
        return True
    return (engine != "explicit" or row.states is not None) and not (quick and row.slow)


def _limit(engine: str, quick: bool) -> float:
    if engine in MUST_COLLAPSE:
        return SECONDS
    return QUICK_SECONDS if quick else OTHERS_SECONDS


def _measure(outcome: Outcome, engine: str, quick: bool) -> None:
    limit = _limit(engine, quick)
    run = run_alone(
        "measure_engine.py", outcome.row.name, engine, str(limit), seconds=60 + 2 * limit
    )
    if run.found is None:
        outcome.complaints.append(f"{engine}: {run.failure}")
        return
    measured = EngineMeasurement(**run.found)
    outcome.measured[engine] = measured
    complaint = complaint_about(outcome.row, engine, measured)
    if complaint is not None:
        outcome.complaints.append(f"{engine}: {complaint}")


def complaint_about(row: EngineRow, engine: str, measured: EngineMeasurement) -> str | None:
    """What differs from the known counts, if anything. With Z, `explore` may end before R_k
    collapses: then its states are not all."""
    if measured.outcome != COLLAPSED:
        return f"stopped by {measured.outcome}" if engine in MUST_COLLAPSE else None
    found: tuple[object, ...] = (measured.k, measured.visible, measured.states)
    known: tuple[object, ...] = (row.k, row.visible, row.states)
    if engine == "auto":
        found, known = found[:2], known[:2]
    return None if found == known else f"{found} instead of {known}"


def _compare(outcome: Outcome) -> None:
    run = run_alone("measure_engine.py", outcome.row.name, "ratio", "60", seconds=120)
    if run.found is None:
        outcome.complaints.append(f"ratio: {run.failure}")
        return
    outcome.ratio = run.found["ratio"]
    if outcome.ratio > MOST_RATIO:
        outcome.complaints.append(f"diagrams take {outcome.ratio:.1f} times as long as explicit")


def _remark(outcome: Outcome) -> str | None:
    """Times depend on the machine, so that a slow one is no fault."""
    limit, found = TO_BEAT.get(outcome.row.name), outcome.measured.get("diagram")
    if limit is None or found is None or found.seconds <= limit:
        return None
    return f"{outcome.row.name}: {found.seconds:.1f} s, slower than the trial with {limit:g} s."


# The table.


def _cells(outcome: Outcome) -> list[str]:
    row, diagram = outcome.row, outcome.measured.get("diagram")
    counts = [DASH] * 4 if diagram is None else _counts(diagram)
    runs = [cell for engine in ENGINES for cell in _cost(outcome.measured.get(engine))]
    limit = TO_BEAT.get(row.name)
    return [
        *(row.name, *counts, *runs),
        number(outcome.ratio, 2),
        PUBLISHED.get(row.name, DASH),
        DASH if limit is None else f"{limit:g}",
    ]


def _counts(diagram: EngineMeasurement) -> list[str]:
    """Exact: a float would round them."""
    states = INFINITE if diagram.states is None else f"{diagram.states:,}"
    return [f"{diagram.k}", f"{diagram.visible:,}", states, number(diagram.nodes)]


def _cost(measured: EngineMeasurement | None) -> list[str]:
    if measured is None:
        return [DASH, DASH]
    took = seconds(measured.seconds)
    if measured.outcome != COLLAPSED:
        took = f"> {measured.seconds:.0f}" if measured.outcome == "time" else measured.outcome
    return [took, mebibytes(measured.peak_bytes)]
