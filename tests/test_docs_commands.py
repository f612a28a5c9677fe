"""The commands in the docs are run: they print what the page shows, and end as it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from cli import call
from tepui.sequences.entrants import PATIENCE
from transcripts import remarks, transcripts, without_measures

ROOT = Path(__file__).parents[1]
PAGES = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}

TRANSCRIPTS = [
    pytest.param(command, expected, id=f"{name}: {command}")
    for name, page in sorted(PAGES.items())
    for command, expected in transcripts(page)
]

ENDS = {"safe": 0, "unsafe": 1, "unknown": 3, "stopped": 3, "no violation": 4}
"""What a remark begins with, and the exit code of the command."""

REMARKS = [
    pytest.param(command, said, id=f"{name}: {command}")
    for name, page in sorted(PAGES.items())
    for command, said in remarks(page)
    if name in ("engines.md", "delays.md") or "exit code" in said
]


@pytest.mark.parametrize(("command", "expected"), TRANSCRIPTS)
def test_a_command_prints_what_the_page_shows(command: str, expected: list[str]) -> None:
    done = call(*shlex.split(command), cwd=ROOT)
    assert done.err == ""
    printed = [without_measures(line) for line in done.out.splitlines()]
    wanted = [without_measures(line) for line in expected]
    assert printed == wanted


@pytest.mark.parametrize(("command", "said"), REMARKS)
def test_a_command_ends_as_its_remark_says(command: str, said: str) -> None:
    done = call(*shlex.split(command), cwd=ROOT)
    told = re.match(rf"exit code (\d)|{'|'.join(ENDS)}", said)
    assert told is not None, said
    assert done.code == (int(told[1]) if told[1] else ENDS[told[0]])
    if not told[1]:
        bounds = re.findall(r"(?:with|within) \d+ \w+", said)
        assert [bound for bound in bounds if bound not in done.out] == []


@pytest.mark.parametrize("name", ["engines.md", "delays.md"])
def test_the_python_of_a_page_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (program,) = re.findall(r"```python\n(.*?)```", PAGES[name], re.DOTALL)
    exec(compile(program, name, "exec"), {})


def test_the_page_on_engines_knows_when_they_join_a_race() -> None:
    assert f"after {PATIENCE:,} states" in PAGES["engines.md"]


def test_there_are_commands_in_the_docs() -> None:
    assert len(TRANSCRIPTS) > 8
    assert len(REMARKS) > 8
