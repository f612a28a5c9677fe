"""Corners of Java in which translations are easily wrong: `tests/support/samples/java/Traps.java`.

The name of each method there says what holds of it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tepui
from support.java_runs import compile_java
from support.places import ROOT
from tepui.languages.java.java_options import JavaOptions
from tepui.languages.java.loading import load_java

SOURCE = (ROOT / "tests" / "support" / "samples" / "java" / "Traps.java").read_text()
METHODS = re.findall(r"static void ((?:safe|violated|deadlock|open)\w+)\(\)", SOURCE)
LIMITS = tepui.Limits(timeout=120, memory=4 << 30)


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_java(tmp_path_factory.mktemp("traps"), {"Traps": SOURCE})


@pytest.mark.parametrize("method", METHODS)
def test_a_trap(classes: Path, method: str) -> None:
    program = load_java(str(classes / "Traps.class"), JavaOptions(entry=method))
    deadlock = tepui.verify(program, tepui.deadlock(), tepui.Options(limits=LIMITS))
    violated = tepui.verify(
        program, [*tepui.assertions(program), tepui.deadlock()], tepui.Options(limits=LIMITS)
    )
    if method.startswith("safe"):
        assert (deadlock.verdict, violated.verdict) == ("safe", "safe")
    elif method.startswith("deadlock"):
        assert deadlock.verdict == "unsafe"
    elif method.startswith("violated"):
        assert violated.verdict == "unsafe"
        assert deadlock.verdict == "safe"
    else:
        assert violated.verdict != "safe"


def test_there_are_traps_of_every_kind() -> None:
    assert len(METHODS) == len(re.findall(r"\bvoid (?:safe|violated|deadlock|open)", SOURCE)) > 25
