"""The table of Boolean programs: each row is one `verify`, compared with what is said about it.

Three sources say something: the suite's own tests and our own examples, which must come out as
they say; the two files of one program (`.bp` and `.nbp`), which must come out alike; and claims
and file names, with which we may disagree, but not without an explanation here.
"""

from __future__ import annotations

import csv
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from measure_program import FORKING_SECONDS, REFUSED, ProgramMeasurement
from models import EXAMPLES, VARIABLE
from processes import MEMORY, run_alone
from tables import DASH, Line, Part, Say, mebibytes, number, seconds

SECONDS, QUICK_SECONDS = 60.0, 5.0

Source = Literal["test.desc", "claim", "file name", "comment", "same program", "none"]

NO_LABEL = "expected a label of 'main'"
REASONS = {
    "does not support passive copies": "assigns passive copies",
    NO_LABEL: "goes to a label that is not there",
}
"""What a message says, in a few words."""


@dataclass(frozen=True)
class Finding:
    """What came out when somebody looked into a program."""

    verdict: str
    text: str


_BUG = Finding(
    "unsafe",
    "Merged, it is unsafe after 11 contexts: init, and ten of its three threads. Two of them then "
    "hold the same element, and one sees the value of the other.",
)
_ANY_ELEMENT = Finding(
    "unsafe",
    "Merged, it is unsafe after 5 contexts: init, and four of its three threads. That is no bug of "
    "the stack: a thread that finds too few elements goes on with element -1, and writing to that "
    "is over-approximated by writing to any element.",
)


def _no_bug(bound: int, states: int) -> Finding:
    text = f"Merged, it is safe, unchecked: R_k collapses at {bound}, with {states:,} states."
    return Finding("safe", text)


_NEW, _OLD = "getafix/01_SafeStack_seqcst_forCSEQ", "getafix/01_old_SafeStack_seqcst_forCSEQ"
EXPLANATIONS = {
    f"{_NEW}_inlined_unrolled_underapprox_freelocal.bp": _BUG,
    f"{_NEW}_inlined_unrolled_underapprox_safe_freelocal.bp": _no_bug(24, 19_456_067),
    f"{_NEW}_underapprox.bp": _BUG,
    f"{_NEW}_unrolled_over_approx.bp": _ANY_ELEMENT,
    f"{_NEW}_unrolled_underapprox.bp": _BUG,
    f"{_NEW}_unrolled_underapprox_safe.bp": _no_bug(24, 32_785_424),
    f"{_OLD}_inlined_unrolled_underapprox.bp": _BUG,
    f"{_OLD}_inlined_unrolled_underapprox_safe.bp": _no_bug(24, 25_633_739),
    "getafix/old_SafeStack_seqcst_forCSEQ_goto.bp": _BUG,
    "getafix/old_SafeStack_seqcst_forCSEQ_twoforloop.bp": _no_bug(21, 3_199_698),
}
"""Of programs that are not decided in time, or not as claimed. No other verdict is excused."""

AFTER = """\
What was not decided, or not as claimed, and what came out when somebody looked into it.
*Merged* means that what a thread does under the lock, and its steps on local variables alone, were
first merged into atomic sections, by hand and outside tepui. We argue that this changes neither the
verdict nor the number of contexts that a violation takes; nothing has checked it."""

COLUMNS = [
    *("program", "expected", "from", "verdict", "k", "slots", "proof", "states", "Z states"),
    *("parse s", "run s", "check s", "peak MiB"),
]
WORDS = frozenset({"expected", "from", "verdict", "slots", "proof"})


@dataclass(frozen=True)
class Expected:
    """What is said about a program, and who says so. Only our own examples give details."""

    verdict: str | None
    source: Source
    proof: str | None = None
    contexts: int | None = None
    """How many contexts a violation takes."""

    @property
    def is_certain(self) -> bool:
        return self.source in ("test.desc", "comment")


@dataclass(frozen=True)
class ProgramRow:
    """A file, and what is said about it; or the file of which it is another version."""

    name: str
    path: Path
    expected: Expected
    same_as: str | None = None


@dataclass(frozen=True)
class Outcome:
    """A row and what came of it: something wrong, or something to be explained, or neither."""

    row: ProgramRow
    measured: ProgramMeasurement | None
    complaint: str | None = None
    remark: str | None = None


