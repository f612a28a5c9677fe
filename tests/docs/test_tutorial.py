"""The tutorial is typed, from its first line to its last: a reader who does the same gets there."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.cli import call
from support.pages import Typed, Walk, actions
from support.places import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Page

TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")

COMMANDS = [action.command for action in actions(TUTORIAL) if isinstance(action, Typed)]

LAST = next(command for command in COMMANDS if command.startswith("tepui check"))
"""Then the proof is done; what follows are more questions."""

pytestmark = pytest.mark.xdist_group("tutorial")
"""The tutorial is typed once."""


@pytest.fixture(scope="module")
def opened() -> list[str]:
    """What was opened in a browser on the way."""
    return []


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory, opened: list[str]) -> Walk:
    """The whole tutorial, typed."""
    folder = tmp_path_factory.mktemp("tutorial")

    def show(address: str) -> bool:
        opened.append(address)
        return True

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("webbrowser.open", show)
        return Walk(folder).through(TUTORIAL)


def test_every_command_prints_what_the_tutorial_shows(walk: Walk) -> None:
    assert walk.wrong == []
    assert [typed.command for typed, _ in walk.done] == COMMANDS


def test_the_tutorial_goes_from_a_bug_to_a_proof(walk: Walk) -> None:
    verdicts = [
        done.out.split()[0]
        for typed, done in walk.done[: COMMANDS.index(LAST) + 1]
        if typed.command.startswith(("tepui verify", "tepui check"))
    ]
    assert verdicts == ["UNSAFE", "SAFE", "UNSAFE", "SAFE", "UNSAFE", "SAFE", "ACCEPTED"]


def test_the_report_opens_in_the_browser_and_steps_to_the_violation(
    walk: Walk, opened: list[str], page: Page
) -> None:
    (address,) = opened
    assert address == (walk.folder / "bluetooth-report.html").as_uri()
    page.goto(address)
    step, line = page.locator("#trace-1 .step.current"), page.locator("#trace-1 .pane .current")
    shown = []
    for _ in range(2):
        page.keyboard.press("ArrowRight")
        shown.append((step.inner_text(), line.inner_text()))
    assert "if (stoppingFlag)" in shown[1][0]
    assert "if (stoppingFlag) return 0;" in shown[1][1]
    page.locator('#trace-1 [data-go="last"]').click()
    assert "assert(!stopped)" in step.inner_text()
    assert "assert(!stopped);  // input and output" in line.inner_text()
    stopped = page.locator("#trace-1 .globals li", has_text="stopped").last
    assert stopped.inner_text().split() == ["stopped", "1"]


def test_the_proof_is_refused_once_the_bug_is_back(tmp_path: Path) -> None:
    until_the_proof = TUTORIAL[: TUTORIAL.index(f"    $ {LAST}")]
    Walk(tmp_path).through(until_the_proof.replace("$ tepui report", "$ true"))
    program = (tmp_path / "bluetooth.bp").read_text(encoding="utf-8")
    everybody_is_first = program.replace("first := !stoppingFlag;", "first := 1;")
    assert everybody_is_first != program
    (tmp_path / "bluetooth.bp").write_text(everybody_is_first, encoding="utf-8")
    assert call(*shlex.split(LAST)[1:], cwd=tmp_path).code == 1


def test_the_first_screen_of_the_readme_has_all_that_it_takes() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    first_screen = "\n".join(readme[:20])
    for needed in ("make demo", ". .venv/bin/activate", "docs/tutorial.md"):
        assert needed in first_screen
        assert needed in TUTORIAL or needed == "docs/tutorial.md"
