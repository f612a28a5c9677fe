"""The README is true: its commands and its program are run, and it stays short."""

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


def test_the_readme_shows_a_bug_and_a_proof() -> None:
    assert [shown[0].split()[0] for _, shown in transcripts(README)] == ["UNSAFE", "SAFE"]


def test_the_readme_is_short_and_has_a_picture() -> None:
    assert len(README.splitlines()) <= 130
    (picture,) = re.findall(r"!\[.+?\]\((.+?)\)", README)
    assert (ROOT / picture).stat().st_size > 10_000
    assert picture.removeprefix("docs/") in (ROOT / "docs/index.md").read_text(encoding="utf-8")


def test_the_readme_says_how_to_set_up_and_to_test() -> None:
    commands = re.findall(r"^    make (\w+) +#", README, re.MULTILINE)
    assert commands == ["demo", "test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{name}:.*##", makefile, re.MULTILINE) for name in commands)


def test_the_python_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (program,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(program, "README.md", "exec"), {})
    assert capsys.readouterr().out == "safe because Z (matched) has no bad state\n"


def test_the_links_of_the_readme_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target
