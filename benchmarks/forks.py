"""The table of programs that fork threads: with slots for any number of contexts, or within k.

Our own examples, among them Figure 4 of QR. Without a bound, their comments say what must come out;
within k contexts that follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from measure_program import FORKING_SECONDS, ProgramMeasurement
from models import EXAMPLES
from processes import MEMORY, run_alone
from programs import Expected, check, proof, slots, stated_in
from tables import DASH, Line, Part, Say, mebibytes, number, seconds

BOUNDS = (None, 2, 4, 5, 6)
SLOW_BOUND = 6
COLUMNS = [
    *("program", "contexts", "expected", "verdict", "k", "slots", "proof", "states"),
    *("run s", "check s", "peak MiB"),
]
WORDS = frozenset({"contexts", "expected", "verdict", "slots", "proof"})

BEFORE = f"""\
Each row is one `verify` in a process of its own, with at most {FORKING_SECONDS:g} s for run and
check.
Without a bound, threads get slots, which are used again, as long as some number of them is enough;
where none is, the answer holds for so many contexts only, and is unknown.
Within k contexts there are k - 1 slots, as in section 4 of QR, where Figure 4 is from.
`slots` are those with which it was decided, `k` is the number of contexts of the violation or of
the bound.
A row with (!) did not come out as expected."""


@dataclass(frozen=True)
class ForkRow:
    """An example, and within how many contexts it is asked about; None for any number."""

    path: Path
    contexts: int | None

    @property
    def name(self) -> str:
        return f"examples/{self.path.name}"

    @property
    def expected(self) -> str:
        return expected_within(self.contexts, stated_in(self.path)) or DASH


def measure_forks(*, quick: bool, say: Say) -> Part:
    """Verify the examples that fork, without a bound and with some."""
    lines, complaints = [], []
    for row in all_fork_rows():
        if quick and row.contexts is not None and row.contexts >= SLOW_BOUND:
            continue
        say(f"{row.name}, {_contexts(row)}")
        measured, complaint = _run(row)
        lines.append(Line(_cells(row, measured), wrong=complaint is not None))
        if complaint is not None:
            complaints.append(f"{row.name}, {_contexts(row)}: {complaint}")
    return Part(
        title="Programs that fork",
        before=BEFORE,
        columns=COLUMNS,
        lines=lines,
        complaints=complaints,
        words=WORDS,
    )


def all_fork_rows() -> list[ForkRow]:
    return [
        ForkRow(path, contexts)
        for path in sorted(EXAMPLES.glob("fork-*.bp"))
        for contexts in BOUNDS
    ]


def expected_within(contexts: int | None, stated: Expected) -> str | None:
    """The verdict within so many contexts, from what is said about any number of them."""
    if contexts is None:
        return stated.verdict
    found = stated.contexts is not None and stated.contexts <= contexts
    return "unsafe" if found else "bounded"


def _run(row: ForkRow) -> tuple[ProgramMeasurement | None, str | None]:
    bound = [] if row.contexts is None else [str(row.contexts)]
    limits = (str(FORKING_SECONDS), str(MEMORY))
    run = run_alone("measure_program.py", str(row.path), *limits, *bound, seconds=60)
    if run.found is None:
        return None, run.failure
    measured = ProgramMeasurement(**run.found)
    wrong = measured.verdict != row.expected
    return measured, f"{measured.verdict} instead of {row.expected}" if wrong else None


def _contexts(row: ForkRow) -> str:
    return "any" if row.contexts is None else f"≤ {row.contexts}"


def _cells(row: ForkRow, measured: ProgramMeasurement | None) -> list[str]:
    start = [row.name, _contexts(row), row.expected]
    if measured is None:
        return [*start, *[DASH] * (len(COLUMNS) - len(start))]
    return [
        *start,
        measured.verdict,
        number(measured.bound),
        slots(measured),
        proof(measured),
        number(measured.states),
        seconds(measured.run_seconds),
        check(measured),
        mebibytes(measured.peak_bytes),
    ]