def measure_programs(*, quick: bool, say: Say) -> Part:
    """Verify every program that can be found here."""
    limit = QUICK_SECONDS if quick else SECONDS
    outcomes: dict[str, Outcome] = {}
    for row in all_programs():
        say(row.name)
        outcomes[row.name] = _run(row, limit, outcomes)
    remarks = [f"{it.row.name}: {it.remark}" for it in outcomes.values() if it.remark]
    return Part(
        title="Boolean programs",
        before=_before(limit),
        columns=COLUMNS,
        lines=[Line(_cells(it), wrong=bool(it.complaint)) for it in outcomes.values()],
        after=AFTER if remarks else "",
        remarks=remarks,
        complaints=[f"{it.row.name}: {it.complaint}" for it in outcomes.values() if it.complaint],
        words=WORDS,
    )


def all_programs() -> list[ProgramRow]:
    """The public programs, where the environment names their folder, and our own."""
    named = os.environ.get(VARIABLE)
    manifest = None if named is None else Path(named) / "bp" / "MANIFEST.tsv"
    public = _public(manifest) if manifest is not None and manifest.is_file() else []
    own = [
        ProgramRow(f"examples/{path.name}", path, stated_in(path))
        for path in sorted(EXAMPLES.glob("*.bp"))
    ]
    return [*public, *own]


def _public(manifest: Path) -> list[ProgramRow]:
    """The programs that a manifest lists; other versions of a program come after it."""
    with manifest.open(encoding="utf-8") as file:
        listed = list(csv.DictReader(file, delimiter="\t"))
    files = {it["task"]: it["file"] for it in listed if it["role"] == "main"}
    rows = []
    for it in listed:
        path = manifest.parent / it["file"]
        if it["role"] == "main":
            rows.append(ProgramRow(it["file"], path, _stated_by(it)))
        elif it["role"] == "variant":
            same = Expected(None, "same program")
            rows.append(ProgramRow(it["file"], path, same, files[it["task"]]))
    return rows


def _stated_by(listed: dict[str, str]) -> Expected:
    verdict, source = listed["expected"], listed["expected_source"]
    if verdict not in ("safe", "unsafe"):
        return Expected(None, "none")
    if source.endswith("test.desc"):
        return Expected(verdict, "test.desc")
    return Expected(verdict, "file name" if source == "file name" else "claim")


_COMMENT = re.compile(
    r"^// Expected: (?P<verdict>safe|unsafe|unknown)( by (?P<proof>[^,\n]+))?"
    r"( after (?P<contexts>\d+) contexts?)?(,[^\n]*)?$",
    re.MULTILINE,
)


def stated_in(path: Path) -> Expected:
    """What the comment at the top of an example says."""
    found = _COMMENT.search(path.read_text(encoding="utf-8"))
    if found is None:
        return Expected("nothing", "comment")
    contexts = int(found["contexts"]) if found["contexts"] else None
    return Expected(found["verdict"], "comment", found["proof"], contexts)


def _run(row: ProgramRow, limit: float, others: dict[str, Outcome]) -> Outcome:
    run = run_alone(
        "measure_program.py",
        *(str(row.path), str(limit), str(MEMORY)),
        seconds=60 + 2 * limit,
    )
    if run.found is None:
        return Outcome(row, None, complaint=run.failure)
    measured = ProgramMeasurement(**run.found)
    if row.same_as is not None:
        return Outcome(row, measured, _differs(measured, others[row.same_as]))
    if row.expected.is_certain:
        return Outcome(row, measured, _contradicts(row.expected, measured))
    return _compared(row, measured)


def _compared(row: ProgramRow, measured: ProgramMeasurement) -> Outcome:
    """A verdict beside what is claimed, if anything, and what was found out, if anything."""
    known, claimed = EXPLANATIONS.get(row.name), row.expected.verdict
    explanation = "" if known is None else known.text
    if measured.verdict == "unknown":
        return Outcome(row, measured, remark=f"{measured.reason}. {explanation}".strip())
    if known is not None and measured.verdict != known.verdict:
        return Outcome(row, measured, f"{measured.verdict}, but it was found to be {known.verdict}")
    if claimed in (None, measured.verdict):
        return Outcome(row, measured)
    difference = f"{measured.verdict} instead of {claimed}"
    if known is None:
        return Outcome(row, measured, f"{difference}, and nobody has explained it")
    return Outcome(row, measured, remark=f"{difference}. {explanation}")


