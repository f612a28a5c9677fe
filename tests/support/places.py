"""Where things are in the repository: the one place that knows it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"
PACKAGE = ROOT / "python" / "tepui"
SUPPORT = ROOT / "tests" / "support"
TESTS = ROOT / "tests"
