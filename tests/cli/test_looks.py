"""Whoever works looks up now and then: between two looks lies little work, and little memory.

A look is whatever lets a signal in: any line of Python, and what kernels ask of their meter. A
timer that counts the work of the process, and what the system does for it, sends signals, and their
handler notes how much was done since the last one. What is given back once a run is to end is no
work.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.cli import HARD
from support.places import EXAMPLES
from support.samples.attacks import ATTACKS, LIMITED, Attack

SECONDS = 0.3
BYTES = 32 * 2**20
"""Most gaps are a tenth of that, and nearly all less than half. A table that grows is an exception:
it does so at once, and whoever lets it grow looks before. A loop that never looks up has far larger
gaps, and has them again."""

TRIES = 3
"""Whoever shares the processor makes work longer, now and then."""

LAUNCH = """
import json, os, signal, sys, time
import tepui.cli
from tepui.cli import guard
from tepui.limits import current_memory

last = [time.process_time(), current_memory()]
most = [0.0, 0]

def look(number, frame):
    now = [time.process_time(), current_memory()]
    gaps = [new - old for new, old in zip(now, last)]
    last[:] = now
    ends = guard._GUARD is None or guard._GUARD.why is not None
    if not ends and any(gap > before for gap, before in zip(gaps, most)):
        most[:] = map(max, gaps, most)
        with open("looks.part", "w") as file:
            json.dump(most, file)
        os.replace("looks.part", "looks.json")

signal.signal(signal.SIGPROF, look)
signal.setitimer(signal.ITIMER_PROF, 0.005, 0.005)
tepui.cli.command_line()
"""

PROGRAMS = sorted(path.name for path in EXAMPLES.iterdir() if path.suffix in (".bp", ".cpds"))
SOME_ATTACKS = [attack for attack in ATTACKS if set(LIMITED) <= set(attack.command)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_run_on_an_example_looks_up(name: str, tmp_path: Path) -> None:
    _require_looks(("explore", str(EXAMPLES / name), *LIMITED), tmp_path)


@pytest.mark.parametrize("engine", ["auto", "explicit", "plain", "diagram", "symbolic", "delay"])
def test_every_engine_looks_up(engine: str, tmp_path: Path) -> None:
    (tmp_path / "hard.bp").write_text(HARD)
    _require_looks(("explore", "hard.bp", "--engine", engine, *LIMITED), tmp_path)


@pytest.mark.parametrize("attack", SOME_ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_does_not_keep_it_from_looking_up(attack: Attack, tmp_path: Path) -> None:
    attack.write(tmp_path)
    _require_looks(attack.command, tmp_path)


def _require_looks(command: tuple[str, ...], folder: Path) -> None:
    found = []
    for _ in range(TRIES):
        found.append(_gaps(command, folder))
        if found[-1][0] <= SECONDS and found[-1][1] <= BYTES:
            return
    raise AssertionError([(seconds, size / 2**20) for seconds, size in found])


def _gaps(command: tuple[str, ...], folder: Path) -> tuple[float, int]:
    """The longest time and the most memory between two looks of a run."""
    looks = folder / "looks.json"
    looks.unlink(missing_ok=True)
    subprocess.run(
        [sys.executable, "-c", LAUNCH, *command], cwd=folder, capture_output=True, check=False
    )
    seconds, size = json.loads(looks.read_text()) if looks.exists() else (0, 0)
    return seconds, size
