"""The house rules that a machine can check, so that no reviewer has to.

They read the source tree beside the tests, not the installed package.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "python" / "tepui").rglob("*.py"))
RUST = sorted(ROOT.glob("crates/*/src/**/*.rs"))
CORE = [path for path in RUST if "tepui-core" in path.parts]
OTHERS = sorted(
    path for folder in ("tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")
)
MOST_LINES = 600


def test_the_sources_are_found() -> None:
    names = {path.name for path in MODULES + CORE}
    assert {"system.py", "lib.rs"} <= names


def test_every_python_module_opens_with_a_docstring() -> None:
    without = [path for path in MODULES + OTHERS if not ast.get_docstring(ast.parse(_text(path)))]
    assert _names(without) == []


def test_every_rust_file_opens_with_a_module_doc() -> None:
    assert _names(path for path in RUST if not _text(path).startswith("//! ")) == []


def test_no_file_is_too_long_to_be_read_in_one_go() -> None:
    long = [path for path in MODULES + RUST + OTHERS if len(_text(path).splitlines()) > MOST_LINES]
    assert _names(long) == []


def test_the_kernels_know_no_python_and_print_nothing() -> None:
    forbidden = re.compile(r"\bpyo3\b|\be?print(ln)?!|\bdbg!|\bstd::(fs|io)\b")
    assert _names(path for path in CORE if forbidden.search(_text(path))) == []
    assert "pyo3" not in _text(ROOT / "crates" / "tepui-core" / "Cargo.toml")


def test_nothing_is_left_to_be_done_later() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX)\b|\b(todo|unimplemented)!")
    assert _names(path for path in MODULES + RUST if marks.search(_text(path))) == []


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _names(paths: Iterable[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in paths]
