"""Evidence about programs with slots in which one number is changed: it is refused or harmless, and
the checker does not crash."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

import tepui
from support.cli import call
from support.places import EXAMPLES
from tepui.errors import EvidenceError, InputError

PROGRAM = EXAMPLES / "fork-figure4.bp"


@pytest.mark.parametrize(
    "options", [["--engine", "explicit", "--z", "off"], ["--engine", "diagram"]]
)
def test_one_other_number_is_refused_or_harmless(options: list[str], tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    assert call("verify", str(PROGRAM), *options, "--evidence", str(file)).code == 0
    program = tepui.load(PROGRAM)
    text, refused = file.read_text(encoding="utf-8"), 0
    places = list(_numbers(json.loads(text)))
    for where in places:
        document = json.loads(text)
        *path, last = where
        inside = document
        for step in path:
            inside = inside[step]
        inside[last] = Random(str(where)).choice([n for n in range(3) if n != inside[last]])
        file.write_text(json.dumps(document), encoding="utf-8")
        try:
            tepui.check(program, file)
        except (EvidenceError, InputError):
            refused += 1
    assert refused >= len(places) // 2 >= 10


def _numbers(node: object, *path: str | int) -> list[tuple[str | int, ...]]:
    """Where there are numbers in what a certificate lists."""
    if isinstance(node, dict):
        parts = [(key, value) for key, value in node.items() if key in ("states", "nodes", "ends")]
        return [place for key, value in parts for place in _numbers(value, *path, key)]
    if isinstance(node, list):
        return [place for i, value in enumerate(node) for place in _numbers(value, *path, i)]
    return [path] if isinstance(node, int) and not isinstance(node, bool) else []
