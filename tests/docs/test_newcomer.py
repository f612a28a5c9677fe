"""A newcomer's path, typed: from the README to the tutorial, to an own program and its proof.

Everything that is typed here is taken from these pages: a page that leaves out a step fails.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from support.cli import call
from support.pages import Block, Typed, Walk, actions
from support.places import ROOT

README = ROOT / "README.md"
OWN = "## A program of your own\n"


def _page_after(page: Path) -> Path:
    """The first page that a page sends its reader to."""
    link = re.search(r"\]\(([\w./-]+\.md)\)", page.read_text(encoding="utf-8"))
    assert link is not None
    return page.parent / link[1]


def _chapter() -> str:
    """The last step of the tutorial: what a reader types for a program of their own."""
    tutorial = _page_after(README).read_text(encoding="utf-8")
    return tutorial[tutorial.index(OWN) + len(OWN) :].partition("\n## ")[0]


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    return Walk(tmp_path_factory.mktemp("newcomer")).through(_chapter())


def test_the_readme_sends_its_reader_to_the_tutorial() -> None:
    assert _page_after(README) == ROOT / "docs" / "tutorial.md"


def test_the_demo_verifies_an_example() -> None:
    """What `make demo` runs, once everything is installed."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (command,) = re.findall(r"^demo:.*\n\t\$\(BIN\)/tepui (.*)$", makefile, re.MULTILINE)
    done = call(*shlex.split(command), cwd=ROOT)
    assert (done.code, done.out.split()[0]) == (0, "SAFE")


def test_a_reader_writes_a_program_sees_its_bug_and_repairs_it(walk: Walk) -> None:
    assert walk.wrong == []
    verdicts = [done.out.split()[0] for _, done in walk.done]
    assert verdicts == ["UNSAFE", "SAFE", "ACCEPTED"]


def test_the_program_is_all_on_the_page(walk: Walk) -> None:
    (program,) = [
        each.comment
        for each in actions(_chapter())
        if isinstance(each, Block) and each.comment.endswith(".bp")
    ]
    assert (walk.folder / program).is_file()
    typed = [each.command for each in actions(_chapter()) if isinstance(each, Typed)]
    assert all(program in command for command in typed)


def test_the_proof_is_about_this_program_only(walk: Walk) -> None:
    """The reader's certificate is refused for the program with its bug."""
    check = next(typed.command for typed, _ in walk.done if typed.command.startswith("tepui check"))
    program = walk.folder / shlex.split(check)[2]
    repaired = program.read_text(encoding="utf-8")
    program.write_text(repaired.replace("mine := left;", "mine := 1;"), encoding="utf-8")
    done = call(*shlex.split(check)[1:], cwd=walk.folder)
    program.write_text(repaired, encoding="utf-8")
    assert done.code == 1
    assert "REJECTED" in done.out + done.err
