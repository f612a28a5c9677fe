"""Shared by all tests: how much is compared at random, and where the public benchmarks are."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, settings

from support.browser import browser, page  # noqa: F401 (fixtures, for every test that asks for them)
from support.sizes import FUZZING, SYSTEMS, sized
from tepui.counting.program_coverability import CoveredProgram
from tepui.deciding import fork_proofs
from tepui.errors import ModelError
from tepui.program.program import Program

# How long an example takes depends on what else the machine does.
settings.register_profile(
    "tepui",
    max_examples=sized(400),
    derandomize=not FUZZING,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tepui")

# Under `nohup`, or in the background of a shell, a process ignores some signals, and so would all
# processes that tests start and send them to.
for number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(number) == signal.SIG_IGN:
        usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, usual)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What has a size is run again by `make fuzz`, with more of it."""
    for item in items:
        by_hypothesis = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        if by_hypothesis or "fuzz_systems" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.fuzz)


def _refuse(program: Program) -> NoReturn:
    raise ModelError(f"{program.name} is not to be proved")


@pytest.fixture
def without_coverability(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forked threads are not counted, so that programs that fork without end stay undecided."""
    refused = CoveredProgram("refused", reason="coverability is off")
    monkeypatch.setattr(fork_proofs, "cover_program", lambda *_: refused)
    monkeypatch.setattr(fork_proofs, "with_forked_types", _refuse)


@pytest.fixture(scope="session")
def fuzz_systems() -> int:
    """How many random systems a comparison takes."""
    return SYSTEMS


@pytest.fixture(scope="session")
def public_suite() -> Path:
    """The folder of the public pushdown systems, where TEPUI_BENCHMARKS names one."""
    folder = os.environ.get("TEPUI_BENCHMARKS")
    if not folder:
        pytest.skip("TEPUI_BENCHMARKS names no folder with the public benchmarks")
    return Path(folder) / "pds" / "cuba"
