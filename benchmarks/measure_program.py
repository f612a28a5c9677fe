"""Verify one program in this process, which should do nothing else: its peak memory is the row's.

`python benchmarks/measure_program.py FILE SECONDS BYTES [CONTEXTS]` prints a ProgramMeasurement as
JSON, within so many contexts if a number is given. The limits are those of tepui; should it ever
hold twice as much memory, the system ends it.
"""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import tepui
from tepui.kernels.lowered_system import LoweredSystem
from tepui.limits import peak_memory
from tepui.program.passes.slots import Slotted
from tepui.progress import Progress

REFUSED = "refused"

FORKING_SECONDS = 10.0
"""A program that forks gets less time: for many of them no number of contexts is the last."""


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
    """How many global states were explored, every permutation of equal threads counted; None if
    infinitely many."""
    z_states: int | None = None
    run_seconds: float | None = None
    check_seconds: float | None = None
    checked: bool = False
    slots: int | None = None
    """With how many slots a program that forks was decided."""
    slots_for: int | None = None
    """For how many contexts these stand for the program; None for any number."""


def measure(path: Path, limits: tepui.Limits, contexts: int | None = None) -> ProgramMeasurement:
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
    if program.forks:
        limits = replace(limits, timeout=min(FORKING_SECONDS, limits.timeout or FORKING_SECONDS))
    explored = _Explored()
    options = tepui.Options(contexts=contexts, limits=limits, progress=explored)
    result = tepui.verify(program, options=options)
    last, slotted = result.rounds[-1].states, _slotted(result)
    return ProgramMeasurement(
        verdict=result.verdict,
        parse_seconds=parsed,
        peak_bytes=peak_memory(),
        reason=result.reason,
        bound=result.bound,
        proof=None if result.proof is None else str(result.proof),
        states=None if last is None else max(explored.states, last),
        z_states=None if result.z is None else result.z.states,
        run_seconds=result.seconds,
        check_seconds=result.check_seconds,
        checked=result.checked,
        slots=None if slotted is None else slotted.slots,
        slots_for=None if slotted is None else slotted.bound,
    )


class _Explored:
    """Remembers how far a run has come, also in a round that it does not finish."""

    def __init__(self) -> None:
        self.states = 0

    def __call__(self, progress: Progress) -> None:
        self.states = max(self.states, progress.states or 0)


def _slotted(result: tepui.Result) -> Slotted | None:
    """What a program that forks was made into."""
    assert isinstance(result.system, LoweredSystem)
    program = result.system.program
    return program if isinstance(program, Slotted) else None


def _load(path: Path) -> tepui.Program:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = tepui.load(path)
    assert isinstance(program, tepui.Program)
    return program


if __name__ == "__main__":
    _, file, allowed_seconds, allowed_bytes, *bound = sys.argv
    memory = int(allowed_bytes)
    resource.setrlimit(resource.RLIMIT_AS, (2 * memory, 2 * memory))
    allowed = tepui.Limits(timeout=float(allowed_seconds), memory=memory)
    contexts_asked = int(bound[0]) if bound else None
    json.dump(asdict(measure(Path(file), allowed, contexts_asked)), sys.stdout)
