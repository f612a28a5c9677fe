"""The imports of a small run: no more than it needs, since imports take most of its time."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support.places import EXAMPLES

MOST = {"deadlock-repaired.cpds": 107, "bluetooth1.bp": 161}
"""How many modules of tepui a run of these may load. They take about a millisecond each."""

NEVER = {"concurrent.futures", "rich", "tepui.weighted", "tepui.watching"}


@pytest.mark.parametrize("name", MOST)
def test_a_small_run_imports_few_modules(name: str) -> None:
    loaded = _loaded(name)
    own = {module for module in loaded if module.startswith("tepui")}
    assert 40 < len(own) <= MOST[name], sorted(own)
    assert not loaded & NEVER
    assert not {"tepui.report.page", "tepui.report.exchange.as_json"} & own


def test_a_system_needs_nothing_of_programs() -> None:
    loaded = _loaded("deadlock-repaired.cpds")
    programs = {module for module in loaded if module.startswith("tepui.program.")}
    assert programs == {"tepui.program.passes"}  # It has a constant.
    assert (
        not {
            "tepui.languages.boolean.braces",
            "tepui.kernels.lowered_system",
            "tepui.languages.pushdown.pds",
        }
        & loaded
    )
    assert "tepui.checker.certificates.diagram" not in loaded


def test_from_python_a_public_name_imports_what_it_needs_itself() -> None:
    file = str(EXAMPLES / "deadlock-repaired.cpds")
    loaded = _modules_after(f"import sys, tepui\ntepui.verify(tepui.load({file!r}))\n")
    assert not loaded & NEVER
    assert not {"tepui.public", "tepui.report.page", "tepui.report.pictures.plot"} & loaded


def _loaded(name: str) -> set[str]:
    """The modules that are loaded when a command has its answer."""
    return _modules_after(
        "import sys, tepui.cli\n"
        f"sys.argv = ['tepui', 'verify', {str(EXAMPLES / name)!r}]\n"
        "try:\n    tepui.cli.main()\nexcept SystemExit:\n    pass\n"
    )


def _modules_after(program: str) -> set[str]:
    program += "print('MODULES', *sys.modules)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("MODULES")[2].split())


def test_to_read_a_program_takes_no_slow_modules_of_the_library() -> None:
    file = str(EXAMPLES / "peterson.bp")
    loaded = _modules_after(f"import sys, tepui\ntepui.load_program({file!r})\n")
    assert not loaded & {"dataclasses", "inspect", "pathlib", "urllib.parse", *NEVER}
