"""The checker: how many states of certificates per second it checks, and in how much memory.

Each row is a proof that lists states: it is found, checked, written to a file, read and checked
again. Small ones are also checked by the reference, for comparison. `counters` is made for this
purpose: seven threads that count to ten, each for itself.

`python benchmarks/checking.py NAME SECONDS` measures one row in this process and prints a
CheckMeasurement as JSON.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from models import EXAMPLES, VARIABLE
from processes import run_alone
from tables import Line, Part, Say, mebibytes, number, seconds

import tepui
from tepui.checker.certificates.orbits import OrbitCertificate
from tepui.checker.certificates.states import Certificate
from tepui.limits import current_memory
from tepui.model import Pattern, Property, Rule, System, Template

LIMIT, QUICK_LIMIT = 600.0, 30.0

MOST_FOR_REFERENCE = 30_000

COLUMNS = [
    *("proof", "states", "seconds", "states/s", "reference", "ratio"),
    *("MiB for it", "file MiB", "seconds written", "seconds read and checked", "peak MiB"),
]

BEFORE = """\
Certificates that list states, checked by the crate `tepui-checker` (`seconds`) and by its reference
in Python (`reference`, up to 30,000 states), in seconds of processor time; of small ones the
fastest of five runs counts.
`MiB for it` is the memory that the check takes besides the certificate itself, where it is
noticeable; `peak MiB` is that of the whole process, in which an engine has found the proof before.
`read and checked` is `tepui check`, without the start of Python."""

EXAMPLE_PROOFS = ("bluetooth.cpds", "bst-insert.bp", "quicksort.bp", "readers-writers.bp")
PUBLIC_PROOFS = (
    "old_SafeStack_seqcst_forCSEQ_oneforloop.bp",
    "old_SafeStack_seqcst_forCSEQ_twoforloop.bp",
)


@dataclass(frozen=True)
class CheckMeasurement:
    """One proof."""

    states: int
    seconds: float
    reference: float | None
    check_bytes: int
    file_bytes: int
    written: float
    read: float
    peak_bytes: int


def measure_checking(*, quick: bool, say: Say) -> Part:
    """Proofs about examples, about the public suite, and one with ten million states."""
    lines, complaints = [], []
    limit = QUICK_LIMIT if quick else LIMIT
    for name in _names(quick=quick):
        say(name)
        run = run_alone("checking.py", name, str(limit), seconds=4 * limit)
        if run.found is None:
            complaints.append(f"{name}: {run.failure}")
        else:
            lines.append(Line(_cells(name, CheckMeasurement(**run.found))))
    return Part(
        title="Checking", before=BEFORE, columns=COLUMNS, lines=lines, complaints=complaints
    )


def _names(*, quick: bool) -> list[str]:
    public = list(PUBLIC_PROOFS) if VARIABLE in os.environ else []
    return [*EXAMPLE_PROOFS, *public, *([] if quick else ["counters"])]


def _cells(name: str, found: CheckMeasurement) -> list[str]:
    ratio = None if found.reference is None else found.reference / found.seconds
    return [
        name,
        number(found.states),
        seconds(found.seconds),
        number(found.states / found.seconds),
        seconds(found.reference),
        number(ratio),
        mebibytes(found.check_bytes),
        mebibytes(found.file_bytes, 1),
        seconds(found.written),
        seconds(found.read),
        mebibytes(found.peak_bytes),
    ]


def measure(name: str, limit: float) -> CheckMeasurement:
    """Find a proof, and check it in all ways."""
    options = tepui.Options(check=False, limits=tepui.Limits(timeout=limit))
    model = counters() if name == "counters" else tepui.load(_path(name))
    if name == "counters":
        options = replace(options, engine="explicit", symmetry=False, strengths=())
    result = tepui.verify(model, options=options)
    evidence, subject = result.evidence, result.subject
    assert isinstance(evidence, Certificate | OrbitCertificate), result.verdict
    before = current_memory()
    peak = peak_memory()
    runs = 1 if evidence.size > MOST_FOR_REFERENCE else 5
    fast = min(
        _took(lambda: subject.check(result.asked, evidence, lambda: True)) for _ in range(runs)
    )
    used = max(0, peak_memory() - max(before, peak))
    reference = None
    if evidence.size <= MOST_FOR_REFERENCE:
        reference = _took(
            lambda: subject.check(result.asked, evidence, lambda: True, reference=True)
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "evidence.json"
        written = _took(lambda: subject.write(path, result.asked, evidence))
        size = path.stat().st_size
        read = _took(lambda: tepui.check(model, path))
    return CheckMeasurement(
        evidence.size, fast, reference, used, size, written, read, peak_memory()
    )


def counters(threads: int = 7, values: int = 10) -> System:
    """Threads that count, each for itself, and never all of them to the end of all numbers."""
    symbols = ("-", *(f"n{value}" for value in range(values)))
    rules = tuple(Rule(0, 1 + value, 0, (2 + value,)) for value in range(values - 1))
    template = Template("counter", symbols, (1,), (*rules, Rule(0, values, 0, (1,))))
    nowhere = Property((Pattern(None, (0,) * threads),))
    names = tuple(f"counter{number}" for number in range(threads))
    return System(("q",), 0, (template,), (0,) * threads, names, nowhere, "counters")


def peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _path(name: str) -> Path:
    if name in PUBLIC_PROOFS:
        return Path(os.environ[VARIABLE]) / "bp" / "getafix" / name
    return EXAMPLES / name


def _took(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    _, chosen, most = sys.argv
    print(json.dumps(asdict(measure(chosen, float(most)))))
