"""`--reach` from end to end: is a configuration reachable, and within how many contexts?"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import tepui
from support.cli import COLLAPSING, FIGURE4, INFINITE, call
from support.places import EXAMPLES
from tepui.model import System
from tepui.result import Verdict

FIGURE2_PROGRAM = str(EXAMPLES / "figure2.bp")

EQUAL_THREADS = """\
initial q
thread P * 3 {
    stack a
    q | a -> r | b
    r | b -> q | c
    q | c -> r | c d
}
bad q | c, *, *
"""
"""Each thread goes from a over b to c; the first of them to go on stops the others."""


@pytest.mark.parametrize(
    ("text", "contexts", "code"),
    [
        ("q0 | 1, 4", 0, 1),
        ("q1 | 2, -", 1, 4),
        ("q1 | 2, -", 2, 1),
        ("q3 | 2, 4 6 6", 3, 4),
        ("q3 | 2, 4 6 6", 4, 1),
        ("q3 | *, 4 6*", 2, 1),
        ("q3 | *, 4 6 6+", 3, 4),
        ("* | *, .* 6 6 6", 5, 4),
        ("* | *, .* 6 6 6", 6, 1),
        ("q0 | 1, 4 5", 6, 4),
    ],
)
def test_a_bounded_run_says_whether_a_configuration_is_reachable_within_the_bound(
    text: str, contexts: int, code: int
) -> None:
    done = call("verify", FIGURE4, "--reach", text, "--contexts", str(contexts), "--json")
    assert done.code == code, done.err
    assert done.json["verdict"] == ("unsafe" if code == 1 else "bounded")


def test_the_trace_ends_in_the_configuration_with_the_fewest_contexts() -> None:
    done = call("verify", FIGURE4, "--reach", "q3 | *, 4 6 6+")
    assert done.code == 1
    assert "context 4" in done.out
    assert "context 5" not in done.out
    assert "q3 | 2, 4 6 6 " in done.out


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("q | -", "unsafe"),
        ("r | b", "unsafe"),
        ("r | -", "safe"),
        ("q | b", "safe"),
        ("q | a a", "safe"),
        ("* | a a+", "safe"),
    ],
)
def test_without_a_bound_it_goes_on_until_found_or_proved(
    text: str, verdict: Verdict, tmp_path: Path
) -> None:
    (tmp_path / "a.cpds").write_text(COLLAPSING)
    done = call("verify", "a.cpds", "--reach", text, "--json", cwd=tmp_path)
    assert (done.code, done.json["verdict"]) == ({"unsafe": 1, "safe": 0}[verdict], verdict)
    assert done.json["checked"] is True


def test_z_proves_what_no_collapse_can() -> None:
    """R_k of Figure 4 never stops growing; what lies directly below a 4 is known all the same."""
    done = call("verify", FIGURE4, "--reach", "q0 | *, 4 5 .*")
    assert done.code == 0, done.out + done.err


def test_stacks_of_any_height_are_found_where_a_context_reaches_infinitely_many(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.cpds").write_text(INFINITE)
    for text, code in [("s | a a a a a a, d", 1), ("s | (a a)+, d", 1), ("s | a*, c", 0)]:
        done = call("verify", "a.cpds", "--reach", text, "--timeout", "60", cwd=tmp_path)
        assert done.code == code, (text, done.out, done.err)


@pytest.mark.parametrize("symmetry", ["on", "off"])
@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("q | c, a, a", 1),
        ("q | a, c, a", 1),
        ("r | a, c d, a", 1),
        ("r | *, a+, c d d", None),
        ("r | *, b, c+", 2),
        ("r | b, *, c+", 2),
        ("q | c, c, c", 3),
    ],
)
def test_equal_threads_are_told_apart_as_the_question_does(
    text: str, bound: int | None, symmetry: str, tmp_path: Path
) -> None:
    (tmp_path / "a.cpds").write_text(EQUAL_THREADS)
    system = tepui.load(tmp_path / "a.cpds")
    assert isinstance(system, System)
    options = ["--reach", text, "--contexts", "4", "--symmetry", symmetry]
    done = call("verify", "a.cpds", *options, "--json", cwd=tmp_path)
    assert done.json["bound"] == (4 if bound is None else bound)
    assert done.code == (4 if bound is None else 1)
    if bound is not None:
        trace = tepui.verify(system, tepui.reach(system, text)).trace
        assert trace is not None
        (asked,) = tepui.reach(system, text).reaches
        stacks = zip(asked.stacks, trace.steps[-1].stacks, strict=True)
        assert all(wanted is None or wanted.accepts(stack) for wanted, stack in stacks)


def test_a_question_replaces_that_of_the_file_and_is_joined_by_others(tmp_path: Path) -> None:
    (tmp_path / "a.cpds").write_text(COLLAPSING + "bad r | b\n")
    for options, code in [
        ([], 1),
        (["--reach", "r | -"], 0),
        (["--reach", "r | -", "--reach", "q | -"], 1),
        (["--reach", "r | -", "--target", "q|-"], 1),
        (["--reach", "r | -", "--target", "r|a"], 0),
        (["--reach", "r | -", "--property", "deadlock"], 0),
        (["--reach", "q | -", "--property", "deadlock"], 1),
    ]:
        done = call("verify", "a.cpds", *options, cwd=tmp_path)
        assert done.code == code, (options, done.out, done.err)


@pytest.mark.parametrize(("text", "code"), [("q3 | 2, 4 6 6", 1), ("q0 | *, 4 5", 0)])
def test_evidence_is_checked_against_the_question(text: str, code: int, tmp_path: Path) -> None:
    evidence = str(tmp_path / "evidence.json")
    assert call("verify", FIGURE4, "--reach", text, "--evidence", evidence).code == code
    assert call("check", FIGURE4, evidence, "--reach", text).code == 0
    assert call("check", FIGURE4, evidence, "--reach", "q3 | 2, 4 6").code == 1
    assert call("check", FIGURE4, evidence).code == 1


def test_the_answer_names_the_question() -> None:
    done = call("verify", FIGURE4, "--reach", "q3 | 2, 4 6 6+")
    assert "q3 | 2, 4 6 6+" in done.out
    assert "deadlock" not in done.out


@pytest.mark.parametrize(
    ("options", "fragments"),
    [
        (["--reach", ""], ["--reach:1:1: expected a shared state or '*'"]),
        (["--reach", "q0|1"], ["--reach:1:5: expected 2 entries", "(P1, P2)", "q0|1\n"]),
        (["--reach", "q0|1,9"], ["--reach:1:6: thread P2 has no symbol '9'"]),
        (["--reach", "q8|1,4"], ["--reach:1:1: there is no shared state 'q8'"]),
        (["--reach", "q0|1,4", "--reach", "q0|(1,4"], ["--reach:1:6: expected ')'"]),
        (["--reach"], ["--reach"]),
    ],
)
@pytest.mark.parametrize("command", [["verify", FIGURE4], ["check", FIGURE4, "e.json"]])
def test_a_wrong_question_is_refused_with_the_place_and_what_was_expected(
    command: list[str], options: list[str], fragments: list[str]
) -> None:
    done = call(*command, *options)
    assert (done.code, done.out) == (2, "")
    assert [fragment for fragment in fragments if fragment not in done.err] == []


def test_of_a_program_other_questions_are_asked() -> None:
    done = call("verify", FIGURE2_PROGRAM, "--reach", "q | *")
    assert (done.code, done.out) == (2, "")
    for fragment in ("--reach is for pushdown systems", "--unreachable", "--never-together"):
        assert fragment in done.err


@pytest.mark.parametrize("command", [["explore"], ["inspect"], ["convert"]])
def test_other_commands_do_not_take_it(command: list[str]) -> None:
    done = call(*command, FIGURE4, "--reach", "* | *, *")
    assert done.code == 2
    assert "--reach" in done.err


def test_a_system_without_any_question_is_told_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.cpds").write_text(COLLAPSING)
    done = call("verify", "a.cpds", cwd=tmp_path)
    assert done.code == 2
    assert "--reach" in done.err


def test_the_commands_in_the_docs_end_as_they_say(tmp_path: Path) -> None:
    text = (EXAMPLES.parent / "docs" / "automata.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    tepui (verify .*) # exit code (.):", text, re.MULTILINE)
    assert len(commands) == 3
    (tmp_path / "examples").symlink_to(EXAMPLES)
    for command, code in commands:
        assert call(*shlex.split(command), cwd=tmp_path).code == int(code), command
