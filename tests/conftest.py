"""Shared by all tests: how much to fuzz, and where the public benchmarks are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.browser import browser, page  # noqa: F401 (fixtures, for every test that asks for them)
from support.sizes import DEFAULT_SYSTEMS


@pytest.fixture(scope="session")
def fuzz_systems() -> int:
    """How many; never fewer than it takes to meet every kind of answer."""
    return max(DEFAULT_SYSTEMS, int(os.environ.get("TEPUI_FUZZ_SYSTEMS", "0")))


@pytest.fixture(scope="session")
def public_suite() -> Path:
    """The folder of the public pushdown systems, where TEPUI_BENCHMARKS names one."""
    folder = os.environ.get("TEPUI_BENCHMARKS")
    if not folder:
        pytest.skip("TEPUI_BENCHMARKS names no folder with the public benchmarks")
    return Path(folder) / "pds" / "cuba"
