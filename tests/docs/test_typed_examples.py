"""The Python examples of the pages pass a strict type checker as they are written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support.pages import Block, actions
from support.places import ROOT

WEIGHTS = {"dataflow", "weighted"}
"""The pages about `tepui.weighted`, whose types depend on the domain of weights."""

PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if page.stem not in WEIGHTS
]

TYPED = {"README", "python"}
"""On other pages, functions of users may be written without types, as one does at first."""


def test_the_examples_of_all_pages_pass_a_strict_type_checker(tmp_path: Path) -> None:
    names = [path.stem for path in PAGES if _write_module(path, tmp_path)]
    assert set(names) >= TYPED
    assert len(names) > 5
    modules = [f"page_{name.replace('-', '_')}.py" for name in names]
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *modules]
    done = subprocess.run(
        [*command, "--cache-dir", os.devnull],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout + done.stderr == ""


def _write_module(page: Path, folder: Path) -> bool:
    """The Python of a page as one module, if it has any."""
    blocks = [
        block.text
        for block in actions(page.read_text(encoding="utf-8"))
        if isinstance(block, Block) and block.language == "python" and block.comment != "fragment"
    ]
    untyped = "# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs\n"
    text = ("" if page.stem in TYPED else untyped) + "\n".join(blocks)
    (folder / f"page_{page.stem.replace('-', '_')}.py").write_text(text, encoding="utf-8")
    return bool(blocks)
