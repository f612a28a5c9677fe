"""Hostile inputs: limits hold, and every end is an orderly one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.cli import TEPUI
from support.samples.attacks import ATTACKS, Attack

MEMORY = 300 * 2**20
"""What `LIMITED` allows. Commands without limits of their own stay far below it, too."""

SECONDS = 1
"""Likewise."""


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_ends_in_order(attack: Attack, tmp_path: Path) -> None:
    attack.write(tmp_path)
    code, said, size, seconds = _attacked(attack, tmp_path)
    assert code in attack.codes, said
    assert "Traceback" not in said
    assert "internal error" not in said
    assert size <= 1.1 * MEMORY
    # Processor time, which does not depend on what else the machine does.
    assert seconds <= SECONDS + 2


LAUNCH = """
import json, os, resource, subprocess, sys
with open("said", "wb") as said:
    code = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=said, stderr=said)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code.returncode, used.ru_maxrss * 1024, used.ru_utime + used.ru_stime]))
"""
"""The system counts what a process held before it became another one, so the parent is a small
process, and not that of the tests."""


def _attacked(attack: Attack, folder: Path) -> tuple[int, str, int, float]:
    """How a command ended, what it said, and how many bytes and seconds it used."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", LAUNCH, TEPUI, *attack.command],
        cwd=folder,
        capture_output=True,
        check=True,
    )
    code, size, seconds = json.loads(done.stdout)
    said = (folder / "said").read_text(encoding="utf-8", errors="replace")
    return code, said[:10_000], size, seconds
