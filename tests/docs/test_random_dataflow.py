"""Random programs: the values and steps that tepui finds are those that follow from the docs."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.docs_oracle.compare import LANGUAGES
from support.docs_oracle.dataflow_compare import compare
from support.docs_oracle.report import Report


@pytest.mark.fuzz
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_values_are_those_of_the_docs(
    language: str, fuzz_systems: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("support.docs_oracle.dataflow_compare.TIMEOUT", 1.0)
    monkeypatch.setattr("support.docs_oracle.dataflow_compare.STATES", 1_000)
    report = Report()
    for seed in range(max(fuzz_systems // 15, 1)):
        text = LANGUAGES[language](seed)
        found = compare(text, seed, tmp_path / "p.bp", report)
        assert not found, f"seed {seed}: {found[0].text()}\n{text}"
    assert report.programs["compared"] >= 0.4 * report.programs.total()
    told = sum(n for name, n in report.answers.items() if name.startswith(("relation", "shortest")))
    assert told >= 0.4 * report.answers.total()
