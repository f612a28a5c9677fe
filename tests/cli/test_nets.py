"""Nets on the command line: answers, evidence, limits, and commands that refuse them."""

from __future__ import annotations

import doctest
import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import tepui.counting
from support.cli import TEPUI, call, run
from support.places import EXAMPLES
from tepui.errors import UsageError

NETS = EXAMPLES / "nets"
LOCK, BROKEN, CACHE = (str(NETS / name) for name in ("lock.tts", "lock-broken.tts", "cache.spec"))
SCHEMA = json.loads((EXAMPLES.parent / "docs" / "covering.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)

HARD = """\
vars
    {names}
rules
    {rules}
init
    p0 = 1, {others}
target
    {target}
"""


@pytest.fixture
def hard(tmp_path: Path) -> str:
    """A net whose minimal elements are far too many."""
    names = [f"p{number}" for number in range(14)]
    rules = [
        f"{one} >= {2 if at < to else 1} -> {one}' = {one} - {2 if at < to else 1}, "
        f"{other}' = {other} + 1;"
        for at, one in enumerate(names)
        for to, other in enumerate(names)
        if one != other
    ]
    file = tmp_path / "hard.spec"
    file.write_text(
        HARD.format(
            names=" ".join(names),
            rules="\n    ".join(rules),
            others=", ".join(f"{name} = 0" for name in names[1:]),
            target=", ".join(f"{name} >= 9" for name in names),
        )
    )
    return str(file)


@pytest.mark.parametrize(("file", "code"), [(LOCK, 0), (BROKEN, 1), (CACHE, 0)])
def test_evidence_is_written_and_accepted(file: str, code: int, tmp_path: Path) -> None:
    evidence = str(tmp_path / "evidence.json")
    done = call("verify", file, "--evidence", evidence, "--json")
    assert done.code == code
    assert list(VALIDATOR.iter_errors(done.json)) == []
    assert (done.json["checked"], done.json["reason"]) == (True, None)
    assert not VALIDATOR.is_valid(done.json | {"more": 1})
    checked = call("check", file, evidence, "--json")
    assert (checked.code, checked.json["verdict"]) == (0, "accepted")


def test_a_run_has_every_marking() -> None:
    found = call("verify", BROKEN, "--json").json
    assert found["run"]["start"] == {"shared 0": 1, "local 0": 2}
    assert [step["line"] for step in found["run"]["steps"]] == [4, 4, 5, 6]
    assert found["run"]["steps"][-1]["marking"] == {"shared 1": 1, "local 2": 2}


def test_evidence_about_another_question_is_rejected(tmp_path: Path) -> None:
    evidence = str(tmp_path / "evidence.json")
    assert call("verify", LOCK, "--evidence", evidence).code == 0
    done = call("check", LOCK, evidence, "--target", "1|1")
    assert (done.code, "is not in the set" in done.out) == (1, True)
    done = call("check", BROKEN, evidence)
    assert (done.code, "other places" in done.out) == (1, True)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('"minimal"', '"maximal"', 2),
        ('"upward-closed"', '"downward-closed"', 2),
        ('"version": 1', '"version": 7', 2),
        ("[2, 2]", "[2]", 2),
        ("[2, 2]", "[2, 2.5]", 2),
        ("[2, 2]", '"all"', 2),
        ("[2, 2]", "[2, true]", 2),
        ("[2, 2]", "[2, 3]", 1),
        ("[2, 2]", "[0, 1]", 1),
        ("[2, 2]", "[9, 2]", 1),
        ("{", "", 2),
    ],
)
def test_damaged_files_are_refused(old: str, new: str, code: int, tmp_path: Path) -> None:
    evidence = tmp_path / "evidence.json"
    assert call("verify", CACHE, "--evidence", str(evidence)).code == 0
    text = evidence.read_text()
    assert old in text
    evidence.write_text(text.replace(old, new, 1))
    assert call("check", CACHE, str(evidence)).code == code


def test_a_target_replaces_the_bad_states_of_a_file() -> None:
    assert call("verify", LOCK, "--target", "1|1").code == 1
    assert call("verify", LOCK, "--target", "0|1").code == 0
    assert call("verify", CACHE, "--target", "modified >= 1").code == 2


