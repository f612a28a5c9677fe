"""Child processes end with their parents."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

CHILD = "from tepui.orphans import end_with_parent; end_with_parent(); import time; time.sleep(600)"

PARENT = """\
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=subprocess.PIPE)
print(child.pid, flush=True)
time.sleep(600)
"""


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no list of processes")
def test_a_child_that_hangs_ends_when_its_parent_is_killed() -> None:
    command = [sys.executable, "-c", PARENT, CHILD]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        while b"sleep(600)" not in Path(f"/proc/{child}/cmdline").read_bytes():
            time.sleep(0.01)
        time.sleep(1.5)  # It has begun to look by now, and goes on as long as its parent does.
        assert is_alive(child)
        parent.kill()
    while is_alive(child):
        time.sleep(0.05)
