"""Limits and meters: what a part of a run may take."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tepui.errors import LimitReached
from tepui.limits import (
    Limits,
    Meter,
    counting_from,
    current_memory,
    held_memory,
    keep_memory,
    require_room,
)


@pytest.mark.parametrize("began", [None, 2.0])
def test_the_rest_of_a_run_ends_when_the_run_does(began: float | None) -> None:
    """Also in a command, where all meters count from its beginning, some seconds ago."""
    now = time.perf_counter()
    with counting_from(now if began is None else now - began):
        whole = Meter(Limits(timeout=100))
        part = Meter(whole.rest())
        left = whole.seconds_left(), part.seconds_left()
    assert left[0] is not None
    assert left[1] is not None
    assert abs(left[0] - left[1]) < 0.5


def test_outside_of_commands_the_rest_counts_from_now() -> None:
    whole = Meter(Limits(timeout=100), started=time.perf_counter() - 40)
    left = Meter(whole.rest()).seconds_left()
    assert left is not None
    assert 59 < left <= 60.5


def test_without_a_limit_there_is_none_for_the_rest() -> None:
    assert Meter(Limits(memory=2**30)).rest() == Limits(memory=2**30)


CHILD = "import sys; held = bytearray(100 * 2**20); print(flush=True); sys.stdin.read()"


def test_what_the_children_of_a_command_hold_counts() -> None:
    command = [sys.executable, "-c", CHILD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdout.readline()
        assert held_memory() - current_memory() < 50 * 2**20  # Nobody runs a command.
        keep_memory(current_memory() + 50 * 2**20)
        try:
            if not Path(f"/proc/self/task/{os.getpid()}/children").exists():
                pytest.skip("the system does not say which children there are")
            assert held_memory() - current_memory() > 100 * 2**20
            with pytest.raises(LimitReached):
                require_room(0)
        finally:
            keep_memory(None)
            child.stdin.close()
    require_room(2**20)