def _contradicts(expected: Expected, measured: ProgramMeasurement) -> str | None:
    """What differs from an expectation that is certain."""
    pairs: list[tuple[object, object]] = [(measured.verdict, expected.verdict)]
    if expected.proof is not None:
        pairs.append(((measured.proof or "").removesuffix(" has no bad state"), expected.proof))
    if expected.contexts is not None:
        pairs.append((measured.bound, expected.contexts))
    wrong = [f"{found} instead of {wanted}" for found, wanted in pairs if found != wanted]
    return ", ".join(wrong) or None


def _differs(measured: ProgramMeasurement, other: Outcome) -> str | None:
    """What differs between the two files of one program, unless one of them was not decided, or
    this one lacks labels that the other has."""
    if measured.verdict == REFUSED and NO_LABEL in (measured.reason or ""):
        return None
    verdicts = {measured.verdict, other.measured.verdict if other.measured else "unknown"}
    if len(verdicts) == 1 or "unknown" in verdicts:
        return None
    return f"{measured.verdict}, but {other.row.name} is not"


# The table.


def _cells(outcome: Outcome) -> list[str]:
    expected, measured = outcome.row.expected, outcome.measured
    origin = DASH if expected.source == "none" else expected.source
    start = [outcome.row.name, expected.verdict or DASH, origin]
    if measured is None:
        return [*start, *[DASH] * (len(COLUMNS) - len(start))]
    return [
        *start,
        f"{REFUSED}: {_in_short(measured)}" if measured.verdict == REFUSED else measured.verdict,
        number(measured.bound),
        slots(measured),
        proof(measured),
        number(measured.states),
        number(measured.z_states),
        seconds(measured.parse_seconds),
        seconds(measured.run_seconds),
        check(measured),
        mebibytes(measured.peak_bytes),
    ]


def _in_short(measured: ProgramMeasurement) -> str:
    reason = measured.reason or ""
    return next((short for text, short in REASONS.items() if text in reason), reason)


def slots(measured: ProgramMeasurement) -> str:
    """How many slots there were for forked threads, and for how many contexts these are enough."""
    if measured.slots is None:
        return DASH
    return f"{measured.slots}" + (f" for k = {measured.slots_for}" if measured.slots_for else "")


def proof(measured: ProgramMeasurement) -> str:
    """How it was decided, in a word: by the strength of Z, by a collapse, by a trace."""
    if measured.verdict == "unsafe":
        return "trace"
    if measured.proof is None:
        return DASH
    strength = re.match(r"Z \((.*?)\)", measured.proof)
    return strength[1] if strength else "collapse"


def check(measured: ProgramMeasurement) -> str:
    if measured.verdict not in ("safe", "unsafe"):
        return DASH
    return seconds(measured.check_seconds) if measured.checked else "unchecked"


def _before(limit: float) -> str:
    return f"""\
Each row is one `verify` in a process of its own, on one core, with at most {limit:g} s and
{MEMORY / 2**30:.0f} GiB for run and check.
`from` tells where the expectation comes from: a `test.desc` of the suite, the `comment` at the top
of our own example, a `file name`, or a `claim` that nobody has checked.
The first two must be right; so must be that two files of the `same program` come out alike.
`k` is the number of contexts of the violation, or the bound of the collapse.
`proof` is how it was decided: by a trace, by the collapse of R_k, or by Z of the named strength.
`states` are the global states explored, every permutation of equal threads counted;
`Z states` those of Z, up to symmetry.
`slots` are those of a program that forks: so many threads were alive at once, or as many as can run
within k contexts, where no number of slots is enough.
Such a program gets {min(limit, FORKING_SECONDS):g} s.
`parse s` includes loading the parser, which takes longer than reading a short text.
What is refused is refused by name: tepui knows no copies of local variables of the threads that do
not run.
Eleven `.nbp` files go to labels that they do not have: they were made from the `.bp` files by
writing the number of `l1` wherever it stands, also in `l10`.
A row with (!) did not come out as expected."""
