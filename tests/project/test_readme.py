"""The README tells the truth: its commands and programs are run, its model is the example's."""

from __future__ import annotations

import re
import shlex

import pytest

from support.places import ROOT
from support.transcripts import transcripts, without_measures
from tepui.cli import main

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("command", "expected"), transcripts(README))
def test_a_command_prints_what_the_readme_shows(
    command: str,
    expected: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("sys.argv", ["tepui", *shlex.split(command)])
    with pytest.raises(SystemExit) as leaving:
        main()
    assert leaving.value.code == ("UNSAFE" in expected[0])
    printed = [without_measures(line) for line in capsys.readouterr().out.splitlines()]
    assert printed == [without_measures(line) for line in expected]


def test_there_are_transcripts_in_the_readme() -> None:
    assert len(transcripts(README)) == 7


def test_the_python_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (program,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(program, "README.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "safe Z (matched) has no bad state"
    assert lines[-1] == "5 14 8"


def test_the_model_in_the_readme_is_the_example() -> None:
    (shown,) = re.findall(r"<!-- figure4.cpds -->\n```\n(.*?)```", README, re.DOTALL)
    example = (ROOT / "examples" / "figure4.cpds").read_text(encoding="utf-8")
    code = [line for line in example.splitlines() if not line.startswith("#")]
    assert [line for line in shown.splitlines() if line] == [line for line in code if line]


def test_the_links_of_the_readme_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target
