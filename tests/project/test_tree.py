"""The tree shows where things are: tests mirror the code, and a name has one meaning."""

from __future__ import annotations

from collections import defaultdict

from support.cli import ALL_COMMANDS
from support.places import PACKAGE, TESTS

BESIDE_THE_PACKAGES = {
    "docs": "the pages in docs/, and all answers against an oracle that was written from them",
    "oracles": "what engines are compared with, itself",
    "project": "the repository as a whole: its rules, its examples, the public suites",
    "support": "what tests share; it has no tests",
}

SAME_KIND = {
    "as_json": "an outcome as one JSON object",
    "build": "builders, from names to numbers",
    "coverage": "which statements are reached",
    "diagram": "sets of states as decision diagrams",
    "expressions": "expressions of programs",
    "forks": "threads that are forked",
    "registry": "the table of what can be extended",
    "sections": "atomic sections",
    "system": "a system and its rules",
    "predicate_result": "what `tepui.watch_predicates` returns",
    "watch_result": "what `tepui.watch` returns",
}
"""Names of modules that occur in several packages, and what all of them hold."""


def test_every_folder_of_tests_is_a_package_of_tepui() -> None:
    assert {path.parent for path in TESTS.rglob("test_*.py")} > {TESTS}
    for folder in sorted({path.parent for path in TESTS.rglob("*.py")} - {TESTS}):
        inside = folder.relative_to(TESTS)
        if inside.parts[0] not in BESIDE_THE_PACKAGES:
            assert (PACKAGE / inside / "__init__.py").is_file(), inside


def test_a_test_beside_the_folders_is_named_after_a_module_beside_the_packages() -> None:
    for path in TESTS.glob("test_*.py"):
        assert (PACKAGE / path.name.removeprefix("test_")).is_file(), path.name


def test_every_test_is_in_the_tree_of_tests_and_none_in_support() -> None:
    assert list((TESTS / "support").rglob("test_*.py")) == []
    named = {path for path in TESTS.rglob("*.py") if "support" not in path.parts}
    assert {path.name for path in named if not path.name.startswith("test_")} == {"conftest.py"}


def test_a_name_of_modules_in_two_packages_stands_for_one_kind_of_thing() -> None:
    """A command's module has the name of the command, whatever else is called so."""
    packages = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        inside = path.relative_to(PACKAGE)
        is_command = inside.parts[0] == "cli" and path.stem in ALL_COMMANDS
        if not (path.stem.startswith("__") or is_command):
            packages[path.stem].add(inside.parent.as_posix())
    several = {name: sorted(found) for name, found in packages.items() if len(found) > 1}
    assert {name: found for name, found in several.items() if name not in SAME_KIND} == {}
    assert set(SAME_KIND) <= set(several)