def test_without_a_check_the_answer_says_so() -> None:
    done = call("verify", LOCK, "--no-check")
    assert "evidence  certificate, unchecked" in done.out
    assert call("verify", LOCK, "--no-check", "--json").json["checked"] is False


def test_a_typo_is_shown_with_its_line() -> None:
    done = run("verify", "-", "--language", "tts", "--target", "0|0", input="2 2\n0 0 => 1 1\n")
    assert done.code == 2
    assert "<stdin>:2:5: expected a transition" in done.err
    assert "2 | 0 0 => 1 1" in done.err


@pytest.mark.parametrize(
    "command",
    [
        ["explore", LOCK],
        ["inspect", LOCK],
        ["convert", LOCK, "out.cpds"],
        ["format", LOCK],
        ["automaton", LOCK],
        ["dataflow", LOCK, "--at", "x"],
        ["weigh", LOCK],
        ["report", LOCK],
        ["report", CACHE],
    ],
    ids=lambda command: command[0],
)
def test_other_commands_refuse_a_net_by_name(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = call(*command)
    assert (done.code, done.out) == (2, "")
    assert command[1] in done.err
    assert "net" in done.err


@pytest.mark.parametrize(
    "option",
    [
        ["--engine", "plain"],
        ["--contexts", "3"],
        ["--all"],
        ["--threads", "f=2"],
        ["--property", "deadlock"],
        ["--report", "report.html"],
        ["--sarif", "out.sarif"],
        ["--init", "0|0"],
        ["--max-contexts", "3"],
    ],
    ids=lambda option: option[0],
)
def test_options_that_mean_nothing_are_refused_by_name(
    option: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = call("verify", LOCK, *option)
    assert (done.code, option[0] in done.err) == (2, True)


def test_evidence_does_not_replace_a_model(tmp_path: Path) -> None:
    place = tmp_path / "other.tts"
    place.write_text("1 1\n")
    assert call("verify", LOCK, "--evidence", str(place)).code == 2
    assert place.read_text() == "1 1\n"


def test_a_suite_takes_nets(tmp_path: Path) -> None:
    done = call("suite", str(NETS), "--store", str(tmp_path / "store.sqlite"), "--json")
    answers = {each["task"]: each["answer"] for each in done.json["outcomes"]}
    assert sorted(answers.values()) == ["safe", "safe", "unsafe"]


def test_the_time_limit_holds(hard: str) -> None:
    started = time.monotonic()
    done = run("verify", hard, "--timeout", "1.5", "--json")
    assert time.monotonic() - started < 6
    assert (done.code, done.json["verdict"]) == (3, "unknown")
    assert done.json["reason"] == "the time limit of 1.5 s was reached"
    assert list(VALIDATOR.iter_errors(done.json)) == []
    assert done.json["elements"] > 100


def test_the_memory_limit_holds(hard: str) -> None:
    found = run("verify", hard, "--memory", "150M", "--timeout", "5m", "--json").json
    assert found["reason"] == "the memory limit of 150 MiB was reached"
    assert found["peak_memory_bytes"] < 1.3 * 150 * 2**20


def test_ctrl_c_ends_the_search(hard: str) -> None:
    with subprocess.Popen(
        [TEPUI, "verify", hard, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, "Traceback" in err) == (3, False)
    assert json.loads(out)["stop"]["kind"] == "interrupted"


def test_evidence_that_does_not_exist_is_not_written(hard: str, tmp_path: Path) -> None:
    place = tmp_path / "evidence.json"
    done = run("verify", hard, "--timeout", "1", "--evidence", str(place))
    assert (done.code, place.exists()) == (3, False)
    assert "no evidence was written" in done.err


def test_the_examples_in_the_texts_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES.parent)
    for module in (tepui.counting.net_loading, tepui.counting.coverability):
        results = doctest.testmod(module)
        assert (results.failed, results.attempted > 1) == (0, True)


def test_python_opens_nets_by_their_own_door() -> None:
    with pytest.raises(UsageError, match=r"tepui\.counting\.cover"):
        tepui.load(LOCK)
    with pytest.raises(UsageError, match=r"figure4\.cpds is no net; expected a file"):
        tepui.counting.load_net(EXAMPLES / "figure4.cpds")
    with pytest.raises(UsageError, match="path"):
        tepui.counting.load_net(3)  # type: ignore[arg-type]
