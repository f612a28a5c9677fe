"""The tutorial on observations of one's own is run from its first line to its last."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "observations.md").read_text(encoding="utf-8")


def test_the_tutorial_prints_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for name, text in re.findall(r"<!-- (\S+) -->\n```\w*\n(.*?)```", PAGE, re.DOTALL):
        (tmp_path / name).write_text(text, encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == PAGE.count("```python\n")
    names: dict[str, object] = {}
    for code, expected in blocks:
        exec(compile(code, "observations.md", "exec"), names)
        assert _without_measures(capsys.readouterr().out) == _without_measures(expected)


def _without_measures(text: str) -> str:
    """A text without what differs from run to run: times and memory."""
    return re.sub(r"took .*", "took #", text)
