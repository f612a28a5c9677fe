"""Random programs: what tepui answers about them is what follows from the docs alone."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.docs_oracle.cases import MEMORY
from support.docs_oracle.compare import LANGUAGES, compare
from support.docs_oracle.reduce import reduced
from support.docs_oracle.report import Report


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Little time for each answer, and no more memory than a little, whatever happens."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, hard))
    monkeypatch.setattr("support.docs_oracle.cases.TIMEOUT", 0.15)
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.mark.fuzz
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_answers_are_those_of_the_docs(language: str, fuzz_systems: int, tmp_path: Path) -> None:
    report = Report()
    for seed in range(max(fuzz_systems // 40, 1)):
        text = LANGUAGES[language](seed)
        found = compare(text, seed, tmp_path / "p.bp", report)
        assert not found, f"seed {seed}: {found[0].text()}\n{text}"
    compared = sum(count for name, count in report.programs.items() if "compared" in name)
    assert compared >= 0.8 * report.programs.total()
    # Of a few programs, some may happen to be large.
    assert report.programs["compared, exhausted"] >= 0.5 * report.programs.total() - 2


def test_a_program_is_reduced_to_what_matters() -> None:
    text = LANGUAGES["braces"](7)
    assert "thread_create" in text
    small = reduced(text, lambda shorter: "thread_create" in shorter and "main" in shorter)
    assert len(small.splitlines()) == 2
