"""What people read is in plain English: no retired phrases or names, and Z is explained.

PHRASES and NAMES are the one list of both, each with the words to use in their place.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.places import ROOT

PHRASES = {
    r"\bbut for\b": "except",
    r"(?:^|[.:;|] |- |\")Of an? \w+": "«For a …», later in the sentence",
    r"[.;:] of an? (?:program|system|trace)\b": "«for a …»",
    r"\bso many\b": "as many, this many, a number of",
    r"\b(?:is|are|was|were|be|been) told\b": "is known, is described, is shown",
    r"\btold by\b": "known from",
    r"\bwho looks\b": "name what is seen",
    r"\bha(?:s|ve|d) had enough\b": "was interrupted",
    r"\bwhat there is to say\b": "say it",
    r"\bholds? \w+ against\b": "compares with",
    r"\bwhatever you wait\b": "however long you wait",
    r"\bto (?:its|their) word\b": "check",
}
"""Phrases that are hard to read, as patterns."""

NAMES = {
    r"\btepui[./]convergence\b": "tepui.z",
    r"\btepui[./]facts\b": "tepui.weighted.dataflow",
    r"\bOptions\.watch\b": "Options.progress",
    r"\bOverapproximation\b|\bCeiling\b|\bCutDiagrams?\b": "Z",
    r"\b(?:Diagram|Symbolic|Delay|Abstract)Exploration\b": "DiagramEngine, …",
    r"\b(?:shared|own|frame|variable)_slots\b": "cells: slots are for forked threads",
    r"\bEmergence::Claimed\b": "Emergence::Table",
    r"\bgiven_(?:system|program)\b|\bGivenLimits\b": "system_kernel, KernelLimits",
    r"\btepui\.Seen\b": "tepui.WatchResult",
    r"\breport[./]told\b|\bTold\(": "ReportInput",
    r"\bLoweringOptions\(watched": "probes",
}
"""Names that something had once, as patterns."""

FOLDERS = [
    "crates",
    "docs",
    "examples",
    "python",
    "tests",
]
"""What is read, besides the pages at the top of the repository, except this file."""

SUFFIXES = {".md", ".py", ".pyi", ".rs", ".json", ".bp", ".cpds", ".js", ".css"}


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _files() -> list[Path]:
    found = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
    return [
        path
        for path in (*sorted(ROOT.glob("*.md")), *found)
        if path.suffix in SUFFIXES and "_build" not in path.parts and path != Path(__file__)
    ]


@pytest.mark.parametrize("pattern", [*PHRASES, *NAMES])
def test_nothing_uses_what_was_retired(pattern: str) -> None:
    retired = re.compile(pattern, re.MULTILINE)
    found = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for path in _files()
        for text in [_read(path)]
        for match in retired.finditer(text)
    ]
    assert found == [], (PHRASES | NAMES)[pattern]


def test_every_folder_has_something_to_read() -> None:
    for folder in FOLDERS:
        assert any((ROOT / folder) in path.parents for path in _files()), folder


@pytest.mark.parametrize(
    "line",
    [
        "nothing happens but for this",
        "Of a program: which statements are reached",
        "a trace; of a program it is text",
        "within so many contexts",
        "the rest is told below",
        "what one sees who looks at tops",
    ],
)
def test_a_retired_phrase_is_recognised(line: str) -> None:
    assert any(re.search(pattern, line, re.MULTILINE) for pattern in PHRASES)


PAGES = [ROOT / "README.md", ROOT / "examples" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_that_names_z_says_where_it_is_explained(path: Path) -> None:
    text = _read(path)
    if path.name == "ideas.md":
        assert "\n## Z\n" in text
        assert "**Z is a finite set that contains every reachable visible state" in text
    elif re.search(r"\bZ\b", text):
        assert "ideas.md#z)" in text
