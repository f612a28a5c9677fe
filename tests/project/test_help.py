"""`help(tepui)`: every public name has readable documentation, and examples run."""

from __future__ import annotations

import doctest
import inspect
import pydoc
from pathlib import Path

import pytest

import tepui
from support.cli import call
from support.places import EXAMPLES

NAMES = [name for name in dir(tepui) if not name.startswith("_")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the examples, and with evidence about one of them."""
    (tmp_path / "examples").symlink_to(EXAMPLES)
    monkeypatch.chdir(tmp_path)
    assert call("verify", "examples/bluetooth1.bp", "--evidence", "evidence.json").code == 1
    return tmp_path


@pytest.mark.parametrize("name", ["tepui", *NAMES])
def test_the_examples_run(name: str, folder: Path) -> None:
    thing = tepui if name == "tepui" else getattr(tepui, name)
    text = inspect.getdoc(thing)
    assert text is not None
    names = {} if name == "tepui" else {"tepui": tepui}
    test = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    assert test.examples
    told: list[str] = []
    outcome = doctest.DocTestRunner().run(test, out=told.append)
    assert outcome.failed == 0, "".join(told)


def test_help_lists_every_public_name() -> None:
    text = pydoc.plain(pydoc.render_doc(tepui))
    for name in NAMES:
        assert f"class {name}(" in text or f"\n    {name}(" in text, name
    tour = text.partition("PACKAGE CONTENTS")[0]
    for name in ("load", "loads", "verify", "explore", "verify_all", "write_report"):
        assert f"tepui.{name}(" in tour


@pytest.mark.parametrize("name", NAMES)
def test_help_shows_no_addresses_and_no_lines_that_are_too_long(name: str) -> None:
    text = pydoc.plain(pydoc.render_doc(getattr(tepui, name)))
    assert " at 0x" not in text
    documentation = inspect.getdoc(getattr(tepui, name)) or ""
    assert max(map(len, documentation.splitlines())) <= 100


def test_signatures_have_types_and_defaults() -> None:
    assert str(inspect.signature(tepui.Limits)).startswith("(timeout: 'float | None' = None, ")
    text = pydoc.plain(pydoc.render_doc(tepui.Options))
    assert "limits: 'Limits' = Limits()" in text
    assert "progress: 'Callable[[Progress], None] | None' = None" in text
