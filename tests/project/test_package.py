"""The package as a whole: its version, its public names, its errors."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest

import tepui
from support.places import TESTS
from tepui import errors


def test_the_version_is_the_same_everywhere() -> None:
    assert tepui.__version__ == importlib.metadata.version("tepui")


def test_every_public_name_is_there_and_can_be_completed() -> None:
    for name in dir(tepui):
        assert getattr(tepui, name) is not None
    everything: dict[str, object] = {}
    exec("from tepui import *", everything)
    assert set(everything) - {"__builtins__"} == set(dir(tepui)) > {"load", "verify", "Result"}
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = getattr(tepui, "nothing")  # noqa: B009 - type checkers know that there is none


def test_the_package_can_be_run() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tepui", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"tepui {tepui.__version__}\n"


def test_every_kind_of_error_is_raised_by_some_test() -> None:
    """A kind that no test names may as well not exist."""
    kinds = {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.TepuiError)
    }
    texts = [path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py")]
    missing = {name for name in kinds if not any(f"raises({name}" in text for text in texts)}
    assert missing - {"TepuiError"} == set()
