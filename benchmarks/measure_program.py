"""Verify one program in this process, which should do nothing else: its peak memory is the row's.

`python benchmarks/measure_program.py FILE SECONDS BYTES` prints a ProgramMeasurement as JSON. The
limits are those of tepui; should it ever hold twice as much memory, the system ends it.
"""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

import tepui
from tepui.limits import peak_memory
from tepui.sequences.options import Progress

REFUSED = "refused"


@dataclass(frozen=True)
class ProgramMeasurement:
    """What came out."""

    verdict: str
    """What `verify` says, or that the program is refused."""
    parse_seconds: float
    peak_bytes: int
    reason: str | None = None
    """Why it is refused or unknown."""
    bound: int | None = None
    proof: str | None = None
    states: int | None = None
    """How many global states were explored, every permutation of equal threads counted."""
    z_states: int | None = None
    run_seconds: float | None = None
    check_seconds: float | None = None
    checked: bool = False


def measure(path: Path, limits: tepui.Limits) -> ProgramMeasurement:
    """Read a program and decide what it asks about itself."""
    started = time.perf_counter()
    refused = None
    try:
        program = _load(path)
    except tepui.InputError as error:
        refused = f"line {error.line}: {error.message}"
    parsed = time.perf_counter() - started
    if refused is not None:
        return ProgramMeasurement(REFUSED, parsed, peak_memory(), reason=refused)
    explored = _Explored()
    result = tepui.verify(program, options=tepui.Options(limits=limits, watch=explored))
    return ProgramMeasurement(
        verdict=result.verdict,
        parse_seconds=parsed,
        peak_bytes=peak_memory(),
        reason=result.reason,
        bound=result.bound,
        proof=result.proof,
        states=max(explored.states, result.rounds[-1].states),
        z_states=None if result.z is None else result.z.states,
        run_seconds=result.seconds,
        check_seconds=result.check_seconds,
        checked=result.checked,
    )


class _Explored:
    """Remembers how far a run has come, also in a round that it does not finish."""

    def __init__(self) -> None:
        self.states = 0

    def __call__(self, progress: Progress) -> None:
        self.states = max(self.states, progress.states)


def _load(path: Path) -> tepui.Program:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = tepui.load(path)
    assert isinstance(program, tepui.Program)
    return program


if __name__ == "__main__":
    _, file, allowed_seconds, allowed_bytes = sys.argv
    memory = int(allowed_bytes)
    resource.setrlimit(resource.RLIMIT_AS, (2 * memory, 2 * memory))
    allowed = tepui.Limits(timeout=float(allowed_seconds), memory=memory)
    json.dump(asdict(measure(Path(file), allowed)), sys.stdout)
