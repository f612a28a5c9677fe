"""The pages of the docs are typed: commands print what a page shows, and its programs run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.pages import Block, Remarked, Typed, Walk, actions, patch, type_in
from support.places import ROOT
from tepui.engines.registry import PATIENCE

TYPED_ELSEWHERE = {"tutorial.md"}
PAGES = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}


@pytest.mark.parametrize("name", sorted(PAGES.keys() - TYPED_ELSEWHERE))
def test_a_page_shows_what_happens(name: str, tmp_path: Path) -> None:
    assert Walk(tmp_path).through(PAGES[name]).wrong == []


def test_there_is_much_to_type_and_to_run() -> None:
    done = [action for page in PAGES.values() for action in actions(page)]
    assert sum(isinstance(each, Typed) for each in done) > 30
    assert sum(isinstance(each, Remarked) for each in done) > 15
    assert sum(isinstance(each, Block) and each.language == "python" for each in done) > 20


def test_every_command_on_a_page_is_typed() -> None:
    for name, page in PAGES.items():
        typed = {each.command for each in actions(page) if isinstance(each, Typed)}
        remarked = {each.command for each in actions(page) if isinstance(each, Remarked)}
        for line in re.findall(r"^    \$ (.*)$", page, re.MULTILINE):
            assert line in typed, (name, line)
        for line in re.findall(r"^    tepui (.*?)(?: +#.*)?$", page, re.MULTILINE):
            assert line in remarked, (name, line)


def test_the_page_on_engines_knows_when_they_join_a_race() -> None:
    assert f"after {PATIENCE:,} states" in PAGES["engines.md"]


def test_commands_that_the_readme_only_mentions_have_an_answer(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    mentioned = [each for each in actions(readme) if isinstance(each, Remarked)]
    assert len(mentioned) > 5
    for each in mentioned:
        code = re.match(r"exit code (\d)", each.remark)
        done = type_in(tmp_path, f"tepui {each.command}")
        assert done.code in ([int(code[1])] if code else [0, 1]), each.command


WRONG_PAGES = {
    "another verdict": "    $ tepui verify examples/figure4.cpds\n    UNSAFE\n",
    "a line too few": "    $ tepui verify examples/figure4.cpds\n    SAFE\n    …\n",
    "another end": "    tepui verify examples/figure4.cpds    # unsafe\n",
    "another bound": "    tepui verify examples/deadlock.cpds    # unsafe, within 3 contexts\n",
    "another output": "```python\nprint(1)\n```\n\n```text\n2\n```\n",
    "another part": "<!-- from examples/flip.bp -->\n```bp\nvoid nobody() {\n```\n",
}


@pytest.mark.parametrize("page", WRONG_PAGES.values(), ids=WRONG_PAGES)
def test_a_page_that_is_wrong_is_found_out(page: str, tmp_path: Path) -> None:
    assert len(Walk(tmp_path).through(page).wrong) == 1


def test_a_page_may_leave_lines_out(tmp_path: Path) -> None:
    page = (
        "    $ tepui verify examples/figure4.cpds\n    …\n      property  bad: q3 | 2, 6\n    …\n"
    )
    assert Walk(tmp_path).through(page).wrong == []


@pytest.mark.parametrize(
    "diff",
    [
        "--- a\n+++ a\n@@ -1,1 +1,1 @@\n-other\n+new\n",
        "--- a\n+++ a\n@@ -2,1 +2,1 @@\n-one\n+new\n",
        "--- a\n+++ a\n@@ -1,2 +1,1 @@\n-one\n+new\n",
    ],
)
def test_a_change_that_does_not_fit_is_not_applied(tmp_path: Path, diff: str) -> None:
    (tmp_path / "a").write_text("one\ntwo\n", encoding="utf-8")
    with pytest.raises(AssertionError):
        patch(tmp_path, diff)
