"""Small suites for tests: folders with models and a manifest, and outcomes made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.cli import COLLAPSING, DEADLOCKING, INFINITE, LONG
from tepui.suite.outcome import Outcome, Ran
from tepui.tasks.task import Counts

SAFE = INFINITE
UNSAFE = DEADLOCKING
EXPLORED = COLLAPSING
ENDLESS = LONG
"""With the options of `FOREVER`, nobody waits for its end."""

FOREVER = ("--engine", "explicit", "--symmetry", "off", "--z", "off")

COUNTS = "k=1 visible=3 global=3"
"""What an exploration of `EXPLORED` finds."""


def write_suite(folder: Path, tasks: Mapping[str, tuple[str, str]]) -> Path:
    """A folder with a manifest: names of tasks, each with its model and what is expected."""
    folder.mkdir(exist_ok=True)
    lines = ["file\ttask\texpected"]
    for name, (model, expected) in tasks.items():
        (folder / f"{name}.cpds").write_text(model, encoding="utf-8")
        lines.append(f"{name}.cpds\t{name}\t{expected}")
    (folder / "MANIFEST.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def outcome(
    task: str,
    answer: Any,
    expected: Any = None,
    *,
    seconds: float = 1.0,
    counts: Counts | None = None,
    found: Counts | None = None,
    inputs: str = "same",
    detail: str = "",
) -> Outcome:
    """An outcome that nobody ran for."""
    ran = Ran(answer, seconds, 2**25, "explicit", 3, found, None, detail)
    return Outcome(task, f"/models/{task}.cpds", None, expected, counts, inputs, ran)
