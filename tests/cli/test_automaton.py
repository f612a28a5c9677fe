"""`tepui automaton` from end to end."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest

from support.cli import FIGURE4, call

EXAMPLES = Path(FIGURE4).parent
FIGURE3 = str(EXAMPLES / "figure3.cpds")


def test_it_prints_what_graphviz_reads() -> None:
    done = call("automaton", FIGURE3)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith('digraph "figure3: P" {\n')
    assert 's2 -> s2 [label="0"];' in done.out
    assert call("automaton", FIGURE3, "--dot").out == done.out


def test_short_stacks_are_those_of_figure_8() -> None:
    done = call("automaton", FIGURE4, "--thread", "P2", "--short")
    assert done.code == 0
    assert 'q3 -> s2 [label="4"];\n    s2 -> s1 [label="6"];' in done.out
    assert "s2 -> s2" not in done.out


def test_a_pattern_says_where_to_start_and_pre_turns_the_direction() -> None:
    after = call("automaton", FIGURE3, "--from", "q2, 2", "--from", "<q1, 0>")
    before = call("automaton", FIGURE3, "--from", "q2, 2", "--pre")
    assert (after.code, before.code) == (0, 0)
    assert 'q0 -> s1 [label="1"];' in after.out
    assert 'q1 -> s2 [label="0"];' in after.out
    assert "q0" not in before.out
    assert 'q2 -> s1 [label="2"];' in before.out


def test_a_picture_needs_no_other_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    picture = tmp_path / "stacks.svg"
    done = call("automaton", FIGURE3, "--svg", str(picture))
    assert (done.code, done.out, done.err) == (0, "", f"the picture was written to {picture}\n")
    drawn = ElementTree.parse(picture).getroot()
    assert drawn.tag == "{http://www.w3.org/2000/svg}svg"
    keys = [node.get("data-key") for node in drawn.iter() if "data-key" in node.attrib]
    assert keys == ["q0", "q1", "q2", "s1", "s2", "s3"]


def test_what_nobody_could_read_is_left_to_graphviz(tmp_path: Path) -> None:
    states = " ".join(f"q{number}" for number in range(400))
    rules = "\n".join(f"q{number} | a -> q{number + 1} | a" for number in range(399))
    file = tmp_path / "long.cpds"
    file.write_text(f"shared {states}\ninitial q0\nthread T {{\nstack a\n{rules}\n}}\n")
    refused = call("automaton", str(file), "--svg", str(tmp_path / "long.svg"))
    assert (refused.code, refused.out) == (2, "")
    assert "long: T has 401 nodes" in refused.err
    assert "--dot" in refused.err
    assert call("automaton", str(file)).out.count("->") == 400


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([FIGURE4], "choose one of P1, P2 with --thread"),
        ([FIGURE4, "--thread", "P9"], "there is no thread P9; the threads are P1, P2"),
        ([FIGURE3, "--from", "q0, 7"], "--from:1:5: thread P has no symbol '7'"),
        ([FIGURE3, "--from", "q0, 1 (2"], "expected ')' to close the parenthesis"),
        ([FIGURE3, "--from", "q0, 1", "--short"], "--short and --from exclude each other"),
        ([FIGURE3, "--svg", "/nowhere/at/all"], "/nowhere/at/all: the picture cannot be written"),
        ([str(EXAMPLES / "figure2.bp")], "is a program; `tepui convert` writes it out"),
        (["missing.cpds"], "there is no such file"),
    ],
)
def test_wrong_use_is_answered_with_what_is_right(arguments: list[str], message: str) -> None:
    done = call("automaton", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err


def test_the_commands_in_the_docs_work(tmp_path: Path) -> None:
    text = (EXAMPLES.parent / "docs" / "automata.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    tepui (automaton .*)$", text, re.MULTILINE)
    assert len(commands) == 4
    (tmp_path / "examples").symlink_to(EXAMPLES)
    for command in commands:
        assert call(*shlex.split(command, comments=True), cwd=tmp_path).code == 0
