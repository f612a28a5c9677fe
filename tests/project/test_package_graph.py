"""The packages of tepui and their imports: `pytest -s` prints them. There is no cycle, even if
imports inside functions count, except for data that draw themselves in a notebook or as text."""

from __future__ import annotations

import ast
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

from support.places import PACKAGE

DRAWING = ("tepui.report.notebook", "tepui.report.pictures", "tepui.report.text")
"""What shows a value to people. Data import it when they are to be shown, and then only."""

ABOVE = ("report", "cli", "suite", "api", "public")
"""The packages that are about showing anyway."""


def test_no_package_needs_one_that_needs_it() -> None:
    graph = _graph()
    for package, needed in sorted(graph.items()):
        print(f"{package:12} {' '.join(sorted(needed))}")
    order = list(TopologicalSorter(graph).static_order())  # A CycleError names the cycle.
    assert order.index("checker") < order.index("engines") < order.index("deciding")
    assert order.index("deciding") < order.index("report") < order.index("cli")


def test_drawing_is_imported_inside_of_functions_only() -> None:
    for path in PACKAGE.rglob("*.py"):
        if _package(path) in ABOVE:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        at_once = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
        drawing = [node.module for node in at_once if (node.module or "").startswith(DRAWING)]
        assert drawing == [], path


def _graph() -> dict[str, set[str]]:
    """For each package, or module beside the packages, those that it imports."""
    graph: dict[str, set[str]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        package = _package(path)
        graph[package] |= {
            name.split(".")[1]
            for name in _imported(path)
            if package in ABOVE or not name.startswith(DRAWING)
        } - {package}
    return graph


def _package(path: Path) -> str:
    inside = path.relative_to(PACKAGE)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def _imported(path: Path) -> set[str]:
    """The modules of tepui that a module imports anywhere, except those imported only for types."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(inside)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inside in ast.walk(node)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.ImportFrom) and node.module == "tepui":
            found |= {f"tepui.{name.name}" for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return {name for name in found if name.startswith("tepui.")}
