"""Run a script of this folder in a process of its own, so that its time and memory are its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tepui.limits import physical_memory

HERE = Path(__file__).parent

MEMORY = min(8 * 2**30, physical_memory() * 2 // 5)
"""How many bytes a run may use that could want any number of them."""


@dataclass(frozen=True)
class Run:
    """What a script printed: one JSON object, or why there is none; and what it complained of."""

    found: dict[str, Any] | None
    failure: str | None
    errors: str = ""


def run_alone(
    script: str,
    *arguments: str,
    prefix: Sequence[str] = (),
    seconds: float | None = None,
) -> Run:
    """Run a script to its end, or for so many seconds, and read what it printed."""
    command = [*prefix, sys.executable, str(HERE / script), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        return Run(None, f"was ended from outside after {seconds:g} s")
    if done.returncode != 0:
        last = done.stderr.strip().splitlines() or ["no message"]
        return Run(None, f"failed with exit code {done.returncode}: {last[-1]}", done.stderr)
    return Run(json.loads(done.stdout), None, done.stderr)
